package backup

import (
	"context"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/storage"
)

// Unmaker removes databases that were created for a restore.
type Unmaker interface {
	Unmake(ctx context.Context, tx *db.Tx, srv query.Server, id int64) error
}

// Runner does the work: its plans run on hosts, what comes before and after is between here and the storage.
type Runner struct {
	Store *Store
	Mail  Mailer
	Queue *job.Queue
	// Alarms is notified of problems with backups; nil disables that.
	Alarms Alarms
	// Databases removes the database of a restore under a new name that failed.
	Databases Unmaker
}

// Aspect returns it for the engine.
func (r *Runner) Aspect() job.Aspect {
	return job.Aspect{Plan: r.Plan, Waits: r.Waits, Heard: r.Heard, Write: r.Write}
}

// Plan returns the work of one operation; there is never more than one in a lane of backups.
func (r *Runner) Plan(ctx context.Context, q *query.Queries, srv query.Server, included []query.Operation) ([]job.Stage, error) {
	if len(included) == 0 {
		return nil, nil
	}
	op := included[0]
	if op.ResourceType == resourceRestore {
		return r.planRestore(ctx, q, op)
	}
	b, err := q.GetBackupByID(ctx, op.ResourceID)
	if gone(err) {
		return nil, job.Planned(errors.New("the backup was deleted"))
	}
	if err != nil {
		return nil, fmt.Errorf("read backup %d: %w", op.ResourceID, err)
	}
	switch op.Action {
	case "delete":
		return []job.Stage{{Name: "remove objects", After: func(ctx context.Context, _ query.Server) error { return r.remove(ctx, op, b) }}}, nil
	case actionVerify:
		return r.planProof(ctx, q, op, b)
	}
	return r.planDump(ctx, q, op, b)
}

// planDump measures the stores, opens uploads, streams, and completes the objects.
func (r *Runner) planDump(ctx context.Context, q *query.Queries, op query.Operation, b query.Backup) ([]job.Stage, error) {
	items, err := q.ListBackupItems(ctx, b.ID)
	if err != nil {
		return nil, fmt.Errorf("list items of backup %d: %w", b.ID, err)
	}
	bucket, err := r.Store.open(ctx, op, b)
	if err != nil {
		return nil, err
	}
	key, err := q.GetBackupKey(ctx, b.KeyID)
	if err != nil {
		return nil, fmt.Errorf("read key of backup %d: %w", b.ID, err)
	}
	measure := &wire.Backup{Recipient: key.Recipient, Measure: true}
	var dumps []job.Stage
	for i, run := range runsOf(items) {
		task := &wire.Backup{Recipient: key.Recipient}
		for _, item := range run {
			store, err := r.storeOf(ctx, q, item, b)
			if err != nil {
				return nil, err
			}
			measure.Items = append(measure.Items, wire.BackupItem{ID: item.ID, Store: store})
			if item.UploadID == nil || item.Status != itemPending {
				continue
			}
			one := wire.BackupItem{ID: item.ID, Store: store, PartSize: int(item.PartSize)}
			for n := range int(item.Parts) {
				address, err := bucket.SignPart(ctx, item.Object, *item.UploadID, storage.Part{Number: n + 1, Size: item.PartSize}, signedFor)
				if err != nil {
					return nil, err
				}
				one.Parts = append(one.Parts, address)
			}
			task.Items = append(task.Items, one)
		}
		stage := job.Stage{Name: "dump and send", Detach: true, Within: createWithin}
		if i > 0 {
			stage.Name += fmt.Sprintf(" (%d)", i+1)
		}
		if len(task.Items) > 0 {
			stage.Backup = task
		}
		dumps = append(dumps, stage)
	}
	first := job.Stage{Name: "open uploads", After: func(ctx context.Context, _ query.Server) error { return r.prepare(ctx, op, b) }}
	if len(measure.Items) > 0 && (b.Status != StatusFinished || op.ResourceType == resourceRestore) {
		first.Backup = measure
	}
	last := job.Stage{Name: "list what was sent", After: func(ctx context.Context, _ query.Server) error { return r.finish(ctx, op, b) }}
	return append(append([]job.Stage{first}, dumps...), last), nil
}

