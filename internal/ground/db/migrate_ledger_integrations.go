package db

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/pressly/goose/v3"
)

// integrationBackfill is the migration that writes the ledger of the integrations that serve visitors. The others are enabled if
// they have a process, and lose their row.
var integrationBackfill = goose.NewGoMigration(309, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM integrations WHERE kind IN ('horizon', 'pulse', 'inertia')`); err != nil {
		return fmt.Errorf("drop rows of integrations: %w", err)
	}
	if err := backfillIntegrations(ctx, tx); err != nil {
		return fmt.Errorf("write the ledger of integrations: %w", err)
	}
	return nil
}}, nil)

// oldIntegration is a row of octane or reverb. The operation on it has the id of the site, and was accepted when the row was last written.
type oldIntegration struct {
	id, site, server, created, updated int64
	kind, settings                     string
}

func backfillIntegrations(ctx context.Context, tx *sql.Tx) error {
	rows, err := scan(ctx, tx, `SELECT i.id, i.site_id, s.server_id, i.created_at, i.updated_at, i.kind, i.settings FROM integrations i JOIN sites s ON s.id = i.site_id
		WHERE i.kind IN ('octane', 'reverb') ORDER BY i.id`, func(r *oldIntegration) []any {
		return []any{&r.id, &r.site, &r.server, &r.created, &r.updated, &r.kind, &r.settings}
	})
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := backfillIntegration(ctx, tx, r); err != nil {
			return fmt.Errorf("integration %d: %w", r.id, err)
		}
	}
	return nil
}

// backfillIntegration treats an integration as present on its host if its operation succeeded, or a later one on its site, which
// planned it as well. An open update counts as applied too, because the state that it replaces is unknown.
func backfillIntegration(ctx context.Context, tx *sql.Tx, r oldIntegration) error {
	spec := fmt.Sprintf(`{"site_id":%d,"kind":"%s"`, r.site, r.kind)
	if rest := r.settings[1:]; rest != "}" {
		spec += ","
	}
	spec += r.settings[1:]
	ops, err := pastOperations(ctx, tx, fmt.Sprintf(`resource_type = 'integrations' AND resource_id = %d AND created_at = %d`, r.site, r.updated))
	if err != nil {
		return err
	}
	if err := putWishes(ctx, tx, "integrations", r.id, ops, func(pastOperation) (*string, error) { return &spec, nil }); err != nil {
		return err
	}
	later, err := scan(ctx, tx, fmt.Sprintf(`SELECT id FROM operations WHERE aspect = 'web' AND state = 'succeeded' AND (site_id = %[1]d OR resource_type = 'sites' AND resource_id = %[1]d) AND updated_at > %[2]d
		ORDER BY id DESC LIMIT 1`, r.site, r.updated), func(id *int64) []any { return []any{id} })
	if err != nil {
		return err
	}
	h := read(ops, len(ops) == 0 || len(later) > 0 || r.updated != r.created)
	if h.by != nil || h.created {
		if h.by == nil && len(later) > 0 {
			h.by = &later[0]
		}
		return putApplied(ctx, tx, "integrations", r.id, r.server, h.by, spec)
	}
	if h.open != nil {
		return nil
	}
	_, err = tx.ExecContext(ctx, `UPDATE integrations SET status = 'failed' WHERE id = $1`, r.id)
	return err
}
