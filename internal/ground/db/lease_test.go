package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// A lease that was handed over is not renewed by its last owner, whose renewal may be on its way: it would be no one's until then.
func TestLeaseThatWasHandedOverIsNotRenewed(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		err := d.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
			now := tx.Micros()
			later := now + time.Minute.Microseconds()
			fence, err := tx.TakeLease(ctx, query.TakeLeaseParams{Name: "lane", Owner: "one", ExpiresAt: later, Fence: now, HandedAt: now})
			if err != nil {
				return err
			}
			if n, err := tx.RenewLease(ctx, "lane", "one", later, fence); err != nil || n != 1 {
				t.Errorf("a lease is renewed %d times, %v", n, err)
			}
			if n, err := tx.HandOver(ctx, query.HandOverParams{Name: "lane", Owner: "one", HandedAt: now, Fence: fence, HandedAt_2: now}); err != nil || n != 1 {
				t.Errorf("a lease is handed over %d times, %v", n, err)
			}
			if n, err := tx.RenewLease(ctx, "lane", "one", later, fence); err != nil || n != 0 {
				t.Errorf("a lease that was handed over is renewed %d times, %v", n, err)
			}
			_, err = tx.TakeLease(ctx, query.TakeLeaseParams{Name: "lane", Owner: "two", ExpiresAt: later, Fence: now, HandedAt: now})
			return err
		})
		if err != nil {
			t.Errorf("another owner can't take it: %v", err)
		}
	})
}
