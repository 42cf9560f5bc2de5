package runtimes

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// rest is how long a version stays that no site has any more: deployments and commands that began with it go on with it.
const rest = 24 * time.Hour

// Keep notes which versions are in use, those that are named like "node/22.11.0". It removes those that were not for a day and that no
// process runs.
func (h Host) Keep(names []string, now time.Time) error {
	lock, err := h.lock()
	if err != nil {
		return err
	}
	defer lock.Close()
	found, err := filepath.Glob(filepath.Join(h.directory(), "*", "*"))
	if err != nil {
		return fmt.Errorf("list runtimes: %w", err)
	}
	for _, dir := range found {
		name, version := filepath.Base(filepath.Dir(dir)), filepath.Base(dir)
		if path, err := h.path(name, version); err != nil || path != dir {
			continue
		}
		note := filepath.Join(filepath.Dir(dir), ".unused-"+version)
		if slices.Contains(names, name+"/"+version) {
			if err := os.Remove(note); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("note that %s %s is used: %w", name, version, err)
			}
			continue
		}
		since, err := os.Stat(note)
		if errors.Is(err, fs.ErrNotExist) {
			if err := os.WriteFile(note, nil, 0o600); err != nil {
				return fmt.Errorf("note that %s %s is not used: %w", name, version, err)
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("look at %s %s: %w", name, version, err)
		}
		if now.Sub(since.ModTime()) < rest {
			continue
		}
		runs, err := h.runsFrom(dir)
		if err != nil {
			return err
		}
		if runs {
			continue
		}
		if err := errors.Join(os.RemoveAll(dir), os.Remove(note)); err != nil {
			return fmt.Errorf("remove %s %s: %w", name, version, err)
		}
	}
	return h.leftovers()
}

// leftovers removes what an installation left that was cut off.
func (h Host) leftovers() error {
	found, err := filepath.Glob(filepath.Join(h.directory(), ".new-*"))
	for _, dir := range found {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// runsFrom reports whether a process was started from a directory.
func (h Host) runsFrom(dir string) (bool, error) {
	at := h.Processes
	if at == "" {
		at = "/proc"
	}
	entries, err := os.ReadDir(at)
	if err != nil {
		return false, fmt.Errorf("list processes: %w", err)
	}
	for _, e := range entries {
		if strings.Trim(e.Name(), "0123456789") != "" {
			continue
		}
		program, err := os.Readlink(filepath.Join(at, e.Name(), "exe"))
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ESRCH): // it ended, or is the kernel's
		case err != nil:
			return false, fmt.Errorf("look at process %s: %w", e.Name(), err)
		case strings.HasPrefix(program, dir+"/"):
			return true, nil
		}
	}
	return false, nil
}
