//go:build unix

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

func hasTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
	return err == nil
}

// noEcho makes a terminal not show what is typed, until restore.
func noEcho(f *os.File) (restore func(), err error) {
	before, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
	if err != nil {
		return nil, err
	}
	quiet := *before
	quiet.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(int(f.Fd()), setTermios, &quiet); err != nil {
		return nil, err
	}
	return func() { _ = unix.IoctlSetTermios(int(f.Fd()), setTermios, before) }, nil
}
