package oauth

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/noun/organization"
)

// OAuthClientAttributes are the attributes of a program that may ask people to let it in.
type OAuthClientAttributes struct {
	Name         string   `json:"name"`
	ClientID     string   `json:"client_id"`
	Confidential bool     `json:"confidential" doc:"Whether the client has a secret. A client without one must use PKCE."`
	RedirectURIs []string `json:"redirect_uris"`
	Scopes       []string `json:"scopes" doc:"The scopes that the client can request."`
	CreatedAt    api.Time `json:"created_at"`
	UpdatedAt    api.Time `json:"updated_at"`
}

// ResourceType returns oauthClients.
func (OAuthClientAttributes) ResourceType() string { return "oauthClients" }

// ClientResource is a program in a document.
type ClientResource = api.Resource[OAuthClientAttributes, api.NoRelationships]

// OAuthGrantAttributes are the attributes of what a person allowed a program.
type OAuthGrantAttributes struct {
	Client    string   `json:"client"`
	Scopes    []string `json:"scopes"`
	CreatedAt api.Time `json:"created_at"`
}

// ResourceType returns oauthGrants.
func (OAuthGrantAttributes) ResourceType() string { return "oauthGrants" }

// GrantResource is a grant in a document.
type GrantResource = api.Resource[OAuthGrantAttributes, api.NoRelationships]

// CreateOAuthClientRequest registers a program.
type CreateOAuthClientRequest struct {
	Name         string               `json:"name" minLength:"1" maxLength:"255"`
	Confidential bool                 `json:"confidential,omitempty" doc:"Whether to issue a secret, for applications that can keep one."`
	RedirectURIs []string             `json:"redirect_uris" nullable:"false" minItems:"1" maxItems:"20"`
	Scopes       []api.PermissionName `json:"scopes" nullable:"false" minItems:"1" uniqueItems:"true"`
}

// UpdateOAuthClientRequest changes a program.
type UpdateOAuthClientRequest struct {
	Name         *string              `json:"name,omitempty" minLength:"1" maxLength:"255"`
	RedirectURIs []string             `json:"redirect_uris,omitempty" nullable:"false" minItems:"1" maxItems:"20"`
	Scopes       []api.PermissionName `json:"scopes,omitempty" nullable:"false" minItems:"1" uniqueItems:"true"`
	NewSecret    bool                 `json:"new_secret,omitempty" doc:"Replace the secret; the old one stops working immediately."`
}

type clientPath struct {
	organization.Path
	client query.OauthClient
}

type grantPath struct {
	access.Actor
	grant query.OauthGrant
}

// Operations are the operations on programs and on what people allowed them.
type Operations struct {
	Provider      *Provider
	Organizations *organization.Store
}

// Register adds the operations.
func (o *Operations) Register() {
	const many, single = "/orgs/{organization}/oauth-clients", "/orgs/{organization}/oauth-clients/{client}"
	manage := []access.Permission{access.OrganizationManage}
	r := o.Provider.Router
	op := func(id, method, path, summary string, status int) api.Operation {
		return api.Operation{
			ID: id, Method: method, Path: path, Tag: "Organizations", Mode: api.Sync, Permissions: manage, Extension: true, Status: status,
			Summary: summary,
		}
	}
	api.Index(r, op("organizations.oauth-clients.index", http.MethodGet, many, "List OAuth clients", 200), o.Organizations.InPath, o.index)
	store := op("organizations.oauth-clients.store", http.MethodPost, many, "Register an OAuth client", 201)
	store.Description = "A confidential client's secret is in meta.shown_once and is shown only once."
	store.Example = map[string]any{"redirect_uris": []any{"https://app.example.com/back"}, "scopes": []any{"server:view"}}
	api.Write(r, store, o.Organizations.InPath, o.store)
	api.Show(r, op("organizations.oauth-clients.show", http.MethodGet, single, "Get an OAuth client", 200), o.inPath, o.show)
	update := op("organizations.oauth-clients.update", http.MethodPut, single, "Update an OAuth client", 200)
	update.Example = map[string]any{"name": "example"}
	api.Write(r, update, o.inPath, o.update)
	api.WriteEmpty(r, op("organizations.oauth-clients.destroy", http.MethodDelete, single, "Delete an OAuth client and its authorizations", 204),
		o.inPath, o.destroy)
	own := func(id, method, path, summary string, status int) api.Operation {
		return api.Operation{ID: id, Method: method, Path: path, Tag: "Account", Mode: api.Sync, Personal: true, Extension: true, Status: status, Summary: summary}
	}
	api.Index(r, own("user.oauth-grants.index", http.MethodGet, "/user/oauth-grants", "List authorized programs", 200), api.Self, o.grants)
	api.WriteEmpty(r, own("user.oauth-grants.destroy", http.MethodDelete, "/user/oauth-grants/{grant}", "Revoke the authorization of a program", 204),
		o.grantInPath,
		o.revokeGrant)
}

