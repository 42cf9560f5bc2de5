package edge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// reference is what the ids in a field of a body are of.
type reference struct {
	// of is such a resource of another organization; nil while there are none of the kind, so that every id is refused.
	of func(things) any
	// shared is set for what can be shared with teams: shared with others it is as if it did not exist.
	shared bool
	// nested is set for what belongs to the server in the path: that of another server of the organization does not exist here.
	nested bool
	// beside are the other fields of the object that the id is in.
	beside func(things) map[string]any
}

func ofServer(t things) any { return number(t.server) }

func ofRole(t things) any { return number(t.role) }

func ofDatabase(t things) any { return number(t.database) }

func ofUser(t things) any { return number(t.user) }

// references are the fields of bodies that contain ids, by the end of their path, or by operation and path; * is any item of a
// list. A new field with an id needs an entry.
var references = map[string]reference{
	"server_id":     {of: ofServer, shared: true},
	"servers.*":     {of: ofServer, shared: true},
	"credential_id": {of: func(t things) any { return number(t.credential) }, shared: true},
	"organizations.teams.recipes.store recipe_id": {of: func(t things) any { return number(t.recipe) }, shared: true},
	"team_id":    {of: func(t things) any { return number(t.team) }},
	"role_id":    {of: ofRole},
	"users.*.id": {of: ofUser},
	"users.*.role.id": {of: ofRole, beside: func(t things) map[string]any {
		return map[string]any{"users": []any{map[string]any{"id": number(t.user)}}}
	}},
	"invites.*.role.id": {of: ofRole, beside: func(things) map[string]any {
		return map[string]any{"invites": []any{map[string]any{"email": "friend@example.com"}}}
	}},
	"organizations.*": {of: func(t things) any { return t.slug }},
	"database_ids.*":  {of: ofDatabase, nested: true},

	"storage_provider_id":        {of: func(t things) any { return number(t.storage) }},
	"site_id":                    {of: func(t things) any { return number(t.site) }, nested: true},
	"source_database_id":         {of: ofDatabase, nested: true},
	"backup_configuration_ids.*": {of: func(t things) any { return number(t.configuration) }, nested: true},
	"organizations.servers.database.backups.instances.restores.store database_id": {of: ofDatabase, nested: true},

	"letsencrypt.dns_provider_id": {
		of:     func(t things) any { return number(t.dnsProvider) },
		beside: func(things) map[string]any { return map[string]any{"type": "letsencrypt"} },
	},

	"organizations.servers.sites.domains.dns.store dns_provider_id": {of: func(t things) any { return number(t.dnsProvider) }},

	"clone.certificate_id": {
		of:     func(t things) any { return number(t.certificate) },
		beside: func(things) map[string]any { return map[string]any{"type": "clone"} },
	},

	"source_control_provider_id": {of: func(t things) any { return number(t.source) }},
	"recipe_id":                  {},
	// Those of sites on a server that has no engine, and is not set up: every one is refused.
	"organizations.servers.sites.store database_id": {}, "organizations.servers.sites.store database_user_id": {}, "nginx_template_id": {},
}

// elsewhere are fields with external ids: names that a server provider has for its regions, sizes and networks.
var elsewhere = []string{"region_id", "size_id", "network_id"}

// field is a field of a body that contains an id.
type field struct {
	path string
	reference
}

// schemas is as much of the description as the fields of bodies need.
type schemas struct {
	Components struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
	Paths map[string]map[string]struct {
		ID          string `json:"operationId"`
		RequestBody struct {
			Content map[string]struct {
				Schema schema `json:"schema"`
			} `json:"content"`
		} `json:"requestBody"`
	} `json:"paths"`
}

type schema struct {
	Ref        string            `json:"$ref"`
	Properties map[string]schema `json:"properties"`
	Items      *schema           `json:"items"`
	Any        []schema          `json:"anyOf"`
	One        []schema          `json:"oneOf"`
	All        []schema          `json:"allOf"`
}

