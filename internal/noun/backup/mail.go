package backup

import (
	"context"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/mail"
)

// MailAlarm is the kind of mail about backups that need attention.
const MailAlarm = "backup"

// CheckMail reports whether the backup configuration of a mail still needs attention, and still names its recipient.
func CheckMail(ctx context.Context, tx *db.Tx, m mail.Message) (bool, error) {
	c, err := tx.Ungranted().GetBackupConfigurationByID(ctx, m.About.ID)
	return err == nil && c.Alarm != nil && *c.Alarm != "" && c.NotifyEmail != nil && *c.NotifyEmail == m.To, err
}
