package database

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/test/edge/mariatest"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m, mariatest.Stop) }

// cluster is a real PostgreSQL whose users any test account can become.
type cluster struct {
	t    *testing.T
	host string
}

func newCluster(t *testing.T) cluster {
	t.Helper()
	u, err := url.Parse(pgtest.Database(t, "empty", nil))
	if err != nil {
		t.Fatal(err)
	}
	return cluster{t, u.Query().Get("host")}
}

func (s cluster) psql(env map[string]string, argv []string, stdin string) (string, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "PGHOST="+s.host)
	for k, v := range env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// does runs steps as the agent would.
func (s cluster) does(steps ...wire.Step) string {
	s.t.Helper()
	var all strings.Builder
	for _, step := range steps {
		env := map[string]string{"PGUSER": "postgres"}
		for k, v := range step.Exec.Env {
			env[k] = v
		}
		out, err := s.psql(env, step.Exec.Argv[4:], string(step.Exec.Stdin)) // without runuser
		if err != nil {
			s.t.Fatalf("%s: %v %s\n%s", step.Name, err, out, step.Exec.Stdin)
		}
		for _, refuse := range step.Exec.Refuse {
			if strings.Contains(out, refuse) {
				s.t.Fatalf("%s: %s", step.Name, out)
			}
		}
		all.WriteString(out)
	}
	return all.String()
}

// as runs SQL as an account.
func (s cluster) as(user, database, sql string) string {
	s.t.Helper()
	out, err := s.psql(nil, []string{"psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-U", user, "-d", database, "-f", "-"}, sql)
	if err != nil {
		s.t.Fatalf("as %s: %s: %v %s", user, sql, err, out)
	}
	return out
}

// wantNoPower fails the test if there is another superuser than the administrator.
func (s cluster) wantNoPower(after string) {
	s.t.Helper()
	if got := s.as("postgres", "postgres",
		"SELECT string_agg(rolname, ' ') FROM pg_catalog.pg_roles WHERE rolsuper OR rolcreaterole OR rolname = 'evil'"); got != "postgres" {
		s.t.Errorf("after %s superusers are %s", after, got)
		s.as("postgres", "postgres", "ALTER ROLE app NOSUPERUSER")
	}
}

// planted returns functions and operators of a tenant's, under the names that an administrator's SQL uses, before pg_catalog in the search path.
func planted(database string) string {
	const grab = "BEGIN EXECUTE 'ALTER ROLE app SUPERUSER'; EXCEPTION WHEN OTHERS THEN NULL; END;"
	var b strings.Builder
	b.WriteString("CREATE SCHEMA evil; ")
	f := func(signature, returns, value string) {
		fmt.Fprintf(&b, "CREATE FUNCTION evil.%s RETURNS %s LANGUAGE plpgsql AS $f$ BEGIN %s RETURN %s; END $f$; ", signature, returns, grab, value)
	}
	for i, types := range []string{"name text", "name name", "text text", "oid oid"} {
		left, right, _ := strings.Cut(types, " ")
		f(fmt.Sprintf("eq%d(a %s, b %s)", i, left, right), "boolean", "a::text OPERATOR(pg_catalog.=) b::text")
		fmt.Fprintf(&b, "CREATE OPERATOR evil.= (LEFTARG = %s, RIGHTARG = %s, FUNCTION = evil.eq%d); ", left, right, i)
		f(fmt.Sprintf("ne%d(a %s, b %s)", i, left, right), "boolean", "a::text OPERATOR(pg_catalog.<>) b::text")
		fmt.Fprintf(&b, "CREATE OPERATOR evil.<> (LEFTARG = %s, RIGHTARG = %s, FUNCTION = evil.ne%d); ", left, right, i)
	}
	f("notlike(a name, b text)", "boolean", "true")
	b.WriteString("CREATE OPERATOR evil.!~~ (LEFTARG = name, RIGHTARG = text, FUNCTION = evil.notlike); ")
	f("format(a text, b name)", "text", "'SELECT 1'")
	f("format(a text, b text)", "text", "'SELECT 1'")
	f("pg_get_userbyid(a oid)", "name", "'postgres'::name")
	f("current_database()", "name", "'"+database+"'::name")
	f("shobj_description(a oid, b name)", "text", "''::text")
	b.WriteString("CREATE VIEW evil.pg_roles AS SELECT *, evil.current_database() AS taken FROM pg_catalog.pg_roles; CREATE VIEW evil.pg_database AS " +
		"SELECT *, evil.current_database() AS taken FROM pg_catalog.pg_database; ")
	b.WriteString("CREATE VIEW evil.pg_namespace AS SELECT *, evil.current_database() AS taken FROM pg_catalog.pg_namespace; GRANT USAGE ON SCHEMA evil " +
		"TO PUBLIC; ")
	fmt.Fprintf(&b, "ALTER DATABASE %s SET search_path = evil, pg_catalog, public; ALTER DATABASE %s SET standard_conforming_strings = off; ", database, database)
	return b.String()
}

