package job_test

import (
	"context"
	"errors"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/converge"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/monitor"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// monitorDriver asks for monitors, whose mark is in the threshold.
var monitorDriver = &driver{
	kind: monitor.Noun.Kind, aspect: monitor.Aspect, noun: monitor.Noun, applied: server.PartInstalled, failed: server.PartFailed,
	aspects: func(w *walker) map[string]job.Aspect {
		return map[string]job.Aspect{monitor.Aspect: converge.Converger{Ledger: w.ledger, Plans: monitor.Plan}.Aspect()}
	},
	mark: func(number string) string { return "mark-" + strings.ToLower(number) },
	create: func(ctx context.Context, tx *db.Tx, w *walker, mark string) (ledger.Wish, error) {
		s := monitor.Specification{Type: mark, Operator: monitor.AtLeast, Threshold: 50, Notify: "a@example.com"}
		row, err := tx.InsertMonitor(ctx, query.InsertMonitorParams{
			ServerID: w.server.ID, Type: s.Type, Operator: s.Operator, Threshold: s.Threshold,
			Notify: s.Notify, Status: server.PartInstalling,
		})
		if err != nil {
			return ledger.Wish{}, err
		}
		return monitor.Noun.Want(row.ID, s)
	},
	update: func(_ context.Context, _ *db.Tx, _ *walker, id int64, mark string) (ledger.Wish, error) {
		return monitor.Noun.Want(id, monitor.Specification{Type: mark, Operator: monitor.AtLeast, Threshold: 50, Notify: "a@example.com"})
	},
	remove: monitor.Noun.Removal,
	status: func(ctx context.Context, w *walker, id int64) (string, error) {
		row, err := w.db.Read().Ungranted().GetMonitor(ctx, w.server.ID, id)
		if errors.Is(err, db.ErrNotFound) {
			return "", nil
		}
		return row.Status, err
	},
}
