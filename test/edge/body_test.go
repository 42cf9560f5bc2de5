package edge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/db"
)

// foreignBody makes a request that names a thing of another organization, by operation and field. Every field of a body that holds an id of ours
// has its entry; ids of providers have none.
var foreignBody = map[string]func(w *world) (path string, body any, field string){
	"organizations.servers.store credential_id": func(w *world) (string, any, string) {
		b := serverBody("x", "app")
		b["credential_id"] = number(w.foreign.credential)
		return "/orgs/acme/servers", b, "credential_id"
	},
	"organizations.servers.store team_id": func(w *world) (string, any, string) {
		b := serverBody("x", "app")
		b["team_id"] = number(w.foreign.team)
		return "/orgs/acme/servers", b, "team_id"
	},
	"organizations.servers.store recipe_id": func(w *world) (string, any, string) {
		b := serverBody("x", "app")
		b["recipe_id"] = 1
		return "/orgs/acme/servers", b, "recipe_id"
	},
	"organizations.servers.sites.storeOnBalancer balancing.server_id": func(w *world) (string, any, string) {
		return "/orgs/acme/servers/" + w.mine.balancer + "/sites/balancer", map[string]any{"domain": "x.example.com", "balancing": []any{map[string]any{"server_id": number(w.foreign.server)}}}, "balancing.0.server_id"
	},
	"organizations.servers.sites.load-balancing-nodes.update balancing.server_id": func(w *world) (string, any, string) {
		return "/orgs/acme/servers/" + w.mine.balancer + "/sites/" + w.mine.balancerSite + "/load-balancing-nodes", map[string]any{"balancer_method": "round_robin", "balancing": []any{map[string]any{"server_id": number(w.foreign.server)}}}, "balancing.0.server_id"
	},
	"organizations.teams.store users.id":       teamUsers("", func(w *world) (int64, int64) { return number(w.foreign.user), 5 }, "users.0.id"),
	"organizations.teams.store users.role.id":  teamUsers("", func(w *world) (int64, int64) { return number(w.mine.user), number(w.foreign.role) }, "users.0.role.id"),
	"organizations.teams.update users.id":      teamUsers("/1", func(w *world) (int64, int64) { return number(w.foreign.user), 5 }, "users.0.id"),
	"organizations.teams.update users.role.id": teamUsers("/1", func(w *world) (int64, int64) { return number(w.mine.user), number(w.foreign.role) }, "users.0.role.id"),
	"organizations.teams.store invites.role.id": func(w *world) (string, any, string) {
		return "/orgs/acme/teams", map[string]any{"name": "x", "invites": []any{map[string]any{"email": "x@example.com", "role": map[string]any{"id": number(w.foreign.role)}}}}, "invites.0.role.id"
	},
	"organizations.teams.members.update role_id":                   roleID(func(w *world) string { return "/orgs/acme/teams/" + w.mine.team + "/members/" + w.mine.user }),
	"organizations.teams.invites.store role_id":                    roleID(func(w *world) string { return "/orgs/acme/teams/" + w.mine.team + "/invites" }),
	"organizations.members.update role_id":                         roleID(func(w *world) string { return "/orgs/acme/members/" + w.mine.user }),
	"organizations.invites.store role_id":                          roleID(func(*world) string { return "/orgs/acme/invites" }),
	"organizations.servers.sites.store database_id":                siteID("database_id"),
	"organizations.servers.sites.store database_user_id":           siteID("database_user_id"),
	"organizations.servers.sites.store nginx_template_id":          siteID("nginx_template_id"),
	"organizations.servers.sites.store source_control_provider_id": siteID("source_control_provider_id"),
	"organizations.teams.servers.store server_id": func(w *world) (string, any, string) {
		return "/orgs/acme/teams/" + w.mine.team + "/servers", map[string]any{"server_id": number(w.foreign.server)}, "server_id"
	},
	"organizations.teams.server-credentials.store credential_id": func(w *world) (string, any, string) {
		return "/orgs/acme/teams/" + w.mine.team + "/server-credentials", map[string]any{"credential_id": number(w.foreign.credential)}, "credential_id"
	},
}

func teamUsers(at string, ids func(w *world) (user, role int64), field string) func(w *world) (string, any, string) {
	return func(w *world) (string, any, string) {
		user, role := ids(w)
		path := "/orgs/acme/teams"
		if at != "" {
			path += "/" + w.mine.team
		}
		return path, map[string]any{"name": "x", "users": []any{map[string]any{"id": user, "role": map[string]any{"id": role}}}}, field
	}
}

func siteID(field string) func(w *world) (string, any, string) {
	return func(w *world) (string, any, string) {
		return "/orgs/acme/servers/" + w.mine.server + "/sites", map[string]any{"type": "static-html", "name": "x.example.org", field: 1}, field
	}
}

func roleID(path func(w *world) string) func(w *world) (string, any, string) {
	return func(w *world) (string, any, string) {
		return path(w), map[string]any{"email": "x@example.com", "role_id": number(w.foreign.role)}, "role_id"
	}
}

// idFields are the fields of a body's schema that hold ids of ours: integers named id or …_id.
func idFields(doc map[string]any, schema map[string]any, at string) []string {
	if ref, ok := schema["$ref"].(string); ok {
		name := ref[strings.LastIndex(ref, "/")+1:]
		schema, _ = doc["components"].(map[string]any)["schemas"].(map[string]any)[name].(map[string]any)
	}
	if items, ok := schema["items"].(map[string]any); ok {
		return idFields(doc, items, at)
	}
	var out []string
	properties, _ := schema["properties"].(map[string]any)
	for name, p := range properties {
		p := p.(map[string]any)
		here := strings.TrimPrefix(at+"."+name, ".")
		if (name == "id" || strings.HasSuffix(name, "_id")) && strings.Contains(fmt.Sprint(p["type"]), "integer") && here != "hetzner.network_id" {
			out = append(out, here)
		}
		out = append(out, idFields(doc, p, here)...)
	}
	slices.Sort(out)
	return out
}

// An id in a body goes the way that one in a path goes: somebody else's is not there, like one that never was.
func TestForeignIDsInBodies(t *testing.T) {
	t.Parallel()
	e := New(t, db.SQLite)
	w := newWorld(e)
	raw, err := e.App.Router.Description()
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, op := range e.App.Router.Operations() {
		described := doc["paths"].(map[string]any)[op.Path].(map[string]any)[strings.ToLower(op.Method)].(map[string]any)
		body, ok := described["requestBody"].(map[string]any)
		if !ok {
			continue
		}
		schema := body["content"].(map[string]any)["application/json"].(map[string]any)["schema"].(map[string]any)
		for _, field := range idFields(doc, schema, "") {
			key := op.ID + " " + field
			found[key] = true
			try, ok := foreignBody[key]
			if !ok {
				t.Errorf("%s holds an id and has no entry: add one, so that somebody else's is tried", key)
				continue
			}
			path, body, want := try(w)
			before := w.counts()
			a := w.owner.Call(op.Method, path, body)
			if a.Status != 422 || !slices.Contains(a.Fields(), want) {
				t.Errorf("%s: answered %d: %s", key, a.Status, a.Body)
				continue
			}
			if after := w.counts(); after["servers"] != before["servers"] || after["team_members"] != before["team_members"] || after["audit_entries"] != before["audit_entries"] {
				t.Errorf("%s: something changed", key)
			}
		}
	}
	for key := range foreignBody {
		if !found[key] {
			t.Errorf("the entry %s is of no field", key)
		}
	}
	t.Logf("%d fields of bodies that hold ids", len(found))
}
