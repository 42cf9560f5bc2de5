package login

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks a file until it is closed.
func lockFile(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, &windows.Overlapped{})
}
