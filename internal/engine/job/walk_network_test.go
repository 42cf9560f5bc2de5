package job_test

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/firewall"
)

// networkDriver asks for the network of the server, which has one peer or none. The mark is the peer's address.
var networkDriver = &driver{
	kind: firewall.Networks.Kind, aspect: firewall.Aspect, noun: firewall.Networks, applied: present,
	prepare: func(ctx context.Context, tx *db.Tx, w *walker) error {
		peer, err := tx.InsertServer(ctx, query.InsertServerParams{
			OrganizationID: w.grant.OrganizationID,
			Name:           "peer", Slug: "peer", Type: "worker", Provider: "custom", Status: "ready", SSHPort: 22, SSHUser: "root", Timezone: "UTC",
		})
		w.made[firewall.Networks.Kind] = peer.ID
		return err
	},
	mark:   func(number string) string { return "fd00::" + number[:4] + ":a" + number[4:] },
	create: wantPeer,
	update: func(ctx context.Context, tx *db.Tx, w *walker, _ int64, mark string) (ledger.Wish, error) {
		return wantPeer(ctx, tx, w, mark)
	},
	status: func(ctx context.Context, w *walker, id int64) (string, error) {
		row, err := firewall.Networks.Row(ctx, w.db.Read(), id)
		if err != nil {
			return "", err
		}
		peers, err := w.db.Read().Ungranted().ListPeers(ctx, id)
		if status := shown(row.Phase); (status == "") == (len(peers) == 0) {
			return status, err
		}
		return "not what its peers are", err
	},
}

func wantPeer(_ context.Context, _ *db.Tx, w *walker, mark string) (ledger.Wish, error) {
	return firewall.Networks.Want(w.server.ID, firewall.NetworkSpecification{
		Address: "fd00::1",
		Peers:   []firewall.Peer{{ServerID: w.made[firewall.Networks.Kind], Address: mark}},
	})
}
