package job_test

import (
	"context"
	"errors"

	"github.com/hostlerhq/hostler/internal/engine/converge"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/schedule"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// scheduleDriver asks for scheduled jobs, whose mark is in the command.
var scheduleDriver = &driver{
	kind: schedule.Jobs.Kind, aspect: schedule.Aspect, noun: schedule.Jobs, applied: server.PartInstalled, failed: server.PartFailed,
	includes: []vhost.Include{schedule.Include{}},
	aspects: func(w *walker) map[string]job.Aspect {
		reader := schedule.Reader{Place: func(int64) secret.Place { return secret.Place{} }}
		return map[string]job.Aspect{schedule.Aspect: converge.Converger{Ledger: w.ledger, Plans: schedule.Plan, Facts: reader.Facts}.Aspect()}
	},
	mark: func(number string) string { return "echo job-" + number },
	create: func(ctx context.Context, tx *db.Tx, w *walker, mark string) (ledger.Wish, error) {
		row, err := tx.InsertScheduledJob(ctx, query.InsertScheduledJobParams{
			ServerID: w.server.ID, Command: mark, UnixUser: "forge",
			Frequency: "hourly", Cron: "0 * * * *",
		})
		if err != nil {
			return ledger.Wish{}, err
		}
		return schedule.Jobs.Want(row.ID, schedule.Specification{Command: mark, User: "forge", Frequency: "hourly", Cron: "0 * * * *"})
	},
	update: func(_ context.Context, _ *db.Tx, _ *walker, id int64, mark string) (ledger.Wish, error) {
		return schedule.Jobs.Want(id, schedule.Specification{Command: mark, User: "forge", Frequency: "hourly", Cron: "0 * * * *"})
	},
	remove: schedule.Jobs.Removal,
	status: func(ctx context.Context, w *walker, id int64) (string, error) {
		row, err := w.db.Read().Ungranted().GetScheduledJob(ctx, w.server.ID, id)
		if errors.Is(err, db.ErrNotFound) {
			return "", nil
		}
		return row.Status, err
	},
}
