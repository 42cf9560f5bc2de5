package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/transfer"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// TransferRequest says which organization a server goes to.
type TransferRequest struct {
	To     string `json:"to" maxLength:"255" doc:"The slug of an organization in which you can create servers."`
	TeamID *int64 `json:"team_id,omitempty" nullable:"true"`
	Force  bool   `json:"force,omitempty" doc:"Detach what can't be transferred. Without it, the request is refused if there is anything to detach."`
}

// TransferAttributes are what a transfer of a server would do.
type TransferAttributes struct {
	To         *string         `json:"to" nullable:"true" doc:"The slug of the requested organization."`
	Possible   bool            `json:"possible" doc:"Whether nothing prevents the transfer."`
	NeedsForce bool            `json:"needs_force" doc:"Whether force is required because something can't be transferred."`
	Moves      []TransferCount `json:"moves" nullable:"false"`
	Items      []TransferItem  `json:"items" nullable:"false" doc:"What can't simply be transferred."`
}

// ResourceType returns serverTransfers.
func (TransferAttributes) ResourceType() string { return "serverTransfers" }

// Columns are what a table shows.
func (TransferAttributes) Columns() []string {
	return []string{"to", "possible", "needs_force"}
}

// TransferCount is how many resources of a kind go along.
type TransferCount struct {
	Type  string `json:"type"`
	Count int64  `json:"count"`
}

// TransferItem is something that a transfer ends, or that stands in its way.
type TransferItem struct {
	Effect string `json:"effect" enum:"blocks,detached,left,reaches"`
	Type   string `json:"type"`
	ID     *int64 `json:"id" nullable:"true"`
	Name   string `json:"name"`
	Text   string `json:"text"`
}

// TransferResource is what a transfer would do, in a document.
type TransferResource = api.Resource[TransferAttributes, api.NoRelationships]

func (o *Operations) registerTransfer() {
	const path = "/orgs/{organization}/servers/{server}/transfer"
	needed := []access.Permission{access.ServerTransfer, access.ServerDelete}
	further := []api.Further{{Permissions: []access.Permission{access.ServerCreate}, Elsewhere: api.OtherOrganization}}
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.transfer.show", Method: http.MethodGet, Path: path, Tag: "Servers", Mode: api.Sync, Permissions: needed, Extension: true,
		Invalid: true,
		Noun:    "servers", Verb: "transfer-preview", Summary: "Preview the transfer of a server",
		Description: "Lists what would be transferred, what would not, and what prevents the transfer, without changing anything.",
		Query: []api.Param{{
			Name: "to", Type: "string",
			Description: "The slug of an organization in which you can create servers. If omitted, no organization is checked.",
		}},
		Further: further,
	}, o.Store.InPath, o.foresee)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.transfer.store", Method: http.MethodPost, Path: path, Tag: "Servers", Mode: api.Sync, Permissions: needed,
		Further: further, Extension: true, Conflict: true, Located: true,
		Noun: "servers", Verb: "transfer", Summary: "Transfer a server to another organization",
		Description: "The server and everything on it belong to the other organization when it is answered, with their history. Nothing changes on the " +
			"server, and its sites are served meanwhile. " +
			"It is refused while work on the server is open, and while other servers depend on it. Repeated, with an Idempotency-Key or not, it is answered 404: " +
			"the server is now at its Location.",
		Asks:    "It will belong to the other organization. What would go along and what would be left is shown by transfer-preview.",
		Example: map[string]any{"to": "other"},
	}, o.Store.InPath, o.transfer)
}

// destination finds the organization that a server is to go to: one in which the caller may create servers.
func destination(ctx context.Context, q *query.Granted, c api.Call[Path], slug string) (organization.Path, error) {
	const field = "to"
	if err := c.Require(c.Parent.Actor, access.ServerCreate); err != nil { // a token needs the scope wherever the server goes
		return organization.Path{}, err
	}
	to, err := organization.Get(ctx, q, c.Parent.Actor, slug)
	switch {
	case slug == "":
		return to, api.Invalid(field, "The to field is required.")
	case errors.Is(err, db.ErrNotFound) || errors.Is(err, access.ErrNotFound):
		return to, api.Invalid(field, "The selected organization does not exist.")
	case err != nil:
		return to, err
	case to.OrganizationID == c.Parent.OrganizationID:
		return to, api.Invalid(field, "The server is already in this organization.")
	}
	return to, c.Require(to.Grant, access.ServerCreate)
}

func (o *Operations) foresee(ctx context.Context, c api.Call[Path]) (api.Document[TransferResource], error) {
	var none api.Document[TransferResource]
	a := TransferAttributes{}
	if slug := c.Query("to"); slug != "" {
		if _, err := destination(ctx, o.Store.DB.Read(), c, slug); err != nil {
			return none, err
		}
		a.To = &slug
	}
	var err error
	if a.Items, err = o.items(ctx, o.Store.DB.Reader(), o.Store.DB.Read(), c.Parent); err != nil {
		return none, err
	}
	if a.Moves, err = moving(ctx, o.Store.DB.Read(), c.Parent.Server); err != nil {
		return none, err
	}
	a.Possible, a.NeedsForce = len(of(a.Items, transfer.Blocks)) == 0, len(of(a.Items, transfer.Detached)) > 0
	return api.Document[TransferResource]{Data: TransferResource{
		ID: strconv.FormatInt(c.Parent.Server.ID, 10), Attributes: a,
		Links: o.Router.Links(c.Parent.URL() + "/transfer"),
	}}, nil
}

