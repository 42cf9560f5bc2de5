package database

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/dbaccount"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// sealedAt returns the place of an account's sealed password.
func sealedAt(user int64) secret.Place {
	return secret.Place{Table: "database_users", Row: strconv.FormatInt(user, 10), Column: "password"}
}

// set sets the password of an account's specification.
func (s *Store) set(spec *UserSpecification, user int64, password secret.String) error {
	sealed, err := s.Box.Seal(sealedAt(user), []byte(password.Reveal()))
	if err != nil {
		return err
	}
	spec.Password, spec.Salt = sealed, dbaccount.Salt()
	return nil
}

// Password returns the current or upcoming password of an account, for programs that sign in as it; "" for an adopted account.
func (s *Store) Password(ctx context.Context, tx *db.Tx, user int64) (secret.String, error) {
	row, err := Users.Row(ctx, tx.Granted, user)
	if err != nil || row.Specification.Password == nil {
		return "", err
	}
	text, err := s.Box.Open(sealedAt(user), row.Specification.Password)
	if err != nil {
		return "", fmt.Errorf("open password of account %d: %w", user, err)
	}
	return secret.String(text), nil
}
