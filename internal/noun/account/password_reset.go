package account

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	mailer "github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// ForgotRequest asks for a link to set a new password.
type ForgotRequest struct {
	Email string `json:"email" maxLength:"254"`
}

// ResetRequest sets a new password.
type ResetRequest struct {
	Token        api.Secret `json:"token" maxLength:"256" writeOnly:"true"`
	Password     api.Secret `json:"password" minLength:"12" maxLength:"256" writeOnly:"true"`
	RevokeTokens bool       `json:"revoke_tokens,omitempty" doc:"Also revoke all personal access tokens and program authorizations. Sessions end in any case."`
}

func (s *Sign) forgot(ctx context.Context, c api.Call[access.Actor], b ForgotRequest) (api.Document[api.NoBody], error) {
	var none api.Document[api.NoBody]
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	email := strings.ToLower(strings.TrimSpace(b.Email))
	counters := limitsOf(ctx, s.DB, "forgot\x00"+email)
	counted := []limit{counters.here, counters.address}
	if err := (throttle{s.DB}).check(ctx, counted...); err != nil {
		return none, err
	}
	if err := (throttle{s.DB}).fail(ctx, counted...); err != nil { // each request counts, so that a mailbox can't be flooded
		return none, err
	}
	return none, s.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		user, err := tx.Ungranted().GetUserByEmail(ctx, email)
		if errors.Is(err, db.ErrNotFound) { // the same work, for an unknown account
			_, err := s.Box.Seal(secret.Place{Table: "mails", Row: secret.Random(12), Column: "sealed"}, []byte(email))
			return err
		}
		if err != nil {
			return fmt.Errorf("read user: %w", err)
		}
		api.AboutUser(ctx, user.ID)
		return s.link(ctx, tx, user, purposeReset, resetLife, mailer.Message{
			Subject: "Reset a password",
			Text:    "Open this link within an hour to set a new password for your Hostler account. If you didn't request this, ignore this email:",
		}, "/reset-password")
	})
}

func (s *Sign) reset(ctx context.Context, c api.Call[access.Actor], b ResetRequest) (api.Document[api.NoBody], error) {
	var none api.Document[api.NoBody]
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	if _, err := s.DB.Read().Ungranted().GetEmailToken(ctx, secret.Hash(b.Token.Reveal()), purposeReset,
		s.DB.Clock.Now().UnixMicro()); err != nil { // before the expensive part
		if errors.Is(err, db.ErrNotFound) {
			return none, api.Invalid("token", "This link was already used, or has expired.")
		}
		return none, fmt.Errorf("read link: %w", err)
	}
	hash, err := s.derive(ctx, b.Password.Reveal())
	if err != nil {
		return none, err
	}
	return none, s.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		user, err := s.redeem(ctx, tx, b.Token.Reveal(), purposeReset)
		if err != nil {
			return err
		}
		if user.EmailVerifiedAt == nil { // the owner of this link can read the mail of the address
			if err := tx.VerifyEmail(ctx, user.ID, new(tx.Micros())); err != nil {
				return fmt.Errorf("verify address: %w", err)
			}
		}
		_, err = setPassword(ctx, tx, user.ID, hash, true, 0, b.RevokeTokens)
		return err
	})
}
