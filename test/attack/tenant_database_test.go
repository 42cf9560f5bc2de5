package attack_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/s3"
)

// vault is a storage and a backup configuration of a tenant's database.
type vault struct {
	w  *TenantWorld
	h  *TenantHost
	at string
	id string // of the database
}

func newVault(t *testing.T, n *Tenant) *vault {
	t.Helper()
	w, h := n.host.world, n.host
	bucket := s3.Start(t, "vault")
	provider := w.Want(t, http.StatusCreated, http.MethodPost, "/storage-providers", bucket.Provider(h.Host.Bed().Gateway, "vault", "tenants")).Data
	conf := w.Want(t, http.StatusAccepted, http.MethodPost, h.Path("/database/backups"), map[string]any{
		"storage_provider_id": integer(t, provider.ID), "frequency": "daily", "time": "02:00",
		"database_ids": []int{integer(t, n.Schema.ID)}, "retention": 5, "name": "vault",
	})
	v := &vault{w: w, h: h, at: h.Path("/database/backups/" + conf.Data.ID), id: n.Schema.ID}
	t.Cleanup(func() {
		w.Want(t, http.StatusAccepted, http.MethodDelete, v.at, nil)
		w.Want(t, http.StatusNoContent, http.MethodDelete, "/storage-providers/"+provider.ID, nil)
	})
	return v
}

func integer(t testing.TB, id string) int {
	t.Helper()
	n, err := strconv.Atoi(id)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// done waits for the work behind an answer.
func (v *vault) done(t *testing.T, what string, answer panel.Answer) {
	t.Helper()
	event := answer.Header.Get("X-Hostler-Event")
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		var state, reason string
		if err := v.w.DB(t).QueryRow(`SELECT state, reason FROM operations WHERE event_id = $1`, event).Scan(&state, &reason); err != nil {
			t.Fatal(err)
		}
		switch {
		case state == "succeeded":
			return
		case state != "pending" && state != "running":
			t.Fatalf("%s %s: %s", what, state, reason)
		case time.Now().After(deadline):
			t.Fatalf("%s does not end: %s %s", what, state, reason)
		}
	}
}

// round backs up, proves and restores.
func (v *vault) round(t *testing.T) {
	t.Helper()
	answer := v.w.Want(t, http.StatusAccepted, http.MethodPost, v.at+"/instances", nil)
	v.done(t, "the backup", answer)
	instance := v.at + "/instances/" + answer.Data.ID
	var o struct {
		Data struct {
			Attributes struct{ Status string }
			Meta       struct{ Backup struct{ Reason string } }
		}
	}
	if err := json.Unmarshal([]byte(v.w.Want(t, http.StatusOK, http.MethodGet, instance, nil).Body), &o); err != nil || o.Data.Attributes.Status != "finished" {
		t.Fatalf("the backup is %+v: %v", o, err)
	}
	v.done(t, "the proof", v.w.Want(t, http.StatusAccepted, http.MethodPost, instance+"/proofs", nil))
	v.done(t, "the restore", v.w.Want(t, http.StatusAccepted, http.MethodPost, instance+"/restores", map[string]any{"database_id": integer(t, v.id)}))
}

// noPower fails the test if a tenant became more in PostgreSQL than it was, or if anything of a run is left.
func (h *TenantHost) noPower(t *testing.T) {
	t.Helper()
	if got := h.rootSQL(t, "postgres",
		"SELECT string_agg(rolname, ' ') FROM pg_roles WHERE rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls OR rolname LIKE "+
			"'hostler\\_run%'"); got != "postgres" {
		t.Errorf("more than the administrator, or left of a run: %s", got)
	}
	if got := h.rootSQL(t, "postgres",
		"SELECT string_agg(m.rolname || ' in ' || r.rolname, ' ') FROM pg_auth_members JOIN pg_roles m ON m.oid = member JOIN pg_roles r ON r.oid = roleid "+
			"WHERE r.rolname NOT LIKE 'hostler%' AND m.rolname NOT LIKE 'pg\\_%'"); got != "" {
		t.Errorf("members of others: %s", got)
	}
	if got := h.rootSQL(t, "postgres", "SELECT string_agg(datname, ' ') FROM pg_database WHERE datname LIKE 'hostler%'"); got != "" {
		t.Errorf("left of a run: %s", got)
	}
}

