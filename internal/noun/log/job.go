package log

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/task"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// request is which log is to be emptied.
type request struct {
	Log string `json:"log"`
}

// Task empties logs. It does not converge: the content of a log is not desired state, and emptying it again does no harm.
type Task struct{}

// Aspect returns it for the engine.
func (t *Task) Aspect() job.Aspect {
	return task.Kind[request]{Load: asks, Gone: "the site was deleted", Steps: t.steps}.Aspect()
}

func asks(_ context.Context, _ *query.Queries, op query.Operation) (r request, err error) {
	return r, json.Unmarshal([]byte(op.Request), &r)
}

// steps returns the emptying of one log.
func (t *Task) steps(ctx context.Context, q *query.Queries, srv query.Server, op query.Operation, asked request) ([]job.Stage, error) {
	from, known := source{}, false
	if op.SiteID == nil {
		from, known = serverSource(srv, asked.Log)
	} else {
		row, err := q.GetSite(ctx, *op.SiteID)
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
