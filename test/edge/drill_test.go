package edge

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

// The drill: an installation is archived while it is open, lost, and made again from the archive and the key. With another key, without one,
// with a spoiled archive or over a database nothing is touched.
func TestBackupDrill(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			url := func() string { return "" }
			if dialect == db.PostgreSQL {
				url = func() string {
					return pgtest.Database(t, "empty", func(context.Context, string) error { return nil })
				}
			}
			was := app.Config{DataDir: t.TempDir(), DatabaseURL: url()}
			s, err := app.OpenStore(ctx, was)
			if err != nil {
				t.Fatal(err)
			}
			place := secret.Place{Table: "drill", Row: "1", Column: "secret"}
			sealed, err := s.Box.Seal(place, []byte("the secret of the drill"))
			if err != nil {
				t.Fatal(err)
			}
			err = s.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.PutSetting(ctx, "drill", toHex(sealed)) })
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "panel.backup")
			if _, err := app.Backup(ctx, was, file); err != nil {
				t.Fatal(err)
			}
			_ = s.Close()
			if _, err := app.Backup(ctx, was, file); err == nil {
				t.Error("an archive was replaced")
			}
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			key, err := os.ReadFile(was.KeyFile())
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(raw, key) {
				t.Error("the master key is in the archive")
			}
			if info, _ := os.Stat(file); info.Mode().Perm() != 0o600 {
				t.Errorf("the archive has mode %o", info.Mode().Perm())
			}

			is := app.Config{DataDir: t.TempDir(), DatabaseURL: url()}
			untouched := func(want error) {
				t.Helper()
				if _, err := app.Restore(ctx, is, file); !errors.Is(err, want) {
					t.Errorf("restored: %v, want %v", err, want)
				}
				if entries, _ := filepath.Glob(filepath.Join(is.DataDir, "*.db*")); len(entries) > 0 {
					t.Errorf("left are %v", entries)
				}
			}
			untouched(app.ErrMasterKey)
			other, err := secret.NewKey()
			if err != nil {
				t.Fatal(err)
			}
			mustWrite(t, is.KeyFile(), other)
			untouched(app.ErrMasterKey)
			mustWrite(t, is.KeyFile(), key)
			mustWrite(t, file, raw[:len(raw)-40])
			untouched(app.ErrArchive)
			spoiled := bytes.Clone(raw)
			spoiled[len(raw)/2] ^= 1
			mustWrite(t, file, spoiled)
			untouched(app.ErrArchive)
			mustWrite(t, file, raw)

			if _, err := app.Restore(ctx, is, file); err != nil {
				t.Fatal(err)
			}
			s, err = app.OpenStore(ctx, is)
			if err != nil {
				t.Fatal(err)
			}
			kept, err := s.DB.Read().Ungranted().GetSetting(ctx, "drill")
			if err != nil {
				t.Fatal(err)
			}
			plain, err := s.Box.Open(place, fromHex(t, kept))
			if err != nil || string(plain) != "the secret of the drill" {
				t.Errorf("the secret is %q, %v", plain, err)
			}
			_ = s.Close()
			if _, err := app.Restore(ctx, is, file); !errors.Is(err, app.ErrNotEmpty) {
				t.Errorf("restored over a database: %v", err)
			}
		})
	}
}

func mustWrite(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func toHex(b []byte) string { return hex.EncodeToString(b) }

func fromHex(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
