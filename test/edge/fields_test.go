package edge

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/php"
	"github.com/hostlerhq/hostler/test/contract"
)

// fields is a world in which every field of every request can be accepted.
type fields struct {
	*world
	operations map[string]api.Operation
	n          int64
	// bare is a server without PHP, full one with MariaDB too, postgres one with PostgreSQL, rented one of a provider.
	bare, full, postgres, rented string
	// left is a server to archive.
	left string
	// database and account are of full, and so is template.
	database, account, template string
	// deployed is a site with a repository on the server of the world.
	deployed string
	// served is a text of nginx for the world's site, and alias one for its further domain.
	served, alias string
	// needs are the circumstances of values.
	needs map[string]circumstance
}

func newFields(t *testing.T) *fields {
	w := World(t, db.SQLite)
	f := &fields{world: w, operations: map[string]api.Operation{}}
	for _, op := range w.App.Router.Operations() {
		f.operations[op.ID] = op
	}
	path, _ := w.deploySite(t, "deployed.example.org")
	f.deployed = path[strings.LastIndex(path, "/")+1:]
	f.bare = w.server(w.owner, "acme", "bare", "app")
	f.left = w.server(w.owner, "acme", "left", "app")
	f.postgres = w.owner.Post(servers, joined(serverBody("pg", "database"), "database_type", "postgres17")).Want(t, 202).ID()
	f.full = w.owner.Post(servers, joined(serverBody("full", "app"), "database_type", "mariadb1011", "database", "shop")).Want(t, 202).ID()
	f.rented = w.owner.Post(servers, f.atHetzner("rented")).Want(t, 202).ID()
	f.database = w.owner.Get(servers+"/"+f.full+"/database/schemas").Want(t, 200).IDs()[0]
	f.account = w.owner.Post(servers+"/"+f.full+"/database/users", map[string]any{
		"name": "shop", "password": "s3cret", "database_ids": []any{number(f.database)},
	}).Want(t, 202).ID()
	f.template = w.owner.Post(servers+"/"+f.full+"/nginx/templates", scenarioOf("organizations.servers.nginx.templates.store").body(w, 1)).Want(t, 200).ID()
	facts := wire.Facts{OS: "debian", OSVersion: "12", Arch: "amd64", BootID: "b", Packages: map[string]string{"nginx": "1.22.1-9+deb12u2"}}
	bare := string(must(json.Marshal(facts)))
	for _, v := range []string{"5.6", "7.0", "7.1", "7.2", "7.3", "7.4", "8.0", "8.1", "8.2", "8.3", "8.4", "8.5"} {
		facts.Packages["php"+v+"-fpm"] = v + ".1"
	}
	for _, id := range []string{w.mine.server, f.full} {
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			srv, err := tx.Ungranted().GetServer(ctx, number(id))
			if err != nil {
				return err
			}
			return php.Finder{Ledger: w.App.Ledger}.Found(ctx, tx, srv, facts)
		})
	}
	whole := string(must(json.Marshal(facts)))
	for _, id := range []string{w.mine.server, w.mine.engine, w.mine.balancer, f.bare, f.full, f.postgres, f.rented} {
		w.ready(id)
		found := whole
		if id == f.bare {
			found = bare
		}
		w.executes("UPDATE servers SET status = 'ready', php_version = 'php84', facts = $2 WHERE id = $1", number(id), found)
		w.Tx(func(ctx context.Context, tx *db.Tx) error { return w.settled(ctx, tx, "succeeded", id) })
	}
	w.private(w.mine.server, w.mine.balancer)
	onSite := w.sites(w.mine.server) + "/" + w.mine.site
	for _, path := range []string{"/orgs/acme/sites/" + w.mine.site, "/orgs/acme/sites/" + f.deployed, onSite + "/domains/" + w.mine.domain} {
		w.ended(path, true)
	}
	f.served = w.owner.Get(onSite+"/nginx").Want(t, 200).Text("data", "attributes", "content")
	f.alias = w.owner.Get(onSite+"/domains/"+w.mine.domain+"/nginx").Want(t, 200).Text("data", "attributes", "content")
	f.needs = f.circumstances()
	return f
}

func (f *fields) atHetzner(name string) map[string]any {
	return map[string]any{
		"name": name, "type": "app", "provider": "hetzner", "credential_id": number(f.mine.credential),
		"hetzner": map[string]any{"region_id": "fsn1", "size_id": "cx22"},
	}
}

