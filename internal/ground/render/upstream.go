package render

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/value"
)

// The methods of a balancer, by their names in the contract.
const (
	RoundRobin = "round_robin"
	LeastConn  = "least_conn"
	IPHash     = "ip_hash"
)

// MaxWeight is the greatest weight of a node, for any method. nginx accepts up to 1<<63 - 1 (ngx_atoi) and adds up the weights of all nodes; this
// leaves room for the sum.
const MaxWeight = 1_000_000

// UpstreamInput is the set of nodes of a balancer's site; every domain of the site uses it.
type UpstreamInput struct {
	SiteID    int64
	Method    string // "" is RoundRobin
	Keepalive int    // idle connections kept per worker; 0: none
	Nodes     []Node
}

// Node is a server that a balancer sends requests to.
type Node struct {
	Address netip.Addr
	Port    value.Port
	Weight  int // at most MaxWeight; 0: the default, 1
	Backup  bool
	Down    bool
}

// NginxUpstream returns the upstream of a balancer's site (ngx_http_upstream_module), a separate file that is included before the
// site's vhosts. The zone makes the workers share their knowledge of dead nodes. Two failures within 5 s take a node out for 5 s:
// a single one might be a slow page, and each is retried on another node anyway. nginx ignores that for a single node. Without
// nodes there is no upstream, since nginx refuses an empty one; the vhost then answers 503 (Balancer.Empty). It is allowed that
// all nodes are down.
func NginxUpstream(in UpstreamInput) (string, error) {
	c := conf{}
	c.line("# Written by Hostler; changes are overwritten.")
	if in.SiteID <= 0 {
		return "", errors.New("an upstream needs the id of its site")
	}
	if len(in.Nodes) == 0 {
		c.line("# No nodes.")
		return c.b.String(), nil
	}
	c.open("upstream %s", UpstreamName(in.SiteID))
	c.line("zone %s 256k;", UpstreamName(in.SiteID))
	switch in.Method {
	case "", RoundRobin:
	case LeastConn, IPHash:
		c.line("%s;", in.Method)
	default:
		return "", fmt.Errorf("%q is no method of balancing", in.Method)
	}
	primary := false
	for _, n := range in.Nodes {
		if !n.Address.IsValid() || n.Address.Zone() != "" || n.Port.IsZero() || n.Weight < 0 || n.Weight > MaxWeight {
			return "", fmt.Errorf("the node %s port %s with weight %d can't be used", n.Address, n.Port, n.Weight)
		}
		if n.Backup && in.Method == IPHash {
			return "", errors.New("nginx has no backup nodes with ip_hash")
		}
		primary = primary || !n.Backup
		parameters := []string{netip.AddrPortFrom(n.Address.Unmap(), uint16(n.Port.Int())).String()}
		if n.Weight > 1 {
			parameters = append(parameters, fmt.Sprintf("weight=%d", n.Weight))
		}
		parameters = append(parameters, "max_fails=2", "fail_timeout=5s")
		if n.Backup {
			parameters = append(parameters, "backup")
		}
		if n.Down {
			parameters = append(parameters, "down")
		}
		c.line("server %s;", strings.Join(parameters, " "))
	}
	if !primary {
		return "", errors.New("nginx needs a node that is not a backup")
	}
	if in.Keepalive < 0 || in.Keepalive > 256 {
		return "", fmt.Errorf("%d idle connections can't be kept", in.Keepalive)
	}
	if in.Keepalive > 0 { // after the method, as nginx requires
		c.line("keepalive %d;", in.Keepalive)
		c.line("keepalive_timeout 4s;") // below the 5 s after which Node closes its idle connections: a request must not meet a closing one
	}
	c.close()
	return c.b.String(), nil
}

// UpstreamURL returns the URL of a site's upstream for a proxy.
func UpstreamURL(siteID int64) string { return "http://" + UpstreamName(siteID) }

// UpstreamName returns the name of the upstream of a site with nodes or its own program.
func UpstreamName(siteID int64) string { return fmt.Sprintf("hostler_%d", siteID) }
