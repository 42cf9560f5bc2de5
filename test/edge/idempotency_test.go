package edge

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

func key(k string) Option { return Header("Idempotency-Key", k) }

func TestIdempotency(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		path := w.rules(w.mine.server)
		body := `{"name":"once <&> ü","type":"allow","port":"81"}`
		first := w.owner.Post(path, body, key("k-1")).Want(t, 202)
		before := w.counts()
		e.Clock.Move(time.Hour)
		again := w.owner.Post(path, body, key("k-1")).Want(t, 202)
		if !bytes.Equal(first.Body, again.Body) {
			t.Errorf("the second answer is %s, the first %s", again.Body, first.Body)
		}
		for _, name := range []string{"Location", "X-Hostler-Event", "Content-Type", "Content-Length"} {
			if got, want := again.Header.Get(name), first.Header.Get(name); got != want || want == "" {
				t.Errorf("%s is %q, the first time %q", name, got, want)
			}
		}
		w.unchangedSince(before)
		for name, other := range map[string]string{"another value": strings.Replace(body, "81", "82", 1), "other blanks": body + " ", "nothing": ""} {
			if a := w.owner.Post(path, other, key("k-1")).Want(t, 409); a.Text("message") != "This Idempotency-Key was used for another request." {
				t.Errorf("%s: %s", name, a.Body)
			}
		}
		w.owner.Post(path+"?x=1", body, key("k-1")).Want(t, 409)
		w.unchangedSince(before)

		// Another key, route or token is another request; so is none.
		other, _ := w.Token(w.users["owner"], Everything(), nil)
		ids := map[string]bool{first.ID(): true}
		for name, a := range map[string]Answer{
			"another key":          w.owner.Post(path, body, key("k-2")),
			"the key in capitals":  w.owner.Post(path, body, key("K-1")),
			"another token":        w.As(other).Post(path, body, key("k-1")),
			"another server":       w.owner.Post(w.rules(w.other.server), body, key("k-1")),
			"somebody else's":      w.stranger.Post("/orgs/other/servers/"+w.foreign.server+"/firewall-rules", body, key("k-1")),
			"no key":               w.owner.Post(path, body),
			"no key another time":  w.owner.Post(path, body, key("")),
			"a key of 255 letters": w.owner.Post(path, body, key(strings.Repeat("k", 255))),
		} {
			a.Want(t, 202)
			if ids[a.ID()] {
				t.Errorf("%s: the rule %s was answered before", name, a.ID())
			}
			ids[a.ID()] = true
		}
		for _, bad := range []string{strings.Repeat("k", 256), "schlüssel", "a\tb"} {
			w.owner.Post(path, body, key(bad)).Want(t, 400)
		}
		e.Clock.Move(23*time.Hour - time.Microsecond)
		w.owner.Post(path, body, key("k-1")).Want(t, 202)
		if again := w.owner.Post(path, body, key("k-1")).Want(t, 202); again.ID() != first.ID() {
			t.Error("the answer was not kept for 24 hours")
		}
		e.Clock.Move(2 * time.Microsecond)
		late := w.owner.Post(path, body, key("k-1")).Want(t, 202)
		if late.ID() == first.ID() {
			t.Error("the answer was kept for longer than 24 hours")
		}
		if again := w.owner.Post(path, body, key("k-1")).Want(t, 202); !bytes.Equal(again.Body, late.Body) {
			t.Error("the new answer is not kept")
		}
	})
}

// What failed is not kept: the same key works once the reason is gone.
func TestIdempotencyOfFailures(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		before := w.counts()
		w.owner.Post(w.sites(w.mine.server), static("one.example.com"), key("k")).Want(t, 422) // in use
		w.owner.Post("/orgs/acme/servers/999999/sites", static("x.example.com"), key("k")).Want(t, 404)
		w.viewer.Post(w.sites(w.mine.server), static("x.example.com"), key("k")).Want(t, 403)
		w.owner.Post("/orgs/acme/servers/"+w.mine.server+"/events/"+w.mine.event+"/retry", nil, key("k")).Want(t, 409)
		w.unchangedSince(before)
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.DeleteSite(ctx, number(w.mine.site))
			return err
		})
		a := w.owner.Post(w.sites(w.mine.server), static("one.example.com"), key("k")).Want(t, 202)
		if b := w.owner.Post(w.sites(w.mine.server), static("one.example.com"), key("k")).Want(t, 202); !bytes.Equal(a.Body, b.Body) {
			t.Error("the second answer differs")
		}
	})
}

