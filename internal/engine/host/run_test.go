package host_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/host/hosttest"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// change returns a run with so many steps.
func change(id string, steps int) wire.Run {
	c := &wire.Change{}
	for i := range steps {
		c.Steps = append(c.Steps, wire.Step{Name: fmt.Sprintf("step %d", i), Dir: &wire.Dir{Path: "/srv", Mode: 0o755}})
	}
	return wire.Run{ID: id, Lane: "host", Deadline: time.Now().Add(time.Minute), Change: c}
}

// counter checks that events come once and in order.
type counter struct {
	t    *testing.T
	last int64
}

func (c *counter) on(e wire.Event) {
	if e.Kind == host.Lost || e.Kind == host.Sent { // of this side
		return
	}
	if e.Seq != c.last+1 {
		c.t.Errorf("event %d after %d", e.Seq, c.last)
	}
	c.last = e.Seq
}

func wantState(t *testing.T, res wire.Result, err error, want wire.State) {
	t.Helper()
	if err != nil {
		t.Fatalf("run: %v", err)
	}
	if res.State != want {
		t.Fatalf("run ended %s (%s), want %s", res.State, res.Reason, want)
	}
}

// TestReconnect checks the promise of this package: whatever happens to the connection, each event comes once and in order, and
// the work is begun once.
func TestReconnect(t *testing.T) {
	t.Parallel()
	const faults, events = 50, 1000
	for _, kind := range []struct {
		name  string
		fault hosttest.Fault
		allow int // connections
	}{{"Kill", hosttest.Kill, faults + 1}, {"KillInner", hosttest.KillInner, faults + 1}, {"Exit", hosttest.Exit, 1}, {"Garbage", hosttest.Garbage, 1}} {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			left, next := faults, 2+rand.IntN(20)
			srv := hosttest.Start(t, hosttest.Options{
				OnFrame: func(n int) hosttest.Fault {
					mu.Lock()
					defer mu.Unlock()
					if left == 0 || n < next {
						return hosttest.None
					}
					left--
					next = n + 3 + rand.IntN(15) // a hello, and at least one frame of the run
					return kind.fault
				},
				OnRun: func(r *hosttest.Run) wire.Result {
					for i := range events {
						r.Emit(wire.Event{Kind: wire.EventOutput, Text: fmt.Sprintf("line %d\n", i)})
					}
					return wire.Result{State: wire.StateSucceeded, Changed: true}
				},
			})
			f := newFleet(t, nil)
			c := &counter{t: t}
			res, err := f.Run(testContext(t), srv.Target(1), change("r", 1), c.on)
			wantState(t, res, err, wire.StateSucceeded)
			if c.last != events {
				t.Errorf("%d events, want %d", c.last, events)
			}
			if n := srv.Agent.Starts("r"); n != 1 {
				t.Errorf("started %d times", n)
			}
			if left != 0 {
				t.Errorf("%d faults were left", left)
			}
			if n := srv.Logins(); n != kind.allow {
				t.Errorf("%d connections, want %d", n, kind.allow)
			}
			if n := srv.Delivered(); n != 1 {
				t.Errorf("delivered %d times", n)
			}
		})
	}
}

// TestAnswerToStartIsLost: the host has the run, but its first answer never arrived.
func TestAnswerToStartIsLost(t *testing.T) {
	t.Parallel()
	srv := hosttest.Start(t, hosttest.Options{OnFrame: func(n int) hosttest.Fault {
		if n == 2 {
			return hosttest.Kill
		}
		return hosttest.None
	}})
	f := newFleet(t, nil)
	c := &counter{t: t}
	res, err := f.Run(testContext(t), srv.Target(1), change("r", 2), c.on)
	wantState(t, res, err, wire.StateSucceeded)
	if c.last != 4 || srv.Agent.Starts("r") != 1 || srv.Agent.Asked(wire.OpRunStart) != 2 {
		t.Errorf("%d events, %d starts, %d requests", c.last, srv.Agent.Starts("r"), srv.Agent.Asked(wire.OpRunStart))
	}
}

