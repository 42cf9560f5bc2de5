package edge

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

func (w *world) databases(server, below string) string {
	return "/orgs/acme/servers/" + server + "/database/" + below
}

// A server with an engine begins with the account of the sites, whose password is shown in that answer only, and its first database.
func TestDatabaseDefaults(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		for _, tt := range []struct {
			kind           string
			engine, wanted any
			first          string
		}{
			{"database", "postgres15", "postgres15", "first"}, {"database", nil, "mariadb", ""}, {"app", "mysql84", "mysql84", "shop"}, {"app", nil, nil, ""},
		} {
			body := serverBody("engine", tt.kind)
			if tt.engine != nil {
				body["database_type"] = tt.engine
			}
			if tt.first != "" {
				body["database"] = tt.first
			}
			key := Header("Idempotency-Key", tt.kind+tt.first)
			a := w.owner.Post("/orgs/acme/servers", body, key).Want(t, 202)
			if got := a.At("data", "attributes", "database_type"); got != tt.wanted {
				t.Errorf("%v: database_type is %v", tt, got)
			}
			var users, databases []string
			for i := range w.owner.Get(w.databases(a.ID(), "users")).Want(t, 200).IDs() {
				users = append(users, w.owner.Get(w.databases(a.ID(), "users")).Text("data", i, "attributes", "name"))
			}
			for i := range w.owner.Get(w.databases(a.ID(), "schemas")).Want(t, 200).IDs() {
				databases = append(databases, w.owner.Get(w.databases(a.ID(), "schemas")).Text("data", i, "attributes", "name"))
			}
			if tt.wanted == nil {
				if len(users)+len(databases) > 0 || strings.Contains(string(a.Body), "shown_once") {
					t.Errorf("without an engine there are %v %v: %s", users, databases, a.Body)
				}
				continue
			}
			password := a.Text("data", "meta", "shown_once", "password")
			if strings.Join(users, " ") != "forge" || strings.Join(databases, " ") != tt.first || len(password) < 20 {
				t.Errorf("%v: %v %v, password %q", tt, users, databases, password)
			}
			again := w.owner.Post("/orgs/acme/servers", body, key).Want(t, 202)
			if strings.Contains(string(again.Body), password) || again.At("data", "meta", "secret_shown") != true {
				t.Errorf("repeated: %s", again.Body)
			}
		}
		wantFields(t, w.owner.Post("/orgs/acme/servers", map[string]any{
			"name":     "x",
			"provider": "custom",
			"type":     "app",
			"database": "shop",
			"custom":   map[string]any{"ip_address": "192.0.2.1"},
		}), "database")
		body := serverBody("x", "database")
		body["database"] = "mysql"
		wantFields(t, w.owner.Post("/orgs/acme/servers", body), "database")
	})
}

func TestDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		s := w.mine.engine
		foreign := w.other.database
		before := w.counts()
		for _, tt := range []struct {
			name, path, body string
			fields           []string
		}{
			{"nothing", "schemas", `{}`, []string{"name"}},
			{"an empty name", "schemas", `{"name":""}`, []string{"name"}},
			{"SQL", "schemas", "{\"name\":\"a`; DROP DATABASE first; -- \"}", []string{"name"}},
			{"the engine's own", "schemas", `{"name":"mysql"}`, []string{"name"}},
			{"64 letters", "schemas", `{"name":"` + strings.Repeat("a", 64) + `"}`, []string{"name"}},
			{"taken", "schemas", `{"name":"first"}`, []string{"name"}},
			{"all wrong", "schemas", `{"name":"a b","user":"root","backup_configuration_ids":[999999]}`, []string{"name", "user", "backup_configuration_ids.0"}},
			{"a password for nobody", "schemas", `{"name":"b","password":"x"}`, []string{"user"}},
			{"a password for somebody who has one", "schemas", `{"name":"b","user":"app","password":"x"}`, []string{"user"}},
			{"a password of two lines", "schemas", `{"name":"b","user":"new","password":"a\nb"}`, []string{"password"}},
			{"a user of nothing", "users", `{}`, []string{"name", "password"}},
			{
				"a user with all wrong", "users", `{"name":"a'b","password":"ü","database_ids":[999999,` + foreign + `]}`,
				[]string{"name", "password", "database_ids.0", "database_ids.1"},
			},
			{"a user that is taken", "users", `{"name":"app","password":"x"}`, []string{"name"}},
			{"the account of the sites", "users", `{"name":"forge","password":"x"}`, []string{"name"}},
			{"a long password", "users", `{"name":"b","password":"` + strings.Repeat("a", 256) + `"}`, []string{"password"}},
		} {
			t.Run(tt.name, func(t *testing.T) { wantFields(t, w.owner.Post(w.databases(s, tt.path), tt.body), tt.fields...) })
		}
		user := w.databases(s, "users/"+w.mine.databaseUser)
		wantFields(t, w.owner.Put(user, `{"password":"","database_ids":[`+foreign+`]}`), "password", "database_ids.0")
		wantFields(t, w.owner.Put(w.databases(s, "password"), `{"password":""}`), "password")
		wantFields(t, w.owner.Post("/orgs/acme/servers/"+s+"/services/mysql/actions", `{"action":"explode"}`), "action")
		w.owner.Post("/orgs/acme/servers/"+s+"/services/postgres/actions", `{"action":"reboot"}`).Want(t, 409)
		// A server without an engine has nothing to make them in.
		w.owner.Post(w.databases(w.mine.server, "schemas"), `{"name":"shop"}`).Want(t, 409)
		w.owner.Post(w.databases(w.mine.server, "users"), `{"name":"shop","password":"x"}`).Want(t, 409)
		w.owner.Put(w.databases(w.mine.server, "password"), `{"password":"x"}`).Want(t, 409)
		w.owner.Post(w.databases(w.mine.server, "schemas/synchronizations"), nil).Want(t, 409)
		main := w.owner.Get(w.databases(s, "users?filter[name]=forge")).Want(t, 200).IDs()[0]
		w.owner.Delete(w.databases(s, "users/"+main)).Want(t, 409)
		wantFields(t, w.owner.Put(w.databases(s, "users/"+main), `{"database_ids":[]}`), "database_ids")
		list := w.databases(s, "schemas/"+w.mine.database)
		wantFields(t, w.owner.Put(list, `{}`), "extensions")
		wantFields(t, w.owner.Put(list, `{"extensions":["citext"]}`), "extensions") // it is MariaDB
		wantFields(t, w.owner.Post(w.databases(s, "schemas"), `{"name":"b","extensions":["citext"]}`), "extensions")
		w.unchangedSince(before)
	})
}

// A database has the extensions that were asked for last. Only those that are safe for a tenant to have can be asked for.
func TestDatabaseExtensions(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		s := w.owner.Post("/orgs/acme/servers", joined(serverBody("pg", "database"), "database_type", "postgres17")).Want(t, 202).ID()
		made := w.owner.Post(w.databases(s, "schemas"), `{"name":"shop","extensions":["vector","citext"]}`).Want(t, 202)
		at := w.databases(s, "schemas/"+made.ID())
		want := func(names ...any) {
			t.Helper()
			if diff := cmp.Diff(append([]any{}, names...), w.owner.Get(at).Want(t, 200).At("data", "meta", "extensions")); diff != "" {
				t.Errorf("its extensions (-want +got):\n%s", diff)
			}
		}
		want("vector", "citext")
		w.owner.Put(at, `{"extensions":["citext","postgis"]}`).Want(t, 202)
		want("citext", "postgis")
		for _, tt := range []struct {
			name, list string
			fields     []string
		}{
			{"reads files", `["file_fdw"]`, []string{"extensions.0"}},
			{"other servers", `["citext","dblink","postgres_fdw"]`, []string{"extensions.1", "extensions.2"}},
			{"languages", `["plpython3u","plperl"]`, []string{"extensions.0", "extensions.1"}},
			{"SQL", `["citext\"; DROP TABLE users; --","","CITEXT"]`, []string{"extensions.0", "extensions.1", "extensions.2"}},
			{"twice", `["citext","citext"]`, []string{"extensions.1"}},
			{"null", `null`, []string{"extensions"}},
		} {
			t.Run(tt.name, func(t *testing.T) {
				wantFields(t, w.owner.Put(at, `{"extensions":`+tt.list+`}`), tt.fields...)
			})
		}
		want("citext", "postgis")
		w.owner.Put(at, `{"extensions":[]}`).Want(t, 202)
		want()
		w.owner.Delete(at).Want(t, 202)
		w.owner.Put(at, `{"extensions":["citext"]}`).Want(t, 409)
	})
}

