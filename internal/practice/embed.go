package practice

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

//go:embed scripts/hosts scripts/slowlink.py scripts/pkgcache.py
var scripts embed.FS

// version identifies the embedded scripts by their content. A running host's supervisor keeps the version that it was started
// with, so an upgrade never changes a script under a running shell.
var version = sync.OnceValues(func() (string, error) {
	h := sha256.New()
	err := fs.WalkDir(scripts, "scripts", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := scripts.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n", path, len(text))
		h.Write(text)
		return err
	})
	return hex.EncodeToString(h.Sum(nil))[:12], err
})

// unpack writes the scripts below home, once per version, and returns the path of the main one.
func unpack(home string) (string, error) {
	v, err := version()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(home, "scripts", v)
	main := filepath.Join(dir, "hosts")
	if _, err := os.Stat(main); err == nil {
		return main, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	// Written beside and renamed: another process may unpack at the same time.
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	if err := os.Chmod(tmp, 0o755); err != nil {
		return "", err
	}
	entries, err := scripts.ReadDir("scripts")
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		text, err := scripts.ReadFile("scripts/" + e.Name())
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(tmp, e.Name()), text, 0o755); err != nil {
			return "", err
		}
	}
	if err := os.Rename(tmp, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		if _, statErr := os.Stat(main); statErr != nil {
			return "", err
		}
	}
	return main, nil
}
