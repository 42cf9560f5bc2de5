package database

import (
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// Converger makes engines match their databases and accounts, and queries their state.
type Converger struct {
	ledger.Aspect
	DB      *db.DB
	Hosts   Hosts
	Targets job.Targets
}

// NewConverger makes the aspect of databases.
func NewConverger(l *ledger.Ledger, d *db.DB, box *secret.Box, hosts Hosts, targets job.Targets) *Converger {
	c := &Converger{DB: d, Hosts: hosts, Targets: targets}
	c.Aspect = ledger.Aspect{Ledger: l, Box: box, Plans: Plan, Done: c.synchronize}
	return c
}

// Settle writes the end of an operation; for one on the engine's service, its state.
func (c *Converger) Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	if op.ResourceType == resourceService && done {
		status := map[string]string{actionRestart: serviceRunning, actionStop: serviceStopped}[op.Action]
		if err := tx.SetServerDatabaseStatus(ctx, op.ServerID, &status, tx.Micros()); err != nil {
			return fmt.Errorf("settle service of server %d: %w", op.ServerID, err)
		}
	}
	return c.Aspect.Settle(ctx, tx, op, done)
}

// Values of db_status of a server after an action on the service.
const (
	serviceRunning = "running"
	serviceStopped = "stopped"
)