// storeOf returns the store that an item is a dump of.
func (r *Runner) storeOf(ctx context.Context, q *query.Queries, item query.BackupItem, b query.Backup) (wire.Store, error) {
	if item.Kind == kindDatabase {
		return wire.Store{Engine: item.Engine, Database: item.Name}, nil
	}
	c, err := q.GetBackupConfigurationByID(ctx, b.ConfigurationID)
	if err != nil {
		return wire.Store{}, fmt.Errorf("read backup configuration %d: %w", b.ConfigurationID, err)
	}
	if c.SiteID == nil {
		return wire.Store{}, job.Planned(errors.New("the site of the files was deleted"))
	}
	row, err := q.GetSite(ctx, *c.SiteID)
	if err != nil {
		return wire.Store{}, fmt.Errorf("read site %d: %w", *c.SiteID, err)
	}
	return filesOf(row, pathsOf(c))
}

// filesOf returns files of a site, read and written as its account.
func filesOf(row query.Site, paths []string) (wire.Store, error) {
	base, err := site.Base(row)
	return wire.Store{Engine: wire.EngineFiles, User: row.UnixUser, Dir: base.String(), Paths: paths}, err
}

// restoreOf reads an item's object into a store.
func (r *Runner) restoreOf(ctx context.Context, bucket *storage.Bucket, item query.BackupItem, to wire.Store) (*wire.Restore, error) {
	if item.Status != itemStored || item.FileKey == nil || item.Checksum == nil {
		return nil, job.Planned(fmt.Errorf("the backup of %s is not whole", item.Name))
	}
	fileKey, err := r.Store.Box.Open(itemPlace(item.ID), item.FileKey)
	if err != nil {
		return nil, err
	}
	address, err := bucket.SignGet(ctx, item.Object, signedFor, "")
	if err != nil {
		return nil, err
	}
	return &wire.Restore{ID: item.ID, Name: item.Name, URL: address, Size: item.Size, Checksum: *item.Checksum, FileKey: fileKey, Store: to}, nil
}

// labelled is an item for people: a site's files may have the name of a database.
func labelled(item query.BackupItem) string {
	if item.Kind == kindFiles {
		return "the files of " + item.Name
	}
	return item.Name
}

// planProof restores each database into a separate one, compares and drops it; for files the object is read to its end.
func (r *Runner) planProof(ctx context.Context, q *query.Queries, op query.Operation, b query.Backup) ([]job.Stage, error) {
	items, err := q.ListBackupItems(ctx, b.ID)
	if err != nil {
		return nil, fmt.Errorf("list items of backup %d: %w", b.ID, err)
	}
	bucket, err := r.Store.open(ctx, op, b)
	if err != nil {
		return nil, err
	}
	var stages []job.Stage
	for _, item := range items {
		if item.Status != itemStored {
			continue
		}
		store := wire.Store{Engine: item.Engine, Database: fmt.Sprintf("hostler_proof_%d_%d", op.ID, item.ID)}
		if item.Kind == kindFiles {
			store = wire.Store{Engine: wire.EngineFiles, User: "nobody", Dir: "/var/empty", Paths: []string{"."}}
		}
		task, err := r.restoreOf(ctx, bucket, item, store)
		if err != nil {
			return nil, err
		}
		task.Proof = true
		stages = append(stages, job.Stage{Name: "open " + labelled(item), After: func(ctx context.Context, _ query.Server) error { return r.opens(ctx, op, b, item) }},
			job.Stage{Name: "restore " + labelled(item) + " to compare", Restore: task, Detach: true, Within: createWithin})
	}
	if len(stages) == 0 {
		return nil, job.Planned(errors.New("the backup is empty"))
	}
	return stages, nil
}

