package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// errUnproven is returned for an archive in a storage that can't be restored, or is another database once it is.
var errUnproven = errors.New("the archive can't be restored")

// Prove reads an archive back from the storage, restores it to a scratch place, opens it with the master key, and compares it with what was archived.
func (b *SelfBackup) Prove(ctx context.Context, name string) error {
	bucket, _, err := b.bucket(ctx)
	if err != nil {
		return err
	}
	dir, remove, err := b.scratch()
	if err != nil {
		return err
	}
	defer remove()
	file := filepath.Join(dir, "fetched")
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("prove the archive: %w", err)
	}
	err = bucket.Fetch(ctx, name, out)
	if closed := out.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	to := Config{DataDir: filepath.Join(dir, "restored"), MasterKeyFile: b.Config.KeyFile()}
	if err := os.Mkdir(to.DataDir, 0o700); err != nil {
		return fmt.Errorf("prove the archive: %w", err)
	}
	if b.Config.DatabaseURL != "" {
		var drop func() error
		if to.DatabaseURL, drop, err = db.Scratch(ctx, b.Config.DatabaseURL, "hostler_proof_"+strings.ToLower(secret.Random(8))); err != nil {
			return fmt.Errorf("%w: %w", errUnproven, err)
		}
		defer func() { _ = drop() }()
	}
	if err := prove(ctx, to, file); err != nil {
		return fmt.Errorf("%w: %w", errUnproven, err)
	}
	return nil
}

// prove restores an archive to an empty place, opens and compares it.
func prove(ctx context.Context, to Config, file string) error {
	m, err := Restore(ctx, to, file)
	if err != nil {
		return err
	}
	d, err := db.Connect(ctx, db.Config{URL: to.DatabaseURL, Dir: to.DataDir})
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	if err := d.Verify(ctx); err != nil {
		return err
	}
	rows, err := d.Rows(ctx)
	if err != nil {
		return err
	}
	for _, table := range slices.Sorted(maps.Keys(m.Rows)) {
		if rows[table] != m.Rows[table] {
			return fmt.Errorf("%s has %d rows instead of %d", table, rows[table], m.Rows[table])
		}
	}
	box, err := secret.OpenBox(to.KeyFile(), false)
	if err != nil {
		return err
	}
	return d.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		for _, c := range sealedCells {
			if err := c.openOne(ctx, tx, box); err != nil {
				return err
			}
		}
		return db.ErrRollback
	})
}

// openOne opens a value of a column with each key that any is sealed with.
func (c cells) openOne(ctx context.Context, tx *db.Tx, box *secret.Box) error {
	for _, key := range box.Keys() {
		rows, err := someRows(ctx, tx, strings.Count(c.id, ",")+1,
			"SELECT "+c.id+", "+c.column+" FROM "+c.table+" WHERE substr("+c.column+", 1, 5) = $1 LIMIT 1", key.Prefix())
		if err != nil {
			return fmt.Errorf("read %s.%s: %w", c.table, c.column, err)
		}
		for _, r := range rows {
			if _, err := box.Open(c.place(r), r.value); err != nil {
				return err
			}
		}
	}
	return nil
}