// joined returns a body with further fields.
func joined(body map[string]any, more ...any) map[string]any {
	for i := 0; i < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	return body
}

// circumstance is what a request needs for a value of one of its fields to make sense.
type circumstance struct {
	at   map[string]string // other parameters of the path
	body map[string]any    // other fields
	// value takes the place of one that the contract says no more of than its type and length.
	value any
}

func long(v any) bool {
	s, _ := v.(string)
	return len(s) > 30
}

func (f *fields) of(try contract.Try) circumstance {
	value, _ := json.Marshal(try.Value)
	if long(try.Value) {
		value = []byte("long")
	}
	c := circumstance{at: map[string]string{}, body: map[string]any{}}
	for _, key := range []string{try.Operation, try.At, try.Operation + " " + try.At, fmt.Sprintf("%s %s=%s", try.Operation, try.At, value)} {
		more := f.needs[key]
		maps.Copy(c.at, more.at)
		maps.Copy(c.body, more.body)
		if more.value != nil {
			c.value = more.value
		}
	}
	return c
}

// request returns a request that has the value, and is otherwise as valid as it can be.
func (f *fields) request(t *testing.T, try contract.Try) (path string, body any) {
	t.Helper()
	f.n++
	s, op := scenarioOf(try.Operation), f.operations[try.Operation]
	var sent map[string]any
	var form bool
	var scenarioBody any = map[string]any{}
	if s.body != nil {
		scenarioBody = s.body(f.world, f.n)
	}
	switch b := scenarioBody.(type) {
	case map[string]any:
		sent = maps.Clone(b)
	case Form:
		form, sent = true, map[string]any{}
		for k, v := range b {
			sent[k] = v
		}
	}
	c, v := f.of(try), try.Value
	maps.Copy(sent, c.body)
	maps.DeleteFunc(sent, func(_ string, v any) bool { return v == nil })
	var own map[string]any // put changes what is in it
	if err := json.Unmarshal(must(json.Marshal(sent)), &own); err != nil {
		t.Fatal(err)
	}
	sent = own
	names := strings.Split(try.At, ".")
	r, isReference := referenceOf(try.Operation, try.At)
	_, has := sent[names[0]]
	switch {
	case c.value != nil && (try.Free || long(try.Value)):
		v = c.value
	case !try.Free || try.Refused != "":
	case has && len(names) <= 2: // as the scenario has it
		v = nil
	case isReference && r.of != nil:
		v = r.of(f.mine)
		if r.beside != nil {
			maps.Copy(sent, r.beside(f.mine))
		}
	}
	if v != nil || !try.Free {
		put(sent, names, v)
	}
	at := s.at(f.mine)
	maps.Copy(at, c.at)
	path, body = fill(t, op.Path, at), sent
	if form {
		b := Form{}
		for k, v := range sent {
			b[k] = v.(string)
		}
		body = b
	}
	if op.ChangesHost {
		path += "?dry_run=true"
	}
	return path, body
}

// Whatever the contract allows in a field of a request is accepted, or listed in deviations.json with the reason.
func TestFieldsAsTheContractAllows(t *testing.T) {
	t.Parallel()
	tries, err := contract.Tries()
	if err != nil {
		t.Fatal(err)
	}
	if len(tries) < 600 {
		t.Errorf("there are only %d values to try", len(tries))
	}
	f := newFields(t)
	for _, try := range tries {
		path, body := f.request(t, try)
		a, err := f.owner.Try(f.operations[try.Operation].Method, path, body)
		// Whether a package is installed only a host can tell; the request itself has been checked by then.
		accepted := err == nil && (a.Status < 300 || strings.HasSuffix(a.Text("message"), "installed: its composer.lock does not name it."))
		switch {
		case !accepted && try.Refused == "":
			t.Errorf("%s: %v %d %s %v", try, body, a.Status, a.Body, err)
		case accepted && try.Refused != "":
			t.Errorf("%s is accepted: its deviation is no longer one", try)
		case !accepted && (a.Status < 400 || a.Status >= 500):
			t.Errorf("%s: %d %s %v", try, a.Status, a.Body, err)
		}
	}
	for key := range f.needs {
		if !slices.ContainsFunc(tries, func(try contract.Try) bool {
			field, _, _ := strings.Cut(key, "=")
			return field == try.Operation || field == try.At || field == try.Operation+" "+try.At
		}) {
			t.Errorf("the circumstance %s is of no field", key)
		}
	}
}
