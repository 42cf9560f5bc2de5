package database

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/hostlerhq/hostler/test/edge/mariatest"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

// usageOf returns what an engine says about a database, with its tables by name.
func (e engineTest) usageOf(t *testing.T, name string) (usage, map[string]usedTable) {
	t.Helper()
	u, err := used(e.kind, e.steps(t, engineFor(e.kind).usage(schema{name: Name{name}})...))
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string]usedTable{}
	for _, table := range u.tables {
		tables[table.name] = table
	}
	return u, tables
}

// What is in a database is shown whatever its tables are called and however many there are, and nothing of another database is.
func TestUsage(t *testing.T) {
	for _, e := range []engineTest{newMaria(t), newPostgres(t)} {
		t.Run(string(e.kind), func(t *testing.T) {
			quote, rows := "`", "INSERT INTO big SELECT seq, REPEAT('x', 1000) FROM seq_1_to_2000; ANALYZE TABLE big"
			if e.kind == PostgreSQL {
				quote, rows = `"`, "INSERT INTO big SELECT n, repeat('x', 1000) FROM generate_series(1, 2000) n; ANALYZE big"
			}
			in, use := "", "USE blog; "
			if e.kind == PostgreSQL {
				in, use = "blog", ""
			}
			run := func(sql string) { t.Helper(); e.sql(t, in, use+sql) }
			run("CREATE TABLE big (id INT PRIMARY KEY, v VARCHAR(1000)); " + rows)
			odd := []string{"<img src=x onerror=alert(1)>", "a\nb\tc|d", "'; DROP TABLE big; --", "\\q", "表 ü", strings.Repeat("n", 63)}
			var many strings.Builder
			for i, name := range odd {
				fmt.Fprintf(&many, "CREATE TABLE %s (c%d INT);\n", quote+strings.ReplaceAll(name, quote, quote+quote)+quote, i)
			}
			for i := range 200 {
				fmt.Fprintf(&many, "CREATE TABLE many_%d (a INT);\n", i)
			}
			many.WriteString("CREATE VIEW seen AS SELECT id FROM big")
			run(many.String())
			u, tables := e.usageOf(t, "blog")
			if u.tableCount != int64(207) || len(u.tables) != maxTables || u.tables[0].name != "big" {
				t.Errorf("%d tables, %d shown, the first is %+v", u.tableCount, len(u.tables), u.tables[0])
			}
			big := tables["big"]
			if big.size == nil || *big.size < 2000_000 || big.rows == nil || *big.rows < 1500 || *big.rows > 2500 || u.size < *big.size {
				t.Errorf("big is %v of %d", big, u.size)
			}
			run("DROP VIEW seen; DROP TABLE big, " + func() string {
				var names []string
				for i := range 200 {
					names = append(names, fmt.Sprintf("many_%d", i))
				}
				return strings.Join(names, ", ")
			}())
			u, tables = e.usageOf(t, "blog")
			for _, name := range []string{odd[0], "a^Jb^Ic|d", odd[2], odd[3], odd[4], odd[5]} {
				if _, ok := tables[name]; !ok {
					t.Errorf("%q is not among %v", name, u.tables)
				}
			}
			if u.tableCount != int64(len(odd)) {
				t.Errorf("%d tables", u.tableCount)
			}
			if u.source != "" || u.reason == "" || len(u.queries) > 0 { // both engines measure nothing unless they are set to
				t.Errorf("%q measures %v, because %q", u.source, u.queries, u.reason)
			}
			if u.connections != 0 || u.most < 10 || len(u.accounts) > 0 {
				t.Errorf("%d of %d are connected: %v", u.connections, u.most, u.accounts)
			}
			if e.kind == PostgreSQL {
				wantExtensions(t, e)
			}
			if other, _ := e.usageOf(t, "by_hand"); other.tableCount != 0 || len(other.accounts) > 0 {
				t.Errorf("another database has %+v", other)
			}
		})
	}
}

// wantExtensions checks that a database's extensions are listed before those that it could have.
func wantExtensions(t *testing.T, e engineTest) {
	t.Helper()
	e.sql(t, "blog", `CREATE SCHEMA ext; CREATE EXTENSION "uuid-ossp" SCHEMA ext`)
	u, _ := e.usageOf(t, "blog")
	by := map[string]extension{}
	for _, x := range u.extensions {
		by[x.name] = x
	}
	if got := by["uuid-ossp"]; got.installed == "" || got.schema != "ext" || got.offered != got.installed || !got.trusted {
		t.Errorf("uuid-ossp is %+v", got)
	}
	if got := by["citext"]; got.installed != "" || got.schema != "" || got.offered == "" || !got.trusted {
		t.Errorf("citext is %+v", got)
	}
	if got := by["pg_stat_statements"]; got.offered == "" || got.trusted {
		t.Errorf("pg_stat_statements is %+v", got)
	}
	if len(u.extensions) < 3 || u.extensions[0].name != "plpgsql" || u.extensions[1].name != "uuid-ossp" {
		t.Errorf("the database's own are not first: %+v", u.extensions)
	}
}

