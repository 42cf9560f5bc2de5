package agent

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

func confirmed(id string, within time.Duration, steps ...wire.Step) wire.Run {
	r := changeRun(id, steps...)
	r.Change.ConfirmWithin = within
	return r
}

// whenWaiting calls fn once the run waits for its confirmation.
func (b *bed) whenWaiting(a *Agent, r wire.Run, fn func(by time.Time)) wire.Result {
	b.t.Helper()
	res, err := b.ask(a, wire.OpRunStart, r, func(f wire.Frame) {
		var res wire.Result
		if f.Body != nil && json.Unmarshal(f.Body, &res) == nil && res.ConfirmBy != nil {
			if res.ID != r.ID || res.State != wire.StateRunning {
				b.t.Errorf("%+v", res)
			}
			fn(*res.ConfirmBy)
		}
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return res.(wire.Result)
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	other := b.agent(nil)
	told := 0
	res := b.whenWaiting(b.a, confirmed("r1", time.Minute, file("/etc/a", "x"), logs(b, "act")), func(by time.Time) {
		told++
		if left := time.Until(by); left < 50*time.Second || left > time.Minute {
			t.Errorf("confirm within %s", left)
		}
		if _, err := b.ask(other, wire.OpConfirm, wire.RunID{ID: "r1"}, nil); err != nil {
			t.Error(err)
		}
	})
	wantState(t, res, wire.StateSucceeded)
	b.wantFile("/etc/a", "x")
	if told != 1 || b.log() != "do-act" {
		t.Fatal(told, b.log())
	}
	if _, err := b.ask(other, wire.OpConfirm, wire.RunID{ID: "r1"}, nil); err != nil {
		t.Fatal("again:", err)
	}
	if known, err := b.a.written("/etc/a", object.Hash([]byte("x"))); !known || err != nil {
		t.Fatal(known, err)
	}
}

func TestNotConfirmed(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.before()
	want := b.tree()
	res := b.whenWaiting(b.a, confirmed("r1", 20*time.Millisecond, everything(b)...), func(time.Time) {})
	wantState(t, res, wire.StateReverted)
	if !res.Restored || b.log() != "do-first\ndo-second\nundo-first\nundo-second" {
		t.Fatalf("%+v %s", res, b.log())
	}
	b.wantTree(want)
	_, err := b.ask(b.a, wire.OpConfirm, wire.RunID{ID: "r1"}, nil)
	wantCode(t, err, wire.ErrReverted)
	// A failure is rolled back without waiting for a confirmation.
	res = b.whenWaiting(b.a, confirmed("r2", time.Minute, file("/etc/a", "x"), validate("false")), func(time.Time) { t.Error("it waits") })
	wantState(t, res, wire.StateFailed)
	b.wantNone("/etc/a")
	// So is a cancel.
	res = b.whenWaiting(b.a, confirmed("r3", time.Minute, file("/etc/a", "x")), func(time.Time) {
		if err := b.a.Cancel("r3"); err != nil {
			t.Error(err)
		}
	})
	wantState(t, res, wire.StateCancelled)
	b.wantNone("/etc/a")
}

func TestCrashWhileWaiting(t *testing.T) {
	t.Parallel()
	for name, confirm := range map[string]bool{"confirmed": true, "not confirmed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.before()
			before := b.tree()
			run := confirmed("r1", time.Minute, everything(b)...)
			point := ""
			for n := 30; point != "waiting"; n++ {
				b = newBed(t)
				b.before()
				before = b.tree()
				run = confirmed("r1", time.Minute, everything(b)...)
				var alive bool
				if point, alive = b.process(n, &run); alive {
					t.Fatal("it never waited")
				}
			}
			after := b.tree()
			if confirm {
				if err := b.a.Confirm("r1"); err != nil {
					t.Fatal(err)
				}
				wantState(t, b.attach(b.a, "r1", 0, nil), wire.StateSucceeded)
				b.wantTree(after)
				return
			}
			if err := b.a.Recover(); err != nil {
				t.Fatal(err)
			}
			wantState(t, b.attach(b.a, "r1", 0, nil), wire.StateLost) // its time was not up
			b.wantTree(before)
			_, err := b.ask(b.a, wire.OpConfirm, wire.RunID{ID: "r1"}, nil)
			wantCode(t, err, wire.ErrReverted)
		})
	}
}

func TestRevertByTimer(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	run := confirmed("r1", time.Minute, file("/etc/a", "x"), sh("die", "kill -9 $PPID"))
	if _, alive := b.process(1000, &run); alive {
		t.Fatal("the agent survived")
	}
	if err := b.a.Revert("r1"); err != nil {
		t.Fatal(err)
	}
	wantState(t, b.attach(b.a, "r1", 0, nil), wire.StateLost)
	b.wantNone("/etc/a")
}
