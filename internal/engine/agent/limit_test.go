package agent

import (
	"os"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// The clock of a host may differ from the control plane's by any amount, in either direction: what counts is the time that is left.
func TestWorkOnAHostWhoseClockIsWrong(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string]time.Duration{"ahead": 3 * time.Hour, "a year ahead": 365 * 24 * time.Hour, "behind": -3 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.a.cfg.Ahead = ahead
			run := changeRun("r1", file("/etc/a", "x"))
			run.Left = time.Minute
			b.mustRun(run)
			b.wantFile("/etc/a", "x")
			run.Left = time.Second // sent again later: the same run
			b.mustRun(run)

			for _, run := range []wire.Run{changeRun("r2", sh("long", "sleep 1000")), script("s1", "sleep 1000")} {
				run.Left = 200 * time.Millisecond
				began := time.Now()
				res, _ := b.run(run)
				wantState(t, res, wire.StateTimedOut)
				if took := time.Since(began); took > 20*time.Second {
					t.Errorf("%s ended after %s", run.ID, took)
				}
			}
		})
	}
}

// A control plane of an earlier version recorded runs with an instant only, and an agent of that version claimed them without their limit.
func TestRunThatHasAnInstantOnly(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	run := changeRun("r1", file("/etc/a", "x"))
	b.mustRun(run)
	if err := os.Remove(limitPath(b.a.runDir("r1"))); err != nil {
		t.Fatal(err)
	}
	b.mustRun(run)
	run = changeRun("r2", file("/etc/a", "y"))
	if left := b.a.limit(run) - uptime(); left < 50*time.Second || left > time.Minute {
		t.Errorf("%s are left of a minute", left)
	}
}
