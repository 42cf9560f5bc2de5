package release

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// remove removes what is at a path, also directories that their owner can't write to, as package managers make them (go mod download).
func remove(path string) error {
	err := os.RemoveAll(path)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = filepath.WalkDir(path, func(at string, d fs.DirEntry, walkErr error) error {
		if d != nil && d.IsDir() { // before it is read, and again if that failed
			_ = os.Chmod(at, 0o700) //nolint:gosec // a directory that is removed; programs of its account may still be in it
		}
		if walkErr != nil && d == nil {
			return fs.SkipDir
		}
		return nil
	})
	return os.RemoveAll(path)
}

// another returns the first path in a tree that belongs to another account, "" for none.
func another(root string) string {
	found, uid := "", os.Getuid()
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if d == nil {
			return nil
		}
		info, infoErr := d.Info()
		if infoErr != nil {
			return nil //nolint:nilerr // removed meanwhile
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != uid {
			found = path
			return fs.SkipAll
		}
		return nil //nolint:nilerr // a directory that can't be read was listed itself
	})
	return found
}

// stuck says why an old release could not be removed, and what helps.
func (s *Site) stuck(name string, err error) {
	dir := s.path(ReleasesDir, name)
	if at := another(dir); at != "" {
		s.say("The old release %s stays: %s belongs to another account. Remove it as root: rm -rf %s", name, at, dir)
		return
	}
	s.say("The old release %s stays: %s", name, fmt.Sprint(err))
}
