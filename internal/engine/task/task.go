// Package task is work that is done once: a command, a deployment, the order of a certificate. What lasts on a host belongs to package ledger; of a task only
// its row lasts, which says what became of it. A Kind says how its work is done, and in one function what the row shows at each state; when that happens,
// being queued, retried, cancelled, superseded, timed out or lost is the engine's.
package task

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Kind is a kind of tasks, each with a row R. Load and Steps are needed.
type Kind[R any] struct {
	// Load reads the row of an operation. db.ErrNotFound means that it was deleted, with what it belonged to.
	Load func(ctx context.Context, q *query.Queries, op query.Operation) (R, error)
	// Gone is why nothing can be done without the row, such as "the site was deleted".
	Gone string
	// Ready returns what the work waits for besides its server, as a sentence, or "" if it can begin. Nil never waits.
	Ready func(ctx context.Context, q *query.Queries, op query.Operation, row R) (string, error)
	// Steps returns the stages of the work. Each has its own name and can be repeated: after a crash the work goes on with the one that it was in.
	// db.ErrNotFound means what it means for Load.
	Steps func(ctx context.Context, q *query.Queries, server query.Server, op query.Operation, row R) ([]job.Stage, error)
	// Heard keeps what the host reported of a run. Nil keeps nothing.
	Heard func(ctx context.Context, tx *db.Tx, op query.Operation, row R, result wire.Result) error
	// Write makes the row show where the work stands, with what follows from an end. Nil is for a task without a row of its own.
	Write func(ctx context.Context, tx *db.Tx, op query.Operation, row R, at job.State) error
	// Doubts is set where Write tells job.InDoubt from job.Failed.
	Doubts bool
	// Early is set for work that does not wait until its server is set up.
	Early bool
	// Once is set for work that is never started a second time automatically, since nothing says how far it came.
	Once bool
}

// Row is the Load of a kind whose row has the id of the operation's resource.
func Row[R any](get func(*query.Queries, context.Context, int64) (R, error)) func(context.Context, *query.Queries, query.Operation) (R, error) {
	return func(ctx context.Context, q *query.Queries, op query.Operation) (R, error) {
		return get(q, ctx, op.ResourceID)
	}
}

// Asked is the Load of a kind whose work needs nothing but its request, as JSON.
func Asked[R any](_ context.Context, _ *query.Queries, op query.Operation) (R, error) {
	var in R
	if err := json.Unmarshal([]byte(op.Request), &in); err != nil {
		return in, job.Planned(fmt.Errorf("read what operation %d asks for: %w", op.ID, err))
	}
	return in, nil
}

// Nothing is the Load of a kind whose work needs nothing but its server.
func Nothing(context.Context, *query.Queries, query.Operation) (struct{}, error) {
	return struct{}{}, nil
}

// Aspect returns the kind for the engine.
func (k Kind[R]) Aspect() job.Aspect {
	a := job.Aspect{Plan: k.plan, Once: k.Once, Doubts: k.Doubts, OneByOne: true}
	if k.Early {
		a.Early = func(query.Server) bool { return true }
	}
	if k.Ready != nil {
		a.Waits = k.waits
	}
	if k.Heard != nil {
		a.Heard = k.heard
	}
	if k.Write != nil {
		a.Write = k.write
	}
	return a
}

// plan returns the stages of one task. Without one there are none: a task leaves nothing that could drift.
func (k Kind[R]) plan(ctx context.Context, q *query.Queries, server query.Server, included []query.Operation) ([]job.Stage, error) {
	if len(included) == 0 {
		return nil, nil
	}
	op := included[0]
	row, err := k.Load(ctx, q, op)
	if err == nil {
		var stages []job.Stage
		if stages, err = k.Steps(ctx, q, server, op, row); err == nil {
			return stages, nil
		}
	}
	if errors.Is(err, db.ErrNotFound) && k.Gone != "" {
		return nil, job.Planned(errors.New(k.Gone))
	}
	return nil, k.failed("plan", op, err)
}

func (k Kind[R]) waits(ctx context.Context, q *query.Queries, op query.Operation) (string, error) {
	row, err := k.Load(ctx, q, op)
	if err == nil {
		var reason string
		if reason, err = k.Ready(ctx, q, op, row); err == nil {
			return reason, nil
		}
	}
	return "", k.failed("look what is waited for by", op, unlessGone(err)) // the plan says what became of it
}

func (k Kind[R]) heard(ctx context.Context, tx *db.Tx, op query.Operation, result wire.Result) error {
	row, err := k.Load(ctx, tx.Ungranted(), op)
	if err == nil {
		err = k.Heard(ctx, tx, op, row, result)
	}
	return k.failed("keep what is reported of", op, unlessGone(err))
}

func (k Kind[R]) write(ctx context.Context, tx *db.Tx, op query.Operation, at job.State) error {
	row, err := k.Load(ctx, tx.Ungranted(), op)
	if err == nil {
		err = k.Write(ctx, tx, op, row, at)
	}
	return k.failed("write as "+string(at), op, unlessGone(err))
}

// Supersede ends a task that has not begun, because newer work has taken its place. One that has begun continues.
func (k Kind[R]) Supersede(ctx context.Context, tx *db.Tx, op query.Operation, reason string) error {
	ended, err := job.EndUnbegun(ctx, tx, op, reason)
	if err != nil || !ended {
		return err
	}
	return k.write(ctx, tx, op, job.Cancelled)
}

func unlessGone(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	return err
}

func (k Kind[R]) failed(what string, op query.Operation, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s %d: %w", what, op.ResourceType, op.ResourceID, err)
}

// Shows is what an attribute says at each state of the work. An end that it does not have says what Failed says: the contract knows fewer ends.
type Shows map[job.State]string

// Of returns what the attribute says.
func (s Shows) Of(at job.State) string {
	if text, ok := s[at]; ok || !at.Ended() {
		return text
	}
	return s[job.Failed]
}
