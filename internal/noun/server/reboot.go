package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/task"
	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// AspectReboot is restarting a server.
const AspectReboot = "reboot"

// The actions of its work: by the server's system, or by its provider.
const (
	ActionReboot     = "reboot"
	ActionPowerCycle = "power-cycle"
)

// rebootDeadline is how long a server may take to come back; machines with much memory take minutes before they boot.
const rebootDeadline = 20 * time.Minute

// ServerActionRequest is what to do with a server.
type ServerActionRequest struct {
	Action string `json:"action" enum:"reboot,power-cycle" doc:"power-cycle is for servers of a cloud provider."`
}

func (o *Operations) registerReboot() {
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.actions.store", Method: http.MethodPost, Path: "/orgs/{organization}/servers/{server}/actions", Tag: "Servers", Mode: api.Async,
		Permissions: []access.Permission{access.ServerManageServices}, Status: http.StatusAccepted, ChangesHost: true, Noun: "servers", Verb: "act",
		Summary: "Reboot or power-cycle a server",
		Description: "The operation succeeds once the server answers again with a different boot id. Like any reboot, it ends running work on the server. A " +
			"power-cycle is performed by the provider, for a server that does not respond.",
		Asks: "Its sites are offline until the server is back.",
		Actions: map[string]api.Action{
			"power-cycle": {
				Summary:     "Power-cycle a server at its provider",
				Description: "For a server that does not respond. The operation succeeds once the server answers again with a different boot id."},
			"reboot": {
				Summary:     "Reboot a server",
				Description: "The operation succeeds once the server answers again with a different boot id. Running work on the server ends."},
		},
	}, o.Store.InPath, o.act)
}

func (o *Operations) act(ctx context.Context, tx *db.Tx, c api.Call[Path], b ServerActionRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return none, err
	}
	row := c.Parent.Server
	boot := FactsOf(row).BootID
	switch {
	case b.Action == ActionPowerCycle && !AtProvider(row):
		c.Fields.State("The server has no provider that could power-cycle it.")
	case b.Action == ActionPowerCycle && row.CredentialID == nil: // it was transferred without the account
		c.Fields.State("Hostler has no account at the server's provider.")
	case !row.IsReady || boot == "":
		c.Fields.State("The server is not set up yet.")
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	accepted, err := o.Queue.Begin(ctx, tx, job.Work{
		Grant: c.Parent.Grant, ServerID: row.ID, Ready: true, Aspect: AspectReboot, Resource: "servers",
		ResourceID: row.ID,
		Action:     b.Action, Description: map[string]string{ActionReboot: "Rebooting ", ActionPowerCycle: "Power-cycling "}[b.Action] +
			row.Name, RanAs: "root", Lasting: true, Request: rebootRequest{BootID: boot}, Within: rebootDeadline,
	})
	if err != nil {
		return none, err
	}
	row.OperationID = &accepted.OperationID
	if err := tx.SetServerOperation(ctx, row.ID, row.OperationID, tx.Micros()); err != nil {
		return none, fmt.Errorf("reboot server: %w", err)
	}
	doc, err := o.document(ctx, tx.SQL, c.Parent.Slug, row)
	doc.Event = accepted.EventID
	return doc, err
}

// rebootRequest is the boot that is to end.
type rebootRequest struct {
	BootID string `json:"boot_id"`
}

// Rebooter restarts servers, each time once: the boot that is to end is known by its id.
type Rebooter struct {
	Provisioner *Provisioner
	Machines    *Machines
}

// Aspect returns it for the engine.
func (r *Rebooter) Aspect() job.Aspect {
	return task.Kind[rebootRequest]{Load: task.Asked[rebootRequest], Steps: r.steps, Write: r.write}.Aspect()
}

// steps ask for the reboot in a moment, so that the answer still arrives, and are done when the server runs another boot.
func (r *Rebooter) steps(_ context.Context, _ *query.Queries, _ query.Server, op query.Operation, in rebootRequest) ([]job.Stage, error) {
	if in.BootID == "" {
		return nil, job.Planned(errors.New("it is not known which boot is to end"))
	}
	back := func(ctx context.Context, row query.Server) error { return r.back(ctx, row, in.BootID) }
	if op.Action == ActionPowerCycle {
		return []job.Stage{
			{Name: "switch off and on", After: func(ctx context.Context, row query.Server) error { return r.Machines.cycle(ctx, row, op.ID) }},
			{Name: "wait for the server", After: back},
		}, nil
	}
	return []job.Stage{{Name: "reboot", Change: wire.Change{Steps: reboot(in.BootID)}, After: back}}, nil
}

func reboot(boot string) []wire.Step {
	return []wire.Step{{Name: "reboot", Exec: &wire.Exec{
		Argv: []string{
			"systemd-run", "--quiet", "--collect", "--on-active=2",
			"--timer-property=AccuracySec=100ms", "systemctl", "reboot",
		},
		Unless: []string{"grep", "-qvxF", "-e", boot, "/proc/sys/kernel/random/boot_id"},
	}}}
}

// back checks whether the server runs another boot, and then stores its facts.
func (r *Rebooter) back(ctx context.Context, row query.Server, boot string) error {
	if err := r.Provisioner.Refresh(ctx, row); err != nil {
		return err
	}
	now, err := r.Provisioner.DB.Read().GetServer(ctx, row)
	if err != nil {
		return fmt.Errorf("reboot server %d: %w", row.ID, err)
	}
	if FactsOf(now).BootID == boot {
		return &job.LaterError{Reason: "The server is going down."}
	}
	return nil
}

// write lets a server be switched off and on once more. At an end there is nothing to show: facts are kept when the server is back.
func (r *Rebooter) write(ctx context.Context, tx *db.Tx, op query.Operation, _ rebootRequest, at job.State) error {
	if at != job.Queued || op.Action != ActionPowerCycle {
		return nil
	}
	return setCycled(ctx, tx, op.ServerID, "")
}

// cycle makes the provider switch a server off and on, once for each operation: if the answer is lost, the server is awaited all the same.
func (m *Machines) cycle(ctx context.Context, row query.Server, operation int64) error {
	a, err := m.begin(ctx, row)
	mark := strconv.FormatInt(operation, 10)
	switch {
	case err != nil || a.order.Cycled == mark:
		return err
	case a.row.Identifier == nil:
		return &job.StageError{Reason: "The provider does not have the server."}
	}
	if err := m.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return setCycled(ctx, tx, row.ID, mark) }); err != nil {
		return err
	}
	err = a.account.Cycle(ctx, a.row.Region, *a.row.Identifier)
	if p := (*cloud.Problem)(nil); !errors.As(err, &p) || p.Kind == cloud.Unavailable {
		return nil
	}
	if err := m.DB.Tx(ctx, func(ctx context.Context, tx *db.Tx) error { return setCycled(ctx, tx, row.ID, "") }); err != nil {
		return err
	}
	return m.explain(err)
}

func setCycled(ctx context.Context, tx *db.Tx, server int64, mark string) error {
	if err := tx.SetServerCycled(ctx, server, mark); err != nil {
		return fmt.Errorf("record that server %d is switched off and on: %w", server, err)
	}
	return nil
}