// Tables that are being changed, or that a change waits for, are shown without waiting for it
// (open-telemetry/opentelemetry-collector-contrib#49351, cherts/pgscv#329, pganalyze/collector#50), one that was never analyzed has
// rows (ReimuHakurei/phpPgAdmin#18), and partitions are part of their table (DataDog/integrations-core#13369).
func TestUsageOfTablesThatAreLocked(t *testing.T) {
	s := newCluster(t)
	e, ctx := postgresAt(t, s), t.Context()
	e.sql(t, "blog", `CREATE TABLE held (id INT PRIMARY KEY, v TEXT); CREATE TABLE wanted (id INT PRIMARY KEY, v TEXT);
		CREATE TABLE indexed (id INT PRIMARY KEY); INSERT INTO held SELECT n, repeat('x', 1000) FROM generate_series(1, 2000) n;
		INSERT INTO wanted SELECT n, 'x' FROM generate_series(1, 2000) n;
		INSERT INTO indexed SELECT generate_series(1, 2000);
		CREATE TABLE parted (at DATE, v TEXT) PARTITION BY RANGE (at);
		CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
		CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
		INSERT INTO parted SELECT DATE '2025-06-01' + n, repeat('x', 1000) FROM generate_series(0, 399) n; ANALYZE parted;
		GRANT SELECT ON ALL TABLES IN SCHEMA public TO app, reader; GRANT CONNECT ON DATABASE blog TO app, reader`)
	e.sql(t, "postgres", "ALTER ROLE reader CONNECTION LIMIT 7; ALTER DATABASE blog CONNECTION LIMIT 50")
	e.sql(t, "blog", "VACUUM ANALYZE held, wanted")
	connect := func(user string) *pgx.Conn {
		t.Helper()
		c, err := pgx.Connect(ctx, "postgres://"+user+"@/blog?host="+s.host)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close(context.WithoutCancel(ctx)) })
		return c
	}
	do := func(c *pgx.Conn, sql string) {
		t.Helper()
		if _, err := c.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	holder, reader, waiter := connect("postgres"), connect("reader"), connect("postgres")
	do(holder, "BEGIN; LOCK TABLE held IN ACCESS EXCLUSIVE MODE; REINDEX INDEX indexed_pkey")
	do(reader, "BEGIN; SELECT count(*) FROM wanted")
	waits := make(chan error, 1)
	go func() {
		_, err := waiter.Exec(ctx, "BEGIN; LOCK TABLE wanted IN ACCESS EXCLUSIVE MODE; ROLLBACK")
		waits <- err
	}()
	for s.as("postgres", "blog", "SELECT count(*) FROM pg_locks WHERE NOT granted") == "0" { // each question is a process
		select {
		case err := <-waits:
			t.Fatalf("nothing waits: %v", err)
		default:
		}
	}
	u, tables := e.usageOf(t, "blog")
	for _, name := range []string{"held", "wanted", "indexed", "parted"} {
		if table := tables[name]; table.size == nil || *table.size < 50_000 || table.rows == nil || *table.rows < 400 || *table.rows > 2000 {
			t.Errorf("%s is %+v", name, table)
		}
	}
	if _, ok := tables["parted_1"]; ok || u.tableCount != 4 {
		t.Errorf("%d tables: %+v", u.tableCount, u.tables)
	}
	i := slices.IndexFunc(u.accounts, func(a usedAccount) bool { return a.name == "reader" })
	if i < 0 || u.accounts[i].count != 1 || u.accounts[i].limit == nil || *u.accounts[i].limit != 7 ||
		u.connections != 3 || u.limit == nil || *u.limit != 50 {
		t.Errorf("%d connections of %v: %+v", u.connections, u.limit, u.accounts)
	}
	if other, _ := e.usageOf(t, "shop_1"); other.connections != 0 || len(other.accounts) > 0 || other.taken < 3 || other.limit != nil {
		t.Errorf("another database has %+v", other)
	}
	do(holder, "ROLLBACK")
	do(reader, "COMMIT")
	if err := <-waits; err != nil {
		t.Error(err)
	}
}

