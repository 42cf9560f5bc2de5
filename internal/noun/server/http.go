package server

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/transfer"
	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// Operations are the operations on servers.
type Operations struct {
	Store  *Store
	Queue  *job.Queue
	Router *api.Router
	Keys   *Keys
	// Retrier begins the setup of a server again.
	Retrier Retrier
	// Rules makes the firewall rules that every new server has.
	Rules DefaultRules
	// Credentials are the accounts that servers can be made with, Accounts opens them, and Catalog is what their providers have.
	Credentials Credentials
	Accounts    Accounts
	Catalog     *cloud.Catalog
	// OutOfReach is set if servers at a provider could not call Hostler.
	OutOfReach bool
	// Balancers follow when a server's address changes.
	Balancers Balancers
	// Databases makes what a server with an engine begins with.
	Databases Databases
	// Drifter compares servers with what they should be.
	Drifter Drifter
	// Transfers list what a transfer of a server meets elsewhere.
	Transfers []transfer.Source
	// AllowLocal takes addresses of the machine that Hostler runs on, and of its link, for servers: for tests.
	AllowLocal bool
}

// Retrier makes failed work pending again.
type Retrier interface {
	Retry(ctx context.Context, tx *db.Tx, operation, by int64) error
}

// Credentials finds the provider of an account that the caller can see; access.ErrNotFound for any other.
type Credentials interface {
	ProviderOf(ctx context.Context, q *query.Granted, g access.Grant, id int64) (string, error)
}

// Balancers are notified when the address of a server changes, which may be a node of theirs, and when it is ready.
type Balancers interface {
	// Lock locks a server and the balancers that it is a node of, before the server is changed.
	Lock(ctx context.Context, tx *db.Tx, server query.Server) error
	NodeChanged(ctx context.Context, tx *db.Tx, g access.Grant, server query.Server, why string) error
}

// Databases writes the account of the sites on a new server's engine and its first database, if that has a name, and accepts their work. The
// account's password is shown once.
type Databases interface {
	AddDefaults(ctx context.Context, tx *db.Tx, p Path, first string) (secret.String, error)
	CheckName(row query.Server, name string) error
}

// DefaultRules asks for the visible rules of a new server, its SSH port, 80 and 443, as a part of the operation that sets it up.
type DefaultRules interface {
	Add(ctx context.Context, tx *db.Tx, server query.Server, operationID int64) error
}

// How long work on servers may take.
const (
	removalDeadline   = 10 * time.Minute
	ProvisionDeadline = 30 * time.Minute
)

// AspectProvision is setting a server up; it comes before every other aspect. AspectRemove takes us off it again.
const (
	AspectProvision = "provision"
	AspectRemove    = "remove"
)

// Register adds the operations.
func (o *Operations) Register() {
	const many, single = "/orgs/{organization}/servers", "/orgs/{organization}/servers/{server}"
	view := []access.Permission{access.ServerView}
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.index", Included: []any{TagResource{}}, Method: http.MethodGet, Path: many, Tag: "Servers", Mode: api.Sync,
		Permissions: view, Summary: "List servers",
		Description: "Archived servers are listed separately.",
		Filters: []api.Filter{
			{Name: "ip_address"},
			{Name: "name", Text: true},
			{Name: "region"},
			{Name: "size"},
			{Name: "provider"},
			{Name: "ubuntu_version"},
			{Name: "php_version"},
			{Name: "database_type"},
			TagFilter("server_tags", "server_id", "servers"),
		},
		Sorts: []string{"name", "provider", "ubuntu_version", "region", "php_version", "created_at", "updated_at"},
	}, o.Store.Organizations.InPath, o.index)
	api.WriteChecked(o.Router, api.Operation{
		ID: "organizations.servers.store", Included: []any{TagResource{}}, Method: http.MethodPost, Path: many, Tag: "Servers", Mode: api.Async,
		Permissions: []access.Permission{access.ServerCreate},
		Status:      http.StatusAccepted, BodyOptional: true, Conflict: true, Query: []api.Param{force}, Summary: "Create a server",
		Description: "For the provider custom, meta.bootstrap contains the setup command to run on the server as root. At any other provider, the server is " +
			"ordered with a credential, and destroyed if it does not call Hostler within half an hour. meta.shown_once contains the password of the " +
			"database account forge. Secrets are shown once.",
		Defaults: map[string]string{"provider": "custom", "type": "app"},
		Example:  map[string]any{"provider": "custom", "custom": map[string]any{"ip_address": "203.0.113.5"}},
	}, o.Store.Organizations.InPath, o.checkProvider, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.show", Included: []any{TagResource{}}, Method: http.MethodGet, Path: single, Tag: "Servers", Mode: api.Sync,
		Permissions: view, Summary: "Get a server",
	}, o.Store.InPath, o.show)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.update", Included: []any{TagResource{}}, Method: http.MethodPut, Path: single, Tag: "Servers", Mode: api.Sync,
		Permissions:  []access.Permission{access.ServerManageMeta},
		BodyOptional: true, Conflict: true, Begins: true, Query: []api.Param{force}, Summary: "Update a server",
		Example: map[string]any{"name": "example"},
	}, o.Store.InPath, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.destroy", Method: http.MethodDelete, Path: single, Tag: "Servers", Mode: api.Async,
		Permissions: []access.Permission{access.ServerDelete},
		Status:      http.StatusAccepted, Invalid: true, Conflict: true, Summary: "Delete a server",
		Description: "A server at a provider is destroyed there with everything on it, unless it is preserved, and its record is removed once the provider " +
			"no longer has it. Hostler's keys and agent are removed from a custom or preserved server, unless it can't be reached; its sites and their data " +
			"stay on it.",
		Query: []api.Param{{Name: "preserve_at_provider", Type: "boolean", Description: "Keep the server at its provider. A custom server is always kept."}},
		Asks: "At a provider, it is destroyed with everything on it, unless it is preserved. A machine of your own keeps its sites and data; " +
			"Hostler's keys and agent are removed from it.",
	}, o.Store.InPath, o.destroy)
	o.registerDrift()
	o.registerReboot()
	o.registerLine()
	o.registerRepair()
	o.registerKey()
	o.registerHostKeys()
	o.registerArchives()
	o.registerTransfer()
	o.registerUpgrade()
}

