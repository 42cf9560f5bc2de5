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
	// leastRoom is the space needed beside the embedded database: its log (the WAL) grows to about 4 MiB, and a large transaction needs more.
	leastRoom = 32 << 20
	// littleShare and littleBytes are the threshold of a warning: less than 1/littleShare, and less than littleBytes, is free.
	littleShare = 20
	littleBytes = 2_000_000_000
	// readyFor is how long one check is valid: a balancer may ask often, and each check writes.
	readyFor    = time.Second
	readyWithin = 5 * time.Second
	// roomEvery is how often a panel that could not start checks for space.
	roomEvery = time.Second
)

// ErrFull is returned if the disk of the data directory is full.
var ErrFull = errors.New("the disk of the data directory is full")

// roomIn returns an error if there is too little space for the embedded database.
func roomIn(dir string) error {
	free, size, err := space(dir)
	if err != nil {
		return fmt.Errorf("check the space of the data directory: %w", err)
	}
	if free < leastRoom {
		return fmt.Errorf("%w: %s has %s of %s free, and needs %s", ErrFull, dir, megabytes(free), megabytes(size), megabytes(leastRoom))
	}
	return nil
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", n/1_000_000) }

// littleRoom returns a warning if little space is free on the disk of the data directory, else "".
func (a *App) littleRoom() string {
	free, size, err := space(a.Config.DataDir)
	if err != nil || free >= leastRoom && (free >= size/littleShare || free >= littleBytes) {
		return ""
	}
	return fmt.Sprintf("Only %s of %s are free on the disk of the panel's data directory. When it is full, the panel accepts no more changes.", megabytes(free),
		megabytes(size))
}

// readiness caches whether the panel can work.
type readiness struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

// Ready returns an error if the panel can't store anything: its database does not answer or accepts no writes, or its disk is full.
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
		a.Log.ErrorContext(ctx, "the database does not answer", "error", err)
		return errors.New("the database does not answer")
	}
	if err := a.DB.Write(ctx); err != nil {
		a.Log.ErrorContext(ctx, "the database accepts no writes", "error", err)
		return errors.New("the database accepts no writes")
	}
	return nil
}

// Run opens an installation and serves it until ctx ends. started is called when nothing can fail any more, before requests are answered. Without space to start,
// it answers every request with the reason, and starts when there is space.
func Run(ctx context.Context, c Config, l net.Listener, log *slog.Logger, started func(ctx context.Context, a *App) error) error {
	defer func() { _ = l.Close() }()
	front, err := openFront(ctx, c, log)
	if err != nil {
		return err
	}
	defer front.close()
	for {
		err := run(ctx, c, front, lend(l), log, started)
		if !full(c, err) {
			return err
		}
		log.ErrorContext(ctx, "hostler can't start, and waits for space on the disk of its data directory", "data_dir", c.DataDir, "error", err)
		if err := waitForRoom(ctx, c, front, lend(l)); err != nil || ctx.Err() != nil {
			return err
		}
	}
}

func run(ctx context.Context, c Config, front *front, l net.Listener, log *slog.Logger, started func(ctx context.Context, a *App) error) error {
	store, err := OpenStore(ctx, c)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	a, err := New(c, store, log)
	if err != nil {
		return err
	}
	a.front = front
	return a.Serve(ctx, l, func() error { return started(ctx, a) })
}

// full reports whether a panel could not start for lack of space.
func full(c Config, err error) bool {
	may, must := db.NoRoom(err)
	return must || may && errors.Is(roomIn(c.DataDir), ErrFull)
}

// waitForRoom answers requests with the reason until there is space.
func waitForRoom(ctx context.Context, c Config, front *front, l net.Listener) error {
	server := &http.Server{ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes, Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/healthz" {
			_, _ = w.Write([]byte("ok\n"))
			return
		}
		w.Header().Set("Retry-After", "10")
		http.Error(w, "Hostler has not started, as "+ErrFull.Error()+".", http.StatusServiceUnavailable)
	})}
	failed := make(chan error, 1)
	go func() { failed <- front.serve(server, l) }()
	tick := time.NewTicker(roomEvery)
	defer tick.Stop()
	for waiting := true; waiting; {
		select {
		case <-ctx.Done():
			waiting = false
		case err := <-failed:
			return fmt.Errorf("serve: %w", err)
		case <-tick.C:
			waiting = errors.Is(roomIn(c.DataDir), ErrFull)
		}
	}
	shutdown(ctx, server)
	<-failed
	return nil
}

// lent is a listener that stays open when a server is done with it: closing only ends accepting.
type lent struct {
	net.Listener
	done atomic.Bool
}

type deadliner interface{ SetDeadline(t time.Time) error }

func lend(l net.Listener) *lent {
	if d, ok := l.(deadliner); ok {
		_ = d.SetDeadline(time.Time{}) // set by the previous server
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

// Close ends Accept, and leaves the socket open: connections wait for the next server.
func (l *lent) Close() error {
	l.done.Store(true)
	if d, ok := l.Listener.(deadliner); ok {
		return d.SetDeadline(time.Now())
	}
	return nil
}
