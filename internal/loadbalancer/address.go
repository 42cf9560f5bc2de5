package loadbalancer

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/access"
	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/server"
	"github.com/hostlerhq/hostler/internal/site"
)

// AddressChanged makes every balancer follow that a server is a node of.
func (o *Operations) AddressChanged(ctx context.Context, tx *db.Tx, g access.Grant, node query.Server) error {
	sites, err := tx.ListSitesWithNode(ctx, node.ID)
	if err != nil {
		return fmt.Errorf("list balancers of server %d: %w", node.ID, err)
	}
	for _, row := range sites {
		balancer, err := o.Servers.Get(ctx, tx.Queries, g, row.ServerID)
		if err != nil {
			return err
		}
		state := site.Before{Site: row}
		if state.Nodes, err = tx.ListNodes(ctx, row.ID); err != nil {
			return fmt.Errorf("list nodes: %w", err)
		}
		after := state
		state.After = &after
		if _, err := site.Begin(ctx, tx, o.Jobs, server.Path{Grant: g, Server: balancer}, &row, row.Status, "update", "Following the address of "+node.Name, state); err != nil {
			return err
		}
	}
	return nil
}
