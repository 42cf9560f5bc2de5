package edge

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// ended ends the work behind a resource as its server would, after older work on it, which succeeds.
func (w *world) ended(path string, done bool, reason ...string) {
	w.T.Helper()
	w.endedInOrder(number(w.owner.Get(path).Want(w.T, 200).Text("data", "meta", "operation", "id")), done, reason...)
}

func (w *world) endedInOrder(id int64, done bool, reason ...string) {
	w.T.Helper()
	var older []int64
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		rows, err := tx.SQL.QueryContext(ctx, `SELECT o.id FROM operations o JOIN operations n ON n.id = $1 WHERE o.id < n.id AND o.state = 'pending' AND
			o.resource_type = n.resource_type AND o.resource_id = n.resource_id ORDER BY o.id`, id)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var n int64
			if err := rows.Scan(&n); err != nil {
				return err
			}
			older = append(older, n)
		}
		return rows.Err()
	})
	for _, n := range older {
		w.endedOperation(n, true)
	}
	w.endedOperation(id, done, reason...)
}

func (w *world) endedOperation(id int64, done bool, reason ...string) {
	w.T.Helper()
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		op, err := tx.Ungranted().GetOperation(ctx, id)
		if err != nil {
			return err
		}
		end := query.EndOperationParams{ID: id, State: "succeeded", UpdatedAt: tx.Micros()}
		if !done {
			end.State, end.Reason, end.ReasonCode = "failed", strings.Join(reason, " "), "failed"
		}
		if _, err := tx.EndOperation(ctx, end); err != nil {
			return err
		}
		return w.App.Ledger.Settle(ctx, tx, op, done)
	})
}

// begun has the work behind a resource under way, and returns its operation.
func (w *world) begun(path string) int64 {
	w.T.Helper()
	id := number(w.owner.Get(path).Want(w.T, 200).Text("data", "meta", "operation", "id"))
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "UPDATE operations SET state = 'running' WHERE id = $1", id)
		return err
	})
	return id
}

// alias returns a site a domain that is served.
func (w *world) alias(at, name, www string) string {
	w.T.Helper()
	path := at + "/domains/" + w.owner.Post(at+"/domains", map[string]any{
		"name": name, "www_redirect_type": www, "allow_wildcard_subdomains": false,
	}).Want(w.T, 202).ID()
	w.ended(path, true)
	return path
}

func (w *world) retry(server, path string) Answer {
	w.T.Helper()
	return w.owner.Post(servers+"/"+server+"/events/"+w.owner.Get(path).Text("data", "meta", "operation", "event_id")+"/retry", nil)
}

// A domain whose change failed releases the names that it would have had. A retry claims them again, or is refused if another domain has them.
func TestRetriedDomainClaimsItsNames(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at := w.sites(w.mine.server) + "/" + w.mine.site
		d := w.alias(at, "shop.example.org", "none")
		change := map[string]any{"www_redirect_type": "from-www"}
		w.owner.Call("PATCH", d, change).Want(t, 200)
		w.ended(d, false)
		if got := w.owner.Get(d).Text("data", "attributes", "www_redirect_type"); got != "none" {
			t.Errorf("after the failure the policy is %s", got)
		}
		w.retry(w.mine.server, d).Want(t, 202)
		wantFields(t, w.owner.Post(at+"/domains", map[string]any{
			"name": "www.shop.example.org", "www_redirect_type": "none", "allow_wildcard_subdomains": false,
		}), "name")
		w.ended(d, false)
		w.alias(at, "www.shop.example.org", "none")
		w.retry(w.mine.server, d).Want(t, 409)
		if got := w.owner.Get(d); got.Text("data", "attributes", "www_redirect_type") != "none" || got.Text("data", "meta", "operation", "state") != "failed" {
			t.Errorf("after a retry that was refused: %s", got.Body)
		}
	})
}

// Work that is tried again goes back to how the domain is now if it fails again, and does not overtake newer work.
func TestRetriedDomainKeepsWhatCameLater(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	at := w.sites(w.mine.server) + "/" + w.mine.site
	d := w.alias(at, "shop.example.org", "none")
	change := func(www string) (retry string) {
		t.Helper()
		w.owner.Call("PATCH", d, map[string]any{"www_redirect_type": www}).Want(t, 200)
		return servers + "/" + w.mine.server + "/events/" + w.owner.Get(d).Text("data", "meta", "operation", "event_id") + "/retry"
	}
	want := func(when, www string) {
		t.Helper()
		if got := w.owner.Get(d).Text("data", "attributes", "www_redirect_type"); got != www {
			t.Errorf("%s it is %s", when, got)
		}
	}
	again := change("from-www")
	w.ended(d, false)
	change("to-www")
	w.owner.Post(again, nil).Want(t, 409)
	w.ended(d, true)
	w.owner.Post(again, nil).Want(t, 409)
	want("after newer work succeeded", "to-www")
	again = change("from-www")
	w.ended(d, false)
	w.owner.Post(again, nil).Want(t, 202)
	want("tried again", "from-www")
	w.ended(d, false)
	want("failed again", "to-www")
}