// Connections are those to the database, by account and with its limit.
func TestUsageOfConnections(t *testing.T) {
	socket := mariatest.Socket(t)
	e := mariaAt(t, socket)
	e.sql(t, "", "ALTER USER app@'%' WITH MAX_USER_CONNECTIONS 9")
	client := exec.Command(mariatest.Client, "--no-defaults", "--socket="+socket, "--user=app", "--password=secret", "--unbuffered", "--batch",
		"shop_1")
	in, err := client.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := client.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = client.Wait()
	})
	fmt.Fprintln(in, "SELECT 1;")
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	u, _ := e.usageOf(t, "shop_1")
	if len(u.accounts) != 1 || u.connections != 1 {
		t.Fatalf("%d connections: %+v", u.connections, u.accounts)
	}
	if a := u.accounts[0]; a.name != "app" || a.count != 1 || a.limit == nil || *a.limit != 9 {
		t.Errorf("%d connections: %+v", u.connections, u.accounts)
	}
	if other, _ := e.usageOf(t, "blog"); other.connections != 0 || len(other.accounts) > 0 || other.taken != 1 {
		t.Errorf("another database has %+v", other)
	}
}

// Slow queries are those of the database, without values, from what the engine measures; nothing is turned on for it
// (lesovsky/pgcenter#104), and no password of an account is among them (patroni/patroni#2491).
func TestSlowQueries(t *testing.T) {
	texts := func(u usage) string {
		var all []string
		for _, q := range u.queries {
			all = append(all, fmt.Sprintf("%s|%d|%v", q.text, q.calls, q.mean > 0 && q.most >= q.mean))
		}
		return strings.Join(all, "\n")
	}
	t.Run("postgres", func(t *testing.T) {
		s := cluster{t, pgtest.Start(t, "shared_preload_libraries=pg_stat_statements")}
		e := postgresAt(t, s)
		if u, _ := e.usageOf(t, "shop_1"); u.source != "" || !strings.Contains(u.reason, "extension") {
			t.Errorf("without the extension: %+v", u)
		}
		s.as("app", "shop_1", "CREATE TABLE people (name text); INSERT INTO people VALUES ('Ada')")
		s.as("app", "shop_1", "SELECT pg_sleep(0.02), name FROM people WHERE name = 'Ada'; "+
			"/* of the site */ SELECT count(*) FROM people WHERE name = 'Bob'")
		s.as("forge", "shop_1", "SET ROLE none; ALTER ROLE forge PASSWORD 'top-secret'")
		s.as("forge", "blog", "SELECT 'of another database', pg_sleep(0)")
		s.as("app", "shop_1", "CREATE VIEW pg_stat_statements AS SELECT 'planted' AS query, 1 AS calls, 1.0 AS total_exec_time, "+
			"1.0 AS max_exec_time, 0 AS dbid, 0 AS userid")
		for _, in := range []string{"postgres", "shop_1"} {
			s.as("postgres", in, "CREATE SCHEMA stats; CREATE EXTENSION pg_stat_statements SCHEMA stats")
			u, _ := e.usageOf(t, "shop_1")
			got := texts(u)
			if u.source != "pg_stat_statements" || u.reason != "" ||
				!strings.HasPrefix(got, "SELECT pg_sleep($1), name FROM people WHERE name = $2|1|true\n") ||
				!strings.Contains(got, "/* of the site */ SELECT count(*) FROM people WHERE name = $1|1|true") {
				t.Errorf("in %s: %s", in, got)
			}
			for _, not := range []string{"secret", "another", "planted", "Ada", "pg_total_relation_size"} {
				if strings.Contains(got, not) {
					t.Errorf("in %s, %s is in %s", in, not, got)
				}
			}
			s.as("postgres", in, "DROP EXTENSION pg_stat_statements")
		}
	})
	t.Run("mariadb", func(t *testing.T) {
		e := mariaAt(t, mariatest.Start(t, "--performance-schema=ON"))
		e.sql(t, "", "USE shop_1; SELECT SLEEP(0.02), a FROM t WHERE a = 12345; ALTER USER app@'%' IDENTIFIED BY 'top-secret'; "+
			"USE blog; SELECT 'of another'")
		u, _ := e.usageOf(t, "shop_1")
		if got := texts(u); u.source != "performance_schema" || u.reason != "" ||
			!strings.HasPrefix(got, "SELECT `SLEEP` (?) , `a` FROM `t` WHERE `a` = ? |1|true") || strings.Contains(got, "ALTER") ||
			strings.Contains(got, "secret") || strings.Contains(got, "another") {
			t.Errorf("%s: %s", u.source, got)
		}
		if u, _ := e.usageOf(t, "blog"); strings.Contains(texts(u), "SLEEP") {
			t.Errorf("blog has %s", texts(u))
		}
	})
}
