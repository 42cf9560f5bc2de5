package packages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// CreateComposerCredentialRequest asks for a credential of Composer's.
type CreateComposerCredentialRequest struct {
	Repository string     `json:"repository" doc:"The repository's host. If you give a URL, only its host is used."`
	Username   string     `json:"username"`
	Password   api.Secret `json:"password"`
}

// UpdateComposerCredentialRequest replaces a credential of Composer's.
type UpdateComposerCredentialRequest struct {
	Repository string     `json:"repository"`
	Username   string     `json:"username"`
	Password   api.Secret `json:"password" doc:"If empty, the password is unchanged. Required if the repository or the username changes."`
}

// CreateNpmCredentialRequest asks for a credential of npm's.
type CreateNpmCredentialRequest struct {
	Registry string     `json:"registry" doc:"The registry's address, without a scheme."`
	Token    api.Secret `json:"token"`
	Scopes   []string   `json:"scopes,omitempty" nullable:"true" doc:"Scopes whose packages come from this registry, such as @acme."`
}

// UpdateNpmCredentialRequest replaces a credential of npm's.
type UpdateNpmCredentialRequest struct {
	Registry string     `json:"registry"`
	Token    api.Secret `json:"token" doc:"If empty, the token is unchanged. Required if the registry or the scopes change."`
	Scopes   []string   `json:"scopes,omitempty" nullable:"true"`
}

// Operations are the operations on credentials.
type Operations struct {
	DB     *db.DB
	Vault  Vault
	Sites  *site.Store
	Queue  *job.Queue
	Router *api.Router
}

// wanted is a credential as it was asked for.
type wanted struct {
	name, username, secret string
	scopes                 []string
}

// Register adds the operations.
func (o *Operations) Register() {
	register(o, ids{
		index:   "organizations.servers.sites.composer.credentials.index",
		store:   "organizations.servers.sites.composer.credentials.store",
		show:    "organizations.servers.sites.composer.credentials.show",
		update:  "organizations.servers.sites.composer.credentials.update",
		destroy: "organizations.servers.sites.composer.credentials.destroy",
	}, composer, "repository", "Composer credential",
		func(f api.Fields, b CreateComposerCredentialRequest) wanted {
			return checkComposer(f, b.Repository, b.Username, b.Password.Reveal(), false)
		},
		func(c api.Call[Path], b UpdateComposerCredentialRequest, now query.PackageCredential) wanted {
			w := checkComposer(c.Fields, b.Repository, b.Username, b.Password.Reveal(), true)
			c.Fields.SameAddress("password", w.secret != "", api.Address{Field: "repository", Was: now.Name, Now: w.name},
				api.Address{Field: "username", Was: now.Username, Now: w.username})
			return w
		},
		func(row query.PackageCredential, links *api.SelfLinks, meta *api.Meta) composerResource {
			return composerResource{ID: row.Name, Links: links, Meta: meta, Attributes: ComposerCredentialAttributes{Repository: row.Name, Username: row.Username}}
		})
	register(o, ids{
		index:   "organizations.servers.sites.npm.credentials.index",
		store:   "organizations.servers.sites.npm.credentials.store",
		show:    "organizations.servers.sites.npm.credentials.show",
		update:  "organizations.servers.sites.npm.credentials.update",
		destroy: "organizations.servers.sites.npm.credentials.destroy",
	}, npm, "registry", "npm credential",
		func(f api.Fields, b CreateNpmCredentialRequest) wanted {
			return checkNpm(f, b.Registry, b.Token.Reveal(), b.Scopes, false)
		},
		func(c api.Call[Path], _ UpdateNpmCredentialRequest, now query.PackageCredential) wanted {
			b := api.Over(c, UpdateNpmCredentialRequest{Scopes: scopesOf(now)})
			w := checkNpm(c.Fields, b.Registry, b.Token.Reveal(), b.Scopes, true)
			c.Fields.SameAddress("token", w.secret != "", api.Address{Field: "registry", Was: now.Name, Now: w.name},
				api.Address{Field: "scopes", Was: setOf(scopesOf(now)), Now: setOf(w.scopes)})
			return w
		},
		func(row query.PackageCredential, links *api.SelfLinks, meta *api.Meta) npmResource {
			return npmResource{ID: row.Name, Links: links, Meta: meta, Attributes: NpmCredentialAttributes{Registry: row.Name, Scopes: scopesOf(row)}}
		})
}

