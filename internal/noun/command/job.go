package command

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/task"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Task runs commands.
type Task struct{}

// Aspect returns it for the engine.
func (c *Task) Aspect() job.Aspect {
	return task.Kind[query.Command]{
		Load: task.Row((*query.Queries).GetCommand), Gone: "the site was deleted", Ready: c.ready, Steps: c.steps, Heard: c.heard, Write: c.write, Once: true,
	}.Aspect()
}

// ready says that variables which were requested before the command are not written yet.
func (c *Task) ready(ctx context.Context, q *query.Queries, op query.Operation, row query.Command) (string, error) {
	n, err := q.CountEnvironmentsBefore(ctx, &row.SiteID, op.ID)
	if err != nil {
		return "", fmt.Errorf("look for variables of site %d: %w", row.SiteID, err)
	}
	if n > 0 {
		return "Waiting until the site's environment is written.", nil
	}
	return "", nil
}

// steps returns the command as a script of its own.
func (c *Task) steps(ctx context.Context, q *query.Queries, srv query.Server, _ query.Operation, row query.Command) ([]job.Stage, error) {
	place, err := site.PlaceNow(ctx, q.Granted(), srv, row.SiteID)
	if err != nil {
		return nil, err
	}
	script, err := Script(srv, place, row.Command)
	if err != nil {
		return nil, job.Planned(err)
	}
	return []job.Stage{{Name: "command", Script: &script, Detach: true, Within: timeLimit}}, nil
}

// Script returns a command as a run on its host, in the directory of the site's application. It is pure.
func Script(srv query.Server, at site.Place, command string) (wire.Script, error) {
	base, err := at.Base()
	if err != nil {
		return wire.Script{}, err
	}
	live, err := at.Live()
	if err != nil {
		return wire.Script{}, err
	}
	home, err := at.Home()
	if err != nil {
		return wire.Script{}, err
	}
	row := at.Site
	s := wire.Script{User: row.UnixUser, Dir: home.String(), Content: text.Script("/bin/bash", command), Env: map[string]string{}}
	s.Tell(map[string]string{
		"SERVER_ID": strconv.FormatInt(srv.ID, 10),
		"SITE_ID":   strconv.FormatInt(row.ID, 10),
		"SITE_PATH": live.String(),
		"SITE_ROOT": base.String(),
		"SITE_USER": row.UnixUser,
	})
	s.Programs = at.Programs(srv)
	share := site.ShareOf(row)
	s.Slice, s.OpenFiles = share.Slice, share.OpenFiles
	return s, nil
}

// heard records the result of a command.
func (c *Task) heard(ctx context.Context, tx *db.Tx, _ query.Operation, row query.Command, r wire.Result) error {
	code := int64(r.ExitCode)
	exit, reason := &code, (*string)(nil)
	switch {
	case r.State == wire.StateSucceeded:
	case r.State == wire.StateFailed && r.ExitCode > 0:
		reason = &r.Reason
	default:
		exit, reason = nil, &r.Reason
	}
	return tx.NoteCommand(ctx, row.ID, exit, reason)
}

// shows is the status of a command.
var shows = task.Shows{job.Succeeded: statusFinished, job.Failed: statusFailed, job.TimedOut: statusTimeout}

func (c *Task) write(ctx context.Context, tx *db.Tx, _ query.Operation, row query.Command, at job.State) error {
	now := tx.Micros()
	switch at {
	case job.Queued:
		return tx.QueueCommand(ctx, row.ID, now)
	case job.Begun:
		return tx.BeginCommand(ctx, row.ID, now)
	}
	return tx.EndCommand(ctx, row.ID, shows.Of(at), &now)
}
