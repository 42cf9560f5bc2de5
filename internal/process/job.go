package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/host"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/render"
	"github.com/hostlerhq/hostler/internal/site"
)

// change is the request of work: what the process was, to put it back, and what was asked for, to try it again.
type change struct {
	Before query.BackgroundProcess `json:"before"`
	After  query.BackgroundProcess `json:"after"`
}

// The verbs of work beside create, update and delete.
const (
	actionStart   = "start"
	actionStop    = "stop"
	actionRestart = "restart"
	actionEmpty   = "empty-log"
)

func stopTimeout(row query.BackgroundProcess) time.Duration {
	return time.Duration(row.Stopwaitsecs)*time.Second + 30*time.Second
}

// Hosts says how units are.
type Hosts interface {
	Units(ctx context.Context, t host.Target, names []string) ([]wire.UnitState, error)
}

// Targets says where a server is.
type Targets interface {
	Target(server query.Server) (host.Target, error)
}

// Converger makes servers have their processes.
type Converger struct {
	DB      *db.DB
	Hosts   Hosts
	Targets Targets
}

// Plan is a Change for each process that work is about; without any, for all of the server, which is how drift is found.
func (c *Converger) Plan(ctx context.Context, q *query.Queries, srv query.Server, w job.Pending) ([]job.Stage, error) {
	rows, err := q.ListBackgroundProcesses(ctx, srv.ID)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var stages []job.Stage
	for _, row := range rows {
		d, is, err := effective(row, w)
		if err != nil {
			return nil, err
		}
		if !is {
			continue
		}
		if err := d.locate(ctx, q, srv); err != nil {
			return nil, err
		}
		list, err := steps(d)
		if err != nil {
			return nil, job.Planned(err)
		}
		stage := job.Stage{Name: "process", Change: wire.Change{Steps: list}, Within: 2*time.Minute + stopTimeout(row)}
		if !d.gone {
			stage.After = func(ctx context.Context, srv query.Server) error { return c.settleDown(ctx, srv, d.row) }
		}
		stages = append(stages, stage)
	}
	return stages, nil
}

// effective is a process as the server should have it, and whether the plan is about it at all.
func effective(row query.BackgroundProcess, w job.Pending) (desired, bool, error) {
	d := desired{row: row, was: row.Processes}
	if held, is := w.Holds(resource, row.ID); is {
		if held.Action == "create" {
			return d, false, nil
		}
		was, err := read(held)
		d.row = was.Before
		return d, err == nil && len(w.Included) == 0, err
	}
	about := len(w.Included) == 0
	for _, op := range w.Included {
		if op.ResourceType != resource || op.ResourceID != row.ID {
			continue
		}
		about = true
		d.fresh = d.fresh || op.Action == "create"
		d.restart = d.restart || op.Action == actionRestart || op.Action == "update"
		d.empty = d.empty || op.Action == actionEmpty
		d.gone = d.gone || op.Action == "delete"
		if op.Action != "create" {
			was, err := read(op)
			if err != nil {
				return d, false, err
			}
			d.was = max(d.was, was.Before.Processes)
		}
	}
	if len(w.Included) == 0 && (row.Status == statusInstalling || row.Observed == "") {
		return d, false, nil // it could not be installed
	}
	return d, about, nil
}

func read(op query.Operation) (change, error) {
	var c change
	if err := json.Unmarshal([]byte(op.Request), &c); err != nil {
		return c, fmt.Errorf("read what process %d was: %w", op.ResourceID, err)
	}
	return c, nil
}

func (d *desired) locate(ctx context.Context, q *query.Queries, srv query.Server) error {
	var s *query.Site
	releases := false
	if d.row.SiteID != nil {
		row, err := q.GetSite(ctx, *d.row.SiteID)
		if err != nil {
			return fmt.Errorf("read site of process %d: %w", d.row.ID, err)
		}
		project, err := q.GetProject(ctx, row.ID)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return fmt.Errorf("read project of site %d: %w", row.ID, err)
		}
		s, releases = &row, project.ZeroDowntime
	}
	sites, err := q.ListServerSites(ctx, srv.ID)
	if err != nil {
		return fmt.Errorf("list sites: %w", err)
	}
	d.isolated = slices.ContainsFunc(sites, func(s query.Site) bool { return s.Isolated && s.UnixUser == d.row.UnixUser })
	d.home, d.php, err = place(srv, d.row, s, releases)
	return job.Planned(err)
}

// lookEvery is how often a process that was begun is looked at until it has run for as long as it should.
const lookEvery = 200 * time.Millisecond

// settleDown notes how a process is once it had its time to start.
func (c *Converger) settleDown(ctx context.Context, srv query.Server, row query.BackgroundProcess) error {
	until := time.Now().Add(time.Duration(min(row.Startsecs, 10)) * time.Second)
	for {
		seen, err := c.look(ctx, srv, row)
		if err != nil {
			return err
		}
		if seen[row.ID] != seenRunning || time.Now().After(until) {
			return c.note(ctx, seen)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookEvery):
		}
	}
}

