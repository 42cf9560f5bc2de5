package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

func (o *Operations) registerLine() {
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.line.store", Method: http.MethodPost, Path: "/orgs/{organization}/servers/{server}/line", Tag: "Servers", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerCreate}, Extension: true, Conflict: true, Noun: "servers", Verb: "setup-command",
		Summary: "Generate a new setup command for a server",
		Description: "meta.bootstrap contains the setup command to run on the server as root. It is shown once and valid for a week. A new command invalidates " +
			"the old one.",
	}, o.Store.InPath, o.line)
}

// errAwaited is why there is no line for a server that was ordered with it.
var errAwaited = api.Conflict("The server calls Hostler when it boots and needs no setup command.")

func (o *Operations) line(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Document[Resource], error) {
	var none api.Document[Resource]
	p, err := c.Parent.Current(ctx, tx)
	row := p.Server
	switch {
	case err != nil:
		return none, err
	case row.Status == StatusDeleting:
		return none, api.Conflict("The server is being deleted.")
	case row.Revoked:
		return none, ErrArchived
	case row.HostKeys != "" || row.Status == StatusArchiving:
		return none, api.Conflict("The server is already connected and is not waiting for a setup command.")
	case awaited(row):
		return none, errAwaited
	}
	line, err := o.again(ctx, tx, c.Parent.Grant, &row)
	if err != nil {
		return none, err
	}
	doc, err := o.document(ctx, tx.SQL, c.Parent.Slug, row)
	if err != nil {
		return none, err
	}
	doc.Data.Meta.Own = append(doc.Data.Meta.Own, LineMeta{line})
	return doc, nil
}

// again makes another line for a server that never called. The one before is worth nothing from now on, and setting up waits for as long as the new one
// works, also where it was given up.
func (o *Operations) again(ctx context.Context, tx *db.Tx, g access.Grant, row *query.Server) (*BootstrapMeta, error) {
	line, err := o.Keys.issue(ctx, tx, row)
	if err != nil || row.OperationID == nil {
		return line, err
	}
	if err := o.Retrier.Retry(ctx, tx, *row.OperationID, g.UserID); err != nil && !errors.Is(err, job.ErrNotFailed) {
		return nil, err
	}
	if err := tx.ExtendOperation(ctx, *row.OperationID, tx.Now.Add(bootstrapWithin).UnixMicro(), tx.Micros()); err != nil {
		return nil, fmt.Errorf("wait for the line of server %d: %w", row.ID, err)
	}
	if err := setStatus(ctx, tx, *row, StatusConnecting, false); err != nil {
		return nil, err
	}
	row.Status = StatusConnecting
	return line, nil
}
