package database

import (
	"github.com/hostlerhq/hostler/internal/engine/converge"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// Converger makes engines match their databases and accounts, and queries their state: after a run that failed (Read, in found.go), and for drift.
type Converger struct {
	converge.Converger
	Asker
	DB *db.DB
}

// Aspect returns it for the engine.
func (c *Converger) Aspect() job.Aspect {
	a := c.Converger.Aspect()
	a.Read, a.Drift = c.Read, c.Drift
	return a
}

// NewConverger makes the aspect of databases.
func NewConverger(l *ledger.Ledger, d *db.DB, box *secret.Box, asker Asker) *Converger {
	c := &Converger{DB: d, Asker: asker}
	c.Converger = converge.Converger{Ledger: l, Box: box, Plans: Plan, Done: c.synchronize}
	return c
}

// What db_status of a server says after an action on the service of its engine.
const (
	ServiceRunning = "running"
	ServiceStopped = "stopped"
)
