//go:build !unix

package app

import "errors"

// ErrServed is returned where another panel serves the data directory.
var ErrServed = errors.New("another panel serves this data directory")

// lockData takes nothing: panels are served on Unix, and elsewhere the program is a command line.
func lockData(string) (unlock func(), err error) { return func() {}, nil }
