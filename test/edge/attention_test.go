package edge

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// attention returns the kinds and names of what needs attention, in the order of the answer.
func attention(t *testing.T, c *Client) []string {
	t.Helper()
	a := c.Get("/orgs/acme/attention").Want(t, 200)
	list, _ := a.At("data").([]any)
	out := []string{}
	for _, item := range list {
		at := item.(map[string]any)["attributes"].(map[string]any)
		out = append(out, fmt.Sprintf("%s %s", at["kind"], at["subject"]))
	}
	return out
}

// Failures, unreachable servers, expiring and unproven things are listed, each once and the most urgent first; callers do not see
// servers that are not theirs.
func TestAttention(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		w.Tx(func(ctx context.Context, tx *db.Tx) error { // as if all were well
			for _, q := range []string{
				"UPDATE servers SET status = 'ready', connection_status = 'connected', is_ready = TRUE", "UPDATE operations SET state = 'succeeded'",
				"UPDATE projects SET deployment_status = 'finished'", "UPDATE backup_configurations SET alarm = NULL, verified_at = 1",
				"UPDATE certificates SET failure = '', expires_at = NULL",
				"UPDATE heartbeats SET status = 'beating'",
			} {
				if _, err := tx.SQL.ExecContext(ctx, q); err != nil {
					return err
				}
			}
			return nil
		})
		if got := attention(t, w.owner); len(got) != 0 {
			t.Errorf("while all is well: %v", got)
		}
		name := func(path string) string { return w.owner.Get(path).Want(t, 200).Text("data", "attributes", "name") }
		mine, other := name(servers+"/"+w.mine.server), name(servers+"/"+w.other.server)
		site := name("/orgs/acme/sites/" + w.mine.site)
		configuration := name(servers + "/" + w.mine.engine + "/database/backups/" + w.mine.configuration)
		domain := name(servers + "/" + w.mine.server + "/sites/" + w.mine.site + "/domains/" + w.mine.domain)
		now := e.Clock.Now()
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			for _, q := range []struct {
				text string
				args []any
			}{
				{"UPDATE servers SET connection_status = 'disconnected' WHERE id = $1", []any{number(w.other.server)}},
				{"INSERT INTO settings (name, value) VALUES ($1, 'differs')", []any{"drift:" + w.mine.server}},
				{"INSERT INTO settings (name, value) VALUES ($1, 'differs')", []any{"drift:" + w.foreign.server}},
				{"UPDATE projects SET deployment_status = 'failed', latest_deployment_id = $2 WHERE site_id = $1", []any{number(w.mine.site), number(w.mine.deployment)}},
				{"UPDATE deployments SET unserved = 'The web directory public is empty.' WHERE id = $1", []any{number(w.mine.deployment)}},
				{"UPDATE scheduled_jobs SET name = 'report', unstarted = 'It was due and has not started.' WHERE id = $1", []any{number(w.mine.serverJob)}},
				{"UPDATE projects SET live_deployment_id = $2 WHERE site_id = $1", []any{number(w.mine.site), number(w.mine.deployment)}},
				{"UPDATE domains SET certificate_id = $2 WHERE id = $1", []any{number(w.mine.domain), number(w.mine.certificate)}},
				{"UPDATE certificates SET expires_at = $2 WHERE id = $1", []any{number(w.mine.certificate), now.Add(3 * 24 * time.Hour).UnixMicro()}},
				{
					"UPDATE backup_configurations SET verified_at = NULL, created_at = $2 WHERE id = $1",
					[]any{number(w.mine.configuration), now.Add(-48 * time.Hour).UnixMicro()},
				},
				{"UPDATE backup_configurations SET alarm = 'The bucket is gone.' WHERE id = $1", []any{number(w.foreign.configuration)}},
			} {
				if _, err := tx.SQL.ExecContext(ctx, q.text, q.args...); err != nil {
					return fmt.Errorf("%s: %w", q.text, err)
				}
			}
			return nil
		})
		want := []string{
			"server-unreachable " + other, "deployment-failed " + site, "job-not-started report", "nothing-served " + site, "certificate-ending " + domain,
			"drift " + mine, "backup-unproven " + configuration,
		}
		if got := attention(t, w.owner); strings.Join(got, ", ") != strings.Join(want, ", ") {
			t.Errorf("got  %v\nwant %v", got, want)
		}
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			if _, err := tx.SQL.ExecContext(ctx, "UPDATE certificates SET failure = 'DNS leads elsewhere' WHERE id = $1", number(w.mine.certificate)); err != nil {
				return err
			}
			_, err := tx.SQL.ExecContext(ctx, "UPDATE backup_configurations SET alarm = 'The proof failed.' WHERE id = $1", number(w.mine.configuration))
			return err
		})
		want = []string{
			"server-unreachable " + other, "deployment-failed " + site, "certificate-failing " + domain, "backup-alarm " + configuration,
			"job-not-started report", "nothing-served " + site, "drift " + mine,
		}
		if got := attention(t, w.owner); strings.Join(got, ", ") != strings.Join(want, ", ") {
			t.Errorf("got  %v\nwant %v", got, want)
		}
		// The loner is in the team of the other things alone.
		if got := attention(t, e.Of(w.users["loner"])); strings.Contains(strings.Join(got, ", "), mine) || strings.Contains(strings.Join(got, ", "), site) {
			t.Errorf("somebody without these servers reads %v", got)
		}
		if a := w.stranger.Get("/orgs/acme/attention"); a.Status != 404 {
			t.Errorf("a stranger reads %d %s", a.Status, a.Body)
		}
	})
}

