package loadbalancer

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/render"
	"github.com/hostlerhq/hostler/internal/value"
)

// Planner renders the nodes of sites on load balancers.
type Planner struct{}

// Upstream is the nodes of a site. A node is reached at its private address where both have one.
func (p *Planner) Upstream(ctx context.Context, q *query.Queries, row query.Site, nodes []query.LoadBalancingNode) (text string, empty bool, err error) {
	balancer, err := q.GetServer(ctx, row.ServerID)
	if err != nil {
		return "", false, fmt.Errorf("read load balancer: %w", err)
	}
	in := render.UpstreamInput{SiteID: row.ID}
	if row.BalancerMethod != nil {
		in.Method = *row.BalancerMethod
	}
	if row.BalancerKeepalive != nil {
		in.Keepalive = int(*row.BalancerKeepalive)
	}
	for _, n := range nodes {
		s, err := q.GetServer(ctx, n.ServerID)
		if err != nil {
			return "", false, fmt.Errorf("read node: %w", err)
		}
		node := render.Node{Weight: int(n.Weight), Backup: n.Backup, Down: n.Down}
		if node.Address, err = address(balancer, s); err != nil {
			return "", false, err
		}
		if node.Port, err = value.NewPort(int(n.Port)); err != nil {
			return "", false, fmt.Errorf("port of node %d: %w", n.ID, err)
		}
		in.Nodes = append(in.Nodes, node)
	}
	text, err = render.NginxUpstream(in)
	return text, len(in.Nodes) == 0, err
}

func address(balancer, node query.Server) (netip.Addr, error) {
	text := node.IPAddress
	if text == nil || (balancer.PrivateIPAddress != nil && node.PrivateIPAddress != nil) {
		text = node.PrivateIPAddress
	}
	if text == nil {
		return netip.Addr{}, fmt.Errorf("server %s has no address", node.Name)
	}
	a, err := netip.ParseAddr(*text)
	if err != nil {
		return a, fmt.Errorf("address of server %s: %w", node.Name, err)
	}
	return a, nil
}
