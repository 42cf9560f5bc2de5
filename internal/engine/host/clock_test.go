package host_test

import (
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/host/hosttest"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// A host receives the time that a run has left, counted from when it was asked for, whatever clocks say.
func TestRunIsSentWithTheTimeThatIsLeft(t *testing.T) {
	t.Parallel()
	var got time.Duration
	srv := hosttest.Start(t, hosttest.Options{OnRun: func(r *hosttest.Run) hosttest.Result {
		got = r.Left
		return hosttest.Result{State: wire.StateSucceeded}
	}})
	panel := time.Now().Add(24 * time.Hour) // its clock is a day ahead, so the deadline is as well
	f := newFleet(t, func(c *host.Config) { c.Now = func() time.Time { return panel } })
	run := change("r", 1)
	run.Deadline = panel.Add(time.Minute)
	res, err := f.Run(testContext(t), srv.Target(1), run, nil)
	wantState(t, res, err, wire.StateSucceeded)
	if got <= 0 || got > time.Minute {
		t.Errorf("%s are left of a minute", got)
	}
	run = change("over", 1)
	run.Deadline = panel.Add(-time.Hour)
	res, err = f.Run(testContext(t), srv.Target(1), run, nil)
	wantState(t, res, err, wire.StateSucceeded)
	if got != 1 {
		t.Errorf("%s are left of what is over", got)
	}
}

func TestClocksAreCompared(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ ahead, least, most time.Duration }{
		"same":    {0, 0, 0},
		"little":  {29 * time.Second, 0, 0},
		"ahead":   {time.Hour, time.Hour - 10*time.Second, time.Hour + 10*time.Second},
		"minutes": {2 * time.Minute, 110 * time.Second, 130 * time.Second},
		"behind":  {-time.Hour, -time.Hour - 10*time.Second, -time.Hour + 10*time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := hosttest.Start(t, hosttest.Options{Ahead: test.ahead})
			f := newFleet(t, nil)
			facts, err := f.Facts(testContext(t), srv.Target(1))
			if err != nil {
				t.Fatal(err)
			}
			if facts.ClockAhead < test.least || facts.ClockAhead > test.most {
				t.Errorf("the host's clock is %s ahead, not %s", facts.ClockAhead, test.ahead)
			}
		})
	}
}

// Minutes of a host that is ahead by an hour would be in the panel's future.
func TestWhatAHostMeasuresIsInOurMinutes(t *testing.T) {
	t.Parallel()
	srv := hosttest.Start(t, hosttest.Options{Ahead: time.Hour})
	f := newFleet(t, nil)
	now := time.Now().Unix() / 60
	got, err := f.Samples(testContext(t), srv.Target(1), now-5)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range got {
		if s.Minute <= now-5 || s.Minute > now+1 {
			t.Errorf("minute %d, now is %d", s.Minute, now)
		}
	}
	if len(got) < 4 {
		t.Errorf("%d minutes of five", len(got))
	}
}
