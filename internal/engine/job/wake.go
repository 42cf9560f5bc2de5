package job

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riversqlite"
)

// wakes is River's driver for SQLite, with in-process notifications. One process owns the database, so a commit can wake its
// worker directly: River's own listener polls a table every 50 ms, which constantly uses several percent of a core.
type wakes struct {
	*riversqlite.Driver
	sent chan *riverdriver.Notification
	due  *sql.Stmt
}

// pendingWakes is how many notifications may wait for River; more are dropped, since one wakes a queue for all of its jobs.
const pendingWakes = 256

// isDue reports whether a queue has a job to work. River prepares its statement for taking jobs each time, which is most of what
// a poll costs.
const isDue = `SELECT EXISTS (SELECT 1 FROM river_job WHERE state = 'available' AND queue = $1 AND priority >= 0 AND scheduled_at <= datetime('now', 'subsec'))`

func newWakes(ctx context.Context, db *sql.DB) (*wakes, error) {
	due, err := db.PrepareContext(ctx, isDue)
	if err != nil {
		return nil, fmt.Errorf("prepare the poll of a queue: %w", err)
	}
	return &wakes{Driver: riversqlite.New(db), sent: make(chan *riverdriver.Notification, pendingWakes), due: due}, nil
}

func (w *wakes) send(topic string, payloads ...string) {
	for _, p := range payloads {
		select {
		case w.sent <- &riverdriver.Notification{Topic: topic, Payload: p}:
		default:
		}
	}
}

// inserted wakes the worker of a queue.
func (w *wakes) inserted(queue string) { w.send("river_insert", `{"queue":"`+queue+`"}`) }

// GetListener returns River's listener.
func (w *wakes) GetListener(*riverdriver.GetListenenerParams) riverdriver.Listener {
	return listener{w}
}

// GetExecutor returns River's executor outside of our transactions.
func (w *wakes) GetExecutor() riverdriver.Executor {
	return executor{w.Driver.GetExecutor(), w}
}

// UnwrapExecutor returns River's executor in one of our transactions. Its notifications are dropped: they would come before the
// commit, and Queue.Insert sends one after it.
func (w *wakes) UnwrapExecutor(tx *sql.Tx) riverdriver.ExecutorTx {
	return &executorTx{ExecutorTx: w.Driver.UnwrapExecutor(tx), wakes: w}
}

// UnwrapTx returns the transaction of an executor.
func (w *wakes) UnwrapTx(tx riverdriver.ExecutorTx) *sql.Tx {
	if t, ok := tx.(*executorTx); ok {
		tx = t.ExecutorTx
	}
	return w.Driver.UnwrapTx(tx)
}

type executor struct {
	riverdriver.Executor
	wakes *wakes
}

// NotifyMany sends at once.
func (e executor) NotifyMany(_ context.Context, p *riverdriver.NotifyManyParams) error {
	e.wakes.send(p.Topic, p.Payload...)
	return nil
}

// JobGetAvailable takes jobs of a queue, if one is due.
func (e executor) JobGetAvailable(ctx context.Context, p *riverdriver.JobGetAvailableParams) (*riverdriver.JobGetAvailableResult, error) {
	if p.Now == nil {
		var due bool
		if err := e.wakes.due.QueryRowContext(ctx, p.Queue).Scan(&due); err != nil || !due {
			return &riverdriver.JobGetAvailableResult{}, err
		}
	}
	return e.Executor.JobGetAvailable(ctx, p)
}

// Begin begins a transaction of River's own.
func (e executor) Begin(ctx context.Context) (riverdriver.ExecutorTx, error) {
	tx, err := e.Executor.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return &executorTx{ExecutorTx: tx, wakes: e.wakes}, nil
}

type executorTx struct {
	riverdriver.ExecutorTx
	wakes *wakes
	outer *executorTx // nil for the outermost
	later []*riverdriver.NotifyManyParams
}

// NotifyMany sends once the outermost transaction is committed.
func (t *executorTx) NotifyMany(_ context.Context, p *riverdriver.NotifyManyParams) error {
	t.later = append(t.later, p)
	return nil
}

// Begin begins a savepoint.
func (t *executorTx) Begin(ctx context.Context) (riverdriver.ExecutorTx, error) {
	tx, err := t.ExecutorTx.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return &executorTx{ExecutorTx: tx, wakes: t.wakes, outer: t}, nil
}

// Commit commits, and sends the waiting notifications.
func (t *executorTx) Commit(ctx context.Context) error {
	if err := t.ExecutorTx.Commit(ctx); err != nil {
		return err
	}
	if t.outer != nil {
		t.outer.later = append(t.outer.later, t.later...)
		return nil
	}
	for _, p := range t.later {
		t.wakes.send(p.Topic, p.Payload...)
	}
	return nil
}

// listener is a riverdriver.Listener on the channel. River listens to every topic, and drops those it did not subscribe to.
type listener struct{ wakes *wakes }

func (listener) Connect(context.Context) error          { return nil }
func (listener) Close(context.Context) error            { return nil }
func (listener) Listen(context.Context, string) error   { return nil }
func (listener) Unlisten(context.Context, string) error { return nil }
func (listener) Ping(context.Context) error             { return nil }
func (listener) Schema() string                         { return "" }
func (listener) SetAfterConnectExec(string)             {}

// WaitForNotification blocks until something was sent.
func (l listener) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	select {
	case n := <-l.wakes.sent:
		return n, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