// Whatever is done to a database and its accounts, the administrator resolves no name to an object of the tenant.
func TestDeletedUserMakesASuperuser(t *testing.T) { // not parallel: superusers belong to the cluster
	s, e := newCluster(t), postgres{}
	shop := schema{id: 1, name: Name{"shop"}}
	app, guest := user{id: 1, name: Account{"app"}, host: anywhere}, user{id: 2, name: Account{"guest"}, host: anywhere}
	s.does(e.createDatabase(shop, nil)...)
	s.does(e.createUser(app, "secret", []schema{shop})...)
	s.does(e.createUser(guest, "secret", []schema{shop})...)
	s.as("app", "shop", planted("shop"))
	for _, work := range []struct {
		name  string
		steps []wire.Step
	}{
		{"making the database again", e.createDatabase(shop, []user{app})},
		{"letting an account in", e.grant(guest, []schema{shop}, nil)},
		{"adopting it", e.grant(guest, []schema{{id: 1, name: shop.name, adopted: true}}, nil)},
		{"looking", []wire.Step{e.ask(), e.inventory(nil)}},
		{"a deletion", e.dropUser(guest, []schema{shop}, nil)},
		{"a deletion of what is gone", e.dropUser(guest, []schema{shop}, nil)},
		{"the database's end", e.dropDatabase(shop, []user{app}, false)},
	} {
		s.does(work.steps...)
		s.wantNoPower(work.name)
	}
	s.does(e.dropUser(app, nil, nil)...)
}

// A function that runs with its owner's rights is not given to the administrator, who owns a database that was found.
func TestDeletedUserLeavesAFunctionToTheAdministrator(t *testing.T) {
	s, e := newCluster(t), postgres{}
	s.as("postgres", "postgres", "CREATE DATABASE found")
	s.as("postgres", "found", "GRANT CREATE ON SCHEMA public TO PUBLIC")
	found := schema{id: 7, name: Name{"found"}, adopted: true}
	one, two := user{id: 11, name: Account{"one"}, host: anywhere}, user{id: 12, name: Account{"two"}, host: anywhere}
	s.does(e.createUser(one, "secret", []schema{found})...)
	s.does(e.createUser(two, "secret", []schema{found})...)
	s.as("one", "found", "SET ROLE none; CREATE FUNCTION public.deed() RETURNS void SECURITY DEFINER LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'ALTER ROLE "+
		"two SUPERUSER'; END $$; CREATE TABLE public.left_behind (a int)")
	s.does(e.dropUser(one, []schema{found}, nil)...)
	if out, err := s.psql(nil, []string{"psql", "-XAtq", "-U", "two", "-d", "found", "-c", "SELECT public.deed()"}, ""); err == nil {
		t.Errorf("the function of who is gone runs: %s", out)
	}
	if got := s.as("postgres", "found",
		"SELECT string_agg(DISTINCT pg_get_userbyid(o), ' ') FROM (SELECT proowner FROM pg_proc WHERE proname = 'deed' UNION SELECT relowner FROM pg_class "+
			"WHERE relname = 'left_behind') x (o)"); got != "hostler_rw_7" {
		t.Errorf("what was left belongs to %s", got)
	}
	if got := s.as("postgres", "found", "SELECT rolsuper FROM pg_roles WHERE rolname = 'two'"); got != "f" {
		t.Error("the tenant is superuser")
	}
	s.does(e.dropDatabase(found, nil, false)...)
	s.does(e.dropUser(two, nil, nil)...)
}
