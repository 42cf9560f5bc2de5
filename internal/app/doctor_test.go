package app_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

func installation(t *testing.T) app.Config {
	t.Helper()
	c := app.Config{DataDir: t.TempDir()}
	dbtest.Fill(t, c.DataDir)
	store, err := app.OpenStore(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return c
}

func failures(ctx context.Context, c app.Config) string {
	var out []string
	for _, f := range app.Doctor(ctx, c) {
		if f.Err != nil {
			out = append(out, f.Check+": "+f.Err.Error()+"; "+f.Mend)
		}
	}
	return strings.Join(out, "\n")
}

func replaceKey(t *testing.T, c app.Config) {
	t.Helper()
	key, err := secret.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.KeyFile(), key, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDoctorFindsNothingWrong(t *testing.T) {
	t.Parallel()
	if got := failures(t.Context(), installation(t)); got != "" {
		t.Errorf("the doctor finds:\n%s", got)
	}
}

// garbage overwrites 40 KB of a database at an offset from its beginning or, if negative, from its end.
func garbage(at int64) func(t *testing.T, c app.Config) {
	return func(t *testing.T, c app.Config) {
		t.Helper()
		f, err := os.OpenFile(filepath.Join(c.DataDir, "hostler.db"), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		at := at
		if at < 0 {
			st, err := f.Stat()
			if err != nil {
				t.Fatal(err)
			}
			at += st.Size()
		}
		if _, err := f.WriteAt(bytes.Repeat([]byte("garbage!"), 40<<10/8), at); err != nil {
			t.Fatal(err)
		}
	}
}

// contents are the files of a data directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		raw, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(raw)
	}
	return out
}

// Another key is refused before anything is touched, though a migration is due, and a database never gets a new key silently.
func TestOpenStoreRefusesAnotherKey(t *testing.T) {
	t.Parallel()
	c := installation(t)
	inDatabase(missing...)(t, &c)
	right, err := os.ReadFile(c.KeyFile())
	if err != nil {
		t.Fatal(err)
	}
	replaceKey(t, c)
	before := contents(t, c.DataDir)
	if _, err := app.OpenStore(t.Context(), c); !errors.Is(err, app.ErrMasterKey) {
		t.Errorf("another key: %v", err)
	}
	if _, err := app.Backup(t.Context(), c, filepath.Join(t.TempDir(), "archive")); !errors.Is(err, app.ErrMasterKey) {
		t.Errorf("an archive that its key would not open: %v", err)
	}
	for name, after := range contents(t, c.DataDir) {
		if before[name] != after {
			t.Errorf("with another key %s was changed", name)
		}
		delete(before, name)
	}
	if len(before) > 0 {
		t.Errorf("with another key files were removed: %d", len(before))
	}
	if err := os.Remove(c.KeyFile()); err != nil {
		t.Fatal(err)
	}
	if _, err := app.OpenStore(t.Context(), c); !errors.Is(err, app.ErrMasterKey) {
		t.Errorf("no key: %v", err)
	}
	if err := os.WriteFile(c.KeyFile(), right, 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := app.OpenStore(t.Context(), c)
	if err != nil {
		t.Fatalf("the right key again: %v", err)
	}
	_ = store.Close()
}

// Tokens would cross the network in clear.
func TestPlainHTTPIsForPrivateAddressesOnly(t *testing.T) {
	t.Parallel()
	for url, ok := range map[string]bool{
		"http://10.0.0.1:8080": true, "http://127.0.0.1:8080": true, "http://localhost": true, "https://panel.example.com": true,
		"http://panel.example.com": false, "http://198.51.100.7": false, "ftp://10.0.0.1": false, "": false,
	} {
		c := installation(t)
		c.BaseURL = url
		store, err := app.OpenStore(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := app.New(c, store, slog.New(slog.DiscardHandler)); (err == nil) != ok {
			t.Errorf("base URL %q: %v", url, err)
		}
		_ = store.Close()
	}
}
