package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

const (
	// leastRoom is what must be free beside the embedded database: its log (the WAL) grows to about 4 MiB, and a large transaction needs more.
	leastRoom = 32 << 20
	// littleShare and littleBytes are when people are told: less than one part of so many is free, and less than so much.
	littleShare = 20
	littleBytes = 2_000_000_000
	// readyFor is how long one look answers for: a balancer may ask often, and each look writes.
	readyFor    = time.Second
	readyWithin = 5 * time.Second
	// roomEvery is how often a panel that could not start looks for room.
	roomEvery = time.Second
)

// ErrFull is returned where the disk of the data directory has no room.
var ErrFull = errors.New("the disk of the data directory is full")

// roomIn fails where there is too little room for the embedded database.
func roomIn(dir string) error {
	free, size, err := space(dir)
	if err != nil {
		return fmt.Errorf("look for room in the data directory: %w", err)
	}
	if free < leastRoom {
		return fmt.Errorf("%w: %s has %s of %s free, and needs %s", ErrFull, dir, megabytes(free), megabytes(size), megabytes(leastRoom))
	}
	return nil
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", n/1_000_000) }

// littleRoom says how little is free on the disk of the data directory; "" where there is enough.
func (a *App) littleRoom() string {
	free, size, err := space(a.Config.DataDir)
	if err != nil || free >= leastRoom && (free >= size/littleShare || free >= littleBytes) {
		return ""
	}
	return fmt.Sprintf("Only %s of %s are free on the disk of the panel's data directory. When it is full, the panel takes no more changes.", megabytes(free), megabytes(size))
}

// readiness is whether the panel can work, as it was found a moment ago.
type readiness struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

// Ready fails where the panel can't keep what it is asked: its database does not answer or takes nothing, or its disk is full.
func (a *App) Ready(ctx context.Context) error {
	a.ready.mu.Lock()
	defer a.ready.mu.Unlock()
	if time.Since(a.ready.at) >= readyFor {
		a.ready.err, a.ready.at = a.lookReady(ctx), time.Now()
	}
	return a.ready.err
}

func (a *App) lookReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyWithin)
	defer cancel()
	if a.DB.Dialect == db.SQLite {
		if err := roomIn(a.Config.DataDir); err != nil {
			return err
		}
	}
	if err := a.DB.Ping(ctx); err != nil {
		return errors.New("the database does not answer")
	}
	if err := a.DB.Write(ctx); err != nil {
		a.Log.ErrorContext(ctx, "the database takes no writes", "error", err)
		return errors.New("the database takes no writes")
	}
	return nil
}

// Run opens an installation and serves it until ctx ends. started is called once requests are answered. Where there is no room to start, it answers
// every request with the reason, and starts when there is room.
func Run(ctx context.Context, c Config, l net.Listener, log *slog.Logger, started func(ctx context.Context, a *App) error) error {
	defer func() { _ = l.Close() }()
	for {
		err := run(ctx, c, lend(l), log, started)
		if !full(c, err) {
			return err
		}
		log.ErrorContext(ctx, "hostler can't start, and waits for room on the disk of its data directory", "data_dir", c.DataDir, "error", err)
		if err := waitForRoom(ctx, c, lend(l)); err != nil || ctx.Err() != nil {
			return err
		}
	}
}

func run(ctx context.Context, c Config, l net.Listener, log *slog.Logger, started func(ctx context.Context, a *App) error) error {
	store, err := OpenStore(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	a, err := New(c, store, log)
	if err != nil {
		return err
	}
	return a.Serve(ctx, l, func() error { return started(ctx, a) })
}

// full reports whether a panel could not start for want of room.
func full(c Config, err error) bool {
	may, must := db.NoRoom(err)
	return must || may && roomIn(c.DataDir) != nil
}

// waitForRoom answers that there is none, until there is.
func waitForRoom(ctx context.Context, c Config, l net.Listener) error {
	server := &http.Server{ReadHeaderTimeout: readHeaderTimeout, Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/healthz" {
			_, _ = w.Write([]byte("ok\n"))
			return
		}
		w.Header().Set("Retry-After", "10")
		http.Error(w, "Hostler has not started, as "+ErrFull.Error()+".", http.StatusServiceUnavailable)
	})}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	tick := time.NewTicker(roomEvery)
	defer tick.Stop()
	for waiting := true; waiting; {
		select {
		case <-ctx.Done():
			waiting = false
		case err := <-failed:
			return fmt.Errorf("serve: %w", err)
		case <-tick.C:
			waiting = roomIn(c.DataDir) != nil
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
	defer cancel()
	err := server.Shutdown(last)
	<-failed
	return err
}

// lent is a listener that stays open when one server has done with it: closing only ends accepting.
type lent struct {
	net.Listener
	done atomic.Bool
}

type deadliner interface{ SetDeadline(t time.Time) error }

func lend(l net.Listener) *lent {
	if d, ok := l.(deadliner); ok {
		_ = d.SetDeadline(time.Time{}) // which the server before has left
	}
	return &lent{Listener: l}
}

// Accept waits for a connection until Close.
func (l *lent) Accept() (net.Conn, error) {
	if l.done.Load() {
		return nil, net.ErrClosed
	}
	return l.Listener.Accept()
}

// Close ends Accept, and leaves the socket open: connections wait for who accepts next.
func (l *lent) Close() error {
	l.done.Store(true)
	if d, ok := l.Listener.(deadliner); ok {
		return d.SetDeadline(time.Now())
	}
	return nil
}
