package database

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Leave accepts the removal of the account that a site signs in with, if no other site of the server uses it: its password stood in the site's files.
func (o *Operations) Leave(ctx context.Context, tx *db.Tx, p server.Path, row query.Site) error {
	if row.DatabaseUserID == nil {
		return nil
	}
	account, err := tx.GetDatabaseUser(ctx, p.Server, *row.DatabaseUserID)
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read database user %d: %w", *row.DatabaseUserID, err)
	}
	sites, err := tx.ListSitesOfAccount(ctx, p.Server, row.DatabaseUserID)
	if err != nil {
		return fmt.Errorf("list sites of database user %d: %w", account.ID, err)
	}
	if account.Main || slices.ContainsFunc(sites, func(s query.Site) bool { return s.ID != row.ID }) {
		return nil
	}
	_, err = o.accounts.Drop(ctx, tx, p, account.ID, "Deleting database user "+account.Name, ledger.Forced{Force: true}, nil)
	return err
}

// ForSite returns how the site of a domain signs in to a database of its server: as an account with access to it, or as one that
// is created for the site with access to nothing else. The account with access to every database is refused: one tenant would
// have its password. Errors are added to f.
func (o *Operations) ForSite(ctx context.Context, tx *db.Tx, f api.Fields, p server.Path, domain string, database, user *int64) (project.Connection, error) {
	var c project.Connection
	var err error
	if p, err = p.Lock(ctx, tx); err != nil {
		return c, err
	}
	var d query.Database
	if database == nil {
		f.Add("database_id", "The database_id is required with a database_user_id.")
	} else {
		d, err = tx.GetDatabase(ctx, p.Server, *database)
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
	var account query.DatabaseUser
	var password secret.String
	if user == nil {
		account, password, err = o.ownAccount(ctx, tx, p, d, domain)
	} else if account, err = o.Store.accountFor(ctx, tx, f, p.Server, d, *user); err == nil && len(f["database_user_id"]) == 0 && len(f["database_id"]) == 0 {
		password, err = o.Store.Password(ctx, tx, account.ID)
	}
	if err != nil || len(f["database_user_id"]) > 0 || len(f["database_id"]) > 0 {
		return c, err
	}
	if password.Reveal() == "" {
		f.Add("database_user_id", "Hostler does not know the password of the account %s; set it first.", account.Name)
	}
	kind := "mysql"
	if EngineOf(p.Server) == PostgreSQL {
		kind = "pgsql"
	}
	return project.Connection{Kind: kind, DatabaseID: d.ID, UserID: account.ID, Database: d.Name, User: account.Name, Password: password}, nil
}

// ownAccount creates an account with access to this one database, named after the site's domain.
func (o *Operations) ownAccount(ctx context.Context, tx *db.Tx, p server.Path, d query.Database, domain string) (query.DatabaseUser, secret.String, error) {
	name, err := freeAccount(ctx, tx, p.Server, domain)
	if err != nil {
		return query.DatabaseUser{}, "", err
	}
	password := newPassword()
	row, _, err := o.insertUser(ctx, tx, p, UserSpecification{Name: name, Databases: []int64{d.ID}}, password)
	return row, password, err
}

// ownAccountMax leaves room for a number in the shortest limit of any engine.
const ownAccountMax = 28

// freeAccount returns an unused account name for a site that the engine accepts: shop_example_com, shop_example_com_2.
func freeAccount(ctx context.Context, tx *db.Tx, srv query.Server, domain string) (string, error) {
	base := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(domain)), "_")
	base = base[:min(len(base), ownAccountMax)]
	if _, err := ParseAccount(EngineOf(srv), "name", base); err != nil {
		base = "site_" + base[:min(len(base), ownAccountMax-len("site_"))]
	}
	for n := 1; ; n++ {
		name := base
		if n > 1 {
			name += "_" + strconv.Itoa(n)
		}
		_, err := tx.GetDatabaseUserByName(ctx, srv, name)
		if errors.Is(err, db.ErrNotFound) {
			return name, nil
		}
		if err != nil {
			return "", fmt.Errorf("read database user %s: %w", name, err)
		}
	}
}

func (s *Store) accountFor(ctx context.Context, tx *db.Tx, f api.Fields, srv query.Server, d query.Database, id int64) (query.DatabaseUser, error) {
	account, err := tx.GetDatabaseUser(ctx, srv, id)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return account, fmt.Errorf("read database account %d: %w", id, err)
	}
	if err != nil || account.Status == StatusRemoving || account.Status == StatusFailed {
		f.Add("database_user_id", "There is no such account on this server.")
		return account, nil //nolint:nilerr // the field says it
	}
	if account.Main {
		f.Add("database_user_id", "The account %s has access to every database of the server. Omit it, and an account is created for the site.", account.Name)
	}
	if account.Main || d.ID == 0 {
		return account, nil
	}
	grants, err := db.All[query.DatabaseGrant](ctx, tx.SQL, "database_grants", db.Equal("user_id", account.ID))
	if err != nil {
		return account, err
	}
	if !slices.ContainsFunc(grants, func(g query.DatabaseGrant) bool { return g.DatabaseID == d.ID }) {
		f.Add("database_user_id", "The account %s has no access to the database %s.", account.Name, d.Name)
	}
	return account, nil
}
