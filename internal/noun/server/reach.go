package server

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// sshPort is where Hostler logs in to a server: at its own port, or at the one that leads to it through NAT.
func sshPort(row query.Server) int64 {
	if row.BehindNAT && row.NATSSHPort != nil {
		return *row.NATSSHPort
	}
	return row.SSHPort
}

// reachedElsewhere reports whether another server is logged in to at the address and the port of this one: the two are one machine, or one of them is
// not what it is taken for. Servers whose work meets on one machine take each other's files away.
func reachedElsewhere(ctx context.Context, tx *db.Tx, row query.Server) (bool, error) {
	if row.IPAddress == nil {
		return false, nil
	}
	if err := tx.PutSetting(ctx, "servers.reach", ""); err != nil { // on PostgreSQL two that ask at once would not see each other
		return false, fmt.Errorf("look for servers at %s: %w", *row.IPAddress, err)
	}
	n, err := tx.Ungranted().CountServersAt(ctx, row.IPAddress, sshPort(row), row.ID)
	if err != nil {
		return false, fmt.Errorf("look for servers at %s: %w", *row.IPAddress, err)
	}
	return n > 0, nil
}

// checkReach refuses an address and port at which another server of the installation is.
func checkReach(ctx context.Context, tx *db.Tx, f api.Fields, field string, row query.Server) error {
	if len(f) > 0 {
		return nil
	}
	taken, err := reachedElsewhere(ctx, tx, row)
	if err == nil && taken {
		f.Add(field, "There is already a server with this address and SSH port. Behind NAT, each server needs its own port.")
	}
	return err
}
