package edge

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// eventOf returns the event of the work that a change began, as a caller sees it.
func eventOf(t *testing.T, c *Client, path string, a Answer) Answer {
	t.Helper()
	server, _, _ := strings.Cut(strings.TrimPrefix(path, servers+"/"), "/")
	return c.Get(servers+"/"+server+"/events/"+a.Header.Get("X-Hostler-Event")).Want(t, 200)
}

// undo sends what an event says would undo its change.
func undo(t *testing.T, c *Client, event Answer) Answer {
	t.Helper()
	request, ok := event.At("data", "meta", "undo").(map[string]any)
	if !ok {
		t.Fatalf("no undo: %s", event.Body)
	}
	path, ok := strings.CutPrefix(request["path"].(string), "/api")
	switch {
	case ok && request["method"] == http.MethodPut:
		return c.Put(path, request["body"])
	case ok && request["method"] == http.MethodDelete && request["body"] == nil:
		return c.Delete(path)
	}
	t.Fatalf("the undo is %v", request)
	return Answer{}
}

// endedWork ends the work that a call began.
func (w *world) endedWork(a Answer) {
	w.T.Helper()
	var op query.Operation
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		op = w.operation(ctx, tx, a.Header.Get("X-Hostler-Event"))
		return nil
	})
	w.endedInOrder(op.ID, true)
}

// undone undoes a change if that is offered, and reports whether it was.
func (w *world) undone(t *testing.T, path string, changed Answer) bool {
	t.Helper()
	if changed.Header.Get("X-Hostler-Event") == "" {
		return false
	}
	w.endedWork(changed)
	event := eventOf(t, w.owner, path, changed)
	if event.At("data", "meta", "undo") == nil {
		return false
	}
	if again := undo(t, w.owner, event).Want(t, 202); again.Header.Get("X-Hostler-Event") != "" {
		w.endedWork(again)
	}
	return true
}

// shown is what a document says of a resource beside the work on it.
func shown(a Answer) map[string]any {
	data, _ := a.At("data").(map[string]any)
	meta, _ := data["meta"].(map[string]any)
	attributes, _ := data["attributes"].(map[string]any)
	meta, attributes = maps.Clone(meta), maps.Clone(attributes)
	for _, name := range []string{"operation", "included"} {
		delete(meta, name)
	}
	for _, name := range []string{"updated_at", "status"} {
		delete(attributes, name)
	}
	return map[string]any{"meta": meta, "attributes": attributes}
}

// What an event offers as its undo leaves the resource as it was. It is offered to those who may send it, once, as long as nothing else has
// changed.
func TestUndo(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		const markup = `<b onclick="alert(1)">office</b> $(reboot)`
		shop, _ := w.deploySite(t, "undone.example.org")
		shop = "/orgs/acme/servers/" + w.mine.server + shop[strings.LastIndex(shop, "/sites/"):]
		for _, c := range []struct {
			name, at string
			made     map[string]any // nil for a resource that is there
			change   map[string]any
			later    map[string]any // another change
		}{
			{
				name: "firewall rule", at: w.rules(w.mine.server),
				made:   map[string]any{"name": markup, "port": "5432", "type": "allow", "ip_address": "203.0.113.7"},
				change: map[string]any{"port": "5433", "name": "Public", "ip_address": nil}, later: map[string]any{"name": "Other"},
			},
			{
				name: "redirect", at: w.part("redirect-rules"), made: map[string]any{"from": "^/spring$", "to": "/summer", "type": "redirect"},
				change: map[string]any{"to": "https://example.com/autumn"}, later: map[string]any{"type": "permanent"},
			},
			{
				name: "monitor", at: w.monitors(w.mine.engine),
				made:   map[string]any{"type": "disk", "operator": "gte", "threshold": 90, "minutes": 5, "notify": "ops@example.com"},
				change: map[string]any{"threshold": 75.5, "minutes": nil}, later: map[string]any{"threshold": 80},
			},
			{
				name: "job with a rhythm", at: servers + "/" + w.mine.server + "/scheduled-jobs",
				made:   map[string]any{"name": "report", "command": "true", "user": "root", "frequency": "custom", "cron": "*/10 * * * *"},
				change: map[string]any{"frequency": "hourly"}, later: map[string]any{"command": "false"},
			},
			{
				name: "job of a site", at: w.part("scheduled-jobs"), made: map[string]any{"command": "true", "user": "forge", "frequency": "hourly"},
				change: map[string]any{"frequency": "custom", "cron": "5 4 * * *", "name": markup}, later: map[string]any{"cron": "6 4 * * *"},
			},
			{
				name: "site", at: shop, change: map[string]any{"directory": "/dist", "root_path": "/app"}, later: map[string]any{"directory": "/other"},
			},
			{
				name: "process", at: servers + "/" + w.mine.server + "/background-processes/" + w.mine.process,
				change: map[string]any{"name": markup}, later: map[string]any{"name": "other"},
			},
		} {
			t.Run(c.name, func(t *testing.T) {
				at := c.at
				if c.made != nil {
					at += "/" + w.owner.Post(c.at, c.made).Want(t, 202).ID()
				}
				read := strings.Replace(at, "/servers/"+w.mine.server+"/sites/", "/sites/", 1)
				if c.made != nil {
					read = at
				}
				w.ended(read, true)
				before := shown(w.owner.Get(read).Want(t, 200))
				changed := w.owner.Put(at, c.change).Want(t, 202)
				offered := func(when string, by *Client, want bool) {
					t.Helper()
					if got := eventOf(t, by, at, changed).At("data", "meta", "undo") != nil; got != want {
						t.Errorf("%s an undo is offered: %v, want %v", when, got, want)
					}
				}
				offered("under way", w.owner, false)
				w.ended(read, true)
				after := shown(w.owner.Get(read).Want(t, 200))
				offered("to a viewer", w.viewer, false)
				undone := undo(t, w.owner, eventOf(t, w.owner, at, changed)).Want(t, 202)
				offered("while it is undone", w.owner, false)
				w.ended(read, true)
				offered("once it is undone,", w.owner, false)
				if diff := cmp.Diff(before, shown(w.owner.Get(read).Want(t, 200))); diff != "" {
					t.Errorf("undone (-before +after):\n%s", diff)
				}
				changed = undo(t, w.owner, eventOf(t, w.owner, at, undone)).Want(t, 202)
				w.ended(read, true)
				if diff := cmp.Diff(after, shown(w.owner.Get(read).Want(t, 200))); diff != "" {
					t.Errorf("the undo undone (-before +after):\n%s", diff)
				}
				offered("after the change is there again", w.owner, true)
				later := w.owner.Put(at, c.later).Want(t, 202)
				w.ended(read, true)
				offered("after another change", w.owner, false)
				changed = later
				offered("of the newest change", w.owner, true)
				if c.made == nil {
					return
				}
				removal := w.owner.Delete(at).Want(t, 202)
				offered("while it is deleted", w.owner, false)
				w.endedWork(removal)
				w.owner.Get(at).Want(t, 404)
				offered("once it is gone,", w.owner, false)
			})
		}
	})
}

