package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strconv"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/render"
	"github.com/hostlerhq/hostler/internal/site"
)

// Pings gives the address that a heartbeat is called at.
type Pings interface {
	Ping(ctx context.Context, q *query.Queries, id int64) (string, error)
}

// Converger makes servers have their jobs.
type Converger struct{ Pings Pings }

// Plan is one Change for the jobs that work is about; without any, for all of the server, which is how drift is found.
func (c *Converger) Plan(ctx context.Context, q *query.Queries, srv query.Server, w job.Pending) ([]job.Stage, error) {
	rows, err := q.ListScheduledJobs(ctx, srv.ID)
	if err != nil {
		return nil, fmt.Errorf("list scheduled jobs: %w", err)
	}
	var change wire.Change
	present := false
	for _, row := range rows {
		gone, is := wanted(row, w)
		if !is {
			continue
		}
		if gone {
			change.Steps = append(change.Steps, absent(row.ID)...)
			continue
		}
		steps, err := c.steps(ctx, q, srv, row)
		if err != nil {
			return nil, err
		}
		change.Steps, present = append(change.Steps, steps...), true
	}
	if len(change.Steps) == 0 {
		return nil, nil
	}
	if present {
		change.Steps = append([]wire.Step{
			{Name: "cron", Packages: &wire.Packages{Names: []string{"cron"}, Update: true}},
			{Name: "jobs", Dir: &wire.Dir{Path: wire.JobDirectory, Mode: 0o755}},
			{Name: "logs", Dir: &wire.Dir{Path: render.LogDirectory, Mode: 0o750, Group: "adm"}},
		}, change.Steps...)
	}
	return []job.Stage{{Name: "schedule", Change: change}}, nil
}

// wanted tells whether a job is to go, and whether the plan is about it at all.
func wanted(row query.ScheduledJob, w job.Pending) (gone, is bool) {
	if held, isHeld := w.Holds(resource, row.ID); isHeld {
		return false, held.Action == "delete" && len(w.Included) == 0
	}
	is = len(w.Included) == 0 && row.Status != statusFailed
	for _, op := range w.Included {
		is = is || op.ResourceType == resource && op.ResourceID == row.ID
	}
	return w.Deletes(resource, row.ID), is
}

func dirOf(id int64) string { return wire.JobDirectory + "/" + strconv.FormatInt(id, 10) }

// cronPath is a job's file of cron. Its name has no dot: cron passes over those that have one (cron(8)).
func cronPath(id int64) string { return "/etc/cron.d/hostler-job-" + strconv.FormatInt(id, 10) }

func absent(id int64) []wire.Step {
	name, dir := "scheduled job "+strconv.FormatInt(id, 10), dirOf(id)
	return []wire.Step{
		site.Absent(name, cronPath(id)), site.Absent(name, dir+"/"+wire.JobFile), site.Absent(name, dir+"/"+wire.JobCommand), site.Absent(name, wire.JobLog(id)),
		{Name: name, Link: &wire.Link{Path: dir + "/bin/php", Absent: true}}, {Name: name, Dir: &wire.Dir{Path: dir + "/bin", Absent: true}}, {Name: name, Dir: &wire.Dir{Path: dir, Absent: true}},
	}
}

func (c *Converger) steps(ctx context.Context, q *query.Queries, srv query.Server, row query.ScheduledJob) ([]wire.Step, error) {
	spec := wire.Job{User: row.UnixUser, Dir: "/home/" + row.UnixUser}
	if row.UnixUser == "root" {
		spec.Dir = "/root"
	}
	if row.SiteID != nil {
		if err := inSite(ctx, q, srv, *row.SiteID, &spec); err != nil {
			return nil, err
		}
	}
	if row.HeartbeatID != nil {
		var err error
		if spec.Ping, err = c.Pings.Ping(ctx, q, *row.HeartbeatID); err != nil {
			return nil, err
		}
	}
	return present(row, spec)
}

func inSite(ctx context.Context, q *query.Queries, srv query.Server, id int64, spec *wire.Job) error {
	s, err := q.GetSite(ctx, id)
	if err != nil {
		return fmt.Errorf("read site %d: %w", id, err)
	}
	base, err := site.Base(s)
	if err != nil {
		return job.Planned(err)
	}
	project, err := q.GetProject(ctx, s.ID)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return fmt.Errorf("read project of site %d: %w", s.ID, err)
	}
	if spec.Dir = base.String(); project.ZeroDowntime {
		spec.Dir += "/current"
	}
	if dotted := site.DottedPHP(srv, s); dotted != "" {
		spec.PHP = "/usr/bin/php" + dotted
	}
	return nil
}