func TestHalfOpen(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	srv := hosttest.Start(t, hosttest.Options{OnRun: func(r *hosttest.Run) wire.Result {
		r.Emit(wire.Event{Kind: wire.EventOutput})
		<-release
		r.Emit(wire.Event{Kind: wire.EventOutput})
		return wire.Result{State: wire.StateSucceeded}
	}})
	lost := make(chan error, 1)
	f := newFleet(t, func(c *host.Config) {
		c.KeepAlive, c.KeepAliveMissed = 100*time.Millisecond, 10 // long enough for a machine under load
		c.Hooks.Lost = func(_ int64, err error) { lost <- err }
	})
	c := &counter{t: t}
	res, err := f.Run(testContext(t), srv.Target(1), change("r", 1), func(e wire.Event) {
		c.on(e)
		if e.Seq == 1 {
			srv.HalfOpen()
			close(release)
		}
	})
	wantState(t, res, err, wire.StateSucceeded)
	wantErr(t, <-lost, host.ErrUnreachable, "stopped answering")
	if c.last != 2 || srv.Agent.Starts("r") != 1 || srv.Logins() != 2 {
		t.Errorf("%d events, %d starts, %d logins", c.last, srv.Agent.Starts("r"), srv.Logins())
	}
}

// TestDeadConnection: the connection died while it was idle. The next request notices long before the keepalive does.
func TestDeadConnection(t *testing.T) {
	t.Parallel()
	srv := hosttest.Start(t, hosttest.Options{})
	f := newFleet(t, func(c *host.Config) { c.KeepAlive, c.HandshakeTimeout = time.Hour, time.Second })
	mustFacts(t, f, srv.Target(1))
	srv.HalfOpen()
	mustFacts(t, f, srv.Target(1))
	srv.HalfOpen()
	res, err := f.Run(testContext(t), srv.Target(1), change("r", 1), nil)
	wantState(t, res, err, wire.StateSucceeded)
	if srv.Logins() != 3 {
		t.Errorf("%d logins", srv.Logins())
	}
}

