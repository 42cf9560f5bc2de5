//go:build unix

package db

import (
	"context"
	"errors"
	"os"
	"syscall"
)

// lockDirectory waits for the lock of a directory (flock(2)), which the kernel releases when the process ends. The directory itself is locked: a file made by
// root could not be opened by the service, and closing the database's own file would end SQLite's locks on it. A file system without such locks has none.
func lockDirectory(ctx context.Context, dir string) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	unlock = func() { _ = f.Close() }
	err = wait(ctx, func() (bool, error) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		return !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR), nil
	})
	if err != nil {
		unlock()
	}
	return unlock, err
}
