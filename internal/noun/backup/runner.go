package backup

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/task"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// Unmaker removes databases that were created for a restore.
type Unmaker interface {
	Unmake(ctx context.Context, tx *db.Tx, srv query.Server, id int64) error
}

// Mailer sends notifications.
type Mailer interface {
	Put(ctx context.Context, tx *db.Tx, m mail.Message) error
}

// Alarms is notified of failed and unproven backups.
type Alarms interface {
	// BackupAlarm is called in the transaction that records the problem; text says also which backup was proven last. unproven is set if a
	// stored backup could not be proven.
	BackupAlarm(ctx context.Context, tx *db.Tx, c query.BackupConfiguration, text string, unproven bool) error
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

// Aspect returns its kinds of work for the engine. There is never more than one operation in a lane of backups.
func (r *Runner) Aspect() job.Aspect {
	return task.Several(map[task.Of]job.Aspect{
		{Resource: resourceBackup, Action: "create"}:     r.creating().Aspect(),
		{Resource: resourceBackup, Action: "delete"}:     r.removing().Aspect(),
		{Resource: resourceBackup, Action: actionVerify}: r.proving().Aspect(),
		{Resource: resourceRestore, Action: "create"}:    r.restoring().Aspect(),
	})
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

// Work adds the jobs of backups to the workers.
func (r *Runner) Work(w *job.Workers) {
	job.Handle(w, r.sweepJob)
	job.Handle(w, r.tick)
}

// ended returns why the work on a backup ended as it did, and the configuration of the backup.
func (r *Runner) ended(ctx context.Context, tx *db.Tx, op query.Operation, b query.Backup) (reason string, c query.BackupConfiguration, err error) {
	if reason, err = reasonOf(ctx, tx, op); err == nil {
		c, err = configurationOf(ctx, tx.Ungranted(), b)
	}
	return reason, c, err
}

// reasonOf returns why work ended as it did.
func reasonOf(ctx context.Context, tx *db.Tx, op query.Operation) (string, error) {
	now, err := tx.GetOperation(ctx, op)
	if err != nil {
		return "", fmt.Errorf("read operation %d: %w", op.ID, err)
	}
	return now.Reason, nil
}

// configurationOf returns the configuration of a backup.
func configurationOf(ctx context.Context, q *query.Queries, b query.Backup) (query.BackupConfiguration, error) {
	c, err := q.GetBackupConfigurationByID(ctx, b.ConfigurationID)
	if err != nil {
		return c, fmt.Errorf("read backup configuration %d: %w", b.ConfigurationID, err)
	}
	return c, nil
}

// backupDeleted is why nothing can be done with a backup.
const backupDeleted = "the backup was deleted"

// provenLast says which backup is known to restore, whatever became of newer ones.
func provenLast(c query.BackupConfiguration) string {
	if c.VerifiedAt == nil {
		return "None of its backups has been verified yet."
	}
	which := "The last verified backup, since deleted,"
	if c.VerifiedBackupID != nil {
		which = fmt.Sprintf("The last verified backup is %d. It", *c.VerifiedBackupID)
	}
	return which + " was restored into a scratch database on " + time.UnixMicro(*c.VerifiedAt).UTC().Format("2 January 2006 15:04 MST") + "."
}

// alarm records a problem on a configuration, and notifies its address. The fate of the mail affects nothing else.
func (r *Runner) alarm(ctx context.Context, tx *db.Tx, c query.BackupConfiguration, problem string, unproven bool) error {
	problem = strings.TrimSpace(problem)
	if err := tx.SetBackupAlarm(ctx, c.ID, &problem); err != nil {
		return fmt.Errorf("note alarm: %w", err)
	}
	problem += "\n" + provenLast(c)
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
