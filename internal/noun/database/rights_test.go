package database

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/test/edge/mariatest"
)

// entitled is a server with two databases, one that was found, and accounts of all kinds.
func entitled(t *testing.T, kind Engine) state {
	t.Helper()
	v := viewOf(t, kind, []ledger.Wish{
		database(t, 1, Specification{Name: "shop_1"}), database(t, 2, Specification{Name: "blog"}), database(t, 3, Specification{Name: "by_hand", Adopted: true}),
		account(t, 1, UserSpecification{Name: "forge", Main: true}), account(t, 2, UserSpecification{Name: "app", Databases: []int64{1}}),
		account(t, 3, UserSpecification{Name: "reader", ReadOnly: true, Databases: []int64{1, 3}}), account(t, 4, UserSpecification{Name: "idle"}),
	})
	s, err := read(v, kind)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// engineTest is a real engine: steps runs steps as the agent would, and sql runs SQL of an administrator in a database.
type engineTest struct {
	kind  Engine
	steps func(t *testing.T, steps ...wire.Step) string
	sql   func(t *testing.T, database, sql string)
}

// Rights that were taken away, or given, with the engine's own client: each is one difference, a repair restores them, and what is right is nothing to repair.
func TestRightsChangedByHand(t *testing.T) {
	my, pg, fresh := newMaria(t), newPostgres(t), map[Engine]bool{}
	for _, c := range []struct {
		name, in, by string
		engine       engineTest
		want         []wire.Difference
	}{
		{"an administrator", "", "GRANT ALL PRIVILEGES ON *.* TO app@'%' WITH GRANT OPTION", my, nil},
		{
			"a right of the whole engine", "", "GRANT FILE ON *.* TO app@'%'", my,
			[]wire.Difference{{Step: "accounts of the engine", Path: "app", What: "rights", Diff: "-FILE\n"}},
		},
		{
			"all databases", "", "GRANT SELECT ON `%`.* TO app@'%'", my,
			[]wire.Difference{{Step: "grants of the engine", Path: "app in %", What: "foreign", Diff: "-SELECT\n"}},
		},
		{"rights that were taken away", "", "REVOKE DROP, ALTER ON `shop\\_1`.* FROM app@'%'", my, []wire.Difference{
			{Step: "grants of the engine", Path: "app in shop_1", What: "rights", Diff: "+ALTER\n+DROP\n"},
		}},
		{"a database that was taken away", "", "REVOKE ALL PRIVILEGES ON `shop\\_1`.* FROM app@'%'", my, []wire.Difference{
			{Step: "grants of the engine", Path: "app in shop_1", What: "missing", Diff: "+ALL PRIVILEGES\n"},
		}},
		{"a reader that writes", "", "GRANT INSERT ON `shop\\_1`.* TO reader@'%'", my, []wire.Difference{
			{Step: "grants of the engine", Path: "reader in shop_1", What: "rights", Diff: "-INSERT\n"},
		}},
		{"a reader that writes a table", "", "GRANT UPDATE (a), DELETE ON shop_1.t TO reader@'%'", my, []wire.Difference{
			{Step: "grants of the engine", Path: "reader in shop_1", What: "rights", Diff: "-DELETE on t\n-UPDATE on t\n"},
		}},
		{"a table of another", "", "GRANT SELECT ON shop_1.t TO idle@'%'", my, []wire.Difference{
			{Step: "grants of the engine", Path: "idle in shop_1", What: "foreign", Diff: "-SELECT on t\n"},
		}},
		{"the right to pass it on", "", "GRANT SELECT ON `shop\\_1`.* TO app@'%' WITH GRANT OPTION", my, []wire.Difference{
			{Step: "grants of the engine", Path: "app in shop_1", What: "rights", Diff: "-GRANT OPTION\n"},
		}},
		{"a procedure of another", "", "CREATE PROCEDURE blog.p() SELECT 1; GRANT EXECUTE ON PROCEDURE blog.p TO app@'%'", my, []wire.Difference{
			{Step: "grants of the engine", Path: "app in blog", What: "foreign", Diff: "-EXECUTE on p\n"},
		}},
		{
			"a role", "", "CREATE ROLE boss; GRANT boss TO app@'%'", my,
			[]wire.Difference{{Step: "accounts of the engine", Path: "app", What: "rights", Diff: "-boss\n"}},
		},
		{"a lock", "", "ALTER USER app@'%' ACCOUNT LOCK", my, []wire.Difference{{Step: "accounts of the engine", Path: "app", What: "rights", Diff: "-LOCKED\n"}}},
		{"a table of its own", "", "GRANT SELECT ON shop_1.t TO app@'%'", my, []wire.Difference{}}, // it may read it anyway
		{"everyone in a database", "", "GRANT SELECT, INSERT ON `shop\\_1`.* TO PUBLIC", my, []wire.Difference{
			{Step: "grants of the engine", Path: "PUBLIC in shop_1", What: "foreign", Diff: "-INSERT\n-SELECT\n"},
		}},
		{"everyone in what a pattern covers", "", "GRANT SELECT ON `sh%`.* TO PUBLIC", my, []wire.Difference{
			{Step: "grants of the engine", Path: "PUBLIC in shop_1", What: "foreign", Diff: "-SELECT\n"},
		}},
		{
			"everyone on a table, a column and a routine", "",
			"GRANT INSERT, UPDATE (a) ON shop_1.t TO PUBLIC; CREATE PROCEDURE blog.q() SELECT 1; GRANT EXECUTE ON PROCEDURE blog.q TO PUBLIC", my,
			[]wire.Difference{
				{Step: "grants of the engine", Path: "PUBLIC in shop_1", What: "foreign", Diff: "-INSERT on t\n-UPDATE on t\n"},
				{Step: "grants of the engine", Path: "PUBLIC in blog", What: "foreign", Diff: "-EXECUTE on q\n"},
			},
		},
		{
			"everyone in the whole engine", "", "GRANT ALL PRIVILEGES ON *.* TO PUBLIC WITH GRANT OPTION; CREATE ROLE crowd; GRANT crowd TO PUBLIC", my,
			[]wire.Difference{
				{Step: "accounts of the engine", Path: "PUBLIC", What: "rights", Diff: "-crowd\n-rights in the whole engine\n"},
			},
		},
		{"an account without a name", "", "CREATE USER ''@'%', ''@'10.0.0.%'; GRANT SELECT ON shop_1.* TO ''@'%'", my, []wire.Difference{
			{Step: "grants of the engine", Path: "PUBLIC in shop_1", What: "foreign", Diff: "-SELECT\n"},
			{Step: "accounts of the engine", Path: "''@'%'", What: "foreign"},
			{Step: "accounts of the engine", Path: "''@'10.0.0.%'", What: "foreign"},
		}},
		{"what such an account left", "", "INSERT INTO mysql.db (Host, Db, User, Select_priv) VALUES ('%', 'blog', '', 'Y'); FLUSH PRIVILEGES", my, []wire.Difference{
			{Step: "grants of the engine", Path: "PUBLIC in blog", What: "foreign", Diff: "-rights\n"},
		}},

		{"a superuser", "postgres", "ALTER ROLE app SUPERUSER CREATEDB", pg, []wire.Difference{
			{Step: "accounts of the engine", Path: "app", What: "rights", Diff: "-CREATEDB\n-SUPERUSER\n"},
		}},
		{"a role that reads files", "postgres", "GRANT pg_read_server_files TO idle", pg, []wire.Difference{
			{Step: "accounts of the engine", Path: "idle", What: "rights", Diff: "-pg_read_server_files\n"},
		}},
		{"a role of a database that reads files", "postgres", "GRANT pg_read_all_data TO hostler_ro_1; ALTER ROLE hostler_rw_2 CREATEROLE", pg, []wire.Difference{
			{Step: "accounts of the engine", Path: "hostler_ro_1", What: "rights", Diff: "-pg_read_all_data\n"},
			{Step: "accounts of the engine", Path: "hostler_rw_2", What: "rights", Diff: "-CREATEROLE\n"},
		}},
		{"a database that was taken away", "postgres", "REVOKE hostler_rw_1 FROM app", pg, []wire.Difference{
			{Step: "grants of the engine", Path: "app in shop_1", What: "missing", Diff: "+hostler_rw_1\n"},
		}},
		{
			"another database", "postgres", "GRANT hostler_rw_2 TO app", pg,
			[]wire.Difference{{Step: "grants of the engine", Path: "app in blog", What: "foreign", Diff: "-member\n"}},
		},
		{"a reader that owns", "postgres", "GRANT hostler_rw_1 TO reader", pg, []wire.Difference{
			{Step: "grants of the engine", Path: "reader in shop_1", What: "rights", Diff: "-hostler_rw_1\n"},
		}},
		{"the right to pass it on", "postgres", "GRANT hostler_rw_1 TO app WITH ADMIN OPTION", pg, []wire.Difference{
			{Step: "accounts of the engine", Path: "app", What: "rights", Diff: "-hostler_rw_1 with grant option\n"},
		}},
		{"a table", "shop_1", "CREATE TABLE a (a int); GRANT INSERT ON a TO reader, idle", pg, []wire.Difference{
			{Step: "grants of the engine", Path: "reader in shop_1", What: "rights", Diff: "-rights on 1 object\n"},
			{Step: "grants of the engine", Path: "idle in shop_1", What: "foreign", Diff: "-rights on 1 object\n"},
		}},
		{"the door of a database", "postgres", "GRANT CONNECT ON DATABASE blog TO PUBLIC; REVOKE CONNECT ON DATABASE blog FROM hostler_ro_2", pg, []wire.Difference{
			{Step: "grants of the engine", Path: "blog", What: "rights", Diff: "+CONNECT of hostler_ro_2\n-PUBLIC\n"},
		}},
		{
			"a parameter", "postgres", "GRANT ALTER SYSTEM ON PARAMETER archive_command TO app; GRANT CREATE ON TABLESPACE pg_default TO hostler_ro_2", pg,
			[]wire.Difference{
				{Step: "accounts of the engine", Path: "app", What: "rights", Diff: "-ALTER SYSTEM on parameter archive_command\n"},
				{Step: "accounts of the engine", Path: "hostler_ro_2", What: "rights", Diff: "-CREATE on tablespace pg_default\n"},
			},
		},
		{"the role of a database that logs in", "postgres", "ALTER ROLE hostler_rw_1 LOGIN PASSWORD 'x'", pg, []wire.Difference{
			{Step: "accounts of the engine", Path: "hostler_rw_1", What: "rights", Diff: "-LOGIN\n"},
		}},
		{"the schema of a database", "shop_1", "GRANT CREATE ON SCHEMA public TO PUBLIC", pg, []wire.Difference{
			{Step: "grants of the engine", Path: "shop_1", What: "rights", Diff: "-PUBLIC CREATE on schema public\n"},
		}},
		{"a lock", "postgres", "ALTER ROLE app NOLOGIN", pg, []wire.Difference{{Step: "accounts of the engine", Path: "app", What: "rights", Diff: "-LOCKED\n"}}},
		{"a table of its own", "shop_1", "CREATE TABLE own (a int); GRANT INSERT ON own TO app", pg, []wire.Difference{}},
	} {
		if !fresh[c.engine.kind] { // later it is as the repair before left it
			fresh[c.engine.kind] = true
			if got := differing(t, c.engine, entitled(t, c.engine.kind)); len(got) > 0 {
				t.Fatalf("what Hostler made differs already: %+v", got)
			}
		}
		t.Run(string(c.engine.kind)+" "+c.name, func(t *testing.T) { // one after the other: they are of one engine
			s := entitled(t, c.engine.kind)
			c.engine.sql(t, c.in, c.by)
			got := differing(t, c.engine, s)
			if c.want == nil && len(got) == 0 {
				t.Error("nothing differs")
			}
			if diff := cmp.Diff(c.want, append([]wire.Difference{}, got...)); c.want != nil && diff != "" {
				t.Errorf("drift (-want +got):\n%s", diff)
			}
			steps, err := s.restore()
			if err != nil {
				t.Fatal(err)
			}
			c.engine.steps(t, steps...)
			if got := differing(t, c.engine, s); len(got) > 0 {
				t.Errorf("after a repair the engine differs: %+v", got)
			}
		})
	}
}

// Rights that a repair leaves, as they are not in what Hostler made, or the owner of a database may have given them, are said. What is the engine's own is not.
func TestRightsThatAreOnlySaid(t *testing.T) {
	my, pg := newMaria(t), newPostgres(t)
	for _, c := range []struct {
		name, in, by, undo string
		engine             engineTest
		want               []wire.Difference
	}{
		{
			"another administrator", "", "CREATE USER boss@'10.0.0.1', root@'%'; GRANT ALL PRIVILEGES ON *.* TO boss@'10.0.0.1', root@'%'",
			"DROP USER boss@'10.0.0.1', root@'%'", my,
			[]wire.Difference{
				{Step: "accounts of the engine", Path: "'boss'@'10.0.0.1'", What: "foreign"}, {Step: "accounts of the engine", Path: "'root'@'%'", What: "foreign"},
			},
		},
		{
			"names that can't be managed", "", "CREATE USER `mariadb.sys`@'%', `a b`@'%', hostler_rw_1@'%'",
			"DROP USER `mariadb.sys`@'%', `a b`@'%', hostler_rw_1@'%'", my,
			[]wire.Difference{
				{Step: "accounts of the engine", Path: "'a b'@'%'", What: "foreign"},
				{Step: "accounts of the engine", Path: "'mariadb.sys'@'%'", What: "foreign"},
				{Step: "accounts of the engine", Path: "'hostler_rw_1'@'%'", What: "foreign"},
			},
		},
		{
			"everyone in other databases", "", "GRANT SELECT ON `by\\_hand`.* TO PUBLIC; GRANT SELECT ON other.* TO PUBLIC; GRANT ALL ON `test\\_%`.* TO PUBLIC",
			"REVOKE ALL ON `by\\_hand`.* FROM PUBLIC; REVOKE ALL ON other.* FROM PUBLIC; REVOKE ALL ON `test\\_%`.* FROM PUBLIC", my,
			[]wire.Difference{
				{Step: "grants of the engine", Path: "PUBLIC in by_hand", What: "foreign", Diff: "-SELECT\n"}, {
					Step: "grants of the engine", Path: "PUBLIC in other",
					What: "foreign", Diff: "-SELECT\n",
				},
			},
		},
		{
			"another superuser", "postgres", "CREATE ROLE boss SUPERUSER LOGIN; CREATE ROLE copier REPLICATION LOGIN; CREATE ROLE hostler_x LOGIN",
			"DROP ROLE boss; DROP ROLE copier; DROP ROLE hostler_x", pg,
			[]wire.Difference{
				{Step: "accounts of the engine", Path: "boss", What: "foreign"},
				{Step: "accounts of the engine", Path: "copier", What: "foreign"},
				{Step: "accounts of the engine", Path: "hostler_x", What: "foreign"},
			},
		},
		{
			"everyone in a table", "blog",
			"CREATE TABLE public.p (a int, b int); GRANT INSERT, SELECT, UPDATE (a, b) ON p TO PUBLIC; CREATE SCHEMA s; GRANT CREATE ON SCHEMA s TO PUBLIC;" +
				" ALTER DEFAULT PRIVILEGES FOR ROLE hostler_rw_2 GRANT DELETE ON TABLES TO PUBLIC",
			"DROP TABLE p; DROP SCHEMA s; ALTER DEFAULT PRIVILEGES FOR ROLE hostler_rw_2 REVOKE DELETE ON TABLES FROM PUBLIC", pg,
			[]wire.Difference{
				{
					Step: "grants of the engine", Path: "PUBLIC in blog", What: "foreign",
					Diff: "-CREATE on schema s\n-DELETE on what hostler_rw_2 creates\n-INSERT on 1 object\n-UPDATE on 1 object\n",
				},
			},
		},
	} {
		t.Run(string(c.engine.kind)+" "+c.name, func(t *testing.T) { // one after the other: they are of one engine
			s := entitled(t, c.engine.kind)
			if got := differing(t, c.engine, s); len(got) > 0 {
				t.Fatalf("it differs already: %+v", got)
			}
			c.engine.sql(t, c.in, c.by)
			for i := range c.want {
				c.want[i].Kept = true
			}
			sorted := cmpopts.SortSlices(func(a, b wire.Difference) bool { return a.Path < b.Path })
			if diff := cmp.Diff(c.want, differing(t, c.engine, s), sorted); diff != "" {
				t.Errorf("drift (-want +got):\n%s", diff)
			}
			steps, err := s.restore()
			if err != nil {
				t.Fatal(err)
			}
			c.engine.steps(t, steps...)
			if diff := cmp.Diff(c.want, differing(t, c.engine, s), sorted); diff != "" {
				t.Errorf("after a repair (-want +got):\n%s", diff)
			}
			c.engine.sql(t, c.in, c.undo)
			if got := differing(t, c.engine, s); len(got) > 0 {
				t.Errorf("without it the engine differs: %+v", got)
			}
		})
	}
}

// An account that was found on the server and became an administrator since is said; its rights are not Hostler's to restore.
func TestAdoptedAdministrator(t *testing.T) {
	t.Parallel()
	s := entitled(t, PostgreSQL)
	for i := range s.users {
		s.users[i].Specification.Adopted = true
	}
	f, err := parseInventory(PostgreSQL, "account|617070|25|super|\n")
	if err != nil {
		t.Fatal(err)
	}
	want := wire.Difference{Step: "accounts of the engine", Path: "app", What: "rights", Diff: "-SUPERUSER\n", Kept: true}
	if got := s.compare(f, names{}); !slices.Contains(got, want) {
		t.Errorf("%+v lacks %+v", got, want)
	}
}

// Patterns of grants cover databases as MariaDB's own LIKE says.
func TestPatternsOfGrants(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"shop", "shop", true},
		{"shop", "Shop", false},
		{"shop", "shop2", false},
		{"", "shop", false},
		{"%", "shop", true},
		{"sh%", "shop", true},
		{
			"%op", "shop",
			true,
		},
		{"s%p%", "shop", true},
		{"shop_1", "shop_1", true},
		{"shop_1", "shopx1", true},
		{`shop\_1`, "shop_1", true},
		{`shop\_1`, "shopx1", false},
		{`sh\%`, "shop", false},
		{
			"shop_",
			"shop", false,
		},
		{"shop%", "shop", true},
		{`shop\`, "shop", false},
	} {
		if got := like(c.pattern, c.name); got != c.want {
			t.Errorf("%q covers %q: %v", c.pattern, c.name, got)
		}
	}
}

// A password that was changed by hand is drift. A repair does not change it, as programs may sign in with it.
func TestPasswordChangedByHand(t *testing.T) {
	for _, c := range []struct {
		name   string
		engine func(t *testing.T) engineTest
		in, by string
	}{
		{"MariaDB", newMaria, "", "ALTER USER app@'%' IDENTIFIED BY 'by hand'"},
		{"PostgreSQL", newPostgres, "postgres", "ALTER ROLE app PASSWORD 'by hand'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			engine := c.engine(t)
			s := entitled(t, engine.kind)
			if got := differing(t, engine, s); len(got) > 0 {
				t.Fatalf("what Hostler made differs already: %+v", got)
			}
			engine.sql(t, c.in, c.by)
			want := []wire.Difference{{Step: "accounts of the engine", Path: "app", What: "password", Kept: true}}
			if diff := cmp.Diff(want, differing(t, engine, s)); diff != "" {
				t.Errorf("drift (-want +got):\n%s", diff)
			}
			for _, r := range s.users {
				u, err := s.user(r)
				if err != nil {
					t.Fatal(err)
				}
				if u.name.text == "app" {
					engine.steps(t, s.engine.setPassword(u, "secret")...)
				}
			}
			if got := differing(t, engine, s); len(got) > 0 {
				t.Errorf("with its password again: %+v", got)
			}
		})
	}
}

// differing are the differences of an engine, without the databases of other tests.
func differing(t *testing.T, e engineTest, s state) []wire.Difference {
	t.Helper()
	for _, r := range s.users {
		u, err := s.user(r)
		if err != nil {
			t.Fatal(err)
		}
		s.proofs = append(s.proofs, proof{u, "secret"})
	}
	f, err := parseInventory(e.kind, e.steps(t, s.engine.inventory(s.databases, s.proofs...)))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(s.compare(f, names{}), func(d wire.Difference) bool {
		return strings.HasPrefix(d.Path, "template_") || strings.HasPrefix(d.Path, "test_")
	})
}

// made creates what entitled says, as Hostler does.
func (e engineTest) made(t *testing.T) engineTest {
	t.Helper()
	s := entitled(t, e.kind)
	e.sql(t, map[bool]string{true: "postgres"}[e.kind == PostgreSQL], "CREATE DATABASE by_hand")
	for _, d := range s.databases[:2] {
		e.steps(t, s.engine.createDatabase(d, nil)...)
	}
	for _, r := range s.users {
		u, err := s.user(r)
		if err != nil {
			t.Fatal(err)
		}
		may, _ := s.split(r.Specification)
		if r.Specification.Main {
			may = may[:2]
		}
		e.steps(t, s.engine.createUser(u, "secret", may)...)
		t.Cleanup(func() { e.steps(t, s.engine.dropUser(u, nil, nil)...) })
	}
	t.Cleanup(func() {
		for _, d := range s.databases {
			e.steps(t, s.engine.dropDatabase(d, nil, false)...)
		}
	})
	return e
}

func newMaria(t *testing.T) engineTest {
	t.Helper()
	return mariaAt(t, mariatest.Socket(t))
}

func mariaAt(t *testing.T, socket string) engineTest {
	t.Helper()
	run := func(t *testing.T, stdin string) string {
		t.Helper()
		cmd := exec.Command("mariadb", "--no-defaults", "--socket="+socket, "--user=root", "--batch", "--skip-column-names", "--binary-mode",
			"--default-character-set=utf8mb4")
		cmd.Stdin, cmd.Env = strings.NewReader(stdin), os.Environ()
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s\n%s", err, out, stdin)
		}
		return string(out)
	}
	e := engineTest{kind: MariaDB, steps: func(t *testing.T, steps ...wire.Step) string {
		t.Helper()
		var all strings.Builder
		for _, step := range steps {
			all.WriteString(run(t, string(step.Exec.Stdin)))
		}
		return all.String()
	}, sql: func(t *testing.T, _, sql string) { run(t, sql+";\n") }}.made(t)
	e.sql(t, "", "CREATE TABLE shop_1.t (a INT)")
	return e
}

func newPostgres(t *testing.T) engineTest {
	t.Helper()
	return postgresAt(t, newCluster(t))
}

func postgresAt(t *testing.T, s cluster) engineTest {
	t.Helper()
	return engineTest{kind: PostgreSQL, steps: func(t *testing.T, steps ...wire.Step) string {
		t.Helper()
		s.t = t
		var all strings.Builder
		for _, step := range steps {
			all.WriteString(s.does(step) + "\n")
		}
		return all.String()
	}, sql: func(t *testing.T, database, sql string) {
		t.Helper()
		s.t = t
		s.as("postgres", database, sql)
	}}.made(t)
}
