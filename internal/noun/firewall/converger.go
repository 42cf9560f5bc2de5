package firewall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/converge"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Converger makes servers have their rules and networks.
type Converger struct{ converge.Converger }

// NewConverger returns the aspect.
func NewConverger(l *ledger.Ledger) *Converger {
	return &Converger{converge.Converger{Ledger: l, Plans: Plan}}
}

// Aspect returns it for the engine.
func (c *Converger) Aspect() job.Aspect {
	a := c.Converger.Aspect()
	a.Write = c.Write
	return a
}

// Write shows a retried operation, and its end. A retry is a conflict where a peer that it lets in is gone or has another address by now: the one that it
// names may be another machine's.
func (c *Converger) Write(ctx context.Context, tx *db.Tx, op query.Operation, at job.State) error {
	if at == job.Queued {
		if err := c.sameMachines(ctx, tx, op); err != nil {
			return err
		}
	}
	return c.Converger.Write(ctx, tx, op, at)
}

// sameMachines returns a conflict where a peer that an operation lets in is gone or has another address.
func (c *Converger) sameMachines(ctx context.Context, tx *db.Tx, op query.Operation) error {
	wishes, err := tx.Ungranted().ListWishes(ctx, op.ID)
	if err != nil {
		return fmt.Errorf("list what operation %d asks for: %w", op.ID, err)
	}
	for _, w := range wishes {
		if w.Kind != Networks.Kind || w.Specification == nil {
			continue
		}
		var s NetworkSpecification
		if err := json.Unmarshal([]byte(*w.Specification), &s); err != nil {
			return fmt.Errorf("read the network that operation %d asks for: %w", op.ID, err)
		}
		for _, p := range append([]Peer{{ServerID: w.ID, Address: s.Address}}, s.Peers...) {
			row, err := tx.Ungranted().GetServer(ctx, p.ServerID)
			if errors.Is(err, db.ErrNotFound) || err == nil && len(s.Peers) > 0 && (row.PrivateIPAddress == nil || *row.PrivateIPAddress != p.Address) {
				return api.Conflict("A private address has changed since.")
			}
			if err != nil {
				return fmt.Errorf("read server %d: %w", p.ServerID, err)
			}
		}
	}
	return nil
}
