//go:build darwin || windows

package main

import (
	"github.com/zalando/go-keyring"

	"github.com/hostlerhq/hostler/client/login"
)

// system is the keyring of macOS, or of Windows.
type system struct{}

func (system) Get(service, name string) (string, error) { return keyring.Get(service, name) }

func (system) Set(service, name, secret string) error { return keyring.Set(service, name, secret) }

func (system) Delete(service, name string) error { return keyring.Delete(service, name) }

func keys() login.Keyring { return system{} }