// A nearly full disk, a missing heartbeat and updates that wait for a reboot are listed, and a server that is being rebooted is not.
func TestAttentionOfHosts(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		set := func(text string, args ...any) {
			t.Helper()
			w.Tx(func(ctx context.Context, tx *db.Tx) error {
				_, err := tx.SQL.ExecContext(ctx, text, args...)
				return err
			})
		}
		set("UPDATE servers SET status = 'ready', connection_status = 'connected', is_ready = TRUE, facts = '{\"boot_id\": \"a-boot\"}'")
		set("UPDATE operations SET state = 'succeeded'")
		set("UPDATE projects SET deployment_status = 'finished'")
		set("UPDATE backup_configurations SET alarm = NULL, verified_at = 1")
		name := func(path string) string { return w.owner.Get(path).Want(t, 200).Text("data", "attributes", "name") }
		mine, other := name(servers+"/"+w.mine.server), name(servers+"/"+w.other.server)
		disk := func(id string, size, free int64) {
			set("UPDATE servers SET disk_bytes = $2, disk_free_bytes = $3 WHERE id = $1", number(id), size, free)
		}
		wantNow := func(who *Client, want ...string) {
			t.Helper()
			if got := attention(t, who); strings.Join(got, ", ") != strings.Join(want, ", ") {
				t.Errorf("got  %v\nwant %v", got, want)
			}
		}
		disk(w.mine.server, 40_000_000_000, 5_000_000_000)
		wantNow(w.owner)
		disk(w.mine.server, 40_000_000_000, 3_900_000_000)
		disk(w.other.server, 4_000_000_000_000, 300_000_000_000) // a small part of it, and plenty
		disk(w.foreign.server, 40_000_000_000, 0)
		set("UPDATE servers SET reboot_needed = TRUE WHERE id = $1", number(w.other.server))
		set("UPDATE servers SET stale_services = 'mariadb' WHERE id = $1", number(w.mine.server))
		set("UPDATE servers SET reboot_needed = TRUE WHERE id = $1", number(w.foreign.server))
		set("UPDATE heartbeats SET status = 'missing' WHERE id = $1", number(w.mine.heartbeat))
		set("UPDATE heartbeats SET status = 'missing' WHERE id = $1", number(w.foreign.heartbeat))
		wantNow(w.owner, "disk-full "+mine, "heartbeat-missing Nightly", "restart-needed "+mine, "reboot-needed "+other)
		set("UPDATE monitors SET state = 'ALERT' WHERE id IN ($1, $2)", number(w.mine.monitor), number(w.foreign.monitor))
		wantNow(w.owner, "disk-full "+mine, "heartbeat-missing Nightly", "monitor-alert "+mine, "restart-needed "+mine, "reboot-needed "+other)
		if text := w.owner.Get("/orgs/acme/attention").Text("data", 2, "attributes", "text"); !strings.HasSuffix(text, "%.") {
			t.Errorf("a monitor says %q", text)
		}
		set("UPDATE monitors SET state = 'OK'")
		set("UPDATE servers SET stale_services = ''")
		set("UPDATE servers SET memory_lost_at = 1, clock_ahead = 600, edited_files = $2 WHERE id = $1", number(w.other.server), "/etc/cron.d/a\n/etc/cron.d/b")
		set("UPDATE servers SET memory_lost_at = 1, edited_files = '/etc/cron.d/a' WHERE id = $1", number(w.foreign.server))
		wantNow(w.owner, "disk-full "+mine, "clock-apart "+other, "memory-lost "+other, "heartbeat-missing Nightly", "files-changed "+other, "reboot-needed "+other)
		if text := w.owner.Get("/orgs/acme/attention").Text("data", 4, "attributes", "text"); !strings.Contains(text, "/etc/cron.d/a, /etc/cron.d/b") {
			t.Errorf("it says %q", text)
		}
		set("UPDATE servers SET memory_lost_at = NULL, clock_ahead = 0, edited_files = ''")
		if text := w.owner.Get("/orgs/acme/attention").Text("data", 0, "attributes", "text"); text != "Only 3.9 GB of 40.0 GB disk space is free." {
			t.Errorf("it says %q", text)
		}
		wantNow(w.Of(w.users["loner"]), "reboot-needed "+other)
		short := func(id string, all ...wire.Shortage) {
			t.Helper()
			raw, err := json.Marshal(all)
			if err != nil {
				t.Fatal(err)
			}
			set("UPDATE servers SET shortages = $2 WHERE id = $1", number(id), string(raw))
		}
		day := 24 * time.Hour
		before := func(ago time.Duration) int64 { return w.App.DB.Clock.Now().Add(-ago).UnixMicro() }
		set("UPDATE sites SET limits = '{\"memory_max\": 256}' WHERE id = $1", number(w.mine.site))
		short(w.mine.server,
			wire.Shortage{Of: "memory", Site: number(w.mine.site), Process: "php-fpm8.2", Unit: "php.service", Times: 1, Last: before(time.Hour)},
			wire.Shortage{Of: "tasks", Site: number(w.mine.site), Build: true, Process: "sh", Times: 70, Last: before(time.Minute)},
			wire.Shortage{Of: "memory", Process: "mariadbd", Unit: "mariadb.service", Times: 1, Last: before(-time.Hour)}, // its clock is ahead
			wire.Shortage{Of: "tasks", Site: number(w.mine.site), Process: "sh", Times: 3, Last: before(day)},
			wire.Shortage{Of: "memory", Site: number(w.foreign.site), Process: "of another server", Times: 1, Last: before(0)})
		site := w.owner.Get("/orgs/acme/sites/"+w.mine.site).Want(t, 200).Text("data", "attributes", "name")
		wantNow(w.owner, "disk-full "+mine, "server-out-of-memory "+mine,
			"site-limit-reached "+site, "heartbeat-missing Nightly", "reboot-needed "+other)
		for i, wants := range map[int][]string{
			1: {`"mariadbd" (mariadb.service) was ended by the kernel: what runs on the server used up its memory.`},
			2: {
				`"php-fpm8.2" (php.service) was ended by the kernel: the site used up the memory that its limits allow (memory_max, 256 MB).`,
				`No more processes could be started: a deployment has as many processes and threads as its limits allow. ` +
					`Most of them are "sh". It happened 70 times, last on `,
			},
		} {
			for _, want := range wants {
				if text := w.owner.Get("/orgs/acme/attention").Text("data", i, "attributes", "text"); !strings.Contains(text, want) {
					t.Errorf("it says %q, not %q", text, want)
				}
			}
		}
		wantNow(w.Of(w.users["loner"]), "reboot-needed "+other)
		short(w.mine.server)

		// A server that one replica of the panel can't reach, and another one works on.
		now := w.App.DB.Clock.Now().UnixMicro()
		set("INSERT INTO leases (name, owner, fence, expires_at, avoided, handed_at) VALUES ($1, 'two', 1, 0, 'one', $2)", "server-"+w.mine.server, now)
		// some time ago
		set("INSERT INTO leases (name, owner, fence, expires_at, avoided, handed_at) VALUES ($1, 'two', 1, 0, 'one', $2)",
			"server-"+w.other.server+"-backup-1", now-(11*time.Minute).Microseconds())
		// nobody wants it
		set("INSERT INTO leases (name, owner, fence, expires_at, avoided, handed_at) VALUES ($1, 'one', 1, 0, 'one', $2)", "server-"+w.other.server, now)
		set("INSERT INTO leases (name, owner, fence, expires_at, avoided, handed_at) VALUES ($1, 'two', 1, 0, 'one', $2)", "server-"+w.foreign.server, now)
		wantNow(w.owner, "disk-full "+mine, "heartbeat-missing Nightly", "reboot-needed "+other) // the replica was killed since
		set("INSERT INTO leases (name, owner, fence, expires_at) VALUES ('replica-one', 'one', 0, $1)", now)
		wantNow(w.owner, "server-handed-over "+mine, "disk-full "+mine, "heartbeat-missing Nightly", "reboot-needed "+other)
		set("DELETE FROM leases")

		// The panel's own disk is reported to members who see the whole organization, before everything else.
		w.App.Attention.Panel = func(context.Context) ([]concern.Item, error) {
			return []concern.Item{{Kind: "panel-disk-full", Subject: "Hostler", Text: "Only 20 MB are free."}}, nil
		}
		wantNow(w.owner, "panel-disk-full Hostler", "disk-full "+mine, "heartbeat-missing Nightly", "reboot-needed "+other)
		if own := w.owner.Get("/orgs/acme/attention").Want(t, 200); own.At("data", 0, "attributes", "server_id") != nil ||
			own.Text("data", 0, "attributes", "text") != "Only 20 MB are free." {
			t.Errorf("it says %s", own.Body)
		}
		wantNow(w.Of(w.users["loner"]), "reboot-needed "+other)
		w.App.Attention.Panel = nil

		// What is refused, and what is done about it.
		at := servers + "/" + w.other.server
		w.owner.Post(at+"/actions", map[string]any{"action": "power-cycle"}).Want(t, 409)
		wantFields(t, w.owner.Post(at+"/actions", map[string]any{"action": "halt"}), "action")
		w.viewer.Post(at+"/actions", map[string]any{"action": "reboot"}).Want(t, 403)
		w.viewer.Post(at+"/repairs", nil).Want(t, 403)
		w.owner.Post(at+"/repairs?dry_run=true", nil).Want(t, 409) // it can't be compared
		repair := w.owner.Post(at+"/repairs", nil).Want(t, 202)
		if repair.Text("data", "meta", "operation", "action") != "repair" || repair.Header.Get("X-Hostler-Event") == "" {
			t.Errorf("it answers %s", repair.Body)
		}
		a := w.owner.Post(at+"/actions", map[string]any{"action": "reboot"}).Want(t, 202)
		if a.Text("data", "meta", "operation", "action") != "reboot" || a.Header.Get("X-Hostler-Event") == "" {
			t.Errorf("it answers %s", a.Body)
		}
		set("UPDATE servers SET connection_status = 'disconnected' WHERE id = $1", number(w.other.server))
		wantNow(w.owner, "disk-full "+mine, "heartbeat-missing Nightly")
		set("UPDATE operations SET state = 'succeeded'")
		wantNow(w.owner, "server-unreachable "+other, "disk-full "+mine, "heartbeat-missing Nightly", "reboot-needed "+other)
	})
}

