// Package job is durable work: an operation, its event and its job are written in one transaction, and the job makes a host match
// the rows. River carries the jobs on both databases.
package job

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/tracing"
)

// Queue enqueues jobs in transactions. Workers work them.
type Queue struct {
	db       *db.DB
	sqlite   *river.Client[*sql.Tx]
	wakes    *wakes // of sqlite
	postgres *river.Client[pgx.Tx]
}

// Args is the payload of a job; Kind is "noun.verb".
type Args = river.JobArgs

// Each kind of work has its own queue, so that none of them occupies the workers of another.
const (
	// queueHosts is for plans of servers, which are quick.
	queueHosts = river.QueueDefault
	// queueTasks is for work in parallel to a server's plans that may take hours: backups, deployments, certificate orders.
	queueTasks = "tasks"
	// queueMessages is for work that is not on a host: webhooks, notifications, mail, and their housekeeping.
	queueMessages = "messages"
)

// queueOf returns the queue of a job.
func queueOf(args Args) string {
	c, ok := args.(Converge)
	switch {
	case !ok:
		return queueMessages
	case isBeside(c.Aspect):
		return queueTasks
	default:
		return queueHosts
	}
}

const jobTimeout = 15 * time.Minute

// NewQueue makes the queue of a database.
func NewQueue(d *db.DB, log *slog.Logger) (*Queue, error) {
	q := &Queue{db: d}
	config := riverConfig(log)
	var err error
	if d.Dialect == db.PostgreSQL {
		q.postgres, err = river.NewClient(riverpgxv5.New(d.Pool()), config)
	} else {
		config.ReindexerIndexNames = []string{} // those of PostgreSQL; an index of SQLite does not grow from updates
		q.wakes = newWakes(d.SQLDB())
		q.sqlite, err = river.NewClient(q.wakes, config)
	}
	if err != nil {
		return nil, fmt.Errorf("make the job queue: %w", err)
	}
	return q, nil
}

func riverConfig(log *slog.Logger) *river.Config {
	return &river.Config{Logger: quiet(log), JobTimeout: jobTimeout, RescueStuckJobsAfter: jobTimeout + time.Minute, MaxAttempts: 25}
}

// Insert enqueues a job with the transaction.
func (q *Queue) Insert(ctx context.Context, tx *db.Tx, args Args) error {
	var err error
	opts := &river.InsertOpts{Queue: queueOf(args), Metadata: tracing.Metadata(ctx)}
	if q.postgres != nil {
		err = tx.PostgreSQL(func(t pgx.Tx) error {
			_, err := q.postgres.InsertTx(ctx, t, args, opts)
			return err
		})
	} else {
		_, err = q.sqlite.InsertTx(ctx, tx.SQLite, args, opts)
		tx.AfterCommit(func() { q.wakes.inserted(opts.Queue) })
	}
	if err != nil {
		return fmt.Errorf("enqueue %s: %w", args.Kind(), err)
	}
	return nil
}

// quiet keeps River's informational messages out of the log; warnings stay.
func quiet(log *slog.Logger) *slog.Logger { return slog.New(levelled{log.Handler()}) }

type levelled struct{ slog.Handler }

func (l levelled) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && l.Handler.Enabled(ctx, level)
}
func (l levelled) WithAttrs(a []slog.Attr) slog.Handler { return levelled{l.Handler.WithAttrs(a)} }
func (l levelled) WithGroup(n string) slog.Handler      { return levelled{l.Handler.WithGroup(n)} }
