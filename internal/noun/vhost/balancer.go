package vhost

import (
	"fmt"
	"net/netip"

	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// upstream returns the nodes of a site as nginx's text.
func upstream(b site.Balancer, id int64) (string, error) {
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
