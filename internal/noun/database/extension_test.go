package database

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// ask parses what an inventory says of databases.
func (s cluster) ask(within ...schema) found {
	s.t.Helper()
	f, err := parseInventory(PostgreSQL, s.does(postgres{}.inventory(within))+"\n")
	if err != nil {
		s.t.Fatal(err)
	}
	return f
}

// fails runs a step that has to fail, and returns what the engine says.
func (s cluster) fails(e *wire.Exec) string {
	s.t.Helper()
	env := map[string]string{"PGUSER": "postgres"}
	for k, v := range e.Env {
		env[k] = v
	}
	out, err := s.psql(env, e.Argv[4:], string(e.Stdin))
	if err == nil {
		s.t.Fatalf("it succeeds: %s\n%s", out, e.Stdin)
	}
	return out
}

// withTenant returns a database whose account has put functions and operators into the schema public that match better than the
// engine's own.
func withTenant(t *testing.T, s cluster, id int64, name string) (schema, user) {
	t.Helper()
	e := postgres{}
	d, app := schema{id: id, name: Name{name}}, user{id: id, name: Account{"app_" + name}, host: anywhere}
	s.does(e.createDatabase(d, nil)...)
	s.does(e.createUser(app, "secret", []schema{d})...)
	t.Cleanup(func() {
		s.does(e.dropDatabase(d, []user{app}, false)...)
		s.does(e.dropUser(app, nil, nil)...)
	})
	return d, app
}

// An extension is in the schema public and can be used by the database's accounts, whatever else is in that schema, and no function of a
// tenant runs as the administrator while its script does. xml2 stands for those that can't be moved, such as postgis.
func TestExtensionsAreCreated(t *testing.T) {
	s, e := newCluster(t), postgres{}
	names := []string{"uuid-ossp", "citext", "hstore", "pg_stat_statements", "xml2"}
	for _, name := range []string{"postgis", "vector"} {
		if is, _ := filepath.Glob("/usr/share/postgresql/*/extension/" + name + ".control"); len(is) > 0 {
			names = append(names, name)
		}
	}
	d, app := withTenant(t, s, 21, "planted")
	s.as(app.name.text, "planted", strings.NewReplacer("CREATE SCHEMA evil; ", "", "evil", "public", "ROLE app ", "ROLE app_planted "+
		"").Replace(planted("planted")))
	s.as(app.name.text, "planted", "CREATE TABLE public.kept AS SELECT 1 AS one")
	s.does(wire.Step{Name: "extensions", Exec: e.extend(extended{schema: d, add: names})})
	s.does(wire.Step{Name: "the same again", Exec: e.extend(extended{schema: d, add: names})})
	missing := schema{id: 29, name: Name{"missing"}}
	repair := state{kind: PostgreSQL, engine: e, v: ledger.NewView(query.Server{DatabaseType: new("postgres")})}
	s.does(repair.extend([]extended{{schema: missing, add: []string{"citext"}}, {schema: d, add: names}}, true)...)
	if got := s.as("postgres", "postgres", "SELECT pg_catalog.string_agg(rolname, ' ') FROM pg_catalog.pg_roles WHERE "+
		"rolsuper"); got != "postgres" {
		t.Errorf("superusers are %s", got)
	}
	if has := s.ask(d).has("planted", names...); !slices.Equal(has, names) {
		t.Errorf("it has %q of %q", has, names)
	}
	for _, q := range []struct{ what, sql, want string }{
		{"schemas", "SELECT pg_catalog.string_agg(nspname OPERATOR(pg_catalog.||) ' of ' OPERATOR(pg_catalog.||) " +
			"nspowner::pg_catalog.regrole::text, ', ') " +
			"FROM pg_catalog.pg_namespace WHERE nspname OPERATOR(pg_catalog.!~) '^(pg_|information_schema)'", "public of pg_database_owner"},
		{"where they are", "SELECT DISTINCT extnamespace::pg_catalog.regnamespace FROM pg_catalog.pg_extension WHERE extname " +
			"OPERATOR(pg_catalog.<>) 'plpgsql'", "public"},
		{"those that can be moved", "SELECT pg_catalog.string_agg(extname, ' ') FROM pg_catalog.pg_extension WHERE extrelocatable AND " +
			"extname::text " +
			"OPERATOR(pg_catalog.=) ANY ('{xml2,postgis}')", ""},
		{"owners", "SELECT DISTINCT extowner::pg_catalog.regrole FROM pg_catalog.pg_extension WHERE extname::text " +
			"OPERATOR(pg_catalog.=) ANY ('{citext,uuid-ossp}')",
			"hostler_rw_21"},
		{"its table", "SELECT one FROM public.kept", "1"},
	} {
		if got := s.as("postgres", "planted", q.sql); got != q.want {
			t.Errorf("%s: %q, not %q", q.what, got, q.want)
		}
	}
	const reset = "SET search_path = public; "
	s.as(app.name.text, "planted", reset+"CREATE TABLE users (email citext, id uuid DEFAULT uuid_generate_v4()); INSERT INTO users "+
		"VALUES ('A@example.com')")
	if slices.Contains(names, "postgis") {
		s.as(app.name.text, "planted", reset+"CREATE TABLE shops (at geometry(Point, 4326)); INSERT INTO shops VALUES "+
			"(ST_SetSRID(ST_MakePoint(1, 2), 4326)); "+
			"SELECT ST_AsText(ST_Transform(at, 3857)) FROM shops")
	}
}

