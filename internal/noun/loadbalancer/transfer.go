package loadbalancer

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/transfer"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Transfers lists load balancers that have the server as a node, and those on the server that have others.
func Transfers(ctx context.Context, l transfer.Look) ([]transfer.Item, error) {
	nodes, err := db.All[query.LoadBalancingNode](ctx, l.Rows, "load_balancing_nodes", db.Any(l.Here(), l.OnSites))
	if err != nil {
		return nil, err
	}
	var out []transfer.Item
	for _, n := range nodes {
		own, balances := l.Sites[n.SiteID]
		switch {
		case balances && n.ServerID == l.Server.ID:
		case balances:
			name, err := server.NameOf(ctx, l, n.ServerID)
			if err != nil {
				return nil, err
			}
			out = append(out, transfer.Of(transfer.Blocks, "sites", n.SiteID, own, "This load balancer distributes requests to "+name+". Remove that node first."))
		default:
			name, err := balancerName(ctx, l, n.SiteID)
			if err != nil {
				return nil, err
			}
			out = append(out, transfer.Item{Effect: transfer.Blocks, Type: "sites", Name: name,
				Text: "The server is a node of this load balancer. Remove the node first."})
		}
	}
	return out, nil
}

// balancerName returns the name of a site that has the server as a node; not that of one on a server that the caller can't see.
func balancerName(ctx context.Context, l transfer.Look, id int64) (string, error) {
	rows, err := db.All[query.Site](ctx, l.Rows, "sites", db.Equal("id", id), server.VisibleOf(l.Grant))
	if err != nil || len(rows) == 0 {
		return "A load balancer", err
	}
	return rows[0].Name, nil
}
