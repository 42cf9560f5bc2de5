package server

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/task"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// AspectUpgrade is upgrading the packages of a server.
const AspectUpgrade = "upgrade"

// ActionUpgrade is the action of its work.
const ActionUpgrade = "upgrade"

// upgradeDeadline covers a new release of a distribution's version on a slow mirror.
const upgradeDeadline = 2 * time.Hour

// UpgradeRequest says which packages of a server are upgraded.
type UpgradeRequest struct {
	SecurityOnly bool `json:"security_only,omitempty" doc:"Install only security updates."`
	Reboot       bool `json:"reboot,omitempty" doc:"Reboot the server afterwards if updates require it."`
}

func (o *Operations) registerUpgrade() {
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.upgrades.store", Method: http.MethodPost, Path: "/orgs/{organization}/servers/{server}/upgrades", Tag: "Servers", Mode: api.Async,
		Permissions: []access.Permission{access.ServerManageServices}, Status: http.StatusAccepted, Extension: true, ChangesHost: true, Conflict: true,
		BodyOptional: true,
		Noun:         "servers", Verb: "upgrade", Summary: "Upgrade the packages of a server",
		Description: "Installs the newest versions in the server's package sources, except for packages on hold. Packages restart their own services. The " +
			"server is rebooted only on request.",
	}, o.Store.InPath, o.upgrade)
}

func (o *Operations) upgrade(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpgradeRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	p, err := c.Parent.Current(ctx, tx)
	if err != nil {
		return none, err
	}
	row := p.Server
	if !row.IsReady {
		c.Fields.State("The server is not set up yet.")
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	accepted, err := o.Queue.Begin(ctx, tx, job.Work{
		Grant: p.Grant, ServerID: row.ID, Ready: true, Aspect: AspectUpgrade, Resource: "servers", ResourceID: row.ID,
		Action: ActionUpgrade, Description: "Upgrading packages of " + row.Name, RanAs: "root", Lasting: true, Request: b, Within: upgradeDeadline,
	})
	if err != nil {
		return none, err
	}
	row.OperationID = &accepted.OperationID
	if err := tx.SetServerOperation(ctx, row.ID, row.OperationID, tx.Micros()); err != nil {
		return none, fmt.Errorf("upgrade server: %w", err)
	}
	doc, err := o.document(ctx, tx.SQL, p.Slug, row)
	doc.Event = accepted.EventID
	return doc, err
}

// Upgrader upgrades packages.
type Upgrader struct {
	Provisioner *Provisioner
	Queue       *job.Queue
}

// Aspect returns it for the engine.
func (u *Upgrader) Aspect() job.Aspect {
	return task.Kind[UpgradeRequest]{Load: task.Asked[UpgradeRequest], Steps: u.steps, Write: u.write}.Aspect()
}

// steps are one of the agent, which knows what is pending once it has read the package sources. A second run finds nothing to do.
func (u *Upgrader) steps(_ context.Context, _ *query.Queries, _ query.Server, _ query.Operation, in UpgradeRequest) ([]job.Stage, error) {
	which := wire.PendingAll
	if in.SecurityOnly {
		which = wire.PendingSecurity
	}
	return []job.Stage{{
		Name: "upgrade packages", Detach: true, Within: upgradeDeadline, After: u.Provisioner.Refresh,
		Change: wire.Change{Steps: []wire.Step{{Name: "upgrade packages", Packages: &wire.Packages{Pending: which}}}},
	}}, nil
}

// write begins the reboot that was asked for, if updates wait for one.
func (u *Upgrader) write(ctx context.Context, tx *db.Tx, op query.Operation, in UpgradeRequest, at job.State) error {
	if !at.Done() || !in.Reboot {
		return nil
	}
	row, err := tx.Ungranted().GetServer(ctx, op.ServerID)
	if err != nil {
		return fmt.Errorf("settle the upgrade of server %d: %w", op.ServerID, err)
	}
	if !row.RebootNeeded || row.Revoked {
		return nil
	}
	accepted, err := u.Queue.Begin(ctx, tx, job.Work{
		Grant: access.Grant{OrganizationID: row.OrganizationID}, ServerID: row.ID, Ready: true,
		Aspect: AspectReboot, Resource: "servers",
		ResourceID: row.ID, Action: ActionReboot, Description: "Rebooting " + row.Name + " after its upgrade", RanAs: "root", Lasting: true,
		Needs: []access.Permission{access.ServerManageServices}, Request: rebootRequest{BootID: FactsOf(row).BootID}, Within: rebootDeadline,
	})
	if err != nil {
		return err
	}
	return tx.SetServerOperation(ctx, row.ID, &accepted.OperationID, tx.Micros())
}

// UpdatesMeta counts the packages of a server that have a newer version.
type UpdatesMeta struct {
	Pending  int `json:"pending"`
	Security int `json:"security" doc:"How many of these are security updates."`
	// RebootNeeded reports whether updates that are installed wait for a reboot.
	RebootNeeded bool `json:"reboot_needed" doc:"Whether installed updates wait for a reboot."`
}
