package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/pressly/goose/v3"
)

// ledgerBackfill is the migration that writes the ledger from earlier rows and operations, and the names of the stages of open
// runs. The specifications have their shape of version 1.
var ledgerBackfill = goose.NewGoMigration(301, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
	if err := nameStages(ctx, tx); err != nil {
		return fmt.Errorf("name the stages of open runs: %w", err)
	}
	if err := backfillRules(ctx, tx); err != nil {
		return fmt.Errorf("write the ledger of firewall rules: %w", err)
	}
	return nil
}}, nil)

// nameStages takes the stage of an open run from the step of its operations, which names it while they run.
func nameStages(ctx context.Context, tx *sql.Tx) error {
	type run struct{ id, operations string }
	runs, err := scan(ctx, tx, `SELECT id, operations FROM runs WHERE state = 'running'`, func(r *run) []any { return []any{&r.id, &r.operations} })
	if err != nil {
		return err
	}
	for _, r := range runs {
		var ids []int64
		if err := json.Unmarshal([]byte(r.operations), &ids); err != nil {
			return fmt.Errorf("run %s: %w", r.id, err)
		}
		if len(ids) == 0 {
			continue
		}
		if _, err := tx.ExecContext(ctx, `UPDATE runs SET stage_name = COALESCE((SELECT step FROM operations WHERE id = $1), '') WHERE id = $2`,
			ids[0], r.id); err != nil {
			return err
		}
	}
	return nil
}

func backfillRules(ctx context.Context, tx *sql.Tx) error {
	type rule struct {
		id, server         int64
		name, kind, status string
		port, address      *string
		setup              *int64
	}
	rules, err := scan(ctx, tx, `SELECT f.id, f.server_id, f.name, f.type, f.status, f.port, f.ip_address, s.operation_id FROM firewall_rules f JOIN servers s ON s.id = f.server_id ORDER BY f.id`,
		func(r *rule) []any {
			return []any{&r.id, &r.server, &r.name, &r.kind, &r.status, &r.port, &r.address, &r.setup}
		})
	if err != nil {
		return err
	}
	for _, r := range rules {
		raw, err := json.Marshal(struct {
			Name      string  `json:"name"`
			Port      *string `json:"port,omitempty"`
			Type      string  `json:"type"`
			IPAddress *string `json:"ip_address,omitempty"`
		}{r.name, r.port, r.kind, r.address})
		if err != nil {
			return err
		}
		if err := backfillRule(ctx, tx, r.id, r.server, r.setup, r.status, string(raw)); err != nil {
			return fmt.Errorf("rule %d: %w", r.id, err)
		}
	}
	return nil
}

// backfillRule writes what is applied of a rule and what its operations asked for. A rule is on its host if the operation that
// created it succeeded, whatever its status says: a failed deletion set it to installed.
func backfillRule(ctx context.Context, tx *sql.Tx, id, server int64, setup *int64, status, spec string) error {
	ops, err := pastOperationsOn(ctx, tx, "rules", id)
	if err != nil {
		return err
	}
	created, open := status == "installed" || status == "removing", false
	by := setup
	for _, o := range ops {
		open = open || o.open()
		wished := &spec
		if o.action == "delete" {
			wished = nil
		} else {
			by, created = &o.id, o.succeeded()
		}
		if o.succeeded() {
			continue
		}
		if err := putWish(ctx, tx, &o.id, "rules", id, wished); err != nil {
			return err
		}
	}
	switch {
	case created:
		return putApplied(ctx, tx, "rules", id, server, by, spec)
	case len(ops) == 0: // a first rule of a server that is being set up
		return putWish(ctx, tx, setup, "rules", id, &spec)
	case !open:
		_, err = tx.ExecContext(ctx, `UPDATE firewall_rules SET status = 'failed' WHERE id = $1`, id)
	}
	return err
}
