package db_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

// Transactions and reads whose callers leave at any moment touch no connection that was given back: it is another's by then, or is being closed. What
// was committed is there. The race detector sees the former.
func TestCallersLeave(t *testing.T) {
	t.Parallel()
	d, err := db.Open(t.Context(), db.Config{URL: pgtest.Database(t, "leave", nil), Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for n := range 60 {
				ctx, cancel := context.WithTimeout(t.Context(), rand.N(30*time.Millisecond))
				name := fmt.Sprintf("left:%d:%d", g, n)
				err := d.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
					if err := tx.PutSetting(ctx, name, "kept"); err != nil {
						return err
					}
					_, err := tx.SQL.ExecContext(ctx, "SELECT pg_sleep(0.003)")
					return err
				})
				rows, failed := d.Reader().QueryContext(ctx, "SELECT generate_series(1, 3000)")
				if failed == nil {
					for rows.Next() {
					}
					_ = rows.Close()
				}
				cancel()
				if err != nil {
					continue
				}
				if _, err := d.Read().Ungranted().GetSetting(t.Context(), name); err != nil {
					t.Errorf("%s was committed: %v", name, err)
				}
			}
		})
	}
	all.Wait()
}
