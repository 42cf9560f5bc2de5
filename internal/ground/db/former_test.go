package db_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/formertest"
)

// former returns the configuration of a database of the program of 26 November 2026, with work that was not done.
func former(t *testing.T, dialect db.Dialect) db.Config {
	t.Helper()
	c := config(t, dialect)
	formertest.Fill(t, c)
	return c
}

// structure returns all that a database's schema says: columns with types and defaults, indexes, constraints.
func structure(t *testing.T, d *db.DB) []string {
	t.Helper()
	texts := []string{
		`SELECT m.name || ' ' || p.cid || ' ' || p.name || ' ' || p.type || ' ' || p."notnull" || ' ' || COALESCE(p.dflt_value, '-') || ' ' || p.pk
			FROM sqlite_master m, pragma_table_info(m.name) p WHERE m.type = 'table' ORDER BY m.name, p.cid`,
		`SELECT m.name || ' ' || f."from" || ' ' || f."table" || ' ' || COALESCE(f."to", '-') || ' ' || f.on_delete
			FROM sqlite_master m, pragma_foreign_key_list(m.name) f WHERE m.type = 'table' ORDER BY 1`,
		`SELECT m.name || ' ' || i."unique" || ' ' || i.origin || ' ' || i.partial || ' ' ||
			(SELECT group_concat(COALESCE(x.name, '-')) FROM pragma_index_info(i.name) x)
			FROM sqlite_master m, pragma_index_list(m.name) i WHERE m.type = 'table' ORDER BY 1`,
		`SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name`,
	}
	if d.Dialect == db.PostgreSQL {
		texts = []string{
			`SELECT table_name || ' ' || ordinal_position || ' ' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || COALESCE(column_default, '-')
				FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, ordinal_position`,
			`SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname`,
			`SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1`,
		}
	}
	var out []string
	for _, text := range texts {
		rows, err := db.Column[string](t.Context(), d.SQLDB(), text)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if !strings.Contains(row, "goose_db_version") {
				out = append(out, row)
			}
		}
	}
	return out
}

// A database of before the migrations were numbered again becomes what a new one is. It is numbered once, also by a start that was ended before.
func TestFormerDatabase(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			d, err := db.Connect(t.Context(), former(t, dialect))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = d.Close() }()
			if pending, newer, err := d.Schema(t.Context()); err != nil || !pending || newer {
				t.Errorf("a former database: pending %v, newer %v, %v", pending, newer, err)
			}
			for range 2 {
				if err := d.Migrate(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if pending, newer, err := d.Schema(t.Context()); err != nil || pending || newer {
				t.Errorf("after it was migrated: pending %v, newer %v, %v", pending, newer, err)
			}
			fresh, err := db.Open(t.Context(), config(t, dialect))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = fresh.Close() }()
			if diff := cmp.Diff(structure(t, fresh), structure(t, d)); diff != "" {
				t.Errorf("the schema of a former database is another one (-fresh +former):\n%s", diff)
			}
			for _, rows := range []string{`SELECT name FROM roles WHERE organization_id IS NULL ORDER BY id`,
				`SELECT client_id || name || scopes FROM oauth_clients ORDER BY id`} {
				of := map[*db.DB][]string{}
				for _, which := range []*db.DB{fresh, d} {
					if of[which], err = db.Column[string](t.Context(), which.SQLDB(), rows); err != nil {
						t.Fatal(err)
					}
				}
				if diff := cmp.Diff(of[fresh], of[d]); diff != "" || len(of[d]) == 0 {
					t.Errorf("%s (-fresh +former):\n%s", rows, diff)
				}
			}
		})
	}
}

// A database of a version before that, or of one between, says what to do.
func TestOlderDatabase(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		for name, c := range map[string]struct {
			statement string
			too       bool
		}{
			"older":       {`DELETE FROM goose_db_version WHERE version_id > 300`, true},
			"without one": {`DELETE FROM goose_db_version WHERE version_id = 142`, true},
			"newer by a column": {`ALTER TABLE servers ADD COLUMN clock_ahead BIGINT NOT NULL DEFAULT 0; INSERT INTO goose_db_version (version_id, ` +
				`is_applied) VALUES (430, TRUE)`, false},
		} {
			t.Run(string(dialect)+" "+name, func(t *testing.T) {
				t.Parallel()
				d, err := db.Connect(t.Context(), former(t, dialect))
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = d.Close() }()
				for statement := range strings.SplitSeq(c.statement, "; ") {
					if _, err := d.SQLDB().ExecContext(t.Context(), statement); err != nil {
						t.Fatal(err)
					}
				}
				before := structure(t, d)
				err = d.Migrate(t.Context())
				if errors.Is(err, db.ErrTooOld) != c.too || !c.too && err != nil {
					t.Fatalf("migrated: %v, want ErrTooOld %v", err, c.too)
				}
				if diff := cmp.Diff(before, structure(t, d)); c.too && diff != "" {
					t.Errorf("a refused database was changed (-before +after):\n%s", diff)
				}
			})
		}
	}
}
