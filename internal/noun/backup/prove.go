package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/task"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Prove starts to restore a backup into separate databases, for comparison.
func (r *Runner) Prove(ctx context.Context, tx *db.Tx, g access.Grant, srv query.Server, c query.BackupConfiguration, b query.Backup) (job.Accepted, error) {
	return r.begin(ctx, tx, g, srv, resourceBackup, b.ID, actionVerify, "Restoring a backup of "+c.Name+" to compare", createWithin, nil)
}

// proving is the work of a proof: each database is restored into a separate one, compared and dropped, and the objects of files are read to their end.
func (r *Runner) proving() task.Kind[query.Backup] {
	return task.Kind[query.Backup]{Load: task.Row((*query.Queries).GetBackupByID), Gone: backupDeleted, Steps: r.proof, Write: r.proved}
}

// proof returns the stages of a proof.
func (r *Runner) proof(ctx context.Context, q *query.Queries, _ query.Server, op query.Operation, b query.Backup) ([]job.Stage, error) {
	items, err := q.ListBackupItems(ctx, b.ID)
	if err != nil {
		return nil, fmt.Errorf("list items of backup %d: %w", b.ID, err)
	}
	bucket, err := r.bucket(ctx, op, b)
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
		stages = append(stages, r.opening(op, b, item),
			job.Stage{Name: "restore " + labelled(item) + " to compare", Restore: task, Detach: true, Within: createWithin})
	}
	if len(stages) == 0 {
		return nil, job.Planned(errors.New("the backup is empty"))
	}
	return stages, nil
}

// proved records the result of a proof.
func (r *Runner) proved(ctx context.Context, tx *db.Tx, op query.Operation, b query.Backup, end job.State) error {
	if !end.Ended() {
		return nil
	}
	reason, c, err := r.ended(ctx, tx, op, b)
	if err != nil {
		return err
	}
	done, at, status := end.Done(), tx.Micros(), StatusFailed
	var why *string
	if done {
		status = StatusFinished
	} else {
		why = &reason
	}
	if err := tx.SetBackupProof(ctx, b.ID, &at, &status, why); err != nil {
		return fmt.Errorf("keep proof: %w", err)
	}
	proved := query.SetBackupVerifiedParams{
		ID: c.ID, VerifiedAt: c.VerifiedAt, VerifiedBackupID: c.VerifiedBackupID, VerifyStatus: &status, VerifyReason: why,
		ProvenShape: c.ProvenShape,
	}
	if done { // the last proven restore stays when another fails
		proved.VerifiedAt, proved.VerifiedBackupID = &at, &b.ID
		shape, err := shapeOf(ctx, tx, b)
		if err != nil {
			return err
		}
		proved.ProvenShape = &shape
	}
	if err := tx.SetBackupVerified(ctx, proved); err != nil {
		return fmt.Errorf("keep proof: %w", err)
	}
	if done {
		if b.IsPartial { // what it is missing stays an alarm
			return nil
		}
		return tx.SetBackupAlarm(ctx, c.ID, nil)
	}
	return r.alarm(ctx, tx, c, fmt.Sprintf("Backup %d could not be verified. %s", b.ID, reason), true)
}

// proveChanged starts to prove a backup if none of its shape was proven: the first one, and after a change of schema objects, of the engine's version
// or its sql_mode. Others wait for the planned proof.
func (r *Runner) proveChanged(ctx context.Context, tx *db.Tx, op query.Operation, c query.BackupConfiguration, b query.Backup) error {
	shape, err := shapeOf(ctx, tx, b)
	if err != nil || shape == "" || c.ProvenShape != nil && *c.ProvenShape == shape {
		return err
	}
	srv, err := tx.GetServer(ctx, c)
	if err != nil {
		return fmt.Errorf("read server: %w", err)
	}
	_, err = r.Prove(ctx, tx, access.Grant{OrganizationID: op.OrganizationID}, srv, c, b)
	return err
}

// shapeOf returns a digest of the shapes of a backup's databases, "" if it has none.
func shapeOf(ctx context.Context, tx *db.Tx, b query.Backup) (string, error) {
	items, err := tx.ListBackupItems(ctx, b)
	if err != nil {
		return "", fmt.Errorf("list items of backup %d: %w", b.ID, err)
	}
	sum, found := sha256.New(), false
	for _, item := range items {
		if item.Kind != kindDatabase || item.Status != itemStored {
			continue
		}
		var report wire.ItemReport
		if err := json.Unmarshal([]byte(item.Report), &report); err != nil {
			return "", fmt.Errorf("read report of item %d: %w", item.ID, err)
		}
		found = true
		_, _ = fmt.Fprintf(sum, "%q %q\n", item.Name, report.Shape)
	}
	if !found {
		return "", nil
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
