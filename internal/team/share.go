package team

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/hostlerhq/hostler/internal/access"
	"github.com/hostlerhq/hostler/internal/api"
	"github.com/hostlerhq/hostler/internal/credential"
	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/server"
)

// ShareServerRequest shares a server with a team.
type ShareServerRequest struct {
	ServerID int64 `json:"server_id"`
}

// ShareCredentialRequest shares a credential with a team.
type ShareCredentialRequest struct {
	CredentialID int64 `json:"credential_id"`
}

type serverPath struct {
	access.Grant
	team   query.Team
	server query.Server
}

type credentialPath struct {
	access.Grant
	team       query.Team
	credential query.ServerCredential
}

func (o *Operations) registerShares() {
	servers := []access.Permission{access.ServerView, access.TeamCreate}
	asToken := []access.Permission{access.ServerCreate}
	const description = "From then on the server is there for the members of its teams only, with their roles in them, and for those who manage the organization."
	api.Index(o.Router, api.Operation{ID: "organizations.teams.servers.index", Method: http.MethodGet, Path: single + "/servers", Tag: "Servers", Mode: api.Sync,
		Permissions: []access.Permission{access.ServerView}, Included: []any{server.TagResource{}}, Summary: "List the servers that are shared with a team"}, o.inPath, o.servers)
	api.Write(o.Router, api.Operation{ID: "organizations.teams.servers.store", Method: http.MethodPost, Path: single + "/servers", Tag: "Servers", Mode: api.Sync, Permissions: servers,
		Scopes: asToken, Status: http.StatusCreated, Included: []any{server.TagResource{}}, Summary: "Share a server with a team", Description: description}, o.inPath, o.shareServer)
	api.Remove(o.Router, api.Operation{ID: "organizations.teams.servers.destroy", Before: "/orgs/{organization}/servers/{server}", Method: http.MethodDelete, Path: single + "/servers/{server}", Tag: "Servers", Mode: api.Sync,
		Permissions: servers, Scopes: asToken, Status: http.StatusNoContent, Summary: "Stop sharing a server with a team"}, o.serverInPath, o.unshareServer)

	view, manage := []access.Permission{access.CredentialView}, []access.Permission{access.CredentialManage, access.CredentialView}
	const many = single + "/server-credentials"
	api.Index(o.Router, api.Operation{ID: "organizations.teams.server-credentials.index", Method: http.MethodGet, Path: many, Tag: "Server Credentials", Mode: api.Sync, Permissions: view,
		Summary: "List the server credentials that are shared with a team"}, o.inPath, o.credentials)
	api.Write(o.Router, api.Operation{ID: "organizations.teams.server-credentials.store", Method: http.MethodPost, Path: many, Tag: "Server Credentials", Mode: api.Sync, Permissions: manage,
		Status: http.StatusCreated, Summary: "Share a server credential with a team"}, o.inPath, o.shareCredential)
	api.Remove(o.Router, api.Operation{ID: "organizations.teams.server-credentials.destroy", Before: "/orgs/{organization}/server-credentials/{credential}", Method: http.MethodDelete, Path: many + "/{credential}", Tag: "Server Credentials", Mode: api.Sync,
		Permissions: manage, Status: http.StatusNoContent, Summary: "Stop sharing a server credential with a team"}, o.credentialInPath, o.unshareCredential)
}

// sharedWith is the condition on what of a kind is shared with a team.
func sharedWith(table, column string, team int64) db.Cond {
	return db.Cond{SQL: "id IN (SELECT " + column + " FROM " + table + " WHERE team_id = ?)", Args: []any{team}}
}

func (o *Operations) servers(ctx context.Context, c api.Call[Path]) (api.Collection[server.Resource], error) {
	page, err := db.Select[query.Server](ctx, o.DB.Reader(), c.List.Of("servers", server.Visible(c.Parent.Grant), sharedWith("team_servers", "server_id", c.Parent.Team.ID)))
	if err != nil {
		return api.Collection[server.Resource]{}, err
	}
	data, err := server.Resources(ctx, o.DB.Reader(), o.Router, c.Parent.Slug, page.Rows...)
	return api.Collection[server.Resource]{Data: data, Next: page.Next, Prev: page.Prev}, err
}

func (o *Operations) shareServer(ctx context.Context, tx *db.Tx, c api.Call[Path], b ShareServerRequest) (api.Document[server.Resource], error) {
	var none api.Document[server.Resource]
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, inside, err := o.Servers.Open(ctx, tx.Queries, c.Parent.Grant, b.ServerID)
	if errors.Is(err, access.ErrNotFound) || errors.Is(err, db.ErrNotFound) {
		return none, api.Invalid("server_id", "The selected server_id does not exist.")
	}
	if err != nil {
		return none, err
	}
	// A viewer of the server in one team does not become more by sharing it with another.
	if err := inside.Require([]access.Permission{access.ServerView, access.TeamCreate}, nil); err != nil {
		return none, err
	}
	if err := tx.ShareServer(ctx, row.ID, c.Parent.Team.ID); err != nil {
		return none, fmt.Errorf("share server: %w", err)
	}
	data, err := server.Resources(ctx, tx.SQL, o.Router, c.Parent.Slug, row)
	if err != nil {
		return none, err
	}
	return api.Document[server.Resource]{Data: data[0], Location: fmt.Sprintf("/orgs/%s/servers/%d", c.Parent.Slug, row.ID)}, nil
}

