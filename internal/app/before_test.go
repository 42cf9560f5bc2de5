package app_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

// testdata/before has archives of panels from before the ledger, each with a master key beside it. Open are the creation of a server that has not run its line,
// and of a site, a firewall rule, a process, a database, a redirect, a security rule and a scheduled job on one that is not reached.
const beforeLedger = "testdata/before"

// unpacked is the installation of such an archive, as it was.
func unpacked(t *testing.T, dialect db.Dialect) app.Config {
	t.Helper()
	c := app.Config{DataDir: t.TempDir()}
	if dialect == db.PostgreSQL {
		c.DatabaseURL = pgtest.Database(t, "empty", func(context.Context, string) error { return nil })
	}
	raw, err := os.ReadFile(filepath.Join(beforeLedger, string(dialect)+".key"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.KeyFile(), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := app.Restore(t.Context(), c, filepath.Join(beforeLedger, string(dialect)+".tar.zst")); err != nil {
		t.Fatal(err)
	}
	return c
}

// asIs opens the database of an installation without migrating it.
func asIs(t *testing.T, c app.Config) *db.DB {
	t.Helper()
	d, err := db.Connect(t.Context(), db.Config{URL: c.DatabaseURL, Dir: c.DataDir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// one returns the values of a query of one column.
func one(t *testing.T, d *db.DB, query string) (out []string) {
	t.Helper()
	rows, err := d.SQLDB().QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// A panel from before the ledger is archived by this program as it is, then migrated: its open work is still open, and its rows show what was requested.
// The archive restores what there was.
func TestPanelFromBeforeTheLedger(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			c := unpacked(t, dialect)
			const open = `SELECT resource_type || ' ' || action || ' ' || state FROM operations WHERE state IN ('pending', 'running') ORDER BY id`
			d := asIs(t, c)
			before := one(t, d, open)
			rows, err := d.Rows(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(before) != 8 {
				t.Fatalf("open before: %q", before)
			}
			_ = d.Close()

			archive := filepath.Join(t.TempDir(), "first.tar.zst")
			if _, err := app.Backup(t.Context(), c, archive); err != nil {
				t.Fatal(err)
			}

			s, err := app.OpenStore(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			if diff := cmp.Diff(before, one(t, s.DB, open)); diff != "" {
				t.Errorf("open work (-before +migrated):\n%s", diff)
			}
			for _, tt := range []struct{ query, want string }{
				{`SELECT name || ' ' || status FROM sites`, "shop.example.com installing"},
				{`SELECT name || ' ' || status FROM firewall_rules WHERE name = 'api'`, "api installing"},
				{`SELECT source || ' ' || target || ' ' || status FROM redirect_rules`, "/a /b installing"},
				{`SELECT name || ' ' || status FROM security_rules`, "staff installing"},
				{`SELECT name || ' ' || status FROM scheduled_jobs`, "minute installing"},
			} {
				if diff := cmp.Diff([]string{tt.want}, one(t, s.DB, tt.query)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", tt.query, diff)
				}
			}
			for _, f := range wrong(t.Context(), c, nil) {
				if f.Check != "no operation is past its deadline" {
					t.Errorf("the doctor finds %s", text(f))
				}
			}

			back := app.Config{DataDir: t.TempDir()}
			if dialect == db.PostgreSQL {
				back.DatabaseURL = pgtest.Database(t, "empty", func(context.Context, string) error { return nil })
			}
			key, err := os.ReadFile(c.KeyFile())
			if err != nil {
				t.Fatal(err)
			}
			write(t, back.KeyFile(), string(key), 0o600)
			if _, err := app.Restore(t.Context(), back, archive); err != nil {
				t.Fatal(err)
			}
			again, err := asIs(t, back).Rows(t.Context())
			if diff := cmp.Diff(rows, again); diff != "" || err != nil {
				t.Errorf("the archive restores (-before +restored), %v:\n%s", err, diff)
			}
		})
	}
}
