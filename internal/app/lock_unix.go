//go:build unix

package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrServed is returned if another panel serves the data directory.
var ErrServed = errors.New("another panel serves this data directory")

// lockData locks the data directory for one panel that serves an embedded database. The kernel releases the lock when the process
// ends, however it ends (flock(2)).
func lockData(dir string) (unlock func(), err error) {
	path := filepath.Join(dir, "panel.lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data directory: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		defer func() { _ = f.Close() }()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("lock the data directory: %w", err)
		}
		pid, _ := os.ReadFile(path)
		return nil, fmt.Errorf("%w: %s, process %s", ErrServed, dir, strings.TrimSpace(string(pid)))
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = fmt.Fprintf(f, "%d\n", os.Getpid())
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock the data directory: %w", err)
	}
	return func() { _ = f.Close() }, nil
}

// Served reports whether a panel serves a data directory with an embedded database.
func Served(dir string) bool {
	f, err := os.OpenFile(filepath.Join(dir, "panel.lock"), os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
