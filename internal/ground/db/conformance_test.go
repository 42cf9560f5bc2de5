package db_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

var now = time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)

// both runs a test on both databases, each time on an empty one.
func both(t *testing.T, test func(t *testing.T, d *db.DB)) {
	t.Helper()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			c := db.Config{Dir: t.TempDir(), Clock: clock.Fixed(now)}
			if dialect == db.PostgreSQL {
				c.URL = dbtest.URL(t)
			}
			d, err := dbtest.Open(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = d.Close() })
			test(t, d)
		})
	}
}

func config(t *testing.T, dialect db.Dialect) db.Config {
	t.Helper()
	c := db.Config{Dir: t.TempDir(), Clock: clock.Fixed(now)}
	if dialect == db.PostgreSQL {
		c.URL = pgtest.Database(t, "empty", nil)
	}
	return c
}

func insertUser(ctx context.Context, tx *db.Tx, name string) (query.User, error) {
	return tx.InsertUser(ctx, query.InsertUserParams{Name: name, Email: name, PasswordHash: "x", CreatedAt: tx.Micros(), UpdatedAt: tx.Micros()})
}

func mustTx(t *testing.T, d *db.DB, f func(ctx context.Context, tx *db.Tx) error) {
	t.Helper()
	if err := d.Tx(t.Context(), f); err != nil {
		t.Fatal(err)
	}
}

func mustUsers(t *testing.T, d *db.DB, names ...string) {
	t.Helper()
	mustTx(t, d, func(ctx context.Context, tx *db.Tx) error {
		for _, name := range names {
			if _, err := insertUser(ctx, tx, name); err != nil {
				return err
			}
		}
		return nil
	})
}

func wantUsers(t *testing.T, d *db.DB, want ...string) {
	t.Helper()
	rows, err := db.All[query.User](t.Context(), d.Reader(), "users")
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, u := range rows {
		got = append(got, u.Name)
	}
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		t.Errorf("users (-want +got):\n%s", diff)
	}
}

func TestTxCommits(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		var order []string
		mustTx(t, d, func(ctx context.Context, tx *db.Tx) error {
			if !tx.Now.Equal(now) || tx.Micros() != now.UnixMicro() {
				t.Errorf("the transaction's time is %v, want %v", tx.Now, now)
			}
			if (tx.SQLite != nil) != (d.Dialect == db.SQLite) || (tx.PostgreSQL != nil) != (d.Dialect == db.PostgreSQL) {
				t.Error("the driver's own transaction is of the other database")
			}
			tx.AfterCommit(func() {
				wantUsers(t, d, "a")
				order = append(order, "first")
			})
			tx.AfterCommit(func() { order = append(order, "second") })
			if _, err := insertUser(ctx, tx, "a"); err != nil {
				return err
			}
			// The transaction sees its own writes; others do not yet.
			if _, err := tx.Ungranted().GetUserByEmail(ctx, "a"); err != nil {
				t.Errorf("its own row: %v", err)
			}
			wantUsers(t, d)
			order = append(order, "written")
			return nil
		})
		if diff := cmp.Diff([]string{"written", "first", "second"}, order); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
		wantUsers(t, d, "a")
	})
}

func TestTxRollsBack(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		mine := errors.New("mine")
		for name, tt := range map[string]struct{ returns, want error }{
			"an error":          {mine, mine},
			"a wrapped one":     {fmt.Errorf("around: %w", mine), mine},
			"no error":          {db.ErrRollback, nil},
			"wrapped, no error": {fmt.Errorf("dry: %w", db.ErrRollback), nil},
		} {
			err := d.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
				tx.AfterCommit(func() { t.Errorf("%s: AfterCommit ran", name) })
				if _, err := insertUser(ctx, tx, "gone"); err != nil {
					t.Fatal(err)
				}
				return tt.returns
			})
			if !errors.Is(err, tt.want) {
				t.Errorf("%s: the transaction returned %v, want %v", name, err, tt.want)
			}
			wantUsers(t, d)
		}
		func() {
			defer func() { _ = recover() }()
			_ = d.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
				if _, err := insertUser(ctx, tx, "gone"); err != nil {
					t.Fatal(err)
				}
				panic("in the middle")
			})
		}()
		wantUsers(t, d)
		ctx, cancel := context.WithCancel(t.Context())
		err := d.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
			if _, err := insertUser(ctx, tx, "gone"); err != nil {
				t.Fatal(err)
			}
			cancel()
			return nil
		})
		if err == nil {
			t.Error("a transaction whose caller left was committed")
		}
		wantUsers(t, d)
		mustUsers(t, d, "works") // and the next one works
		wantUsers(t, d, "works")
	})
}