// grab returns what a tenant's function tries, each separately, as the calling account.
func grab(tenant, canary string) string {
	var b strings.Builder
	b.WriteString("\nBEGIN\n")
	try := func(sql string) {
		b.WriteString("BEGIN EXECUTE " + quote(sql) + "; EXCEPTION WHEN OTHERS THEN NULL; END;\n")
	}
	for _, as := range []string{"SELECT 1", "RESET ROLE", "RESET SESSION AUTHORIZATION", "SET ROLE postgres", "SET SESSION AUTHORIZATION postgres"} {
		try(as)
		try("ALTER ROLE " + tenant + " SUPERUSER CREATEROLE")
		try("GRANT pg_execute_server_program TO " + tenant)
		try("GRANT hostler_rw_1, hostler_rw_2, hostler_rw_3, hostler_rw_4 TO " + tenant)
		try("CREATE ROLE evil SUPERUSER")
		try("COPY (SELECT 1) TO PROGRAM 'touch " + canary + "-program /tmp/canary-program'")
		try("COPY (SELECT 1) TO '" + canary + "-file'")
	}
	return b.String()
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// Alice's schema runs code of hers wherever a table is filled, an index built or a view refreshed; the backup, the weekly proof and a restore do all
// of that.
func TestDumpBecomesSuperuser(t *testing.T) {
	w := tenantWorld(t)
	h := w.Postgres
	n := h.Alice
	grab := grab(n.Database, h.RootCanary)
	n.sql(t, "SET client_min_messages = error; CREATE FUNCTION take(t text) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $f$"+grab+"RETURN 1; END $f$; "+
		"CREATE FUNCTION taker() RETURNS trigger LANGUAGE plpgsql AS $f$"+grab+"RETURN NEW; END $f$; "+
		"CREATE FUNCTION text_of() RETURNS text LANGUAGE sql AS $f$\n/*\nCOPY secrets FROM stdin;\n\\! touch "+h.RootCanary+
		"-body /tmp/canary-body\n\\.\n*/ SELECT 'x' $f$; "+
		"CREATE TABLE checked (t text CHECK (take(t) = 1), g int GENERATED ALWAYS AS (take(t)) STORED); INSERT INTO checked VALUES ('a'); "+
		"CREATE TABLE indexed (t text); INSERT INTO indexed VALUES ('a'); CREATE INDEX ON indexed (take(t)); "+
		"CREATE TABLE watched (t text); INSERT INTO watched VALUES ('a'); CREATE TRIGGER taken BEFORE INSERT OR UPDATE ON watched FOR EACH ROW EXECUTE "+
		"FUNCTION taker(); ALTER TABLE watched ENABLE ALWAYS TRIGGER taken; "+
		"CREATE MATERIALIZED VIEW seen AS SELECT take('a'); "+
		"CREATE TABLE hidden (t text DEFAULT take('a')::text); ALTER TABLE hidden ENABLE ROW LEVEL SECURITY; ALTER TABLE hidden FORCE ROW LEVEL SECURITY; "+
		"CREATE POLICY mine ON hidden USING (take(t) = 1); "+
		"COMMENT ON TABLE checked IS E'a\\nCOPY public.checked (t) FROM stdin;\\n\\\\! touch "+h.RootCanary+"-comment /tmp/canary-comment\\n\\\\.\\n'; ")
	t.Cleanup(func() {
		n.sql(t, "SET client_min_messages = error; DROP TABLE checked, indexed, watched, hidden CASCADE; DROP MATERIALIZED VIEW seen; DROP FUNCTION take, "+
			"taker, text_of")
	})
	newVault(t, n).round(t)
	h.noPower(t)
	if got := n.sql(t, "SELECT (SELECT count(*) FROM checked) + (SELECT count(*) FROM indexed) + (SELECT count(*) FROM watched)"); got != "3" {
		t.Errorf("restored are %s rows", got)
	}
	if got := n.sql(t, "SELECT word FROM secrets"); got != n.Secret {
		t.Errorf("restored is %q", got)
	}
	if out, err := h.Host.TryExec("sh", "-c", "ls /tmp/canary-*"); err == nil {
		t.Errorf("made were %s", out)
	}
	w.unharmed(t)
}

// planted makes functions and operators in a schema before pg_catalog in the search path of the database, under the names that administrators'
// SQL uses.
func planted(n *Tenant, canary string) string {
	var b strings.Builder
	b.WriteString("SET client_min_messages = error; CREATE SCHEMA evil; ")
	f := func(signature, returns, value string) {
		fmt.Fprintf(&b, "CREATE FUNCTION evil.%s RETURNS %s LANGUAGE plpgsql AS $f$%sRETURN %s; END $f$; ", signature, returns, grab(n.Database, canary), value)
	}
	f("eq(a name, b text)", "boolean", "a::text OPERATOR(pg_catalog.=) b")
	b.WriteString("CREATE OPERATOR evil.= (LEFTARG = name, RIGHTARG = text, FUNCTION = evil.eq); ")
	f("eqn(a name, b name)", "boolean", "a::text OPERATOR(pg_catalog.=) b::text")
	b.WriteString("CREATE OPERATOR evil.= (LEFTARG = name, RIGHTARG = name, FUNCTION = evil.eqn); ")
	f("ne(a name, b text)", "boolean", "NOT (a::text OPERATOR(pg_catalog.=) b)")
	b.WriteString("CREATE OPERATOR evil.<> (LEFTARG = name, RIGHTARG = text, FUNCTION = evil.ne); ")
	f("notlike(a name, b text)", "boolean", "true")
	b.WriteString("CREATE OPERATOR evil.!~~ (LEFTARG = name, RIGHTARG = text, FUNCTION = evil.notlike); ")
	f("format(a text, b name)", "text", "'SELECT 1'")
	f("format(a text, b name, c name)", "text", "'SELECT 1'")
	f("pg_get_userbyid(a oid)", "name", "'postgres'")
	f("current_database()", "name", "'"+n.Database+"'")
	f("has_table_privilege(a name, b oid, c text)", "boolean", "true")
	f("count(a oid)", "bigint", "1")
	b.WriteString("CREATE VIEW evil.pg_roles AS SELECT *, evil.current_database() AS taken FROM pg_catalog.pg_roles; CREATE VIEW evil.pg_database AS " +
		"SELECT *, evil.current_database() AS taken FROM pg_catalog.pg_database; ")
	fmt.Fprintf(&b, "ALTER DATABASE %s SET search_path = evil, pg_catalog, public; ALTER DATABASE %s SET standard_conforming_strings = off; ALTER "+
		"DATABASE %s SET default_transaction_read_only = on; ", n.Database, n.Database, n.Database)
	return b.String()
}

// Whatever an administrator's session looks for in Alice's database, it does not find hers: a user is deleted, a database is let to another,
// synchronized, backed up, proven, restored and deleted.
func TestDeletedUserLeavesASuperuser(t *testing.T) {
	w := tenantWorld(t)
	h := w.Postgres
	n := h.tenantDatabase(t, "planter")
	n.sql(t, planted(n, h.RootCanary))
	v := newVault(t, n)
	guest := w.Want(t, http.StatusAccepted, http.MethodPost, h.Path("/database/users"), map[string]any{
		"name": "guest", "password": "guestguest", "database_ids": []int{integer(t, n.Schema.ID)},
	})
	v.done(t, "the account", guest)
	other := &Tenant{host: h, User: "forge", Home: "/home/forge", Database: "guest", Password: "guestguest"}
	if out, err := other.trySQL(n.Database,
		"SET transaction_read_only = off; SET ROLE none; SET search_path = pg_catalog; CREATE TABLE public.left_behind (a int); CREATE FUNCTION "+
			"public.deed() RETURNS int SECURITY DEFINER LANGUAGE plpgsql AS $f$"+grab(n.Database, h.RootCanary)+"RETURN 1; END $f$"); err != nil {
		t.Fatalf("the guest leaves something: %v %s", err, out)
	}
	v.round(t)
	h.noPower(t)
	v.done(t, "the deletion of an account", w.Want(t, http.StatusAccepted, http.MethodDelete, h.Path("/database/users/"+guest.Data.ID), nil))
	h.noPower(t)
	if out, err := n.trySQL(n.Database, "SELECT public.deed()"); err != nil {
		t.Logf("what was left: %v %s", err, out) // it may have been dropped
	}
	h.noPower(t)
	v.done(t, "the synchronization", w.Want(t, http.StatusAccepted, http.MethodPost, h.Path("/database/schemas/synchronizations"), nil))
	h.noPower(t)
	v.done(t, "the deletion of a database", w.Want(t, http.StatusAccepted, http.MethodDelete, h.Path("/database/schemas/"+n.Schema.ID), nil))
	h.noPower(t)
	w.unharmed(t)
}

// tenantDatabase returns a database with an account, without a site.
func (h *TenantHost) tenantDatabase(t *testing.T, name string) *Tenant {
	t.Helper()
	n := &Tenant{host: h, User: "forge", Home: "/home/forge", Database: name, Password: "pw" + random(t)}
	n.Schema = h.world.Want(t, http.StatusAccepted, http.MethodPost, h.Path("/database/schemas"),
		map[string]any{"name": name, "user": name, "password": n.Password}).Data
	if r := h.world.Settled(t, 2*time.Minute, h.Path("/database/schemas/"+n.Schema.ID)); r.Text("status") != "installed" {
		t.Fatalf("the database %s is %s", name, r.Text("status"))
	}
	for _, r := range h.world.Want(t, http.StatusOK, http.MethodGet, h.Path("/database/users"), nil).List {
		if r.Text("name") == name {
			h.world.Settled(t, time.Minute, h.Path("/database/users/"+r.ID))
			n.Account = r
			t.Cleanup(func() { h.world.Want(t, http.StatusAccepted, http.MethodDelete, h.Path("/database/users/"+r.ID), nil) })
		}
	}
	return n
}

// Views, routines, triggers and events of Alice's database run as the account of her database after a restore, never as root or
// as their original definer.
func TestDumpDefinesAsRoot(t *testing.T) {
	w := tenantWorld(t)
	h := w.MariaDB
	n := h.Alice
	n.sql(t, "CREATE FUNCTION peek() RETURNS text SQL SECURITY INVOKER RETURN (SELECT word FROM "+h.Bob.Database+".secrets LIMIT 1)")
	n.sql(t, "CREATE PROCEDURE who() SELECT CURRENT_USER()")
	n.sql(t, "CREATE SQL SECURITY INVOKER VIEW looked AS SELECT peek() AS word")
	n.sql(t, "CREATE TABLE log (at_ varchar(200))")
	n.sql(t, "CREATE TRIGGER named BEFORE INSERT ON log FOR EACH ROW SET NEW.at_ = CURRENT_USER()")
	n.sql(t, "CREATE EVENT tick ON SCHEDULE EVERY 1 SECOND DO INSERT INTO log VALUES ('')")
	h.rootSQL(t, n.Database, "CREATE VIEW asroot AS SELECT 1; CREATE PROCEDURE byroot() SELECT CURRENT_USER()") // as a restore of an older version left them
	t.Cleanup(func() {
		h.rootSQL(t, n.Database, "DROP FUNCTION peek; DROP PROCEDURE who; DROP VIEW looked; DROP TABLE log; DROP EVENT tick; DROP VIEW asroot; DROP PROCEDURE byroot")
	})
	newVault(t, n).round(t)
	definers := h.rootSQL(t, "mysql",
		"SELECT DISTINCT d FROM (SELECT definer d FROM information_schema.views WHERE table_schema = '"+n.Database+
			"' UNION SELECT definer FROM information_schema.routines WHERE routine_schema = '"+
			n.Database+"' UNION SELECT definer FROM information_schema.triggers WHERE trigger_schema = '"+n.Database+
			"' UNION SELECT definer FROM information_schema.events WHERE event_schema = '"+n.Database+"') x")
	if !strings.HasPrefix(definers, "hostler_rw_") || strings.Contains(definers, "\n") {
		t.Errorf("definers are %q", definers)
	}
	account, _, _ := strings.Cut(definers, "@")
	if got := h.rootSQL(t, "mysql", "SELECT GROUP_CONCAT(Db) FROM db WHERE User = '"+account+"'"); strings.ReplaceAll(got, `\`, "") != n.Database {
		t.Errorf("the definer may use %q", got)
	}
	if got := h.rootSQL(t, "mysql",
		"SELECT JSON_VALUE(Priv, '$.account_locked'), JSON_VALUE(Priv, '$.access') FROM global_priv WHERE User = '"+account+"'"); !strings.HasPrefix(got,
		"1\t0") && !strings.HasPrefix(got, "true\t0") {
		t.Errorf("the definer is locked, and may: %q", got)
	}
	for _, sql := range []string{"SELECT * FROM looked", "SELECT peek()"} {
		if out, err := n.trySQL(n.Database, sql); err == nil {
			t.Errorf("%s answers %s", sql, out)
		}
	}
	if got := n.sql(t, "CALL who()"); !strings.HasPrefix(got, "hostler_rw_") {
		t.Errorf("the procedure runs as %q", got)
	}
	n.sql(t, "INSERT INTO log VALUES ('x')")
	if got := n.sql(t, "SELECT DISTINCT at_ FROM log"); !strings.HasPrefix(got, "hostler_rw_") {
		t.Errorf("the trigger runs as %q", got)
	}
	if got := n.sql(t, "SELECT word FROM secrets"); got != n.Secret {
		t.Errorf("restored is %q", got)
	}
	if got := h.rootSQL(t, "mysql", "SELECT GROUP_CONCAT(User) FROM user WHERE User LIKE 'hostler\\_run%'"); got != "NULL" {
		t.Errorf("left of a run: %s", got)
	}
	w.unharmed(t)
}
