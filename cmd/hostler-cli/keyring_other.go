//go:build !darwin && !windows

package main

import "github.com/hostlerhq/hostler/client/login"

func keys() login.Keyring { return login.SystemKeys() }
