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
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Queue enqueues jobs in transactions and works them once started.
type Queue struct {
	db       *db.DB
	sqlite   *river.Client[*sql.Tx]
	wakes    *wakes // of sqlite
	postgres *river.Client[pgx.Tx]
	// resume makes the resource of a retried operation transitional; the engine sets it.
	resume func(ctx context.Context, tx *db.Tx, op query.Operation) error
}

// Workers are the kinds of jobs that this process works.
type Workers struct{ river *river.Workers }

// NewWorkers returns an empty set.
func NewWorkers() *Workers { return &Workers{river.NewWorkers()} }

// Args is the payload of a job; Kind is "noun.verb".
type Args = river.JobArgs

// Handle works jobs of one kind. The context ends when the process shuts down. Return Again to be called again later.
func Handle[A Args](w *Workers, work func(ctx context.Context, args A) error) {
	river.AddWorker(w.river, river.WorkFunc(func(ctx context.Context, j *river.Job[A]) error { return work(ctx, j.Args) }))
}

// Again makes a job run once more after d, without counting as a failure.
func Again(d time.Duration) error { return river.JobSnooze(d) }

// Periodic is a job that is inserted repeatedly by whichever process leads.
type Periodic struct {
	Every time.Duration
	Args  Args
}

// Config configures a Queue. Without Workers it only enqueues.
type Config struct {
	DB       *db.DB
	Log      *slog.Logger
	Workers  *Workers
	Periodic []Periodic
	// Parallel is how many jobs of a queue run at once, default 128: they mostly wait for hosts. For tasks, which wait longer, it
	// is eight times as many.
	Parallel int
}

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

// On SQLite a commit wakes the worker; the poll finds scheduled jobs.
const (
	sqlitePoll     = time.Second
	sqliteCooldown = time.Millisecond
	jobTimeout     = 15 * time.Minute
)

// NewQueue makes the queue; Start makes it work.
func NewQueue(c Config) (*Queue, error) {
	q := &Queue{db: c.DB}
	config := &river.Config{Logger: quiet(c.Log), JobTimeout: jobTimeout, RescueStuckJobsAfter: jobTimeout + time.Minute, MaxAttempts: 25}
	if c.Parallel == 0 {
		c.Parallel = 128
	}
	if c.Workers != nil {
		config.Workers = c.Workers.river
		config.Queues = map[string]river.QueueConfig{queueHosts: {MaxWorkers: c.Parallel}, queueTasks: {MaxWorkers: 8 * c.Parallel}, queueMessages: {MaxWorkers: c.Parallel}}
		for _, p := range c.Periodic {
			args := p.Args
			config.PeriodicJobs = append(config.PeriodicJobs, river.NewPeriodicJob(river.PeriodicInterval(p.Every),
				func() (river.JobArgs, *river.InsertOpts) {
					return args, &river.InsertOpts{Queue: queueOf(args), UniqueOpts: river.UniqueOpts{ByArgs: true, ByPeriod: p.Every}, MaxAttempts: 1}
				}, &river.PeriodicJobOpts{RunOnStart: true}))
		}
	}
	var err error
	if c.DB.Dialect == db.PostgreSQL {
		q.postgres, err = river.NewClient(riverpgxv5.New(c.DB.Pool()), config)
	} else {
		config.FetchPollInterval, config.FetchCooldown = sqlitePoll, sqliteCooldown
		if q.wakes, err = newWakes(context.Background(), c.DB.SQLDB()); err != nil {
			return nil, err
		}
		q.sqlite, err = river.NewClient(q.wakes, config)
	}
	if err != nil {
		return nil, fmt.Errorf("make the job queue: %w", err)
	}
	return q, nil
}

// Insert enqueues a job with the transaction.
func (q *Queue) Insert(ctx context.Context, tx *db.Tx, args Args) error {
	var err error
	opts := &river.InsertOpts{Queue: queueOf(args)}
	if q.postgres != nil {
		_, err = q.postgres.InsertTx(ctx, tx.PostgreSQL, args, opts)
	} else {
		_, err = q.sqlite.InsertTx(ctx, tx.SQLite, args, opts)
		tx.AfterCommit(func() { q.wakes.inserted(opts.Queue) })
	}
	if err != nil {
		return fmt.Errorf("enqueue %s: %w", args.Kind(), err)
	}
	return nil
}

// Start starts the work. On SQLite there is only one process, so that whatever a dead one was working on is released at once.
func (q *Queue) Start(ctx context.Context) error {
	if q.postgres != nil {
		return q.postgres.Start(ctx)
	}
	for _, free := range []string{
		`UPDATE river_job SET state = 'available', scheduled_at = datetime('now') WHERE state IN ('running', 'retryable')`,
		`UPDATE leases SET expires_at = 0`,
	} {
		if _, err := q.db.SQLDB().ExecContext(ctx, free); err != nil {
			return fmt.Errorf("free what the last process worked on: %w", err)
		}
	}
	return q.sqlite.Start(ctx)
}

// Stop ends the work. Jobs are stopped at once: what they wait for continues on its host, and the next process attaches to it.
func (q *Queue) Stop(ctx context.Context) error {
	if q.postgres != nil {
		return q.postgres.StopAndCancel(ctx)
	}
	return q.sqlite.StopAndCancel(ctx)
}

// quiet keeps River's informational messages out of the log; warnings stay.
func quiet(log *slog.Logger) *slog.Logger { return slog.New(levelled{log.Handler()}) }

type levelled struct{ slog.Handler }

func (l levelled) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && l.Handler.Enabled(ctx, level)
}
func (l levelled) WithAttrs(a []slog.Attr) slog.Handler { return levelled{l.Handler.WithAttrs(a)} }
func (l levelled) WithGroup(n string) slog.Handler      { return levelled{l.Handler.WithGroup(n)} }
