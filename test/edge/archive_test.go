package edge

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/noun/firewall"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

const archives = "/orgs/acme/servers/archives"

func (w *world) archiving(id string) map[string]any { return map[string]any{"server_id": number(id)} }

func (w *world) remover() *server.Remover {
	return &server.Remover{Networks: &firewall.Network{Ledger: w.App.Ledger}, Queue: w.App.Queue, Forget: func(int64) {}}
}

// asArchived ends the archiving of a server the way that the engine does.
func (w *world) asArchived(id string) {
	w.T.Helper()
	w.owner.Post(archives, w.archiving(id)).Want(w.T, 202)
	w.settles(w.remover(), job.StateSucceeded)
}

// An archived server is listed apart with all that is known of it, Hostler has no key to it, and it takes no work.
func TestServerIsArchived(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		id := w.mine.server
		path := servers + "/" + id
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET host_keys = 'its keys', is_ready = TRUE, status = 'ready' WHERE id = $1", number(id))
			return err
		})
		for name, body := range map[string]any{
			"nothing": map[string]any{}, "a text": map[string]any{"server_id": "server " + id},
			"no server": w.archiving("999999"), "another's": w.archiving(w.foreign.server),
		} {
			t.Run(name, func(t *testing.T) { wantFields(t, w.owner.Post(archives, body), "server_id") })
		}
		_, hook := w.deploySite(t, "hooked.example.org")
		before := w.owner.Get(path+"/sites").Want(t, 200).IDs()
		w.owner.Post(archives, w.archiving(id)).Want(t, 202)
		if a := w.owner.Get(path).Want(t, 200); a.Text("data", "meta", "provisioning") != "archiving" || a.Text("data", "meta", "operation", "action") != "archive" {
			t.Errorf("while it is archived: %s", a.Body)
		}
		began := w.lastOperation()
		w.owner.Post(archives, w.archiving(id)).Want(t, 202) // a second request while the first runs
		w.owner.Delete(archives+"/"+id).Want(t, 409)         // it is not archived yet
		w.owner.Delete(path).Want(t, 409)
		w.owner.Put(path+"/key", nil).Want(t, 409)
		if n := w.lastOperation(); n != began {
			t.Errorf("operation %d was begun after %d", n, began)
		}
		w.settles(w.remover(), job.StateSucceeded)

		a := w.owner.Get(path).Want(t, 200)
		if a.At("data", "attributes", "revoked") != true || a.Text("data", "meta", "provisioning") != "archived" ||
			a.At("data", "attributes", "local_public_key") != nil || a.At("data", "attributes", "is_ready") != false {
			t.Errorf("the archived server: %s", a.Body)
		}
		if got := w.owner.Get(archives).Want(t, 200).IDs(); strings.Join(got, " ") != id {
			t.Errorf("archived are %v", got)
		}
		if got := w.owner.Get(servers).Want(t, 200).IDs(); strings.Contains(" "+strings.Join(got, " ")+" ", " "+id+" ") {
			t.Errorf("it is listed among the others: %v", got)
		}
		if got := w.owner.Get(path+"/sites").Want(t, 200).IDs(); strings.Join(got, " ") != strings.Join(before, " ") {
			t.Errorf("its sites are %v", got)
		}
		row := must(w.App.DB.Read().Ungranted().GetServer(t.Context(), number(id)))
		if len(row.PrivateKey)+len(row.NextPrivateKey)+len(row.BootstrapSecret) != 0 || row.HostKeys != "" || row.FormerHostKeys != "its keys" {
			t.Errorf("what is left of the access to it: %+v", row)
		}
		if open := must(w.App.DB.Read().ListOpenAspects(t.Context(), row)); len(open) == 0 {
			t.Error("its open work, which the engine ends, is gone by itself")
		}
		wantFields(t, w.owner.Post(archives, w.archiving(id)), "server_id")
		was := w.lastOperation()
		w.owner.Get(path+"/key").Want(t, 404)
		for _, c := range []struct {
			method, path string
			body         any
		}{
			{"PUT", path + "/key", nil},
			{"POST", path + "/line", nil},
			{"PUT", path + "/network", peers()},
			{"POST", path + "/firewall-rules", map[string]any{"name": "x", "port": "81", "type": "allow"}},
			{"DELETE", path + "/firewall-rules/" + w.mine.rule, nil},
			{"POST", path + "/sites/" + w.mine.site + "/deployments", nil},
			{"POST", path + "/sites/" + w.mine.site + "/commands", map[string]any{"command": "id"}},
			{"POST", path + "/sites", static("late.example.org")},
			{"DELETE", path + "/scheduled-jobs/" + w.mine.serverJob, nil},
			{"GET", path + "/services", nil},
			{"GET", path + "/drift", nil},
			{"POST", path + "/events/" + w.mine.event + "/retry", nil},
		} {
			if a, err := w.owner.Try(c.method, c.path, c.body); err != nil || a.Status != 409 {
				t.Errorf("%s %s: %d %s %v", c.method, c.path, a.Status, a.Body, err)
			}
		}
		if code, body := plain(t, "POST", hook, ""); code != 409 || !strings.Contains(body, "archived") {
			t.Errorf("its deploy hook: %d %s", code, body)
		}
		w.owner.Put(path, map[string]any{"name": "in-the-attic", "timezone": "Europe/Berlin"}).Want(t, 200)
		if now := w.lastOperation(); now != was {
			t.Errorf("operation %d was accepted for it", now)
		}
	})
}

