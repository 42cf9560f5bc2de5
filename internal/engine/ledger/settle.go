package ledger

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Adopt records as applied a resource that needs nothing on its host, such as one that is not in use. No operation asks for it.
func (l *Ledger) Adopt(ctx context.Context, tx *db.Tx, serverID int64, w Wish) error {
	return l.Record(ctx, tx, query.Operation{ServerID: serverID}, w)
}

// Settle writes the end of an operation: successful wishes become applied, and the rows show what is true now.
func (l *Ledger) Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	if err := tx.LockServer(ctx, op.ServerID); err != nil {
		return err
	}
	if err := tx.EndWishes(ctx, op.ID); err != nil {
		return fmt.Errorf("end what operation %d asked for: %w", op.ID, err)
	}
	wishes, err := wishesOf(ctx, tx.Ungranted(), op.ID)
	if err != nil {
		return err
	}
	if done {
		return l.Record(ctx, tx, op, wishes...)
	}
	return l.writeRows(ctx, tx, op.ServerID, wishes...)
}

// Record makes applied what a host has: an operation succeeded, or did a part before it failed, or it was made by hand. A wish without a specification is
// a resource that the host does not have.
func (l *Ledger) Record(ctx context.Context, tx *db.Tx, by query.Operation, has ...Wish) error {
	for _, w := range has {
		var err error
		if w.Specification == nil {
			err = tx.DeleteApplied(ctx, w.Kind, w.ID)
		} else {
			err = tx.PutApplied(ctx, query.PutAppliedParams{
				Kind: w.Kind, ID: w.ID, ServerID: by.ServerID, OperationID: by.ID, Version: int64(w.Version),
				Specification: string(w.Specification), UpdatedAt: tx.Micros(),
			})
		}
		if err != nil {
			return fmt.Errorf("write what is applied of %s %d: %w", w.Kind, w.ID, err)
		}
	}
	return l.writeRows(ctx, tx, by.ServerID, has...)
}

// Resume shows the wishes of a retried operation. It returns a conflict if newer work on one of its resources is open, succeeded or in doubt.
func (l *Ledger) Resume(ctx context.Context, tx *db.Tx, op query.Operation) error {
	wishes, err := wishesOf(ctx, tx.Ungranted(), op.ID)
	if err != nil {
		return err
	}
	inDoubt, err := newerInDoubt(ctx, tx, op)
	if err != nil {
		return err
	}
	for _, w := range wishes {
		if inDoubt[w.key()] {
			return api.Conflict("A newer operation was changing the same resource when the server stopped answering.")
		}
		newer, err := tx.Ungranted().HasNewer(ctx, w.Kind, w.ID, op.ID)
		if err != nil {
			return fmt.Errorf("look for newer operations on %s %d: %w", w.Kind, w.ID, err)
		}
		if newer {
			return api.Conflict("A newer operation changes the same resource.")
		}
		parent, ok, err := l.parent(ctx, tx.Ungranted(), w)
		if err != nil {
			return err
		}
		if ok && (parent.phase == Gone || parent.phase == Deleting) {
			return api.Conflict("Its parent was deleted.")
		}
		if keep := l.kinds[w.Kind].keep; keep != nil && w.Specification == nil && !forced(op) {
			server, err := tx.Ungranted().GetServer(ctx, op.ServerID)
			if err != nil {
				return fmt.Errorf("read server %d: %w", op.ServerID, err)
			}
			if err := keep(ctx, tx, server, w.ID); err != nil {
				return err
			}
		}
	}
	return l.Reopen(ctx, tx, op)
}

// Reopen is Resume for an operation that newer ones wait for, such as setting up a server: they run after it. The operation is open again by now, so
// EndWishes makes its wishes open as well.
func (l *Ledger) Reopen(ctx context.Context, tx *db.Tx, op query.Operation) error {
	return l.Settle(ctx, tx, op, false)
}

// newerInDoubt returns what newer operations ask for that have a run with no known end. A run that is not marked as sent counts as well: it may be sent at this
// moment.
func newerInDoubt(ctx context.Context, tx *db.Tx, op query.Operation) (map[key]bool, error) {
	attempts, err := tx.Ungranted().ListAttempts(ctx, op.ServerID)
	if err != nil {
		return nil, fmt.Errorf("list the attempts on server %d: %w", op.ServerID, err)
	}
	found := map[key]bool{}
	for _, id := range slices.Concat(attempts...) {
		if id <= op.ID {
			continue
		}
		wishes, err := wishesOf(ctx, tx.Ungranted(), id)
		if err != nil {
			return nil, err
		}
		maps.Copy(found, keys(wishes))
	}
	return found, nil
}

// parent folds the parent of a wish's resource; ok is false for one that belongs only to its server, or is removed.
func (l *Ledger) parent(ctx context.Context, q *query.Queries, w Wish) (f folded, ok bool, err error) {
	noun, is := l.kinds[w.Kind]
	if !is {
		return f, false, nil
	}
	parent, err := noun.parentOf(w.Specification)
	if err != nil || parent.id == 0 || l.kinds[parent.kind].name == "" { // a kind that this ledger does not record
		return f, false, err
	}
	f, err = read(ctx, q, parent.kind, parent.id)
	return f, err == nil, err
}
