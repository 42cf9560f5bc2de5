package agent

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/test/edge/mariatest"
)

// engines returns the real ones of this machine, where HOSTLER_TEST_ENGINES says that they may be used: the tests make and drop databases and accounts
// in them, as root. On a practice host:
//
//	go test -c -o agent.test ./internal/engine/agent, copied there and run with HOSTLER_TEST_ENGINES=1 and -test.run TestEngines
func engines(t *testing.T) []string {
	t.Helper()
	if os.Getenv("HOSTLER_TEST_ENGINES") == "" {
		t.Skip("HOSTLER_TEST_ENGINES is not set: no engine of this machine may be used")
	}
	if mariatest.MySQL {
		return []string{wire.EngineMySQL}
	}
	return []string{wire.EnginePostgres, wire.EngineMariaDB}
}

// room is a database of an engine, whose owner is not an administrator.
type room struct {
	t          *testing.T
	a          *Agent
	engine, db string
}

func newRoom(t *testing.T, engine string) *room {
	t.Helper()
	a, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	r := &room{t: t, a: a, engine: engine, db: "room_" + randomHex(3)}
	if engine == wire.EnginePostgres {
		r.admin("postgres", "CREATE ROLE "+r.db+" LOGIN PASSWORD 'x'")
		r.admin("postgres", "CREATE DATABASE "+r.db+" OWNER "+r.db)
		r.admin("postgres", "REVOKE ALL ON DATABASE "+r.db+" FROM PUBLIC")
	} else {
		r.admin("", "SET GLOBAL log_bin_trust_function_creators = ON") // as the settings of a server have it
		r.admin("", "CREATE DATABASE "+r.db)
		r.admin("", "CREATE USER "+r.db+"@localhost IDENTIFIED BY 'x'; GRANT ALL ON "+r.db+".* TO "+r.db+"@localhost")
	}
	t.Cleanup(func() {
		if engine == wire.EnginePostgres {
			r.admin("postgres", "DROP DATABASE "+r.db+" WITH (FORCE)")
			r.admin("postgres", "DROP ROLE "+r.db)
		} else {
			r.admin("", "DROP DATABASE "+r.db+"; DROP USER "+r.db+"@localhost")
		}
		_ = a.Close()
	})
	return r
}

// admin runs SQL as the engine's administrator.
func (r *room) admin(db, sql string) string {
	r.t.Helper()
	argv := []string{mariatest.Client, "--no-defaults", "-N", "-B", "-e", sql, db}
	if r.engine == wire.EnginePostgres {
		argv = []string{"runuser", "-u", "postgres", "--", "psql", "-XAt", "-v", "ON_ERROR_STOP=1", "-d", db, "-c", sql}
	}
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		r.t.Fatalf("%s: %v %s", sql, err, out)
	}
	return strings.TrimSpace(string(out))
}

