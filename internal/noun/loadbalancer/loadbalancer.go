// Package loadbalancer is sites on load balancers: the nodes behind a domain and how traffic is spread over them.
package loadbalancer

import (
	"fmt"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Defaults of a node, and of a site's way of choosing.
const (
	defaultMethod = render.RoundRobin
	defaultPort   = 80
	defaultWeight = 1
	maxNodes      = 200
)

// Node is one server behind a site, as a request names it.
type Node struct {
	ServerID *int64 `json:"server_id,omitempty" doc:"Required."`
	Port     *int64 `json:"port,omitempty" minimum:"1" maximum:"65535"`
	Weight   *int64 `json:"weight,omitempty" minimum:"1"`
	Backup   bool   `json:"backup,omitempty"`
	Down     bool   `json:"down,omitempty"`
}

// checkNodes says all that is wrong with the nodes of a site on a balancer. known are the servers of the organization that they name.
func checkNodes(f api.Fields, balancer query.Server, method string, nodes []Node, known map[int64]query.Server) {
	field := func(i int, name string) string { return fmt.Sprintf("balancing.%d.%s", i, name) }
	add := func(name, format string, args ...any) {
		if len(f[name]) == 0 {
			f.Add(name, format, args...)
		}
	}
	if len(nodes) > maxNodes {
		add("balancing", "There can be at most %d nodes.", maxNodes)
		return
	}
	seen := map[[2]int64]bool{}
	primaries := 0
	for i, n := range nodes {
		if !n.Backup {
			primaries++
		}
		if n.Backup && method == render.IPHash {
			add(field(i, "backup"), "The method ip_hash can't have backup nodes.")
		}
		if n.Weight != nil && *n.Weight > render.MaxWeight {
			add(field(i, "weight"), "The %s must be at most %d.", field(i, "weight"), render.MaxWeight)
		}
		id := field(i, "server_id")
		if n.ServerID == nil {
			add(id, "The %s field is required.", id)
			continue
		}
		s, ok := known[*n.ServerID]
		switch {
		case !ok:
			add(id, "The selected server does not exist.")
		case s.ID == balancer.ID:
			add(id, "A load balancer can't be its own node.")
		case s.IPAddress == nil && s.PrivateIPAddress == nil:
			add(id, "The selected server has no address yet.")
		case s.Status == server.StatusDeleting:
			add(id, "The selected server is being deleted.")
		case s.Revoked || s.Status == server.StatusArchiving:
			add(id, "The selected server is archived.")
		}
		key := [2]int64{*n.ServerID, orDefault(n.Port, defaultPort)}
		if seen[key] {
			add(id, "The same server and port are given twice.")
		}
		seen[key] = true
	}
	if len(nodes) > 0 && primaries == 0 {
		add("balancing", "At least one node must not be a backup.")
	}
}

func orDefault(v *int64, def int64) int64 {
	if v == nil {
		return def
	}
	return *v
}

// serverIDs returns the servers that nodes name; of more nodes than are allowed none needs to be looked for.
func serverIDs(nodes []Node) []int64 {
	var ids []int64
	if len(nodes) > maxNodes {
		return nil
	}
	for _, n := range nodes {
		if n.ServerID != nil {
			ids = append(ids, *n.ServerID)
		}
	}
	return ids
}