// Waits says that the new database of a restore is not created yet.
func (r *Runner) Waits(ctx context.Context, q *query.Queries, op query.Operation) (string, error) {
	if op.ResourceType != resourceRestore {
		return "", nil
	}
	row, err := q.GetBackupRestore(ctx, op.ResourceID)
	if gone(err) || err == nil && row.DatabaseID == nil {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read restore %d: %w", op.ResourceID, err)
	}
	database, err := q.GetDatabase(ctx, row.ServerID, *row.DatabaseID)
	if gone(err) {
		return "", nil
	}
	if err == nil && database.Status == installing {
		return "Waiting until database " + database.Name + " is created.", nil
	}
	return "", err
}

// planRestore checks the object, takes a fresh dump of what is replaced, and restores.
func (r *Runner) planRestore(ctx context.Context, q *query.Queries, op query.Operation) ([]job.Stage, error) {
	row, err := q.GetBackupRestore(ctx, op.ResourceID)
	if gone(err) {
		return nil, job.Planned(errors.New("the backup was deleted"))
	}
	if err != nil {
		return nil, fmt.Errorf("read restore %d: %w", op.ResourceID, err)
	}
	b, err := q.GetBackupByID(ctx, row.BackupID)
	if err != nil {
		return nil, fmt.Errorf("read backup %d: %w", row.BackupID, err)
	}
	bucket, err := r.Store.open(ctx, op, b)
	if err != nil {
		return nil, err
	}
	var stages []job.Stage
	if row.DatabaseID != nil {
		database, err := q.GetDatabase(ctx, row.ServerID, *row.DatabaseID)
		if gone(err) || err == nil && database.Status != installed {
			return nil, job.Planned(fmt.Errorf("the database %s is not there: start another restore", row.Target))
		}
		if err != nil {
			return nil, fmt.Errorf("read database %d: %w", *row.DatabaseID, err)
		}
	}
	item, err := q.GetBackupItem(ctx, b.ID, row.ItemID)
	if err != nil {
		return nil, fmt.Errorf("read item %d: %w", row.ItemID, err)
	}
	items := []query.BackupItem{item}
	if row.FilesItemID != nil {
		files, err := q.GetBackupItem(ctx, b.ID, *row.FilesItemID)
		if err != nil {
			return nil, fmt.Errorf("read item %d: %w", *row.FilesItemID, err)
		}
		items = append(items, files)
	}
	for _, item := range items {
		stages = append(stages, job.Stage{Name: "open " + labelled(item), After: func(ctx context.Context, _ query.Server) error { return r.opens(ctx, op, b, item) }})
	}
	if row.SafetyBackupID != nil {
		safety, err := q.GetBackupByID(ctx, *row.SafetyBackupID)
		if err != nil {
			return nil, fmt.Errorf("read backup %d: %w", *row.SafetyBackupID, err)
		}
		dump, err := r.planDump(ctx, q, op, safety)
		if err != nil {
			return nil, err
		}
		stages = append(stages, dump...)
	}
	for _, item := range items {
		store := wire.Store{Engine: item.Engine, Database: row.Target}
		if item.Kind == kindFiles {
			if row.SiteID == nil {
				return nil, job.Planned(errors.New("the site of the files was deleted"))
			}
			of, err := q.GetSite(ctx, *row.SiteID)
			if gone(err) || err == nil && of.ServerID != row.ServerID {
				return nil, job.Planned(errors.New("the site of the files was deleted"))
			}
			if err != nil {
				return nil, fmt.Errorf("read site %d: %w", *row.SiteID, err)
			}
			if store, err = filesOf(of, []string{"."}); err != nil {
				return nil, job.Planned(err)
			}
		}
		task, err := r.restoreOf(ctx, bucket, item, store)
		if err != nil {
			return nil, err
		}
		if item.Kind == kindDatabase {
			task.Over, task.Scratch = true, row.Scratch
		}
		stages = append(stages, job.Stage{Name: "restore " + labelled(item), Restore: task, Detach: true, Within: createWithin})
	}
	return stages, nil
}
