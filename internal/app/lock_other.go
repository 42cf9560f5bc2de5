//go:build !unix

package app

import "errors"

// ErrServed is returned if another panel serves the data directory.
var ErrServed = errors.New("another panel serves this data directory")

// lockData locks nothing: panels run on Unix, and elsewhere the program is only a command line.
func lockData(string) (unlock func(), err error) { return func() {}, nil }

// Served reports false: nothing is locked.
func Served(string) bool { return false }
