package job_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/test/walk"
)

// mustWalk does moves of some drivers: the N of a move is the place of its driver in the list.
func mustWalk(t *testing.T, nouns []*driver, moves ...walk.Move) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var doubts atomic.Int64
	if err := walked(ctx, db.Config{Dir: t.TempDir(), Clock: clock.System{}}, nouns, &doubts, moves); err != nil {
		t.Error(err)
	}
}

// A site that is changed before its server has made it is made, and so is what was asked for after it: its creation makes the domain's site itself.
func TestSiteIsChangedBeforeItIsMade(t *testing.T) {
	t.Parallel()
	nouns := []*driver{siteDriver, domainDriver, firewallDriver}
	mustWalk(t, nouns, walk.Move{What: "slow"}, walk.Move{What: "create", N: 2}, walk.Move{What: "create"}, walk.Move{What: "update"},
		walk.Move{What: "create", N: 1},
		walk.Move{What: "heal"}, walk.Move{What: "quiet"})
}

// choosy is an aspect whose first resource can't be changed until it is free.
type choosy struct{ free chan struct{} }

func (c choosy) aspect() job.Aspect {
	a := gone()
	a.Waits = c.waits
	return a
}

func (c choosy) waits(_ context.Context, _ *query.Queries, op query.Operation) (string, error) {
	select {
	case <-c.free:
		return "", nil
	default:
	}
	if op.ResourceID == 1 {
		return "Waiting until the first one is free.", nil
	}
	return "", nil
}

// begin accepts work on a resource of an aspect without a ledger.
func (b *bench) begin(aspect string, resource int64) (a job.Accepted) {
	b.t.Helper()
	b.tx(func(ctx context.Context, tx *db.Tx) (err error) {
		a, err = b.queue.Begin(ctx, tx, job.Work{
			Grant: b.grant, ServerID: b.server.ID, Ready: true, Aspect: aspect, Resource: "things", ResourceID: resource,
			Action: "update", Description: "Updating a thing", RanAs: "root", Within: time.Hour,
		})
		return err
	})
	return a
}

// wantWait waits until an operation that has not begun says what it waits for.
func (b *bench) wantWait(a job.Accepted, reason string) {
	b.t.Helper()
	b.until("an operation says: "+reason, func() bool {
		op, err := b.db.Read().Ungranted().GetOperation(b.t.Context(), a.OperationID)
		if err != nil || op.State != job.StatePending {
			b.t.Fatalf("it is %s: %v", op.State, err)
		}
		return op.Reason == reason
	})
}

// Work that has to wait says what for, and holds up nothing that does not depend on it.
func TestWhatWaitsHoldsNothingElseUp(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first, second := b.begin("choosy", 1), b.begin("choosy", 2)
	b.wantEnd(second, job.StateSucceeded, "")
	b.wantWait(first, "Waiting until the first one is free.")
	close(b.choosy.free)
	b.wantEnd(first, job.StateSucceeded, "")
}

// Work whose server does something else says what that is; work on a server that is not set up says so.
func TestWaitingWorkSaysWhatFor(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fleet.say(func(wire.Run) (wire.Result, error) { return wire.Result{State: wire.StateRunning}, nil })
	_, accepted := b.add(time.Hour, "8001")
	b.until("the rule is sent", func() bool { return b.attempts() == 1 })
	other := b.begin("gone", 1)
	b.wantWait(other, "Waiting for “create” to finish.")
	b.tx(func(ctx context.Context, tx *db.Tx) error { return b.queue.Cancel(ctx, tx, accepted[0].OperationID) })
	b.wantEnd(other, job.StateSucceeded, "")
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		return tx.SetServerStatus(ctx, query.SetServerStatusParams{ID: b.server.ID, Status: "provisioning"})
	})
	b.wantWait(b.begin("gone", 2), "Waiting until the server is set up.")
}

// What work waited for before it began is no reason any more once it has begun, also while it only looks.
func TestBegunWorkWaitsForNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fleet.say(func(wire.Run) (wire.Result, error) { return wire.Result{State: wire.StateRunning}, nil })
	_, accepted := b.add(time.Hour, "8001")
	b.until("the rule is sent", func() bool { return b.attempts() == 1 })
	a := b.begin("asking", 1)
	b.wantWait(a, "Waiting for “create” to finish.")
	b.tx(func(ctx context.Context, tx *db.Tx) error { return b.queue.Cancel(ctx, tx, accepted[0].OperationID) })
	b.until("it looks", func() bool {
		op, err := b.db.Read().Ungranted().GetOperation(t.Context(), a.OperationID)
		if err == nil && op.State == job.StateRunning && op.Reason != "" {
			t.Errorf("%s says: %s", op.Step, op.Reason)
		}
		return err != nil || op.State == job.StateRunning
	})
	b.asking.first <- struct{}{}
	close(b.asking.first)
	close(b.asking.again)
	b.wantEnd(a, job.StateSucceeded, "")
}

// A cancellation of work that its server does is shown at once, and in the event, before the server has stopped it.
func TestCancellationIsShownBeforeTheServerStops(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fleet.say(func(wire.Run) (wire.Result, error) { return wire.Result{State: wire.StateRunning}, nil })
	_, accepted := b.add(time.Hour, "8001")
	b.until("the rule is sent", func() bool { return b.attempts() == 1 })
	const noted = "Cancellation requested: this ends once the server has stopped it."
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		for range 2 { // a person may ask twice
			if err := b.queue.Cancel(ctx, tx, accepted[0].OperationID); err != nil {
				return err
			}
		}
		op, err := tx.Ungranted().GetOperation(ctx, accepted[0].OperationID)
		if m := job.Meta(map[int64]query.Operation{op.ID: op}, &op.ID); err == nil && (m.Reason == nil || *m.Reason != noted) {
			t.Errorf("it is shown as %+v", m)
		}
		return err
	})
	b.wantEnd(accepted[0], job.StateCancelled, "Cancelled.")
	if got := b.output(accepted[0].EventID); strings.Count(got, noted) != 1 {
		t.Errorf("the event says %q", got)
	}
}

// later is a clock that is ahead.
type later time.Duration

func (l later) Now() time.Time { return clock.System{}.Now().Add(time.Duration(l)) }

// Work that could begin and has not for a minute is in attention. It is not before.
func TestWorkThatNobodyBeginsNeedsAttention(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.stop()
	t.Cleanup(b.start)
	a := b.begin("gone", 1)
	listed := func(after time.Duration) []concern.Item {
		t.Helper()
		b.db.Clock = later(after)
		if err := b.engine.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		grant := access.NewGrant(access.Actor{}, access.SetOf(access.ServerView), true, nil)
		grant.OrganizationID = b.grant.OrganizationID
		items, err := server.Concerns(t.Context(), concern.Look{Grants: []access.Grant{grant}, Rows: b.db.Reader(), Read: b.db.Read(), Now: b.db.Clock.Now()})
		if err != nil {
			t.Fatal(err)
		}
		return items
	}
	for _, after := range []time.Duration{0, 50 * time.Second} {
		if items := listed(after); len(items) > 0 {
			t.Errorf("after %s it needs attention: %+v", after, items)
		}
		b.wantWait(a, "Waiting for a worker.")
	}
	items := listed(2 * time.Minute)
	if len(items) != 1 || items[0].Kind != "work-stalled" || *items[0].OperationID != a.OperationID || items[0].Subject != "Updating a thing" {
		t.Errorf("after two minutes: %+v", items)
	}
}