// A domain that could be neither connected nor deleted does not say that it is served.
func TestDomainThatNeverWasIsNotEnabled(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at := w.sites(w.mine.server) + "/" + w.mine.site
		d := at + "/domains/" + w.owner.Post(at+"/domains", map[string]any{
			"name": "shop.example.org", "www_redirect_type": "none", "allow_wildcard_subdomains": false,
		}).Want(t, 202).ID()
		want := func(status string) {
			t.Helper()
			if got := w.owner.Get(d).Text("data", "attributes", "status"); got != status {
				t.Errorf("the domain is %s, want %s", got, status)
			}
		}
		want("connecting")
		w.ended(d, false)
		want("disabled")
		w.owner.Call("DELETE", d, nil).Want(t, 204)
		want("removing")
		w.ended(d, false)
		want("disabled")
		w.owner.Post(d+"/actions", map[string]any{"action": "enable"}).Want(t, 202)
		w.ended(d, true)
		want("enabled")
	})
}

// Of two changes of which neither could be made, neither is shown; and the primary domain can't go while it may have to be so again.
func TestFailedChangesLeaveNothing(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at := w.sites(w.mine.server) + "/" + w.mine.site
		w.ended("/orgs/acme/sites/"+w.mine.site, true)
		d := w.alias(at, "shop.example.org", "none")
		change := func(www string) {
			t.Helper()
			w.owner.Call("PATCH", d, map[string]any{"www_redirect_type": www}).Want(t, 200)
		}
		change("from-www")
		first := w.begun(d)
		change("to-www")
		w.endedOperation(first, false)
		w.ended(d, false)
		if a := w.owner.Get(d); a.Text("data", "attributes", "www_redirect_type") != "none" || a.Text("data", "attributes", "status") != "enabled" {
			t.Errorf("after two changes that failed: %s", a.Body)
		}
		old := at + "/domains/" + w.owner.Get(at + "/domains?filter[type]=primary").IDs()[0]
		w.owner.Post(d+"/actions", map[string]any{"action": "mark-as-primary"}).Want(t, 202)
		w.owner.Call("DELETE", old, nil).Want(t, 409)
		w.owner.Post(old+"/actions", map[string]any{"action": "disable"}).Want(t, 409)
		w.ended(d, true)
		w.owner.Call("DELETE", old, nil).Want(t, 204)
	})
}

// The primary domain is the old one again when making another so fails.
func TestFailedPrimaryGivesWay(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at := w.sites(w.mine.server) + "/" + w.mine.site
		w.ended("/orgs/acme/sites/"+w.mine.site, true)
		b, c := w.alias(at, "b.example.org", "none"), w.alias(at, "c.example.org", "none")
		primary := func(want string) {
			t.Helper()
			list := w.owner.Get(at+"/domains?filter[type]=primary").Want(t, 200)
			if got := list.Text("data", 0, "attributes", "name"); got != want || len(list.IDs()) != 1 {
				t.Errorf("primary is %s, want %s", got, want)
			}
			if got := w.owner.Get("/orgs/acme/sites/"+w.mine.site).Text("data", "attributes", "name"); got != want {
				t.Errorf("the site is named %s, want %s", got, want)
			}
		}
		mark := func(d string) { w.owner.Post(d+"/actions", map[string]any{"action": "mark-as-primary"}).Want(t, 202) }
		mark(b)
		primary("b.example.org")
		w.ended(b, false)
		primary("one.example.com")
		w.retry(w.mine.server, b).Want(t, 202)
		primary("b.example.org")
		w.ended(b, false)
		primary("one.example.com")
		// In sequence: the second wish stays while the first fails, and falls back to the state before both.
		mark(b)
		first := w.begun(b)
		mark(c)
		w.endedOperation(first, false)
		primary("c.example.org")
		w.ended(c, false)
		primary("one.example.com")
		mark(b)
		w.ended(b, true)
		primary("b.example.org")
	})
}

