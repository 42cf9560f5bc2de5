package retention

import (
	"context"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/clock/clocktest"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// A clock that leaps, as after a start with a dead battery, is noticed before anything is deleted by it.
func TestNoHistoryIsDeletedByAClockThatLeapt(t *testing.T) {
	t.Parallel()
	at := clocktest.At(now)
	w := newWorld(t, db.Config{Dir: t.TempDir(), Clock: at})
	k := &Keeper{DB: w.db, Keep: Keep{Events: 20 * time.Hour}}
	prune := func(want int) {
		t.Helper()
		if err := k.prune(t.Context(), Prune{}); err != nil {
			t.Fatal(err)
		}
		var left int
		if err := w.db.Reader().QueryRowContext(t.Context(), "SELECT count(*) FROM events").Scan(&left); err != nil {
			t.Fatal(err)
		}
		if left != want {
			t.Errorf("%d events are left at %s, not %d", left, at.Now(), want)
		}
	}
	w.tx(0, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx,
			"INSERT INTO events (organization_id, server_id, description, ran_as, created_at, updated_at) VALUES ($1, $2, 'x', 'root', $3, $3)",
			w.org.ID, w.server.ID, now.UnixMicro())
		return err
	})
	prune(1)
	at.Put(24 * time.Hour)
	prune(1)
	at.Move(time.Hour)
	prune(1)
	at.Put(-24 * time.Hour) // put right
	prune(1)
	at.Move(time.Hour)
	prune(1)

	at.Move(30 * time.Hour) // Hostler was stopped
	prune(1)
	for range 24 {
		at.Move(time.Hour)
	}
	at.Put(-12 * time.Hour)
	prune(1)
	for range 13 {
		at.Move(time.Hour)
		if err := k.prune(t.Context(), Prune{}); err != nil {
			t.Fatal(err)
		}
	}
	prune(0)
}
