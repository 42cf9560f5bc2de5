package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

func hasTerminal(f *os.File) bool {
	var mode uint32
	return windows.GetConsoleMode(windows.Handle(f.Fd()), &mode) == nil
}

// noEcho makes a console not show what is typed, until restore.
func noEcho(f *os.File) (restore func(), err error) {
	console := windows.Handle(f.Fd())
	var before uint32
	if err := windows.GetConsoleMode(console, &before); err != nil {
		return nil, err
	}
	if err := windows.SetConsoleMode(console, before&^windows.ENABLE_ECHO_INPUT); err != nil {
		return nil, err
	}
	return func() { _ = windows.SetConsoleMode(console, before) }, nil
}
