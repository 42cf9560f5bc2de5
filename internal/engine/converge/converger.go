// Package converge makes aspects of servers from pure plans of what the ledger records.
package converge

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// Converger is an aspect of a server with a pure plan: its resources are nouns of the ledger.
type Converger struct {
	*ledger.Ledger
	Plans func(ledger.View) ([]job.Stage, error)
	// Box opens the sealed values of specifications; nil if there are none.
	Box *secret.Box
	// Facts reads what the plan needs beyond the ledger; nil for nothing.
	Facts func(ctx context.Context, q *query.Queries, server query.Server) (any, error)
	// Done runs after a completed stage that is about a resource; nil for nothing.
	Done func(ctx context.Context, server query.Server, stage job.Stage) error
	// OneByOne performs one operation at a time, for a plan with stages for each resource.
	OneByOne bool
}

// Aspect returns it for the engine.
func (a Converger) Aspect() job.Aspect {
	return job.Aspect{Plan: a.Plan, Write: a.Write, After: a.After, OneByOne: a.OneByOne}
}

// Write makes the rows show the fold of what is applied and asked for.
func (a Converger) Write(ctx context.Context, tx *db.Tx, op query.Operation, at job.State) error {
	switch {
	case at == job.Queued:
		return a.Resume(ctx, tx, op)
	case at.Ended():
		return a.Settle(ctx, tx, op, at.Done())
	}
	return nil
}

// Plan loads the view of a server and plans it.
func (a Converger) Plan(ctx context.Context, q *query.Queries, server query.Server, included []query.Operation) ([]job.Stage, error) {
	view, err := a.View(ctx, q, server, included)
	if err != nil {
		return nil, err
	}
	stages, err := a.Plans(view)
	for i, stage := range stages {
		if a.Done != nil && len(stage.About) > 0 {
			stages[i].After = func(ctx context.Context, server query.Server) error { return a.Done(ctx, server, stage) }
		}
	}
	return stages, job.Planned(err)
}

// View returns the input of Plan.
func (a Converger) View(ctx context.Context, q *query.Queries, server query.Server, included []query.Operation) (ledger.View, error) {
	ids := make([]int64, len(included))
	for i, op := range included {
		ids[i] = op.ID
	}
	v, err := ledger.Load(ctx, q, server, ids...)
	if err != nil {
		return v, err
	}
	v.Included = included
	if a.Box != nil {
		v.Box = a.Box
	}
	if a.Facts != nil {
		v.Facts, err = a.Facts(ctx, q, server)
	}
	return v, err
}
