package edge

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// What a client makes can be changed: what a request leaves out stays, null clears, and what is wrong names its field and changes nothing.
func TestWhatIsMadeIsEdited(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		for _, c := range []struct {
			kind, at   string
			made       map[string]any
			change     map[string]any
			want       map[string]any
			cleared    map[string]any // a change with null, and what is shown then
			clearedAs  map[string]any
			bad        map[string]any
			field, say string
		}{
			{
				kind: "firewall rule", at: w.rules(w.mine.server),
				made:   map[string]any{"name": "Office", "port": "5432", "type": "allow", "ip_address": "203.0.113.7"},
				change: map[string]any{"port": "5433"},
				want:   map[string]any{"name": "Office", "port": "5433", "type": "allow", "ip_address": "203.0.113.7", "status": "installing"},

				cleared: map[string]any{"ip_address": nil}, clearedAs: map[string]any{"ip_address": nil, "port": "5433"},
				bad: map[string]any{"port": "70000"}, field: "port", say: "Changing firewall rule Office",
			},
			{
				kind: "redirect", at: w.part("redirect-rules"),
				made:    map[string]any{"from": "^/spring$", "to": "/summer", "type": "redirect"},
				change:  map[string]any{"to": "https://example.com/autumn"},
				want:    map[string]any{"from": "^/spring$", "to": "https://example.com/autumn", "type": "redirect", "status": "installing"},
				cleared: map[string]any{"type": "permanent"}, clearedAs: map[string]any{"from": "^/spring$", "type": "permanent"},
				bad: map[string]any{"from": "^/old$"}, field: "from", say: "Changing redirect from ^/spring$",
			},
			{
				kind: "monitor", at: w.monitors(w.mine.engine),
				made:   map[string]any{"type": "disk", "operator": "gte", "threshold": 90, "minutes": 5, "notify": "ops@example.com"},
				change: map[string]any{"threshold": 75.5},
				want:   map[string]any{"type": "disk", "operator": "gte", "threshold": 75.5, "minutes": 5.0, "notify": "ops@example.com", "status": "installing"},

				cleared: map[string]any{"minutes": nil}, clearedAs: map[string]any{"minutes": nil, "threshold": 75.5},
				bad: map[string]any{"threshold": 101}, field: "threshold", say: "Changing a monitor of disk space",
			},
			{
				kind: "job of a server", at: servers + "/" + w.mine.server + "/scheduled-jobs",
				made:   map[string]any{"name": "report", "command": "true", "user": "root", "frequency": "custom", "cron": "*/10 * * * *"},
				change: map[string]any{"command": "false"},
				want:   map[string]any{"name": "report", "command": "false", "user": "root", "frequency": "Custom", "cron": "*/10 * * * *", "status": "installing"},

				cleared: map[string]any{"name": nil, "frequency": "hourly"}, clearedAs: map[string]any{"name": nil, "frequency": "Hourly", "cron": "0 * * * *"},
				bad: map[string]any{"user": "daemon"}, field: "user", say: "Changing scheduled job report",
			},
			{
				kind: "job of a site", at: w.part("scheduled-jobs"),
				made:    map[string]any{"name": "queue", "command": "true", "user": "forge", "frequency": "hourly"},
				change:  map[string]any{"frequency": "custom", "cron": "5 4 * * *"},
				want:    map[string]any{"name": "queue", "command": "true", "user": "forge", "frequency": "Custom", "cron": "5 4 * * *", "status": "installing"},
				cleared: map[string]any{"cron": "6 4 * * *"}, clearedAs: map[string]any{"frequency": "Custom", "cron": "6 4 * * *"},
				bad: map[string]any{"cron": "every day"}, field: "cron", say: "Changing scheduled job queue",
			},
		} {
			t.Run(c.kind, func(t *testing.T) {
				id := w.owner.Post(c.at, c.made).Want(t, 202).ID()
				at := c.at + "/" + id
				shows := func(a Answer, want map[string]any) {
					t.Helper()
					got := map[string]any{}
					for name := range want {
						got[name] = a.At("data", "attributes", name)
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("attributes (-want +got):\n%s", diff)
					}
				}
				changed := w.owner.Put(at, c.change).Want(t, 202)
				shows(changed, c.want)
				of, _, _ := strings.Cut(strings.TrimPrefix(c.at, servers+"/"), "/")
				event := w.owner.Get(servers+"/"+of+"/events/"+changed.Header.Get("X-Hostler-Event")).Want(t, 200)
				if got := event.Text("data", "attributes", "description"); got != c.say {
					t.Errorf("the event says %q, want %q", got, c.say)
				}
				shows(w.owner.Put(at, c.cleared).Want(t, 202), c.clearedAs)
				before := w.counts()
				wantFields(t, w.owner.Put(at, c.bad), c.field)
				w.unchangedSince(before)
				shows(w.owner.Get(at).Want(t, 200), c.clearedAs)
				w.viewer.Put(at, c.change).Want(t, 403)
				w.stranger.Put(at, c.change).Want(t, 404)
				w.owner.Delete(at).Want(t, 202)
				w.owner.Put(at, c.change).Want(t, 409)
			})
		}
	})
}

