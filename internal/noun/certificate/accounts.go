package certificate

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"

	"github.com/mholt/acmez/v3/acme"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// account returns an organization's account at the authority and creates it the first time. Authorizations belong to accounts
// (RFC 8555 section 7.5), so what one organization validated is unknown to another's account.
func (a *Authority) account(ctx context.Context, organizationID int64) (acme.Account, error) {
	a.making.Lock()
	defer a.making.Unlock()
	account, err := a.known(ctx, organizationID)
	if err == nil || !errors.Is(err, db.ErrNotFound) {
		return account, own(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return account, own(fmt.Errorf("make key: %w", err))
	}
	if account, err = a.acme().NewAccount(ctx, acme.Account{TermsOfServiceAgreed: true, PrivateKey: key}); err != nil {
		return account, fmt.Errorf("make account: %w", err)
	}
	text, err := encodeKey(key)
	if err != nil {
		return account, own(err)
	}
	sealed, err := a.Box.Seal(a.accountPlace(organizationID), text)
	if err != nil {
		return account, own(err)
	}
	err = a.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return tx.InsertACMEAccount(ctx, query.InsertACMEAccountParams{
			OrganizationID: organizationID, Directory: a.Directory, PrivateKey: sealed, Location: account.Location,
			CreatedAt: tx.Micros(),
		})
	})
	if err != nil {
		return account, own(fmt.Errorf("keep account: %w", err))
	}
	account, err = a.known(ctx, organizationID) // another process may have been first
	return account, own(err)
}

func (a *Authority) accountPlace(organizationID int64) secret.Place {
	return secret.Place{Table: "organization_acme_accounts", Row: strconv.FormatInt(organizationID, 10) + " " + a.Directory, Column: "private_key"}
}

// known returns the account of an organization; db.ErrNotFound if there is none yet.
func (a *Authority) known(ctx context.Context, organizationID int64) (acme.Account, error) {
	row, err := a.DB.Read().Ungranted().GetACMEAccount(ctx, organizationID, a.Directory)
	if err != nil {
		return acme.Account{}, fmt.Errorf("read account: %w", err)
	}
	return a.open(a.accountPlace(organizationID), row.PrivateKey, row.Location)
}

func (a *Authority) open(at secret.Place, sealed []byte, location string) (acme.Account, error) {
	text, err := a.Box.Open(at, sealed)
	if err != nil {
		return acme.Account{}, err
	}
	key, err := parseKey(string(text))
	if err != nil {
		return acme.Account{}, err
	}
	return acme.Account{Status: acme.StatusValid, Location: location, PrivateKey: key, TermsOfServiceAgreed: true}, nil
}

// retire deactivates the accounts that all organizations shared (RFC 8555 section 7.3.6), and with each the authorizations that
// the authority remembers for it. Certificates that were issued under one stay valid; they are renewed in their organization's
// account.
func (a *Authority) retire(ctx context.Context) error {
	rows, err := a.DB.Read().Ungranted().ListSharedACMEAccounts(ctx)
	if err != nil {
		return fmt.Errorf("list shared accounts: %w", err)
	}
	var failed error
	for _, row := range rows {
		// The name under which they were sealed, before the table was renamed.
		account, err := a.open(secret.Place{Table: "acme_accounts", Row: row.Directory, Column: "private_key"}, row.PrivateKey, row.Location)
		if err != nil {
			return err
		}
		client := a.clientOf(row.Directory)
		if _, err = client.GetDirectory(ctx); err == nil {
			account.Status = acme.StatusDeactivated
			_, err = client.UpdateAccount(ctx, account)
		}
		if err != nil && !errors.As(err, new(acme.Problem)) { // a problem document: the authority has already closed or forgotten it
			failed = errors.Join(failed, fmt.Errorf("deactivate the shared account at %s: %w", row.Directory, err))
			continue
		}
		if err := a.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return tx.DeleteSharedACMEAccount(ctx, row.Directory) }); err != nil {
			return fmt.Errorf("forget shared account: %w", err)
		}
	}
	return failed
}
