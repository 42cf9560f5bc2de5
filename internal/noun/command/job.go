package command

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

var _ interface {
	job.Aspect
	job.Once
	job.Waiter
	job.Follower
} = (*Task)(nil)

// Task runs commands.
type Task struct{}

// Once marks commands as never run a second time automatically.
func (c *Task) Once() {}

// Waits says that variables which were requested before the command are not written yet.
func (c *Task) Waits(ctx context.Context, q *query.Queries, op query.Operation) (string, error) {
	if op.SiteID == nil {
		return "", nil
	}
	n, err := q.CountEnvironmentsBefore(ctx, op.SiteID, op.ID)
	if err != nil {
		return "", fmt.Errorf("look for variables of site %d: %w", *op.SiteID, err)
	}
	if n > 0 {
		return "Waiting until the site's environment is written.", nil
	}
	return "", nil
}

// Plan returns the command as a script of its own.
func (c *Task) Plan(ctx context.Context, q *query.Queries, srv query.Server, included []query.Operation) ([]job.Stage, error) {
	if len(included) == 0 {
		return nil, nil
	}
	cmd, err := q.GetCommand(ctx, included[0].ResourceID)
	if errors.Is(err, db.ErrNotFound) {
		return nil, job.Planned(errors.New("the site was deleted"))
	}
	if err != nil {
		return nil, fmt.Errorf("read command: %w", err)
	}
	place, err := site.PlaceNow(ctx, q.Granted(), srv, cmd.SiteID)
	if errors.Is(err, db.ErrNotFound) {
		return nil, job.Planned(errors.New("the site was deleted"))
	}
	if err != nil {
		return nil, err
	}
	script, err := Script(srv, place, cmd.Command)
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
	if php := at.PHP(srv); php != "" {
		s.Programs = map[string]string{"php": php}
	}
	return s, nil
}

// Begun records that a command runs.
func (c *Task) Begun(ctx context.Context, tx *db.Tx, op query.Operation) error {
	if err := tx.BeginCommand(ctx, op.ResourceID, tx.Micros()); err != nil {
		return fmt.Errorf("begin command %d: %w", op.ResourceID, err)
	}
	return nil
}

// Ended records the result of a command.
func (c *Task) Ended(ctx context.Context, tx *db.Tx, op query.Operation, r wire.Result) error {
	code := int64(r.ExitCode)
	exit, reason := &code, (*string)(nil)
	switch {
	case r.State == wire.StateSucceeded:
	case r.State == wire.StateFailed && r.ExitCode > 0:
		reason = &r.Reason
	default:
		exit, reason = nil, &r.Reason
	}
	if err := tx.NoteCommand(ctx, op.ResourceID, exit, reason); err != nil {
		return fmt.Errorf("note command %d: %w", op.ResourceID, err)
	}
	if r.State == wire.StateTimedOut {
		return c.end(ctx, tx, op, statusTimeout)
	}
	return nil
}

// Settle writes the result of a command.
func (c *Task) Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	if done {
		return c.end(ctx, tx, op, statusFinished)
	}
	row, err := tx.Ungranted().GetCommand(ctx, op.ResourceID)
	if errors.Is(err, db.ErrNotFound) || err == nil && row.Status == statusTimeout {
		return nil
	}
	if err != nil {
		return fmt.Errorf("settle command %d: %w", op.ResourceID, err)
	}
	return c.end(ctx, tx, op, statusFailed)
}

func (c *Task) end(ctx context.Context, tx *db.Tx, op query.Operation, status string) error {
	now := tx.Micros()
	if err := tx.EndCommand(ctx, op.ResourceID, status, &now); err != nil {
		return fmt.Errorf("end command %d: %w", op.ResourceID, err)
	}
	return nil
}

// Resume makes a command wait that a person asked to retry.
func (c *Task) Resume(ctx context.Context, tx *db.Tx, op query.Operation) error {
	if err := tx.QueueCommand(ctx, op.ResourceID, tx.Micros()); err != nil {
		return fmt.Errorf("resume command %d: %w", op.ResourceID, err)
	}
	return nil
}
