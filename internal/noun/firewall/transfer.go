package firewall

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/transfer"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Transfers lists the servers in the network of the one that is transferred: their firewalls let it in.
func Transfers(ctx context.Context, l transfer.Look) ([]transfer.Item, error) {
	pairs, err := db.All[query.ServerPeer](ctx, l.Rows, "server_peers", db.Any(l.Here(), db.Equal("peer_id", l.Server.ID)))
	if err != nil {
		return nil, err
	}
	var out []transfer.Item
	seen := map[int64]bool{}
	for _, pair := range pairs {
		other := pair.PeerID
		if other == l.Server.ID {
			other = pair.ServerID
		}
		if seen[other] {
			continue
		}
		seen[other] = true
		name, err := server.NameOf(ctx, l, other)
		if err != nil {
			return nil, err
		}
		out = append(out, transfer.Item{Effect: transfer.Blocks, Type: "servers", Name: name,
			Text: "The two servers are in a network together. Disconnect them first."})
	}
	return out, nil
}
