package database

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/api"
	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/secret"
	"github.com/hostlerhq/hostler/internal/server"
	"github.com/hostlerhq/hostler/internal/site"
)

// ForSite is how a site signs in to a database of its server: as an account that may use it, without one as that of all sites. What is wrong is
// added to f.
func (s *Store) ForSite(ctx context.Context, tx *db.Tx, f api.Fields, p server.Path, database, user *int64) (site.Connection, error) {
	var c site.Connection
	var d query.Database
	if database == nil {
		f.Add("database_id", "The database_id is required with a database_user_id.")
	} else {
		var err error
		d, err = tx.GetDatabase(ctx, p.Server.ID, *database)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return c, fmt.Errorf("read database %d: %w", *database, err)
		}
		if err != nil || d.Status == StatusRemoving || d.Status == StatusFailed {
			f.Add("database_id", "There is no such database on this server.")
		}
	}
	if len(f["database_id"]) > 0 && user == nil {
		return c, nil
	}
	account, err := s.accountFor(ctx, tx, f, p.Server, d, user)
	if err != nil || len(f["database_user_id"]) > 0 || len(f["database_id"]) > 0 {
		return c, err
	}
	password, err := s.passwordOf(ctx, tx, account)
	if err != nil {
		return c, err
	}
	if password.Reveal() == "" {
		f.Add("database_user_id", "The password of the account %s is not known here; set it first.", account.Name)
	}
	kind := "mysql"
	if EngineOf(p.Server) == PostgreSQL {
		kind = "pgsql"
	}
	return site.Connection{Kind: kind, DatabaseID: d.ID, UserID: account.ID, Database: d.Name, User: account.Name, Password: password}, nil
}

func (s *Store) accountFor(ctx context.Context, tx *db.Tx, f api.Fields, srv query.Server, d query.Database, id *int64) (query.DatabaseUser, error) {
	if id == nil {
		account, err := tx.GetMainDatabaseUser(ctx, srv.ID)
		if errors.Is(err, db.ErrNotFound) {
			f.Add("database_user_id", "The server has no account of its sites; name another.")
			return account, nil
		}
		if err != nil {
			err = fmt.Errorf("read the database account of server %d: %w", srv.ID, err)
		}
		return account, err
	}
	account, err := tx.GetDatabaseUser(ctx, srv.ID, *id)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return account, fmt.Errorf("read database account %d: %w", *id, err)
	}
	if err != nil || account.Status == StatusRemoving || account.Status == StatusFailed {
		f.Add("database_user_id", "There is no such account on this server.")
		return account, nil
	}
	if account.Main || d.ID == 0 {
		return account, nil
	}
	grants, err := db.All[query.DatabaseGrant](ctx, tx.SQL, "database_grants", db.Equal("user_id", account.ID))
	if err != nil {
		return account, err
	}
	if !slices.ContainsFunc(grants, func(g query.DatabaseGrant) bool { return g.DatabaseID == d.ID }) {
		f.Add("database_user_id", "The account %s may not use the database %s.", account.Name, d.Name)
	}
	return account, nil
}

// passwordOf is an account's password, or the one that it is about to get.
func (s *Store) passwordOf(ctx context.Context, tx *db.Tx, row query.DatabaseUser) (secret.String, error) {
	if row.Password != nil {
		return s.Password(row)
	}
	kept, err := tx.LastDatabasePassword(ctx, row.ID)
	if errors.Is(err, db.ErrNotFound) {
		return "", nil // it was found on the server
	}
	if err != nil {
		return "", fmt.Errorf("read password of account %d: %w", row.ID, err)
	}
	return openKept(s.Box, kept)
}
