package job

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/tracing"
)

// Workers work the jobs of a queue in this process, once started.
type Workers struct {
	queue  *Queue
	kinds  *river.Workers
	config WorkersConfig

	sqlite   *river.Client[*sql.Tx]
	postgres *river.Client[pgx.Tx]

	// stopped are called once no job is worked any more.
	stopped []func(context.Context)

	looking sync.WaitGroup // for due jobs, on SQLite
	endLook context.CancelFunc
}

// WorkersConfig configures Workers.
type WorkersConfig struct {
	Log      *slog.Logger
	Periodic []Periodic
	// Parallel is how many jobs of a queue run at once, default 128: they mostly wait for hosts. For tasks, which wait longer, it
	// is eight times as many.
	Parallel int
	// Keep is how long ended jobs are kept, completed ones at most a day; zero for River's defaults.
	Keep time.Duration
	// Traces records attempts at jobs; nil for none.
	Traces *tracing.Provider
}

// NewWorkers returns workers that work no kind of job yet.
func NewWorkers(q *Queue, c WorkersConfig) *Workers {
	if c.Parallel == 0 {
		c.Parallel = 128
	}
	return &Workers{queue: q, kinds: river.NewWorkers(), config: c}
}

// Handle works jobs of one kind, each for at most a quarter of an hour. The context ends when the process shuts down. Return Again to be
// called again later.
func Handle[A Args](w *Workers, work func(ctx context.Context, args A) error) { HandleFor(w, 0, work) }

// HandleFor is Handle for work that may take as long as limit; zero is the time of Handle.
func HandleFor[A Args](w *Workers, limit time.Duration, work func(ctx context.Context, args A) error) {
	river.AddWorker(w.kinds, &worker[A]{limit: limit, work: func(ctx context.Context, j *river.Job[A]) error {
		if w.config.Traces == nil {
			return work(ctx, j.Args)
		}
		ctx, end := w.trace(ctx, j.JobRow)
		err := work(ctx, j.Args)
		end(err)
		return err
	}})
}

// worker works one kind of job. River doesn't rescue its jobs before their limit, whatever RescueStuckJobsAfter says.
type worker[A Args] struct {
	river.WorkerDefaults[A]
	limit time.Duration
	work  func(ctx context.Context, j *river.Job[A]) error
}

func (w *worker[A]) Timeout(*river.Job[A]) time.Duration             { return w.limit }
func (w *worker[A]) Work(ctx context.Context, j *river.Job[A]) error { return w.work(ctx, j) }

// trace starts the span of an attempt at a job.
func (w *Workers) trace(ctx context.Context, row *rivertype.JobRow) (context.Context, func(error)) {
	ctx, span := w.config.Traces.Job(ctx, row.Kind, row.Metadata, row.Attempt <= 1 && snoozes(row) == 0)
	span.SetAttributes(tracing.JobID.Int64(row.ID), tracing.JobAttempt.Int(row.Attempt+snoozes(row)))
	return ctx, func(err error) {
		if again := (*river.JobSnoozeError)(nil); errors.As(err, &again) {
			span.SetAttributes(tracing.JobAgain.Bool(true))
			err = nil
		}
		tracing.End(span, err)
	}
}

// snoozes returns how often a job was given back with Again: River counts that apart from its attempts.
func snoozes(row *rivertype.JobRow) int {
	var m struct {
		Snoozes int `json:"snoozes"`
	}
	_ = json.Unmarshal(row.Metadata, &m)
	return m.Snoozes
}

// Again makes a job run once more after d, without counting as a failure.
func Again(d time.Duration) error { return river.JobSnooze(d) }

// Periodic is a job that is inserted repeatedly by whichever process leads.
type Periodic struct {
	Every time.Duration
	Args  Args
}

// On SQLite a commit wakes the worker, and one look each second finds the jobs of all queues whose time has come: River's own poll is
// left for a wake that was lost.
const (
	sqlitePoll     = time.Minute
	sqliteCooldown = time.Millisecond
)

