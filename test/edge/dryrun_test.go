package edge

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// A dry run answers with a plan and stores nothing, not even its Idempotency-Key; errors are the same as for the real request.
func TestDryRun(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		tried := 0
		ops := slices.Clone(e.App.Router.Operations())
		// What takes things away comes last, the innermost first: the others need them.
		slices.SortStableFunc(ops, func(a, b api.Operation) int {
			last := func(op api.Operation) int {
				if op.Method != http.MethodDelete {
					return 0
				}
				return 1000 - len(op.Path)
			}
			return last(a) - last(b)
		})
		for _, op := range ops {
			if !op.ChangesHost {
				continue
			}
			tried++
			t.Run(op.ID, func(t *testing.T) {
				s := scenarioOf(op.ID)
				at := s.at(w.mine)
				path := fill(t, op.Path, at)
				body := func() any {
					if s.body == nil {
						return nil
					}
					if op.ID == "organizations.servers.sites.update" { // tags alone change no server
						return map[string]any{"directory": "/public"}
					}
					return s.body(w, 7)
				}
				if s.allowed != 0 { // the state of things forbids it, also when nothing is to be kept
					w.owner.Call(op.Method, path+"?dry_run=true", body()).Want(t, s.allowed)
					return
				}
				before := w.counts()
				a := w.owner.Call(op.Method, path+"?dry_run=true", body(), key("dry")).Want(t, 200)
				if a.At("meta", "dry_run") != true || a.At("data") != nil || a.Header.Get("X-Hostler-Event") != "" || a.Header.Get("Location") != "" {
					t.Errorf("the answer is %s, event %q, location %q", a.Body, a.Header.Get("X-Hostler-Event"), a.Header.Get("Location"))
				}
				if got, want := a.Text("meta", "plan", "servers", 0, "server_id"), at["server"]; got != want {
					t.Errorf("the plan is for server %s, want %s: %s", got, want, a.Body)
				}
				w.unchangedSince(before)
				b := w.owner.Call(op.Method, path+"?dry_run=true", body(), key("dry")).Want(t, 200)
				if diff := cmp.Diff(a.Doc, b.Doc); diff != "" {
					t.Errorf("the second dry run differs:\n%s", diff)
				}
				w.viewer.Call(op.Method, path+"?dry_run=true", body()).Want(t, 403)
				w.stranger.Call(op.Method, path+"?dry_run=true", body()).Want(t, 404)
				if s.body != nil {
					w.owner.Call(op.Method, path+"?dry_run=true",
						`{"name":{},"domain":{},"type":{},"command":{},"processes":{},"frequency":{},"database_ids":{},"balancing":5,"password":{},`+
							`"max_upload_size":"x","max_execution_time":"x","threshold":"x","expires_on":5}`).Want(t, 422)
				}
				w.unchangedSince(before)
				// Held to another plan, it answers what the plan is, and does nothing.
				hash := a.Text("meta", "plan", "hash")
				other := w.owner.Call(op.Method, path, body(), key("dry"), plan(strings.Repeat("0", 64))).Want(t, 409)
				if got := other.At("plan", "hash"); got != hash {
					t.Errorf("the plan of the refusal is %v: %s", got, other.Body)
				}
				w.owner.Call(op.Method, path, body(), plan("none")).Want(t, 400)
				w.owner.Call(op.Method, path, body(), plan("")).Want(t, 400)
				w.unchangedSince(before)
				// The key is free: the real request is not mistaken for the dry one. It is done as planned, and its event says so to those who may do it.
				done := w.owner.Call(op.Method, path+"?dry_run=false", body(), key("dry"), plan(hash)).Want(t, status(op))
				if event := done.Header.Get("X-Hostler-Event"); event != "" && op.ID != "organizations.servers.destroy" {
					at := servers + "/" + a.Text("meta", "plan", "servers", 0, "server_id") + "/events/" + event
					if diff := cmp.Diff(a.At("meta", "plan"), w.owner.Get(at).Want(t, 200).At("data", "meta", "plan")); diff != "" {
						t.Errorf("the event's plan differs:\n%s", diff)
					}
					if seen := w.viewer.Get(at).Want(t, 200); len(seen.At("data", "meta", "plan", "servers").([]any)) > 0 {
						t.Errorf("a viewer reads the plan: %s", seen.Body)
					}
				}
			})
		}
		if tried < 6 {
			t.Errorf("only %d operations have a dry run", tried)
		}
	})
}

// plan holds a request to a plan.
func plan(hash string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(api.PlanHeader, hash) }
}

// What has no plan is held to none: it is refused, whatever kind of request it is.
func TestPlanOfWhatHasNone(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	hash := plan(strings.Repeat("0", 64))
	w.owner.Call(http.MethodGet, servers+"/"+w.mine.server, nil, hash).Want(t, 400)
	w.owner.Call(http.MethodPost, "/orgs/acme/recipes", map[string]any{"name": "r", "user": "root", "script": "true"}, hash).Want(t, 400)
}

// What can't be planned before other work is done says so: the site of a new job may still be on its way.
func TestDryRunBeforeItsSiteExists(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		w.ready(w.mine.server)
		site := w.owner.Post(w.sites(w.mine.server), static("new.example.org")).Want(t, 202).ID()
		for path, body := range map[string]map[string]any{
			w.sites(w.mine.server) + "/" + site + "/scheduled-jobs": {"command": "true", "user": "forge", "frequency": "nightly"},
			servers + "/" + w.mine.server + "/background-processes": {"name": "w", "command": "true", "user": "forge", "processes": 1, "site_id": number(site)},
		} {
			a := w.owner.Post(path+"?dry_run=true", body).Want(t, 200)
			if got := a.Text("meta", "plan", "servers", 0, "actions", 0); got != "can't be planned yet: the site is not on the server" {
				t.Errorf("%s: %s", path, a.Body)
			}
		}
	})
}
