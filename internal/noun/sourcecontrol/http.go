package sourcecontrol

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/git"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// SourceControlProviderAttributes are the attributes of a connection.
type SourceControlProviderAttributes struct {
	Name      string   `json:"name"`
	Provider  string   `json:"provider" enum:"github,gitlab,bitbucket,gitlab-custom"`
	URL       *string  `json:"url"`
	CloneHost *string  `json:"clone_host"`
	Username  *string  `json:"username"`
	InUse     bool     `json:"in_use"`
	CreatedAt api.Time `json:"created_at"`
	UpdatedAt api.Time `json:"updated_at"`
}

// ResourceType returns sourceControlProviders.
func (SourceControlProviderAttributes) ResourceType() string { return "sourceControlProviders" }

// Resource is a connection in a document.
type Resource = api.Resource[SourceControlProviderAttributes, api.NoRelationships]

// CreateSourceControlProviderRequest connects an account.
type CreateSourceControlProviderRequest struct {
	Name      string     `json:"name" maxLength:"255"`
	Provider  string     `json:"provider" enum:"github,gitlab,bitbucket,gitlab-custom"`
	URL       *string    `json:"url,omitempty" nullable:"true" format:"uri"`
	CloneHost *string    `json:"clone_host,omitempty" nullable:"true"`
	Username  *string    `json:"username,omitempty" nullable:"true" maxLength:"255"`
	Token     api.Secret `json:"token" minLength:"1" maxLength:"1024" writeOnly:"true"`
}

// UpdateSourceControlProviderRequest changes a connection. What is absent stays.
type UpdateSourceControlProviderRequest struct {
	Name     *string     `json:"name,omitempty" maxLength:"255"`
	Username *string     `json:"username,omitempty" nullable:"true" maxLength:"255"`
	Token    *api.Secret `json:"token,omitempty" minLength:"1" maxLength:"1024" writeOnly:"true" doc:"It is never returned."`
}

// Operations are the operations on connections.
type Operations struct {
	Store  *Store
	Sites  *site.Store
	Links  *Links
	Router *api.Router
}

// Register adds the operations.
func (o *Operations) Register() {
	const tag = "Source Control"
	const many, single = "/orgs/{organization}/source-control-providers", "/orgs/{organization}/source-control-providers/{sourceControlProvider}"
	const link = "/orgs/{organization}/servers/{server}/sites/{site}/source-control"
	const checked = "The token is checked with the provider before it is stored."
	view, manage := []access.Permission{access.SiteCreate}, []access.Permission{access.IntegrationsManage}
	api.Index(o.Router, api.Operation{
		ID: "organizations.source-control-providers.index", Method: http.MethodGet, Path: many, Tag: tag, Mode: api.Sync,
		Permissions: view, Extension: true,
		Noun: "source-control", Summary: "List source control providers", Filters: []api.Filter{{Name: "provider"}}, Sorts: []string{"name", "created_at"},
	}, o.Store.InOrganization, o.index)
	api.WriteChecked(o.Router, api.Operation{
		ID: "organizations.source-control-providers.store", Method: http.MethodPost, Path: many, Tag: tag, Mode: api.Sync,
		Permissions: manage, Extension: true,
		Status: http.StatusCreated, RateLimit: api.CommandRateLimit, Noun: "source-control",
		Summary: "Connect a source control provider", Description: checked,
		Formerly: "source-control connect",
	}, o.Store.InOrganization, o.checkNew, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.source-control-providers.show", Method: http.MethodGet, Path: single, Tag: tag, Mode: api.Sync,
		Permissions: view, Extension: true,
		Noun: "source-control", Summary: "Get a source control provider",
	}, o.Store.InPath, o.show)
	api.WriteChecked(o.Router, api.Operation{
		ID: "organizations.source-control-providers.update", Method: http.MethodPut, Path: single, Tag: tag,
		Mode: api.Sync, Permissions: manage, Extension: true,
		BodyOptional: true, RateLimit: api.CommandRateLimit, Noun: "source-control", Summary: "Update a source control provider", Description: checked,
		Example: map[string]any{"name": "example"},
	}, o.Store.InPath, o.checkChanged, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.source-control-providers.destroy", Method: http.MethodDelete, Path: single, Tag: tag,
		Mode: api.Sync, Permissions: manage, Extension: true,
		Status: http.StatusNoContent, Conflict: true, Noun: "source-control", Summary: "Delete a source control provider",
		Description: "Refused while sites use the connection, or while its setup for a site still has to be removed.",
	}, o.Store.InPath, o.destroy)
	deploys := []access.Permission{access.SiteManageDeploys}
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.source-control.show", Method: http.MethodGet, Path: link, Tag: tag, Mode: api.Sync,
		Permissions: []access.Permission{access.ServerView}, Extension: true,
		Noun: "site-source-control", Summary: "Get the source control status of a site",
		Description: "Reports whether the provider has the site's deploy key and webhook, or why not. The state is null for a site without a " +
			"connection.",
	}, o.Sites.InPath, o.link)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.source-control.synchronizations.store", Before: link, Method: http.MethodPost,
		Path: link + "/synchronizations", Tag: tag, Mode: api.Async,
		Permissions: deploys, Extension: true, Conflict: true, Status: http.StatusAccepted, RateLimit: api.CommandRateLimit,
		Noun: "site-source-control", Verb: "sync",
		Summary: "Repeat the source control setup of a site", Description: "Adds the deploy key and the webhook again.",
	}, o.Sites.InPath, o.again)
}