// completedFor is the longest that completed jobs are kept: their operations say all of what became of them.
const completedFor = 24 * time.Hour

// Start starts the work. On SQLite there is only one process, so that whatever a dead one was working on is released at once.
func (w *Workers) Start(ctx context.Context) error {
	config := riverConfig(w.config.Log)
	config.Workers = w.kinds
	config.Queues = map[string]river.QueueConfig{
		queueHosts: {MaxWorkers: w.config.Parallel}, queueTasks: {MaxWorkers: 8 * w.config.Parallel},
		queueMessages: {MaxWorkers: w.config.Parallel},
	}
	if keep := w.config.Keep; keep > 0 {
		config.CompletedJobRetentionPeriod = min(keep, completedFor)
		config.CancelledJobRetentionPeriod, config.DiscardedJobRetentionPeriod = keep, keep
	}
	for _, p := range w.config.Periodic {
		config.PeriodicJobs = append(config.PeriodicJobs, river.NewPeriodicJob(river.PeriodicInterval(p.Every),
			func() (river.JobArgs, *river.InsertOpts) {
				return p.Args, &river.InsertOpts{Queue: queueOf(p.Args), UniqueOpts: river.UniqueOpts{ByArgs: true, ByPeriod: p.Every}, MaxAttempts: 1}
			}, &river.PeriodicJobOpts{RunOnStart: true}))
	}
	d := w.queue.db
	if d.Dialect == db.PostgreSQL {
		return StartOnSlowDatabase(w.config.Log, func() (err error) {
			if w.postgres, err = river.NewClient(riverpgxv5.New(d.Pool()), config); err != nil {
				return fmt.Errorf("make the workers: %w", err)
			}
			return w.postgres.Start(ctx)
		})
	}
	config.FetchPollInterval, config.FetchCooldown = sqlitePoll, sqliteCooldown
	for _, free := range []string{
		`UPDATE river_job SET state = 'available', scheduled_at = datetime('now') WHERE state IN ('running', 'retryable')`,
		`UPDATE leases SET expires_at = 0`,
	} {
		if _, err := d.SQLDB().ExecContext(ctx, free); err != nil {
			return fmt.Errorf("free what the last process worked on: %w", err)
		}
	}
	if err := StartOnSlowDatabase(w.config.Log, func() (err error) {
		if w.sqlite, err = river.NewClient(w.queue.wakes, config); err != nil {
			return fmt.Errorf("make the workers: %w", err)
		}
		return w.sqlite.Start(ctx)
	}); err != nil {
		return err
	}
	ctx, w.endLook = context.WithCancel(ctx)
	w.looking.Go(func() { w.queue.wakes.look(ctx, w.config.Log, d) })
	return nil
}

// startAttempts is how often the workers are started while the database is too slow: River gives each queue ten seconds to begin.
const startAttempts = 12

// StartOnSlowDatabase calls start until it succeeds or fails for another reason than that the database did not answer in time. A database that is just
// recovering, or a machine that starts everything at once, delays the panel; it does not end it.
func StartOnSlowDatabase(log *slog.Logger, start func() error) error {
	for attempt := 1; ; attempt++ {
		err := start()
		if attempt == startAttempts || !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		log.Warn("the database is slow; the workers are started again", "attempt", attempt, "error", err)
	}
}

// Stop ends the work, as far as it was started. Jobs are stopped at once: what they wait for continues on its host, and the next process attaches to it.
func (w *Workers) Stop(ctx context.Context) error {
	err := w.stop(ctx)
	for _, f := range w.stopped {
		f(context.WithoutCancel(ctx))
	}
	return err
}

func (w *Workers) stop(ctx context.Context) error {
	if w.postgres != nil {
		return w.postgres.StopAndCancel(ctx)
	}
	if w.endLook != nil {
		w.endLook()
		w.looking.Wait()
	}
	if w.sqlite == nil {
		return nil
	}
	return w.sqlite.StopAndCancel(ctx)
}
