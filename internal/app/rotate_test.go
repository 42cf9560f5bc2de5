package app_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

// rotateDir makes a test binary the program that rotates the key of an installation, and stops where rotateAt says until it is killed.
const (
	rotateDir = "HOSTLER_TEST_ROTATE_DIR"
	rotateAt  = "HOSTLER_TEST_ROTATE_AT"
)

func TestMain(m *testing.M) {
	dir := os.Getenv(rotateDir)
	if dir == "" {
		pgtest.Main(m)
		return
	}
	at, _ := strconv.Atoi(os.Getenv(rotateAt))
	_, err := app.RotateMasterKey(context.Background(), app.Config{DataDir: dir}, func(int) {
		if at--; at < 0 {
			fmt.Println("here")
			_, _ = io.Copy(io.Discard, os.Stdin)
		}
	})
	fmt.Println("ended:", err)
}

// vault is an installation with values in all sealed columns and specifications.
type vault struct {
	app.Config
	plain map[secret.Place]string
	// column is where the value of a place is.
	column map[secret.Place]string
	specs  []secret.Place
}

const manyRows = 120 // more than one transaction seals

func filled(t *testing.T, dialect db.Dialect) *vault {
	t.Helper()
	v := &vault{Config: app.Config{DataDir: t.TempDir()}, plain: map[secret.Place]string{}, column: map[secret.Place]string{}}
	dbtest.Fill(t, v.DataDir)
	if dialect == db.PostgreSQL {
		v.DatabaseURL = pgtest.Database(t, "empty", func(context.Context, string) error { return nil })
	}
	s := v.open(t)
	defer func() { _ = s.Close() }()
	unchecked := `SET LOCAL session_replication_role = replica`
	if dialect == db.SQLite {
		if _, err := s.DB.SQLDB().Exec(`PRAGMA foreign_keys = OFF`); err != nil {
			t.Fatal(err)
		}
		unchecked = `SELECT 1`
	}
	err := s.DB.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		if _, err := tx.SQL.ExecContext(ctx, unchecked); err != nil {
			return err
		}
		tables := map[string][]app.SealedColumn{}
		for _, c := range app.SealedColumns() {
			tables[c.Table] = append(tables[c.Table], c)
		}
		for table, sealed := range tables {
			rows := 2
			if table == "environments" {
				rows = manyRows
			}
			for n := 1; n <= rows; n++ {
				if err := v.insert(ctx, tx, s.Box, dialect, table, sealed, n); err != nil {
					return fmt.Errorf("fill %s: %w", table, err)
				}
			}
		}
		for kind, field := range map[string]string{"certificates": "key", "databaseUsers": "password", "securityRules": "users"} {
			place := map[string]secret.Place{
				"certificates":  {Table: "certificates", Row: "7", Column: "private_key"},
				"databaseUsers": {Table: "database_users", Row: "7", Column: "password"},
				"securityRules": {Table: "security_rules", Row: "7", Column: "credentials"},
			}[kind]
			value, err := s.Box.Seal(place, []byte("spec of "+kind))
			if err != nil {
				return err
			}
			raw, err := json.Marshal(map[string]any{"z": 1, field: value, "a": []string{"b"}})
			if err != nil {
				return err
			}
			v.plain[place], v.specs = "spec of "+kind, append(v.specs, place)
			if _, err := tx.SQL.ExecContext(ctx,
				`INSERT INTO applied (kind, id, server_id, operation_id, version, specification, updated_at) VALUES ($1, 7, 1, 1, 1, $2, 1)`, kind,
				string(raw)); err != nil {
				return err
			}
			if _, err := tx.SQL.ExecContext(ctx,
				`INSERT INTO wishes (operation_id, kind, id, version, specification) VALUES (3, $1, 7, 1, $2), (4, $1, 8, 1, NULL)`, kind, string(raw)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *vault) open(t *testing.T) *app.Store {
	t.Helper()
	s, err := app.OpenStore(t.Context(), v.Config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// insert fills all columns that need a value, and the sealed ones with what belongs there.
func (v *vault) insert(ctx context.Context, tx *db.Tx, box *secret.Box, dialect db.Dialect, table string, sealed []app.SealedColumn, n int) error {
	schema := `SELECT name, type FROM pragma_table_info($1) WHERE "notnull" = 1 OR pk > 0`
	if dialect == db.PostgreSQL {
		schema = `SELECT column_name, data_type FROM information_schema.columns WHERE table_name = $1 AND is_nullable = 'NO'`
	}
	rows, err := tx.SQL.QueryContext(ctx, schema, table)
	if err != nil {
		return err
	}
	values := map[string]any{}
	for rows.Next() {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil {
			return err
		}
		switch strings.ToLower(kind) {
		case "text":
			values[name] = fmt.Sprintf("t%d", n)
		case "boolean":
			values[name] = false
		default:
			values[name] = n
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for _, c := range sealed {
		var id []string
		for name := range strings.SplitSeq(c.ID, ", ") {
			id = append(id, fmt.Sprint(values[name]))
		}
		place := secret.Place{Table: c.Place, Row: strings.Join(id, " "), Column: c.Column}
		v.plain[place] = fmt.Sprintf("%s %s %d", c.Table, c.Column, n)
		v.column[place] = `SELECT ` + c.Column + ` FROM ` + c.Table + ` WHERE (` + c.ID + `) = ('` + strings.Join(id, `', '`) + `')`
		if values[c.Column], err = box.Seal(place, []byte(v.plain[place])); err != nil {
			return err
		}
	}
	var names, marks []string
	var args []any
	for name, value := range values {
		names, args = append(names, name), append(args, value)
		marks = append(marks, fmt.Sprintf("$%d", len(args)))
	}
	_, err = tx.SQL.ExecContext(ctx, `INSERT INTO `+table+` (`+strings.Join(names, ", ")+`) VALUES (`+strings.Join(marks, ", ")+`)`, args...)
	return err
}

// opens wants every value to open, and returns how many are not sealed with the primary key.
func (v *vault) opens(t *testing.T) (old int) {
	t.Helper()
	s := v.open(t)
	defer func() { _ = s.Close() }()
	check := func(place secret.Place, value []byte) {
		t.Helper()
		if plain, err := s.Box.Open(place, value); err != nil || string(plain) != v.plain[place] {
			t.Errorf("%v holds %q, %v, want %q", place, plain, err, v.plain[place])
		}
		if !s.Box.Primary().Sealed(value) {
			old++
		}
	}
	for place, query := range v.column {
		var value []byte
		if err := s.DB.SQLDB().QueryRowContext(t.Context(), query).Scan(&value); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		check(place, value)
	}
	for _, place := range v.specs {
		for _, table := range []string{"applied", "wishes"} {
			kind := map[string]string{"certificates": "certificates", "database_users": "databaseUsers", "security_rules": "securityRules"}[place.Table]
			var text string
			if err := s.DB.SQLDB().QueryRowContext(t.Context(), `SELECT specification FROM `+table+` WHERE id = 7 AND kind = $1`, kind).Scan(&text); err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(text, `{"a":["b"],`) || !strings.HasSuffix(text, `"z":1}`) {
				t.Errorf("the specification is %s", text)
			}
			var fields struct{ Key, Password, Users []byte }
			if err := json.Unmarshal([]byte(text), &fields); err != nil {
				t.Fatal(err)
			}
			check(place, slices.Concat(fields.Key, fields.Password, fields.Users))
		}
	}
	return old
}

// rotated wants a whole rotation: nothing sealed with another key than the primary one, which can then be removed, and an archive of before that
// names the key that it needs.
func (v *vault) rotated(t *testing.T, was secret.Key) {
	t.Helper()
	if old := v.opens(t); old > 0 {
		t.Errorf("%d values are sealed with the old key", old)
	}
	uses, err := app.MasterKeys(t.Context(), v.Config)
	if err != nil {
		t.Fatal(err)
	}
	if len(uses) != 2 || uses[0].Key != was || uses[0].Primary || uses[0].Values != 0 || !uses[1].Primary || uses[1].Values != len(v.column)+2*len(v.specs) {
		t.Errorf("the keys are %+v", uses)
	}
	if err := app.RemoveMasterKey(t.Context(), v.Config, uses[1].Key.ID); !errors.Is(err, secret.ErrPrimary) {
		t.Errorf("the primary key is removed: %v", err)
	}
	if err := app.RemoveMasterKey(t.Context(), v.Config, was.ID); err != nil {
		t.Fatal(err)
	}
	v.opens(t)
	if left, err := app.MasterKeys(t.Context(), v.Config); err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
	if got := failures(t.Context(), v.Config); got != "" {
		t.Errorf("the doctor finds:\n%s", got)
	}
}

func TestMasterKeyRotates(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			v := filled(t, dialect)
			uses, err := app.MasterKeys(t.Context(), v.Config)
			if err != nil {
				t.Fatal(err)
			}
			oldFile, err := os.ReadFile(v.KeyFile())
			if err != nil {
				t.Fatal(err)
			}
			archive := filepath.Join(t.TempDir(), "panel.backup")
			m, err := app.Backup(t.Context(), v.Config, archive)
			if err != nil || m.KeyNames() != uses[0].Key.String() {
				t.Fatalf("the archive needs %q, %v, want %s", m.KeyNames(), err, uses[0].Key)
			}
			key, err := app.RotateMasterKey(t.Context(), v.Config, func(int) {})
			if err != nil || key == uses[0].Key {
				t.Fatalf("rotated to %s, %v", key, err)
			}
			v.rotated(t, uses[0].Key)

			// The archive of before needs the old file, and says so.
			is := app.Config{DataDir: t.TempDir()}
			if dialect == db.PostgreSQL {
				is.DatabaseURL = pgtest.Database(t, "empty", func(context.Context, string) error { return nil })
			}
			newFile, err := os.ReadFile(v.KeyFile())
			if err == nil {
				err = os.WriteFile(is.KeyFile(), newFile, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := app.Restore(t.Context(), is, archive); !errors.Is(err, app.ErrMasterKey) || !strings.Contains(err.Error(), uses[0].Key.String()) {
				t.Errorf("restored with the new key: %v", err)
			}
			if err := os.WriteFile(is.KeyFile(), oldFile, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := app.Restore(t.Context(), is, archive); err != nil && dialect == db.SQLite { // PostgreSQL checks references, which the rows of this test lack
				t.Errorf("restored with the old key: %v", err)
			} else if errors.Is(err, app.ErrMasterKey) {
				t.Errorf("the old key is refused: %v", err)
			}
			// And the database of now is refused with the old file.
			if err := os.WriteFile(v.KeyFile(), oldFile, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := app.OpenStore(t.Context(), v.Config); !errors.Is(err, app.ErrMasterKey) || !strings.Contains(err.Error(), key.String()) {
				t.Errorf("opened with the old key: %v", err)
			}
		})
	}
}

// A rotation may be killed anywhere: the panel works with both keys, and the next rotation finishes it with the key that is there.
func TestRotationIsKilled(t *testing.T) {
	t.Parallel()
	for _, at := range []int{0, 1, 9, 14} {
		t.Run(strconv.Itoa(at), func(t *testing.T) {
			t.Parallel()
			v := filled(t, db.SQLite)
			uses, err := app.MasterKeys(t.Context(), v.Config)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), rotateDir+"="+v.DataDir, rotateAt+"="+strconv.Itoa(at))
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = in.Close() }()
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "here\n" {
				t.Fatalf("the rotation says %q, %v", line, err)
			}
			if _, err := app.RotateMasterKey(t.Context(), v.Config, func(int) {}); !errors.Is(err, app.ErrServed) {
				t.Errorf("a second rotation at once: %v", err)
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()

			if old, all := v.opens(t), len(v.column)+2*len(v.specs); old == 0 || (old == all) != (at == 0) {
				t.Errorf("%d of %d values are sealed with the old key", old, all)
			}
			half, err := app.MasterKeys(t.Context(), v.Config)
			if err != nil || len(half) != 2 {
				t.Fatalf("the keys are %v, %v", half, err)
			}
			if err := app.RemoveMasterKey(t.Context(), v.Config, uses[0].Key.ID); !errors.Is(err, app.ErrKeyInUse) {
				t.Errorf("the old key is removed: %v", err)
			}
			if m, err := app.Backup(t.Context(), v.Config, filepath.Join(t.TempDir(), "a")); err != nil || len(m.Keys) != 2 {
				t.Errorf("an archive needs %v, %v, want both keys", m.Keys, err)
			}
			if key, err := app.RotateMasterKey(t.Context(), v.Config, func(int) {}); err != nil || key != half[1].Key {
				t.Errorf("the second rotation ends with %s, %v, want %s", key, err, half[1].Key)
			}
			v.rotated(t, uses[0].Key)
		})
	}
}

// Every column of bytes is sealed and known to the rotation.
func TestSealedColumnsAreKnown(t *testing.T) {
	t.Parallel()
	s := (&vault{Config: installation(t)}).open(t)
	defer func() { _ = s.Close() }()
	rows, err := s.DB.SQLDB().QueryContext(t.Context(),
		`SELECT m.name, p.name FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' AND upper(p.type) = 'BLOB' ORDER BY 1, 2`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	known := app.SealedColumns()
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(table, "river_") || table == "metrics" || table == "site_metrics" { // River seals nothing, and numbers need no seal
			continue
		}
		i := slices.IndexFunc(known, func(c app.SealedColumn) bool { return c.Table == table && c.Column == column })
		if i < 0 {
			t.Errorf("%s.%s holds bytes, and a rotation of the master key does not know it", table, column)
			continue
		}
		known = slices.Delete(known, i, i+1)
	}
	if len(known) > 0 {
		t.Errorf("no such columns: %v", known)
	}
}
