package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/pressly/goose/v3"
)

// processBackfill is the migration that writes the ledger of scheduled jobs and background processes. The specifications have
// their shape of version 1.
var processBackfill = goose.NewGoMigration(308, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
	if err := backfillJobs(ctx, tx); err != nil {
		return fmt.Errorf("write the ledger of scheduled jobs: %w", err)
	}
	if err := backfillProcesses(ctx, tx); err != nil {
		return fmt.Errorf("write the ledger of background processes: %w", err)
	}
	return nil
}}, nil)

// history is what the operations on a resource made of it.
type history struct {
	// created is set if its creation succeeded; by is the newest operation that succeeded.
	created bool
	by      *int64
	// open is the newest operation that has not ended, first the oldest.
	open, first *pastOperation
}

// read goes through the operations. had says whether the resource is on its host where the operation that created it is not known any more.
func read(ops []pastOperation, had bool) history {
	h := history{created: had}
	for i, o := range ops {
		if o.action == "create" {
			h.created = o.succeeded()
		}
		if o.succeeded() {
			h.by = &ops[i].id
		}
		if o.open() {
			if h.open = &ops[i]; h.first == nil {
				h.first = &ops[i]
			}
		}
	}
	return h
}

// putWishes writes what each of the operations asked for; the ones that succeeded keep older ones from being tried again.
func putWishes(ctx context.Context, tx *sql.Tx, kind string, id int64, ops []pastOperation, spec func(pastOperation) (*string, error)) error {
	for _, o := range ops {
		var wished *string
		if o.action != "delete" {
			var err error
			if wished, err = spec(o); err != nil {
				return err
			}
		}
		if err := putWish(ctx, tx, &o.id, kind, id, wished); err != nil {
			return err
		}
	}
	return nil
}

// backfillJobs treats a job as present on its host if its creation succeeded, whatever its status says: a failed deletion set it to installed.
func backfillJobs(ctx context.Context, tx *sql.Tx) error {
	type specification struct {
		Name        *string `json:"name,omitempty"`
		Command     string  `json:"command"`
		User        string  `json:"user"`
		Frequency   string  `json:"frequency"`
		Cron        string  `json:"cron"`
		SiteID      *int64  `json:"site_id,omitempty"`
		HeartbeatID *int64  `json:"heartbeat_id,omitempty"`
		Integration string  `json:"integration,omitempty"`
	}
	type row struct {
		id, server int64
		status     string
		s          specification
	}
	rows, err := scan(ctx, tx, `SELECT id, server_id, status, name, command, unix_user, frequency, cron, site_id, heartbeat_id, integration FROM scheduled_jobs ORDER BY id`, func(r *row) []any {
		return []any{&r.id, &r.server, &r.status, &r.s.Name, &r.s.Command, &r.s.User, &r.s.Frequency, &r.s.Cron, &r.s.SiteID, &r.s.HeartbeatID, &r.s.Integration}
	})
	if err != nil {
		return err
	}
	for _, r := range rows {
		raw, err := json.Marshal(r.s)
		if err != nil {
			return err
		}
		spec := string(raw)
		ops, err := pastOperationsOn(ctx, tx, "scheduledJobs", r.id)
		if err != nil {
			return err
		}
		h := read(ops, r.status == "installed" || r.status == "removing")
		if err := putWishes(ctx, tx, "scheduledJobs", r.id, ops, func(pastOperation) (*string, error) { return &spec, nil }); err != nil {
			return err
		}
		status := "failed"
		if h.created {
			status = "installed"
			if err := putApplied(ctx, tx, "scheduledJobs", r.id, r.server, h.by, spec); err != nil {
				return err
			}
		}
		if h.open != nil {
			if status = "installing"; h.open.action == "delete" {
				status = "removing"
			}
		}
		if _, err := tx.ExecContext(ctx, `UPDATE scheduled_jobs SET status = $1 WHERE id = $2`, status, r.id); err != nil {
			return err
		}
	}
	return nil
}

