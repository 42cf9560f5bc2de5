package database

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/secret"
)

// keptPlace is where the password that an operation sets is sealed for, and ownPlace where that of an account is.
func keptPlace(operation int64) secret.Place {
	return secret.Place{Table: "database_passwords", Row: strconv.FormatInt(operation, 10), Column: "password"}
}

func ownPlace(user int64) secret.Place {
	return secret.Place{Table: "database_users", Row: strconv.FormatInt(user, 10), Column: "password"}
}

// keep seals the password that an operation is to set.
func keep(ctx context.Context, tx *db.Tx, box *secret.Box, operation, user int64, password secret.String) error {
	sealed, err := box.Seal(keptPlace(operation), []byte(password.Reveal()))
	if err != nil {
		return err
	}
	if err := tx.InsertDatabasePassword(ctx, operation, user, sealed); err != nil {
		return fmt.Errorf("keep password: %w", err)
	}
	return nil
}

func openKept(box *secret.Box, row query.DatabasePassword) (secret.String, error) {
	text, err := box.Open(keptPlace(row.OperationID), row.Password)
	return secret.String(text), err
}

func (a *Converger) password(ctx context.Context, q *query.Queries, op query.Operation) (secret.String, error) {
	row, err := q.GetDatabasePassword(ctx, op.ID)
	if err != nil {
		return "", fmt.Errorf("read password of operation %d: %w", op.ID, err)
	}
	return openKept(a.Box, row)
}

// take makes the password that an operation set the account's.
func (a *Converger) take(ctx context.Context, tx *db.Tx, op query.Operation) error {
	password, err := a.password(ctx, tx.Queries, op)
	if err != nil {
		return err
	}
	sealed, err := a.Box.Seal(ownPlace(op.ResourceID), []byte(password.Reveal()))
	if err != nil {
		return err
	}
	if err := tx.SetDatabaseUserPassword(ctx, op.ResourceID, sealed); err != nil {
		return fmt.Errorf("keep password: %w", err)
	}
	if err := tx.DeleteDatabasePassword(ctx, op.ID); err != nil {
		return fmt.Errorf("keep password: %w", err)
	}
	return nil
}

// Password is what an account proves itself with, for what signs in as it; "" where the account was found on the server.
func (s *Store) Password(row query.DatabaseUser) (secret.String, error) {
	if row.Password == nil {
		return "", nil
	}
	text, err := s.Box.Open(ownPlace(row.ID), row.Password)
	return secret.String(text), err
}
