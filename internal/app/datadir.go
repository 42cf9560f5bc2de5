package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrDataDir is returned for a data directory that other accounts can enter and that Hostler must not close.
var ErrDataDir = errors.New("other accounts can enter the data directory")

// dataFiles identify a data directory.
var dataFiles = []string{"hostler.db", "master.key"}

// openDataDir creates the data directory, and closes it and the files of the database to other accounts: it contains sealed
// secrets, digests of tokens and the master key. A directory with another owner, or with other contents, such as /srv or a shared
// /tmp, is left unchanged and refused.
func openDataDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make data directory: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("look at the data directory: %w", err)
	}
	if open := info.Mode().Perm() & 0o077; open != 0 {
		ours, err := ourDataDir(dir, info)
		if err != nil {
			return fmt.Errorf("look at the data directory: %w", err)
		}
		if !ours {
			return fmt.Errorf("%w: %s has mode %04o; run: chmod 700 %s, or choose a directory for Hostler alone", ErrDataDir, dir, info.Mode().Perm(), dir)
		}
		if err := os.Chmod(dir, 0o700); err != nil {
			return fmt.Errorf("close the data directory: %w", err)
		}
	}
	return closeFiles(dir)
}

// ourDataDir reports whether the process owns a directory that is empty or contains Hostler's data.
func ourDataDir(dir string, info fs.FileInfo) (bool, error) {
	if !owned(info) || info.Mode()&fs.ModeSticky != 0 {
		return false, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return err == nil, err
	}
	for _, name := range dataFiles {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true, nil
		}
	}
	return false, nil
}

// closeFiles removes the access that a wide umask gave other accounts to the files of the database. The mode of the master key is
// checked when it is read: one that others could read does not become secret again.
func closeFiles(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "hostler.db*"))
	if err != nil {
		return fmt.Errorf("look at the data directory: %w", err)
	}
	for _, path := range files {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && (!info.Mode().IsRegular() || info.Mode().Perm()&0o077 == 0) {
			continue
		}
		if err == nil {
			err = os.Chmod(path, 0o600)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("close the database: %w", err)
		}
	}
	return nil
}