// A change of a rule can't take away the last one that opens the SSH port, nor become one that closes it.
func TestEditedRuleKeepsSSH(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	body := serverBody("lockout", "worker")
	body["custom"] = map[string]any{"ip_address": "192.0.2.77", "ssh_port": 2222}
	rules := w.rules(w.owner.Post(servers, body).Want(t, 202).ID())
	ssh := rules + "/" + w.owner.Get(rules).Want(t, 200).IDs()[0]
	for _, change := range []map[string]any{{"port": "2223"}, {"type": "deny", "ip_address": "198.51.100.0/24"}} {
		if got := w.owner.Put(ssh, change).Want(t,
			409).Text("message"); got != "This is the last rule that opens the SSH port; without it Hostler would be locked out." {
			t.Errorf("%v: %q", change, got)
		}
	}
	wantFields(t, w.owner.Put(ssh, map[string]any{"type": "deny"}), "port")
	w.owner.Put(ssh, map[string]any{"ip_address": "198.51.100.0/24", "port": "2220:2230"}).Want(t, 202)
	w.owner.Post(rules, map[string]any{"name": "SSH too", "port": "2222", "type": "allow"}).Want(t, 202)
	w.owner.Put(ssh, map[string]any{"port": "2223"}).Want(t, 202)
}

// A heartbeat that a job was made with follows the job's schedule once the server has it. One whose schedule a person changed keeps it.
func TestHeartbeatFollowsItsJob(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		jobs, beats := w.part("scheduled-jobs"), w.part("heartbeats")
		a := w.owner.Post(jobs, map[string]any{"command": "true", "user": "forge", "frequency": "hourly", "heartbeat": true}).Want(t, 202)
		job, beat := jobs+"/"+a.ID(), beats+"/"+fmt.Sprint(a.At("data", "meta", "job", "heartbeat_id"))
		follows := func(when, want string) {
			t.Helper()
			if got := w.owner.Get(beat).Want(t, 200).Text("data", "attributes", "custom_frequency"); got != want {
				t.Errorf("%s the heartbeat waits for %q, want %q", when, got, want)
			}
		}
		w.ended(job, true)
		w.owner.Put(job, map[string]any{"frequency": "nightly"}).Want(t, 202)
		follows("while the server has the old job,", "0 * * * *")
		w.ended(job, false)
		follows("after a change that failed,", "0 * * * *")
		w.owner.Put(job, map[string]any{"frequency": "nightly"}).Want(t, 202)
		w.ended(job, true)
		follows("after the change,", "0 0 * * *")
		wantFields(t, w.owner.Put(job, map[string]any{"frequency": "reboot"}), "frequency")
		w.owner.Put(beat, map[string]any{"name": "mine", "frequency": -1, "custom_frequency": "7 7 * * *", "grace_period": 5}).Want(t, 200)
		w.owner.Put(job, map[string]any{"frequency": "weekly"}).Want(t, 202)
		w.ended(job, true)
		follows("with a schedule of its own,", "7 7 * * *")
	})
}

// A monitor of another URL begins in the state UNKNOWN: neither failures of the old one nor notifications of them count.
func TestMonitorOfAnotherURLBeginsAnew(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	monitors := w.monitors(w.mine.server)
	id := w.owner.Post(monitors, map[string]any{
		"type": "url", "operator": "gte", "threshold": 1, "notify": "ops@example.com", "url": "https://example.com/up",
	}).Want(t, 202).ID()
	w.ended(monitors+"/"+id, true)
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "UPDATE monitors SET state = 'ALERT', notified = 'ALERT', failed = $1, in_succession = 7 WHERE id = $2", true, number(id))
		return err
	})
	states := func(change map[string]any, want string) {
		t.Helper()
		if got := w.owner.Put(monitors+"/"+id, change).Want(t, 202).Text("data", "attributes", "state"); got != want {
			t.Errorf("with %v it is %s, want %s", change, got, want)
		}
	}
	states(map[string]any{"minutes": 3}, "ALERT")
	states(map[string]any{"url": "https://example.com/health"}, "UNKNOWN")
	wantFields(t, w.owner.Put(monitors+"/"+id, map[string]any{"url": "ftp://example.com/"}), "url")
	wantFields(t, w.owner.Put(monitors+"/"+id, map[string]any{"url": ""}), "url")
	wantFields(t, w.owner.Put(monitors+"/"+id, map[string]any{"threshold": 2}), "threshold")
}