func (o *Operations) index(ctx context.Context, c api.Call[organization.Path]) (api.Collection[Resource], error) {
	return api.Paged(ctx, o.Store.DB.Reader(), c.List.Of("servers", Visible(c.Parent.Grant), db.Equal("revoked", false)),
		func(rows ...query.Server) ([]Resource, error) {
			return Resources(ctx, o.Store.DB.Reader(), o.Router, c.Parent.Slug, rows...)
		})
}

func (o *Operations) show(ctx context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	return o.document(ctx, o.Store.DB.Reader(), c.Parent.Slug, c.Parent.Server)
}

func (o *Operations) document(ctx context.Context, q query.DBTX, slug string, row query.Server) (api.Document[Resource], error) {
	return api.Single(Resources(ctx, q, o.Router, slug, row))
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	const preserve = "preserve_at_provider"
	preserved, err := c.Flag(preserve)
	if err != nil { // a typo destroys nothing
		return api.Empty{}, err
	}
	request := removalRequest{Preserve: preserved}
	p, err := c.Parent.Current(ctx, tx)
	if err != nil {
		return api.Empty{}, err
	}
	row := p.Server
	switch row.Status {
	case StatusDeleting: // a second delete while the first runs
		return api.Empty{}, nil
	case StatusArchiving:
		return api.Empty{}, api.Conflict("The server is being archived.")
	}
	if AtProvider(row) && row.CredentialID == nil && !request.Preserve { // it was transferred without the account
		return api.Empty{}, api.Invalid(preserve, "Hostler has no account at the server's provider. Keep the server there.")
	}
	nodes, err := tx.CountNodesOnServer(ctx, row)
	if err != nil {
		return api.Empty{}, fmt.Errorf("delete server: %w", err)
	}
	if nodes > 0 {
		return api.Empty{}, api.Conflict("The server is a node of a load balancer. Remove it there first.")
	}
	request.Status = row.Status
	accepted, err := o.Queue.Begin(ctx, tx, job.Work{
		Grant: c.Parent.Grant, ServerID: row.ID, Ready: true, Aspect: AspectRemove, Resource: "servers",
		ResourceID: row.ID,
		Action:     "delete", Description: "Deleting server " + row.Name, RanAs: "root", Request: request, Within: removalDeadline, Archived: true,
	})
	if err != nil {
		return api.Empty{}, err
	}
	if err := tx.SetServerStatus(ctx, query.SetServerStatusParams{
		ID: row.ID, Status: StatusDeleting, ConnectionStatus: row.ConnectionStatus, IsReady: false,
		UpdatedAt: tx.Micros(),
	}); err != nil {
		return api.Empty{}, fmt.Errorf("delete server: %w", err)
	}
	if err := tx.SetServerOperation(ctx, row.ID, &accepted.OperationID, tx.Micros()); err != nil {
		return api.Empty{}, fmt.Errorf("delete server: %w", err)
	}
	return api.Empty{Event: accepted.EventID}, nil
}

func checkTags(f api.Fields, names []string) {
	if len(names) > 50 {
		f.Add("tags", "There can be at most 50 tags.")
		return
	}
	for i, name := range names {
		if _, err := value.ParseTag(name); err != nil {
			f.Add("tags."+strconv.Itoa(i), "%s", err)
		}
	}
}

func setTags(ctx context.Context, tx *db.Tx, row query.Server, names []string) error {
	for _, name := range slices.Sorted(slices.Values(names)) { // always in one order, so that no two transactions wait for each other
		tag, err := tx.UpsertTag(ctx, row.OrganizationID, name, tx.Micros())
		if err != nil {
			return fmt.Errorf("tag server: %w", err)
		}
		if err := tx.AddServerTag(ctx, row.ID, tag.ID); err != nil {
			return fmt.Errorf("tag server: %w", err)
		}
	}
	return nil
}
