package log

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

// request is which log is to be emptied.
type request struct {
	Log string `json:"log"`
}

// Task empties logs. It does not converge: the content of a log is not desired state, and emptying it again does no harm.
type Task struct{}

// Plan returns the emptying of one log; nothing of logs can drift.
func (t *Task) Plan(ctx context.Context, q *query.Queries, srv query.Server, included []query.Operation) ([]job.Stage, error) {
	if len(included) == 0 {
		return nil, nil
	}
	op := included[0]
	var asked request
	if err := json.Unmarshal([]byte(op.Request), &asked); err != nil {
		return nil, fmt.Errorf("read which log to empty: %w", err)
	}
	from, known := source{}, false
	if op.SiteID == nil {
		from, known = serverSource(srv, asked.Log)
	} else {
		row, err := q.GetSite(ctx, *op.SiteID)
		if errors.Is(err, db.ErrNotFound) {
			return nil, job.Planned(errors.New("the site was deleted"))
		}
		if err != nil {
			return nil, fmt.Errorf("read site %d: %w", *op.SiteID, err)
		}
		if from, err = siteSource(row, asked.Log); err != nil {
			return nil, job.Planned(err)
		}
		known = true
	}
	if !known || from.files == nil {
		return nil, job.Planned(fmt.Errorf("there is no log %q that could be emptied", asked.Log))
	}
	return []job.Stage{{Name: "log", Change: wire.Change{Steps: []wire.Step{{Name: "empty the log " + asked.Log, Clear: from.files}}}}}, nil
}

// Settle has nothing to write: a log has no row.
func (t *Task) Settle(context.Context, *db.Tx, query.Operation, bool) error { return nil }

// Resume has nothing to write either.
func (t *Task) Resume(context.Context, *db.Tx, query.Operation) error { return nil }
