package firewall

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Network records the wishes of networks, each of which is one of several servers.
type Network struct {
	Ledger *ledger.Ledger
}

// edit is what happens to the network of one server.
type edit struct {
	at     server.Path
	add    []query.Server
	remove []int64
	// archived is set for a server that is not asked to change: what is recorded of it changes alone.
	archived bool
}

// accept accepts the changes of several networks, and returns the event of each server.
func (n *Network) accept(ctx context.Context, tx *db.Tx, changes []edit, description string) (map[int64]int64, error) {
	slices.SortFunc(changes, func(a, b edit) int { return cmp.Compare(a.at.Server.ID, b.at.Server.ID) }) // locked in one order
	for _, c := range changes {
		if err := tx.LockServer(ctx, c.at.Server.ID); err != nil {
			return nil, err
		}
		row, err := tx.GetServer(ctx, c.at.Server)
		if err != nil {
			return nil, fmt.Errorf("read server %d: %w", c.at.Server.ID, err)
		}
		if was := c.at.Server.PrivateIPAddress; was != row.PrivateIPAddress && (was == nil || row.PrivateIPAddress == nil || *was != *row.PrivateIPAddress) {
			return nil, api.Conflict("The private address of %s was just changed.", row.Name)
		}
	}
	events := map[int64]int64{}
	for _, c := range changes {
		id := c.at.Server.ID
		row, err := Networks.Row(ctx, tx.Granted, id)
		if err != nil {
			return nil, fmt.Errorf("read network of server %d: %w", id, err)
		}
		if row.Phase == ledger.Failed {
			row.Specification = NetworkSpecification{}
		}
		wish, err := Networks.Want(id, c.of(row.Specification))
		if err != nil {
			return nil, err
		}
		if c.archived { // the repair after it is reconnected makes it so
			if err := n.Ledger.Adopt(ctx, tx, id, wish); err != nil {
				return nil, err
			}
			continue
		}
		accepted, err := server.Acceptor{Ledger: n.Ledger, Name: Aspect, Within: Deadline}.Accept(ctx, tx, c.at, 0, "update", description, wish)
		if err != nil {
			return nil, err
		}
		events[id] = accepted.EventID
	}
	return events, nil
}

// of returns a network after the change.
func (c edit) of(s NetworkSpecification) NetworkSpecification {
	next := NetworkSpecification{Peers: []Peer{}}
	if c.at.Server.PrivateIPAddress != nil {
		next.Address = *c.at.Server.PrivateIPAddress
	}
	for _, p := range s.Peers {
		if !slices.Contains(c.remove, p.ServerID) {
			next.Peers = append(next.Peers, p)
		}
	}
	for _, a := range c.add {
		if !slices.ContainsFunc(next.Peers, func(p Peer) bool { return p.ServerID == a.ID }) {
			next.Peers = append(next.Peers, Peer{ServerID: a.ID, Address: *a.PrivateIPAddress})
		}
	}
	slices.SortFunc(next.Peers, func(a, b Peer) int { return cmp.Compare(a.ServerID, b.ServerID) })
	return next
}

// Leave removes a server from the networks of its peers, and its peers from its own: its private address may soon be another machine's.
func (n *Network) Leave(ctx context.Context, tx *db.Tx, leaving query.Server) error {
	if err := lockNetworks(ctx, tx); err != nil {
		return err
	}
	ids, err := tx.ListPeersOf(ctx, leaving)
	if err != nil {
		return fmt.Errorf("list networks with server %d: %w", leaving.ID, err)
	}
	var changes []edit
	for _, id := range ids {
		row, err := tx.Ungranted().GetServer(ctx, id)
		if err != nil {
			return fmt.Errorf("read peer of server %d: %w", leaving.ID, err)
		}
		if row.Status != server.StatusDeleting {
			changes = append(changes, edit{
				at:     server.Path{Grant: access.Grant{OrganizationID: row.OrganizationID}, Server: row},
				remove: []int64{leaving.ID}, archived: row.Revoked,
			})
		}
	}
	if len(ids) > 0 {
		changes = append(changes, edit{at: server.Path{Grant: access.Grant{OrganizationID: leaving.OrganizationID}, Server: leaving}, remove: ids, archived: true})
	}
	_, err = n.accept(ctx, tx, changes, "Removing "+leaving.Name+" from the network")
	return err
}

// lockNetworks serializes changes of networks, each of which is on several servers.
func lockNetworks(ctx context.Context, tx *db.Tx) error {
	if err := tx.PutSetting(ctx, "servers.network", ""); err != nil {
		return fmt.Errorf("lock networks: %w", err)
	}
	return nil
}
