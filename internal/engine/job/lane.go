package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// A lane is the right to change a server: one change at a time. Inside a process callers wait in line; between replicas a lease
// row decides, whose number only grows and is sent with every run, so that a paused owner can't write late.
type lanes struct {
	db    *db.DB
	owner string
	// keep retains a lease between changes, for a process that is the only owner of the database.
	keep bool
	// renewEvery is how often a lease is renewed while its owner works.
	renewEvery time.Duration

	mu      sync.Mutex
	byName  map[string]*lane
	waiting map[Converge]bool
}

type lane struct {
	name    string
	turn    chan struct{}
	fence   int64
	expires time.Time
	// lost is when the host stopped answering, in microseconds, 0 while it answers.
	lost atomic.Int64
	// handAgain is when the lane may be handed over again. free is when a lane that this replica has to leave to others became free, zero while it is taken.
	handAgain, free time.Time
	// borrowed is set while this replica has a lane that it gave up, because no other one wanted it.
	borrowed bool
}

// A replica that can't reach a host gives its lane up, which others may take: a lane goes from hand to hand at most once in handOverEvery.
const (
	leaseFor      = time.Minute
	giveUpAfter   = 2 * time.Minute
	handOverEvery = 10 * time.Minute
	standBack     = 15 * time.Second // after which a lane is free again for who gave it up, where no other replica wants it
	aliveFor      = 3 * time.Minute  // how long a replica counts as alive after it said so, which it does when it watches
)

var (
	errLaneTaken = errors.New("another replica changes this server")
	// errCovered means that a caller that already waits will see all pending work, so this one need not wait as well.
	errCovered = errors.New("another job will do this")
)

func newLanes(d *db.DB, renewEvery time.Duration) *lanes {
	return &lanes{
		db: d, owner: secret.Random(8), keep: d.Dialect == db.SQLite, renewEvery: cmp.Or(renewEvery, leaseFor/4),
		byName: map[string]*lane{}, waiting: map[Converge]bool{},
	}
}

// name returns the lane of a server, or of what works in parallel to it.
func (l *lanes) name(what Converge) string {
	name := "server-" + strconv.FormatInt(what.ServerID, 10)
	if isBeside(what.Aspect) {
		name += "-" + hostLane(what.Aspect)
	}
	return name
}

// hostLane returns the name of the lane on the host: "host" for everything that changes it.
func hostLane(aspect string) string {
	if isBeside(aspect) {
		return strings.ReplaceAll(aspect, besideMark, "-")
	}
	return "host"
}

// of returns the lane of a server, or of what works beside it.
func (l *lanes) of(what Converge) *lane {
	l.mu.Lock()
	defer l.mu.Unlock()
	name := l.name(what)
	ln := l.byName[name]
	if ln == nil {
		ln = &lane{name: name, turn: make(chan struct{}, 1)}
		l.byName[name] = ln
	}
	return ln
}

// take waits for the lane of a server; errLaneTaken if another replica holds it, errCovered if a caller already waits for the same. release gives it back,
// except for a lane with which the same replica continues in a moment.
func (l *lanes) take(ctx context.Context, what Converge) (ln *lane, release func(goesOn bool), err error) {
	ln = l.of(what)
	l.mu.Lock()
	if l.waiting[what] {
		l.mu.Unlock()
		return nil, nil, errCovered
	}
	l.waiting[what] = true
	l.mu.Unlock()
	noLonger := func() {
		l.mu.Lock()
		delete(l.waiting, what)
		l.mu.Unlock()
	}
	select {
	case ln.turn <- struct{}{}:
		noLonger()
	case <-ctx.Done():
		noLonger()
		return nil, nil, ctx.Err()
	}
	if err := l.lease(ctx, ln); err != nil {
		<-ln.turn
		return nil, nil, err
	}
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() { l.renew(renewing, ln) })
	return ln, func(goesOn bool) {
		stop()
		wg.Wait()
		if !goesOn {
			l.release(context.WithoutCancel(ctx), ln)
		}
		<-ln.turn
	}, nil
}

