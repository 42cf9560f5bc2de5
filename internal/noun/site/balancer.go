package site

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/value"
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

// upstream returns the nodes of a site as nginx's text.
func (b Balancer) upstream(id int64) (string, error) {
	in := render.UpstreamInput{SiteID: id, Method: b.Method, Keepalive: int(b.Keepalive)}
	for _, n := range b.Nodes {
		node := render.Node{Weight: int(n.Weight), Backup: n.Backup, Down: n.Down || n.Waits}
		var err error
		if node.Address, err = netip.ParseAddr(n.Address); err != nil {
			return "", fmt.Errorf("address of server %d: %w", n.ServerID, err)
		}
		if node.Port, err = value.NewPort(int(n.Port)); err != nil {
			return "", fmt.Errorf("port of server %d: %w", n.ServerID, err)
		}
		in.Nodes = append(in.Nodes, node)
	}
	return render.NginxUpstream(in)
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
		err := tx.InsertNode(ctx, query.InsertNodeParams{SiteID: id, ServerID: n.ServerID, Port: n.Port, Weight: n.Weight, Backup: n.Backup, Down: n.Down, CreatedAt: tx.Micros()})
		if err != nil {
			return fmt.Errorf("write nodes of site %d: %w", id, err)
		}
	}
	return nil
}