// An account's databases are the newest request, until the work fails: then they are the previous ones, and a retry requests them again.
func TestDatabaseGrants(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		s := w.mine.engine
		user := w.databases(s, "users/"+w.mine.databaseUser)
		may := func() any { return w.owner.Get(user).Want(t, 200).At("data", "meta", "database_user", "database_ids") }
		end := func(state string) {
			t.Helper()
			w.Tx(func(ctx context.Context, tx *db.Tx) error {
				return w.settled(ctx, tx, state, s)
			})
		}
		end("succeeded")
		if got := w.owner.Get(user).Want(t, 200).Text("data", "attributes", "status"); got != "installed" {
			t.Errorf("status is %s", got)
		}
		w.owner.Put(user, map[string]any{"database_ids": []any{number(w.mine.database)}}).Want(t, 202)
		if diff := cmp.Diff([]any{w.mine.database}, may()); diff != "" {
			t.Errorf("databases (-want +got):\n%s", diff)
		}
		end("succeeded")
		second := w.owner.Post(w.databases(s, "schemas"), map[string]any{"name": "second", "user": "app"}).Want(t, 202)
		if diff := cmp.Diff([]any{w.mine.database, second.ID()}, may()); diff != "" {
			t.Errorf("databases with the new one (-want +got):\n%s", diff)
		}
		end("succeeded")
		event := w.owner.Put(user, map[string]any{"database_ids": []any{}, "password": "another"}).Want(t, 202).Header.Get("X-Hostler-Event")
		end("failed")
		if diff := cmp.Diff([]any{w.mine.database, second.ID()}, may()); diff != "" {
			t.Errorf("databases after a failure (-want +got):\n%s", diff)
		}
		w.owner.Post("/orgs/acme/servers/"+s+"/events/"+event+"/retry", nil).Want(t, 202)
		if diff := cmp.Diff([]any{}, may()); diff != "" {
			t.Errorf("databases when it is tried again (-want +got):\n%s", diff)
		}
		w.owner.Delete(w.databases(s, "schemas/"+second.ID())).Want(t, 202)
		w.owner.Delete(w.databases(s, "schemas/"+second.ID())).Want(t, 202) // again, while it runs
		end("succeeded")
		w.owner.Get(w.databases(s, "schemas/"+second.ID())).Want(t, 404)
		w.owner.Delete(w.databases(s, "schemas/"+second.ID())).Want(t, 404)

		failed := w.owner.Post(w.databases(s, "schemas"), map[string]any{"name": "never"}).Want(t, 202)
		end("failed")
		if got := w.owner.Get(w.databases(s, "schemas/"+failed.ID())).Want(t, 200).Text("data", "attributes", "status"); got != "failed" {
			t.Errorf("what could not be made is %s", got)
		}
		wantFields(t, w.owner.Put(user, map[string]any{"database_ids": []any{number(failed.ID())}}), "database_ids.0")
	})
}

