package database

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/host"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/secret"
)

// Converger makes engines agree with the rows of databases and accounts.
type Converger struct {
	DB  *db.DB
	Box *secret.Box
	// Hosts and Targets are for looking at what an engine has.
	Hosts   Hosts
	Targets job.Targets
}

// Hosts runs what asks a host.
type Hosts interface {
	Run(ctx context.Context, t host.Target, run wire.Run, on func(wire.Event)) (wire.Result, error)
	ForgetRun(ctx context.Context, t host.Target, id string) error
}

// The actions on an engine's service.
const (
	actionRestart = "restart"
	actionStop    = "stop"
)

// Settle writes what is true now. A password that was not set is kept for trying again.
func (a *Converger) Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	var err error
	switch op.ResourceType {
	case resourceDatabase:
		err = a.settleDatabase(ctx, tx, op, done)
	case resourceUser:
		err = a.settleUser(ctx, tx, op, done)
	case resourceService:
		if done {
			err = tx.SetServerDatabaseStatus(ctx, op.ServerID, new(map[string]string{actionRestart: "running", actionStop: "stopped"}[op.Action]), tx.Micros())
		}
	}
	if err != nil {
		return fmt.Errorf("settle %s %d: %w", op.ResourceType, op.ResourceID, err)
	}
	return nil
}

func (a *Converger) settleDatabase(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	row, err := tx.GetDatabase(ctx, op.ServerID, op.ResourceID)
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if op.Action == "delete" && done {
		_, err := tx.DeleteDatabase(ctx, row.ID)
		return err
	}
	if op.Action == "create" && done {
		row.Present = true
		if err := tx.MarkDatabasePresent(ctx, row.ID); err != nil {
			return err
		}
	}
	return tx.SettleDatabase(ctx, row.ID, settled(row.Present), &op.ID, tx.Micros())
}

// settled is the state of what is there, or is not.
func settled(present bool) string {
	if present {
		return StatusInstalled
	}
	return StatusFailed
}

func (a *Converger) settleUser(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	row, err := tx.GetDatabaseUser(ctx, op.ServerID, op.ResourceID)
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	r, err := requestOf(op)
	if err != nil {
		return err
	}
	if op.Action == "delete" && done {
		_, err := tx.DeleteDatabaseUser(ctx, row.ID)
		return err
	}
	if op.Action == "create" && done {
		row.Present = true
		if err := tx.MarkDatabaseUserPresent(ctx, row.ID); err != nil {
			return err
		}
	}
	if r.Password && done {
		if err := a.take(ctx, tx, op); err != nil {
			return err
		}
		if row.Main && op.Action != "create" { // what sites of older releases were given is worth nothing any more
			if err := tx.ForgetSitesAccount(ctx, &row.ID); err != nil {
				return err
			}
		}
	}
	if r.Grants && op.Action == "update" {
		if err := settleGrants(ctx, tx, row, op, r, done); err != nil {
			return err
		}
	}
	return tx.SettleDatabaseUser(ctx, row.ID, settled(row.Present), &op.ID, tx.Micros())
}

// settleGrants makes the list of an account's databases what it is on the host. Where newer work has changed it again, that is told what was
// before it in truth.
func settleGrants(ctx context.Context, tx *db.Tx, row query.DatabaseUser, op query.Operation, r request, done bool) error {
	is := r.Before
	if done {
		is = r.DatabaseIDs
	}
	next, err := tx.NextOperation(ctx, op.ResourceType, op.ResourceID, op.ID)
	if errors.Is(err, db.ErrNotFound) {
		return setGrants(ctx, tx, row, is)
	}
	if err != nil {
		return err
	}
	newer, err := requestOf(next)
	if err != nil {
		return err
	}
	newer.Before = is
	raw, err := json.Marshal(newer)
	if err != nil {
		return err
	}
	return tx.SetOperationRequest(ctx, next.ID, string(raw))
}

// setGrants writes which databases an account may use, as far as they still exist.
func setGrants(ctx context.Context, tx *db.Tx, row query.DatabaseUser, ids []int64) error {
	if err := tx.ClearDatabaseGrants(ctx, row.ID); err != nil {
		return fmt.Errorf("set databases of account %d: %w", row.ID, err)
	}
	for _, id := range ids {
		_, err := tx.GetDatabase(ctx, row.ServerID, id)
		if errors.Is(err, db.ErrNotFound) {
			continue
		}
		if err == nil {
			err = tx.InsertDatabaseGrant(ctx, row.ID, id)
		}
		if err != nil {
			return fmt.Errorf("set databases of account %d: %w", row.ID, err)
		}
	}
	return nil
}

// Resume makes what is tried again transitional once more.
func (a *Converger) Resume(ctx context.Context, tx *db.Tx, op query.Operation) error {
	var err error
	status := map[string]string{"create": StatusInstalling, "update": StatusUpdating, "delete": StatusRemoving}[op.Action]
	switch op.ResourceType {
	case resourceDatabase:
		err = tx.SetDatabaseStatus(ctx, op.ResourceID, status, &op.ID, tx.Micros())
	case resourceUser:
		err = a.resumeUser(ctx, tx, op, status)
	}
	if err != nil {
		return fmt.Errorf("resume %s %d: %w", op.ResourceType, op.ResourceID, err)
	}
	return nil
}

func (a *Converger) resumeUser(ctx context.Context, tx *db.Tx, op query.Operation, status string) error {
	row, err := tx.GetDatabaseUser(ctx, op.ServerID, op.ResourceID)
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	r, err := requestOf(op)
	if err != nil {
		return err
	}
	if r.Grants && op.Action == "update" {
		if err := setGrants(ctx, tx, row, r.DatabaseIDs); err != nil {
			return err
		}
	}
	return tx.SetDatabaseUserStatus(ctx, row.ID, status, &op.ID, tx.Micros())
}
