package edge

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/firewall"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

func (w *world) network(id string) string { return "/orgs/acme/servers/" + id + "/network" }

// private gives servers private addresses, as many as there are.
func (w *world) private(servers ...string) {
	w.T.Helper()
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		for i, id := range servers {
			if _, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET private_ip_address = $1 WHERE id = $2", fmt.Sprintf("10.0.0.%d", i+1), number(id)); err != nil {
				return err
			}
		}
		return nil
	})
}

// peerOf lets the balancer in to the server.
func peerOf(w *world, _ int64) any {
	w.private(w.mine.server, w.mine.balancer)
	return map[string]any{"servers": []any{number(w.mine.balancer)}}
}

// wantPeers fails unless a server has exactly these peers.
func (w *world) wantPeers(t *testing.T, id string, peers ...string) {
	t.Helper()
	got := w.owner.Get(w.network(id)).Want(t, 200).IDs()
	if strings.Join(got, " ") != strings.Join(peers, " ") {
		t.Errorf("the peers of %s are %v, want %v", id, got, peers)
	}
}

func peers(servers ...string) map[string]any {
	list := []any{}
	for _, id := range servers {
		list = append(list, number(id))
	}
	return map[string]any{"servers": list}
}

// wish returns what the newest work asks of a server's network.
func (w *world) wish(id string) string {
	w.T.Helper()
	var spec string
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		return tx.SQL.QueryRowContext(ctx, "SELECT specification FROM wishes WHERE kind = 'networks' AND id = $1 ORDER BY operation_id DESC LIMIT 1",
			number(id)).Scan(&spec)
	})
	return spec
}

// Both servers of a pair let each other in, and a list replaces the one before.
func TestNetworkIsReplaced(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		one, lb, engine := w.mine.server, w.mine.balancer, w.mine.engine
		w.private(one, lb, engine)
		w.wantPeers(t, one)
		a := w.owner.Put(w.network(one), peers(engine, lb, engine)).Want(t, 202)
		event := w.owner.Get("/orgs/acme/servers/"+one+"/events/"+a.Header.Get("X-Hostler-Event")).Want(t, 200)
		if got := event.Text("data", "attributes", "description"); got != "Updating the network of one" {
			t.Errorf("the event says %q", got)
		}
		w.wantPeers(t, one, lb, engine)
		w.wantPeers(t, lb, one)
		w.wantPeers(t, engine, one)
		if diff := cmp.Diff(`{"address":"10.0.0.3","peers":[{"server_id":`+one+`,"address":"10.0.0.1"}]}`, w.wish(engine)); diff != "" {
			t.Errorf("what the peer is asked for (-want +got):\n%s", diff)
		}
		before := w.counts()
		w.owner.Put(w.network(one), peers(lb, engine)).Want(t, 202)
		w.unchangedSince(before)
		w.owner.Put(w.network(one), peers(lb)).Want(t, 202)
		w.wantPeers(t, one, lb)
		w.wantPeers(t, engine)
		if diff := cmp.Diff(`{"address":"10.0.0.3","peers":[]}`, w.wish(engine)); diff != "" {
			t.Errorf("what the former peer is asked for (-want +got):\n%s", diff)
		}
		wantFields(t, w.owner.Put("/orgs/acme/servers/"+lb, map[string]any{"private_ip_address": "10.0.0.9"}), "private_ip_address")
		wantFields(t, w.owner.Put("/orgs/acme/servers/"+one, map[string]any{"private_ip_address": ""}), "private_ip_address")
		w.owner.Put("/orgs/acme/servers/"+engine, map[string]any{"private_ip_address": "10.0.0.9"}).Want(t, 200)
	})
}

// A deleted server is let in by none of its former peers.
func TestDeletedServerLeavesNetworks(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		one, lb := w.mine.server, w.mine.balancer
		w.private(one, lb)
		w.owner.Put(w.network(one), peers(lb)).Want(t, 202)
		w.owner.Delete("/orgs/acme/servers/"+lb).Want(t, 202)
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			row, err := tx.Ungranted().GetServer(ctx, number(lb))
			if err != nil {
				return err
			}
			op, err := tx.Ungranted().GetOperation(ctx, *row.OperationID)
			if err != nil {
				return err
			}
			return (&server.Remover{Networks: &firewall.Network{Ledger: w.App.Ledger}}).Aspect().Write(ctx, tx, op, job.Succeeded)
		})
		w.wantPeers(t, one)
		if diff := cmp.Diff(`{"address":"10.0.0.1","peers":[]}`, w.wish(one)); diff != "" {
			t.Errorf("what the peer is asked for (-want +got):\n%s", diff)
		}
	})
}