// A former member can still deploy with the address that they saw: each site whose hook a former member knows is listed until it has another one.
func TestLeaverKnowsDeployHook(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at := "/orgs/acme/servers/" + w.mine.server + "/sites/" + w.mine.site + "/deployments/deploy-hook"
		site := w.owner.Get("/orgs/acme/sites/"+w.mine.site).Want(t, 200).Text("data", "attributes", "name")
		told := func() (text string) {
			t.Helper()
			a := w.owner.Get("/orgs/acme/attention?page[size]=100").Want(t, 200)
			list, _ := a.At("data").([]any)
			for i := range list {
				if a.Text("data", i, "attributes", "kind") == "hook-known" {
					text += a.Text("data", i, "attributes", "subject") + ": " + a.Text("data", i, "attributes", "text")
				}
			}
			return text
		}
		member := w.as(access.ServerView, access.SiteManageDeploys)
		address := member.Get(at).Want(t, 200).Text("data", "attributes", "url")
		w.owner.Get(at).Want(t, 200)
		if got := told(); got != "" {
			t.Errorf("while all may: %s", got)
		}
		member = w.as(access.ServerView) // the role is cut
		member.Get(at).Want(t, 403)
		want := site + ": Its deploy hook is known to users without access: " + w.users["custom"].Name + ". Regenerate it."
		if got := told(); got != want {
			t.Errorf("after the role was cut: %s\nwant %s", got, want)
		}
		w.Tx(func(ctx context.Context, tx *db.Tx) error { return tx.DeleteMembership(ctx, 1, w.users["custom"].ID) })
		if got := told(); got != want {
			t.Errorf("after the member left: %s\nwant %s", got, want)
		}
		if again := w.owner.Put(at, nil).Want(t, 200).Text("data", "attributes", "url"); again == address {
			t.Error("the address is the same")
		}
		if got := told(); got != "" {
			t.Errorf("with a new hook: %s", got)
		}
	})
}