func (o *Operations) inPath(ctx context.Context, actor access.Actor, path api.PathValues) (clientPath, error) {
	org, err := o.Organizations.InPath(ctx, actor, path)
	if err != nil {
		return clientPath{}, err
	}
	id, err := path.ID("client")
	if err != nil {
		return clientPath{}, err
	}
	row, err := o.Provider.DB.Read().GetOAuthClient(ctx, org, id)
	if err != nil {
		return clientPath{}, fmt.Errorf("read client %d: %w", id, err)
	}
	return clientPath{org, row}, nil
}

func (o *Operations) resource(slug string, row query.OauthClient) (ClientResource, error) {
	c, err := read(row)
	if err != nil {
		return ClientResource{}, err
	}
	id := strconv.FormatInt(row.ID, 10)
	return ClientResource{
		ID: id, Links: o.Provider.Router.Links("/orgs/" + slug + "/oauth-clients/" + id),
		Attributes: OAuthClientAttributes{
			Name: row.Name, ClientID: row.ClientID,
			Confidential: !c.public(), RedirectURIs: c.redirects, Scopes: names(c.scopes), CreatedAt: api.TimeOf(row.CreatedAt), UpdatedAt: api.TimeOf(row.UpdatedAt),
		},
	}, nil
}

func (o *Operations) index(ctx context.Context, c api.Call[organization.Path]) (api.Collection[ClientResource], error) {
	return api.Paged(ctx, o.Provider.DB.Reader(), c.List.Of("oauth_clients", db.Equal("organization_id", c.Parent.OrganizationID)),
		api.TryEach(func(row query.OauthClient) (ClientResource, error) { return o.resource(c.Parent.Slug, row) }))
}

func (o *Operations) show(_ context.Context, c api.Call[clientPath]) (api.Document[ClientResource], error) {
	res, err := o.resource(c.Parent.Slug, c.Parent.client)
	return api.Document[ClientResource]{Data: res}, err
}

func checkRedirects(f api.Fields, uris []string) (string, error) {
	for i, uri := range uris {
		if !checkRedirect(uri) {
			f.Add("redirect_uris."+strconv.Itoa(i),
				"The redirect_uris.%d must be an https URL, an http URL on loopback, or a URL with a scheme such as com.example.app, without a fragment.", i)
		}
	}
	raw, err := json.Marshal(uris)
	return string(raw), err
}

