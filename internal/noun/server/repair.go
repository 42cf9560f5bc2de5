package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// AspectRepair is making all that is applied on a server so again.
const AspectRepair = "repair"

// ActionRepair is the action of its work.
const ActionRepair = "repair"

// repairDeadline covers packages that are installed again.
const repairDeadline = time.Hour

func (o *Operations) registerRepair() {
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.repairs.store", Method: http.MethodPost, Path: "/orgs/{organization}/servers/{server}/repairs", Tag: "Servers", Mode: api.Async,
		Permissions: []access.Permission{access.ServerManageServices}, Status: http.StatusAccepted, Extension: true, ChangesHost: true, Conflict: true,
		Noun: "servers", Verb: "repair", Summary: "Repair a server",
		Description: "Applies everything recorded for the server again: files, units, accounts, packages, rights of database users. With dry_run=true the " +
			"server is compared, and the " +
			"plan shows what would change. Missing databases, database users and data directories are never replaced by empty ones: they are reported, as " +
			"are manual changes to the nginx configuration.",
		Asks: "Files changed outside Hostler are overwritten.",
	}, o.Store.InPath, o.repair)
}

func (o *Operations) repair(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Document[Resource], error) {
	var none api.Document[Resource]
	p, err := c.Parent.Current(ctx, tx)
	row := p.Server
	if err != nil {
		return none, err
	}
	if !row.IsReady {
		c.Fields.State("The server is not set up yet.")
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	accepted, err := beginRepair(ctx, tx, o.Queue, c.Parent.Grant, row, "Repairing "+row.Name)
	if err != nil {
		return none, err
	}
	row.OperationID = &accepted.OperationID
	doc, err := o.document(ctx, tx.SQL, c.Parent.Slug, row)
	doc.Event = accepted.EventID
	return doc, err
}

func beginRepair(ctx context.Context, tx *db.Tx, queue *job.Queue, g access.Grant, row query.Server, description string) (job.Accepted, error) {
	accepted, err := queue.Begin(ctx, tx, job.Work{
		Grant: g, ServerID: row.ID, Ready: true, Aspect: AspectRepair, Resource: "servers", ResourceID: row.ID,
		Action: ActionRepair, Description: description, RanAs: "root", Needs: []access.Permission{access.ServerManageServices}, Within: repairDeadline,
	})
	if err != nil {
		return accepted, err
	}
	if err := tx.SetServerOperation(ctx, row.ID, &accepted.OperationID, tx.Micros()); err != nil {
		return accepted, fmt.Errorf("repair server: %w", err)
	}
	return accepted, nil
}

// RolloutRepairs has rollouts repair servers.
func RolloutRepairs(queue *job.Queue) func(ctx context.Context, tx *db.Tx, row query.Server, description string) (int64, error) {
	return func(ctx context.Context, tx *db.Tx, row query.Server, description string) (int64, error) {
		accepted, err := beginRepair(ctx, tx, queue, access.Grant{OrganizationID: row.OrganizationID}, row, description)
		return accepted.OperationID, err
	}
}

// Mender plans all that a server has.
type Mender interface {
	Mend(ctx context.Context, server query.Server) ([]job.Stage, error)
}

// Repairer is the aspect of repairs. Each repair does the whole plan, so those that wait together are one.
type Repairer struct {
	Provisioner *Provisioner
	Mender      Mender
	Drifter     Drifter
}

// Aspect returns it for the engine.
func (r *Repairer) Aspect() job.Aspect { return job.Aspect{Plan: r.Plan, Write: r.write, Mends: true} }

// Plan is what every aspect plans for the whole server, between two looks at it: the first notes what is repaired, the second reports what is left.
func (r *Repairer) Plan(ctx context.Context, _ *query.Queries, row query.Server, included []query.Operation) ([]job.Stage, error) {
	if len(included) == 0 {
		return nil, nil
	}
	stages, err := r.Mender.Mend(ctx, row)
	return slices.Concat([]job.Stage{{Name: "look at the server", After: r.begin}}, stages,
		[]job.Stage{{Name: "report what is left", After: func(ctx context.Context, row query.Server) error { return r.report(ctx, row, included) }}}), err
}

// repairing is the setting that holds the name of what a server's agent remembered when its last repair began.
func repairing(id int64) string { return "repair:" + strconv.FormatInt(id, 10) }

func (r *Repairer) begin(ctx context.Context, row query.Server) error {
	if err := r.Provisioner.Refresh(ctx, row); err != nil {
		return err
	}
	return r.Provisioner.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		row, err := tx.GetServer(ctx, row)
		if err == nil {
			err = tx.PutSetting(ctx, repairing(row.ID), FactsOf(row).Memory)
		}
		if err != nil {
			return fmt.Errorf("begin a repair: %w", err)
		}
		return nil
	})
}

// report says in the events of repairs how the server differs still.
func (r *Repairer) report(ctx context.Context, row query.Server, ops []query.Operation) error {
	if err := r.Provisioner.Refresh(ctx, row); err != nil {
		return err
	}
	left, err := r.Drifter.Drift(ctx, row)
	if plan := (*job.PlanError)(nil); errors.As(err, &plan) {
		return &job.StageError{Reason: plan.Error()}
	}
	if err != nil || len(left) == 0 {
		return err
	}
	pieces := []job.Piece{{Kind: "note", Content: "Not restored, and left as it is:\n"}}
	for _, d := range left {
		pieces = append(pieces, job.Piece{Kind: "note", Step: d.Step, Content: d.Step + ": " + d.Path + " " + d.What + "\n"})
	}
	return r.Provisioner.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		for _, op := range ops {
			if op.EventID == nil {
				continue
			}
			if err := job.Say(ctx, tx, *op.EventID, pieces...); err != nil {
				return err
			}
		}
		return nil
	})
}

// write notes that the server has again what its agent had forgotten when the repair began. If it forgot again since, it is lost still.
func (r *Repairer) write(ctx context.Context, tx *db.Tx, op query.Operation, at job.State) error {
	if !at.Done() {
		return nil
	}
	if err := job.RolledOut(ctx, tx, op); err != nil {
		return err
	}
	row, err := tx.Ungranted().GetServer(ctx, op.ResourceID)
	if err != nil {
		return fmt.Errorf("settle repair: %w", err)
	}
	memory, err := tx.Ungranted().GetSetting(ctx, repairing(row.ID))
	if err != nil {
		return fmt.Errorf("settle repair: %w", err)
	}
	lost := row.MemoryLostAt
	if memory == FactsOf(row).Memory {
		lost = nil
	}
	if err := tx.SetServerMemory(ctx, row.ID, memory, lost); err != nil {
		return fmt.Errorf("settle repair: %w", err)
	}
	return nil
}

// remembered is the name of what a server's agent is to remember, and since when it is another one, where it is. A name that was never heard of
// before is taken as it is.
func remembered(row query.Server, found string, now int64) (memory string, lost *int64) {
	switch {
	case found == "" || found == row.Memory:
		return row.Memory, nil
	case row.Memory == "":
		return found, nil
	case row.MemoryLostAt != nil:
		return row.Memory, row.MemoryLostAt
	}
	return row.Memory, &now
}
