package app_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// A second panel on the same data directory is refused with the process id of the first, and changes nothing: it does not release the first's leases.
func TestSecondPanelChangesNothing(t *testing.T) {
	t.Parallel()
	c := installation(t)
	c.BaseURL, c.Listen = "http://127.0.0.1:1", "127.0.0.1:0"
	c.Agents = host.Binaries{"amd64": {Sum: "none", Open: func() ([]byte, error) { return nil, nil }}}
	var started atomic.Int32
	serve := func(ctx context.Context) (*app.App, string, chan error) {
		t.Helper()
		store, err := app.OpenStore(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		a, err := app.New(c, store, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		l, err := a.Listen(ctx)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			ended <- a.Serve(ctx, l, func() error {
				if started.Add(1) > 1 {
					return errors.New("two panels serve")
				}
				return nil
			})
		}()
		return a, "http://" + l.Addr().String(), ended
	}
	ctx, stop := context.WithCancel(t.Context())
	first, url, ended := serve(ctx)
	if res, err := http.Get(url + "/healthz"); err != nil { // answers once it serves
		t.Fatal(err)
	} else {
		_ = res.Body.Close()
	}
	err := first.DB.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.TakeLease(ctx, query.TakeLeaseParams{Name: "server-1", Owner: "first", ExpiresAt: tx.Micros() + 60_000_000, Fence: tx.Micros()})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	_, _, refused := serve(t.Context())
	if err := <-refused; !errors.Is(err, app.ErrServed) || !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("the second panel ended with %v", err)
	}
	if n := started.Load(); n != 1 {
		t.Errorf("%d panels said that they serve, one of which was refused", n)
	}
	err = first.DB.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.TakeLease(ctx, query.TakeLeaseParams{Name: "server-1", Owner: "second", ExpiresAt: tx.Micros() + 60_000_000, Fence: tx.Micros()})
		return err
	})
	if !errors.Is(err, db.ErrNotFound) {
		t.Errorf("the second panel freed the lease of the first: %v", err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	started.Store(0)
	again, end := context.WithCancel(t.Context())
	_, _, ended = serve(again)
	end()
	if err := <-ended; err != nil {
		t.Errorf("after the first ended, another one is refused: %v", err)
	}
}