func (o *Operations) serverInPath(ctx context.Context, actor access.Actor, path api.Path) (serverPath, error) {
	p, err := o.inPath(ctx, actor, path)
	if err != nil {
		return serverPath{}, err
	}
	id, err := path.ID("server")
	if err != nil {
		return serverPath{}, err
	}
	row, inside, err := o.Servers.Open(ctx, o.DB.Read(), p.Grant, id)
	if err != nil {
		return serverPath{}, err
	}
	shared, err := db.All[query.Server](ctx, o.DB.Reader(), "servers", db.Equal("id", id), sharedWith("team_servers", "server_id", p.Team.ID))
	if err != nil {
		return serverPath{}, err
	}
	if len(shared) == 0 {
		return serverPath{}, access.ErrNotFound
	}
	return serverPath{inside, p.Team, row}, nil
}

func (o *Operations) unshareServer(ctx context.Context, tx *db.Tx, c api.Call[serverPath], _ api.NoBody) (api.Empty, error) {
	if _, err := tx.UnshareServer(ctx, c.Parent.server.ID, c.Parent.team.ID); err != nil {
		return api.Empty{}, fmt.Errorf("stop sharing server: %w", err)
	}
	return api.Empty{}, nil
}

func (o *Operations) credentialStore() *credential.Store {
	return &credential.Store{DB: o.DB, Organizations: o.Organizations}
}

func (o *Operations) credentials(ctx context.Context, c api.Call[Path]) (api.Collection[credential.Resource], error) {
	page, err := db.Select[query.ServerCredential](ctx, o.DB.Reader(),
		c.List.Of("server_credentials", credential.Visible(c.Parent.Grant), sharedWith("team_credentials", "credential_id", c.Parent.Team.ID)))
	if err != nil {
		return api.Collection[credential.Resource]{}, err
	}
	data, err := credential.Resources(ctx, o.DB.Reader(), o.Router, c.Parent.Slug, page.Rows...)
	return api.Collection[credential.Resource]{Data: data, Next: page.Next, Prev: page.Prev}, err
}

func (o *Operations) shareCredential(ctx context.Context, tx *db.Tx, c api.Call[Path], b ShareCredentialRequest) (api.Document[credential.Resource], error) {
	var none api.Document[credential.Resource]
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	p, err := o.credentialStore().Open(ctx, tx.Queries, c.Parent.Grant, b.CredentialID)
	if errors.Is(err, access.ErrNotFound) || errors.Is(err, db.ErrNotFound) {
		return none, api.Invalid("credential_id", "The selected credential_id does not exist.")
	}
	if err != nil {
		return none, err
	}
	if err := p.Require([]access.Permission{access.CredentialManage}, nil); err != nil {
		return none, err
	}
	if err := tx.ShareCredential(ctx, p.Credential.ID, c.Parent.Team.ID); err != nil {
		return none, fmt.Errorf("share credential: %w", err)
	}
	data, err := credential.Resources(ctx, tx.SQL, o.Router, c.Parent.Slug, p.Credential)
	if err != nil {
		return none, err
	}
	return api.Document[credential.Resource]{Data: data[0], Location: "/orgs/" + c.Parent.Slug + "/server-credentials/" + data[0].ID}, nil
}

func (o *Operations) credentialInPath(ctx context.Context, actor access.Actor, path api.Path) (credentialPath, error) {
	p, err := o.inPath(ctx, actor, path)
	if err != nil {
		return credentialPath{}, err
	}
	id, err := path.ID("credential")
	if err != nil {
		return credentialPath{}, err
	}
	found, err := o.credentialStore().Open(ctx, o.DB.Read(), p.Grant, id)
	if err != nil {
		return credentialPath{}, err
	}
	shared, err := db.All[query.ServerCredential](ctx, o.DB.Reader(), "server_credentials", db.Equal("id", id), sharedWith("team_credentials", "credential_id", p.Team.ID))
	if err != nil {
		return credentialPath{}, err
	}
	if len(shared) == 0 {
		return credentialPath{}, access.ErrNotFound
	}
	return credentialPath{found.Grant, p.Team, found.Credential}, nil
}

func (o *Operations) unshareCredential(ctx context.Context, tx *db.Tx, c api.Call[credentialPath], _ api.NoBody) (api.Empty, error) {
	if _, err := tx.UnshareCredential(ctx, c.Parent.credential.ID, c.Parent.team.ID); err != nil {
		return api.Empty{}, fmt.Errorf("stop sharing credential: %w", err)
	}
	return api.Empty{}, nil
}
