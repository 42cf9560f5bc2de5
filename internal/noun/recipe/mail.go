package recipe

import (
	"context"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/mail"
)

// MailOutput is the kind of mail with what a recipe printed.
const MailOutput = "recipe"

// CheckMail reports whether a run still exists, and who asked for its output is still a member with that address.
func CheckMail(ctx context.Context, tx *db.Tx, m mail.Message) (bool, error) {
	run, err := tx.Ungranted().GetRecipeRun(ctx, m.About.ID)
	if err != nil || run.UserID == nil {
		return false, err
	}
	user, err := tx.Ungranted().GetUser(ctx, *run.UserID)
	if err != nil || user.Email != m.To {
		return false, err
	}
	_, err = tx.GetMembership(ctx, run, user.ID)
	return err == nil, err
}
