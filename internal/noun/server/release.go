package server

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/task"
	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// AspectRelease is destroying what was ordered for a server that could not be created.
const AspectRelease = "release"

// ActionRelease is the action of its work.
const ActionRelease = "release"

// destroy makes the provider destroy every server that an order led to. It is done once the provider has none of them.
func (a attempt) destroy(ctx context.Context) error {
	found, err := a.account.Find(ctx, a.row.Region, a.order.Name)
	if err != nil {
		return a.explain(err)
	}
	if id := a.row.Identifier; id != nil && !slices.ContainsFunc(found, func(m cloud.Machine) bool { return m.ID == *id }) { // its name may have been changed
		one, ok, err := a.account.Machine(ctx, a.row.Region, *id)
		if err != nil {
			return a.explain(err)
		}
		if ok {
			found = append(found, one)
		}
	}
	if len(found) == 0 {
		if a.row.Identifier == nil && a.inDoubt() {
			return a.later("It is unknown whether the server was ordered. Looking for it.")
		}
		return nil
	}
	for _, one := range found {
		if err := a.account.Destroy(ctx, a.row.Region, one.ID); err != nil {
			return a.explain(err, cloud.Invalid) // other work on the server may have to end first
		}
	}
	return a.later("The provider destroys the server.")
}

// release destroys what was ordered, and prepares another order: another name, another key and another secret.
func (a attempt) release(ctx context.Context) error {
	if err := a.destroy(ctx); err != nil {
		return err
	}
	return a.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := tx.GetServer(ctx, a.row)
		if err != nil {
			return fmt.Errorf("read server %d: %w", a.row.ID, err)
		}
		if err := tx.RenewServerOrder(ctx, row.ID, orderName(row)); err != nil {
			return fmt.Errorf("prepare another order of server %d: %w", row.ID, err)
		}
		if err := setMachine(ctx, tx, row.ID, nil, nil, nil); err != nil {
			return err
		}
		_, err = a.Keys.issue(ctx, tx, &row)
		return err
	})
}

// giveUp begins to destroy what was ordered for a server that could not be created. Its secret is worth nothing from now on, and an attempt that has not
// sent its order yet can't do so any more.
func giveUp(ctx context.Context, tx *db.Tx, jobs *job.Queue, row query.Server) error {
	order, err := tx.GetServerOrder(ctx, row)
	if err != nil {
		return fmt.Errorf("read the order of server %d: %w", row.ID, err)
	}
	if order.Releasing {
		return nil
	}
	if err := errors.Join(tx.ReleaseServerOrder(ctx, row.ID), tx.ClearServerSecret(ctx, row.ID)); err != nil {
		return fmt.Errorf("give up the order of server %d: %w", row.ID, err)
	}
	if row.Identifier == nil && order.SentAt == 0 { // nothing was ordered
		return nil
	}
	_, err = jobs.Begin(ctx, tx, job.Work{
		Grant: access.Grant{OrganizationID: row.OrganizationID}, ServerID: row.ID, Ready: true, Aspect: AspectRelease,
		Resource: "servers", ResourceID: row.ID, Action: ActionRelease, Description: "Destroying the order of " + row.Name, RanAs: "root", Within: releaseWithin,
		Needs: []access.Permission{access.ServerCreate, access.ServerDelete},
	})
	return err
}

// Releaser destroys what was ordered in vain.
type Releaser struct{ Machines *Machines }

// Aspect returns it for the engine. It does not wait until the server is set up, which never happens. What is left of the order is seen by its next attempt,
// and by its deletion.
func (r *Releaser) Aspect() job.Aspect {
	return task.Kind[struct{}]{Load: task.Nothing, Steps: r.steps, Early: true}.Aspect()
}

// steps destroy it, unless another attempt at creating the server did so before it ordered again.
func (r *Releaser) steps(context.Context, *query.Queries, query.Server, query.Operation, struct{}) ([]job.Stage, error) {
	return []job.Stage{{Name: "destroy", After: func(ctx context.Context, row query.Server) error {
		a, err := r.Machines.begin(ctx, row)
		if err != nil || !a.order.Releasing {
			return err
		}
		return a.release(ctx)
	}}}, nil
}
