package db

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/pressly/goose/v3"

	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// SettingMasterKeys lists the keys that values of the database may be sealed with, by id and fingerprint. Earlier versions kept SettingKeyFile, a
// digest of the whole key file.
const (
	SettingMasterKeys = "master_keys"
	SettingKeyFile    = "master_key_fingerprint"
)

// keyNames is the migration that names the key of the database itself in place of its file. Until then a key file held one key.
func keyNames(box *secret.Box) *goose.Migration {
	return goose.NewGoMigration(355, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
		rows, err := each(ctx, tx, 1, `SELECT value FROM settings WHERE name = $1`, SettingKeyFile)
		if err != nil || len(rows) == 0 {
			return err
		}
		if box == nil {
			return errNoBox
		}
		if _, err := tx.ExecContext(ctx, `UPDATE settings SET name = $1, value = $2 WHERE name = $3`, SettingMasterKeys, box.Primary().String(),
			SettingKeyFile); err != nil {
			return fmt.Errorf("name the master key: %w", err)
		}
		return nil
	}}, nil)
}
