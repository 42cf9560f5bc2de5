package certificate

import (
	"context"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// MailExpiry is the kind of mail about expiring certificates.
const MailExpiry = "certificate"

// CheckMail reports whether the certificate of a mail still ends when the mail says, and its recipient is an owner.
func CheckMail(ctx context.Context, tx *db.Tx, m mail.Message) (bool, error) {
	row, err := tx.Ungranted().GetCertificate(ctx, m.About.ID)
	if err != nil || row.ExpiresAt == nil || time.UnixMicro(*row.ExpiresAt).UTC().Format(time.RFC3339) != m.About.State {
		return false, err
	}
	s, err := tx.GetSite(ctx, row)
	if err != nil {
		return false, err
	}
	return organization.IsOwner(ctx, tx, s, m.To)
}