// present makes a server have a job. What the user wrote stands in a script: the file of cron has nothing of it. It is pure.
func present(row query.ScheduledJob, spec wire.Job) ([]wire.Step, error) {
	raw, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("write scheduled job %d: %w", row.ID, err)
	}
	name, dir := "scheduled job "+nameOf(row), dirOf(row.ID)
	cron := fmt.Sprintf("# Written by Hostler; changes are overwritten.\n%s root %s job %d\n", row.Cron, wire.AgentLink, row.ID)
	return []wire.Step{
		{Name: name, Dir: &wire.Dir{Path: dir, Mode: 0o750, Group: row.UnixUser}},
		{Name: name, Dir: &wire.Dir{Path: dir + "/bin", Mode: 0o755}},
		{Name: name, Link: &wire.Link{Path: dir + "/bin/php", Target: spec.PHP, Absent: spec.PHP == ""}},
		{Name: name, File: &wire.File{Path: path.Join(dir, wire.JobCommand), Mode: 0o640, Group: row.UnixUser, Content: []byte("#!/bin/bash\n" + row.Command + "\n")}},
		{Name: name, File: &wire.File{Path: path.Join(dir, wire.JobFile), Mode: 0o600, Content: raw, Secret: spec.Ping != ""}},
		{Name: name, File: &wire.File{Path: cronPath(row.ID), Mode: 0o644, Content: []byte(cron), Keep: true}},
	}, nil
}

// Settle writes what is true now.
func (c *Converger) Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	status := statusInstalled
	switch {
	case op.Action == "delete" && done:
		if row, err := tx.GetScheduledJob(ctx, op.ServerID, op.ResourceID); err == nil && row.HeartbeatID != nil { // nobody calls it any more
			if _, err := tx.DeleteHeartbeat(ctx, *row.HeartbeatID); err != nil {
				return fmt.Errorf("delete heartbeat of scheduled job %d: %w", op.ResourceID, err)
			}
		}
		if _, err := tx.DeleteScheduledJob(ctx, op.ResourceID); err != nil {
			return fmt.Errorf("delete scheduled job %d: %w", op.ResourceID, err)
		}
		return nil
	case op.Action == "delete":
		var before was
		if json.Unmarshal([]byte(op.Request), &before) == nil && before.Status == statusFailed {
			status = statusFailed
		}
	case !done:
		status = statusFailed
	}
	return c.set(ctx, tx, op, status)
}

// Resume makes a job that is tried again transitional once more.
func (c *Converger) Resume(ctx context.Context, tx *db.Tx, op query.Operation) error {
	if op.Action == "delete" {
		return c.set(ctx, tx, op, statusRemoving)
	}
	return c.set(ctx, tx, op, statusInstalling)
}

func (c *Converger) set(ctx context.Context, tx *db.Tx, op query.Operation, status string) error {
	if err := tx.SetScheduledJobStatus(ctx, op.ResourceID, status, &op.ID, tx.Micros()); err != nil {
		return fmt.Errorf("set status of scheduled job %d: %w", op.ResourceID, err)
	}
	return nil
}

// Part takes the jobs of sites away with them.
type Part struct{}

// Steps are those of a site that is gone; of one that is there the jobs are an aspect of their own.
func (Part) Steps(ctx context.Context, q *query.Queries, d site.Desired, _ job.Pending) (first, late []wire.Step, err error) {
	if !d.Gone {
		return nil, nil, nil
	}
	rows, err := q.ListSiteScheduledJobs(ctx, &d.Site.ID)
	if err != nil {
		return nil, nil, fmt.Errorf("list scheduled jobs of site %d: %w", d.Site.ID, err)
	}
	for _, row := range rows {
		first = append(first, absent(row.ID)...)
	}
	return first, nil, nil
}

// Settle has nothing to write: the rows go with the site.
func (Part) Settle(context.Context, *db.Tx, query.Operation, bool) error { return nil }

// Resume has nothing to write either.
func (Part) Resume(context.Context, *db.Tx, query.Operation) error { return nil }