// Concurrent transactions that write the same row all count.
func TestTxAtOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		var done sync.WaitGroup
		errs := make(chan error, 20)
		for range 20 {
			done.Go(func() {
				errs <- d.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
					_, err := tx.SQL.ExecContext(ctx,
						`INSERT INTO settings (name, value) VALUES ('n', '1') ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(settings.value AS BIGINT) + 1 AS TEXT)`)
					return err
				})
			})
		}
		done.Wait()
		close(errs)
		for err := range errs {
			if err != nil {
				t.Error(err)
			}
		}
		if got, err := d.Read().Ungranted().GetSetting(t.Context(), "n"); err != nil || got != "20" {
			t.Errorf("the counter is %q, %v, want 20", got, err)
		}
	})
}

func TestLockServer(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		id := mustServers(t, d, 1)[0]
		var done sync.WaitGroup
		for range 10 {
			done.Go(func() {
				err := d.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
					if err := tx.LockServer(ctx, id); err != nil {
						return err
					}
					row, err := tx.Ungranted().GetServer(ctx, id)
					if err != nil {
						return err
					}
					_, err = tx.SQL.ExecContext(ctx, "UPDATE servers SET ssh_port = $1 WHERE id = $2", row.SSHPort+1, id)
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		done.Wait()
		row, err := d.Read().Ungranted().GetServer(t.Context(), id)
		if err != nil || row.SSHPort != 32 {
			t.Errorf("ssh_port is %d, %v, want 32: a change was lost", row.SSHPort, err)
		}
	})
}

func mustServers(t *testing.T, d *db.DB, n int) []int64 {
	t.Helper()
	var ids []int64
	mustTx(t, d, func(ctx context.Context, tx *db.Tx) error {
		org, err := tx.InsertOrganization(ctx, "o", "o", 0, 0)
		if err != nil {
			return err
		}
		for i := range n {
			row, err := tx.InsertServer(ctx, query.InsertServerParams{OrganizationID: org.ID, Name: fmt.Sprint(i), Type: "app", Provider: "custom", SSHPort: 22})
			if err != nil {
				return err
			}
			ids = append(ids, row.ID)
		}
		return nil
	})
	return ids
}

func TestIsUnique(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		mustUsers(t, d, "a")
		try := func(text string, args ...any) error {
			return d.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
				_, err := tx.SQL.ExecContext(ctx, text, args...)
				return err
			})
		}
		mustTx(t, d, func(ctx context.Context, tx *db.Tx) error { return tx.PutSetting(ctx, "s", "1") })
		for name, tt := range map[string]struct {
			err  error
			want bool
		}{
			"a unique column": {d.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
				_, err := insertUser(ctx, tx, "a")
				return fmt.Errorf("create user: %w", err)
			}), true},
			"a primary key of text":    {try(`INSERT INTO settings (name, value) VALUES ('s', '2')`), true},
			"a primary key of numbers": {try(`INSERT INTO users (id, name, email, password_hash, created_at, updated_at) VALUES (1, '', '', '', 0, 0)`), true},
			"a null":                   {try(`INSERT INTO settings (name, value) VALUES ('t', NULL)`), false},
			"a reference":              {try(`INSERT INTO tokens (user_id, name, hash, scopes, created_at) VALUES (999, '', '', '', 0)`), false},
			"no table":                 {try(`INSERT INTO nothing VALUES (1)`), false},
		} {
			if tt.err == nil || db.IsUnique(tt.err) != tt.want {
				t.Errorf("%s: IsUnique(%v) is %v", name, tt.err, !tt.want)
			}
		}
		if db.IsUnique(nil) || db.IsUnique(db.ErrNotFound) {
			t.Error("nothing, or no row, is taken for a violated constraint")
		}
	})
}