func TestNetworkIsRefused(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	one, lb, engine := w.mine.server, w.mine.balancer, w.mine.engine
	w.private(one, lb)
	elsewhere, six, twin := w.server(w.owner, "acme", "elsewhere", "web"), w.server(w.owner, "acme", "six", "web"), w.server(w.owner, "acme", "twin", "web")
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		for _, text := range []string{
			"UPDATE servers SET private_ip_address = '10.0.0.8', region = 'fsn1' WHERE id = " + elsewhere,
			"UPDATE servers SET private_ip_address = 'fd00::1' WHERE id = " + six,
			"UPDATE servers SET private_ip_address = '10.0.0.1' WHERE id = " + twin,
		} {
			if _, err := tx.SQL.ExecContext(ctx, text); err != nil {
				return err
			}
		}
		return nil
	})
	many := make([]string, 101)
	for i := range many {
		many[i] = strconv.Itoa(i + 1)
	}
	before := w.counts()
	for name, c := range map[string]struct {
		server string
		body   any
		fields []string
	}{
		"nothing":                {one, map[string]any{}, []string{"servers"}},
		"null":                   {one, map[string]any{"servers": nil}, []string{"servers"}},
		"a text":                 {one, map[string]any{"servers": []any{"server " + lb}}, []string{"servers.0"}},
		"itself":                 {one, peers(one), []string{"servers.0"}},
		"no server":              {one, peers("999999"), []string{"servers.0"}},
		"of another":             {one, peers(lb, w.foreign.server), []string{"servers.1"}},
		"without an address":     {one, peers(engine), []string{"servers.0"}},
		"no address of its own":  {engine, peers(one), []string{"servers"}},
		"another region":         {one, peers(elsewhere), []string{"servers.0"}},
		"another family":         {one, peers(six), []string{"servers.0"}},
		"the same address":       {one, peers(twin), []string{"servers.0"}},
		"more than a hundred":    {one, peers(many...), []string{"servers"}},
		"several things at once": {one, peers(engine, one, lb), []string{"servers.0", "servers.1"}},
	} {
		t.Run(name, func(t *testing.T) { wantFields(t, w.owner.Put(w.network(c.server), c.body), c.fields...) })
	}
	w.unchangedSince(before)
}

// The firewall of a peer changes too, which needs the permission there; peers that a member can't see are neither shown nor removed.
func TestNetworkNeedsBothServers(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	one, lb, hidden := w.mine.server, w.mine.balancer, w.other.server
	w.private(one, lb, hidden)
	w.owner.Put(w.network(one), peers(lb, hidden)).Want(t, 202)
	member := w.as(access.OrganizationView, access.ServerView, access.ServerManageNetwork)
	if got := member.Get(w.network(one)).Want(t, 200).IDs(); strings.Join(got, " ") != lb {
		t.Errorf("the member sees %v", got)
	}
	wantFields(t, member.Put(w.network(one), peers(lb, hidden)), "servers.1")
	member.Put(w.network(one), peers()).Want(t, 202)
	w.wantPeers(t, one, hidden)

	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.PutTeamMember(ctx, number(w.other.team), w.users["custom"].ID, access.RoleViewer, tx.Micros())
		return err
	})
	wantFields(t, member.Put(w.network(one), peers()), "servers")
	w.wantPeers(t, one, hidden)
	w.owner.Put(w.network(one), peers()).Want(t, 202)
	wantFields(t, member.Put(w.network(one), peers(hidden)), "servers.0")
	w.wantPeers(t, hidden)
}

// Work that failed is not tried again with an address that is another machine's by now.
func TestNetworkIsNotRetriedWithAnOldAddress(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	one, lb := w.mine.server, w.mine.balancer
	w.private(one, lb)
	a := w.owner.Put(w.network(one), peers(lb)).Want(t, 202)
	fail := func() {
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			for _, id := range []string{one, lb} {
				ops, err := tx.Ungranted().ListPendingOperations(ctx, number(id), firewall.Aspect)
				if err != nil {
					return err
				}
				for _, op := range ops {
					if op.ResourceType != firewall.Networks.Kind {
						continue
					}
					if _, err := tx.EndOperation(ctx, query.EndOperationParams{ID: op.ID, State: job.StateFailed, UpdatedAt: tx.Micros()}); err != nil {
						return err
					}
					if err := w.App.Ledger.Settle(ctx, tx, op, false); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	fail()
	retry := "/orgs/acme/servers/" + one + "/events/" + a.Header.Get("X-Hostler-Event") + "/retry"
	w.owner.Post(retry, nil).Want(t, 202)
	w.wantPeers(t, one, lb)
	fail()
	w.wantPeers(t, one)
	w.owner.Put("/orgs/acme/servers/"+lb, map[string]any{"private_ip_address": "10.0.0.77"}).Want(t, 200)
	w.owner.Post(retry, nil).Want(t, 409)
	w.wantPeers(t, one)
}