func checkComposer(f api.Fields, repository, username, password string, known bool) wanted {
	w := wanted{username: username, secret: password}
	var err error
	if w.name, err = address(repository, false); err != nil && len(f["repository"]) == 0 {
		f.Add("repository", "The repository %s.", err)
	}
	if textOf(f, "username", username); strings.Contains(username, ":") && len(f["username"]) == 0 {
		f.Add("username", "The username must not contain a colon.")
	}
	if password != "" || !known {
		textOf(f, "password", password)
	}
	return w
}

func checkNpm(f api.Fields, registry, token string, scopes []string, known bool) wanted {
	w := wanted{secret: token}
	var err error
	if w.name, err = address(registry, true); err != nil && len(f["registry"]) == 0 {
		f.Add("registry", "The registry %s.", err)
	}
	if token != "" || !known {
		if textOf(f, "token", token); len(f["token"]) == 0 && !tokenPattern.MatchString(token) {
			f.Add("token", "The token contains characters that are not allowed.")
		}
	}
	if len(scopes) > maxCredentials {
		f.Add("scopes", "There can be at most %d scopes.", maxCredentials)
		return w
	}
	for i, s := range scopes {
		at := fmt.Sprintf("scopes.%d", i)
		switch s = strings.ToLower(s); {
		case len(f[at]) > 0:
		case !scopePattern.MatchString(s):
			f.Add(at, "The scope must be like @acme.")
		case slices.Contains(w.scopes, s):
			f.Add(at, "The scope is given twice.")
		default:
			w.scopes = append(w.scopes, s)
		}
	}
	return w
}

// kindOf is what the operations on one kind share.
type kindOf[T any] struct {
	*Operations
	kind, param, name string
	resource          func(query.PackageCredential, *api.SelfLinks, *api.Meta) T
}

// ids are the operations on one kind.
type ids struct{ index, store, show, update, destroy string }

// register adds the five operations on one kind.
func register[C, U, T any](o *Operations, id ids, kind, param, name string, checkNew func(api.Fields, C) wanted,
	checkOld func(api.Call[Path], U, query.PackageCredential) wanted,
	resource func(query.PackageCredential, *api.SelfLinks, *api.Meta) T,
) {
	k := kindOf[T]{o, kind, param, name, resource}
	many := "/orgs/{organization}/servers/{server}/sites/{site}/" + kind + "/credentials"
	single := many + "/{" + param + "}"
	view, manage := []access.Permission{access.ServerView}, []access.Permission{access.ServerManagePackages}
	example := map[string]any{param: "packages.example.com"}
	api.Index(o.Router, api.Operation{
		ID: id.index, Method: http.MethodGet, Path: many, Tag: "Sites", Mode: api.Sync, Permissions: view, Whole: true, Numbered: true,
		Summary: "List " + name + "s of a site",
	}, o.Sites.InPath, k.index)
	api.Write(o.Router, api.Operation{
		ID: id.store, Method: http.MethodPost, Path: many, Tag: "Sites", Mode: api.Async, Permissions: manage, Status: http.StatusAccepted,
		ChangesHost: true, Conflict: true, Summary: "Create a site's " + name,
		Description: "The secret is readable only by the site's user and is never shown again.",
		Example:     example,
	}, o.Sites.InPath, func(ctx context.Context, tx *db.Tx, c api.Call[site.Path], b C) (api.Document[T], error) {
		return k.store(ctx, tx, c, checkNew(c.Fields, b))
	})
	api.Show(o.Router, api.Operation{
		ID: id.show, Method: http.MethodGet, Path: single, Texts: []string{param}, Tag: "Sites", Mode: api.Sync, Permissions: view, Summary: "Get a site's " + name,
	}, k.inPath, func(ctx context.Context, c api.Call[Path]) (api.Document[T], error) {
		return k.document(ctx, o.DB.Reader(), c.Parent.Path, c.Parent.Credential)
	})
	api.Write(o.Router, api.Operation{
		ID: id.update, Method: http.MethodPut, Path: single, Texts: []string{param}, Tag: "Sites", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true, Summary: "Replace a site's " + name,
		Example: example,
	}, k.inPath, func(ctx context.Context, tx *db.Tx, c api.Call[Path], b U) (api.Document[T], error) {
		return k.update(ctx, tx, c, func(now query.PackageCredential) wanted { return checkOld(c, b, now) })
	})
	api.WriteEmpty(o.Router, api.Operation{
		ID: id.destroy, Method: http.MethodDelete, Path: single, Texts: []string{param}, Tag: "Sites", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, ChangesHost: true, Conflict: true, Summary: "Delete a site's " + name,
	}, k.inPath, k.destroy)
}

