package backup

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/task"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Start starts a run of a configuration.
func (r *Runner) Start(ctx context.Context, tx *db.Tx, g access.Grant, srv query.Server, c query.BackupConfiguration) (query.Backup, job.Accepted, error) {
	b, err := r.Store.start(ctx, tx, srv, c, nil)
	if err != nil {
		return b, job.Accepted{}, err
	}
	accepted, err := r.begin(ctx, tx, g, srv, resourceBackup, b.ID, "create", "Backing up "+c.Name, createWithin, nil)
	if err != nil {
		return b, accepted, err
	}
	b.OperationID = &accepted.OperationID
	return b, accepted, tx.SetBackupOperation(ctx, b.ID, StatusRunning, b.OperationID, tx.Micros())
}

// creating is the work of a backup: its host dumps and sends, then the objects are completed and listed.
func (r *Runner) creating() task.Kind[query.Backup] {
	return task.Kind[query.Backup]{
		Load: task.Row((*query.Queries).GetBackupByID), Gone: backupDeleted,
		Steps: func(ctx context.Context, q *query.Queries, _ query.Server, op query.Operation, b query.Backup) ([]job.Stage, error) {
			return r.dump(ctx, q, op, b, nil)
		},
		Heard: func(ctx context.Context, tx *db.Tx, _ query.Operation, b query.Backup, result wire.Result) error {
			return r.reported(ctx, tx, b.ID, result)
		},
		Write: r.created,
	}
}

// created records how a backup ended. One that succeeded was recorded when its objects were listed.
func (r *Runner) created(ctx context.Context, tx *db.Tx, op query.Operation, b query.Backup, at job.State) error {
	switch {
	case at == job.Queued:
		return tx.SetBackupStatus(ctx, b.ID, StatusRunning, tx.Micros())
	case !at.Ended() || at.Done():
		return nil
	}
	reason, c, err := r.ended(ctx, tx, op, b)
	if err != nil {
		return err
	}
	if err := r.failed(ctx, tx, c.OrganizationID, b, reason); err != nil {
		return err
	}
	return r.alarm(ctx, tx, c, "The backup failed. "+reason, false)
}

// failed ends a backup that stored nothing, and ensures that none of its objects stay in the bucket.
func (r *Runner) failed(ctx context.Context, tx *db.Tx, organization int64, b query.Backup, reason string) error {
	if b.Status == StatusFinished {
		return nil
	}
	err := tx.FinishBackup(ctx, query.FinishBackupParams{ID: b.ID, Status: StatusFailed, Reason: &reason, FinishedAt: new(tx.Micros())})
	if err != nil {
		return fmt.Errorf("fail backup %d: %w", b.ID, err)
	}
	return r.Queue.Insert(ctx, tx, Sweep{OrganizationID: organization, BackupID: b.ID, StorageProviderID: b.StorageProviderID, Bucket: b.Bucket, Base: b.Base})
}

// finished is called for a backup that is listed in its bucket: older ones can be removed now.
func (r *Runner) finished(ctx context.Context, tx *db.Tx, op query.Operation, b query.Backup, reason *string) error {
	c, err := configurationOf(ctx, tx.Ungranted(), b)
	if err != nil {
		return err
	}
	if b.Safety { // irrelevant to the configuration's databases
		return nil
	}
	if err := r.proveChanged(ctx, tx, op, c, b); err != nil {
		return err
	}
	if reason != nil {
		return r.alarm(ctx, tx, c, "The backup is incomplete. "+*reason, false)
	}
	if c.Alarm != nil && (c.VerifyStatus == nil || *c.VerifyStatus != StatusFailed) {
		if err := tx.SetBackupAlarm(ctx, c.ID, nil); err != nil {
			return fmt.Errorf("end alarm: %w", err)
		}
	}
	return r.prune(ctx, tx, op, c)
}

// whole reports whether a backup contains everything that its configuration covers.
func whole(b query.Backup) bool { return b.Status == StatusFinished && !b.IsPartial && !b.Safety }

// prune removes backups older than the newest complete ones that are kept. A backup that is incomplete, that could not be proven,
// or that is only the fresh dump before a restore, does not count.
func (r *Runner) prune(ctx context.Context, tx *db.Tx, op query.Operation, c query.BackupConfiguration) error {
	all, err := tx.ListBackups(ctx, c) // the newest first
	if err != nil {
		return fmt.Errorf("list backups: %w", err)
	}
	srv, err := tx.GetServer(ctx, c)
	if err != nil {
		return fmt.Errorf("read server: %w", err)
	}
	var good int64
	for _, b := range all {
		if good >= c.Retention && b.Status != StatusRunning && b.Status != StatusRemoving {
			if _, err := r.Remove(ctx, tx, access.Grant{OrganizationID: op.OrganizationID}, srv, c, b); err != nil {
				return err
			}
			continue
		}
		if whole(b) && (b.VerifyStatus == nil || *b.VerifyStatus != StatusFailed) {
			good++
		}
	}
	return nil
}
