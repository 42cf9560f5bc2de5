package job_test

import (
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/clock/clocktest"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// The panel's clock is set, as by an administrator or by NTP after a start with a dead battery: work that waits for its server keeps the time that it has.
func TestClockIsSetWhileWorkWaits(t *testing.T) {
	t.Parallel()
	for name, by := range map[string]time.Duration{"ahead": 24 * time.Hour, "back": -24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.stop()
			at := clocktest.At(time.Now().UTC().Truncate(time.Microsecond))
			b.db.Clock = at
			b.start()
			b.fleet.say(unreachable)
			rule, accepted := b.add(10*time.Minute, "8080")
			b.until("the server is tried", func() bool { return b.attempts() >= 1 })
			at.Put(by)
			if err := b.engine.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			op, err := b.db.Read().Ungranted().GetOperation(t.Context(), accepted[0].OperationID)
			if err != nil {
				t.Fatal(err)
			}
			if left := time.UnixMicro(op.Deadline).Sub(at.Now()); op.State == job.StateFailed || left != 10*time.Minute {
				t.Errorf("the operation is %s, and has %s left of ten minutes", op.State, left)
			}
			b.fleet.say(done)
			b.wantEnd(accepted[0], job.StateSucceeded, "")
			b.wantStatus(rule[0], "installed")
		})
	}
}

// A host receives the time that is left, and a run that an earlier version recorded with an instant has it too.
func TestHostIsToldTheTimeThatIsLeft(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	left := make(chan time.Duration, 1)
	b.fleet.say(func(run wire.Run) (wire.Result, error) {
		left <- run.Left
		return done(run)
	})
	_, accepted := b.add(2*time.Minute, "8080")
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	if got := <-left; got <= time.Minute || got > 2*time.Minute {
		t.Errorf("%s are left of two minutes", got)
	}
}
