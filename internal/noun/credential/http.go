// Package credential manages accounts at server providers. Their secrets are write-only.
package credential

import (
	"context"
	"encoding/json"
	"errors"
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

// ServerCredentialAttributes are the attributes of a credential.
type ServerCredentialAttributes struct {
	Name      string       `json:"name"`
	Provider  string       `json:"provider"`
	InUse     bool         `json:"in_use"`
	CreatedAt api.NullTime `json:"created_at"`
	UpdatedAt api.NullTime `json:"updated_at"`
}

// ResourceType returns serverCredentials.
func (ServerCredentialAttributes) ResourceType() string { return "serverCredentials" }

// Resource is a credential in a document.
type Resource = api.Resource[ServerCredentialAttributes, api.NoRelationships]

// Path is a credential that the caller can see.
type Path struct {
	access.Grant
	Credential query.ServerCredential
}

// Store reads credentials for callers.
type Store struct {
	DB            *db.DB
	Organizations *organization.Store
}

// Visible returns the condition on the credentials that a caller can see.
func Visible(g access.Grant) db.Cond {
	return organization.Visible(g, "team_credentials", "credential_id", access.CredentialView)
}

// InPath loads the organization and the credential that a path names.
func (s *Store) InPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	org, err := s.Organizations.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	id, err := path.ID("credential")
	if err != nil {
		return Path{}, err
	}
	row, inside, err := s.Open(ctx, s.DB.Read(), org.Grant, id)
	return Path{Grant: inside, Credential: row}, err
}

// Open returns the credential with this id and the caller's grant on it; one that is shared only with other teams is not found.
func (s *Store) Open(ctx context.Context, q *query.Granted, g access.Grant, id int64) (query.ServerCredential, access.Grant, error) {
	row, err := q.GetCredential(ctx, g, id)
	if err != nil {
		return row, g, fmt.Errorf("read credential %d: %w", id, err)
	}
	teams, err := q.ListCredentialTeams(ctx, row)
	if err != nil {
		return row, g, fmt.Errorf("read teams of credential %d: %w", id, err)
	}
	inside, err := g.Within(teams)
	return row, inside, err
}

// ProviderOf returns the provider of a credential that the caller can use; access.ErrNotFound for every other.
func (s *Store) ProviderOf(ctx context.Context, q *query.Granted, g access.Grant, id int64) (string, error) {
	row, _, err := s.Open(ctx, q, g, id)
	if errors.Is(err, db.ErrNotFound) {
		err = access.ErrNotFound
	}
	return row.Provider, err
}

// Operations are the operations on credentials.
type Operations struct {
	Accounts
	Store  *Store
	Router *api.Router
}

// CreateServerCredentialRequest connects an account.
type CreateServerCredentialRequest struct {
	Name     string `json:"name" minLength:"1" maxLength:"255"`
	Provider string `json:"provider" enum:"aws,ocean2,hetzner,vultr,akamai"`
	// Key is the access key id, if the provider has one.
	Key    *api.Secret `json:"key,omitempty" maxLength:"1024"`
	Secret api.Secret  `json:"secret" minLength:"1" maxLength:"8192" writeOnly:"true" doc:"The API token or the secret key. It is never returned."`
}

// UpdateServerCredentialRequest changes a credential.
type UpdateServerCredentialRequest struct {
	Name   *string     `json:"name,omitempty" minLength:"1" maxLength:"255"`
	Key    *api.Secret `json:"key,omitempty" maxLength:"1024"`
	Secret *api.Secret `json:"secret,omitempty" minLength:"1" maxLength:"8192" writeOnly:"true" doc:"The API token or the secret key. It is never returned."`
}

// sealed is the sealed part of an account.
type sealed struct {
	Key    string `json:"key,omitempty"`
	Secret string `json:"secret"`
}

// Register adds the operations.
func (o *Operations) Register() {
	const many, single = "/orgs/{organization}/server-credentials", "/orgs/{organization}/server-credentials/{credential}"
	view, manage := []access.Permission{access.CredentialView}, []access.Permission{access.CredentialManage}
	api.Index(o.Router, api.Operation{
		ID: "organizations.server-credentials.index", Method: http.MethodGet, Path: many, Tag: "Organizations", Mode: api.Sync,
		Permissions: view,
		Noun:        "credentials", Summary: "List server credentials",
	}, o.Store.Organizations.InPath, o.index)
	api.Show(o.Router, api.Operation{
		ID: "organizations.server-credentials.show", Method: http.MethodGet, Path: single, Tag: "Organizations", Mode: api.Sync,
		Permissions: view,
		Noun:        "credentials", Summary: "Get a server credential",
	}, o.Store.InPath, o.show)
	const checked = "The secret is verified with the provider before it is saved."
	api.WriteChecked(o.Router, api.Operation{
		ID: "organizations.server-credentials.store", Method: http.MethodPost, Path: many, Tag: "Server Credentials",
		Mode: api.Sync, Permissions: manage,
		Status: http.StatusCreated, Extension: true, Noun: "credentials", Summary: "Create a server credential", Description: checked,
		Example: map[string]any{"provider": "hetzner"},
	}, o.Store.Organizations.InPath, o.checkNew, o.store)
	api.WriteChecked(o.Router, api.Operation{
		ID: "organizations.server-credentials.update", Method: http.MethodPut, Path: single, Tag: "Server Credentials",
		Mode: api.Sync, Permissions: manage,
		Extension: true, BodyOptional: true, Noun: "credentials", Summary: "Update a server credential", Description: checked,
		Example: map[string]any{"secret": "example"},
	}, o.Store.InPath, o.checkChanged, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.server-credentials.destroy", Method: http.MethodDelete, Path: single, Tag: "Server Credentials",
		Mode: api.Sync, Permissions: manage,
		Status: http.StatusNoContent, Extension: true, Conflict: true, Noun: "credentials", Summary: "Delete a server credential",
		Description: "A credential that servers were created with can't be deleted.",
	}, o.Store.InPath, o.destroy)
	o.registerVPCs()
	o.registerSizes()
}