// look asks a server how processes are.
func (c *Converger) look(ctx context.Context, srv query.Server, rows ...query.BackgroundProcess) (map[int64]string, error) {
	target, err := c.Targets.Target(srv)
	if err != nil {
		return nil, err
	}
	var names []string
	of := map[string]int64{}
	for _, row := range rows {
		for i := int64(1); i <= row.Processes; i++ {
			name := render.ProcessUnit(row.ID, fmt.Sprint(i))
			names, of[name] = append(names, name), row.ID
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	units, err := c.Hosts.Units(ctx, target, names)
	if err != nil {
		return nil, err
	}
	states := map[int64][]string{}
	for _, u := range units {
		if id, ok := of[u.Name]; ok {
			states[id] = append(states[id], stateOf(u))
		}
	}
	out := map[int64]string{}
	for _, row := range rows {
		out[row.ID] = worst(states[row.ID])
		if row.Stopped && out[row.ID] == seenExited {
			out[row.ID] = seenStopped
		}
	}
	return out, nil
}

// stateOf is a unit's state in the contract's words, which are those of supervisord (supervisord.org, "Process States").
func stateOf(u wire.UnitState) string {
	switch {
	case u.Active == "active" || u.Active == "deactivating" || u.Active == "reloading":
		return seenRunning
	case u.Active == "activating":
		return seenBackoff
	case u.Active == "failed":
		return seenFatal
	case u.Active == "inactive":
		return seenExited
	}
	return seenUnknown
}

// worst is the state of a process with several instances: what needs somebody's attention most.
func worst(states []string) string {
	for _, s := range []string{seenFatal, seenBackoff, seenUnknown, seenExited} {
		if slices.Contains(states, s) {
			return s
		}
	}
	if len(states) == 0 {
		return seenUnknown
	}
	return seenRunning
}

func (c *Converger) note(ctx context.Context, seen map[int64]string) error {
	return c.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		for id, state := range seen {
			if err := tx.ObserveBackgroundProcess(ctx, id, state); err != nil {
				return fmt.Errorf("note state of process %d: %w", id, err)
			}
		}
		return nil
	})
}

// Watch notes how the processes of a server are.
func (c *Converger) Watch(ctx context.Context, srv query.Server) error {
	rows, err := c.DB.Read().ListBackgroundProcesses(ctx, srv.ID)
	if err != nil {
		return fmt.Errorf("list processes: %w", err)
	}
	rows = slices.DeleteFunc(rows, func(r query.BackgroundProcess) bool { return r.Status != "" })
	if len(rows) == 0 {
		return nil
	}
	seen, err := c.look(ctx, srv, rows...)
	if err != nil {
		return err
	}
	changed := map[int64]string{}
	for _, row := range rows {
		if seen[row.ID] != row.Observed {
			changed[row.ID] = seen[row.ID]
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return c.note(ctx, changed)
}

// Settle writes what is true now.
func (c *Converger) Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	if op.Action == "delete" && done {
		if _, err := tx.DeleteBackgroundProcess(ctx, op.ResourceID); err != nil {
			return fmt.Errorf("delete process %d: %w", op.ResourceID, err)
		}
		return nil
	}
	if !done && op.Action == "create" {
		if err := tx.ObserveBackgroundProcess(ctx, op.ResourceID, ""); err != nil {
			return fmt.Errorf("note state of process %d: %w", op.ResourceID, err)
		}
	} else if !done {
		if err := c.putBack(ctx, tx, op); err != nil {
			return err
		}
	}
	if err := tx.SettleBackgroundProcess(ctx, op.ResourceID, &op.ID); err != nil { // unless newer work has begun: then its status stands
		return fmt.Errorf("settle process %d: %w", op.ResourceID, err)
	}
	return nil
}

// putBack makes the row what the server still has. Where newer work was asked for its wish stands, and what it would be put back to is this.
func (c *Converger) putBack(ctx context.Context, tx *db.Tx, op query.Operation) error {
	was, err := read(op)
	if err != nil {
		return err
	}
	next, err := tx.NextOperation(ctx, op.ResourceType, op.ResourceID, op.ID)
	if errors.Is(err, db.ErrNotFound) {
		return put(ctx, tx, was.Before)
	}
	if err != nil {
		return fmt.Errorf("put process %d back: %w", op.ResourceID, err)
	}
	asked, err := read(next)
	if err != nil {
		return err
	}
	asked.Before = was.Before
	raw, err := json.Marshal(asked)
	if err != nil {
		return fmt.Errorf("put process %d back: %w", op.ResourceID, err)
	}
	return tx.SetOperationRequest(ctx, next.ID, string(raw))
}

// Resume makes a process that is tried again transitional once more.
func (c *Converger) Resume(ctx context.Context, tx *db.Tx, op query.Operation) error {
	status := map[string]string{"create": statusInstalling, "delete": statusRemoving, actionStart: statusStarting, actionStop: statusStopping}[op.Action]
	if status == "" {
		status = statusRestarting
	}
	if op.Action != "create" && op.Action != "delete" {
		asked, err := read(op)
		if err != nil {
			return err
		}
		if err := put(ctx, tx, asked.After); err != nil {
			return err
		}
	}
	if err := tx.SetBackgroundProcessWork(ctx, op.ResourceID, status, &op.ID, tx.Micros()); err != nil {
		return fmt.Errorf("note work on process %d: %w", op.ResourceID, err)
	}
	return nil
}

// Part takes the processes of sites away with them.
type Part struct{}

// Steps are those of a site that is gone; of one that is there the processes are an aspect of their own.
func (Part) Steps(ctx context.Context, q *query.Queries, d site.Desired, _ job.Pending) (first, late []wire.Step, err error) {
	if !d.Gone {
		return nil, nil, nil
	}
	rows, err := q.ListSiteBackgroundProcesses(ctx, &d.Site.ID)
	if err != nil {
		return nil, nil, fmt.Errorf("list processes of site %d: %w", d.Site.ID, err)
	}
	for _, row := range rows {
		list, err := steps(desired{row: row, was: row.Processes, gone: true})
		if err != nil {
			return nil, nil, job.Planned(err)
		}
		first = append(first, list...)
	}
	return first, nil, nil
}

// Settle has nothing to write: the rows go with the site.
func (Part) Settle(context.Context, *db.Tx, query.Operation, bool) error { return nil }

// Resume has nothing to write either.
func (Part) Resume(context.Context, *db.Tx, query.Operation) error { return nil }