// tenant runs SQL as the database's own account.
func (r *room) tenant(sql string) string {
	r.t.Helper()
	cmd := exec.Command(mariatest.Client, "--no-defaults", "-u", r.db, "-N", "-B", "--binary-mode", r.db)
	cmd.Env = append(os.Environ(), "MYSQL_PWD=x", "PGPASSWORD=x", "PGHOST=127.0.0.1")
	if r.engine == wire.EnginePostgres {
		cmd = exec.Command("psql", "-XAt", "-v", "ON_ERROR_STOP=1", "-U", r.db, "-d", r.db, "-f", "-")
		cmd.Env = append(os.Environ(), "PGPASSWORD=x", "PGHOST=127.0.0.1")
	}
	cmd.Stdin = strings.NewReader(sql)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.t.Fatalf("%s: %v %s", sql, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *room) dump() string {
	r.t.Helper()
	dir := r.t.TempDir()
	log, err := output.Open(filepath.Join(dir, "events"))
	if err != nil {
		r.t.Fatal(err)
	}
	until := time.Now().Add(time.Minute)
	x := &execution{a: r.a, run: wire.Run{ID: "dump", Deadline: until}, until: until, dir: dir, log: log}
	var out bytes.Buffer
	if _, err := x.dump(context.Background(), wire.Store{Engine: r.engine, Database: r.db}, nil, &out); err != nil {
		said, _ := os.ReadFile(filepath.Join(dir, "events"))
		r.t.Fatalf("dump: %v %s", err, said)
	}
	return out.String()
}

// restore restores a dump over the database, or proves it.
func (r *room) restore(dump string, proof bool) wire.Result {
	r.t.Helper()
	run := restoring(r.t, "r"+randomHex(4), dump)
	run.Restore.Store = wire.Store{Engine: r.engine, Database: r.db}
	run.Restore.Scratch = "hostler_restore_" + randomHex(3)
	if proof {
		run.Restore.Store.Database, run.Restore.Over, run.Restore.Proof = "hostler_proof_"+randomHex(3), false, true
	}
	b := &bed{t: r.t, a: r.a}
	res, _ := b.run(run)
	return res
}

// clean fails the test if anything of a run is left in the engine.
func (r *room) clean() {
	r.t.Helper()
	sql := "SELECT User FROM mysql.user WHERE User LIKE 'hostler\\_run%' UNION SELECT schema_name FROM information_schema.schemata WHERE schema_name " +
		"LIKE 'hostler\\_%' UNION SELECT Db FROM mysql.db WHERE User LIKE 'hostler%' AND Db NOT LIKE 'room%'"
	if r.engine == wire.EnginePostgres {
		sql = "SELECT rolname FROM pg_roles WHERE rolname LIKE 'hostler\\_run%' UNION SELECT datname FROM pg_database WHERE datname LIKE 'hostler\\_%' " +
			"UNION SELECT rolname FROM pg_roles WHERE rolsuper AND rolname <> 'postgres'"
	}
	if left := r.admin(map[bool]string{true: "postgres", false: ""}[r.engine == wire.EnginePostgres], sql); left != "" {
		r.t.Errorf("left in the engine: %s", left)
	}
}

const pgOrdinary = `CREATE TABLE people (id serial PRIMARY KEY, name text NOT NULL,
	big int GENERATED ALWAYS AS (length(name)) STORED, CHECK (length(name) > 0));
CREATE INDEX ON people (lower(name));
INSERT INTO people (name) VALUES ('Ada'), ('O''Hara'), (E'a\nb\t\\.'), ('COPY x FROM stdin;');
CREATE TABLE "we.ird ""x" ("a b" int); INSERT INTO "we.ird ""x" VALUES (1);
CREATE TABLE notes (t text); INSERT INTO notes VALUES (E'\\.');
CREATE SCHEMA other; CREATE TABLE other.empty ();
CREATE VIEW v AS SELECT name FROM people WHERE id = 1;
CREATE MATERIALIZED VIEW m AS SELECT count(*) FROM people;
CREATE FUNCTION atomic(a int) RETURNS int BEGIN ATOMIC SELECT CASE WHEN a > 1 THEN 1 ELSE 2 END; SELECT a; END;
SET check_function_bodies = off;
CREATE FUNCTION lines() RETURNS text LANGUAGE plpgsql AS $f$
BEGIN
-- the next line is text of a function
COPY people FROM stdin;
\! touch /tmp/canary-function
  RETURN '$$;';
END $f$;
COMMENT ON TABLE people IS 'first line
COPY people (id) FROM stdin;
\! touch /tmp/canary-comment
\.
';
COMMENT ON FUNCTION lines() IS E'it''s; \\ "quoted" $$ /* not a comment';
CREATE TRIGGER tr BEFORE INSERT ON people FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger();
ALTER TABLE people DISABLE TRIGGER tr;
CREATE TABLE own (id int, word text); INSERT INTO own VALUES (1, 'mine');
ALTER TABLE own ENABLE ROW LEVEL SECURITY; ALTER TABLE own FORCE ROW LEVEL SECURITY; CREATE POLICY p ON own USING (word = 'nobody');
SELECT lo_create(424242);
CREATE EXTENSION citext;
`

const myOrdinary = `CREATE TABLE people (id int PRIMARY KEY, name varchar(100), big int GENERATED ALWAYS AS (length(name)) VIRTUAL, CHECK (length(name) > 0));
INSERT INTO people (id, name) VALUES (1, 'Ada'), (2, 'O''Hara'), (3, 'DELIMITER ;;\nCREATE DEFINER='), (4, '(x)');
CREATE TABLE nothing (a int, b int);
CREATE FUNCTION f() RETURNS int RETURN 7;
CREATE PROCEDURE tally() SELECT COUNT(*) FROM people;
CREATE VIEW v AS SELECT name, f() AS seven FROM people WHERE id = 1;
CREATE SQL SECURITY INVOKER VIEW vi AS SELECT f() AS seven FROM people;
DELIMITER ;;
CREATE PROCEDURE body()
BEGIN
INSERT INTO people (id, name) VALUES (9, 'x');
SELECT 1;
END;;
CREATE TRIGGER named BEFORE INSERT ON people FOR EACH ROW BEGIN
SET NEW.name = TRIM(NEW.name);
END;;
DELIMITER ;
CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM people WHERE id = 99;
`

// Ordinary contents of a database are dumped, proven and restored.
func TestEnginesRestoreWhatTheyDumped(t *testing.T) {
	for _, engine := range engines(t) {
		t.Run(engine, func(t *testing.T) {
			r := newRoom(t, engine)
			r.tenant(map[string]string{wire.EnginePostgres: pgOrdinary, anyMySQL: myOrdinary}[engine])
			dump := r.dump()
			if os.Getenv("HOSTLER_TEST_DUMP") != "" {
				fmt.Println(dump)
			}
			for _, proof := range []bool{true, false, false} {
				res := r.restore(dump, proof)
				if res.State != wire.StateSucceeded {
					t.Fatalf("proof %v: %s %s\n%s", proof, res.Reason, res.Output, dump)
				}
			}
			r.clean()
			again := r.dump()
			strip := func(s string) string {
				var out []string
				for line := range strings.Lines(s) {
					if !strings.HasPrefix(line, "-- Dump completed") && !strings.Contains(line, "DEFINER=") &&
						!strings.HasPrefix(line, `\restrict`) && !strings.HasPrefix(line, `\unrestrict`) {
						out = append(out, line)
					}
				}
				return strings.Join(out, "")
			}
			if strip(again) != strip(dump) {
				_ = os.WriteFile("/tmp/before.sql", []byte(dump), 0o600)
				_ = os.WriteFile("/tmp/after.sql", []byte(again), 0o600)
				t.Error("what was restored is dumped otherwise: compare /tmp/before.sql and /tmp/after.sql")
			}
			for _, canary := range []string{"/tmp/canary-function", "/tmp/canary-comment"} {
				if _, err := os.Stat(canary); err == nil {
					t.Errorf("%s was made", canary)
				}
			}
		})
	}
}

// Malicious text of a dump is refused, and its effect does not exist. It stands for what older or patched dump programs could be
// made to write, and what someone with the organization's key could put into a bucket.
func TestEnginesDumpTextBecomesTheAdministrator(t *testing.T) {
	const canary = "/tmp/canary-text"
	texts := map[string][]string{
		wire.EnginePostgres: {
			"RESET ROLE;\nALTER ROLE ROOM SUPERUSER;",
			"RESET SESSION AUTHORIZATION;\nCREATE ROLE evil SUPERUSER;",
			"SET SESSION AUTHORIZATION postgres;",
			"SET ROLE postgres;",
			`\! touch ` + canary,
			"CREATE TABLE public.t (a int);\n\\! touch " + canary + "\nSELECT 1;",
			"SELECT 1 \\! touch " + canary + "\n;",
			`\copy x from program 'touch ` + canary + `'`,
			`\gexec`,
			"COPY (SELECT 1) TO PROGRAM 'touch " + canary + "';",
			"COPY (SELECT 1) TO '" + canary + "';",
			"CREATE TABLE public.t (a text);\nCOPY public.t FROM '/etc/passwd';",
			"CREATE EXTENSION file_fdw;",
			"CREATE DATABASE evil;",
			"CREATE ROLE evil;",
			"GRANT pg_execute_server_program TO ROOM;",
			"ALTER SYSTEM SET archive_command = 'touch " + canary + "';",
			"CREATE EVENT TRIGGER evil ON ddl_command_end EXECUTE FUNCTION nothing();",
			"SELECT lo_export(lo_create(0), '" + canary + "');",
			"END;",
			"ROLLBACK;",
			"CREATE TABLE public.t (a int);\nCOPY public.t FROM stdin;\n\\.\n\\! touch " + canary,
			"CREATE TABLE public.t (a int);\nCOPY public.t (a) FROM stdin;\n1\n\\.\nEND;\nDROP TABLE t;", // out of the transaction
			"SELECT 'never ended",
			"UPDATE pg_catalog.pg_authid SET rolsuper = true;",
		},
		anyMySQL: {
			`\! touch ` + canary,
			"system touch " + canary,
			"DELIMITER ;;\nsystem touch " + canary + "\n;;\nDELIMITER ;",
			"source /etc/passwd",
			"CREATE USER evil@localhost;",
			"GRANT ALL ON *.* TO `ROOM`@localhost;",
			"USE mysql;",
			"INSERT INTO mysql.db SELECT * FROM mysql.db;",
			"CREATE DEFINER=root@localhost PROCEDURE evil() SELECT 1;",
			"CREATE DEFINER='root'@'localhost' VIEW evil AS SELECT 1;",
			"SET PASSWORD FOR root@localhost = PASSWORD('x');",
			"SET GLOBAL init_connect = 'DROP DATABASE ROOM';",
			"SET GLOBAL event_scheduler = ON;",
			"SELECT 1 INTO OUTFILE '" + canary + "';",
			"CREATE TABLE t (a text);\nLOAD DATA INFILE '/etc/passwd' INTO TABLE t;",
			"CREATE TABLE t (a text);\nLOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t;",
			"SET sql_log_bin = 0;",
			"INSTALL SONAME 'ha_spider';",
		},
	}
	for _, engine := range engines(t) {
		t.Run(engine, func(t *testing.T) {
			r := newRoom(t, engine)
			postgres := engine == wire.EnginePostgres
			r.tenant("CREATE TABLE kept (a int); INSERT INTO kept VALUES (7);")
			for _, text := range texts[engine] {
				text = strings.ReplaceAll(text, "ROOM", r.db)
				if postgres {
					text += "\n--\n-- PostgreSQL database dump complete\n--\n"
				}
				for _, proof := range []bool{true, false} {
					res := r.restore(text, proof)
					harmless := postgres && proof && (strings.Contains(text, "END;") || strings.Contains(text, "ROLLBACK;")) // a proof has no transaction
					if res.State != wire.StateFailed && !harmless {
						t.Errorf("%q (proof %v) is %s: %s", text, proof, res.State, res.Reason)
					}
				}
				if _, err := os.Stat(canary); err == nil {
					t.Errorf("%q made a canary", text)
					_ = os.Remove(canary)
				}
			}
			r.clean()
			if got := r.tenant("SELECT a FROM kept"); got != "7" {
				t.Errorf("the table holds %q", got)
			}
			if postgres {
				if got := r.admin("postgres", "SELECT string_agg(rolname, ' ') FROM pg_roles WHERE rolsuper OR rolname = 'evil' OR pg_has_role('"+r.db+
					"', oid, 'MEMBER') AND rolname <> '"+r.db+"'"); got != "postgres" {
					t.Errorf("roles are %s", got)
				}
			} else if got := r.admin("", "SELECT COUNT(*) FROM mysql.user WHERE User = 'evil' OR User = '"+r.db+"' AND Super_priv = 'Y'"); got != "0" {
				t.Errorf("%s accounts have more than they had", got)
			}
		})
	}
}

// A database whose owner is an administrator is dumped and proven, and nothing is restored over it; objects of accounts other
// than the owner are in the dump.
func TestEnginesOwnerIsTheAdministrator(t *testing.T) {
	if !slices.Contains(engines(t), wire.EnginePostgres) {
		t.Skip("of PostgreSQL")
	}
	r := newRoom(t, wire.EnginePostgres)
	r.tenant("CREATE TABLE mine (a int); INSERT INTO mine VALUES (1); SELECT lo_from_bytea(0, 'large');")
	r.admin("postgres", "ALTER DATABASE "+r.db+" OWNER TO postgres")
	r.admin(r.db, "CREATE TABLE theirs (a serial); INSERT INTO theirs DEFAULT VALUES; CREATE SCHEMA closed; CREATE TABLE closed.t (a int); INSERT INTO "+
		"closed.t VALUES (2)")
	dump := r.dump()
	for _, want := range []string{"COPY public.mine", "COPY public.theirs", "COPY closed.t", "lowrite"} {
		if !strings.Contains(dump, want) {
			t.Errorf("the dump is without %s", want)
		}
	}
	if res := r.restore(dump, true); res.State != wire.StateSucceeded {
		t.Errorf("proof: %s %s", res.Reason, res.Output)
	}
	res := r.restore(dump, false)
	if want := "the backup of shop: the database " + r.db + " belongs to postgres, an administrator of PostgreSQL"; res.State != wire.StateFailed ||
		!strings.HasPrefix(res.Reason, want) {
		t.Errorf("restore: %s %s", res.State, res.Reason)
	}
	r.clean()
	r.admin("postgres", "ALTER DATABASE "+r.db+" OWNER TO "+r.db)
}

// The next run drops the leftovers of a run that died and was never recovered.
func TestEnginesLeftoverIsDropped(t *testing.T) {
	for _, engine := range engines(t) {
		t.Run(engine, func(t *testing.T) {
			r := newRoom(t, engine)
			old := newLogin(time.Now().Add(-time.Hour)).name
			r.tenant("CREATE TABLE t (a int);")
			if engine == wire.EnginePostgres {
				r.admin("postgres", "CREATE ROLE "+old+" LOGIN")
				r.admin(r.db, "GRANT SELECT ON t TO "+old)
			} else {
				r.admin("", "CREATE USER "+old+"@localhost; GRANT SELECT ON "+r.db+".* TO "+old+"@localhost")
			}
			r.dump()
			r.clean()
		})
	}
}

// A tenant's code runs wherever a table is filled, an index built or a view refreshed, and each tries to gain the rights of others.
func TestEnginesSchemaBecomesTheAdministrator(t *testing.T) {
	if !slices.Contains(engines(t), wire.EnginePostgres) {
		t.Skip("of PostgreSQL")
	}
	r := newRoom(t, wire.EnginePostgres)
	const canary = "/tmp/canary-schema"
	var grab strings.Builder
	for _, as := range []string{"SELECT 1", "RESET ROLE", "RESET SESSION AUTHORIZATION", "SET ROLE postgres", "SET SESSION AUTHORIZATION postgres"} {
		for _, sql := range []string{
			as, "ALTER ROLE " + r.db + " SUPERUSER", "CREATE ROLE evil SUPERUSER",
			"GRANT pg_execute_server_program TO " + r.db, "COPY (SELECT 1) TO PROGRAM ''touch " + canary + "''",
		} {
			grab.WriteString("BEGIN EXECUTE '" + sql + "'; EXCEPTION WHEN OTHERS THEN NULL; END;\n")
		}
	}
	r.tenant("CREATE FUNCTION take(t text) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $f$ BEGIN " + grab.String() + " RETURN 1; END $f$;\n" +
		"CREATE FUNCTION taker() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN " + grab.String() + " RETURN NEW; END $f$;\n" +
		"CREATE TABLE checked (t text CHECK (take(t) = 1), g int GENERATED ALWAYS AS (take(t)) STORED); INSERT INTO checked VALUES ('a');\n" +
		"CREATE TABLE indexed (t text); INSERT INTO indexed VALUES ('a'); CREATE INDEX ON indexed (take(t));\n" +
		"CREATE MATERIALIZED VIEW seen AS SELECT take('a');\n" +
		"CREATE TABLE watched (t text); INSERT INTO watched VALUES ('a'); CREATE TRIGGER taken BEFORE INSERT ON watched FOR EACH ROW EXECUTE FUNCTION " +
		"taker(); ALTER TABLE watched ENABLE ALWAYS TRIGGER taken;\n" +
		"CREATE TABLE hidden (t text); INSERT INTO hidden VALUES ('a'); ALTER TABLE hidden ENABLE ROW LEVEL SECURITY; ALTER TABLE hidden FORCE ROW LEVEL " +
		"SECURITY; CREATE POLICY p ON hidden USING (take(t) = 2);\n" +
		"CREATE SCHEMA evil; CREATE FUNCTION evil.eq(a name, b text) RETURNS boolean LANGUAGE plpgsql AS $f$ BEGIN " + grab.String() +
		" RETURN true; END $f$; CREATE OPERATOR evil.= (LEFTARG = name, RIGHTARG = text, FUNCTION = evil.eq);\n" +
		"CREATE FUNCTION evil.has_schema_privilege(a name, b oid, c text) RETURNS boolean LANGUAGE plpgsql AS $f$ BEGIN " + grab.String() +
		" RETURN false; END $f$;\n" +
		"CREATE FUNCTION evil.format(a text, b name, c name) RETURNS text LANGUAGE plpgsql AS $f$ BEGIN " + grab.String() + " RETURN 'SELECT 1'; END $f$;\n" +
		"ALTER DATABASE " + r.db + " SET search_path = evil, pg_catalog, public; ALTER DATABASE " + r.db +
		" SET standard_conforming_strings = off; ALTER DATABASE " + r.db + " SET default_transaction_read_only = on;\n")
	dump := r.dump()
	for _, proof := range []bool{true, false} {
		if res := r.restore(dump, proof); res.State != wire.StateSucceeded {
			t.Errorf("proof %v: %s %s", proof, res.Reason, res.Output)
		}
	}
	r.clean()
	if got := r.admin("postgres", "SELECT string_agg(rolname, ' ') FROM pg_roles WHERE rolsuper OR rolname = 'evil' OR pg_has_role('"+r.db+
		"', oid, 'MEMBER') AND rolname <> '"+r.db+"'"); got != "postgres" {
		t.Errorf("roles are %s", got)
	}
	if _, err := os.Stat(canary); err == nil {
		t.Errorf("%s was made", canary)
	}
	if got := r.admin(r.db, "SELECT count(*) FROM public.hidden"); got != "1" {
		t.Errorf("restored are %s rows behind a policy", got)
	}
}

// everyKind has an object of each kind that a schema of PostgreSQL can have.
const everyKind = `CREATE EXTENSION citext;
CREATE TYPE pair AS (a int, b text); CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE DOMAIN positive AS int CHECK (VALUE > 0); CREATE TYPE span AS RANGE (subtype = int);
CREATE TABLE users (id serial PRIMARY KEY, email citext, mood mood, p positive, pairs pair);
INSERT INTO users (email, mood, p) VALUES ('A@example.com', 'good', 7);
CREATE TABLE parts (a int) PARTITION BY RANGE (a); CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10);
INSERT INTO parts VALUES (1);
CREATE VIEW emails AS SELECT email FROM users; CREATE MATERIALIZED VIEW counted AS SELECT count(*) FROM users; CREATE SEQUENCE numbers;
CREATE FUNCTION twice(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 2 * $1'; CREATE PROCEDURE nothing() LANGUAGE sql AS 'SELECT 1';
CREATE FUNCTION moods(mood) RETURNS int LANGUAGE sql AS 'SELECT 1'; CREATE AGGREGATE total(int) (SFUNC = int4pl, STYPE = int);
CREATE FUNCTION near(int, int) RETURNS boolean LANGUAGE sql AS 'SELECT abs($1 - $2) < 2';
CREATE OPERATOR ~~~ (LEFTARG = int, RIGHTARG = int, FUNCTION = near);
CREATE COLLATION plain FROM "C"; CREATE STATISTICS both_columns ON id, p FROM users; CREATE TEXT SEARCH CONFIGURATION words (COPY = simple);
CREATE TEXT SEARCH DICTIONARY dictionary (TEMPLATE = simple); CREATE TABLE "odd ""table" ("a b" int);
CREATE SCHEMA other; CREATE TABLE other.t (a int);
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT ON TABLES TO PUBLIC;
`

// An administrator's extensions of Hostler's list come back with a proof, and stay when a database is replaced, with everything else
// in their schema as it was in the dump. A database that does not have one gets none from a dump: that would run its script as the
// administrator among the objects of a tenant.
func TestEnginesRestoreExtensions(t *testing.T) {
	if !slices.Contains(engines(t), wire.EnginePostgres) {
		t.Skip("of PostgreSQL")
	}
	r := newRoom(t, wire.EnginePostgres)
	r.admin(r.db, "CREATE EXTENSION pg_stat_statements")
	tenant := everyKind
	for _, name := range []string{"postgis", "vector"} {
		if r.admin("postgres", "SELECT count(*) FROM pg_available_extensions WHERE name = '"+name+"'") == "0" {
			t.Log("without " + name)
			continue
		}
		r.admin(r.db, "CREATE EXTENSION "+name)
		if name == "postgis" {
			r.admin(r.db, "INSERT INTO spatial_ref_sys (srid, auth_name) VALUES (990000, 'ours')")
			tenant += "CREATE TABLE shops (at geometry(Point, 4326)); INSERT INTO shops VALUES (ST_SetSRID(ST_MakePoint(1, 2), 4326)); " +
				"CREATE INDEX ON shops USING gist (at);\n"
		} else {
			tenant += "CREATE TABLE texts (v vector(3)); INSERT INTO texts VALUES ('[1,2,3]'); CREATE INDEX ON texts USING hnsw (v vector_l2_ops);\n"
		}
	}
	r.tenant(tenant)
	dump := r.dump()
	for _, proof := range []bool{true, false, false} {
		r.tenant("CREATE TABLE IF NOT EXISTS late (a int)")
		if res := r.restore(dump, proof); res.State != wire.StateSucceeded {
			t.Fatalf("proof %v: %s %s", proof, res.Reason, res.Output)
		}
	}
	r.clean()
	after := func(s string) string { // how the server names this dump, and when, differs
		var out []string
		for line := range strings.Lines(s) {
			if !strings.HasPrefix(line, "-- Dump completed") && !strings.HasPrefix(line, `\restrict`) && !strings.HasPrefix(line, `\unrestrict`) {
				out = append(out, line)
			}
		}
		return strings.Join(out, "")
	}
	if again := r.dump(); after(again) != after(dump) {
		_ = os.WriteFile("/tmp/before.sql", []byte(dump), 0o600)
		_ = os.WriteFile("/tmp/after.sql", []byte(again), 0o600)
		t.Error("what was restored is dumped otherwise: compare /tmp/before.sql and /tmp/after.sql")
	}
	other := newRoom(t, wire.EnginePostgres)
	other.tenant("CREATE TABLE kept (a int)")
	if res := other.restore(dump, false); res.State == wire.StateSucceeded || !strings.Contains(res.Reason, "Add it to the database") {
		t.Errorf("into a database without them: %s %s", res.State, res.Reason)
	}
	if got := other.tenant("SELECT count(*) FROM kept"); got != "0" {
		t.Errorf("what was in the database: %s", got)
	}
	other.clean()
}
