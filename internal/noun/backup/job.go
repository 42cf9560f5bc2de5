package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Mailer sends notifications.
type Mailer interface {
	Put(ctx context.Context, tx *db.Tx, m mail.Message) error
}

// Alarms is notified of failed and unproven backups.
type Alarms interface {
	// BackupAlarm is called in the transaction that records the problem. unproven is set if a stored backup could not be proven.
	BackupAlarm(ctx context.Context, tx *db.Tx, c query.BackupConfiguration, reason string, unproven bool) error
}

// begin accepts work on a backup.
func (r *Runner) begin(ctx context.Context, tx *db.Tx, g access.Grant, srv query.Server, resource string, id int64, action, description string,
	within time.Duration, request any,
) (job.Accepted, error) {
	return r.Queue.Begin(ctx, tx, job.Work{
		Grant: g, ServerID: srv.ID, Ready: srv.IsReady, Aspect: job.Beside(Aspect, srv.ID), Resource: resource,
		ResourceID: id, Action: action,
		Description: description, RanAs: "root", Needs: []access.Permission{
			access.ServerCreateBackups,
			access.ServerDeleteBackups,
		}, Request: request, Within: within,
	})
}

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

// Remove starts to remove a backup from its bucket.
func (r *Runner) Remove(ctx context.Context, tx *db.Tx, g access.Grant, srv query.Server, c query.BackupConfiguration, b query.Backup) (job.Accepted, error) {
	accepted, err := r.begin(ctx, tx, g, srv, resourceBackup, b.ID, "delete", "Deleting a backup of "+c.Name, removeWithin, nil)
	if err != nil {
		return accepted, err
	}
	return accepted, tx.SetBackupOperation(ctx, b.ID, StatusRemoving, &accepted.OperationID, tx.Micros())
}

// Prove starts to restore a backup into separate databases, for comparison.
func (r *Runner) Prove(ctx context.Context, tx *db.Tx, g access.Grant, srv query.Server, c query.BackupConfiguration, b query.Backup) (job.Accepted, error) {
	return r.begin(ctx, tx, g, srv, resourceBackup, b.ID, actionVerify, "Restoring a backup of "+c.Name+" to compare", createWithin, nil)
}

// Write shows in the rows that work runs, and at the end what came of it.
func (r *Runner) Write(ctx context.Context, tx *db.Tx, op query.Operation, at job.State) error {
	switch {
	case at == job.Queued:
		return r.resume(ctx, tx, op)
	case at.Ended():
		return r.settle(ctx, tx, op, at.Done())
	}
	return nil // the rows say running since they were accepted
}

// settle writes the end of the work into the rows.
func (r *Runner) settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	now, err := tx.GetOperation(ctx, op)
	if err != nil {
		return fmt.Errorf("read operation %d: %w", op.ID, err)
	}
	if op.ResourceType == resourceRestore {
		return r.settleRestore(ctx, tx, op, now.Reason, done)
	}
	b, err := tx.Ungranted().GetBackupByID(ctx, op.ResourceID)
	if gone(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read backup %d: %w", op.ResourceID, err)
	}
	c, err := tx.Ungranted().GetBackupConfigurationByID(ctx, b.ConfigurationID)
	if err != nil {
		return fmt.Errorf("read backup configuration %d: %w", b.ConfigurationID, err)
	}
	switch op.Action {
	case "delete":
		if done {
			_, err := tx.DeleteBackup(ctx, b.ID)
			return err
		}
		status := StatusFailed
		if b.FinishedAt != nil && b.Size > 0 {
			status = StatusFinished
		}
		return tx.SetBackupStatus(ctx, b.ID, status, tx.Micros())
	case actionVerify:
		return r.proved(ctx, tx, c, b, now.Reason, done)
	}
	if done { // finish has recorded it
		return nil
	}
	if err := r.failed(ctx, tx, c.OrganizationID, b, now.Reason); err != nil {
		return err
	}
	return r.alarm(ctx, tx, c, "The backup failed. "+now.Reason, false)
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

