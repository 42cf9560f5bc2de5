package server

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// force adds a server at an address and a port where the organization has one already.
var force = api.Param{
	Name: "force", Type: "boolean",
	Description: "Accept an address and SSH port of another server of the organization. Only one of the two can be set up.",
}

// sshPort is where Hostler logs in to a server: at its own port, or at the one that leads to it through NAT.
func sshPort(row query.Server) int64 {
	if row.BehindNAT && row.NATSSHPort != nil {
		return *row.NATSSHPort
	}
	return row.SSHPort
}

// reachedElsewhere reports whether the organization logs in to another server at the address and the port of this one. Those of other organizations do not
// count: an address is a claim that needs no proof, and refusing it would tell who made it first.
func reachedElsewhere(ctx context.Context, tx *db.Tx, row query.Server) (bool, error) {
	if row.IPAddress == nil {
		return false, nil
	}
	if err := alone(ctx, tx); err != nil {
		return false, err
	}
	n, err := tx.CountServersAt(ctx, row, row.IPAddress, sshPort(row), row.ID)
	if err != nil {
		return false, fmt.Errorf("look for servers at %s: %w", *row.IPAddress, err)
	}
	return n > 0, nil
}

// alone lets one transaction at a time look for servers: on PostgreSQL two that ask at once would not see each other.
func alone(ctx context.Context, tx *db.Tx) error {
	if err := tx.PutSetting(ctx, "servers.reach", ""); err != nil {
		return fmt.Errorf("look for servers: %w", err)
	}
	return nil
}

// checkReach refuses a new address and port at which the organization has another server, unless the request forces it.
func checkReach[P access.Authority](ctx context.Context, tx *db.Tx, c api.Call[P], before, row query.Server) error {
	forced, err := c.Flag(force.Name)
	if err != nil || forced || api.SameOrNil(before.IPAddress, row.IPAddress) {
		return err
	}
	taken, err := reachedElsewhere(ctx, tx, row)
	if err != nil || !taken {
		return err
	}
	return api.Conflict("There is already a server with this address and SSH port. Behind NAT, each server needs its own port. To use it anyway, use force=true.")
}

// checkMachine refuses the login to a machine that Hostler has logged in to as another server, of whatever organization: its host keys prove which it is. Two
// servers whose work meets on one machine take each other's files away.
func checkMachine(ctx context.Context, tx *db.Tx, row query.Server) error {
	if row.IsReady || row.HostKeys == "" {
		return nil
	}
	if err := alone(ctx, tx); err != nil {
		return err
	}
	n, err := tx.Ungranted().CountServersOfMachine(ctx, row.HostKeys, row.ID)
	if err != nil {
		return fmt.Errorf("look for other servers of the machine of server %d: %w", row.ID, err)
	}
	if n > 0 {
		return &job.StageError{Reason: "Hostler already manages this machine as another server: it has the same SSH host keys. " +
			"Delete that server first, or give a cloned machine host keys of its own."}
	}
	return nil
}
