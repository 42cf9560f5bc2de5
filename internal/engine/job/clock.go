package job

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

const (
	// clockSetFrom is by how much the clock must be set for deadlines to follow: NTP slews smaller errors, or sets the clock by less than its users notice.
	clockSetFrom = 30 * time.Second
	// clockSetting names the setting with the time when deadlines last followed the clock, by the clock that they follow.
	clockSetting = "clock-set"
	// clockOnce is how long the replicas of an installation take to notice the same change.
	clockOnce = 2 * time.Minute
)

// followClock moves what is due by the clock with the clock when that is set: the time that open work has left is measured in time that passes, and not by the
// clock. Leases and snoozed jobs follow as well, so that after a clock was put back nothing waits until it is as late again.
func (e *Engine) followClock(ctx context.Context) error {
	if err := e.db.ReadClock(ctx); err != nil {
		return err
	}
	e.settingMu.Lock()
	defer e.settingMu.Unlock() // until the deadlines are moved: no other sweep ends work in between
	by := e.setting.Set(clockSetFrom)
	if by == 0 {
		return nil
	}
	e.log.WarnContext(ctx, "the clock was set: the deadlines of open work follow", "by", by.Round(time.Second))
	err := e.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return e.moveDeadlines(ctx, tx, by) })
	if err != nil {
		return fmt.Errorf("move deadlines by %s, as the clock was set: %w", by, err)
	}
	return nil
}

func (e *Engine) moveDeadlines(ctx context.Context, tx *db.Tx, by time.Duration) error {
	if e.db.Dialect == db.PostgreSQL {
		if _, err := tx.SQL.ExecContext(ctx, "SELECT pg_advisory_xact_lock(hashtext($1))", clockSetting); err != nil {
			return err
		}
	}
	before, err := tx.Ungranted().GetSetting(ctx, clockSetting)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if at, err := strconv.ParseInt(before, 10, 64); err == nil && tx.Now.Sub(time.UnixMicro(at)).Abs() < clockOnce && e.db.Dialect == db.PostgreSQL {
		return nil // another replica was first
	}
	if e.db.Dialect == db.PostgreSQL { // as LockServers, of all with open work
		const lock = "SELECT id FROM servers WHERE id IN (SELECT server_id FROM operations WHERE state IN ('pending', 'running')) ORDER BY id FOR NO KEY UPDATE"
		if _, err := tx.SQL.ExecContext(ctx, lock); err != nil {
			return err
		}
	}
	if err := tx.PutSetting(ctx, clockSetting, strconv.FormatInt(tx.Micros(), 10)); err != nil {
		return err
	}
	moves := []string{
		"UPDATE operations SET deadline = deadline + $1, updated_at = updated_at + $1 WHERE state IN ('pending', 'running')",
		"UPDATE leases SET expires_at = expires_at + $1 WHERE expires_at > 0",
	}
	for _, move := range moves {
		if _, err := tx.SQL.ExecContext(ctx, move, by.Microseconds()); err != nil {
			return err
		}
	}
	if by > 0 {
		return nil // what was snoozed is due early, and says itself that it is not time yet
	}
	later, arg := "scheduled_at + make_interval(secs => $1)", any(by.Seconds())
	if e.db.Dialect == db.SQLite {
		later, arg = "strftime('%Y-%m-%d %H:%M:%f', scheduled_at, $1)", strconv.FormatFloat(by.Seconds(), 'f', 3, 64)+" seconds"
	}
	_, err = tx.SQL.ExecContext(ctx, "UPDATE river_job SET scheduled_at = "+later+" WHERE state IN ('available', 'scheduled', 'retryable')", arg)
	return err
}
