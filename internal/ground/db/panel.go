package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// panelLock is the advisory lock that panels share and that maintenance takes alone: "panel" in ASCII.
const panelLock = 0x70616e656c

// LockPanel takes the lock of panels in a PostgreSQL database, shared or alone, and reports whether it got it. It is held by a connection of its own
// and is free once that ends, however it ends. An embedded database is locked by its directory.
func (d *DB) LockPanel(ctx context.Context, alone bool) (unlock func(), ok bool, err error) {
	conn, err := pgx.ConnectConfig(ctx, d.pools[Jobs].pool.Config().ConnConfig)
	if err != nil {
		return nil, false, fmt.Errorf("lock the database: %w", err)
	}
	unlock = func() { _ = conn.Close(context.WithoutCancel(ctx)) }
	try := `SELECT pg_try_advisory_lock_shared($1)`
	if alone {
		try = `SELECT pg_try_advisory_lock($1)`
	}
	if err := conn.QueryRow(ctx, try, panelLock).Scan(&ok); err != nil {
		unlock()
		return nil, false, fmt.Errorf("lock the database: %w", err)
	}
	if !ok {
		unlock()
	}
	return unlock, ok, nil
}
