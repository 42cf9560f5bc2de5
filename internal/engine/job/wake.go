package job

import (
	"context"
	"database/sql"
	"log/slog"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riversqlite"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// wakes is River's driver for SQLite, with in-process notifications. One process owns the database, so a commit can wake its
// worker directly: River's own listener polls a table every 50 ms, which constantly uses several percent of a core.
type wakes struct {
	*riversqlite.Driver
	sent chan *riverdriver.Notification
}

// pendingWakes is how many notifications may wait for River; more are dropped, since one wakes a queue for all of its jobs.
const pendingWakes = 256

// dueQueues lists the queues with a job to work.
const dueQueues = `SELECT DISTINCT queue FROM river_job WHERE state = 'available' AND priority >= 0 AND scheduled_at <= datetime('now', 'subsec')`

// dueEvery is how often a process looks for jobs that no commit announced: those scheduled for later.
const dueEvery = time.Second

func newWakes(d *sql.DB) *wakes {
	return &wakes{Driver: riversqlite.New(d), sent: make(chan *riverdriver.Notification, pendingWakes)}
}

// look wakes the queues with due jobs until ctx ends. River would poll each queue with a statement that it prepares each time.
func (w *wakes) look(ctx context.Context, log *slog.Logger, d *db.DB) {
	tick := time.NewTicker(dueEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		due, err := db.Column[string](ctx, d.Reader(), dueQueues)
		if err != nil && ctx.Err() == nil {
			log.ErrorContext(ctx, "looking for due jobs failed", "error", err)
		}
		for _, queue := range due {
			w.inserted(queue)
		}
	}
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
