package job_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/dbtest"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// message is a job that is no work on a host.
type message struct{}

func (message) Kind() string { return "message.send" }

// again is a job that is to be called again at its first call.
type again struct{}

func (again) Kind() string { return "again.call" }

// A job that is to be called again soon is called then, although no commit tells of it.
func TestJobIsCalledAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.tx(func(ctx context.Context, tx *db.Tx) error { return b.queue.Insert(ctx, tx, again{}) })
	select {
	case <-b.messages:
	case <-time.After(30 * time.Second):
		t.Error("the job was not called again in 30 s")
	}
}

// Workers that could not start, as their database was gone, can be stopped like others.
func TestWorkersThatDidNotStart(t *testing.T) {
	t.Parallel()
	for name, databases := range map[string]func(t *testing.T) db.Config{
		"SQLite":     func(*testing.T) db.Config { return db.Config{} },
		"PostgreSQL": func(t *testing.T) db.Config { return db.Config{URL: dbtest.URL(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := databases(t)
			c.Dir, c.Clock = t.TempDir(), clock.System{}
			d, err := dbtest.Open(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			log := slog.New(slog.DiscardHandler)
			queue, err := job.NewQueue(d, log)
			if err != nil {
				t.Fatal(err)
			}
			w := job.NewWorkers(queue, job.WorkersConfig{Log: log, Parallel: 1})
			job.Handle(w, func(context.Context, message) error { return nil })
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if err := w.Start(t.Context()); err == nil {
				t.Error("workers start without a database")
			}
			if err := w.Stop(t.Context()); err != nil {
				t.Errorf("stop: %v", err)
			}
		})
	}
}

// A database that does not answer in time when the program starts is waited for; any other failure is reported at once.
func TestWorkersStartOnSlowDatabase(t *testing.T) {
	t.Parallel()
	log, broken := slog.New(slog.DiscardHandler), errors.New("no such table")
	slow := fmt.Errorf("the queue did not begin: %w", context.DeadlineExceeded)
	for name, c := range map[string]struct {
		answers []error
		calls   int
		want    error
	}{
		"quick":          {[]error{nil}, 1, nil},
		"slow twice":     {[]error{slow, slow, nil}, 3, nil},
		"broken":         {[]error{broken, nil}, 1, broken},
		"slow, broken":   {[]error{slow, broken, nil}, 2, broken},
		"never answered": {slices.Repeat([]error{slow}, 20), 12, context.DeadlineExceeded},
	} {
		calls := 0
		err := job.StartOnSlowDatabase(log, func() error { calls++; return c.answers[calls-1] })
		if !errors.Is(err, c.want) || calls != c.calls {
			t.Errorf("%s: %v after %d attempts, not %v after %d", name, err, calls, c.want, c.calls)
		}
	}
}

// Long work does not occupy the workers of other work: two hundred running backups delay neither a plan nor a message.
func TestLongWorkStopsNothingElse(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fleet.say(func(run wire.Run) (wire.Result, error) {
		if strings.HasPrefix(run.ID, "checked-") {
			return wire.Result{ID: run.ID, State: wire.StateRunning}, nil
		}
		return done(run)
	})
	const backups = 200
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		for i := range int64(backups) {
			if _, err := b.queue.Begin(ctx, tx, job.Work{
				Grant: b.grant, ServerID: b.server.ID, Ready: true, Aspect: job.Beside("checked", i+1), Resource: "things",
				ResourceID: i + 1,
				Action:     "create", Description: "back up", RanAs: "root", Within: time.Hour,
			}); err != nil {
				return err
			}
		}
		return nil
	})
	b.until("all backups go on", func() bool { return b.attempts() == backups })
	_, accepted := b.add(time.Minute, "80")
	b.wantEnd(accepted[0], job.StateSucceeded, "")
	b.tx(func(ctx context.Context, tx *db.Tx) error { return b.queue.Insert(ctx, tx, message{}) })
	select {
	case <-b.messages:
	case <-time.After(30 * time.Second):
		t.Error("a message was not sent in 30 s")
	}
}