// transfer gives a server and everything on it to another organization, in one transaction. What is asked of the server meanwhile comes before this, and
// is open work then, or after it, and does not find the server.
func (o *Operations) transfer(ctx context.Context, tx *db.Tx, c api.Call[Path], b TransferRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	if len(c.Fields) > 0 {
		return none, c.Fields.Err()
	}
	if err := tx.HoldServer(ctx, c.Parent.Server.ID); err != nil {
		return none, err
	}
	p, err := c.Parent.Current(ctx, tx)
	if err != nil {
		return none, err
	}
	to, err := destination(ctx, tx.Granted, c, b.To)
	if err != nil {
		return none, err
	}
	if err := organization.CheckTeam(ctx, tx, c.Fields, to.Grant, access.ServerCreate, b.TeamID); err != nil {
		return none, err
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	items, err := o.items(ctx, tx.SQL, tx.Granted, p)
	if err != nil {
		return none, err
	}
	if err := hindered(items, b.Force); err != nil {
		return none, err
	}
	was, err := Resources(ctx, tx.SQL, o.Router, p.Slug, p.Server)
	if err == nil {
		err = api.Was(ctx, was[0])
	}
	if err != nil {
		return none, err
	}
	row, err := give(ctx, tx, p.Server, to.OrganizationID)
	if err != nil {
		return none, fmt.Errorf("transfer server %d: %w", p.Server.ID, err)
	}
	if b.TeamID != nil {
		if err := tx.ShareServer(ctx, row.ID, *b.TeamID); err != nil {
			return none, fmt.Errorf("transfer server %d: %w", row.ID, err)
		}
	}
	api.Changes(ctx, to.OrganizationID)
	doc, err := o.document(ctx, tx.SQL, to.Slug, row)
	doc.Location = Path{Grant: to.Grant, Server: row}.URL()
	return doc, err
}

// hindered returns the conflict of a transfer that is prevented, or that requires force.
func hindered(items []TransferItem, force bool) error {
	in, advice := of(items, transfer.Blocks), ""
	if len(in) == 0 && !force {
		in, advice = of(items, transfer.Detached), " With force, it is detached."
	}
	switch len(in) {
	case 0:
		return nil
	case 1:
		return api.Conflict("%s: %s%s", in[0].Name, in[0].Text, advice)
	}
	return api.Conflict("%s: %s%s There is more of this; GET …/transfer lists it.", in[0].Name, in[0].Text, advice)
}

func of(items []TransferItem, effect string) []TransferItem {
	var out []TransferItem
	for _, item := range items {
		if item.Effect == effect {
			out = append(out, item)
		}
	}
	return out
}

// moving counts what is transferred.
func moving(ctx context.Context, q *query.Granted, row query.Server) ([]TransferCount, error) {
	n, err := q.CountOnServer(ctx, row)
	if err != nil {
		return nil, fmt.Errorf("count what is on server %d: %w", row.ID, err)
	}
	return []TransferCount{
		{"sites", n.Sites},
		{"certificates", n.Certificates},
		{"deployments", n.Deployments},
		{"heartbeats", n.Heartbeats},
		{"databases", n.Databases},
		{"databaseUsers", n.DatabaseUsers},
		{"backgroundProcesses", n.BackgroundProcesses},
		{"scheduledJobs", n.ScheduledJobs},
		{"firewallRules", n.FirewallRules},
		{"sshKeys", n.SshKeys},
		{"monitors", n.Monitors},
		{"events", n.Events},
	}, nil
}

// give writes the organization of a server into all of its rows, and drops or detaches what belongs to the one that it leaves.
func give(ctx context.Context, tx *db.Tx, row query.Server, to int64) (query.Server, error) {
	id := row.ID
	tags, err := db.All[query.Tag](ctx, tx.SQL, "tags", db.Cond{SQL: "id IN (SELECT tag_id FROM server_tags WHERE server_id = ? UNION " +
		"SELECT tag_id FROM site_tags WHERE site_id IN (SELECT id FROM sites WHERE server_id = ?))", Args: []any{id, id}})
	if err != nil {
		return row, err
	}
	for _, tag := range tags {
		if _, err := tx.UpsertTag(ctx, to, tag.Name, tx.Micros()); err != nil {
			return row, err
		}
	}
	for _, drop := range []func(context.Context, int64) error{
		tx.ForgetServerTeams, tx.DropOwnRuns, tx.DropServerBackups, tx.DropSourceControlLinks,
		tx.DetachSourceControl,
		tx.DetachDNSProviders, tx.ForgetDNSRecords, tx.DetachDomainDNS, tx.DropPackageCredentials,
	} {
		if err := drop(ctx, id); err != nil {
			return row, err
		}
	}
	for _, move := range []func(ctx context.Context, server, organization int64) error{
		tx.TransferServerTags, tx.TransferSiteTags, tx.TransferSites,
		tx.TransferDeployments,
		tx.TransferOperations, tx.TransferShippedRuns,
	} {
		if err := move(ctx, id, to); err != nil {
			return row, err
		}
	}
	if err := tx.TransferEvents(ctx, &id, to); err != nil {
		return row, err
	}
	return tx.TransferServer(ctx, id, to, tx.Micros())
}
