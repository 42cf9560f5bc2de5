package backup

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// The frequencies of the contract.
const (
	Hourly = "hourly"
	Daily  = "daily"
	Weekly = "weekly"
	Custom = "custom"
)

// expression returns the schedule of a configuration as five fields of cron.
func expression(c query.BackupConfiguration) string {
	minute, hour := "0", "0"
	if c.TimeOfDay != nil {
		if h, m, ok := strings.Cut(*c.TimeOfDay, ":"); ok {
			minute, hour = strings.TrimPrefix(m, "0"), strings.TrimPrefix(h, "0")
			if minute == "" {
				minute = "0"
			}
			if hour == "" {
				hour = "0"
			}
		}
	}
	switch c.Frequency {
	case Hourly:
		return minute + " * * * *"
	case Weekly:
		day := int64(0)
		if c.Day != nil {
			day = *c.Day
		}
		return fmt.Sprintf("%s %s * * %d", minute, hour, day)
	case Custom:
		if c.Cron != nil {
			return *c.Cron
		}
	}
	return minute + " " + hour + " * * *"
}

// checkCron accepts what value.ParseCron does, with only blanks between the fields.
func checkCron(text string) error {
	if strings.ContainsFunc(text, func(r rune) bool { return r != ' ' && unicode.IsSpace(r) }) {
		return value.Error("The cron expression must have five fields: minute, hour, day, month, weekday.")
	}
	_, err := value.ParseCron(text)
	return err
}

// next returns when a configuration's next run is due after a moment, in a time zone.
func next(c query.BackupConfiguration, after time.Time, zone *time.Location) (time.Time, error) {
	cron, err := value.ParseStoredCron(expression(c))
	if err != nil {
		return after, fmt.Errorf("next run of backup configuration %d: %w", c.ID, err)
	}
	t, err := cron.Next(after, zone)
	if err != nil {
		return t, fmt.Errorf("next run of backup configuration %d: %w", c.ID, err)
	}
	return t, nil
}

func zoneOf(name string) *time.Location {
	z, err := value.ParseTimezone(name)
	if err != nil {
		return time.UTC
	}
	return z.Location()
}

// displayed returns a readable schedule.
func displayed(c query.BackupConfiguration, zone string) string {
	at := "00:00"
	if c.TimeOfDay != nil {
		at = *c.TimeOfDay
	}
	switch c.Frequency {
	case Hourly:
		return "Hourly, at minute " + at[3:]
	case Weekly:
		day := time.Sunday
		if c.Day != nil {
			day = time.Weekday(*c.Day % 7)
		}
		return fmt.Sprintf("Weekly on %s at %s (%s)", day, at, zone)
	case Custom:
		return fmt.Sprintf("At %s (%s)", expression(c), zone)
	}
	return fmt.Sprintf("Daily at %s (%s)", at, zone)
}

// Tick is the job that starts due work.
type Tick struct{}

// Kind names the job.
func (Tick) Kind() string { return "backup.tick" }

// Periodic returns the schedule of Tick.
func Periodic() job.Periodic { return job.Periodic{Every: tickEvery, Args: Tick{}} }

const tickEvery = 20 * time.Second

// tick starts what is due: runs, of which a missed one happens once, and proofs.
func (r *Runner) tick(ctx context.Context, _ Tick) error {
	now := r.Store.DB.Clock.Now()
	due, err := r.Store.DB.Read().Ungranted().ListDueBackupConfigurations(ctx, now.UnixMicro())
	if err != nil {
		return fmt.Errorf("list due backups: %w", err)
	}
	var failed []error // one configuration's does not keep the others from running
	for _, c := range due {
		if err := r.Store.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return r.due(ctx, tx, c) }); err != nil {
			failed = append(failed, fmt.Errorf("start backup of configuration %d: %w", c.ID, err))
		}
	}
	proofs, err := r.Store.DB.Read().Ungranted().ListDueVerifications(ctx, new(now.UnixMicro()))
	if err != nil {
		return errors.Join(append(failed, fmt.Errorf("list due proofs: %w", err))...)
	}
	for _, c := range proofs {
		if err := r.Store.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return r.dueProof(ctx, tx, c) }); err != nil {
			failed = append(failed, fmt.Errorf("start proof of configuration %d: %w", c.ID, err))
		}
	}
	return errors.Join(failed...)
}

