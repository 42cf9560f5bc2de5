// Package dbtest opens databases for tests, which have the schema already: to migrate one takes longer than most tests.
package dbtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

// Open opens a database as db.Open does. A new one of SQLite is a copy of one that is migrated once.
func Open(ctx context.Context, c db.Config) (*db.DB, error) {
	if _, err := os.Stat(filepath.Join(c.Dir, name)); c.URL != "" || err == nil {
		return db.Open(ctx, c)
	}
	if err := fill(c.Dir); err != nil {
		return nil, err
	}
	return db.Connect(ctx, c)
}

// Fill makes the database of SQLite in a data directory.
func Fill(t testing.TB, dir string) {
	t.Helper()
	if err := fill(dir); err != nil {
		t.Fatal(err)
	}
}

const name = "hostler.db"

func fill(dir string) error {
	raw, err := migrated()
	if err != nil {
		return fmt.Errorf("make the database that is copied: %w", err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), raw, 0o600); err != nil {
		return fmt.Errorf("copy the migrated database: %w", err)
	}
	return nil
}

// URL returns the address of a new database of PostgreSQL, which is dropped when the test ends.
func URL(t testing.TB) string {
	t.Helper()
	return pgtest.Database(t, "migrated", func(ctx context.Context, url string) error {
		d, err := db.Open(ctx, db.Config{URL: url})
		if err != nil {
			return err
		}
		return d.Close()
	})
}

// migrated returns the file of a new database.
var migrated = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "migrated")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	d, err := db.Open(context.Background(), db.Config{Dir: dir})
	if err != nil {
		return nil, err
	}
	if err := d.Close(); err != nil { // what is in the log goes to the file
		return nil, err
	}
	return os.ReadFile(filepath.Join(dir, name))
})
