// Package ledger records what is applied on hosts and what is requested. A resource that lives on a host has a specification; the
// one that the host has is applied, the one that an operation asks for is a wish, and the row of the resource is one fold of
// both. Accepting, settling, cancelling, superseding and retrying an operation write wishes or what is applied, and then fold:
// nothing else writes the row.
package ledger

import (
	"context"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Ledger records a list of nouns.
type Ledger struct {
	queue *job.Queue
	kinds map[string]kind
	// parents are the kinds that are parents of others.
	parents map[string]bool
}

// New makes a ledger of nouns whose accepted work goes to a queue.
func New(queue *job.Queue, kinds ...Kind) *Ledger {
	l := &Ledger{queue: queue, kinds: map[string]kind{}, parents: map[string]bool{}}
	l.Learn(kinds...)
	return l
}

// Learn adds kinds, before the ledger is used.
func (l *Ledger) Learn(kinds ...Kind) {
	for _, of := range kinds {
		k := of.any()
		if l.kinds[k.name] = k; k.parentKind != "" {
			l.parents[k.parentKind] = true
		}
	}
}

// wishesOf returns the wishes of an operation.
func wishesOf(ctx context.Context, q *query.Queries, operationID int64) ([]Wish, error) {
	rows, err := q.ListWishes(ctx, operationID)
	if err != nil {
		return nil, fmt.Errorf("list what operation %d asks for: %w", operationID, err)
	}
	wishes := make([]Wish, len(rows))
	for i, w := range rows {
		wishes[i] = wish(w.Kind, w.ID, w.Version, w.Specification)
	}
	return wishes, nil
}

// known returns the specifications that a server has, or that open operations ask for: possibly several of one resource.
func known(ctx context.Context, q *query.Queries, serverID int64) ([]Wish, error) {
	rows, err := q.ListKnown(ctx, serverID)
	if err != nil {
		return nil, fmt.Errorf("list what server %d has or is to have: %w", serverID, err)
	}
	var wishes []Wish
	for _, w := range rows {
		if w.Specification != nil {
			wishes = append(wishes, wish(w.Kind, w.ID, w.Version, w.Specification))
		}
	}
	return wishes, nil
}

// writeRows folds the resources of wishes and writes their rows. Under the server's lock no other transaction changes what is folded.
func (l *Ledger) writeRows(ctx context.Context, tx *db.Tx, serverID int64, wishes ...Wish) error {
	if err := tx.LockServer(ctx, serverID); err != nil {
		return err
	}
	for _, w := range wishes {
		noun, ok := l.kinds[w.Kind]
		if !ok {
			return fmt.Errorf("the ledger has no noun %q", w.Kind)
		}
		f, err := read(ctx, tx.Ungranted(), w.Kind, w.ID)
		if err != nil {
			return err
		}
		if err := noun.write(ctx, tx, serverID, w.ID, f); err != nil {
			return err
		}
	}
	return nil
}

// read folds a resource.
func read(ctx context.Context, q *query.Queries, kind string, id int64) (folded, error) {
	var applied *query.Applied
	entry, err := q.GetApplied(ctx, kind, id)
	switch {
	case err == nil:
		applied = &entry
	case !errors.Is(err, db.ErrNotFound):
		return folded{}, fmt.Errorf("read what is applied of %s %d: %w", kind, id, err)
	}
	wishes, err := q.ListWished(ctx, kind, id)
	if err != nil {
		return folded{}, fmt.Errorf("list operations on %s %d: %w", kind, id, err)
	}
	return fold(applied, wishes), nil
}
