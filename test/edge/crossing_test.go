package edge

import (
	"context"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// Requests that lock two servers lock them in one order: a restore from one server to another and one in the opposite direction do not deadlock. Both wait
// for the server with the lower id here, and must not hold the lock of the other one while they wait.
func TestCrossingRestores(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		first, second := number(w.mine.engine), number(w.other.engine)
		if first > second {
			first, second = second, first
		}
		type result struct {
			Answer
			error
		}
		answered := make(chan result, 2)
		restore := func(from, to things) {
			a, err := w.owner.Try(http.MethodPost, servers+"/"+from.engine+"/database/backups/"+from.configuration+"/instances/"+from.backup+"/restores",
				map[string]any{"database_id": number(from.database), "server_id": number(to.engine), "name": "crossed"})
			answered <- result{a, err}
		}
		err := w.App.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
			if err := tx.LockServer(ctx, first); err != nil {
				return err
			}
			waiters := w.waiters(ctx, t)
			go restore(w.mine, w.other)
			go restore(w.other, w.mine)
			for waiters() < 2 && len(answered) == 0 && ctx.Err() == nil {
				runtime.Gosched()
			}
			return tx.LockServer(ctx, second) // PostgreSQL ends this transaction if a restore has it
		})
		if err != nil {
			t.Error(err)
		}
		for range 2 {
			if a := <-answered; a.error != nil || a.Status != http.StatusAccepted {
				t.Errorf("answered %d %s, %v, want 202", a.Status, a.Body, a.error)
			}
		}
	})
}