// processV1 is version 1 of the specification of a process. The columns are those of the table, whose rows were in requests under their Go names.
type processV1 struct {
	Name         string  `json:"name"`
	Command      string  `json:"command"`
	User         string  `json:"user"`
	SiteID       *int64  `json:"site_id,omitempty"`
	Directory    *string `json:"directory,omitempty"`
	Processes    int64   `json:"processes"`
	Startsecs    int64   `json:"startsecs"`
	Stopwaitsecs int64   `json:"stopwaitsecs"`
	Stopsignal   string  `json:"stopsignal"`
	Stopped      bool    `json:"stopped,omitempty"`
	Restarts     int64   `json:"restarted_at,omitempty"`
	Emptied      int64   `json:"emptied_at,omitempty"`
	Integration  string  `json:"integration,omitempty"`
}

// oldProcess is a process in a request.
type oldProcess struct {
	Integration, Name, Command, UnixUser, Stopsignal string
	SiteID                                           *int64
	Directory                                        *string
	Processes, Startsecs, Stopwaitsecs               int64
	Stopped                                          bool
}

// text is the specification of a process after a number of restarts, and of times that its log was emptied. It is the row's where a request has none.
func (o *oldProcess) text(row processV1, restarts, emptied int64) (*string, error) {
	s := row
	if o != nil && o.Name != "" {
		s = processV1{
			Name: o.Name, Command: o.Command, User: o.UnixUser, SiteID: o.SiteID, Directory: o.Directory, Processes: o.Processes, Startsecs: o.Startsecs, Stopwaitsecs: o.Stopwaitsecs,
			Stopsignal: o.Stopsignal, Stopped: o.Stopped, Integration: o.Integration,
		}
	}
	s.Restarts, s.Emptied = restarts, emptied
	raw, err := json.Marshal(s)
	text := string(raw)
	return &text, err
}

// backfillProcesses takes the state that the oldest open operation found as the server's, else the row: it was restored when work failed.
func backfillProcesses(ctx context.Context, tx *sql.Tx) error {
	type row struct {
		id, server int64
		observed   string
		s          processV1
	}
	rows, err := scan(ctx, tx, `SELECT id, server_id, observed, name, command, unix_user, site_id, directory, processes, startsecs, stopwaitsecs, stopsignal, stopped, integration FROM background_processes ORDER BY id`,
		func(r *row) []any {
			return []any{
				&r.id, &r.server, &r.observed, &r.s.Name, &r.s.Command, &r.s.User, &r.s.SiteID, &r.s.Directory, &r.s.Processes,
				&r.s.Startsecs, &r.s.Stopwaitsecs, &r.s.Stopsignal, &r.s.Stopped, &r.s.Integration,
			}
		})
	if err != nil {
		return err
	}
	for _, r := range rows {
		ops, err := pastOperationsOn(ctx, tx, "backgroundProcesses", r.id)
		if err == nil {
			err = backfillProcess(ctx, tx, r.id, r.server, r.s, ops, read(ops, r.observed != ""))
		}
		if err != nil {
			return fmt.Errorf("process %d: %w", r.id, err)
		}
	}
	return nil
}

func backfillProcess(ctx context.Context, tx *sql.Tx, id, server int64, s processV1, ops []pastOperation, h history) error {
	type change struct{ Before, After *oldProcess }
	var restarts, emptied, applied, cleared int64 // those of the operation at hand, and of the newest that succeeded
	err := putWishes(ctx, tx, "backgroundProcesses", id, ops, func(o pastOperation) (*string, error) {
		switch o.action {
		case "update", "restart":
			restarts++
		case "empty-log":
			emptied++
		}
		if o.succeeded() {
			applied, cleared = restarts, emptied
		}
		var c change
		_ = o.decode(&c) // without one, the row says what was asked for
		return c.After.text(s, restarts, emptied)
	})
	if err != nil {
		return err
	}
	status := "fatal"
	if h.created {
		var c change
		if status = ""; h.first != nil {
			_ = h.first.decode(&c)
		}
		spec, err := c.Before.text(s, applied, cleared)
		if err != nil {
			return err
		}
		if err := putApplied(ctx, tx, "backgroundProcesses", id, server, h.by, *spec); err != nil {
			return err
		}
	}
	if h.open != nil {
		status = map[string]string{
			"create": "installing", "delete": "removing", "start": "starting", "stop": "stopping", "restart": "restarting",
			"update": "restarting",
		}[h.open.action]
	}
	_, err = tx.ExecContext(ctx,
		`UPDATE background_processes SET status = $1, observed = CASE WHEN observed = '' THEN 'unknown' ELSE observed END WHERE id = $2`, status, id)
	return err
}