// A secret that is shown once is not shown again, and not kept.
func TestIdempotencyOfSecrets(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		body := serverBody("once", "app")
		first := w.owner.Post(servers, body, key("k")).Want(t, 202)
		command := first.Text("data", "meta", "bootstrap", "command")
		if first.At("data", "meta", "secret_shown") != nil || !strings.Contains(command, "bootstrap") {
			t.Fatalf("meta of the first answer is %v", first.At("data", "meta"))
		}
		again := w.owner.Post(servers, body, key("k")).Want(t, 202)
		if again.At("data", "meta", "bootstrap") != nil || again.At("data", "meta", "secret_shown") != true {
			t.Errorf("meta of the second answer is %v", again.At("data", "meta"))
		}
		meta := first.At("data", "meta").(map[string]any)
		delete(meta, "bootstrap")
		meta["secret_shown"] = true
		if diff := cmp.Diff(first.Doc, again.Doc); diff != "" {
			t.Errorf("the rest differs (-first +second):\n%s", diff)
		}
		third := w.owner.Post(servers, body, key("k")).Want(t, 202)
		if !bytes.Equal(again.Body, third.Body) {
			t.Error("the third answer differs from the second")
		}
		var stored []byte
		row := e.App.DB.SQLDB().QueryRowContext(t.Context(), "SELECT response FROM idempotency_keys WHERE idempotency_key = 'k'")
		if err := row.Scan(&stored); err != nil {
			t.Fatal(err)
		}
		if len(stored) == 0 || bytes.Contains(stored, []byte("once")) || bytes.Contains(stored, []byte("servers")) {
			t.Errorf("the kept answer is not sealed: %q", stored)
		}
	})
}

// Every operation that creates or starts something honours the key: the second request is answered as the first one was, and does nothing.
func TestEveryPostHonoursItsKey(t *testing.T) {
	t.Parallel()
	for _, op := range New(t, db.SQLite).App.Router.Operations() {
		if op.Method != http.MethodPost || op.Public {
			continue
		}
		if op.ID == "organizations.servers.transfer.store" { // repeated, it finds the server no more, as its description says
			continue
		}
		t.Run(op.ID, func(t *testing.T) {
			t.Parallel()
			w := World(t, db.SQLite)
			s := scenarioOf(op.ID)
			if s.before != nil {
				s.before(w, w.mine)
			}
			caller, path, body := w.owner, fill(t, op.Path, s.at(w.mine)), any(nil)
			if op.Personal {
				caller = w.Session(w.users["owner"])
			}
			if s.body != nil {
				body = s.body(w, 1)
			}
			first := caller.Post(path, body, key("once"))
			if first.Status >= 300 {
				first.Want(t, s.allowed)
				return
			}
			before := w.counts()
			again := caller.Post(path, body, key("once")).Want(t, first.Status)
			w.unchangedSince(before)
			if third := caller.Post(path, body, key("once")); !bytes.Equal(again.Body, third.Body) {
				t.Errorf("the third answer is %s, the second %s", third.Body, again.Body)
			}
			if again.At("data", "meta", "secret_shown") == nil && !bytes.Equal(first.Body, again.Body) && !bytes.Contains(again.Body, []byte("[redacted]")) {
				t.Errorf("the second answer is %s, the first %s", again.Body, first.Body)
			}
		})
	}
}

// What ended with the program is not known to have happened. Its key is refused for as long as a request can take, and free after that.
func TestKeyOfAnInterruptedRequest(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at := cloudAccount(t, w, strings.ReplaceAll(t.Name(), "/", "-")) + "/regions/fsn1/vpcs"
		body := map[string]any{"name": "backend"}
		w.owner.Post(at, body, key("k")).Want(t, 201)
		if _, err := w.App.DB.SQLDB().ExecContext(t.Context(), `UPDATE idempotency_keys SET status = 0, response = NULL`); err != nil {
			t.Fatal(err)
		}
		if a := w.owner.Post(at, body, key("k")).Want(t, 409); a.Text("message") != "A request with this Idempotency-Key is in progress." {
			t.Errorf("the message is %s", a.Body)
		}
		w.Clock.Move(11 * time.Minute)
		wantFields(t, w.owner.Post(at, body, key("k")), "name") // there is one of this name
		w.owner.Post(at, map[string]any{"name": "frontend"}, key("k")).Want(t, 201)
	})
}

// Twins that come at once become one row, and all get its answer.
func TestTwins(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		before := w.counts()
		const n = 20
		got := atOnce(t, n, func(int) (Answer, error) {
			return w.owner.Try("POST", w.rules(w.mine.server), `{"name":"twin","type":"allow","port":"81"}`, key("twins"))
		})
		if diff := cmp.Diff(map[int]int{202: n}, statuses(got)); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
		for _, a := range got {
			if !bytes.Equal(a.Body, got[0].Body) || a.Header.Get("X-Hostler-Event") != got[0].Header.Get("X-Hostler-Event") {
				t.Errorf("the answers differ: %s and %s", a.Body, got[0].Body)
			}
		}
		after := w.counts()
		for _, table := range []string{"firewall_rules", "operations", "events", "river_job", "idempotency_keys"} {
			if n := after[table] - before[table]; n != 1 {
				t.Errorf("%d new rows in %s, want 1", n, table)
			}
		}
	})
}