func (r *Runner) due(ctx context.Context, tx *db.Tx, c query.BackupConfiguration) error {
	org, err := tx.GetOrganization(ctx, c)
	if err != nil {
		return fmt.Errorf("read organization: %w", err)
	}
	at, err := next(c, tx.Now, zoneOf(org.Timezone))
	if err != nil {
		return err
	}
	n, err := tx.ClaimBackupRun(ctx, c.ID, c.NextRunAt, at.UnixMicro())
	if err != nil || n == 0 { // another process was quicker, or the schedule was changed
		return err
	}
	srv, fit, err := r.fit(ctx, tx, c, "The backup that was due did not run. ", false)
	if err != nil || !fit {
		return err
	}
	running, err := tx.CountRunningBackups(ctx, c)
	if err != nil || running > 0 { // the previous one is still running; two would only take longer
		return err
	}
	_, _, err = r.Start(ctx, tx, access.Grant{OrganizationID: c.OrganizationID}, srv, c)
	return err
}

// fit reads the server of a configuration whose work is due. If none can be started there, it raises an alarm with what was
// missed, except for a server that is being deleted.
func (r *Runner) fit(ctx context.Context, tx *db.Tx, c query.BackupConfiguration, missed string, proof bool) (srv query.Server, fit bool, err error) {
	if srv, err = tx.GetServer(ctx, c); err != nil {
		return srv, false, fmt.Errorf("read server: %w", err)
	}
	if srv.Status == server.StatusDeleting {
		return srv, false, nil
	}
	if reason := unfit(srv); reason != "" {
		return srv, false, r.alarm(ctx, tx, c, missed+reason, proof)
	}
	return srv, true, nil
}

// unfit returns why no work can be started on a server; "" is nothing.
func unfit(srv query.Server) string {
	switch {
	case srv.Revoked:
		return "The server is archived."
	case srv.Status == server.StatusFailed:
		return "The server could not be set up."
	case !srv.IsReady:
		return "The server is not set up yet."
	}
	return ""
}

// Rezone reschedules the next runs of an organization in its new time zone. What is already due stays so.
func (r *Runner) Rezone(ctx context.Context, tx *db.Tx, organization query.InOrganization, zone string) error {
	all, err := tx.ListBackupConfigurationsOf(ctx, organization)
	if err != nil {
		return fmt.Errorf("list backup configurations: %w", err)
	}
	for _, c := range all {
		if c.NextRunAt <= tx.Micros() {
			continue
		}
		at, err := next(c, tx.Now, zoneOf(zone))
		if err != nil {
			return err
		}
		if err := tx.SetBackupNextRun(ctx, c.ID, at.UnixMicro()); err != nil {
			return fmt.Errorf("plan the next run of backup configuration %d: %w", c.ID, err)
		}
	}
	return nil
}

// overdueAfter is how much later than planned a proof may be before an alarm, in planned intervals.
const overdueAfter = 2

func (r *Runner) dueProof(ctx context.Context, tx *db.Tx, c query.BackupConfiguration) error {
	every := time.Duration(c.VerifyEveryDays) * 24 * time.Hour
	n, err := tx.SetBackupVerifyAt(ctx, c.ID, c.VerifyAt, new(tx.Now.Add(every).UnixMicro()))
	if err != nil || n == 0 {
		return err
	}
	srv, fit, err := r.fit(ctx, tx, c, "The proof of a backup that was due did not run. ", true)
	if err != nil || !fit {
		return err
	}
	all, err := tx.ListBackups(ctx, c)
	if err != nil {
		return fmt.Errorf("list backups: %w", err)
	}
	for _, b := range all {
		if b.Status == StatusFinished && !b.Safety { // of an incomplete one, what is there
			_, err := r.Prove(ctx, tx, access.Grant{OrganizationID: c.OrganizationID}, srv, c, b)
			return err
		}
	}
	since := c.CreatedAt
	if c.VerifiedAt != nil {
		since = *c.VerifiedAt
	}
	if tx.Now.Sub(time.UnixMicro(since)) >= overdueAfter*every {
		return r.alarm(ctx, tx, c, "No backup could be verified: there is none.", true)
	}
	return nil
}