func TestNotFound(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		if _, err := d.Read().Ungranted().GetUser(t.Context(), 1); !errors.Is(err, db.ErrNotFound) {
			t.Errorf("outside of a transaction: %v", err)
		}
		mustTx(t, d, func(ctx context.Context, tx *db.Tx) error {
			if _, err := tx.Ungranted().GetUser(ctx, 1); !errors.Is(err, db.ErrNotFound) {
				t.Errorf("in a transaction: %v", err)
			}
			return nil
		})
	})
}

// Values of all kinds are read back unchanged.
func TestValues(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		ids := mustServers(t, d, 1)
		blob := make([]byte, 256)
		for i := range blob {
			blob[i] = byte(i)
		}
		mustTx(t, d, func(ctx context.Context, tx *db.Tx) error {
			return tx.SetServerKey(ctx, query.SetServerKeyParams{ID: ids[0], PublicKey: "ü \"'\\\t\n🦊", PrivateKey: blob})
		})
		row, err := d.Read().Ungranted().GetServer(t.Context(), ids[0])
		if err != nil {
			t.Fatal(err)
		}
		if row.PublicKey != "ü \"'\\\t\n🦊" || !slices.Equal(row.PrivateKey, blob) || row.BootstrapSecret != nil ||
			row.IPAddress != nil || row.IsReady || row.Facts != "{}" {
			t.Errorf("the row is %+v", row)
		}
		all, err := db.All[query.Server](t.Context(), d.Reader(), "servers", db.Equal("id", ids[0]))
		if err != nil || len(all) != 1 {
			t.Fatalf("%d rows, %v", len(all), err)
		}
		if diff := cmp.Diff(row, all[0]); diff != "" {
			t.Errorf("All reads other values than the generated query (-query +All):\n%s", diff)
		}
	})
}

