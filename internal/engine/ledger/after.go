package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// After returns what the open operations of an aspect of a server have to wait for: the operation before on the same resource, and the one that creates the
// parent of a resource. An operation never waits for what it creates itself.
func (l *Ledger) After(ctx context.Context, q *query.Queries, serverID int64, aspect string) (map[int64][]int64, error) {
	rows, err := q.ListOpenWishes(ctx, serverID, aspect)
	if err != nil {
		return nil, fmt.Errorf("list what server %d is to have: %w", serverID, err)
	}
	type made struct {
		by int64
		key
	}
	makes := map[made]bool{}
	for _, w := range rows {
		makes[made{w.OperationID, key{w.Kind, w.ID}}] = w.Specification != nil
	}
	after, newest, creators := map[int64][]int64{}, map[key]int64{}, map[key]int64{}
	wait := func(op, first int64) {
		if first != 0 && first != op && !slices.Contains(after[op], first) {
			after[op] = append(after[op], first)
		}
	}
	for _, w := range rows {
		k := key{w.Kind, w.ID}
		wait(w.OperationID, newest[k])
		newest[k] = w.OperationID
		noun, is := l.kinds[w.Kind]
		if !is {
			continue
		}
		parent, err := noun.parentOf(wish(w.Kind, w.ID, w.Version, w.Specification).Specification)
		if err != nil {
			return nil, err
		}
		if parent.id == 0 || l.kinds[parent.kind].name == "" || makes[made{w.OperationID, parent}] { // a kind that this ledger does not record
			continue
		}
		creator, known := creators[parent]
		if !known {
			if creator, err = creates(ctx, q, parent); err != nil {
				return nil, err
			}
			creators[parent] = creator
		}
		wait(w.OperationID, creator)
	}
	return after, nil
}

// creates returns the oldest open operation that asks for a resource which its host does not have, 0 for none.
func creates(ctx context.Context, q *query.Queries, k key) (int64, error) {
	switch _, err := q.GetApplied(ctx, k.kind, k.id); {
	case err == nil:
		return 0, nil
	case !errors.Is(err, db.ErrNotFound):
		return 0, fmt.Errorf("read what is applied of %s %d: %w", k.kind, k.id, err)
	}
	wishes, err := q.ListWished(ctx, k.kind, k.id)
	if err != nil {
		return 0, fmt.Errorf("list operations on %s %d: %w", k.kind, k.id, err)
	}
	for _, w := range slices.Backward(wishes) { // the newest is the first
		if open(w.State) && w.Specification != nil {
			return w.OperationID, nil
		}
	}
	return 0, nil
}
