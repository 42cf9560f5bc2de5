package task

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Of is what the operations of a kind have, in a lane that several kinds share.
type Of struct{ Resource, Action string }

// Several returns the aspect of a lane that several kinds of tasks share, one operation at a time. They have no Doubts, Early or Once.
func Several(kinds map[Of]job.Aspect) job.Aspect {
	kind := func(op query.Operation) (job.Aspect, error) {
		a, ok := kinds[Of{op.ResourceType, op.Action}]
		if !ok {
			return a, fmt.Errorf("there is no work %q of %s", op.Action, op.ResourceType)
		}
		return a, nil
	}
	return job.Aspect{
		OneByOne: true,
		Plan: func(ctx context.Context, q *query.Queries, server query.Server, included []query.Operation) ([]job.Stage, error) {
			if len(included) == 0 {
				return nil, nil
			}
			a, err := kind(included[0])
			if err != nil {
				return nil, err
			}
			return a.Plan(ctx, q, server, included)
		},
		Waits: func(ctx context.Context, q *query.Queries, op query.Operation) (string, error) {
			a, err := kind(op)
			if err != nil || a.Waits == nil {
				return "", err
			}
			return a.Waits(ctx, q, op)
		},
		Heard: func(ctx context.Context, tx *db.Tx, op query.Operation, result wire.Result) error {
			a, err := kind(op)
			if err != nil || a.Heard == nil {
				return err
			}
			return a.Heard(ctx, tx, op, result)
		},
		Write: func(ctx context.Context, tx *db.Tx, op query.Operation, at job.State) error {
			a, err := kind(op)
			if err != nil || a.Write == nil {
				return err
			}
			return a.Write(ctx, tx, op, at)
		},
	}
}