// wanted reports whether other work of this process waits for a lane.
func (l *lanes) wanted(what Converge) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for other := range l.waiting {
		if other != what && l.name(other) == l.name(what) {
			return true
		}
	}
	return false
}

func (l *lanes) release(ctx context.Context, ln *lane) {
	if l.keep || ln.expires.IsZero() {
		return
	}
	_ = l.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { // if this fails, the lease runs out
		return tx.ReleaseLease(ctx, ln.name, l.owner, ln.fence)
	})
	ln.expires = time.Time{}
}

// releaseAll gives back the lanes without work.
func (l *lanes) releaseAll(ctx context.Context) {
	l.mu.Lock()
	all := slices.Collect(maps.Values(l.byName))
	l.mu.Unlock()
	for _, ln := range all {
		select {
		case ln.turn <- struct{}{}:
			l.release(ctx, ln)
			<-ln.turn
		default:
		}
	}
	if l.keep {
		return
	}
	_ = l.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { // if this fails, it counts as alive a while longer
		return tx.DropReplicas(ctx, tx.Micros(), l.owner)
	})
}

// alive records that this replica is alive, and deletes replicas that have not reported for long: leases that they gave up no longer mean anything.
func (l *lanes) alive(ctx context.Context, tx *db.Tx) error {
	err := errors.Join(tx.DropReplicas(ctx, tx.Micros(), ""), tx.KeepReplica(ctx, l.owner, tx.Now.Add(aliveFor).UnixMicro()))
	if err != nil {
		return fmt.Errorf("say that this replica is alive: %w", err)
	}
	return nil
}

func (l *lanes) lease(ctx context.Context, ln *lane) error {
	now := l.db.Clock.Now()
	if now.Before(ln.expires.Add(-leaseFor / 2)) {
		return nil
	}
	gaveUpBefore := now.Add(-handOverEvery)
	unwanted := !ln.free.IsZero() && now.Sub(ln.free) >= standBack
	if unwanted {
		gaveUpBefore = now.Add(time.Minute) // whenever that was
	}
	err := l.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		fence, err := tx.TakeLease(ctx, query.TakeLeaseParams{
			Name: ln.name, Owner: l.owner, ExpiresAt: tx.Now.Add(leaseFor).UnixMicro(),
			Fence: tx.Micros(), HandedAt: gaveUpBefore.UnixMicro(),
		})
		if err != nil {
			return err
		}
		if ln.expires.Before(now) { // it does not go on from the attempt before
			ln.lost.Store(0)
		}
		ln.fence, ln.expires, ln.free, ln.borrowed = fence, tx.Now.Add(leaseFor), time.Time{}, unwanted
		return nil
	})
	if errors.Is(err, db.ErrNotFound) {
		return l.refused(ctx, ln)
	}
	if err != nil {
		return fmt.Errorf("take lane %s: %w", ln.name, err)
	}
	return nil
}

// refused notes when a lane that this replica gave up became free. It returns errLaneTaken, or an error of the database.
func (l *lanes) refused(ctx context.Context, ln *lane) error {
	now := l.db.Clock.Now()
	lease, err := l.db.Read().Ungranted().GetLease(ctx, ln.name)
	switch {
	case err != nil && !errors.Is(err, db.ErrNotFound):
		return fmt.Errorf("read the lease of lane %s: %w", ln.name, err)
	case lease.ExpiresAt >= now.UnixMicro():
		ln.free = time.Time{}
	case ln.free.IsZero():
		ln.free = now
	}
	return errLaneTaken
}

// lose notes that a host can't be reached, and meet that it was heard of.
func (l *lanes) lose(ln *lane) { ln.lost.CompareAndSwap(0, l.db.Clock.Now().UnixMicro()) }
func (l *lanes) meet(ln *lane) { ln.lost.Store(0) }

