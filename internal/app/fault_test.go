package app_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// missing takes a migration back.
var missing = []string{`ALTER TABLE servers DROP COLUMN clock_ahead`, `DELETE FROM schema_versions WHERE version_id = 2`}

// inDatabase runs statements in an installation's database.
func inDatabase(statements ...string) func(t *testing.T, c *app.Config) {
	return func(t *testing.T, c *app.Config) {
		t.Helper()
		store, err := app.OpenStore(t.Context(), *c)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range statements {
			_, one := store.DB.SQLDB().ExecContext(t.Context(), text)
			err = errors.Join(err, one)
		}
		if err := errors.Join(err, store.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

func mode(perm os.FileMode, path func(c app.Config) string) func(t *testing.T, c *app.Config) {
	return func(t *testing.T, c *app.Config) {
		t.Helper()
		if err := os.Chmod(path(*c), perm); err != nil {
			t.Fatal(err)
		}
	}
}

func in(name string) func(c app.Config) string {
	return func(c app.Config) string { return filepath.Join(c.DataDir, name) }
}

func write(t *testing.T, path, text string, perm os.FileMode) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), perm); err != nil {
		t.Fatal(err)
	}
	return path
}

// fault is something that is wrong with an installation.
type fault struct {
	harm func(t *testing.T, c *app.Config)
	// found is the check that fails, and said a part of what it says, with its fix.
	found, said string
	fixed       bool
	// secrets names a file of the data directory that contains secrets.
	secrets string
}

func faults() map[string]fault {
	return map[string]fault{
		"another master key": {
			func(t *testing.T, c *app.Config) { t.Helper(); replaceKey(t, *c) },
			"the master key belongs to the database", "is not the one of this database", false, "",
		},
		"a key that others can read": {mode(0o644, app.Config.KeyFile), "is usable", "chmod 600", true, ""},
		"no key": {func(t *testing.T, c *app.Config) {
			t.Helper()
			if err := os.Remove(c.KeyFile()); err != nil {
				t.Fatal(err)
			}
		}, "is usable", "restore the file that belongs to the database", false, ""},
		"a key that is garbage": {
			func(t *testing.T, c *app.Config) { t.Helper(); write(t, c.KeyFile(), "garbage", 0o600) },
			"is usable", "put back your copy", false, "",
		},
		"garbage at the beginning of the database": {
			func(t *testing.T, c *app.Config) { t.Helper(); garbage(4<<10)(t, *c) },
			"the database is whole", "hostler restore", false, "",
		},
		"garbage among its rows": {func(t *testing.T, c *app.Config) {
			t.Helper()
			inDatabase(`INSERT INTO settings (name, value)
				WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT 'row ' || i, printf('%.200c', 'x') FROM n`)(t, c)
			garbage(-200<<10)(t, *c)
		}, "the database is whole", "the database is damaged", false, ""},
		"an index that misses rows": {inDatabase(
			`CREATE TABLE odd (x)`, `INSERT INTO odd VALUES (1)`, `CREATE INDEX odd_x ON odd (x)`, `CREATE TABLE other (y)`, `CREATE INDEX other_y ON other (y)`,
			`PRAGMA writable_schema = ON`,
			`UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master WHERE name = 'other_y') WHERE name = 'odd_x'`,
		), "the database is whole", "the database is damaged", false, ""},
		"work that was never ended": {inDatabase(
			`INSERT INTO organizations (id, name, slug, created_at, updated_at) VALUES (1, 'a', 'a', 1, 1)`,
			`INSERT INTO operations (organization_id, server_id, aspect, resource_type, resource_id, action, description, request,
			state, step, reason, attempt, cancelled, deadline, created_at, updated_at)
			VALUES (1, 1, 'web', 'sites', 1, 'create', '', '', 'pending', '', '', 0, FALSE, 1, 1, 1)`), "no operation is past its deadline", "1 operations", false, ""},
		"a data directory that others can enter": {mode(0o755, in("")), "closed to other accounts", "has mode 0755", true, ""},
		"a database that others can read":        {mode(0o644, in("hostler.db")), "closed to other accounts", "hostler.db has mode 0644", true, ""},
		"files of another account": {func(t *testing.T, c *app.Config) {
			t.Helper()
			if err := os.Chown(in("hostler.db")(*c), 12345, 12345); err != nil {
				t.Skip("only root gives files away")
			}
		}, "belongs to its owner", "chown -R", true, ""},
		"an interrupted restore": {func(t *testing.T, c *app.Config) {
			t.Helper()
			path := in(".restore-123")(*c)
			old := time.Now().Add(-2 * time.Hour)
			if err := errors.Join(os.Mkdir(path, 0o700), os.Chtimes(path, old, old)); err != nil {
				t.Fatal(err)
			}
		}, "no unfinished copies are left", ".restore-123", true, ""},
		"no data directory": {
			func(t *testing.T, c *app.Config) { t.Helper(); c.DataDir = in("none")(*c) },
			"the data directory exists", "data-dir", false, "",
		},
		"a missing migration": {
			inDatabase(missing...),
			"the schema is up to date", "hostler migrate", true, "",
		},
		"a newer schema": {
			inDatabase(`INSERT INTO schema_versions (version_id, is_applied) VALUES (99999, 1)`),
			"is not newer", "install that version", false, "",
		},
		"a file that does not shrink": {
			inDatabase(`PRAGMA auto_vacuum = NONE`, `VACUUM`, `CREATE TABLE large (x)`,
				`INSERT INTO large WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20) SELECT zeroblob(1000000) FROM n`, `DROP TABLE large`),
			"not much larger than its contents", "MB are free", true, "",
		},
		"a clock that was set back": {
			inDatabase(`INSERT INTO settings (name, value) VALUES ('` + db.SettingWritten + `', '2199-01-01T00:00:00Z')`),
			"the clock is right", "timedatectl", false, "",
		},
		"a backup of the panel that failed": {func(t *testing.T, c *app.Config) {
			t.Helper()
			c.BackupStorage, c.BackupEvery = 1, 24*time.Hour
			inDatabase(`INSERT INTO settings (name, value) VALUES ('panel:backup', '{"tried_at":"2026-11-01T00:00:00Z","problem":"The storage is away."}')`)(t, c)
		}, "the panel is backed up", "The storage is away. No archive has been proven yet.", false, ""},
		"no directory for local storage": {func(t *testing.T, c *app.Config) {
			t.Helper()
			c.LocalStorage = filepath.Join(t.TempDir(), "backups")
		}, "the directory of local-storage exists", "mount or create", true, ""},
		"no password of the mail server": {func(t *testing.T, c *app.Config) {
			t.Helper()
			c.SMTP.URL, c.SMTP.From, c.SMTP.PasswordFile = "smtp://me@mail.example.com", "me@example.com", in("none")(*c)
		}, "the settings of mail are usable", "smtp-password-file", false, ""},
		"a mail server without an address": {
			func(_ *testing.T, c *app.Config) { c.SMTP.URL = "mail.example.com" },
			"the settings of mail are usable", "correct smtp-url", false, "",
		},
		"a secret that others can read": {func(t *testing.T, c *app.Config) {
			t.Helper()
			write(t, in("password")(*c), "x", 0o644)
		}, "password is closed to other accounts", "chmod o=", true, "password"},
		"plain http in public": {func(_ *testing.T, c *app.Config) { c.BaseURL = "http://panel.example.com" }, "the base URL is usable", "use https", false, ""},
		"no database server": {
			func(_ *testing.T, c *app.Config) {
				c.DatabaseURL = "postgres://me@127.0.0.1:1/hostler?connect_timeout=2"
			}, "the database answers",
			"start the database server", false, "",
		},
	}
}

