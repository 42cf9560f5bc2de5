package ledger

import (
	"context"
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
	if err := tx.LockServer(ctx, w.ServerID); err != nil {
		return job.Accepted{}, err
	}
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
		err := tx.InsertWish(ctx, query.InsertWishParams{OperationID: operationID, Kind: w.Kind, ID: w.ID, Version: int64(w.Version), Specification: w.text()})
		if err != nil {
			return fmt.Errorf("write what is asked for of %s %d: %w", w.Kind, w.ID, err)
		}
	}
	return l.writeRows(ctx, tx, serverID, wishes...)
}

// Detach removes the wishes of a kind from an operation that has not begun.
func (l *Ledger) Detach(ctx context.Context, tx *db.Tx, operationID, serverID int64, kind string) error {
	wishes, err := wishesOf(ctx, tx.Ungranted(), operationID)
	if err != nil {
		return err
	}
	if err := tx.DeleteWishes(ctx, operationID, kind); err != nil {
		return fmt.Errorf("drop what operation %d asks for: %w", operationID, err)
	}
	return l.writeRows(ctx, tx, serverID, slices.DeleteFunc(wishes, func(w Wish) bool { return w.Kind != kind })...)
}

// withChildren adds to wishes the removal of all children of what they remove.
func (l *Ledger) withChildren(ctx context.Context, tx *db.Tx, serverID int64, wishes []Wish) ([]Wish, error) {
	if !slices.ContainsFunc(wishes, func(w Wish) bool { return w.Specification == nil && l.parents[w.Kind] }) {
		return wishes, nil
	}
	all, err := known(ctx, tx.Ungranted(), serverID)
	if err != nil {
		return nil, err
	}
	children := map[key][]Wish{}
	for _, w := range all {
		noun, ok := l.kinds[w.Kind]
		if !ok {
			continue
		}
		parent, err := noun.parentOf(w.Specification)
		if err != nil {
			return nil, err
		}
		children[parent] = append(children[parent], Wish{Kind: w.Kind, ID: w.ID, Version: w.Version})
	}
	named := keys(wishes)
	for i := 0; i < len(wishes); i++ { // wishes grow
		if wishes[i].Specification != nil {
			continue
		}
		for _, child := range children[wishes[i].key()] {
			if !named[child.key()] {
				named[child.key()] = true
				wishes = append(wishes, child)
			}
		}
	}
	return wishes, nil
}

// RemovalsOf returns the removal of everything that a server has, or is to have, of an account.
func (l *Ledger) RemovalsOf(ctx context.Context, tx *db.Tx, serverID int64, account string) ([]Wish, error) {
	all, err := known(ctx, tx.Ungranted(), serverID)
	if err != nil {
		return nil, err
	}
	var wishes []Wish
	seen := map[key]bool{}
	for _, w := range all {
		noun, ok := l.kinds[w.Kind]
		if !ok || seen[w.key()] {
			continue
		}
		of, err := noun.accountOf(w.Specification)
		if err != nil {
			return nil, err
		}
		if of == account {
			seen[w.key()] = true
			wishes = append(wishes, Wish{Kind: w.Kind, ID: w.ID, Version: w.Version})
		}
	}
	return wishes, nil
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
			if seen[op.ID] || !named[key{op.ResourceType, op.ResourceID}] { // it is about something else, such as setting up a server
				continue
			}
			seen[op.ID] = true
			theirs, err := wishesOf(ctx, tx.Ungranted(), op.ID)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(theirs, func(t Wish) bool { return !named[t.key()] }) {
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
