package edge

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// Every change has a name on it, with what was and what became; refusals and sign-ins too; secrets never.
func TestAudit(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		e.WithPassword(w.users["owner"].ID)
		w.owner.Put("/orgs/acme/teams/"+w.mine.team, map[string]any{"name": "crew"}).Want(t, 200)
		got := w.owner.Get("/orgs/acme/audit?filter[operation]=organizations.teams.update").Want(t, 200)
		if n := len(got.IDs()); n != 1 {
			t.Fatalf("%d lines: %s", n, got.Body)
		}
		at := func(key ...any) string { return got.Text(append([]any{"data", 0, "attributes"}, key...)...) }
		if at("before", "name") != "team one" || at("after", "name") != "crew" || at("resource_id") != w.mine.team ||
			!strings.HasPrefix(at("caller"), "token:") || at("address") != "127.0.0.1" {
			t.Errorf("the line is %s", got.Body)
		}
		w.viewer.Delete("/orgs/acme/teams/"+w.mine.team).Want(t, 403)
		got = w.owner.Get("/orgs/acme/audit?filter[status]=403&filter[operation]=organizations.teams.destroy").Want(t, 200)
		if len(got.IDs()) != 1 || !strings.Contains(at("message"), "team:delete") {
			t.Errorf("the refusal is noted as %s", got.Body)
		}
		// A change that fails leaves no line.
		before := len(w.owner.Get("/orgs/acme/audit?page[size]=200").Want(t, 200).IDs())
		w.owner.Put("/orgs/acme/teams/"+w.mine.team, map[string]any{"name": ""}).Want(t, 422)
		if after := len(w.owner.Get("/orgs/acme/audit?page[size]=200").Want(t, 200).IDs()); after != before {
			t.Errorf("%d lines, were %d", after, before)
		}
		c := e.As("")
		c.Post("/auth/login", login("owner@example.com", "wrong", "")).Want(t, 401)
		c.Post("/auth/login", login("owner@example.com", password, "")).Want(t, 200)
		s := e.Session(w.users["owner"])
		token := s.Post("/user/tokens", map[string]any{"name": "x", "scopes": []string{"user:view"}, "password": password}).Want(t, 201).
			Text("data", "meta", "shown_once", "token")
		got = s.Get("/user/audit?filter[operation]=auth.login").Want(t, 200)
		if len(got.IDs()) != 2 || got.Text("data", 0, "attributes", "status") != "401" || got.Text("data", 1, "attributes", "status") != "200" {
			t.Errorf("the sign-ins are noted as %s", got.Body)
		}
		all := s.Get("/user/audit?page[size]=200").Want(t, 200)
		export := w.owner.Get("/orgs/acme/audit/export").Want(t, 200)
		for _, secret := range []string{password, token, "s3cret-one"} {
			if bytes.Contains(all.Body, []byte(secret)) || bytes.Contains(export.Body, []byte(secret)) {
				t.Errorf("the log holds %q", secret)
			}
		}
		lines := strings.Split(strings.TrimSpace(string(export.Body)), "\n")
		if len(lines) < before {
			t.Errorf("the export has %d lines, the list %d", len(lines), before)
		}
		for _, l := range lines {
			var v map[string]any
			if err := json.Unmarshal([]byte(l), &v); err != nil || v["operation"] == "" {
				t.Errorf("the line %q: %v", l, err)
			}
		}
		if other := w.stranger.Get("/orgs/other/audit/export").Want(t, 200); bytes.Contains(other.Body, []byte(`"crew"`)) {
			t.Error("another organization's line")
		}
	})
}

// Every operation that changes something leaves a line: of this the matrix makes sure for each operation that succeeds.
func TestAuditIsAppendOnly(t *testing.T) {
	t.Parallel()
	e := New(t, db.SQLite)
	for _, op := range e.App.Router.Operations() {
		if strings.Contains(op.Path, "/audit") && op.Method != "GET" {
			t.Errorf("%s changes the log", op.ID)
		}
	}
}