func (o *Operations) index(ctx context.Context, c api.Call[organization.Path]) (api.Collection[Resource], error) {
	q := o.Store.DB.Reader()
	return api.Paged(ctx, q, c.List.Of("source_control_providers", db.Equal("organization_id", c.Parent.OrganizationID)),
		func(rows ...query.SourceControlProvider) ([]Resource, error) {
			return o.resources(ctx, q, c.Parent.Slug, rows...)
		})
}

func (o *Operations) show(ctx context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	return api.Single(o.resources(ctx, o.Store.DB.Reader(), c.Parent.Slug, c.Parent.Provider))
}

func (o *Operations) resources(ctx context.Context, q query.DBTX, slug string, rows ...query.SourceControlProvider) ([]Resource, error) {
	used, err := db.Held(ctx, q, "projects", "provider_id", rows, func(row query.SourceControlProvider) int64 { return row.ID })
	if err != nil {
		return nil, err
	}
	out := make([]Resource, len(rows))
	for i, row := range rows {
		id := strconv.FormatInt(row.ID, 10)
		out[i] = Resource{ID: id, Links: o.Router.Links(pathOf(slug, id)), Attributes: SourceControlProviderAttributes{
			Name: row.Name, Provider: row.Provider,
			URL: row.URL, CloneHost: row.CloneHost,
			Username: row.Username, InUse: used[row.ID], CreatedAt: api.TimeOf(row.CreatedAt), UpdatedAt: api.TimeOf(row.UpdatedAt),
		}}
	}
	return out, nil
}

func pathOf(slug, id string) string { return "/orgs/" + slug + "/source-control-providers/" + id }

// checkToken refuses characters that are not allowed in a header.
func checkToken(f api.Fields, field, text string) string {
	text = strings.TrimSpace(text)
	if len(f[field]) == 0 && (text == "" || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })) {
		f.Add(field, "The %s must be printable ASCII characters without spaces.", field)
	}
	return text
}

// read makes the row of a request, with its findings in f.
func (o *Operations) read(f api.Fields, b CreateSourceControlProviderRequest) (query.SourceControlProvider, secret.String) {
	row := query.SourceControlProvider{Name: f.Line("name", b.Name, 0), Provider: b.Provider}
	token := checkToken(f, "token", b.Token.Reveal())
	if given(b.Username) {
		row.Username = new(checkToken(f, "username", *b.Username))
	}
	own := b.Provider == git.GitLabCustom
	if !own {
		for field, v := range map[string]*string{"url": b.URL, "clone_host": b.CloneHost} {
			if given(v) && slices.Contains(Providers(), b.Provider) {
				f.Add(field, "Only your own GitLab has a %s.", field)
			}
		}
		return row, secret.String(token)
	}
	switch {
	case len(f["url"]) > 0:
	case !given(b.URL):
		f.Add("url", "The url field is required for this provider.")
	default:
		u, err := o.Store.Guard.CheckURL(*b.URL)
		switch {
		case err != nil:
			f.Add("url", "The url can't be used. %s", err)
		case u.RawQuery != "" || strings.Contains(u.Path, "..") || strings.Contains(u.EscapedPath(), "%"):
			f.Add("url", "The url must be the address of the GitLab instance only.")
		default:
			row.URL = new(strings.TrimSuffix(u.String(), "/"))
			row.CloneHost = new(u.Hostname())
		}
	}
	if given(b.CloneHost) {
		row.CloneHost = b.CloneHost
	}
	if row.CloneHost != nil && !clonePattern.MatchString(*row.CloneHost) {
		f.Add("clone_host", "The clone_host must be a host, and a port if it is not 22: git.example.com:2222.")
	}
	return row, secret.String(token)
}