func (k kindOf[T]) inPath(ctx context.Context, actor access.Actor, path api.PathValues) (Path, error) {
	parent, err := k.Sites.InPath(ctx, actor, path)
	if err != nil {
		return Path{}, err
	}
	row, err := k.DB.Read().GetPackageCredential(ctx, parent.Site, k.kind, path.Slug(k.param))
	if err != nil {
		return Path{}, fmt.Errorf("read %s: %w", k.name, err)
	}
	return Path{Path: parent, Credential: row}, nil
}

func (k kindOf[T]) index(ctx context.Context, c api.Call[site.Path]) (api.Collection[T], error) {
	rows, err := k.DB.Read().ListPackageCredentials(ctx, c.Parent.Site, k.kind)
	if err != nil {
		return api.Collection[T]{}, fmt.Errorf("list %ss: %w", k.name, err)
	}
	data, err := k.resources(ctx, k.DB.Reader(), c.Parent, rows...)
	return api.Collection[T]{Data: data}, err
}

func (k kindOf[T]) store(ctx context.Context, tx *db.Tx, c api.Call[site.Path], in wanted) (api.Document[T], error) {
	var none api.Document[T]
	var err error
	if c.Parent, err = c.Parent.Lock(ctx, tx); err != nil {
		return none, err
	}
	if c.Parent.Site.Type == sitetype.Balancer {
		c.Fields.State("A site on a load balancer has no packages.")
	}
	if err := k.alone(ctx, tx, c.Fields, c.Parent.Site, 0, in); err != nil {
		return none, err
	}
	row, err := tx.InsertPackageCredential(ctx, query.InsertPackageCredentialParams{
		SiteID: c.Parent.Site.ID, Kind: k.kind, Name: in.name,
		Username: in.username, Secret: []byte{}, Scopes: scopesText(in.scopes), CreatedAt: tx.Micros(),
	})
	if err != nil {
		return none, fmt.Errorf("create %s: %w", k.name, err)
	}
	if row, err = k.put(ctx, tx, row, in); err != nil {
		return none, err
	}
	event, err := k.begin(ctx, tx, c.Parent, &row, "create", "Installing the "+k.name+" for "+row.Name)
	if err != nil {
		return none, err
	}
	doc, err := k.document(ctx, tx.SQL, c.Parent, row)
	doc.Location, doc.Event = k.path(c.Parent, row.Name), event
	return doc, err
}

// alone refuses a second credential for a place, and a scope that another registry has: one of them would not count.
func (k kindOf[T]) alone(ctx context.Context, tx *db.Tx, f api.Fields, site query.Site, self int64, in wanted) error {
	rows, err := tx.ListPackageCredentials(ctx, site, k.kind)
	if err != nil {
		return fmt.Errorf("list %ss: %w", k.name, err)
	}
	if self == 0 && len(rows) >= maxCredentials {
		f.Add(k.param, "A site can have at most %d credentials.", maxCredentials)
	}
	for _, row := range rows {
		if row.ID == self {
			continue
		}
		if row.Name == in.name && len(f[k.param]) == 0 {
			f.Coded(k.param, api.CodeTaken, nil, "There is already a credential for it.")
		}
		for _, s := range scopesOf(row) {
			if slices.Contains(in.scopes, s) {
				f.Coded("scopes", api.CodeTaken, nil, "The scope %s already belongs to %s.", s, row.Name)
			}
		}
	}
	return f.Err()
}

func (k kindOf[T]) put(ctx context.Context, tx *db.Tx, row query.PackageCredential, in wanted) (query.PackageCredential, error) {
	row.Name, row.Username, row.Scopes = in.name, in.username, scopesText(in.scopes)
	if in.secret != "" {
		var err error
		if row.Secret, err = k.Vault.Box.Seal(sealedAt(row.ID), []byte(in.secret)); err != nil {
			return row, err
		}
	}
	err := tx.UpdatePackageCredential(ctx, query.UpdatePackageCredentialParams{
		ID: row.ID, Name: row.Name, Username: row.Username, Secret: row.Secret,
		Scopes: row.Scopes, UpdatedAt: tx.Micros(),
	})
	if err != nil {
		return row, fmt.Errorf("write %s: %w", k.name, err)
	}
	return row, nil
}

