package php

import (
	"context"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Accounts are the lines that versions of PHP have for the pools of accounts.
type Accounts struct{}

// Leave returns the wishes for versions without the lines of an account that is removed.
func (Accounts) Leave(ctx context.Context, tx *db.Tx, srv query.Server, account string) ([]ledger.Wish, error) {
	known, err := Versions.Known(ctx, tx.Granted, srv.ID)
	if err != nil {
		return nil, err
	}
	var wishes []ledger.Wish
	for _, k := range known {
		row, err := Versions.Row(ctx, tx.Granted, k.ID)
		if err != nil {
			return nil, err
		}
		if row.Specification.Pools[account] == "" || row.Phase == ledger.Deleting || row.Phase == ledger.Gone {
			continue
		}
		wish, err := Versions.Want(k.ID, row.Specification.with(account, ""))
		if err != nil {
			return nil, err
		}
		wishes = append(wishes, wish)
	}
	return wishes, nil
}
