package database

import (
	"context"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Make accepts a new database for another feature, such as a restore, with its owner and the access of the sites' account. Errors
// in its name are added to f, and nothing is created then.
func (o *Operations) Make(ctx context.Context, tx *db.Tx, f api.Fields, p server.Path, name string) (query.Database, error) {
	var err error
	if p, err = p.Lock(ctx, tx); err != nil {
		return query.Database{}, err
	}
	kind := needsEngine(f, p.Server)
	parsed, err := checkName(ctx, tx, f, p.Server, kind, name)
	if err != nil || len(f) > 0 {
		return query.Database{}, err
	}
	row, _, err := o.insertDatabase(ctx, tx, p, parsed)
	return row, err
}