// What was created can be removed again from its event: once its work has ended, by those who may remove it, and as long as it is there.
func TestUndoOfWhatWasCreated(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		for _, c := range []struct {
			name, at string
			made     map[string]any
		}{
			{"firewall rule", w.rules(w.mine.server), map[string]any{"name": "office", "port": "5432", "type": "allow", "ip_address": "203.0.113.7"}},
			{"redirect", w.part("redirect-rules"), map[string]any{"from": "^/spring$", "to": "/summer", "type": "redirect"}},
			{"monitor", w.monitors(w.mine.engine), map[string]any{
				"type": "disk", "operator": "gte", "threshold": 90, "minutes": 5, "notify": "ops@example.com",
			}},
			{"job", servers + "/" + w.mine.server + "/scheduled-jobs", map[string]any{
				"name": "report", "command": "true", "user": "root", "frequency": "custom", "cron": "*/10 * * * *",
			}},
			{"job of a site", w.part("scheduled-jobs"), map[string]any{"command": "true", "user": "forge", "frequency": "hourly"}},
		} {
			t.Run(c.name, func(t *testing.T) {
				made := w.owner.Post(c.at, c.made).Want(t, 202)
				at := c.at + "/" + made.Text("data", "id")
				if eventOf(t, w.owner, c.at, made).At("data", "meta", "undo") != nil {
					t.Error("an undo is offered while it is being created")
				}
				w.endedWork(made)
				event := eventOf(t, w.owner, c.at, made)
				if a := eventOf(t, w.as("server:view"), c.at, made); a.At("data", "meta", "undo") != nil {
					t.Errorf("an undo is offered to who may not remove it: %s", a.Body)
				}
				gone := undo(t, w.owner, event).Want(t, 202)
				w.endedWork(gone)
				w.owner.Get(at).Want(t, 404)
				if a := eventOf(t, w.owner, c.at, made); a.At("data", "meta", "undo") != nil {
					t.Errorf("an undo is offered of what is gone: %s", a.Body)
				}
			})
		}
		// Removing a site or a database loses what is in it.
		site := w.owner.Post("/orgs/acme/servers/"+w.mine.server+"/sites", w.siteBody(map[string]any{"name": "kept.example.com"})).Want(t, 202)
		w.endedWork(site)
		if a := eventOf(t, w.owner, "/orgs/acme/servers/"+w.mine.server+"/sites", site); a.At("data", "meta", "undo") != nil {
			t.Errorf("an undo is offered of a site: %s", a.Body)
		}
	})
}

// An undo never has a secret, is not offered where the change had one, and not for what was created or deleted.
func TestNoUndo(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	wants := func(what string, at string, a Answer) {
		t.Helper()
		w.ended(at, true)
		if event := eventOf(t, w.owner, at, a); event.At("data", "meta", "applied") == nil || event.At("data", "meta", "undo") != nil {
			t.Errorf("%s: %s", what, event.Body)
		}
	}
	users := []any{map[string]any{"username": "ada", "password": "correct horse"}}
	a := w.owner.Post(w.part("security-rules"), map[string]any{"name": "kept", "path": "/old", "credentials": users}).Want(t, 202)
	rule := w.part("security-rules") + "/" + a.ID()
	w.ended(rule, true)
	wants("a password", rule, w.owner.Put(rule, map[string]any{"name": "kept", "credentials": users}).Want(t, 202))
	rule = w.rules(w.mine.server)
	rule += "/" + w.owner.Post(rule, map[string]any{"name": "web", "port": "80", "type": "allow"}).Want(t, 202).ID()
	w.ended(rule, true)
	wants("no change", rule, w.owner.Put(rule, map[string]any{"name": "web"}).Want(t, 202))
	a = w.owner.Delete(rule).Want(t, 202)
	w.endedWork(a)
	if event := eventOf(t, w.owner, rule, a); event.At("data", "meta", "undo") != nil {
		t.Errorf("deleted: %s", event.Body)
	}
}