func TestRunEndsWithContext(t *testing.T) {
	t.Parallel()
	srv := hosttest.Start(t, hosttest.Options{OnRun: func(r *hosttest.Run) wire.Result {
		r.Emit(wire.Event{Kind: wire.EventOutput})
		<-r.Cancelled()
		return wire.Result{State: wire.StateCancelled}
	}})
	f := newFleet(t, nil)
	ctx, cancel := context.WithCancel(testContext(t))
	_, err := f.Run(ctx, srv.Target(1), change("r", 1), func(e wire.Event) {
		if e.Kind == host.Sent {
			return
		}
		srv.Refuse(true) // from now on there is no answer
		srv.DropAll()
		time.AfterFunc(50*time.Millisecond, cancel)
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	srv.Refuse(false)
	// The run continued, and another control plane can find it and stop it.
	f = newFleet(t, nil)
	var res wire.Result
	done := make(chan struct{})
	go func() {
		defer close(done)
		res, err = f.Attach(testContext(t), srv.Target(1), "r", 1, func(e wire.Event) {
			if e.Kind != host.Sent {
				t.Error("an event came twice")
			}
		})
	}()
	if err := f.Cancel(testContext(t), srv.Target(1), "r"); err != nil {
		t.Fatal(err)
	}
	<-done
	wantState(t, res, err, wire.StateCancelled)
	runs, err := f.Runs(testContext(t), srv.Target(1))
	if err != nil || len(runs) != 1 || runs[0].Starts != 1 || runs[0].State != wire.StateCancelled {
		t.Errorf("journal %+v, %v", runs, err)
	}
	if err := f.ForgetRun(testContext(t), srv.Target(1), "r"); err != nil {
		t.Error(err)
	}
	_, err = f.Attach(testContext(t), srv.Target(1), "r", 0, nil)
	var refused *wire.Error
	if !errors.As(err, &refused) || refused.Code != wire.ErrUnknownRun {
		t.Errorf("attach to a forgotten run: %v", err)
	}
}

func TestRunRefused(t *testing.T) {
	t.Parallel()
	srv := hosttest.Start(t, hosttest.Options{})
	f := newFleet(t, nil)
	res, err := f.Run(testContext(t), srv.Target(1), change("r", 1), nil)
	wantState(t, res, err, wire.StateSucceeded)
	_, err = f.Run(testContext(t), srv.Target(1), change("r", 2), nil)
	var refused *wire.Error
	if !errors.As(err, &refused) || refused.Code != wire.ErrRunConflict {
		t.Errorf("same id, other content: %v", err)
	}
	big := change("big", 1)
	big.Change.Steps[0].File = &wire.File{Path: "/x", Content: make([]byte, wire.MaxFrame)}
	if _, err = f.Run(testContext(t), srv.Target(1), big, nil); err == nil || !strings.Contains(err.Error(), "larger than a frame") {
		t.Errorf("a request larger than a frame: %v", err)
	}
}

// TestHostileHost checks that whatever a host sends, callers get an error, and the next use starts over.
func TestHostileHost(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault  hosttest.Fault
		reason string
	}{
		"Garbage": {hosttest.Garbage, "not a frame"},
		"Endless": {hosttest.Endless, "too long"},
		"Exit":    {hosttest.Exit, "exit status 137"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var bad atomic.Bool
			bad.Store(true)
			srv := hosttest.Start(t, hosttest.Options{OnFrame: func(n int) hosttest.Fault {
				if n > 1 && bad.Load() {
					return test.fault
				}
				return hosttest.None
			}})
			lost := make(chan error, 10)
			f := newFleet(t, func(c *host.Config) { c.Hooks.Lost = func(_ int64, err error) { lost <- err } })
			_, err := f.Runs(testContext(t), srv.Target(1))
			wantErr(t, err, host.ErrAgent, test.reason)
			wantErr(t, <-lost, host.ErrAgent, test.reason)
			bad.Store(false)
			mustFacts(t, f, srv.Target(1))
		})
	}
}