// Each fault is found and reported with its fix; those that can be fixed automatically are, and are not found again.
func TestDoctorFindsFaults(t *testing.T) {
	t.Parallel()
	all := faults()
	if len(all) < 20 {
		t.Errorf("only %d faults", len(all))
	}
	for name, f := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := installation(t)
			f.harm(t, &c)
			var secrets []string
			if f.secrets != "" {
				secrets = append(secrets, in(f.secrets)(c))
			}
			got := wrong(t.Context(), c, secrets)
			if len(got) != 1 || !strings.Contains(got[0].Check, f.found) || !strings.Contains(text(got[0]), f.said) {
				t.Fatalf("found %v, want %q that says %q", texts(got), f.found, f.said)
			}
			if file := filepath.Join(t.TempDir(), "backup"); strings.Contains(text(got[0]), "the database is damaged") {
				if _, err := app.Backup(t.Context(), c, file); err == nil {
					t.Error("a damaged database was backed up")
				}
			}
			if got[0].Mend == "" || got[0].Fixable() != f.fixed {
				t.Errorf("mended by %q, automatically: %t", got[0].Mend, got[0].Fixable())
			}
			if !f.fixed {
				return
			}
			if err := got[0].Fix(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := wrong(t.Context(), c, secrets); len(got) > 0 {
				t.Errorf("after it was mended: %v", texts(got))
			}
		})
	}
}

func wrong(ctx context.Context, c app.Config, secrets []string) (out []app.Finding) {
	for _, f := range app.Doctor(ctx, c, secrets...) {
		if f.Err != nil {
			out = append(out, f)
		}
	}
	return out
}

func text(f app.Finding) string { return fmt.Sprintf("%s: %v; %s", f.Check, f.Err, f.Mend) }

func texts(findings []app.Finding) (out []string) {
	for _, f := range findings {
		out = append(out, text(f))
	}
	return out
}
