package schedule

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// settle is how long after its installation a job may be due without cron knowing of it yet: cron looks for changed files once a minute.
	settle = time.Minute
	// startWithin is how long after it is due a job must have started: clocks differ, and machines are busy.
	startWithin = 2 * time.Minute
	lookEvery   = time.Minute
	// lookAgain is when a server is asked again that did not answer.
	lookAgain = 10 * time.Minute
	askWithin = 20 * time.Second
	// cronUnit is the unit of cron in Debian and Ubuntu, and cronLines is how much of its journal is searched.
	cronUnit  = "cron.service"
	cronLines = 1000
	maxSaid   = 300
)

// Host tells what is on a server.
type Host interface {
	Log(ctx context.Context, t host.Target, q wire.LogQuery) (wire.LogPage, error)
	Units(ctx context.Context, t host.Target, names []string) ([]wire.UnitState, error)
}

// Looker finds out whether cron has started jobs that were due for the first time.
type Looker struct {
	DB      *db.DB
	Hosts   Host
	Targets job.Targets
}

// LookAtJobs looks at the jobs whose first due minute is over.
type LookAtJobs struct{}

// Kind names the job.
func (LookAtJobs) Kind() string { return "schedule.look" }

// Periodic returns how often that is. Servers are asked only about jobs that were due and are not known to have started.
func Periodic() job.Periodic { return job.Periodic{Every: lookEvery, Args: LookAtJobs{}} }

// firstLook returns when to look at a job that was installed; nil for one that has no times of its own.
func firstLook(row query.ScheduledJob, zone string, installed time.Time) *int64 {
	due, ok := dueAfter(row, zone, installed.Add(settle))
	if !ok {
		return nil
	}
	return new(due.Add(startWithin).UnixMicro())
}

// dueAfter returns when a job runs next after a time, by the clock of a zone; not ok for one that has no times of its own.
func dueAfter(row query.ScheduledJob, zone string, after time.Time) (time.Time, bool) {
	cron, err := value.ParseHostCron(row.Cron)
	if err != nil {
		return time.Time{}, false
	}
	at := time.UTC
	if z, err := value.ParseTimezone(zone); err == nil {
		at = z.Location()
	}
	due, err := cron.Next(after, at)
	return due, err == nil
}

// LookAtJobs asks servers about the jobs that should have started by now.
func (l *Looker) LookAtJobs(ctx context.Context, _ LookAtJobs) error {
	rows, err := l.DB.Read().Ungranted().ListJobsToLookAt(ctx, new(l.DB.Clock.Now().UnixMicro()))
	var failed []error
	for _, row := range rows {
		if ctx.Err() != nil {
			break
		}
		if err := l.look(ctx, row); err != nil { // does not keep the others from being looked at
			failed = append(failed, fmt.Errorf("look at scheduled job %d: %w", row.ID, err))
		}
	}
	return errors.Join(append(failed, err)...)
}

// look records whether cron has started a job.
func (l *Looker) look(ctx context.Context, row query.ScheduledJob) error {
	srv, err := l.DB.Read().Ungranted().GetServer(ctx, row.ServerID)
	if err != nil {
		return fmt.Errorf("read server %d: %w", row.ServerID, err)
	}
	now := l.DB.Clock.Now()
	due, ok := dueAfter(row, srv.Timezone, time.UnixMicro(row.UpdatedAt).Add(settle))
	if !ok {
		return l.record(ctx, row, nil, "")
	}
	if at := due.Add(startWithin); at.After(now) { // the server's time zone was changed
		return l.record(ctx, row, new(at.UnixMicro()), "")
	}
	target, err := l.Targets.Target(srv)
	if err != nil {
		return fmt.Errorf("find server %d: %w", srv.ID, err)
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	started, why, err := l.ask(ctx, target, row, due)
	switch {
	case host.Reason(err) != "" || errors.Is(err, context.DeadlineExceeded): // it is not known; a server that does not answer is reported elsewhere
		return l.record(context.WithoutCancel(ctx), row, new(now.Add(lookAgain).UnixMicro()), row.Unstarted)
	case err != nil:
		return err
	case started:
		return l.record(ctx, row, nil, "")
	}
	next, ok := dueAfter(row, srv.Timezone, now)
	if !ok {
		next = now.Add(lookAgain)
	}
	return l.record(ctx, row, new(next.Add(startWithin).UnixMicro()), why)
}

func (l *Looker) record(ctx context.Context, row query.ScheduledJob, again *int64, why string) error {
	return l.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.SetJobLook(ctx, row.ID, again, why); err != nil {
			return fmt.Errorf("record whether it has started: %w", err)
		}
		return nil
	})
}

// ask returns whether cron has started a job on its server, and otherwise why it has not.
func (l *Looker) ask(ctx context.Context, t host.Target, row query.ScheduledJob, due time.Time) (started bool, why string, err error) {
	page, err := l.Hosts.Log(ctx, t, wire.LogQuery{Files: &wire.LogFiles{Paths: []string{wire.JobStarted(row.ID)}}, Lines: 1})
	if err != nil || page.Path != "" {
		return page.Path != "", "", err
	}
	units, err := l.Hosts.Units(ctx, t, []string{cronUnit})
	if err != nil {
		return false, "", err
	}
	was := "It was due at " + due.UTC().Format("2006-01-02 15:04") + " UTC and has not started. "
	if len(units) == 0 || units[0].Active != "active" {
		return false, was + "The server's cron is not running: start its service cron.", nil
	}
	page, err = l.Hosts.Log(ctx, t, wire.LogQuery{Unit: cronUnit, Lines: cronLines, Search: "hostler-"})
	if err != nil {
		return false, "", err
	}
	return false, was + explain(row.ID, string(page.Content)), nil
}

// explain returns what the journal of cron says about a job.
func explain(id int64, journal string) string {
	n := strconv.FormatInt(id, 10)
	refused, ran := regexp.MustCompile(`hostler-job-`+n+`\b`), regexp.MustCompile(`CMD \(.*hostler-agent job `+n+`\)`)
	said := ""
	for line := range strings.Lines(journal) {
		switch {
		case ran.MatchString(line):
			said = "The server's cron has started Hostler's agent, which did not run it: look at the journal of cron and at the server's disk."
		case refused.MatchString(line):
			_, after, found := strings.Cut(line, "]: ") // behind the time and the program
			if !found {
				after = line
			}
			said = "The server's cron says: " + text.Clean(text.Line(after), maxSaid)
		}
	}
	if said == "" {
		return "The server's cron says nothing about it."
	}
	return said
}
