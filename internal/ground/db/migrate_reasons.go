package db

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/pressly/goose/v3"
)

// reasonElsewhere replaces a reason that may quote a tenant's data.
const reasonElsewhere = "What was said of it is in the output of its event."

// shortReasons is the migration that removes what earlier versions quoted in reasons: the last output lines of people's scripts,
// and messages of engines and programs about backups, restores and proofs. Anyone with access to view a server can read a reason.
var shortReasons = goose.NewGoMigration(281, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
	for _, statement := range []string{
		`UPDATE operations SET reason = $1 WHERE aspect LIKE 'backup%' AND state = 'failed' AND reason <> ''`,
		`UPDATE backups SET reason = $1 WHERE reason IS NOT NULL`,
		`UPDATE backups SET verify_reason = $1 WHERE verify_reason IS NOT NULL`,
		`UPDATE backup_items SET reason = $1 WHERE reason IS NOT NULL`,
		`UPDATE backup_restores SET reason = $1 WHERE reason IS NOT NULL`,
		`UPDATE backup_configurations SET verify_reason = $1 WHERE verify_reason IS NOT NULL`,
	} {
		if _, err := tx.ExecContext(ctx, statement, reasonElsewhere); err != nil {
			return fmt.Errorf("shorten reasons: %w", err)
		}
	}
	for table, where := range map[string][2]string{
		"operations":            {"reason", "prints AND state = 'failed' AND aspect NOT LIKE 'backup%'"},
		"backup_configurations": {"alarm", "alarm IS NOT NULL"},
	} {
		rows, err := each(ctx, tx, 2, "SELECT id, "+where[0]+" FROM "+table+" WHERE "+where[1]) //nolint:gosec // names of ours
		for _, row := range rows {
			if err == nil {
				_, err = tx.ExecContext(ctx, "UPDATE "+table+" SET "+where[0]+" = $1 WHERE id = "+row[0], firstSentence(row[1])) //nolint:gosec // names and ids of ours
			}
		}
		if err != nil {
			return fmt.Errorf("shorten reasons: %w", err)
		}
	}
	return nil
}}, nil)

// firstSentence returns the service's own words at the beginning of a reason, without the program output that followed.
func firstSentence(text string) string {
	own, _, quoted := strings.Cut(text, ". ")
	if quoted {
		return own + "."
	}
	return text
}