// setOf is the same text for the same scopes, in whatever order.
func setOf(scopes []string) string { return strings.Join(slices.Sorted(slices.Values(scopes)), " ") }

func scopesText(scopes []string) string {
	if scopes == nil {
		scopes = []string{}
	}
	raw, _ := json.Marshal(scopes) // texts
	return string(raw)
}

func (k kindOf[T]) update(ctx context.Context, tx *db.Tx, c api.Call[Path], check func(query.PackageCredential) wanted) (api.Document[T], error) {
	var none api.Document[T]
	row, err := k.current(ctx, tx, c.Parent)
	if err != nil {
		return none, err
	}
	if row.Removing {
		return none, api.Conflict("The credential is being deleted.")
	}
	in := check(row)
	if err := k.alone(ctx, tx, c.Fields, c.Parent.Site, row.ID, in); err != nil {
		return none, err
	}
	if row, err = k.put(ctx, tx, row, in); err != nil {
		return none, err
	}
	event, err := k.begin(ctx, tx, c.Parent.Path, &row, "update", "Replacing the "+k.name+" for "+row.Name)
	if err != nil {
		return none, err
	}
	doc, err := k.document(ctx, tx.SQL, c.Parent.Path, row)
	doc.Event = event
	return doc, err
}

func (k kindOf[T]) current(ctx context.Context, tx *db.Tx, p Path) (query.PackageCredential, error) {
	var err error
	if p.Path, err = p.Path.Lock(ctx, tx); err != nil {
		return query.PackageCredential{}, err
	}
	row, err := tx.GetPackageCredential(ctx, p.Site, k.kind, p.Credential.Name)
	if errors.Is(err, db.ErrNotFound) {
		return row, api.ErrNotFound
	}
	if err != nil {
		return row, fmt.Errorf("read %s: %w", k.name, err)
	}
	return row, nil
}

func (k kindOf[T]) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	row, err := k.current(ctx, tx, c.Parent)
	if err != nil {
		return api.Empty{}, err
	}
	if row.Removing { // a second delete while the first runs
		return api.Empty{}, nil
	}
	row.Removing = true
	event, err := k.begin(ctx, tx, c.Parent.Path, &row, "delete", "Removing the "+k.name+" for "+row.Name)
	return api.Empty{Event: event}, err
}

func (k kindOf[T]) begin(ctx context.Context, tx *db.Tx, p site.Path, row *query.PackageCredential, action, description string) (int64, error) {
	accepted, err := k.Queue.Begin(ctx, tx, job.Work{
		Grant: p.Grant, ServerID: p.Server.ID, SiteID: p.Site.ID, Ready: p.Server.IsReady,
		Aspect: job.Beside(Aspect, p.Site.ID), Resource: k.kind, ResourceID: row.ID,
		Action: action, Description: description, RanAs: "root", Within: deadline,
	})
	if err != nil {
		return 0, err
	}
	row.OperationID = &accepted.OperationID
	if err := tx.SetPackageCredentialWork(ctx, row.ID, row.Removing, row.OperationID, tx.Micros()); err != nil {
		return 0, fmt.Errorf("note %s: %w", k.name, err)
	}
	return accepted.EventID, nil
}

func (k kindOf[T]) path(p site.Path, name string) string {
	return fmt.Sprintf("/orgs/%s/servers/%d/sites/%d/%s/credentials/%s", p.Slug, p.Server.ID, p.Site.ID, k.kind, url.PathEscape(name))
}

func (k kindOf[T]) document(ctx context.Context, q query.DBTX, p site.Path, row query.PackageCredential) (api.Document[T], error) {
	return api.Single(k.resources(ctx, q, p, row))
}

func (k kindOf[T]) resources(ctx context.Context, q query.DBTX, p site.Path, rows ...query.PackageCredential) ([]T, error) {
	return job.Described(ctx, q, rows, func(row query.PackageCredential) *int64 { return row.OperationID }, func(row query.PackageCredential, meta *api.Meta) T {
		return k.resource(row, k.Router.Links(k.path(p, row.Name)), meta)
	})
}
