package firewall

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// NetworkSpecification is the network of a server, whose id is the resource's.
type NetworkSpecification struct {
	// Address is the server's own private address, the only one that peers are let in to.
	Address string `json:"address"`
	// Peers are ordered by their servers.
	Peers []Peer `json:"peers"`
}

// Peer is a server that is let in from its private address.
type Peer struct {
	ServerID int64  `json:"server_id"`
	Address  string `json:"address"`
}

// Networks is the noun.
var Networks = &ledger.Noun[NetworkSpecification]{Kind: "networks", Version: 1, Needs: []access.Permission{access.ServerManageNetwork}, Write: writeNetwork}

func writeNetwork(ctx context.Context, tx *db.Tx, serverID int64, row ledger.Row[NetworkSpecification]) error {
	if err := tx.ClearPeers(ctx, serverID); err != nil {
		return fmt.Errorf("write network of server %d: %w", serverID, err)
	}
	if row.Phase == ledger.Gone || row.Phase == ledger.Failed { // the host never had it
		return nil
	}
	for _, p := range row.Specification.Peers {
		if err := tx.AddPeer(ctx, serverID, p.ServerID); err != nil {
			return fmt.Errorf("write network of server %d: %w", serverID, err)
		}
	}
	return nil
}

// maxPeers limits a network: every change of it is work on each of its servers.
const maxPeers = 100

// UpdateServerNetworkRequest names the peers of a server.
type UpdateServerNetworkRequest struct {
	Servers []int64 `json:"servers" nullable:"false"`
}

// NetworkOperations shows and changes the networks of servers.
type NetworkOperations struct {
	DB       *db.DB
	Servers  *server.Store
	Networks *Network
	Router   *api.Router
}

// Register adds the operations.
func (n *NetworkOperations) Register() {
	const path, tag = "/orgs/{organization}/servers/{server}/network", "Servers"
	api.Index(n.Router, api.Operation{
		ID: "organizations.servers.network.show", Included: []any{server.TagResource{}}, Method: http.MethodGet, Path: path, Tag: tag, Mode: api.Sync, Whole: true,
		Permissions: []access.Permission{access.ServerView}, Summary: "List the peers of a server",
		Description: "Lists the servers that can reach this server at its private address. Peers that the caller can't see are omitted.",
		Formerly:    "servers network list",
	}, n.Servers.InPath, n.show)
	api.WriteEmpty(n.Router, api.Operation{
		ID: "organizations.servers.network.update", Method: http.MethodPut, Path: path, Tag: tag, Mode: api.Async,
		Permissions: []access.Permission{access.ServerManageNetwork},
		Status:      http.StatusAccepted, ChangesHost: true, Summary: "Replace the peers of a server",
		Description: "A server and its peers can reach each other's private address on every port, unless a rule denies it. Both firewalls change, so the " +
			"permission is required on both servers. Peers that the caller can't see are unchanged.",
		Formerly: "servers network set",
		Example:  map[string]any{"servers": []any{"$OTHER_SERVER"}},
	}, n.Servers.InPath, n.update)
}

func (n *NetworkOperations) show(ctx context.Context, c api.Call[server.Path]) (api.Collection[server.Resource], error) {
	var out api.Collection[server.Resource]
	rows, err := n.visible(ctx, n.DB.Read(), n.DB.Reader(), c.Parent)
	if err != nil {
		return out, err
	}
	out.Data, err = server.Resources(ctx, n.DB.Reader(), n.Router, c.Parent.Slug, rows...)
	return out, err
}