func describe(t testing.TB, r *api.Router) schemas {
	t.Helper()
	raw, err := r.Description()
	if err != nil {
		t.Fatal(err)
	}
	var d schemas
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// paths returns the paths of all values in a schema.
func (d schemas) paths(s schema, at string) (out []string) {
	if s.Ref != "" {
		s = d.Components.Schemas[s.Ref[strings.LastIndex(s.Ref, "/")+1:]]
	}
	for _, part := range slices.Concat(s.Any, s.One, s.All) {
		out = append(out, d.paths(part, at)...)
	}
	for name, p := range s.Properties {
		out = append(out, d.paths(p, strings.TrimPrefix(at+"."+name, "."))...)
	}
	if s.Items != nil {
		out = append(out, d.paths(*s.Items, at+".*")...)
	}
	if s.Properties == nil && s.Items == nil {
		out = append(out, at)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// fields returns the fields of an operation's body that contain ids.
func (d schemas) fields(t testing.TB, op api.Operation) (out []field) {
	t.Helper()
	for _, content := range d.Paths[op.Path][strings.ToLower(op.Method)].RequestBody.Content {
		for _, path := range d.paths(content.Schema, "") {
			names := strings.Split(strings.TrimSuffix(path, ".*"), ".")
			last := names[len(names)-1]
			if slices.Contains(elsewhere, last) {
				continue
			}
			r, known := referenceOf(op.ID, path)
			switch holds := last == "id" || strings.HasSuffix(last, "_id") || strings.HasSuffix(last, "_ids") || last == "ids"; {
			case known:
				out = append(out, field{path, r})
			case holds:
				t.Errorf("%s: the field %s holds ids: say in references of what, so that those of others are tried", op.ID, path)
			}
		}
	}
	return out
}

// referenceOf returns what the ids at a path are of.
func referenceOf(op, path string) (r reference, known bool) {
	if r, known = references[op+" "+path]; known {
		return r, true
	}
	names := strings.Split(strings.TrimSuffix(path, ".*"), ".")
	if r, known = references[path]; known {
		return r, true
	}
	for i := 1; !known && i < len(names); i++ {
		r, known = references[strings.Join(names[i:], ".")]
	}
	return r, known
}

// put sets a value at a path in a body, and creates missing parents.
func put(body map[string]any, names []string, v any) {
	switch {
	case len(names) == 1:
		body[names[0]] = v
	case names[1] == "*":
		items, _ := body[names[0]].([]any)
		if len(names) == 2 {
			body[names[0]] = []any{v}
			return
		}
		item := map[string]any{}
		if len(items) > 0 {
			item, _ = items[0].(map[string]any)
		}
		put(item, names[2:], v)
		body[names[0]] = append([]any{item}, items[min(1, len(items)):]...)
	default:
		inner, _ := body[names[0]].(map[string]any)
		if inner == nil {
			inner = map[string]any{}
		}
		put(inner, names[1:], v)
		body[names[0]] = inner
	}
}

// refer returns one cell: an operation that would succeed, except for the id in a field. The answer names the field, and is the
// same for others' resources and missing ones.
func (m *matrix) refer(name string, c *Client, f field, v any) string {
	m.T.Helper()
	m.n++
	m.cells.Add(1)
	var body map[string]any
	if m.s.body != nil {
		body, _ = m.s.body(m.world, m.n).(map[string]any)
	}
	if body == nil {
		m.T.Fatalf("%s has no body to put an id into", m.op.ID)
	}
	if f.beside != nil {
		for k, v := range f.beside(m.mine) {
			body[k] = v
		}
	}
	put(body, strings.Split(f.path, "."), v)
	path := fill(m.T, m.op.Path, m.s.at(m.mine))
	a := c.Call(m.op.Method, path, body)
	key := strings.ReplaceAll(f.path, "*", "0")
	if got := a.Text("errors", key, 0); a.Status != 422 || got == "" {
		m.T.Errorf("%s in %s: %s %s answered %d %s, want 422 with errors.%s", name, f.path, m.op.Method, path, a.Status, a.Body, key)
	}
	return string(a.Body)
}

// Ids in bodies go the way of those in paths: foreign ones, and those of things shared with other teams, are as if they did not exist.
func TestReferences(t *testing.T) {
	t.Parallel()
	probe := New(t, db.SQLite)
	d := describe(t, probe.App.Router)
	var cells, count atomic.Int64
	t.Cleanup(func() { t.Logf("%d cells: %d fields with ids on both databases", cells.Load(), count.Load()) })
	for _, op := range probe.App.Router.Operations() {
		fields := d.fields(t, op)
		if len(fields) == 0 {
			continue
		}
		count.Add(int64(len(fields)))
		for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
			t.Run(string(dialect)+"/"+op.ID, func(t *testing.T) {
				t.Parallel()
				m := &matrix{world: World(t, dialect), op: op, s: scenarioOf(op.ID), cells: &cells}
				owner, bystander := m.owner, m.Of(m.users["bystander"])
				if op.Personal {
					owner = m.Session(m.users["owner"])
				}
				before := m.counts()
				for _, f := range fields {
					m.references(owner, bystander, f)
				}
				m.unchanged(before)
			})
		}
	}
}

func (m *matrix) references(owner, bystander *Client, f field) {
	if f.of == nil {
		m.refer("any id", owner, f, 1)
		m.refer("any id", owner, f, 999999)
		return
	}
	wrong := []any{999999, 0, -1}
	if _, text := f.of(m.mine).(string); text {
		wrong = []any{"nowhere", "", "ACME"}
	}
	missing := m.refer("a missing id", owner, f, wrong[0])
	if foreign := m.refer("a foreign id", owner, f, f.of(m.foreign)); foreign != missing {
		m.T.Errorf("%s: a foreign id is told as %s, a missing one as %s", f.path, foreign, missing)
	}
	if f.nested {
		if other := m.refer("an id of another server", owner, f, f.of(m.other)); other != missing {
			m.T.Errorf("%s: one of another server is told as %s, a missing one as %s", f.path, other, missing)
		}
	}
	for _, v := range wrong[1:] {
		m.refer(fmt.Sprint(v), owner, f, v)
	}
	at := m.s.at(m.mine)
	role, _ := access.PermissionsOf(access.RoleManager)
	if hides := strings.Contains(m.op.Path, "{server}") && at["server"] == m.mine.server ||
		strings.Contains(m.op.Path, "{recipe}"); !f.shared || hides || !role.Has(m.op.Permissions...) {
		return
	}
	if hidden := m.refer("the id of what is shared with others", bystander, f, f.of(m.mine)); hidden != missing {
		m.T.Errorf("%s: what is shared with others is told as %s, what is missing as %s", f.path, hidden, missing)
	}
}
