package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// roomEvery is how often a panel that could not start checks for space.
const roomEvery = time.Second

// Run opens an installation and serves it until ctx ends. started is called when nothing can fail any more, before requests are answered. Without space to
// start, it answers every request with the reason, and starts when there is space.
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
	explain := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/healthz" {
			_, _ = w.Write([]byte("ok\n"))
			return
		}
		w.Header().Set("Retry-After", "10")
		http.Error(w, "Hostler has not started, as "+ErrFull.Error()+".", http.StatusServiceUnavailable)
	})
	server := &http.Server{
		Handler: explain, ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
	}
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
