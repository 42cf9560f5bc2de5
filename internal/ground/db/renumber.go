package db

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pressly/goose/v3"
)

// ErrTooOld is returned for a database of a version that came before the first migration.
var ErrTooOld = errors.New("the database is older than the oldest that this version of Hostler can update; " +
	"start the version of 26 November 2026 with it once, then this one")

// formerTable is where versions were numbered until migration 1 became the schema of 26 November 2026. It is left in the database: on PostgreSQL, an update
// that goes back starts the program before, which looks there.
const formerTable = "goose_db_version"

const (
	// formerFirst is the former version whose schema migration 1 is, and formerCount how many there are up to it.
	formerFirst, formerCount = 403, 74
)

// formerLater are the numbers today of those that came after it.
var formerLater = map[int64]int64{
	430: 2, 450: 3, 451: 4, 470: 5, 471: 6, 480: 7, 481: 8, 482: 9, 487: 10, 488: 11, 490: 12, 491: 13, 492: 14, 495: 15, 496: 16,
}

// formerNames gives constraints of PostgreSQL the names that they have in a new database: their table or column was renamed.
var formerNames = []string{
	`ALTER TABLE shared_acme_accounts RENAME CONSTRAINT acme_accounts_pkey TO shared_acme_accounts_pkey`,
	`ALTER TABLE recipe_runs RENAME CONSTRAINT recipe_runs_own_recipe_id_fkey TO recipe_runs_recipe_id_fkey`,
}

// renumber takes over what a database of before has applied.
func (d *DB) renumber(ctx context.Context, provider *goose.Provider) error {
	former, err := d.formerVersions(ctx)
	if err != nil || former == nil {
		return err
	}
	first := slices.DeleteFunc(slices.Clone(former), func(v int64) bool { return v > formerFirst })
	if len(first) != formerCount {
		return ErrTooOld
	}
	applied := []int64{1}
	for _, was := range former {
		if now, later := formerLater[was]; later {
			applied = append(applied, now)
		}
	}
	if _, err := provider.GetDBVersion(ctx); err != nil { // makes the table
		return fmt.Errorf("read the schema's version: %w", err)
	}
	tx, err := d.writer(ctx).BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("number the migrations: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	if d.Dialect == PostgreSQL {
		for _, statement := range formerNames {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("name the constraints: %w", err)
			}
		}
	}
	for _, version := range applied {
		if _, err := tx.ExecContext(ctx, `INSERT INTO `+versions+` (version_id, is_applied) VALUES ($1, TRUE)`, version); err != nil {
			return fmt.Errorf("number the migrations: %w", err)
		}
	}
	return tx.Commit()
}

// formerVersions returns the numbers of a database that has only former ones, nil for others. It changes nothing.
func (d *DB) formerVersions(ctx context.Context) ([]int64, error) {
	for _, table := range []string{versions, formerTable} {
		there, err := d.hasTable(ctx, table)
		if err != nil {
			return nil, fmt.Errorf("read the schema's version: %w", err)
		}
		var applied []int64
		if there {
			applied, err = Column[int64](ctx, d.writer(ctx), `SELECT DISTINCT version_id FROM `+table+` WHERE version_id > 0 ORDER BY version_id`)
		}
		switch {
		case err != nil:
			return nil, fmt.Errorf("read the schema's version: %w", err)
		case table == formerTable && there:
			return applied, nil
		case len(applied) > 0: // without one, a start that was ended had made the table only
			return nil, nil
		}
	}
	return nil, nil
}

func (d *DB) hasTable(ctx context.Context, name string) (there bool, err error) {
	text := `SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = $1)`
	if d.Dialect == PostgreSQL {
		text = `SELECT to_regclass($1) IS NOT NULL`
	}
	err = d.writer(ctx).QueryRowContext(ctx, text, name).Scan(&there)
	return there, err
}
