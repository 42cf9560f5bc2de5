package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/pressly/goose/v3"
)

// processBackfill is the migration that writes the ledger of scheduled jobs. The shapes of specifications stand here as they were in version 1.
var processBackfill = goose.NewGoMigration(308, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
	if err := backfillJobs(ctx, tx); err != nil {
		return fmt.Errorf("write the ledger of scheduled jobs: %w", err)
	}
	return nil
}}, nil)

// earlier is an operation from before its resource was in the ledger.
type earlier struct {
	id                     int64
	action, state, request string
}

func (o earlier) open() bool { return o.state == "pending" || o.state == "running" }

// earlierOn lists the operations on a resource, the oldest first.
func earlierOn(ctx context.Context, tx *sql.Tx, kind string, id int64) ([]earlier, error) {
	return scan(ctx, tx, fmt.Sprintf(`SELECT id, action, state, request FROM operations WHERE resource_type = '%s' AND resource_id = %d ORDER BY id`, kind, id),
		func(o *earlier) []any { return []any{&o.id, &o.action, &o.state, &o.request} })
}

// history is what the operations on a resource made of it.
type history struct {
	// created reports whether its creation succeeded; by is the newest operation that succeeded.
	created bool
	by      *int64
	// open is the newest operation that has not ended, first the oldest.
	open, first *earlier
}

// read goes through the operations. had says whether the resource is on its host where the operation that created it is not known any more.
func read(ops []earlier, had bool) history {
	h := history{created: had}
	for i, o := range ops {
		if o.action == "create" {
			h.created = o.state == "succeeded"
		}
		if o.state == "succeeded" {
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
func putWishes(ctx context.Context, tx *sql.Tx, kind string, id int64, ops []earlier, spec func(earlier) (*string, error)) error {
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

// backfillJobs takes a job as being on its host when its creation succeeded, whatever its status says: a deletion that failed made it say installed.
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
		ops, err := earlierOn(ctx, tx, "scheduledJobs", r.id)
		if err != nil {
			return err
		}
		h := read(ops, r.status == "installed" || r.status == "removing")
		if err := putWishes(ctx, tx, "scheduledJobs", r.id, ops, func(earlier) (*string, error) { return &spec, nil }); err != nil {
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
