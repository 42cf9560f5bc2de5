// Package service is the programs of a server that people restart, reload and stop: nginx, PHP, the database engine, Redis and background processes.
package service

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/converge"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/database"
)

// Aspect is the part of a server that actions on services belong to, Deadline how long one may take, with waiting for the server.
const (
	Aspect   = "services"
	Deadline = 10 * time.Minute
)

// resource is what operations on services are about. Its id is the server's.
const resource = "services"

// The services, as requests name them.
const (
	nginx    = "nginx"
	php      = "php"
	engine   = "database"
	redis    = "redis"
	programs = "supervisor"
)

// The actions.
const (
	actionRestart = "restart"
	actionReload  = "reload"
	actionStop    = "stop"
)

// request is what an operation does to a service.
type request struct {
	Service string `json:"service"`
	// Version is that of PHP, as the API writes it.
	Version string `json:"version,omitempty"`
}

func read(op query.Operation) (request, error) {
	var r request
	if err := json.Unmarshal([]byte(op.Request), &r); err != nil {
		return r, fmt.Errorf("read what operation %d asks for: %w", op.ID, err)
	}
	return r, nil
}

// Task does actions on services. It asks for nothing lasting: what a service is set up to be is the plan of others.
type Task struct{ converge.Converger }

// NewTask makes the aspect.
func NewTask(l *ledger.Ledger) *Task {
	return &Task{converge.Converger{Ledger: l, Plans: Plan, OneByOne: true}}
}

// Aspect returns it for the engine.
func (t *Task) Aspect() job.Aspect {
	a := t.Converger.Aspect()
	a.Write = t.Write
	return a
}

// Write shows how an action left a database engine.
func (t *Task) Write(ctx context.Context, tx *db.Tx, op query.Operation, at job.State) error {
	r, err := read(op)
	if err != nil || !at.Done() || r.Service != engine {
		return err
	}
	status := database.ServiceRunning
	if op.Action == actionStop {
		status = database.ServiceStopped
	}
	if err := tx.SetServerDatabaseStatus(ctx, op.ServerID, &status, tx.Micros()); err != nil {
		return fmt.Errorf("settle service of server %d: %w", op.ServerID, err)
	}
	return nil
}