// lostForLong reports whether another replica should try to reach the host.
func (l *lanes) lostForLong(ln *lane) bool {
	lost, now := ln.lost.Load(), l.db.Clock.Now()
	return !l.keep && lost != 0 && now.Sub(time.UnixMicro(lost)) >= giveUpAfter && !now.Before(ln.handAgain)
}

// handOver gives a lane up where its host was not heard of for long. done is false where it stays, as it was handed over a short while ago.
func (l *lanes) handOver(ctx context.Context, ln *lane) (done bool, err error) {
	if !l.lostForLong(ln) {
		return false, nil
	}
	err = l.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		n, err := tx.HandOver(ctx, query.HandOverParams{
			Name: ln.name, Owner: l.owner, HandedAt: tx.Micros(), Fence: ln.fence,
			HandedAt_2: tx.Now.Add(-handOverEvery).UnixMicro(),
		})
		if err != nil {
			return err
		}
		done = n == 1
		lease, err := tx.Ungranted().GetLease(ctx, ln.name)
		ln.handAgain = time.UnixMicro(lease.HandedAt).Add(handOverEvery)
		if err != nil {
			return err
		}
		return l.alive(ctx, tx)
	})
	if err != nil {
		return false, fmt.Errorf("hand over lane %s: %w", ln.name, err)
	}
	if done {
		ln.expires, ln.free = time.Time{}, time.Time{}
		ln.lost.Store(0)
	}
	return done, nil
}

// mine returns the servers whose lanes this replica gave up and has to leave to others. It says that the replica is alive.
func (l *lanes) mine(ctx context.Context) (map[int64][]string, error) {
	if l.keep {
		return nil, nil
	}
	if err := l.db.Tx(ctx, l.alive); err != nil {
		return nil, err
	}
	now := l.db.Clock.Now()
	all, err := l.db.Read().Ungranted().ListAvoided(ctx, now.Add(-handOverEvery).UnixMicro(), now.UnixMicro())
	if err != nil {
		return nil, fmt.Errorf("list lanes that were handed over: %w", err)
	}
	out := map[int64][]string{}
	for _, lease := range all {
		if id, ok := ServerOfLane(lease.Name); ok && lease.Avoided == l.owner {
			out[id] = append(out[id], lease.Name)
		}
	}
	return out, nil
}

// back says that this replica reaches a host again whose lanes it gave up.
func (l *lanes) back(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	return l.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		for _, name := range names {
			if err := tx.ClearAvoided(ctx, name, l.owner); err != nil {
				return fmt.Errorf("take lane %s back: %w", name, err)
			}
		}
		return nil
	})
}

// ServerOfLane returns the server that a lane belongs to.
func ServerOfLane(name string) (id int64, ok bool) {
	rest, ok := strings.CutPrefix(name, "server-")
	if !ok {
		return 0, false
	}
	number, _, _ := strings.Cut(rest, "-")
	id, err := strconv.ParseInt(number, 10, 64)
	return id, err == nil
}

// HandedOver lists the leases of lanes that a replica gave up recently and another replica holds now. The first replica is alive: one that has been killed does
// not count as unable to reach a server.
func HandedOver(ctx context.Context, q *query.Granted, now time.Time) ([]query.Lease, error) {
	all, err := q.Ungranted().ListAvoided(ctx, now.Add(-handOverEvery).UnixMicro(), now.UnixMicro())
	if err != nil {
		return nil, fmt.Errorf("list lanes that were handed over: %w", err)
	}
	return slices.DeleteFunc(all, func(l query.Lease) bool { return l.Owner == l.Avoided }), nil
}

// renew keeps the lease while its owner works.
func (l *lanes) renew(ctx context.Context, ln *lane) {
	tick := time.NewTicker(l.renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		_ = l.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { // tried again at the next tick
			n, err := tx.RenewLease(ctx, ln.name, l.owner, tx.Now.Add(leaseFor).UnixMicro(), ln.fence)
			if err == nil && n == 1 {
				ln.expires = tx.Now.Add(leaseFor)
			}
			return err
		})
	}
}