// A site's www and subdomain settings are those of its primary domain: when that is changed, when it can't be, and when another one replaces it.
func TestSiteFollowsItsPrimaryDomain(t *testing.T) {
	t.Parallel()
	Both(t, func(t *testing.T, e *Env) {
		w := newWorld(e)
		at := w.sites(w.mine.server) + "/" + w.mine.site
		w.ended("/orgs/acme/sites/"+w.mine.site, true)
		primary, other := at+"/domains/"+w.mine.domain, w.alias(at, "other.example.org", "none")
		for _, d := range w.owner.Get(at+"/domains?filter[type]=primary").Want(t, 200).IDs() {
			primary = at + "/domains/" + d
		}
		want := func(when, alias string, wildcards bool) {
			t.Helper()
			a := w.owner.Get("/orgs/acme/sites/"+w.mine.site).Want(t, 200)
			var got string
			for _, name := range a.At("data", "attributes", "aliases").([]any) {
				if strings.HasPrefix(fmt.Sprint(name), "www.") {
					got += fmt.Sprint(name)
				}
			}
			if a.At("data", "attributes", "wildcards") != wildcards || got != alias {
				t.Errorf("%s the site has wildcards %v and the alias %q, want %v and %q", when, a.At("data", "attributes", "wildcards"), got, wildcards, alias)
			}
		}
		change := func(d, www string, wildcards bool) {
			t.Helper()
			w.owner.Call("PATCH", d, map[string]any{"www_redirect_type": www, "allow_wildcard_subdomains": wildcards}).Want(t, 200)
		}
		change(other, "to-www", false)
		w.ended(other, true)
		change(primary, "none", true)
		w.ended(primary, true)
		want("after its primary domain was changed", "", true)
		change(primary, "none", false)
		want("while its primary domain is changed", "", false)
		w.ended(primary, false)
		want("after its primary domain could not be changed", "", true)
		change(primary, "from-www", true)
		w.ended(primary, true)
		w.owner.Post(other+"/actions", map[string]any{"action": "mark-as-primary"}).Want(t, 202)
		want("while another one becomes primary", "www.other.example.org", false)
		w.ended(other, false)
		want("after another one could not become primary", "", true)
		w.owner.Post(other+"/actions", map[string]any{"action": "mark-as-primary"}).Want(t, 202)
		w.ended(other, true)
		want("after another one became primary", "www.other.example.org", false)
		change(primary, "none", true)
		w.ended(primary, true)
		want("after the one that was primary was changed", "www.other.example.org", false)
	})
}

// ready makes a server one that is set up, and can't be reached.
func (w *world) ready(server string) {
	w.T.Helper()
	facts := must(json.Marshal(wire.Facts{OS: "debian", OSVersion: "12", Arch: "amd64", Packages: map[string]string{"nginx": "1.22.1-9+deb12u2"}}))
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET is_ready = TRUE, ip_address = '127.0.0.1', ssh_port = 1, facts = $2 WHERE id = $1", number(server),
			string(facts))
		return err
	})
}

// A user's version is merged with our changes from the text that the user had before them, whether open work succeeds or fails.
func TestConfigurationBesideOtherWork(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		late, done bool // whether the text was fetched after the work was accepted, and its result
	}{{"from before, done", false, true}, {"from before, failed", false, false}, {"from after, done", true, true}, {"from after, failed", true, false}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := World(t, db.SQLite)
			at := w.sites(w.mine.server) + "/" + w.mine.site
			w.ended("/orgs/acme/sites/"+w.mine.site, true)
			d := w.alias(at, "shop.example.org", "none")
			w.ready(w.mine.server)
			text := func() string {
				t.Helper()
				return w.owner.Get(d+"/nginx").Want(t, 200).Text("data", "attributes", "content")
			}
			const own = "    add_header X-Own one;\n"
			mine := func(ours string) string {
				return strings.Replace(ours, "    include /etc/nginx/hostler-conf/", own+"    include /etc/nginx/hostler-conf/", 1)
			}
			before := text()
			c := d + "/certificates/" + w.owner.Post(d+"/certificates", certificateBody(t, "shop.example.org")).Want(t, 202).ID()
			after := text()
			if before == after || !strings.Contains(after, "ssl_certificate") {
				t.Fatalf("a certificate changes nothing:\n%s", after)
			}
			fetched, want := before, mine(before)
			if tt.late {
				fetched = after
			}
			if tt.done {
				want = mine(after)
			}
			w.owner.Put(d+"/nginx", map[string]any{"config": mine(fetched)}).Want(t, 202)
			id := number(w.owner.Get(c).Text("data", "meta", "operation", "id"))
			w.endedOperation(id, tt.done)
			w.ended(d, true)
			if diff := cmp.Diff(want, text()); diff != "" {
				t.Errorf("the configuration (-want +got):\n%s", diff)
			}
		})
	}
}

// An unreachable server is not our failure: the answer says so.
func TestDriftOfServerThatIsAway(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	w.ready(w.mine.server)
	at := w.sites(w.mine.server) + "/" + w.mine.site + "/nginx?drift=true"
	a := w.owner.Get(at).Want(t, 200)
	if got := a.Text("data", "meta", "nginx", "problem"); !strings.HasPrefix(got, "The server can't be compared: ") {
		t.Errorf("the problem is %q", got)
	}
	if got := a.Text("data", "attributes", "content"); !strings.Contains(got, "server_name one.example.com") {
		t.Errorf("the content is %q", got)
	}
}

// The records that a domain needs are shown with their state in DNS.
func TestDomainRecordsAreLookedUp(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	at := w.sites(w.mine.server) + "/" + w.mine.site + "/domains/" + w.mine.domain
	w.ready(w.mine.server)
	a := w.owner.Get(at+"/configurations").Want(t, http.StatusOK)
	if a.Text("data", 0, "attributes", "name") != "one-too.example.com" || a.At("data", 0, "meta", "record", "seen") != false ||
		a.At("data", 0, "meta", "record", "problem") == nil {
		t.Errorf("without an answer of the DNS: %s", a.Body)
	}
	if found, _ := a.At("data", 0, "meta", "record", "found").([]any); slices.Contains(found, any("127.0.0.1")) || found == nil {
		t.Errorf("found is %v", found)
	}
}
