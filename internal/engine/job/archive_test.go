package job_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Work that waits for a server ends when that is archived: the resource is what is applied. Further work is refused, and so is its retry.
func TestArchivedServerHasNoWork(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rule, accepted := b.add(time.Minute, "8080")
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	b.fleet.say(unreachable)
	a := b.remove(rule[0], time.Minute)
	b.until("the work has begun in vain", func() bool {
		op, err := b.db.Read().Ungranted().GetOperation(t.Context(), a.OperationID)
		return err == nil && op.Reason == "The server does not answer."
	})
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		return tx.ArchiveServer(ctx, b.server.ID, server.StatusArchived, []byte{}, tx.Micros())
	})
	b.wantEnd(a, job.StateCancelled, "The server was archived.")
	b.wantStatus(rule[0], server.PartInstalled)
	if open, err := b.db.Read().Ungranted().ListOpenRuns(t.Context(), b.server.ID, "firewall"); err != nil || len(open) != 0 {
		t.Errorf("open runs %v, %v", open, err)
	}
	tried := b.attempts()
	refused := func(what string, err error) {
		t.Helper()
		if e := (*api.Error)(nil); !errors.As(err, &e) || e.Status != http.StatusConflict || e.Message != job.Archived {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused("new work", b.db.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		_, err := b.queue.Begin(ctx, tx, b.work(rule[0], "update", time.Minute))
		return err
	}))
	refused("a retry", b.db.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error { return b.engine.Retry(ctx, tx, a.OperationID, 1) }))
	if n := b.attempts(); n != tried {
		t.Errorf("%d further runs", n-tried)
	}
}
