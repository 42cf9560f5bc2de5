//go:build unix

package login

import (
	"errors"
	"os"
	"syscall"
)

// lockFile locks a file until it is closed.
func lockFile(f *os.File) error {
	for {
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
