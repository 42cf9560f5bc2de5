package app

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// readyFor is how long one check is valid: a balancer may ask often, and each check writes.
const (
	readyFor    = time.Second
	readyWithin = 5 * time.Second
)

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
	ctx, cancel := context.WithTimeout(db.For(context.WithoutCancel(ctx), db.Readiness), readyWithin)
	defer cancel()
	if err := a.room(); err != nil {
		return err
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
