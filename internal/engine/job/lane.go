package job

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// A lane is the right to change a server: one change at a time. Inside a process callers wait in line; between replicas a lease
// row decides, whose number only grows and is sent with every run, so that a paused owner can't write late.
type lanes struct {
	db    *db.DB
	owner string
	// keep retains a lease between changes, for a process that is the only owner of the database.
	keep bool

	mu      sync.Mutex
	byName  map[string]*lane
	waiting map[Converge]bool
}

type lane struct {
	turn    chan struct{}
	fence   int64
	expires time.Time
}

const leaseFor = time.Minute

var (
	errLaneTaken = errors.New("another replica changes this server")
	// errCovered means that a caller that already waits will see all pending work, so this one need not wait as well.
	errCovered = errors.New("another job will do this")
)

func newLanes(d *db.DB) *lanes {
	return &lanes{db: d, owner: secret.Random(8), keep: d.Dialect == db.SQLite, byName: map[string]*lane{}, waiting: map[Converge]bool{}}
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

// take waits for the lane of a server and returns its fencing number; errLaneTaken if another replica has it, errCovered if a
// caller already waits for the same.
func (l *lanes) take(ctx context.Context, what Converge) (fence int64, release func(), err error) {
	name := l.name(what)
	l.mu.Lock()
	if l.waiting[what] {
		l.mu.Unlock()
		return 0, nil, errCovered
	}
	l.waiting[what] = true
	ln := l.byName[name]
	if ln == nil {
		ln = &lane{turn: make(chan struct{}, 1)}
		l.byName[name] = ln
	}
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
		return 0, nil, ctx.Err()
	}
	if err := l.lease(ctx, name, ln); err != nil {
		<-ln.turn
		return 0, nil, err
	}
	renewing, stop := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	wg.Go(func() { l.renew(renewing, name, ln) })
	return ln.fence, func() {
		stop()
		wg.Wait()
		if !l.keep {
			_ = l.db.Tx(context.WithoutCancel(ctx), func(ctx context.Context, tx *db.Tx) error { // if this fails, the lease expires
				return tx.ReleaseLease(ctx, name, l.owner, ln.fence)
			})
			ln.expires = time.Time{}
		}
		<-ln.turn
	}, nil
}

func (l *lanes) lease(ctx context.Context, name string, ln *lane) error {
	if l.db.Clock.Now().Before(ln.expires.Add(-leaseFor / 2)) {
		return nil
	}
	err := l.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		fence, err := tx.TakeLease(ctx, name, l.owner, tx.Now.Add(leaseFor).UnixMicro(), tx.Micros())
		if err != nil {
			return err
		}
		ln.fence, ln.expires = fence, tx.Now.Add(leaseFor)
		return nil
	})
	if errors.Is(err, db.ErrNotFound) {
		return errLaneTaken
	}
	if err != nil {
		return fmt.Errorf("take lane %s: %w", name, err)
	}
	return nil
}

// renew keeps the lease while its owner works.
func (l *lanes) renew(ctx context.Context, name string, ln *lane) {
	tick := time.NewTicker(leaseFor / 4)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		_ = l.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { // retried at the next tick
			n, err := tx.RenewLease(ctx, name, l.owner, tx.Now.Add(leaseFor).UnixMicro(), ln.fence)
			if err == nil && n == 1 {
				ln.expires = tx.Now.Add(leaseFor)
			}
			return err
		})
	}
}
