package heartbeat

import (
	"context"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// MailChange is the kind of mail about heartbeats that are missing, or beat again.
const MailChange = "heartbeat"

// CheckMail reports whether the heartbeat of a mail is still in the reported state, and its recipient is an owner.
func CheckMail(ctx context.Context, tx *db.Tx, m mail.Message) (bool, error) {
	row, err := tx.Ungranted().GetHeartbeatByID(ctx, m.About.ID)
	if err != nil || (row.Status == statusMissing) != (m.About.State == statusMissing) {
		return false, err
	}
	s, _, err := whereOf(ctx, tx.Granted, row)
	if err != nil {
		return false, err
	}
	return organization.IsOwner(ctx, tx, s, m.To)
}
