package job_test

import (
	"context"
	"errors"

	"github.com/hostlerhq/hostler/internal/engine/converge"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/process"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// processDriver asks for processes, whose mark is in the command. An update starts, stops and restarts as well.
var processDriver = &driver{
	kind: process.Processes.Kind, aspect: process.Aspect, noun: process.Processes, applied: present, failed: process.StatusFatal,
	includes: []vhost.Include{process.Include{}},
	aspects: func(w *walker) map[string]job.Aspect {
		return map[string]job.Aspect{process.Aspect: converge.Converger{Ledger: w.ledger, Plans: process.Plan, OneByOne: true}.Aspect()}
	},
	mark: func(number string) string { return "echo process-" + number },
	create: func(ctx context.Context, tx *db.Tx, w *walker, mark string) (ledger.Wish, error) {
		row, err := tx.InsertBackgroundProcess(ctx, query.InsertBackgroundProcessParams{
			ServerID: w.server.ID, Name: "worker", Command: mark,
			UnixUser: "forge", Processes: 1, Stopsignal: "TERM",
		})
		if err != nil {
			return ledger.Wish{}, err
		}
		return process.Processes.Want(row.ID, process.Specification{Name: "worker", Command: mark, User: "forge", Processes: 1, Stopsignal: "TERM"})
	},
	update: func(ctx context.Context, tx *db.Tx, w *walker, id int64, mark string) (ledger.Wish, error) {
		row, err := process.Processes.Row(ctx, tx.Granted, id)
		if err != nil {
			return ledger.Wish{}, err
		}
		s := row.Specification
		s.Name, s.User, s.Stopsignal, s.Command, s.Stopped, s.Processes, s.RestartedAt = "worker", "forge", "TERM", mark, !s.Stopped, 1+s.RestartedAt%3,
			s.RestartedAt+1
		return process.Processes.Want(id, s)
	},
	remove: process.Processes.Removal,
	status: func(ctx context.Context, w *walker, id int64) (string, error) {
		row, err := w.db.Read().Ungranted().GetBackgroundProcess(ctx, w.server.ID, id)
		if errors.Is(err, db.ErrNotFound) {
			return "", nil
		}
		if err == nil && row.Status == "" {
			return present, nil
		}
		return row.Status, err
	},
}

// present is the status of a row without open work: then the observed state is shown.
const present = "present"