func TestConditions(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		names := []string{"alpha", "Alpha Beta", "100%", "a_c", "abc", `back\slash`, "Ünïcode", "ünïcode", "'; DROP TABLE users; --", "?", "$1", "x ? y"}
		mustUsers(t, d, names...)
		for name, tt := range map[string]struct {
			cond db.Cond
			want []string
		}{
			"equal":                   {db.Equal("name", "alpha"), []string{"alpha"}},
			"equal to several":        {db.Equal("name", "abc", "nothing", "alpha"), []string{"alpha", "abc"}},
			"equal to nothing":        {db.Equal("name"), nil},
			"equal minds case":        {db.Equal("name", "ALPHA"), nil},
			"equal to a quote":        {db.Equal("name", "'; DROP TABLE users; --"), []string{"'; DROP TABLE users; --"}},
			"contains":                {db.Contains("name", "LPH"), []string{"alpha", "Alpha Beta"}},
			"contains any":            {db.Contains("name", "beta", "abc"), []string{"Alpha Beta", "abc"}},
			"contains nothing":        {db.Contains("name"), nil},
			"contains the empty text": {db.Contains("name", ""), names},
			"contains a percent":      {db.Contains("name", "%"), []string{"100%"}},
			"contains a line below":   {db.Contains("name", "_"), []string{"a_c"}},
			"contains a backslash":    {db.Contains("name", `\`), []string{`back\slash`}},
			"contains Ü":              {db.Contains("name", "Ün"), []string{"Ünïcode"}},
			"contains ü":              {db.Contains("name", "ünÏ", "üNïCODE"), []string{"ünïcode"}},
			"contains a question":     {db.Contains("name", "?"), []string{"?", "x ? y"}},
			"contains a dollar":       {db.Contains("name", "$1"), []string{"$1"}},
		} {
			rows, err := db.All[query.User](t.Context(), d.Reader(), "users", tt.cond, db.Equal("password_hash", "x", "y", "z"))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			var got []string
			for _, r := range rows {
				got = append(got, r.Name)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
		for _, n := range []int{1, 2, 3, 5, 17, 200, 1000} { // independent of the number of values
			var ids []any
			for i := range n {
				ids = append(ids, i+1)
			}
			rows, err := db.All[query.User](t.Context(), d.Reader(), "users", db.Equal("id", ids...))
			if err != nil || len(rows) != min(n, len(names)) {
				t.Errorf("%d ids find %d rows, %v", n, len(rows), err)
			}
			if len(ids) != n || ids[n-1] != n {
				t.Errorf("Equal changed its caller's %d values", n)
			}
		}
	})
}

// A null matches the empty text, and sorts as one.
func TestNulls(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		ids := mustServers(t, d, 4)
		mustTx(t, d, func(ctx context.Context, tx *db.Tx) error {
			for i, php := range []any{"php84", nil, "", "PHP85"} {
				if _, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET php_version = $1 WHERE id = $2", php, ids[i]); err != nil {
					return err
				}
			}
			return nil
		})
		page, err := db.Select[query.Server](t.Context(), d.Reader(), db.List{
			Table: "servers", Where: []db.Cond{db.Contains("php_version", "")}, Sort: []db.Order{{Column: "php_version"}},
			Limit: 10,
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []int64
		for _, r := range page.Rows {
			got = append(got, r.ID)
		}
		if diff := cmp.Diff([]int64{ids[1], ids[2], ids[3], ids[0]}, got); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
		rows, err := db.All[query.Server](t.Context(), d.Reader(), "servers", db.Equal("php_version", ""))
		if err != nil || len(rows) != 1 || rows[0].ID != ids[2] {
			t.Errorf("equal to the empty text are %d rows, %v", len(rows), err)
		}
	})
}

func TestSelect(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		mustUsers(t, d, "b", "a", "B", "A", "ä", "aa", "-", "a b")
		list := db.List{Table: "users", Sort: []db.Order{{Column: "name", Desc: true}}, Limit: 3}
		var got []string
		for {
			page, err := db.Select[query.User](t.Context(), d.Reader(), list)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range page.Rows {
				got = append(got, r.Name)
			}
			if page.Next == nil {
				break
			}
			list.Cursor = *page.Next
		}
		if diff := cmp.Diff([]string{"ä", "b", "aa", "a b", "a", "B", "A", "-"}, got); diff != "" {
			t.Errorf("names (-want +got):\n%s", diff)
		}
		for name, l := range map[string]db.List{
			"another table": {Table: "organizations", Sort: list.Sort, Cursor: list.Cursor, Limit: 3},
			"another order": {Table: "users", Cursor: list.Cursor, Limit: 3},
		} {
			if _, err := db.Select[query.User](t.Context(), d.Reader(), l); !errors.Is(err, db.ErrCursor) {
				t.Errorf("%s: %v, want ErrCursor", name, err)
			}
		}
		mustTx(t, d, func(ctx context.Context, tx *db.Tx) error { // the same in a transaction
			page, err := db.Select[query.User](ctx, tx.SQL, db.List{Table: "users", Where: []db.Cond{db.Contains("name", "A")}, Sort: list.Sort, Limit: 10})
			if len(page.Rows) != 4 || page.Rows[0].Name != "aa" {
				t.Errorf("in a transaction: %v", page.Rows)
			}
			return err
		})
		if _, err := db.Select[query.User](t.Context(), d.Reader(), db.List{Table: "nothing", Limit: 1}); err == nil ||
			!strings.Contains(err.Error(), "list nothing") {
			t.Errorf("no table: %v", err)
		}
	})
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			c := config(t, dialect)
			d, err := db.Connect(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.Read().Ungranted().CountUsers(t.Context()); err == nil {
				t.Error("Connect made tables")
			}
			if err := d.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			first := schema(t, d)
			mustUsers(t, d, "a")
			for range 2 {
				if err := d.Migrate(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if d, err = db.Open(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = d.Close() }()
			if diff := cmp.Diff(first, schema(t, d)); diff != "" {
				t.Errorf("migrating again changed the schema (-first +now):\n%s", diff)
			}
			wantUsers(t, d, "a")
			if err := d.Ping(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// Both databases have the same tables with the same columns, as in the generated types.
func TestSchemasAgree(t *testing.T) {
	t.Parallel()
	found := map[db.Dialect]map[string][]string{}
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		d, err := db.Open(t.Context(), config(t, dialect))
		if err != nil {
			t.Fatal(err)
		}
		s := schema(t, d)
		for table := range s {
			if strings.HasPrefix(table, "river") || table == "schema_versions" || strings.HasPrefix(table, "sqlite") {
				delete(s, table)
			}
		}
		found[dialect] = s
		_ = d.Close()
	}
	if len(found[db.SQLite]) < 19 {
		t.Errorf("there are only %d tables", len(found[db.SQLite]))
	}
	if diff := cmp.Diff(found[db.SQLite], found[db.PostgreSQL]); diff != "" {
		t.Errorf("columns (-SQLite +PostgreSQL):\n%s", diff)
	}
}

// schema returns the columns of each table, and whether they are nullable.
func schema(t *testing.T, d *db.DB) map[string][]string {
	t.Helper()
	text := `SELECT m.name, p.name, CASE WHEN p."notnull" = 1 OR p.pk > 0 THEN 'NO' ELSE 'YES' END FROM sqlite_master m, ` +
		`pragma_table_info(m.name) p WHERE m.type = 'table' ORDER BY 1, p.cid`
	if d.Dialect == db.PostgreSQL {
		text = `SELECT table_name, column_name, is_nullable FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, ordinal_position`
	}
	rows, err := d.SQLDB().QueryContext(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	out := map[string][]string{}
	for rows.Next() {
		var table, column, null string
		if err := rows.Scan(&table, &column, &null); err != nil {
			t.Fatal(err)
		}
		out[table] = append(out[table], column+" null="+null)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// An id is never reused, so that an old link never leads to something new.
func TestIDsAreNeverReused(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		seen := map[int64]bool{}
		for range 3 {
			mustTx(t, d, func(ctx context.Context, tx *db.Tx) error {
				u, err := insertUser(ctx, tx, "again")
				if seen[u.ID] {
					t.Errorf("the id %d is used again", u.ID)
				}
				seen[u.ID] = true
				return err
			})
			mustTx(t, d, func(ctx context.Context, tx *db.Tx) error {
				_, err := tx.SQL.ExecContext(ctx, "DELETE FROM users")
				return err
			})
		}
	})
}

// Deleting an organization deletes its children; other references stay.
func TestForeignKeys(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		ids := mustServers(t, d, 1)
		mustTx(t, d, func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.InsertFirewallRule(ctx, query.InsertFirewallRuleParams{ServerID: ids[0], Name: "r", Type: "allow", Status: "installed"})
			return err
		})
		if err := d.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "DELETE FROM organizations")
			return err
		}); err == nil {
			t.Error("an organization with servers was deleted")
		}
		mustTx(t, d, func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.DeleteServer(ctx, ids[0])
			return err
		})
		if rows, err := d.Read().Ungranted().ListFirewallRules(t.Context(), ids[0]); err != nil || len(rows) > 0 {
			t.Errorf("the server's rules: %v, %v", rows, err)
		}
	})
}

// On SQLite a connection opened for reading can't write.
func TestReaderDoesNotWrite(t *testing.T) {
	t.Parallel()
	d, err := db.Open(t.Context(), config(t, db.SQLite))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	if err := d.Read().PutSetting(t.Context(), "a", "b"); err == nil {
		t.Error("the reader wrote")
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	const password = "pa55word"
	for _, url := range []string{"postgres://u:" + password + "@%zz/x", "postgres://u:" + password + "@127.0.0.1:1/x?connect_timeout=1"} {
		_, err := db.Open(t.Context(), db.Config{URL: url})
		if err == nil {
			t.Fatalf("%s was opened", url)
		}
		if strings.Contains(err.Error(), password) {
			t.Errorf("the error tells the password: %v", err)
		}
	}
	if _, err := db.Open(t.Context(), db.Config{Dir: t.TempDir() + "/missing"}); err == nil {
		t.Error("a directory that is missing was opened")
	}
	odd := t.TempDir() + "/a b?c%20d#e"
	if err := os.Mkdir(odd, 0o700); err != nil {
		t.Fatal(err)
	}
	d, err := db.Open(t.Context(), db.Config{Dir: odd})
	if err != nil {
		t.Fatalf("a directory with an odd name: %v", err)
	}
	_ = d.Close()
	if _, err := os.Stat(odd + "/hostler.db"); err != nil {
		t.Errorf("the database is not in its directory: %v", err)
	}
}
