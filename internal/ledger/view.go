package ledger

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/job"
)

// View is what a host should have once the included operations are done: what is applied, with their wishes on it. It is what a plan is made of.
type View struct {
	Server  query.Server
	entries map[string]map[int64]json.RawMessage
}

// Resource is one resource of a View.
type Resource[S any] struct {
	ID            int64
	Specification S
}

// NewView makes a view of wishes alone, for tests of plans.
func NewView(server query.Server, wishes ...Wish) View {
	v := View{Server: server, entries: map[string]map[int64]json.RawMessage{}}
	for _, w := range wishes {
		v.put(w.Kind, w.ID, w.Specification)
	}
	return v
}

func (v View) put(kind string, id int64, spec json.RawMessage) {
	if spec == nil {
		delete(v.entries[kind], id)
		return
	}
	if v.entries[kind] == nil {
		v.entries[kind] = map[int64]json.RawMessage{}
	}
	v.entries[kind][id] = spec
}

// Of returns the resources of a noun in a view, by their ids.
func (n *Noun[S]) Of(v View) ([]Resource[S], error) {
	out := make([]Resource[S], 0, len(v.entries[n.Kind]))
	for id, raw := range v.entries[n.Kind] {
		r := Resource[S]{ID: id}
		if err := n.decode(raw, &r.Specification); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Resource[S]) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// Load reads the view of a server with the wishes of these operations on it.
func Load(ctx context.Context, q *query.Queries, server query.Server, included ...int64) (View, error) {
	v := NewView(server)
	applied, err := q.ListApplied(ctx, server.ID)
	if err != nil {
		return v, fmt.Errorf("list what is applied on server %d: %w", server.ID, err)
	}
	for _, a := range applied {
		v.put(a.Kind, a.ID, json.RawMessage(a.Specification))
	}
	slices.Sort(included)
	for _, id := range included {
		wishes, err := q.ListWishes(ctx, id)
		if err != nil {
			return v, fmt.Errorf("list what operation %d asks for: %w", id, err)
		}
		for _, w := range wishes {
			var spec json.RawMessage
			if w.Specification != nil {
				spec = json.RawMessage(*w.Specification)
			}
			v.put(w.Kind, w.ID, spec)
		}
	}
	return v, nil
}

// Aspect makes an aspect of a server from a pure plan: its resources are nouns of the ledger.
type Aspect struct {
	Ledger *Ledger
	Plans  func(View) ([]job.Stage, error)
}

// Plan loads the view of a server and plans it.
func (a Aspect) Plan(ctx context.Context, q *query.Queries, server query.Server, w job.Pending) ([]job.Stage, error) {
	ids := make([]int64, len(w.Included))
	for i, op := range w.Included {
		ids[i] = op.ID
	}
	view, err := Load(ctx, q, server, ids...)
	if err != nil {
		return nil, err
	}
	stages, err := a.Plans(view)
	return stages, job.Planned(err)
}

// Settle writes the end of an operation into the ledger.
func (a Aspect) Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	return a.Ledger.Settle(ctx, tx, op, done)
}

// Resume shows an operation that is tried again.
func (a Aspect) Resume(ctx context.Context, tx *db.Tx, op query.Operation) error {
	return a.Ledger.Resume(ctx, tx, op)
}
