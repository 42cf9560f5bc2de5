package job_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Work is verified by what was seen in the attempt that succeeded, and by nothing of one that failed before it.
func TestProofIsOfTheAttemptThatSucceeded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, accepted := b.add(time.Minute, "8080")
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	event := accepted[0].EventID
	say := func(pieces ...job.Piece) {
		t.Helper()
		if err := b.db.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error { return job.Say(ctx, tx, event, pieces...) }); err != nil {
			t.Fatal(err)
		}
	}
	want := func(checks ...wire.Check) {
		t.Helper()
		record, err := job.RecordOf(t.Context(), b.db.Read(), event)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(checks, record.Checks); diff != "" {
			t.Errorf("the checks are (-want +got):\n%s", diff)
		}
		if (record.At == 0) != (len(checks) == 0) {
			t.Errorf("the last check was at %d", record.At)
		}
	}
	want(wire.Check{Kind: wire.CheckConnection, Evidence: "the server accepted a new connection after the change"})
	say(job.Piece{Kind: "end", Step: job.StateFailed, Content: "Failed.\n"})
	want()
	say(job.Piece{Kind: "checked", Step: "http", Content: "a answers 200\nb answers 200\n"}, job.Piece{Kind: "end", Step: job.StateSucceeded, Content: "Done.\n"})
	want(wire.Check{Kind: wire.CheckHTTP, Evidence: "a answers 200"}, wire.Check{Kind: wire.CheckHTTP, Evidence: "b answers 200"})
}
