package database

import (
	"context"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Make accepts a new database for another feature, such as a restore, with its owner, the access of the sites' account, and the
// extensions of the one that it is like, if any. Errors in its name are added to f, and nothing is created then.
func (o *Operations) Make(ctx context.Context, tx *db.Tx, f api.Fields, p server.Path, name string,
	like query.Database) (query.Database, error) {
	var err error
	if p, err = p.Lock(ctx, tx); err != nil {
		return query.Database{}, err
	}
	kind, err := needsEngine(f, p.Server)
	if err != nil {
		return query.Database{}, err
	}
	parsed, err := checkName(ctx, tx, f, p.Server, kind, name)
	if err != nil || len(f) > 0 {
		return query.Database{}, err
	}
	spec := Specification{Name: parsed.String()}
	if kind == PostgreSQL {
		spec.Extensions = listed(like.Extensions)
	}
	row, _, err := o.insertDatabase(ctx, tx, p, spec)
	return row, err
}

// Unmake starts to delete a database that Make created for work that failed, unless a site uses it by now.
func (o *Operations) Unmake(ctx context.Context, tx *db.Tx, srv query.Server, id int64) error {
	if err := tx.LockServers(ctx, srv.ID); err != nil {
		return err
	}
	row, err := tx.GetDatabase(ctx, srv, id)
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read database %d: %w", id, err)
	}
	p := server.Path{Server: srv, Grant: access.Grant{OrganizationID: srv.OrganizationID}}
	_, err = o.schemas.Drop(ctx, tx, p, id, "Deleting database "+row.Name+", whose restore failed", nil, nil)
	var used *api.Error
	if errors.As(err, &used) {
		return nil
	}
	return err
}
