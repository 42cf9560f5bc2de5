package loadbalancer

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Follower keeps balancers up to date with the servers behind them. The address of a node, and whether it waits until its server is set up, are
// fixed when work on a site is accepted; a plan does not look them up. When a server changes, an update is therefore accepted of each site that has
// the server among its nodes.
type Follower struct{ Ledger *ledger.Ledger }

// Lock locks a server and the balancers that it is a node of, in order of id, before the server is changed.
func (f Follower) Lock(ctx context.Context, tx *db.Tx, changing query.Server) error {
	sites, err := tx.ListSitesWithNode(ctx, changing)
	if err != nil {
		return fmt.Errorf("list balancers of server %d: %w", changing.ID, err)
	}
	ids := []int64{changing.ID}
	for _, row := range sites {
		ids = append(ids, row.ServerID)
	}
	return tx.LockServers(ctx, ids...)
}

// NodeChanged accepts updates of the sites that a changed server is a node of, and of its own sites if it is a balancer, where they reach their nodes
// elsewhere now.
func (f Follower) NodeChanged(ctx context.Context, tx *db.Tx, g access.Grant, changed query.Server, why string) error {
	sites, err := tx.ListSitesWithNode(ctx, changed)
	if err != nil {
		return fmt.Errorf("list balancers of server %d: %w", changed.ID, err)
	}
	own, err := tx.ListBalancers(ctx, changed)
	if err != nil {
		return fmt.Errorf("list sites of balancer %d: %w", changed.ID, err)
	}
	for _, row := range append(sites, own...) {
		if row.Status == site.StatusUninstalling {
			continue
		}
		balancer := changed
		if row.ServerID != changed.ID {
			if balancer, err = tx.GetServer(ctx, row); err != nil { // also one that the caller may not see: the work is about its node alone
				return fmt.Errorf("read balancer of server %d: %w", changed.ID, err)
			}
		}
		if balancer.Revoked { // it catches up when it is connected again
			continue
		}
		if err := f.follow(ctx, tx, server.Path{Grant: g, Server: balancer}, row, why); err != nil {
			return err
		}
	}
	return nil
}

// follow accepts the work of a site whose nodes are reached elsewhere by now, or are set up.
func (f Follower) follow(ctx context.Context, tx *db.Tx, p server.Path, row query.Site, description string) error {
	var err error
	if p, err = p.Lock(ctx, tx); err != nil { // a site may have got the node after Lock listed them
		return err
	}
	now, err := site.Sites.Row(ctx, tx.Granted, row.ID)
	if err != nil || now.Specification.Balancer == nil {
		return err
	}
	next, same := now.Specification, true
	b := *next.Balancer
	b.Nodes = nil
	for _, node := range next.Balancer.Nodes {
		s, err := tx.Ungranted().GetServer(ctx, node.ServerID)
		if err != nil {
			return fmt.Errorf("read node: %w", err)
		}
		was := node
		if node.Waits {
			node.Waits = !s.IsReady
		}
		if node.Address, err = address(p.Server, s); err != nil {
			return err
		}
		same = same && node == was
		b.Nodes = append(b.Nodes, node)
	}
	if same {
		return nil
	}
	next.Balancer = &b
	_, err = site.AcceptSite(ctx, tx, f.Ledger, p, row.ID, next, "update", description)
	return err
}

// behind accepts work of the sites that a balancer's site passes requests to, on these nodes: they believe what the balancer says of its visitors.
func behind(ctx context.Context, tx *db.Tx, l *ledger.Ledger, g access.Grant, balanced query.Site, nodes map[int64]query.Server) error {
	for _, id := range slices.Sorted(maps.Keys(nodes)) {
		sites, err := tx.Ungranted().ListSitesBehind(ctx, balanced.ID, id)
		if err != nil {
			return fmt.Errorf("list sites behind balancer: %w", err)
		}
		for _, row := range sites {
			if row.Status == site.StatusUninstalling {
				continue
			}
			now, err := site.Sites.Row(ctx, tx.Granted, row.ID)
			if err != nil {
				return fmt.Errorf("read site %d: %w", row.ID, err)
			}
			p := server.Path{Grant: g, Server: nodes[id]}
			if _, err := site.AcceptSite(ctx, tx, l, p, row.ID, now.Specification, "update", "Taking requests of "+row.Name+" from a load balancer"); err != nil {
				return err
			}
		}
	}
	return nil
}

// address returns where a balancer reaches a node: at its private address where both have one.
func address(balancer, node query.Server) (string, error) {
	text := node.IPAddress
	if text == nil || (balancer.PrivateIPAddress != nil && node.PrivateIPAddress != nil) {
		text = node.PrivateIPAddress
	}
	if text == nil {
		return "", fmt.Errorf("server %s has no address", node.Name)
	}
	a, err := netip.ParseAddr(*text)
	if err != nil {
		return "", fmt.Errorf("address of server %s: %w", node.Name, err)
	}
	return a.String(), nil
}
