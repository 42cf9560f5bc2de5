package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Accept writes an operation with its event and job, its wishes, and the rows that show it, in one transaction. An older
// operation that has not begun and asks only for the same resources is superseded. Children of a removed resource are removed
// with it.
func (l *Ledger) Accept(ctx context.Context, tx *db.Tx, w job.Work, wishes ...Wish) (job.Accepted, error) {
	wishes, err := l.withChildren(ctx, tx, w.ServerID, wishes)
	if err != nil {
		return job.Accepted{}, err
	}
	if noun, ok := l.kinds[w.Resource]; ok && w.Needs == nil {
		w.Needs = noun.needs
	}
	accepted, err := l.queue.Begin(ctx, tx, w)
	if err != nil {
		return accepted, err
	}
	if err := l.supersede(ctx, tx, accepted.OperationID, wishes); err != nil {
		return accepted, err
	}
	return accepted, l.Attach(ctx, tx, accepted.OperationID, w.ServerID, wishes...)
}

// Attach adds wishes to an operation that has not begun, and shows them in their rows.
func (l *Ledger) Attach(ctx context.Context, tx *db.Tx, operationID, serverID int64, wishes ...Wish) error {
	for _, w := range wishes {
		var spec *string
		if w.Specification != nil {
			spec = new(string(w.Specification))
		}
		err := tx.InsertWish(ctx, query.InsertWishParams{OperationID: operationID, Kind: w.Kind, ID: w.ID, Version: int64(w.Version), Specification: spec})
		if err != nil {
			return fmt.Errorf("write what is asked for of %s %d: %w", w.Kind, w.ID, err)
		}
		if err := l.show(ctx, tx, serverID, w.Kind, w.ID); err != nil {
			return err
		}
	}
	return nil
}

// Detach removes the wishes of a kind from an operation that has not begun.
func (l *Ledger) Detach(ctx context.Context, tx *db.Tx, operationID, serverID int64, kind string) error {
	wishes, err := asked(ctx, tx.Ungranted(), operationID)
	if err != nil {
		return err
	}
	if err := tx.DeleteWishes(ctx, operationID, kind); err != nil {
		return fmt.Errorf("drop what operation %d asks for: %w", operationID, err)
	}
	for _, w := range wishes {
		if w.Kind != kind {
			continue
		}
		if err := l.show(ctx, tx, serverID, w.Kind, w.ID); err != nil {
			return err
		}
	}
	return nil
}

// key names a resource.
type key struct {
	kind string
	id   int64
}

// withChildren adds to wishes the removal of all children of what they remove.
func (l *Ledger) withChildren(ctx context.Context, tx *db.Tx, serverID int64, wishes []Wish) ([]Wish, error) {
	if !slices.ContainsFunc(wishes, func(w Wish) bool { return w.Specification == nil && l.parents[w.Kind] }) {
		return wishes, nil
	}
	known, err := tx.Ungranted().ListKnown(ctx, serverID)
	if err != nil {
		return nil, fmt.Errorf("list what server %d has or is to have: %w", serverID, err)
	}
	children := map[key][]Wish{}
	for _, k := range known {
		noun, ok := l.kinds[k.Kind]
		if !ok || k.Specification == nil {
			continue
		}
		kind, id, err := noun.parent(json.RawMessage(*k.Specification))
		if err != nil {
			return nil, err
		}
		children[key{kind, id}] = append(children[key{kind, id}], Wish{Kind: k.Kind, ID: k.ID, Version: int(k.Version)})
	}
	named := keys(wishes)
	for i := 0; i < len(wishes); i++ { // wishes grow
		if wishes[i].Specification != nil {
			continue
		}
		for _, child := range children[key{wishes[i].Kind, wishes[i].ID}] {
			if k := (key{child.Kind, child.ID}); !named[k] {
				named[k] = true
				wishes = append(wishes, child)
			}
		}
	}
	return wishes, nil
}

func keys(wishes []Wish) map[key]bool {
	out := make(map[key]bool, len(wishes))
	for _, w := range wishes {
		out[key{w.Kind, w.ID}] = true
	}
	return out
}

// supersede ends the older operations that are completely replaced by these wishes.
func (l *Ledger) supersede(ctx context.Context, tx *db.Tx, by int64, wishes []Wish) error {
	named, seen := keys(wishes), map[int64]bool{}
	for _, w := range wishes {
		rivals, err := tx.Ungranted().ListRivals(ctx, w.Kind, w.ID, by)
		if err != nil {
			return fmt.Errorf("list older operations on %s %d: %w", w.Kind, w.ID, err)
		}
		for _, op := range rivals {
			if seen[op.ID] {
				continue
			}
			seen[op.ID] = true
			if !named[key{op.ResourceType, op.ResourceID}] { // it is about something else, such as setting up a server
				continue
			}
			theirs, err := asked(ctx, tx.Ungranted(), op.ID)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(theirs, func(t query.Wish) bool { return !named[key{t.Kind, t.ID}] }) {
				continue
			}
			if err := job.Supersede(ctx, tx, op, by); err != nil {
				return err
			}
			if err := tx.EndWishes(ctx, op.ID); err != nil {
				return fmt.Errorf("end what operation %d asked for: %w", op.ID, err)
			}
		}
	}
	return nil
}