// A reconnected server waits for its setup command again; only the machine that was archived can use it.
func TestServerIsReconnected(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		id := w.mine.server
		path := servers + "/" + id
		w.owner.Delete(archives+"/"+id).Want(t, 404)
		w.asArchived(id)
		was := must(w.App.DB.Read().Ungranted().GetServer(t.Context(), number(id)))
		// Its address can be another's meanwhile; then it does not come back there.
		body := serverBody("successor", "web")
		body["custom"] = map[string]any{"ip_address": *was.IPAddress, "ssh_port": was.SSHPort}
		next := w.owner.Post(servers, body).Want(t, 202).ID()
		w.owner.Delete(archives+"/"+id).Want(t, 409)
		w.owner.Put(servers+"/"+next, map[string]any{"ip_address": "192.0.2.201"}).Want(t, 200)

		w.owner.Delete(archives+"/"+id).Want(t, 202)
		w.owner.Delete(archives+"/"+id).Want(t, 404)
		a := w.owner.Get(path).Want(t, 200)
		if a.At("data", "attributes", "revoked") != false || a.Text("data", "meta", "provisioning") != "connecting" ||
			a.Text("data", "meta", "operation", "action") != "reconnect" || a.Text("data", "attributes", "local_public_key") == "" {
			t.Errorf("the server that waits: %s", a.Body)
		}
		if strings.Contains(string(a.Body), "HOSTLER_SECRET") {
			t.Error("the line is shown to readers")
		}
		if line := w.owner.Post(path+"/line", nil).Want(t, 200).Text("data", "meta", "bootstrap", "command"); !strings.Contains(line, "HOSTLER_SECRET=") {
			t.Errorf("its line is %q", line)
		}
		w.owner.Post(path+"/firewall-rules", map[string]any{"name": "x", "port": "81", "type": "allow"}).Want(t, 202)
		w.owner.Post(archives, w.archiving(id)).Want(t, 202) // it can be archived again before it called
	})
}

// What a server says late of its archiving, after it was reconnected, archives it no more.
func TestLateArchivingIsOvertaken(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path := servers + "/" + w.mine.server
		w.asArchived(w.mine.server)
		archiving := w.lastOperation()
		w.owner.Delete(archives+"/"+w.mine.server).Want(t, 202)
		w.settlesOperation(w.remover(), archiving, job.StateSucceeded)
		if a := w.owner.Get(path).Want(t, 200); a.At("data", "attributes", "revoked") != false || a.Text("data", "meta", "provisioning") != "connecting" {
			t.Errorf("the reconnected server: %s", a.Body)
		}
	})
}

// Peers drop a server that is archived, and it drops them; two of whom one is archived change without it.
func TestArchivedServerLeavesItsNetwork(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		one, lb := w.mine.server, w.mine.balancer
		w.private(one, lb)
		w.owner.Put(w.network(one), peers(lb)).Want(t, 202)
		w.asArchived(lb)
		w.wantPeers(t, one)
		if got := w.wish(one); got != `{"address":"10.0.0.1","peers":[]}` {
			t.Errorf("the peer is asked for %s", got)
		}
		wantFields(t, w.owner.Put(w.network(one), peers(lb)), "servers.0")
	})
}

// Nothing is due on an archived server, and it never needs attention.
func TestArchivedServerIsLeftAlone(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			for _, text := range []string{
				"UPDATE heartbeats SET status = 'beating', due_at = 1", "UPDATE backup_configurations SET next_run_at = 1, verify_at = 1, verify_every_days = 1",
				"UPDATE certificates SET type = 'letsencrypt', status = 'installed', renew_at = 1",
			} {
				if _, err := tx.SQL.ExecContext(ctx, text); err != nil {
					return err
				}
			}
			return nil
		})
		due := func() (beats, backups, proofs, certificates int) {
			t.Helper()
			q, now := w.App.DB.Read().Ungranted(), time.Now().UnixMicro()
			return len(must(q.ListDueHeartbeats(t.Context(), &now))), len(must(q.ListDueBackupConfigurations(t.Context(),
					now))), len(must(q.ListDueVerifications(t.Context(), &now))),
				len(must(q.ListDueCertificates(t.Context(), &now)))
		}
		b0, c0, p0, x0 := due()
		w.asArchived(w.mine.server)
		w.asArchived(w.mine.engine)
		b1, c1, p1, x1 := due()
		if b0-b1 != 1 || c0-c1 != 1 || p0-p1 != 1 || x0-x1 != 1 {
			t.Errorf("due are %d of %d heartbeats, %d of %d backups, %d of %d proofs, %d of %d renewals", b1, b0, c1, c0, p1, p0, x1, x0)
		}
		for _, item := range w.owner.Get("/orgs/acme/attention").Want(t, 200).At("data").([]any) {
			at := item.(map[string]any)["attributes"].(map[string]any)
			if id, _ := at["server_id"].(float64); int64(id) == number(w.mine.server) || int64(id) == number(w.mine.engine) {
				t.Errorf("of an archived server %v needs attention", at)
			}
		}
	})
}