// resume makes the rows of retried work running again.
func (r *Runner) resume(ctx context.Context, tx *db.Tx, op query.Operation) error {
	switch {
	case op.ResourceType == resourceRestore:
		return tx.SetBackupRestoreOperation(ctx, op.ResourceID, StatusRunning, &op.ID, tx.Micros())
	case op.Action == "delete":
		return tx.SetBackupStatus(ctx, op.ResourceID, StatusRemoving, tx.Micros())
	case op.Action == "create":
		return tx.SetBackupStatus(ctx, op.ResourceID, StatusRunning, tx.Micros())
	}
	return nil
}

// finished is called for a backup that is listed in its bucket: older ones can be removed now.
func (r *Runner) finished(ctx context.Context, tx *db.Tx, op query.Operation, b query.Backup, reason *string) error {
	c, err := tx.Ungranted().GetBackupConfigurationByID(ctx, b.ConfigurationID)
	if err != nil {
		return fmt.Errorf("read backup configuration %d: %w", b.ConfigurationID, err)
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

// proved records the result of a proof.
func (r *Runner) proved(ctx context.Context, tx *db.Tx, c query.BackupConfiguration, b query.Backup, reason string, done bool) error {
	at, status := tx.Micros(), StatusFailed
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

func (r *Runner) settleRestore(ctx context.Context, tx *db.Tx, op query.Operation, reason string, done bool) error {
	row, err := tx.Ungranted().GetBackupRestore(ctx, op.ResourceID)
	if gone(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read restore %d: %w", op.ResourceID, err)
	}
	p := query.ReportBackupRestoreParams{ID: row.ID, Status: StatusFinished, Report: row.Report, UpdatedAt: tx.Micros()}
	if !done {
		p.Status, p.Reason = StatusFailed, &reason
		if row.SafetyBackupID != nil {
			safety, err := tx.Ungranted().GetBackupByID(ctx, *row.SafetyBackupID)
			if err == nil {
				err = r.failed(ctx, tx, op.OrganizationID, safety, "The restore that required it failed: "+reason)
			}
			if err != nil && !gone(err) {
				return fmt.Errorf("end fresh dump: %w", err)
			}
		} else if row.DatabaseID != nil { // created for this restore
			srv, err := tx.GetServer(ctx, row)
			if err == nil {
				err = r.Databases.Unmake(ctx, tx, srv, *row.DatabaseID)
			}
			if err != nil {
				return fmt.Errorf("remove database of restore %d: %w", row.ID, err)
			}
		}
	}
	if err := tx.ReportBackupRestore(ctx, p); err != nil {
		return fmt.Errorf("settle restore %d: %w", row.ID, err)
	}
	return nil
}

// alarm records a problem on a configuration, and notifies its address. The fate of the mail affects nothing else.
func (r *Runner) alarm(ctx context.Context, tx *db.Tx, c query.BackupConfiguration, problem string, unproven bool) error {
	problem = strings.TrimSpace(problem)
	if err := tx.SetBackupAlarm(ctx, c.ID, &problem); err != nil {
		return fmt.Errorf("note alarm: %w", err)
	}
	if r.Alarms != nil {
		if err := r.Alarms.BackupAlarm(ctx, tx, c, problem, unproven); err != nil {
			return err
		}
	}
	if c.NotifyEmail == nil {
		return nil
	}
	return r.Mail.Put(ctx, tx, mail.Message{
		Organization: c.OrganizationID, To: *c.NotifyEmail, Subject: "Hostler: backup " + text.Line(c.Name),
		Text:  "The backup configuration " + text.Line(c.Name) + " needs attention.\n\n" + problem + "\n",
		About: mail.About{Kind: MailAlarm, ID: c.ID},
	})
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
		return nil // retried meanwhile: what is there belongs to a backup that runs, or is complete
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

// Work adds the jobs of backups to the workers.
func (r *Runner) Work(w *job.Workers) {
	job.Handle(w, r.sweepJob)
	job.Handle(w, r.tick)
}