// Resources makes the documents of credentials of the organization with this slug.
func Resources(ctx context.Context, q query.DBTX, r *api.Router, slug string, rows ...query.ServerCredential) ([]Resource, error) {
	ids := make([]any, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
	}
	inUse, err := db.All[query.ServerCredential](ctx, q, "server_credentials", db.Equal("id", ids...), db.Cond{SQL: "id IN (SELECT credential_id FROM servers)"})
	if err != nil {
		return nil, fmt.Errorf("read which credentials are in use: %w", err)
	}
	used := map[int64]bool{}
	for _, row := range inUse {
		used[row.ID] = true
	}
	out := make([]Resource, len(rows))
	for i, row := range rows {
		id := strconv.FormatInt(row.ID, 10)
		out[i] = Resource{
			ID: id, Links: r.Links("/orgs/" + slug + "/server-credentials/" + id),
			Attributes: ServerCredentialAttributes{
				Name: row.Name, Provider: row.Provider,
				InUse: used[row.ID], CreatedAt: api.NullTimeOf(&row.CreatedAt), UpdatedAt: api.NullTimeOf(&row.UpdatedAt),
			},
		}
	}
	return out, nil
}

func (o *Operations) index(ctx context.Context, c api.Call[organization.Path]) (api.Collection[Resource], error) {
	return api.Paged(ctx, o.Store.DB.Reader(), c.List.Of("server_credentials", Visible(c.Parent.Grant)), func(rows ...query.ServerCredential) ([]Resource, error) {
		return Resources(ctx, o.Store.DB.Reader(), o.Router, c.Parent.Slug, rows...)
	})
}

func (o *Operations) show(ctx context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	return o.document(ctx, o.Store.DB.Reader(), c.Parent.Slug, c.Parent.Credential)
}

func (o *Operations) document(ctx context.Context, q query.DBTX, slug string, row query.ServerCredential) (api.Document[Resource], error) {
	data, err := Resources(ctx, q, o.Router, slug, row)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	return api.Document[Resource]{Data: data[0], Location: "/orgs/" + slug + "/server-credentials/" + data[0].ID}, nil
}

func sealedAt(id int64) secret.Place {
	return secret.Place{Table: "server_credentials", Row: strconv.FormatInt(id, 10), Column: "secret"}
}

func (o *Operations) seal(id int64, s sealed) ([]byte, error) {
	plain, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("seal credential: %w", err)
	}
	return o.Box.Seal(sealedAt(id), plain)
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[organization.Path], b CreateServerCredentialRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	if !c.Parent.Direct {
		return none, &access.Denied{Missing: access.CredentialManage}
	}
	s := read(c.Fields, b.Provider, sealed{}, b.Key, &b.Secret)
	name := c.Fields.Trimmed("name", b.Name)
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	row, err := tx.InsertCredential(ctx, query.InsertCredentialParams{
		OrganizationID: c.Parent.OrganizationID, Name: name, Provider: b.Provider,
		Secret: []byte{}, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("create credential: %w", err)
	}
	raw, err := o.seal(row.ID, s) // the seal is bound to the row, which has to exist first
	if err != nil {
		return none, err
	}
	if row, err = tx.UpdateCredential(ctx, row.ID, name, raw, tx.Micros()); err != nil {
		return none, fmt.Errorf("create credential: %w", err)
	}
	return o.document(ctx, tx.SQL, c.Parent.Slug, row)
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateServerCredentialRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	row, err := organization.Current(ctx, tx, "server_credentials", tx.GetCredential, c.Parent, c.Parent.Credential.ID)
	if err != nil {
		return none, err
	}
	if b.Name != nil {
		row.Name = c.Fields.Trimmed("name", *b.Name)
	}
	was, err := o.open(row)
	if err != nil {
		return none, err
	}
	s := read(c.Fields, row.Provider, was, b.Key, b.Secret)
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	if s != was {
		if row.Secret, err = o.seal(row.ID, s); err != nil {
			return none, err
		}
	}
	row, err = tx.UpdateCredential(ctx, row.ID, row.Name, row.Secret, tx.Micros())
	if err != nil {
		return none, fmt.Errorf("update credential: %w", err)
	}
	return o.document(ctx, tx.SQL, c.Parent.Slug, row)
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	n, err := tx.CountCredentialServers(ctx, c.Parent.Credential)
	if err != nil {
		return api.Empty{}, fmt.Errorf("delete credential: %w", err)
	}
	if n > 0 {
		return api.Empty{}, api.Conflict("The credential is in use. Servers that use it: %d.", n)
	}
	if err := tx.DeleteCredential(ctx, c.Parent.Credential.ID); err != nil {
		return api.Empty{}, fmt.Errorf("delete credential: %w", err)
	}
	return api.Empty{}, nil
}