// visible returns the peers of a server that the caller can see.
func (n *NetworkOperations) visible(ctx context.Context, q *query.Granted, reader query.DBTX, p server.Path) ([]query.Server, error) {
	ids, err := q.ListPeers(ctx, p.Server)
	if err != nil {
		return nil, fmt.Errorf("list peers of server %d: %w", p.Server.ID, err)
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	return db.All[query.Server](ctx, reader, "servers", db.Equal("id", args...), server.Visible(p.Grant))
}

func (n *NetworkOperations) update(ctx context.Context, tx *db.Tx, c api.Call[server.Path], b UpdateServerNetworkRequest) (api.Empty, error) {
	var none api.Empty
	if err := lockNetworks(ctx, tx); err != nil {
		return none, err
	}
	before, err := n.visible(ctx, tx.Granted, tx.SQL, c.Parent)
	if err != nil {
		return none, err
	}
	own, err := tx.GetServer(ctx, c.Parent.Server)
	if err != nil {
		return none, fmt.Errorf("read server: %w", err)
	}
	if own.Revoked {
		return none, server.ErrArchived
	}
	added, err := n.check(ctx, tx, c, own, before, b.Servers)
	if err != nil {
		return none, err
	}
	removed, err := n.removed(ctx, tx, c, before, b.Servers)
	if err != nil {
		return none, err
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	changes := []edit{{at: server.Path{Grant: c.Parent.Grant, Server: own}}}
	for _, p := range added {
		changes[0].add = append(changes[0].add, p.Server)
		changes = append(changes, edit{at: p, add: []query.Server{own}})
	}
	for _, p := range removed {
		changes[0].remove = append(changes[0].remove, p.Server.ID)
		changes = append(changes, edit{at: p, remove: []int64{own.ID}, archived: p.Server.Revoked})
	}
	if len(added)+len(removed) == 0 {
		return none, nil
	}
	events, err := n.Networks.accept(ctx, tx, changes, "Updating the network of "+own.Name)
	return api.Empty{Event: events[own.ID]}, err
}

// check reports what is wrong with the servers that a request names, and returns those that are no peers yet.
func (n *NetworkOperations) check(ctx context.Context, tx *db.Tx, c api.Call[server.Path], own query.Server, before []query.Server,
	ids []int64,
) ([]server.Path, error) {
	if len(ids) > maxPeers {
		c.Fields.Add("servers", "A server can have at most %d peers.", maxPeers)
		return nil, nil
	}
	if len(ids) > 0 && own.PrivateIPAddress == nil {
		c.Fields.Add("servers", "This server has no private address.")
		return nil, nil
	}
	var added []server.Path
	for i, id := range ids {
		field := "servers." + strconv.Itoa(i)
		if len(c.Fields[field]) > 0 || slices.Contains(ids[:i], id) || slices.ContainsFunc(before, func(r query.Server) bool { return r.ID == id }) {
			continue
		}
		row, grant, err := n.Servers.Open(ctx, tx.Granted, c.Parent.Grant, id)
		switch {
		case errors.Is(err, access.ErrNotFound), errors.Is(err, db.ErrNotFound):
			c.Fields.Add(field, "The selected server does not exist.")
		case err != nil:
			return nil, err
		case !grant.May(access.ServerManageNetwork):
			c.Fields.Add(field, "The firewall of %s changes too, which requires server:manage-network on it.", row.Name)
		default:
			if reason := unfit(own, row); reason != "" {
				c.Fields.Add(field, "%s", reason)
			}
			added = append(added, server.Path{Grant: grant, Server: row})
		}
	}
	return added, nil
}

// removed returns the peers that a request leaves out.
func (n *NetworkOperations) removed(ctx context.Context, tx *db.Tx, c api.Call[server.Path], before []query.Server, ids []int64) ([]server.Path, error) {
	var out []server.Path
	for _, row := range before {
		if slices.Contains(ids, row.ID) {
			continue
		}
		row, grant, err := n.Servers.Open(ctx, tx.Granted, c.Parent.Grant, row.ID)
		if err != nil {
			return nil, err
		}
		if !grant.May(access.ServerManageNetwork) {
			c.Fields.Add("servers", "The firewall of %s changes too, which requires server:manage-network on it.", row.Name)
		}
		out = append(out, server.Path{Grant: grant, Server: row})
	}
	return out, nil
}

// unfit returns why two servers can't be peers, "" if they can.
func unfit(own, peer query.Server) string {
	switch {
	case peer.ID == own.ID:
		return "A server can't be its own peer."
	case peer.Status == server.StatusDeleting:
		return "The selected server is being deleted."
	case peer.Revoked || peer.Status == server.StatusArchiving:
		return "The selected server is archived."
	case peer.Provider != own.Provider || peer.Region != own.Region || !api.SameOrNil(peer.CredentialID, own.CredentialID):
		return "The selected server belongs to another provider, account or region."
	case peer.PrivateIPAddress == nil:
		return "The selected server has no private address."
	case *peer.PrivateIPAddress == *own.PrivateIPAddress:
		return "The selected server has the same private address."
	}
	a, err := netip.ParseAddr(*own.PrivateIPAddress)
	b, other := netip.ParseAddr(*peer.PrivateIPAddress)
	if err != nil || other != nil || a.Is4() != b.Is4() {
		return "One of the private addresses is IPv4 and the other IPv6."
	}
	return ""
}
