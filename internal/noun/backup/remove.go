package backup

import (
	"context"
	"fmt"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/task"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/storage"
)

// Remove starts to remove a backup from its bucket.
func (r *Runner) Remove(ctx context.Context, tx *db.Tx, g access.Grant, srv query.Server, c query.BackupConfiguration, b query.Backup) (job.Accepted, error) {
	accepted, err := r.begin(ctx, tx, g, srv, resourceBackup, b.ID, "delete", "Deleting a backup of "+c.Name, removeWithin, nil)
	if err != nil {
		return accepted, err
	}
	return accepted, tx.SetBackupOperation(ctx, b.ID, StatusRemoving, &accepted.OperationID, tx.Micros())
}

// removing is the work of a backup's deletion.
func (r *Runner) removing() task.Kind[query.Backup] {
	return task.Kind[query.Backup]{
		Load: task.Row((*query.Queries).GetBackupByID), Gone: backupDeleted,
		Steps: func(_ context.Context, _ *query.Queries, _ query.Server, op query.Operation, b query.Backup) ([]job.Stage, error) {
			return []job.Stage{{Name: "remove objects", After: func(ctx context.Context, _ query.Server) error { return r.remove(ctx, op, b) }}}, nil
		},
		Write: r.removed,
	}
}

// removed deletes the row of a backup whose objects are gone. Another one is as it was.
func (r *Runner) removed(ctx context.Context, tx *db.Tx, _ query.Operation, b query.Backup, at job.State) error {
	status := StatusFailed
	switch {
	case at == job.Queued:
		status = StatusRemoving
	case !at.Ended():
		return nil
	case at.Done():
		_, err := tx.DeleteBackup(ctx, b.ID)
		return err
	case b.FinishedAt != nil && b.Size > 0:
		status = StatusFinished
	}
	return tx.SetBackupStatus(ctx, b.ID, status, tx.Micros())
}

// remove removes all objects of a backup from its bucket.
func (r *Runner) remove(ctx context.Context, organization query.InOrganization, b query.Backup) error {
	bucket, err := r.Store.open(ctx, organization, b)
	if gone(err) { // the provider was deleted; its contents are its owner's
		return nil
	}
	if err != nil {
		return err
	}
	if err := sweep(ctx, bucket, b.Base); err != nil {
		return asWork(err)
	}
	left, err := bucket.List(ctx, b.Base)
	if err != nil {
		return asWork(err)
	}
	if len(left) > 0 {
		return &job.StageError{Reason: fmt.Sprintf("The storage was asked to delete %d files of the backup, and still lists them.", len(left))}
	}
	return nil
}

// sweep discards what is below a base.
func sweep(ctx context.Context, bucket *storage.Bucket, base string) error {
	if err := bucket.AbortAll(ctx, base); err != nil {
		return err
	}
	list, err := bucket.List(ctx, base)
	if err != nil {
		return err
	}
	for _, o := range list {
		if err := bucket.Remove(ctx, o.Key); err != nil {
			return err
		}
	}
	return nil
}

// Sweep discards unfinished uploads under a base, and what a failed backup left there.
type Sweep struct {
	OrganizationID    int64  `json:"organization_id"`
	BackupID          int64  `json:"backup_id"`
	StorageProviderID int64  `json:"storage_provider_id"`
	Bucket            string `json:"bucket"`
	Base              string `json:"base"`
}

// Kind names the job.
func (Sweep) Kind() string { return "backup.sweep" }

// sweepJob is retried until the storage can be reached.
func (r *Runner) sweepJob(ctx context.Context, args Sweep) error {
	switch b, err := r.Store.DB.Read().Ungranted().GetBackupByID(ctx, args.BackupID); {
	case gone(err):
	case err != nil:
		return fmt.Errorf("read backup: %w", err)
	case b.Status != StatusFailed:
		return nil // it was retried: its objects are those of a backup that is running or complete
	}
	p, err := r.Store.DB.Read().Ungranted().GetStorageProvider(ctx, args.OrganizationID, args.StorageProviderID)
	if gone(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read storage provider: %w", err)
	}
	bucket, err := r.Store.Storage.Open(p, args.Bucket)
	if err != nil {
		return err
	}
	if err := sweep(ctx, bucket, args.Base); err != nil {
		return job.Again(sweepAgain)
	}
	return nil
}

const sweepAgain = time.Minute