func given(s *string) bool { return s != nil && *s != "" }

// ask tests a token, and reports errors on its field.
func (o *Operations) ask(ctx context.Context, f api.Fields, row query.SourceControlProvider, token secret.String) error {
	c, err := o.Store.connect(row, token)
	if err != nil {
		return err
	}
	_, err = c.Account(ctx)
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	var p *git.Problem
	if !errors.As(err, &p) {
		return err
	}
	field := "provider"
	switch {
	case p.Token:
		field = "token"
	case row.Provider == git.GitLabCustom:
		field = "url"
	}
	f.Add(field, "%s", p.Reason)
	return nil
}

func (o *Operations) checkNew(ctx context.Context, c api.Call[organization.Path], b CreateSourceControlProviderRequest) error {
	row, token := o.read(c.Fields, b)
	if len(c.Fields) > 0 {
		return c.Fields.Err()
	}
	if err := o.ask(ctx, c.Fields, row, token); err != nil {
		return err
	}
	return c.Fields.Err()
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[organization.Path],
	b CreateSourceControlProviderRequest,
) (api.Document[Resource], error) {
	var none api.Document[Resource]
	row, token := o.read(c.Fields, b)
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	made, err := tx.InsertSourceControlProvider(ctx, query.InsertSourceControlProviderParams{
		OrganizationID: c.Parent.OrganizationID, Name: row.Name,
		Provider: row.Provider, URL: row.URL,
		CloneHost: row.CloneHost, Username: row.Username, Token: []byte{}, CreatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("connect source control provider: %w", err)
	}
	return o.keep(ctx, tx, c.Parent.Slug, made, token) // the seal is bound to the row, which has to be there first
}

func (o *Operations) keep(ctx context.Context, tx *db.Tx, slug string, row query.SourceControlProvider, token secret.String) (api.Document[Resource], error) {
	var none api.Document[Resource]
	if token != "" {
		sealed, err := o.Store.Box.Seal(sealedAt(row.ID), []byte(token.Reveal()))
		if err != nil {
			return none, err
		}
		row.Token = sealed
	}
	row, err := tx.UpdateSourceControlProvider(ctx, query.UpdateSourceControlProviderParams{
		ID: row.ID, Name: row.Name, Username: row.Username,
		Token: row.Token, UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("keep source control provider: %w", err)
	}
	doc, err := api.Single(o.resources(ctx, tx.SQL, slug, row))
	doc.Location = pathOf(slug, doc.Data.ID)
	return doc, err
}

// changed returns a row as a request wants it, and the new token if there is one.
func changed(f api.Fields, row query.SourceControlProvider, b UpdateSourceControlProviderRequest) (query.SourceControlProvider, secret.String) {
	if b.Name != nil {
		row.Name = f.Line("name", *b.Name, 0)
	}
	was := text.Of(row.Username)
	if row.Username = nil; b.Username != nil && *b.Username != "" {
		row.Username = new(checkToken(f, "username", *b.Username))
	}
	f.SameAddress("token", b.Token != nil, api.Address{Field: "username", Was: was, Now: text.Of(row.Username)})
	token := ""
	if b.Token != nil {
		token = checkToken(f, "token", b.Token.Reveal())
	}
	return row, secret.String(token)
}

func (o *Operations) checkChanged(ctx context.Context, c api.Call[Path], b UpdateSourceControlProviderRequest) error {
	now := c.Parent.Provider
	row, token := changed(c.Fields, now, api.Over(c, UpdateSourceControlProviderRequest{Username: api.Copied(now.Username)}))
	if len(c.Fields) > 0 || b.Token == nil { // another username comes with its token
		return c.Fields.Err()
	}
	if err := o.ask(ctx, c.Fields, row, token); err != nil {
		return err
	}
	return c.Fields.Err()
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateSourceControlProviderRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	now, err := organization.Current(ctx, tx, "source_control_providers", tx.GetSourceControlProvider, c.Parent, c.Parent.Provider.ID)
	if err != nil {
		return none, err
	}
	row, token := changed(c.Fields, now, api.Over(c, UpdateSourceControlProviderRequest{Username: api.Copied(now.Username)}))
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	return o.keep(ctx, tx, c.Parent.Slug, row, token)
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	n, err := tx.CountSourceControlProviderSites(ctx, c.Parent.Provider)
	if err != nil {
		return api.Empty{}, fmt.Errorf("delete source control provider: %w", err)
	}
	if n > 0 {
		return api.Empty{}, api.Conflict("The connection is in use. Sites that use it: %d.", n)
	}
	if n, err = tx.CountPendingSourceControlLinks(ctx, c.Parent.Provider); err != nil {
		return api.Empty{}, fmt.Errorf("delete source control provider: %w", err)
	}
	if n > 0 {
		return api.Empty{}, api.Conflict("Deploy keys and webhooks still have to be removed through this connection. Sites: %d.", n)
	}
	n, err = tx.DeleteSourceControlProvider(ctx, c.Parent.Provider.ID)
	if err == nil && n == 0 {
		return api.Empty{}, api.ErrNotFound
	}
	if err != nil {
		return api.Empty{}, fmt.Errorf("delete source control provider: %w", err)
	}
	return api.Empty{}, nil
}

// SourceControlAttributes is what was set up at a site's provider.
type SourceControlAttributes struct {
	State      *string      `json:"state" enum:"pending,registered,failed"`
	ProviderID *int64       `json:"provider_id"`
	Repository *string      `json:"repository"`
	DeployKey  bool         `json:"deploy_key" doc:"Whether the provider has the site's deploy key."`
	Webhook    bool         `json:"webhook" doc:"Whether a webhook reports pushes to Hostler."`
	Reason     *string      `json:"reason"`
	Attempts   int64        `json:"attempts"`
	NextAt     api.NullTime `json:"next_attempt_at"`
}

// ResourceType returns sourceControls.
func (SourceControlAttributes) ResourceType() string { return "sourceControls" }

// LinkResource is what was set up at a site's provider, in a document.
type LinkResource = api.Resource[SourceControlAttributes, api.NoRelationships]

func (o *Operations) link(ctx context.Context, c api.Call[site.Path]) (api.Document[LinkResource], error) {
	return o.linkDocument(ctx, o.Store.DB.Read(), c.Parent)
}

func (o *Operations) linkDocument(ctx context.Context, q *query.Granted, p site.Path) (api.Document[LinkResource], error) {
	at := fmt.Sprintf("/orgs/%s/servers/%d/sites/%d/source-control", p.Slug, p.Server.ID, p.Site.ID)
	out := api.Document[LinkResource]{Data: LinkResource{ID: strconv.FormatInt(p.Site.ID, 10), Links: o.Router.Links(at)}}
	row, err := q.GetSourceControlLink(ctx, p.Site)
	if errors.Is(err, db.ErrNotFound) {
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("read source control of site %d: %w", p.Site.ID, err)
	}
	out.Data.Attributes = SourceControlAttributes{
		State: &row.State, ProviderID: &row.ProviderID, Repository: &row.Repository, DeployKey: row.KeyID != "",
		Webhook: row.HookID != "", Attempts: row.Attempts,
	}
	if row.Reason != "" {
		out.Data.Attributes.Reason = &row.Reason
	}
	if row.State == StatePending {
		out.Data.Attributes.NextAt = api.NullTimeOf(row.NextAt)
	}
	return out, nil
}

func (o *Operations) again(ctx context.Context, tx *db.Tx, c api.Call[site.Path], _ api.NoBody) (api.Document[LinkResource], error) {
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return api.Document[LinkResource]{}, err
	}
	p, err := tx.GetProject(ctx, c.Parent.Site)
	if errors.Is(err, db.ErrNotFound) || err == nil && p.ProviderID == nil {
		return api.Document[LinkResource]{}, api.Conflict("The site's repository has no connection to a source control provider.")
	}
	if err != nil {
		return api.Document[LinkResource]{}, fmt.Errorf("read project of site %d: %w", c.Parent.Site.ID, err)
	}
	if err := o.Links.Renew(ctx, tx, c.Parent.Site); err != nil {
		return api.Document[LinkResource]{}, err
	}
	return o.linkDocument(ctx, tx.Granted, c.Parent)
}
