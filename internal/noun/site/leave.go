package site

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

const keepHome = "keep_home"

// Removal is how a site is removed.
type Removal struct {
	// KeepHome keeps the home of an account that goes with its last site.
	KeepHome bool `json:"keep_home,omitempty"`
}

// RemovalOf returns how an operation removes a site; the zero Removal for other work.
func RemovalOf(op query.Operation) (r Removal, err error) {
	if op.ResourceType != Sites.Kind || op.Action != "delete" || op.Request == "" {
		return r, nil
	}
	if err := json.Unmarshal([]byte(op.Request), &r); err != nil {
		return r, fmt.Errorf("read what operation %d asks for: %w", op.ID, err)
	}
	return r, nil
}

// leaving returns the removal of what else a server has of a site's account, if this is its last site, and accepts that of its database account: whoever
// got into the site must find none of it when another tenant gets the name.
func (o *Operations) leaving(ctx context.Context, tx *db.Tx, p Path) ([]ledger.Wish, error) {
	row := p.Site
	last, err := lastOfAccount(ctx, tx, row)
	if err != nil || !last {
		return nil, err
	}
	wishes, err := o.Ledger.RemovalsOf(ctx, tx, row.ServerID, row.UnixUser)
	if err != nil {
		return nil, err
	}
	settings, err := o.PHP.Leave(ctx, tx, p.Server, row.UnixUser)
	if err != nil {
		return nil, err
	}
	return append(wishes, settings...), o.Databases.Leave(ctx, tx, p.Path, row)
}

// lastOfAccount reports whether no other site has the account of an isolated site, other than those that are being deleted.
func lastOfAccount(ctx context.Context, tx *db.Tx, row query.Site) (bool, error) {
	if !row.Isolated {
		return false, nil
	}
	all, err := tx.ListServerSites(ctx, row)
	if err != nil {
		return false, fmt.Errorf("list sites of account %s: %w", row.UnixUser, err)
	}
	for _, other := range all {
		if other.ID != row.ID && other.Isolated && other.UnixUser == row.UnixUser && other.Status != StatusUninstalling {
			return false, nil
		}
	}
	return true, nil
}
