package job_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/converge"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/clock/clocktest"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/secret/secrettest"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/firewall"
)

// path is how one replica reaches a host, which can be cut while others reach it. What was sent over it goes on.
type path struct {
	*modelHost
	mu   sync.Mutex
	cut  chan struct{} // closed while it is cut
	runs []wire.Run    // that the host took
}

func newPath(h *modelHost) *path { return &path{modelHost: h, cut: make(chan struct{})} }

func (p *path) set(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if cut {
		close(p.cut)
	} else {
		p.cut = make(chan struct{})
	}
}

func (p *path) RunConfirmed(ctx context.Context, target host.Target, run wire.Run, check host.Check, on func(wire.Event)) (wire.Result, error) {
	p.mu.Lock()
	cut := p.cut
	p.mu.Unlock()
	select {
	case <-cut:
		return wire.Result{}, fmt.Errorf("%w: %w", host.ErrNotSent, errLine)
	default:
	}
	p.mu.Lock()
	p.runs = append(p.runs, run)
	p.mu.Unlock()
	type end struct {
		result wire.Result
		err    error
	}
	ended := make(chan end, 1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		result, err := p.modelHost.RunConfirmed(ctx, target, run, check, on)
		ended <- end{result, err}
	}()
	select {
	case e := <-ended:
		return e.result, e.err
	case <-cut: // and the host is called repeatedly
		on(wire.Event{Kind: host.Lost, Text: errLine.Reason})
		<-ctx.Done()
		return wire.Result{}, errLine
	}
}

// newReplica is a panel on a database that others use too.
func newReplica(t *testing.T, c db.Config, box *secret.Box, fleet job.Fleet) *bench {
	t.Helper()
	d, err := dbtest.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	queue, err := job.NewQueue(d, log)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, db: d, box: box, queue: queue, ledger: ledger.New(queue, firewall.Rules)}
	b.whole = &job.Whole{
		DB: d, Fleet: fleet, Targets: targets{}, First: "provision", Last: "remove",
		Aspects: map[string]job.Aspect{firewall.Aspect: converge.Converger{Ledger: b.ledger, Plans: firewall.Plan}.Aspect()},
	}
	b.engine = job.NewEngine(job.EngineConfig{Whole: b.whole, Box: box, Queue: queue, Log: log, RenewEvery: 10 * time.Millisecond})
	b.workers = job.NewWorkers(queue, job.WorkersConfig{Log: log, Parallel: 4})
	b.engine.Work(b.workers)
	t.Cleanup(func() { _ = d.Close() })
	return b
}

// run begins to work, until the test ends.
func (b *bench) run() {
	b.t.Helper()
	if err := b.workers.Start(context.WithoutCancel(b.t.Context())); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(b.stop)
}

// lease is that of the server's lane.
func (b *bench) lease() query.Lease {
	b.t.Helper()
	lease, err := b.db.Read().Ungranted().GetLease(b.t.Context(), fmt.Sprintf("server-%d", b.server.ID))
	if err != nil {
		b.t.Fatal(err)
	}
	return lease
}

// later lets time pass in small steps, in each of which who has the lane renews it.
func (b *bench) later(c *clocktest.Clock, d time.Duration) {
	b.t.Helper()
	for ; d > 0; d -= 10 * time.Second {
		c.Move(10 * time.Second)
		now := c.Now().UnixMicro()
		b.until("the lease is renewed or given up", func() bool {
			lease := b.lease()
			return lease.ExpiresAt > now+(45*time.Second).Microseconds() || lease.ExpiresAt == 0
		})
	}
}

// A replica that stops leaves no lane behind, also one that it keeps between its attempts at a host that can't be reached: the next one goes on at once.
func TestStoppedReplicaLeavesItsLanes(t *testing.T) {
	t.Parallel()
	c := db.Config{URL: dbtest.URL(t), Clock: clock.System{}}
	line := newPath(newModelHost())
	line.set(true)
	a := newReplica(t, c, secrettest.Box(t), line)
	a.tx(func(ctx context.Context, tx *db.Tx) error {
		w := &walker{}
		err := w.prepare(ctx, tx)
		a.server, a.grant = w.server, w.grant
		return err
	})
	if err := a.workers.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	_, accepted := a.add(time.Hour, "8080")
	a.until("the replica notices", func() bool {
		op, err := a.db.Read().Ungranted().GetOperation(t.Context(), accepted[0].OperationID)
		return err == nil && op.Reason != ""
	})
	a.engine.Stop()
	a.until("an attempt has the lane", func() bool { return a.lease().ExpiresAt != 0 })
	if err := a.workers.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if lease := a.lease(); lease.ExpiresAt != 0 {
		t.Errorf("the lane is taken until %s: %+v", time.UnixMicro(lease.ExpiresAt), lease)
	}
}

