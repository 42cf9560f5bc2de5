// Package formertest has databases as the program of 26 November 2026 (83077582) left them in the midst of a random walk. Only tests import it.
package formertest

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

//go:embed testdata/*.gz
var files embed.FS

// ofClient are lines of pg_dump for psql, which PostgreSQL does not know.
var ofClient = regexp.MustCompile(`(?m)^\\.*$`)

// File returns the content of a kind of database, or with ".json" what the walk had asked for and what its host had.
func File(t testing.TB, name string) []byte {
	t.Helper()
	packed, err := files.ReadFile("testdata/83077582." + name + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Fill puts the former database where a configuration has none yet: in its directory, or into an empty database of PostgreSQL.
func Fill(t testing.TB, c db.Config) {
	t.Helper()
	if c.URL == "" {
		if err := os.WriteFile(filepath.Join(c.Dir, "hostler.db"), File(t, string(db.SQLite)), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	conn, err := pgx.Connect(t.Context(), c.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if _, err := conn.PgConn().Exec(t.Context(), ofClient.ReplaceAllString(string(File(t, string(db.PostgreSQL))), "")).ReadAll(); err != nil {
		t.Fatal(err)
	}
}
