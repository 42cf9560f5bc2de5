//go:build unix

package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// owned reports whether the process owns a file.
func owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// strangers returns the files of a directory that belong to another account than the directory: what a command that root ran has made.
func strangers(dir string) ([]string, error) {
	owner, _, err := ownerOf(dir)
	if err != nil {
		return nil, err
	}
	var out []string
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		id, _, err := ownerOf(path)
		if err == nil && id != owner {
			out = append(out, path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
	return out, err
}

func ownerOf(path string) (user, group int, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return 0, 0, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, fmt.Errorf("%s has no owner", path)
	}
	return int(stat.Uid), int(stat.Gid), nil
}

// adopt gives files to the owner of the directory, without following links.
func adopt(dir string, files []string) error {
	user, group, err := ownerOf(dir)
	if err != nil {
		return err
	}
	for _, path := range files {
		if err := os.Lchown(path, user, group); err != nil {
			return err
		}
	}
	return nil
}
