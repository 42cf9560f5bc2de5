package backup

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
)

// plan compares the plan of work on a resource with its golden file.
func (b *bench) plan(t *testing.T, name, resource, action string, id int64) {
	t.Helper()
	op := query.Operation{ID: 9, OrganizationID: b.conf.OrganizationID, ResourceType: resource, ResourceID: id, Action: action}
	stages, err := b.r.Aspect().Plan(t.Context(), b.r.Store.DB.Read().Ungranted(), b.srv, []query.Operation{op})
	if err != nil {
		t.Fatal(err)
	}
	jobtest.Golden(t, name, stages)
}

// withFiles adds files of a site to the configuration.
func (b *bench) withFiles() (site query.Site) {
	b.t.Helper()
	b.tx(func(ctx context.Context, tx *db.Tx) (err error) {
		site, err = tx.InsertSite(ctx, query.InsertSiteParams{
			OrganizationID: b.conf.OrganizationID, ServerID: b.srv.ID, Name: "shop.example.com",
			Type: sitetype.StaticHTML, Status: "installed", UnixUser: "shop", CreatedAt: 1,
		})
		if err != nil {
			return err
		}
		b.conf, err = tx.UpdateBackupConfiguration(ctx, query.UpdateBackupConfigurationParams{
			ID: b.conf.ID, StorageProviderID: b.conf.StorageProviderID,
			Name: b.conf.Name, Frequency: Hourly, Retention: 5, NextRunAt: b.conf.NextRunAt, SiteID: &site.ID, Paths: "storage\nuploads", UpdatedAt: 1,
		})
		return err
	})
	return site
}

// opened records an upload for each item, of which the host measured the size.
func (b *bench) opened(row query.Backup) {
	b.t.Helper()
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		for _, item := range b.items(row) {
			size, parts := partsOf(0)
			if err := tx.SetBackupItemParts(ctx, item.ID, size, parts, 1); err != nil {
				return err
			}
			if err := tx.SetBackupItemUpload(ctx, item.ID, new("upload"), itemPending, 1); err != nil {
				return err
			}
		}
		return nil
	})
}

// whole makes a backup one whose items are all stored.
func (b *bench) whole(row query.Backup) {
	b.t.Helper()
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		for _, item := range b.items(row) {
			key, err := b.r.Store.Box.Seal(itemPlace(item.ID), []byte("key"))
			if err != nil {
				return err
			}
			err = tx.ReportBackupItem(ctx, query.ReportBackupItemParams{ID: item.ID, Status: itemSent, Size: 9, Checksum: new(strings.Repeat("0", 64)), UpdatedAt: 1})
			if err != nil {
				return err
			}
			if err := tx.SetBackupItemKey(ctx, item.ID, itemStored, key, 1); err != nil {
				return err
			}
		}
		return tx.FinishBackup(ctx, query.FinishBackupParams{ID: row.ID, Status: StatusFinished, Size: 18, FinishedAt: new(tx.Micros())})
	})
}

// What a run does: it measures, and only with an upload for each item it dumps. What is stored is left.
func TestPlanGolden(t *testing.T) {
	t.Parallel()
	b := newBench(t, 5)
	b.withFiles()
	row := b.started()
	b.plan(t, "accepted", resourceBackup, "create", row.ID)
	b.opened(row)
	b.plan(t, "opened", resourceBackup, "create", row.ID)
	b.whole(row)
	b.plan(t, "finished", resourceBackup, "create", row.ID)
	b.plan(t, "proof", resourceBackup, actionVerify, row.ID)
	b.plan(t, "delete", resourceBackup, "delete", row.ID)
	if stages, err := b.r.Aspect().Plan(t.Context(), nil, b.srv, nil); err != nil || len(stages) > 0 {
		t.Errorf("without work there are %s, %v", jobtest.Text(stages), err)
	}
}

// What a restore does: each object is opened before anything on the host is touched, and what a database had is dumped first.
func TestRestoreGolden(t *testing.T) {
	t.Parallel()
	b := newBench(t, 5)
	site := b.withFiles()
	source := b.started()
	b.whole(source)
	items := b.items(source)
	restore := func(name string, p query.InsertBackupRestoreParams) {
		t.Helper()
		p.BackupID, p.ServerID, p.Status, p.CreatedAt = source.ID, b.srv.ID, StatusRunning, 1
		b.tx(func(ctx context.Context, tx *db.Tx) error {
			row, err := tx.InsertBackupRestore(ctx, p)
			p.ItemID = row.ID
			return err
		})
		b.plan(t, name, resourceRestore, "create", p.ItemID)
	}
	database := query.InsertBackupRestoreParams{
		ItemID: items[0].ID, Kind: kindDatabase, DatabaseID: items[0].DatabaseID, Target: "shop",
		Scratch: "hostler_restore_x",
	}
	restore("restore-new", database)
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		databases, err := tx.Ungranted().ListDatabases(ctx, b.srv.ID)
		if err != nil {
			return err
		}
		safety, err := b.r.Store.start(ctx, tx, b.srv, b.conf, databases)
		database.SafetyBackupID = &safety.ID
		return err
	})
	restore("restore-over", database)
	restore("restore-files", query.InsertBackupRestoreParams{ItemID: items[1].ID, Kind: kindFiles, SiteID: &site.ID, Target: "shop.example.com"})
	database.FilesItemID, database.SiteID, database.SafetyBackupID = &items[1].ID, &site.ID, nil
	restore("restore-both", database)
}

// Work on a backup whose storage is no longer connected says that, not that the backup is gone.
func TestPlanWithoutItsStorage(t *testing.T) {
	t.Parallel()
	b := newBench(t, 5)
	b.clock.now = b.clock.now.Add(50 * time.Hour)
	b.tick()
	row := b.backups()[0]
	op, err := b.r.Store.DB.Read().Ungranted().GetOperation(t.Context(), *row.OperationID)
	if err != nil {
		t.Fatal(err)
	}
	b.tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "UPDATE backups SET storage_provider_id = 999")
		return err
	})
	for _, action := range []string{"create", actionVerify} {
		op.Action = action
		_, err := b.r.Aspect().Plan(t.Context(), b.r.Store.DB.Read().Ungranted(), b.srv, []query.Operation{op})
		if plan := (*job.PlanError)(nil); !errors.As(err, &plan) || plan.Error() != "the storage provider of the backup was deleted" {
			t.Errorf("%s: %v", action, err)
		}
	}
}
