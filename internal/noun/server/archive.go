package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// The actions of work that forgets the access to a server, and that sets one up again.
const (
	ActionArchive   = "archive"
	ActionReconnect = "reconnect"
)

// unreachedDeadline is how long a server that was away already is tried before it is archived all the same.
const unreachedDeadline = time.Minute

// ArchiveRequest names the server to archive.
type ArchiveRequest struct {
	ServerID int64 `json:"server_id"`
}

func (o *Operations) registerArchives() {
	const many, single = "/orgs/{organization}/servers/archives", "/orgs/{organization}/servers/archives/{server}"
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.archives.index", Included: []any{TagResource{}}, Method: http.MethodGet, Path: many, Tag: "Servers", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerView}, Summary: "List archived servers", Sorts: []string{"created_at", "updated_at"},
		Formerly: "servers archives",
	}, o.Store.Organizations.InPath, o.archives)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.archives.store", Method: http.MethodPost, Path: many, Tag: "Servers", Mode: api.Async,
		Permissions: []access.Permission{access.ServerArchive},
		Status:      http.StatusAccepted, Noun: "servers", Verb: "archive", Summary: "Archive a server",
		Description: "Removes Hostler's keys from the server, unless it can't be reached, and destroys the private key. The server keeps running, and its " +
			"records are kept. Its pending operations are cancelled, it leaves the networks of its peers, and there are no backups, renewals or alarms for " +
			"it until it is reconnected.",
		Asks: "Hostler's keys are removed from it. It is managed again once it is reconnected.",
	}, o.Store.Organizations.InPath, o.archive)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.archives.destroy", Method: http.MethodDelete, Path: single, Tag: "Servers", Mode: api.Async,
		Permissions: []access.Permission{access.ServerArchive},
		Status:      http.StatusAccepted, Conflict: true, Summary: "Reconnect an archived server",
		Description: "The server then waits for its setup command, which POST …/servers/{server}/line returns. Once the command has been run on the same " +
			"machine, identified by its host keys, the server is set up and repaired.",
	}, o.Store.InPath, o.reconnect)
}

func (o *Operations) archives(ctx context.Context, c api.Call[organization.Path]) (api.Collection[Resource], error) {
	return api.Paged(ctx, o.Store.DB.Reader(), c.List.Of("servers", Visible(c.Parent.Grant), db.Equal("revoked", true)),
		func(rows ...query.Server) ([]Resource, error) {
			return Resources(ctx, o.Store.DB.Reader(), o.Router, c.Parent.Slug, rows...)
		})
}

func (o *Operations) archive(ctx context.Context, tx *db.Tx, c api.Call[organization.Path], b ArchiveRequest) (api.Empty, error) {
	var none api.Empty
	row, err := o.archivable(ctx, tx, c, b.ServerID)
	if err != nil || row.Status == StatusArchiving { // a second request while the first runs
		return none, err
	}
	within := removalDeadline
	if row.ConnectionStatus == nil || *row.ConnectionStatus != ConnectionConnected {
		within = unreachedDeadline
	}
	accepted, err := o.Queue.Begin(ctx, tx, job.Work{
		Grant: c.Parent.Grant, ServerID: row.ID, Ready: true, Aspect: AspectRemove, Resource: "servers",
		ResourceID: row.ID,
		Action:     ActionArchive, Description: "Archiving server " + row.Name, RanAs: "root", Request: removalRequest{Status: row.Status}, Within: within,
	})
	if err != nil {
		return none, err
	}
	if err := setStatus(ctx, tx, row, StatusArchiving, false); err != nil {
		return none, err
	}
	if err := tx.SetServerOperation(ctx, row.ID, &accepted.OperationID, tx.Micros()); err != nil {
		return none, fmt.Errorf("archive server: %w", err)
	}
	return api.Empty{Event: accepted.EventID}, nil
}

