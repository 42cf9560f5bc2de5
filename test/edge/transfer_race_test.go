package edge

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// No change that was authorized before a transfer, and comes after it, finds the server: it belongs to another organization.
func TestTransferBesideEveryChange(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, dialect db.Dialect) {
		w := World(t, dialect)
		for _, op := range w.App.Router.Operations() {
			s := scenarioOf(op.ID)
			if op.Method == http.MethodGet || !strings.HasPrefix(op.ID, "organizations.servers.") || !strings.Contains(op.Path, "{server}") {
				continue
			}
			t.Run(op.ID, func(t *testing.T) {
				w := w
				if s.before != nil {
					w = World(t, dialect)
					s.before(w, w.mine)
				}
				w.late(t, op, s)
			})
		}
	})
}

// late sends a request, transfers its server while the request waits for it, and expects that the request does not find the server.
func (w *world) late(t *testing.T, op api.Operation, s scenario) {
	var body any
	if s.body != nil {
		body = s.body(w, 1)
	}
	at := s.at(w.mine)
	path := fill(t, op.Path, at)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	type result struct {
		Answer
		error
	}
	answered, waited := make(chan result, 1), false
	err := w.App.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := give(ctx, tx, number(at["server"]), w.otherOrg.ID); err != nil {
			return err
		}
		waiting := w.waiting(ctx, t)
		go func() {
			a, err := w.owner.Try(op.Method, path, body)
			answered <- result{a, err}
		}()
		for !waiting() && len(answered) == 0 && ctx.Err() == nil {
			runtime.Gosched()
		}
		waited = len(answered) == 0
		return ctx.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	a := <-answered
	if a.error != nil {
		t.Fatal(a.error)
	}
	refused := s.allowed >= 400 && a.Status == s.allowed // whatever became of the server
	if a.Status != http.StatusNotFound && !refused {
		t.Errorf("%s %s answered %d after the transfer, want 404: %s", op.Method, path, a.Status, a.Body)
	}
	if !waited && !refused {
		t.Error("the request did not wait for the server, which another transaction changes")
	}
	w.Tx(func(ctx context.Context, tx *db.Tx) error { return give(ctx, tx, number(at["server"]), w.org.ID) })
}

// give makes a server another organization's.
func give(ctx context.Context, tx *db.Tx, id, organization int64) error {
	if err := tx.HoldServer(ctx, id); err != nil {
		return err
	}
	for _, statement := range []string{"UPDATE servers SET organization_id = $1 WHERE id = $2", "UPDATE sites SET organization_id = $1 WHERE server_id = $2"} {
		if _, err := tx.SQL.ExecContext(ctx, statement, organization, id); err != nil {
			return err
		}
	}
	return nil
}

// waiting returns a function that reports whether a request waits for a transaction that writes.
func (w *world) waiting(ctx context.Context, t *testing.T) func() bool {
	waiters := w.waiters(ctx, t)
	return func() bool { return waiters() > 0 }
}

// waiters returns a function that counts the requests that wait for a transaction that writes. It must be called before they are sent.
func (w *world) waiters(ctx context.Context, t *testing.T) func() int64 {
	if w.App.DB.Dialect == db.SQLite {
		before := w.App.DB.SQLDB().Stats().WaitCount
		return func() int64 { return w.App.DB.SQLDB().Stats().WaitCount - before }
	}
	const waits = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
	return func() int64 {
		// The caller may be in a transaction: whoever looks on is another.
		counted := make(chan int64)
		go func() {
			n := int64(1)
			if err := w.App.DB.SQLDB().QueryRowContext(ctx, waits).Scan(&n); err != nil {
				t.Error(err)
			}
			counted <- n
		}()
		return <-counted
	}
}
