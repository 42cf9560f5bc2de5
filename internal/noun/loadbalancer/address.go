package loadbalancer

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Nodes decides where balancers reach their nodes.
type Nodes struct{ Ledger *ledger.Ledger }

// NodeChanged makes the sites of every balancer follow that a server is a node of, and its own sites where it is a balancer itself: where a balancer
// reaches its nodes, and which it leaves out until they are set up, is decided when work is accepted.
func (n Nodes) NodeChanged(ctx context.Context, tx *db.Tx, g access.Grant, changed query.Server, why string) error {
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
		if err := n.follow(ctx, tx, server.Path{Grant: g, Server: balancer}, row, why); err != nil {
			return err
		}
	}
	return nil
}

// follow accepts the work of a site whose nodes are reached elsewhere by now, or are set up.
func (n Nodes) follow(ctx context.Context, tx *db.Tx, p server.Path, row query.Site, description string) error {
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
	_, err = site.AcceptSite(ctx, tx, n.Ledger, p, row.ID, next, "update", description)
	return err
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