func TestConfirm(t *testing.T) {
	t.Parallel()
	confirmed := func(id string, within time.Duration) wire.Run {
		r := change(id, 1)
		r.Change.ConfirmWithin = within
		return r
	}
	for name, kind := range map[string]host.ConfirmKind{"Reachable": host.ConfirmReachable, "Login": host.ConfirmLogin} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := hosttest.Start(t, hosttest.Options{})
			f := newFleet(t, nil)
			c := &counter{t: t}
			res, err := f.RunConfirmed(testContext(t), srv.Target(1), confirmed("r", 30*time.Second), host.Check{Kind: kind}, c.on)
			wantState(t, res, err, wire.StateSucceeded)
			logins := map[host.ConfirmKind]int{host.ConfirmReachable: 1, host.ConfirmLogin: 2}[kind]
			if srv.Logins() != logins || c.last != 3 || srv.Agent.Asked(wire.OpConfirm) != 1 {
				t.Errorf("%d logins, %d events, %d confirmations", srv.Logins(), c.last, srv.Agent.Asked(wire.OpConfirm))
			}
		})
		t.Run(name+"Bad", func(t *testing.T) {
			t.Parallel()
			srv := hosttest.Start(t, hosttest.Options{})
			f := newFleet(t, nil)
			mustFacts(t, f, srv.Target(1))
			srv.Refuse(true) // the old connection works, a new one does not
			res, err := f.RunConfirmed(testContext(t), srv.Target(1), confirmed("r", 400*time.Millisecond), host.Check{Kind: kind}, nil)
			wantState(t, res, err, wire.StateReverted)
			if srv.Agent.Asked(wire.OpConfirm) != 0 {
				t.Error("a confirmation was sent")
			}
			if res.Unheard {
				t.Error("the line is to blame, although the old connection works")
			}
			if !strings.Contains(res.Reason, "not confirmed in time: ") {
				t.Errorf("reason %q", res.Reason)
			}
		})
		t.Run(name+"CutsEverything", func(t *testing.T) {
			t.Parallel()
			// The change cuts the old connection too, and nothing gets in until the host has rolled it back.
			var srv *hosttest.Server
			srv = hosttest.Start(t, hosttest.Options{OnRun: func(r *hosttest.Run) wire.Result {
				srv.Refuse(true)
				defer srv.Refuse(false)
				srv.DropAll()
				if r.AwaitConfirm() {
					return wire.Result{State: wire.StateSucceeded}
				}
				return wire.Result{State: wire.StateReverted, Restored: true}
			}})
			f := newFleet(t, nil)
			res, err := f.RunConfirmed(testContext(t), srv.Target(1), confirmed("r", time.Second), host.Check{Kind: kind}, nil)
			wantState(t, res, err, wire.StateReverted)
			if !res.Unheard {
				t.Error("the line is not to blame, although nothing was heard of the host")
			}
		})
		t.Run(name+"CutUntilTooLate", func(t *testing.T) {
			t.Parallel()
			// The first connection after the cut gets through when the host no longer waits, and before it has said how the run ended.
			var srv *hosttest.Server
			srv = hosttest.Start(t, hosttest.Options{OnRun: func(r *hosttest.Run) wire.Result {
				srv.Refuse(true)
				srv.DropAll()
				if r.AwaitConfirm() {
					return wire.Result{State: wire.StateSucceeded}
				}
				srv.Refuse(false)
				for srv.Agent.Asked(wire.OpConfirm) == 0 {
					select {
					case <-r.Cancelled():
						return wire.Result{State: wire.StateReverted, Restored: true}
					case <-time.After(time.Millisecond):
					}
				}
				return wire.Result{State: wire.StateReverted, Restored: true}
			}})
			f := newFleet(t, nil)
			res, err := f.RunConfirmed(testContext(t), srv.Target(1), confirmed("r", time.Second), host.Check{Kind: kind}, nil)
			wantState(t, res, err, wire.StateReverted)
			if !res.Unheard {
				t.Error("the line is not to blame, although nothing was heard of the host while it waited")
			}
		})
	}
	t.Run("MovedPort", func(t *testing.T) {
		t.Parallel()
		var srv *hosttest.Server
		srv = hosttest.Start(t, hosttest.Options{OnRun: func(r *hosttest.Run) wire.Result {
			srv.Move()
			srv.DropAll()
			if r.AwaitConfirm() {
				return wire.Result{State: wire.StateSucceeded}
			}
			return wire.Result{State: wire.StateReverted, Restored: true}
		}})
		f := newFleet(t, nil)
		then := srv.Target(1)
		then.Addr = srv.NextAddr
		res, err := f.RunConfirmed(testContext(t), srv.Target(1), confirmed("r", 30*time.Second), host.Check{Kind: host.ConfirmLogin, Target: &then}, nil)
		wantState(t, res, err, wire.StateSucceeded)
	})
	t.Run("TooLate", func(t *testing.T) {
		t.Parallel()
		srv := hosttest.Start(t, hosttest.Options{})
		f := newFleet(t, nil)
		res, err := f.Run(testContext(t), srv.Target(1), confirmed("r", time.Millisecond), nil)
		wantState(t, res, err, wire.StateReverted)
		err = f.Confirm(testContext(t), srv.Target(1), "r", host.ConfirmReachable)
		var refused *wire.Error
		if !errors.As(err, &refused) || refused.Code != wire.ErrReverted {
			t.Errorf("confirmation after the revert: %v", err)
		}
	})
}
