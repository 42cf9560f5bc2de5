package site

import (
	"context"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Balancer is how a site on a load balancer spreads its traffic.
type Balancer struct {
	Method    string `json:"method"`
	Keepalive int64  `json:"keepalive,omitempty"`
	Nodes     []Node `json:"nodes,omitempty"`
}

// Node is a server behind a site on a load balancer. Address is where the balancer reached it when that was accepted.
type Node struct {
	ServerID int64  `json:"server_id"`
	Address  string `json:"address"`
	Port     int64  `json:"port"`
	Weight   int64  `json:"weight"`
	Backup   bool   `json:"backup,omitempty"`
	Down     bool   `json:"down,omitempty"`
	// Waits reports whether the server was not set up when that was accepted: it is left out, however it is asked for.
	Waits bool `json:"waits,omitempty"`
}

// writeNodes makes the rows of a site's nodes match the request. A deleted server has none.
func writeNodes(ctx context.Context, tx *db.Tx, id int64, nodes []Node) error {
	rows, err := tx.Ungranted().ListNodes(ctx, id)
	if err != nil {
		return fmt.Errorf("list nodes of site %d: %w", id, err)
	}
	same := len(rows) == len(nodes)
	for i := 0; same && i < len(rows); i++ {
		r, n := rows[i], nodes[i]
		same = r.ServerID == n.ServerID && r.Port == n.Port && r.Weight == n.Weight && r.Backup == n.Backup && r.Down == n.Down
	}
	if same {
		return nil
	}
	if err := tx.DeleteNodes(ctx, id); err != nil {
		return fmt.Errorf("write nodes of site %d: %w", id, err)
	}
	for _, n := range nodes {
		if _, err := tx.Ungranted().GetServer(ctx, n.ServerID); errors.Is(err, db.ErrNotFound) {
			continue
		} else if err != nil {
			return fmt.Errorf("write nodes of site %d: %w", id, err)
		}
		err := tx.InsertNode(ctx, query.InsertNodeParams{
			SiteID: id, ServerID: n.ServerID, Port: n.Port, Weight: n.Weight, Backup: n.Backup, Down: n.Down,
			CreatedAt: tx.Micros(),
		})
		if err != nil {
			return fmt.Errorf("write nodes of site %d: %w", id, err)
		}
	}
	return nil
}