func scopeList(list []api.PermissionName) access.Set {
	var set access.Set
	for _, name := range list {
		set = set.Add(access.Permission(name))
	}
	return set
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[organization.Path], b CreateOAuthClientRequest) (api.Document[ClientResource], error) {
	var none api.Document[ClientResource]
	redirects, err := checkRedirects(c.Fields, b.RedirectURIs)
	if err != nil {
		return none, err
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	in := query.InsertOAuthClientParams{
		OrganizationID: &c.Parent.OrganizationID, ClientID: secret.Random(16), Name: b.Name, RedirectUris: redirects,
		Scopes: list(scopeList(b.Scopes)), CreatedAt: tx.Micros(),
	}
	var shown *api.Meta
	if b.Confidential {
		made := secretPrefix + secret.Random(32)
		in.SecretHash, shown = new(secret.Hash(made)), &api.Meta{ShownOnce: &api.ShownOnce{Secret: api.SecretOf(made)}}
	}
	row, err := tx.InsertOAuthClient(ctx, in)
	if err != nil {
		return none, fmt.Errorf("register client: %w", err)
	}
	res, err := o.resource(c.Parent.Slug, row)
	res.Meta = shown
	return api.Document[ClientResource]{Data: res, Location: "/orgs/" + c.Parent.Slug + "/oauth-clients/" + res.ID}, err
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[clientPath], b UpdateOAuthClientRequest) (api.Document[ClientResource], error) {
	var none api.Document[ClientResource]
	row, err := organization.Current(ctx, tx, "oauth_clients", tx.GetOAuthClient, c.Parent, c.Parent.client.ID)
	if err != nil {
		return none, err
	}
	if b.Name != nil {
		row.Name = *b.Name
	}
	if b.RedirectURIs != nil {
		redirects, err := checkRedirects(c.Fields, b.RedirectURIs)
		if err != nil {
			return none, err
		}
		row.RedirectUris = redirects
	}
	if b.Scopes != nil {
		row.Scopes = list(scopeList(b.Scopes))
	}
	var shown *api.Meta
	if b.NewSecret {
		if row.SecretHash == nil {
			c.Fields.Add("new_secret", "A public client has no secret.")
		}
		made := secretPrefix + secret.Random(32)
		row.SecretHash, shown = new(secret.Hash(made)), &api.Meta{ShownOnce: &api.ShownOnce{Secret: api.SecretOf(made)}}
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, err = tx.UpdateOAuthClient(ctx, query.UpdateOAuthClientParams{
		ID: row.ID, Name: row.Name, SecretHash: row.SecretHash, RedirectUris: row.RedirectUris,
		Scopes: row.Scopes, UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("update client: %w", err)
	}
	res, err := o.resource(c.Parent.Slug, row)
	res.Meta = shown
	return api.Document[ClientResource]{Data: res}, err
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[clientPath], _ api.NoBody) (api.Empty, error) {
	if err := tx.DeleteOAuthClient(ctx, c.Parent.client.ID); err != nil {
		return api.Empty{}, fmt.Errorf("delete client: %w", err)
	}
	return api.Empty{}, nil
}

func (o *Operations) grants(ctx context.Context, c api.Call[access.Actor]) (api.Collection[GrantResource], error) {
	q := o.Provider.DB.Reader()
	return api.Paged(ctx, q, c.List.Of("oauth_grants", db.Equal("user_id", c.Parent.UserID), db.Cond{SQL: "revoked_at IS NULL"}),
		func(rows ...query.OauthGrant) ([]GrantResource, error) {
			return o.grantResources(ctx, q, rows...)
		})
}

func (o *Operations) grantResources(ctx context.Context, q query.DBTX, rows ...query.OauthGrant) ([]GrantResource, error) {
	ids := make([]any, len(rows))
	for i, row := range rows {
		ids[i] = row.ClientID
	}
	clients, err := db.All[query.OauthClient](ctx, q, "oauth_clients", db.Equal("id", ids...))
	if err != nil {
		return nil, err
	}
	program := make(map[int64]string, len(clients))
	for _, client := range clients {
		program[client.ID] = client.Name
	}
	out := make([]GrantResource, len(rows))
	for i, row := range rows {
		var scopes access.Set
		if err := json.Unmarshal([]byte(row.Scopes), &scopes); err != nil {
			return nil, fmt.Errorf("read scopes of grant %d: %w", row.ID, err)
		}
		id := strconv.FormatInt(row.ID, 10)
		out[i] = GrantResource{
			ID: id, Links: o.Provider.Router.Links("/user/oauth-grants/" + id),
			Attributes: OAuthGrantAttributes{Client: program[row.ClientID], Scopes: names(scopes), CreatedAt: api.TimeOf(row.CreatedAt)},
		}
	}
	return out, nil
}

func (o *Operations) grantInPath(ctx context.Context, actor access.Actor, path api.PathValues) (grantPath, error) {
	id, err := path.ID("grant")
	if err != nil {
		return grantPath{}, err
	}
	row, err := o.Provider.DB.Read().GetUserOAuthGrant(ctx, actor, id)
	if err != nil {
		return grantPath{}, fmt.Errorf("read grant %d: %w", id, err)
	}
	return grantPath{actor, row}, nil
}

func (o *Operations) revokeGrant(ctx context.Context, tx *db.Tx, c api.Call[grantPath], _ api.NoBody) (api.Empty, error) {
	was, err := api.Single(o.grantResources(ctx, tx.SQL, c.Parent.grant))
	if err == nil {
		err = api.Was(ctx, was.Data)
	}
	if err != nil {
		return api.Empty{}, err
	}
	if err := tx.RevokeOAuthGrant(ctx, c.Parent.grant.ID, new(tx.Micros())); err != nil {
		return api.Empty{}, fmt.Errorf("end grant: %w", err)
	}
	return api.Empty{}, nil
}
