package nginx

import (
	"context"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Kept checks the configurations that predate the checks, and records what would be refused in them. They are served as they are.
type Kept struct {
	DB    *db.DB
	Judge interface {
		JudgeKept(ctx context.Context, q *query.Granted, srv query.Server, d query.Domain) (string, error)
	}
}

// keptAtOnce is how many are looked at in one go.
const keptAtOnce = 200

// Note judges those that were not looked at yet. One that can't be judged now, since its server is not known well enough, is left for later.
func (k *Kept) Note(ctx context.Context) error {
	rows, err := k.DB.Read().Ungranted().ListUnseenNginx(ctx, keptAtOnce)
	if err != nil {
		return fmt.Errorf("list kept nginx configurations: %w", err)
	}
	var all error
	for _, row := range rows {
		all = errors.Join(all, k.note(ctx, row))
	}
	return all
}

func (k *Kept) note(ctx context.Context, row query.Domain) error {
	q := k.DB.Read()
	parent, err := q.GetSite(ctx, row)
	if err != nil {
		return fmt.Errorf("read site %d: %w", row.SiteID, err)
	}
	srv, err := q.GetServer(ctx, parent)
	if err != nil {
		return fmt.Errorf("read server %d: %w", parent.ServerID, err)
	}
	why, err := k.Judge.JudgeKept(ctx, q, srv, row)
	if errors.As(err, new(*job.PlanError)) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("judge nginx configuration of domain %d: %w", row.ID, err)
	}
	return k.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.SetNginxRefused(ctx, row.ID, &why) })
}