// A database or an account that sites use is not deleted without a word: the answer names the sites, and force deletes it all the same.
func TestDatabaseInUseIsKept(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		with := serverBody("both", "app")
		with["database_type"], with["database"] = "mariadb1011", "shop"
		server := w.owner.Post(servers, with).Want(t, 202).ID()
		id := w.owner.Get(w.databases(server, "schemas")).Want(t, 200).IDs()[0]
		body := map[string]any{"type": "laravel", "name": "a.example.org", "repository": "git@git.example.com:a/b.git", "database_id": number(id)}
		site := w.owner.Post(w.sites(server), body).Want(t, 202)
		body["name"] = "b.example.org"
		w.owner.Post(w.sites(server), body).Want(t, 202)
		account := w.owner.Get(w.databases(server, "users?filter[name]=a_example_org")).Want(t, 200).IDs()[0]
		for path, want := range map[string]string{
			w.databases(server, "schemas/"+id):                   "The database shop is used by a.example.org, b.example.org. To delete it anyway, use force=true.",
			w.databases(server, "schemas/"+id) + "?force=false":  "The database shop is used by a.example.org, b.example.org. To delete it anyway, use force=true.",
			w.databases(server, "schemas/"+id) + "?dry_run=true": "The database shop is used by a.example.org, b.example.org. To delete it anyway, use force=true.",
			w.databases(server, "users/"+account):                "The account a_example_org is used by a.example.org. To delete it anyway, use force=true.",
		} {
			if got := w.owner.Delete(path).Want(t, 409).Text("message"); got != want {
				t.Errorf("%s: %s", path, got)
			}
		}
		if got := w.owner.Get(w.databases(server, "schemas/"+id)).Want(t, 200).Text("data", "attributes", "status"); got != "installing" {
			t.Errorf("the database is %s", got)
		}
		for _, path := range []string{"schemas/" + id, "users/" + account} {
			wantFields(t, w.owner.Delete(w.databases(server, path)+"?force=yes"), "force")
		}
		event := w.owner.Delete(w.databases(server, "schemas/"+id)+"?force=true").Want(t, 202).Header.Get("X-Hostler-Event")
		w.Tx(func(ctx context.Context, tx *db.Tx) error { return w.settled(ctx, tx, job.StateFailed, server) })
		w.owner.Post(servers+"/"+server+"/events/"+event+"/retry", nil).Want(t, 202) // as it was asked for, by force
		w.owner.Delete(w.databases(server, "users/"+account)+"?force=true").Want(t, 202)
		w.Tx(func(ctx context.Context, tx *db.Tx) error { return w.settled(ctx, tx, job.StateSucceeded, server) })
		w.owner.Get(w.databases(server, "schemas/"+id)).Want(t, 404)
		w.owner.Get(w.databases(server, "users/"+account)).Want(t, 404)
		w.owner.Get("/orgs/acme/sites/"+site.ID()).Want(t, 200)
	})
}

// settled ends all work on a server's databases like the engine of jobs.
func (w *world) settled(ctx context.Context, tx *db.Tx, state, server string) error {
	pending, err := tx.Ungranted().ListPendingOperations(ctx, number(server), "database")
	if err != nil {
		return err
	}
	for _, op := range pending {
		if _, err := tx.EndOperation(ctx, query.EndOperationParams{ID: op.ID, State: state, UpdatedAt: tx.Micros()}); err != nil {
			return err
		}
		op.State = state
		if err := w.App.Ledger.Settle(ctx, tx, op, state == job.StateSucceeded); err != nil {
			return err
		}
	}
	return nil
}

// No answer, event, audit entry, log line or column in the open has a password.
func TestDatabasePasswordsAreKept(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		const hidden = "hunter2-hunter2"
		s := w.mine.engine
		id := w.owner.Post(w.databases(s, "users"), map[string]any{"name": "keeper", "password": hidden}).Want(t, 202).ID()
		w.owner.Put(w.databases(s, "users/"+id), map[string]any{"password": hidden}).Want(t, 202)
		w.owner.Put(w.databases(s, "password"), map[string]any{"password": hidden}).Want(t, 204)
		w.owner.Post(w.databases(s, "schemas"), map[string]any{"name": "kept", "user": "new", "password": hidden}).Want(t, 202)
		dry := w.owner.Put(w.databases(s, "users/"+id)+"?dry_run=true", map[string]any{"password": hidden}).Want(t, 200)
		for _, path := range []string{
			w.databases(s, "users"), w.databases(s, "users/"+id), "/orgs/acme/servers/" + s + "/events",
			"/orgs/acme/audit", "/orgs/acme/servers/" + s,
		} {
			if a := w.owner.Get(path).Want(t, 200); strings.Contains(string(a.Body), hidden) {
				t.Errorf("%s tells the password: %s", path, a.Body)
			}
		}
		if strings.Contains(string(dry.Body), hidden) || strings.Contains(w.Log.String(), hidden) {
			t.Error("the dry run or the log tells the password")
		}
		for _, column := range []string{
			"SELECT request FROM operations", "SELECT specification FROM wishes WHERE specification IS NOT NULL",
			"SELECT CAST(password AS TEXT) FROM database_users WHERE password IS NOT NULL",
		} {
			if w.App.DB.Dialect == db.PostgreSQL {
				column = strings.Replace(column, "CAST(password AS TEXT)", "encode(password, 'escape')", 1)
			}
			texts, err := db.Column[string](t.Context(), w.App.DB.SQLDB(), column)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range texts {
				if strings.Contains(text, hidden) {
					t.Errorf("%s: %s", column, text)
				}
			}
		}
	})
}