// archivable locks and reads the server that a request wants to archive.
func (o *Operations) archivable(ctx context.Context, tx *db.Tx, c api.Call[organization.Path], id int64) (query.Server, error) {
	const field = "server_id"
	if len(c.Fields[field]) > 0 {
		return query.Server{}, c.Fields.Err()
	}
	row, grant, err := o.Store.Open(ctx, tx.Granted, c.Parent.Grant, id)
	switch {
	case errors.Is(err, access.ErrNotFound):
		return row, api.Invalid(field, "The selected server_id does not exist.")
	case err != nil:
		return row, err
	case !grant.May(access.ServerArchive):
		return row, api.Invalid(field, "Archiving %s requires server:archive on it.", row.Name)
	}
	if err := tx.LockServer(ctx, row.ID); err != nil {
		return row, err
	}
	if row, err = tx.GetServer(ctx, row); err != nil {
		return row, fmt.Errorf("archive server: %w", err)
	}
	switch {
	case row.Revoked:
		return row, api.Invalid(field, "The server is already archived.")
	case row.Status == StatusDeleting:
		return row, api.Invalid(field, "The server is being deleted.")
	case awaited(row):
		return row, api.Invalid(field, "The server has not been created yet.")
	}
	return row, nil
}

// archive forgets the access to a server. What else is asked of it ends, and it is no one's peer any more.
func (r *Remover) archive(ctx context.Context, tx *db.Tx, row query.Server) error {
	if err := tx.ArchiveServer(ctx, row.ID, StatusArchived, []byte{}, tx.Micros()); err != nil {
		return fmt.Errorf("archive server %d: %w", row.ID, err)
	}
	aspects, err := tx.ListOpenAspects(ctx, row)
	if err != nil {
		return fmt.Errorf("list work on server %d: %w", row.ID, err)
	}
	for _, aspect := range aspects {
		if err := r.Queue.Insert(ctx, tx, job.Converge{ServerID: row.ID, Aspect: aspect}); err != nil {
			return err
		}
	}
	r.Forget(row.ID)
	return nil
}

func (o *Operations) reconnect(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	var none api.Empty
	p, err := c.Parent.Current(ctx, tx)
	row := p.Server
	switch {
	case err != nil:
		return none, err
	case row.Status == StatusArchiving:
		return none, api.Conflict("The server is still being archived. Send the request again once it is archived.")
	case !row.Revoked:
		return none, api.ErrNotFound
	case row.Status == StatusDeleting:
		return none, api.Conflict("The server is being deleted.")
	}
	was, err := Resources(ctx, tx.SQL, o.Router, c.Parent.Slug, row)
	if err == nil {
		err = api.Was(ctx, was[0])
	}
	if err != nil {
		return none, err
	}
	taken, err := reachedElsewhere(ctx, tx, row)
	if err != nil {
		return none, err
	}
	if taken {
		return none, api.Conflict("Another server now has this address and SSH port. Change one of the two first.")
	}
	if err := tx.ReconnectServer(ctx, row.ID, StatusConnecting, new(ConnectionConnecting), tx.Micros()); err != nil {
		return none, fmt.Errorf("reconnect server: %w", err)
	}
	if _, err := o.Keys.issue(ctx, tx, &row); err != nil { // the line is made again when someone asks for it
		return none, err
	}
	accepted, err := o.Queue.Begin(ctx, tx, job.Work{
		Grant: c.Parent.Grant, ServerID: row.ID, Aspect: AspectProvision, Resource: "servers", ResourceID: row.ID,
		Action: ActionReconnect, Description: "Reconnecting server " + row.Name, RanAs: "root", Within: bootstrapWithin,
	})
	if err != nil {
		return none, err
	}
	if err := tx.SetServerOperation(ctx, row.ID, &accepted.OperationID, tx.Micros()); err != nil {
		return none, fmt.Errorf("reconnect server: %w", err)
	}
	return api.Empty{Event: accepted.EventID}, nil
}

// mend accepts the repair of a reconnected server: changes recorded while it was archived are not on it.
func (p *Provisioner) mend(ctx context.Context, tx *db.Tx, row query.Server) error {
	accepted, err := p.Queue.Begin(ctx, tx, job.Work{
		Grant: access.Grant{OrganizationID: row.OrganizationID}, ServerID: row.ID, Ready: true,
		Aspect: AspectRepair, Resource: "servers",
		ResourceID: row.ID, Action: ActionRepair, Description: "Repairing " + row.Name + " after it was reconnected", RanAs: "root", Within: repairDeadline,
	})
	if err != nil {
		return err
	}
	return tx.SetServerOperation(ctx, row.ID, &accepted.OperationID, tx.Micros())
}
