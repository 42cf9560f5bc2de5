package main

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/update"
)

// database is the panel's database as its own commands read and write it.
type database struct {
	Account update.Account
	// Embedded is false on PostgreSQL.
	Embedded bool
	Now      time.Time
}

// archives are the names of archives that updates make.
const archives = "before-update-"

// Backup makes an archive in the data directory.
func (d database) Backup(ctx context.Context) (string, error) {
	path := d.Account.DataDir + "/" + archives + d.Now.UTC().Format("20060102T150405.000000Z") + ".tar.zst" // two updates in one second are two archives
	return path, d.Account.Run(ctx, "backup", path)
}

// Restores reports whether the database is the embedded one.
func (d database) Restores() bool { return d.Embedded }

// databaseFiles are those of the embedded database.
var databaseFiles = []string{"hostler.db", "hostler.db-wal", "hostler.db-shm"}

// Restore puts an archive in the place of the database.
func (d database) Restore(ctx context.Context, archive string) error {
	for _, name := range databaseFiles {
		at := d.Account.DataDir + "/" + name
		if err := os.Rename(at, at+".failed"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if err := d.Account.Run(ctx, "restore", archive); err != nil {
		return err
	}
	for _, name := range databaseFiles {
		if err := os.Remove(d.Account.DataDir + "/" + name + ".failed"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}