// One that something depends on stays, with all others that were to change, and the engine says what depends on it.
func TestExtensionsAreDropped(t *testing.T) {
	s, e := newCluster(t), postgres{}
	d, app := withTenant(t, s, 22, "dropped")
	s.does(wire.Step{Name: "extensions", Exec: e.extend(extended{schema: d, add: []string{"citext", "pg_trgm", "pg_stat_statements"}})})
	s.as(app.name.text, "dropped", "CREATE TABLE public.users (email public.citext)")
	said := s.fails(e.extend(extended{schema: d, add: []string{"hstore"}, drop: []string{"pg_trgm", "citext"}}))
	if !strings.Contains(said, "cannot drop extension citext because other objects depend on it") || !strings.Contains(said,
		"column email of table public.users") {
		t.Errorf("the engine says %s", said)
	}
	all := []string{"citext", "hstore", "pg_stat_statements", "pg_trgm"}
	if has := s.ask(d).has("dropped", all...); !slices.Equal(has, []string{"citext", "pg_stat_statements", "pg_trgm"}) {
		t.Errorf("after a refusal it has %q", has)
	}
	s.does(wire.Step{Name: "extensions", Exec: e.extend(extended{schema: d, add: []string{"hstore"}, drop: []string{"pg_trgm",
		"pg_stat_statements", "ltree"}})})
	if has := s.ask(d).has("dropped", all...); !slices.Equal(has, []string{"citext", "hstore"}) {
		t.Errorf("it has %q", has)
	}
}

// What is in the way of an extension is said, and nothing is changed.
func TestExtensionsAreRefused(t *testing.T) {
	s, e := newCluster(t), postgres{}
	d, app := withTenant(t, s, 23, "refused")
	s.as(app.name.text, "refused", "CREATE TYPE public.hstore AS (a int); CREATE SCHEMA hostler_public; CREATE FUNCTION "+
		"public.xpath_bool(text, text) RETURNS int "+
		"LANGUAGE sql AS 'SELECT 1'")
	for _, c := range []struct{ name, want string }{
		{"hstore", `type "hstore" already exists`},
		{"xml2", `schema "hostler_public" already exists`},
		{"nothing", "the server does not have the extension nothing"},
	} {
		if said := s.fails(e.extend(extended{schema: d, add: []string{"citext", c.name}})); !strings.Contains(said, c.want) {
			t.Errorf("%s: the engine says %s", c.name, said)
		}
	}
	s.as(app.name.text, "refused", "DROP SCHEMA hostler_public; DROP FUNCTION public.xpath_bool(text, text); CREATE FUNCTION "+
		"public.xml_valid(text) RETURNS bool "+
		"LANGUAGE sql AS 'SELECT true'")
	if said := s.fails(e.extend(extended{schema: d, add: []string{"xml2"}})); !strings.Contains(said, "xml_valid") {
		t.Errorf("the engine says %s", said)
	}
	if f := s.ask(d); !slices.Equal(f.extensions["refused"], []string{"plpgsql"}) {
		t.Errorf("it has %q", f.extensions["refused"])
	}
	if got := s.as("postgres", "refused", "SELECT string_agg(nspname, ' ') FROM pg_namespace WHERE nspname !~ "+
		"'^(pg_|information_schema)'"); got != "public" {
		t.Errorf("its schemas are %s", got)
	}
	s.as(app.name.text, "refused", "DROP SCHEMA public CASCADE")
	if said := s.fails(e.extend(extended{schema: d, add: []string{"citext"}})); !strings.Contains(said, `schema "public" does not exist`) {
		t.Errorf("without its schema the engine says %s", said)
	}
	s.as(app.name.text, "refused", "CREATE SCHEMA public")
	// The package of an extension that the engine does not have.
	if _, err := os.Stat("/usr/share/postgresql/15/extension/vector.control"); err == nil {
		return
	}
	if said := s.fails(e.extend(extended{schema: d, add: []string{"vector"}})); !strings.Contains(said, "postgresql-N-pgvector") {
		t.Errorf("the engine says %s", said)
	}
}