// Concurrent requests for different things all succeed, and none waits for one that waits.
func TestCrowd(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		got := atOnce(t, 30, func(i int) (Answer, error) {
			switch i % 3 {
			case 0:
				return w.owner.Try("POST", w.sites(w.mine.server), static(fmt.Sprintf("crowd-%d.example.org", i)))
			case 1:
				return w.owner.Try("POST", w.rules(w.mine.server), map[string]any{"name": fmt.Sprint(i), "type": "allow", "port": "81"}, key(fmt.Sprint(i)))
			default:
				return w.viewer.Try("GET", "/orgs/acme/sites?include=server,tags", nil)
			}
		})
		if diff := cmp.Diff(map[int]int{202: 20, 200: 10}, statuses(got)); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
	})
}

// A write that fails midway leaves nothing: no row, event, operation, job or key.
func TestNothingOfAFailedWriteStays(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		before := w.counts()
		taken := static("one.example.com", "allow_wildcard_subdomains", true, "tags", []string{"new"})
		wantFields(t, w.owner.Post(w.sites(w.mine.server), taken, key("a")), "name")
		wantFields(t, w.owner.Post(w.balancerPath(w.mine.balancer), map[string]any{
			"domain": "one.example.com", "balancing": []any{map[string]any{"server_id": number(w.mine.server)}},
		}, key("b")), "domain")
		w.unchangedSince(before)

		// The last step of a write is its job. Where there is no table for jobs, the whole write is rolled back.
		hide := func(from, to string) {
			t.Helper()
			if _, err := e.App.DB.SQLDB().ExecContext(t.Context(), "ALTER TABLE "+from+" RENAME TO "+to); err != nil {
				t.Fatal(err)
			}
		}
		hide("river_job", "river_job_hidden")
		for _, call := range []struct {
			method, path string
			body         any
		}{
			{"POST", w.sites(w.mine.server), static("x.example.com", "tags", []string{"new"})},
			{"POST", servers, serverBody("x", "app")},
			{"POST", w.rules(w.mine.server), map[string]any{"name": "x", "type": "allow", "port": "81"}},
			{"POST", w.balancerPath(w.mine.balancer), map[string]any{"domain": "x.example.com", "balancing": []any{map[string]any{"server_id": number(w.mine.server)}}}},
			{"PUT", w.sites(w.mine.server) + "/" + w.mine.site, map[string]any{"directory": "x"}},
			{"PUT", w.sites(w.mine.balancer) + "/" + w.mine.balancerSite + "/load-balancing-nodes", map[string]any{
				"balancer_method": "ip_hash", "balancing": []any{map[string]any{"server_id": number(w.other.server), "weight": 5}},
			}},
			{"DELETE", w.rules(w.mine.server) + "/" + w.mine.rule, nil},
			{"DELETE", w.sites(w.mine.server) + "/" + w.mine.site, nil},
			{"DELETE", servers + "/" + w.mine.balancer, nil},
		} {
			a := w.fails(call.method, call.path, call.body, key("c"))
			if a.Status != 500 || string(a.Body) != `{"message":"Server error."}` || a.Header.Get("Location") != "" {
				t.Errorf("%s %s answered %d %s", call.method, call.path, a.Status, a.Body)
			}
			if !strings.Contains(e.Log.String(), "request_id="+a.Header.Get("X-Request-Id")) {
				t.Errorf("%s %s: the log has no line for the request %s", call.method, call.path, a.Header.Get("X-Request-Id"))
			}
		}
		e.Log.Reset()
		hide("river_job_hidden", "river_job")
		w.unchangedSince(before)
		for path, want := range map[string]string{w.rules(w.mine.server) + "/" + w.mine.rule: "installing", "/orgs/acme/sites/" + w.mine.site: "installing"} {
			if got := w.owner.Get(path).Want(t, 200).Text("data", "attributes", "status"); got != want {
				t.Errorf("%s is %s, want %s", path, got, want)
			}
		}
		if got := w.nodes(w.mine.balancerSite); len(got) != 1 || got[0].(map[string]any)["weight"] != 1.0 {
			t.Errorf("the nodes are %v", got)
		}
		w.owner.Post(w.sites(w.mine.server), static("x.example.com"), key("c")).Want(t, 202) // the key is free
	})
}
