package account

import (
	"context"
	"errors"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/db"
	mailer "github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// The kinds of mail about an account: a link that works once, and the notice that an address has an account.
const (
	MailLink  = "account-link"
	MailKnown = "account-known"
)

// CheckLink reports whether the link in a mail still works, for the address that it is sent to.
func CheckLink(ctx context.Context, tx *db.Tx, m mailer.Message) (bool, error) {
	_, token, _ := strings.Cut(m.Link, "#")
	if _, err := tx.Ungranted().GetEmailToken(ctx, secret.Hash(token), m.About.State, tx.Micros()); err != nil {
		return false, err
	}
	user, err := tx.Ungranted().GetUser(ctx, m.About.ID)
	return user.Email == m.To, err
}

// CheckKnown reports whether the address of a mail still has an account.
func CheckKnown(ctx context.Context, tx *db.Tx, m mailer.Message) (bool, error) {
	_, err := tx.Ungranted().GetUserByEmail(ctx, m.To)
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