// A replica that can't reach a host any more gives its work up after two minutes, and another one ends it: once, and with a fence of its own. What comes
// later is the other's too, for ten minutes, in which nothing is handed back, though it loses the host as well.
func TestLaneIsHandedOver(t *testing.T) {
	t.Parallel()
	now := clocktest.At(time.Now().UTC().Truncate(time.Microsecond))
	c := db.Config{URL: dbtest.URL(t), Clock: now}
	box := secrettest.Box(t)
	h := newModelHost()
	one, two := newPath(h), newPath(h)
	a, b := newReplica(t, c, box, one), newReplica(t, c, box, two)
	a.tx(func(ctx context.Context, tx *db.Tx) error {
		w := &walker{}
		err := w.prepare(ctx, tx)
		a.server, a.grant, b.server, b.grant = w.server, w.grant, w.server, w.grant
		return err
	})

	h.set(slow) // the first replica sends the work, and loses the host while that is done
	a.run()
	rules, accepted := a.add(time.Hour, "8080")
	a.until("the host has the run", func() bool { one.mu.Lock(); defer one.mu.Unlock(); return len(one.runs) == 1 })
	one.set(true)
	b.run()
	a.until("the first replica notices", func() bool {
		op, err := a.db.Read().Ungranted().GetOperation(t.Context(), accepted[0].OperationID)
		return err == nil && op.Reason != ""
	})
	first := a.lease()
	a.later(now, 100*time.Second)
	if lease := a.lease(); lease.Owner != first.Owner || lease.Avoided != "" {
		t.Fatalf("given up after less than two minutes: %+v", lease)
	}
	a.later(now, 30*time.Second)
	b.until("the other replica has the lane", func() bool { return b.lease().Owner != first.Owner })
	h.set(up)
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	b.wantStatus(rules[0], "installed")
	if err := h.startedTwice(); err != nil {
		t.Error(err)
	}
	if lease := b.lease(); lease.Avoided != first.Owner || lease.Fence <= first.Fence {
		t.Errorf("the lease is %+v, and was %+v", lease, first)
	}
	handed, err := job.HandedOver(t.Context(), b.db.Read(), now.Now())
	if err != nil || len(handed) != 1 {
		t.Errorf("handed over are %v, %v", handed, err)
	}

	_, accepted = a.add(time.Hour, "8081") // the first replica hears of it as soon as the other
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	if last := two.runs[len(two.runs)-1]; len(one.runs) != 1 || last.Fence <= one.runs[0].Fence {
		t.Errorf("the first replica sent %d runs; the other's last has the fence %d", len(one.runs), last.Fence)
	}

	two.set(true) // now neither reaches it
	_, accepted = a.add(time.Hour, "8082")
	at := b.lease().HandedAt
	// Five minutes, with an attempt in each step. The first may see the time of the first step, and the last may be seen before its end: what lies between
	// is longer than two minutes.
	for range 6 {
		now.Move(50 * time.Second)
		step := now.Now().UnixMicro()
		b.until("the host is tried again", func() bool {
			op, err := b.db.Read().Ungranted().GetOperation(t.Context(), accepted[0].OperationID)
			return err == nil && op.UpdatedAt >= step
		})
	}
	if lease := b.lease(); lease.HandedAt != at {
		t.Errorf("handed over again within ten minutes: %+v", lease)
	}
	two.set(false)
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	if err := h.startedTwice(); err != nil {
		t.Error(err)
	}

	// The first replica has ended: that it gave up something is no news any more, whoever has the lane.
	a.stop()
	if handed, err := job.HandedOver(t.Context(), b.db.Read(), now.Now()); err != nil || len(handed) != 0 {
		t.Errorf("handed over by a replica that ended are %v, %v", handed, err)
	}
}
