//go:build unix

package app_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// Another account of the machine can't read the data directory, whatever modes and files were there before.
func TestAccountBesideReadsTheDataDirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	open := func(t *testing.T) {
		t.Helper()
		s, err := app.OpenStore(context.Background(), app.Config{DataDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		err = s.DB.Tx(context.Background(), func(ctx context.Context, tx *db.Tx) error { return tx.PutSetting(ctx, "a", "b") })
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		n := 0
		err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := entry.Info()
			if err != nil {
				return err
			}
			if n++; info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s has mode %04o", path, info.Mode().Perm())
			}
			return nil
		})
		if err != nil || n < 5 { // the directory, key, database, its log and its index
			t.Errorf("there are %d files: %v", n, err)
		}
	}
	open(t)
	for _, path := range []string{dir, filepath.Join(dir, "hostler.db")} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	open(t)
}

// A directory with other contents is not taken over, and not filled with secrets while other accounts can enter it.
func TestDataDirectoryIsSharedWithOthers(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "srv")
	if err := os.MkdirAll(filepath.Join(dir, "www"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := app.OpenStore(context.Background(), app.Config{DataDir: dir})
	if !errors.Is(err, app.ErrDataDir) {
		t.Errorf("the directory is opened: %v", err)
	}
	entries, readErr := os.ReadDir(dir)
	info, statErr := os.Stat(dir)
	if readErr != nil || statErr != nil || len(entries) != 1 || info.Mode().Perm() != 0o755 {
		t.Errorf("the directory was changed: %v, %v", entries, info.Mode())
	}
	t.Logf("the reason: %v", err)
}
