package account

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// TwoFactorAttributes describe the setup of a second factor.
type TwoFactorAttributes struct {
	Enabled       bool  `json:"enabled"`
	RecoveryCodes int64 `json:"recovery_codes" doc:"The number of unused recovery codes."`
}

// ResourceType returns twoFactors.
func (TwoFactorAttributes) ResourceType() string { return "twoFactors" }

// TwoFactorResource is the second factor in a document.
type TwoFactorResource = api.Resource[TwoFactorAttributes, api.NoRelationships]

// CodeRequest is a code of the authenticator app.
type CodeRequest struct {
	Code api.Secret `json:"code" maxLength:"64" writeOnly:"true"`
}

func (p *Personal) twoFactor(ctx context.Context, c api.Call[access.Actor]) (api.Document[TwoFactorResource], error) {
	row, err := p.db().Read().GetTwoFactor(ctx, c.Parent)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return api.Document[TwoFactorResource]{}, fmt.Errorf("read second factor: %w", err)
	}
	n, err := p.db().Read().CountRecoveryCodes(ctx, c.Parent)
	if err != nil {
		return api.Document[TwoFactorResource]{}, fmt.Errorf("count recovery codes: %w", err)
	}
	return p.twoFactorDocument(c.Parent.UserID, row.ConfirmedAt != nil, n, nil), nil
}

func (p *Personal) twoFactorDocument(user int64, enabled bool, codes int64, shown *api.ShownOnce) api.Document[TwoFactorResource] {
	res := TwoFactorResource{
		ID: strconv.FormatInt(user, 10), Links: p.Sign.Router.Links("/user/two-factor"),
		Attributes: TwoFactorAttributes{Enabled: enabled, RecoveryCodes: codes},
	}
	if shown != nil {
		res.Meta = &api.Meta{ShownOnce: shown}
	}
	return api.Document[TwoFactorResource]{Data: res}
}

func (p *Personal) beginTwoFactor(ctx context.Context, c api.Call[access.Actor], b PasswordRequest) (api.Document[TwoFactorResource], error) {
	var none api.Document[TwoFactorResource]
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	user, err := p.again(ctx, c.Parent, "password", b.Password.Reveal())
	if err != nil {
		return none, err
	}
	text, sealed, err := newTwoFactor(p.Sign.Box, user.ID)
	if err != nil {
		return none, err
	}
	err = p.db().Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := tx.GetTwoFactor(ctx, user)
		if err == nil && row.ConfirmedAt != nil {
			return api.Conflict("There is already a second factor. Remove it first.")
		}
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return err
		}
		return tx.PutTwoFactor(ctx, user.ID, sealed, tx.Micros())
	})
	if err != nil {
		return none, err
	}
	return p.twoFactorDocument(user.ID, false, 0, &api.ShownOnce{Secret: api.SecretOf(text), URL: api.SecretOf(otpURL(user.Email, text))}), nil
}

func (p *Personal) confirmTwoFactor(ctx context.Context, c api.Call[access.Actor], b CodeRequest) (api.Document[TwoFactorResource], error) {
	var none api.Document[TwoFactorResource]
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	var codes []string
	err := p.db().Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := tx.GetTwoFactor(ctx, c.Parent)
		if errors.Is(err, db.ErrNotFound) || err == nil && row.ConfirmedAt != nil {
			return api.Conflict("Two-factor authentication is not being set up.")
		}
		if err != nil {
			return err
		}
		ok, err := useCode(ctx, tx, p.Sign.Box, c.Parent, b.Code.Reveal())
		if err != nil {
			return err
		}
		if !ok {
			return api.Invalid("code", "The code is not valid.")
		}
		if err := tx.ConfirmTwoFactor(ctx, c.Parent.UserID, new(tx.Micros())); err != nil {
			return err
		}
		codes, err = newRecoveryCodes(ctx, tx, c.Parent.UserID)
		return err
	})
	if err != nil {
		return none, err
	}
	return p.twoFactorDocument(c.Parent.UserID, true, recoveryCodes, &api.ShownOnce{RecoveryCodes: api.SecretsOf(codes)}), nil
}

func (p *Personal) removeTwoFactor(ctx context.Context, c api.Call[access.Actor], b PasswordRequest) (api.Document[api.NoBody], error) {
	var none api.Document[api.NoBody]
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	user, err := p.again(ctx, c.Parent, "password", b.Password.Reveal())
	if err != nil {
		return none, err
	}
	return none, p.db().Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return errors.Join(tx.DeleteTwoFactor(ctx, user.ID), tx.DeleteRecoveryCodes(ctx, user.ID))
	})
}

func (p *Personal) newCodes(ctx context.Context, c api.Call[access.Actor], b PasswordRequest) (api.Document[TwoFactorResource], error) {
	var none api.Document[TwoFactorResource]
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	user, err := p.again(ctx, c.Parent, "password", b.Password.Reveal())
	if err != nil {
		return none, err
	}
	var codes []string
	err = p.db().Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := tx.GetTwoFactor(ctx, user)
		if errors.Is(err, db.ErrNotFound) || err == nil && row.ConfirmedAt == nil {
			return api.Conflict("Two-factor authentication is off.")
		}
		if err != nil {
			return err
		}
		codes, err = newRecoveryCodes(ctx, tx, user.ID)
		return err
	})
	if err != nil {
		return none, err
	}
	return p.twoFactorDocument(user.ID, true, recoveryCodes, &api.ShownOnce{RecoveryCodes: api.SecretsOf(codes)}), nil
}
