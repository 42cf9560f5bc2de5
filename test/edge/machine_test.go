package edge

import (
	"context"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/cloud/cloudtest"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/loadbalancer"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// atHetzner is a request for a server at the stand-in.
func atHetzner(credential string, place map[string]any) map[string]any {
	body := map[string]any{"name": "rented", "provider": "hetzner", "type": "web", "ubuntu_version": "24.04"}
	if credential != "" {
		body["credential_id"] = number(credential)
	}
	if place != nil {
		body["hetzner"] = place
	}
	return body
}

func TestServerAtProvider(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		token := strings.ReplaceAll(t.Name(), "/", "-")
		at := cloudAccount(t, w, token)
		credential := at[strings.LastIndex(at, "/")+1:]
		good := map[string]any{"region_id": "fsn1", "size_id": "cx22"}
		with := func(field string, value any) map[string]any {
			return map[string]any{"region_id": good["region_id"], "size_id": good["size_id"], field: value}
		}
		before := w.counts()
		for _, tc := range []struct {
			body   map[string]any
			fields []string
		}{
			{atHetzner("", nil), []string{"credential_id", "hetzner"}},
			{atHetzner(credential, map[string]any{}), []string{"hetzner.region_id", "hetzner.size_id"}},
			{atHetzner(w.foreign.credential, good), []string{"credential_id"}},
			{atHetzner(credential, with("region_id", "nyc3")), []string{"hetzner.region_id"}},
			{atHetzner(credential, with("region_id", "../v1")), []string{"hetzner.region_id"}},
			{atHetzner(credential, with("size_id", "cx99")), []string{"hetzner.size_id"}},
			{atHetzner(credential, map[string]any{"region_id": "204", "size_id": "cx22"}), []string{"hetzner.size_id"}}, // Ashburn has none
			{atHetzner(credential, with("network_id", 99)), []string{"hetzner.network_id"}},
			{atHetzner(credential, with("enable_weekly_backups", true)), []string{"hetzner.enable_weekly_backups"}},
		} {
			wantFields(t, w.owner.Post(servers, tc.body), tc.fields...)
		}
		wrong := atHetzner(credential, good)
		wrong["provider"] = "aws"
		wantFields(t, w.owner.Post(servers, wrong), "credential_id", "aws")
		wrong["provider"] = "laravel"
		wantFields(t, w.owner.Post(servers, wrong), "provider")
		hetzner().Fail(token, cloudtest.Forbidden)
		a := w.owner.Post(servers, atHetzner(credential, with("region_id", "new1")))
		wantFields(t, a, "credential_id")
		if !strings.Contains(a.Text("message"), "You are not authorized to perform this operation.") {
			t.Errorf("the message is %q", a.Text("message"))
		}
		hetzner().Fail(token)
		if after := w.counts(); after["servers"] != before["servers"] || after["server_orders"] != before["server_orders"] {
			t.Errorf("refused requests left %d servers, before %d", after["servers"], before["servers"])
		}

		made := w.owner.Post(servers, atHetzner(credential, map[string]any{"region_id": "204", "size_id": "new-size", "network_id": 1})).Want(t, 202)
		for name, want := range map[string]any{
			"provider": "hetzner", "region": "ash", "size": "new-size", "credential_id": float64(number(credential)),
			"identifier": nil,
			"ip_address": nil, "is_ready": false,
		} {
			if got := made.At("data", "attributes", name); got != want {
				t.Errorf("%s is %v, want %v", name, got, want)
			}
		}
		if made.At("data", "meta", "provisioning") != "creating" || made.At("data", "meta", "bootstrap") != nil || made.At("data", "meta", "operation",
			"state") != "pending" {
			t.Errorf("the answer is %s", made.Body)
		}
		own := servers + "/" + made.ID()
		w.owner.Post(own+"/line", nil).Want(t, 409)
		w.owner.Put(own+"/key", nil).Want(t, 409)
		w.owner.Delete(at).Want(t, 409)
		wantFields(t, w.owner.Post(servers+"/archives", map[string]any{"server_id": number(made.ID())}), "server_id")
		w.owner.Post(own+"/actions", map[string]any{"action": "power-cycle"}).Want(t, 409)
		wantFields(t, w.owner.Delete(own+"?preserve_at_provider=maybe"), "preserve_at_provider")
		w.owner.Delete(own).Want(t, 202)
		if n := hetzner().Ordered(token); n != 0 {
			t.Errorf("%d servers were ordered by requests", n)
		}
	})
}

// A server at a provider has to reach Hostler: it is not ordered if it can't.
func TestServerAtProviderReachesHostler(t *testing.T) {
	t.Parallel()
	w := WorldWith(t, db.SQLite, func(c *app.Config) { c.AllowPrivateEndpoints = false })
	a := w.owner.Post(servers, atHetzner(w.mine.credential, map[string]any{"region_id": "fsn1", "size_id": "cx22"}))
	wantFields(t, a, "provider")
	if !strings.Contains(a.Text("message"), "must be able to reach Hostler's base URL") {
		t.Errorf("the message is %q", a.Text("message"))
	}
}

// The time for an order is up while it is about to be sent: it is not sent after that.
func TestOrderGivenUpBeforeItIsSent(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at := cloudAccount(t, w, strings.ReplaceAll(t.Name(), "/", "-"))
		made := w.owner.Post(servers, atHetzner(at[strings.LastIndex(at, "/")+1:], map[string]any{"region_id": "fsn1", "size_id": "cx22"})).Want(t, 202)
		p := &server.Provisioner{DB: w.App.DB, Ledger: w.App.Ledger, Queue: w.App.Queue, Balancers: loadbalancer.Follower{Ledger: w.App.Ledger}}
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			row, err := tx.Ungranted().GetServer(ctx, number(made.ID()))
			if err != nil {
				return err
			}
			order, err := tx.GetServerOrder(ctx, row)
			if err != nil {
				return err
			}
			op, err := tx.Ungranted().GetOperation(ctx, *row.OperationID)
			if err != nil {
				return err
			}
			if _, err := tx.EndOperation(ctx, query.EndOperationParams{ID: op.ID, State: job.StateFailed, UpdatedAt: tx.Micros()}); err != nil {
				return err
			}
			if err := p.Write(ctx, tx, op, job.Failed); err != nil {
				return err
			}
			if n, err := tx.SendServerOrder(ctx, row.ID, tx.Micros(), order.Name); err != nil || n != 0 {
				t.Errorf("the order is sent: %d, %v", n, err)
			}
			if row, err = tx.Ungranted().GetServer(ctx, row.ID); err == nil && len(row.BootstrapSecret) > 0 {
				t.Error("the secret of its user data still works")
			}
			return err
		})
		if got := w.owner.Get(servers+"/"+made.ID()).Want(t, 200).Text("data", "meta", "provisioning"); got != "failed" {
			t.Errorf("the server is %s", got)
		}
	})
}
