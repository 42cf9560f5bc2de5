package app

import (
	"context"
	"errors"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/noun/account"
)

// tidying is the job that deletes expired rows, and checks nginx configurations that predate the checks.
type tidying struct{}

// Kind names the job.
func (tidying) Kind() string { return "panel.tidy" }

// tidyPeriodic returns how often that is. Nothing depends on it: expired rows are refused by their time.
func tidyPeriodic() job.Periodic { return job.Periodic{Every: time.Hour, Args: tidying{}} }

func (a *App) tidy(ctx context.Context, _ tidying) error {
	return errors.Join(a.Tidy(ctx), a.KeptNginx.Note(ctx))
}

// Tidy deletes expired sessions, tokens and counters. Used refresh tokens stay until they would have expired: a replay must be recognized. Authorizations of
// programs are deleted once they can no longer be used.
func (a *App) Tidy(ctx context.Context) error {
	return a.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		now := tx.Micros()
		return errors.Join(tx.DeleteOldSessions(ctx, now, tx.Now.Add(-account.SessionIdle).UnixMicro()),
			tx.DeleteOldThrottles(ctx, tx.Now.Add(-time.Hour).UnixMicro()),
			tx.DeleteOldOAuthTokens(ctx, now), tx.DeleteOldOAuthDevices(ctx, now), tx.DeleteOldOAuthGrants(ctx, tx.Now.Add(-24*time.Hour).UnixMicro()))
	})
}
