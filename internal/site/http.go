package site

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/access"
	"github.com/hostlerhq/hostler/internal/api"
	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/ledger"
	"github.com/hostlerhq/hostler/internal/organization"
	"github.com/hostlerhq/hostler/internal/server"
	"github.com/hostlerhq/hostler/internal/value"
)

// Deployments is what else goes on at a site.
type Deployments interface {
	// Cancel ends all deployments of a site that have not ended.
	Cancel(ctx context.Context, tx *db.Tx, site int64) error
	// First accepts the first deployment of a new site.
	First(ctx context.Context, tx *db.Tx, p Path) error
}

// Operations are the operations on sites.
type Operations struct {
	Store       *Store
	Projects    *Projects
	Deployments Deployments
	// Databases and Environments are what sites with a database need.
	Databases    Databases
	Environments Environments
	Domains      FirstDomains
	Jobs         *job.Queue
	Router       *api.Router
}

// Register adds the operations.
func (o *Operations) Register() {
	const many, single = "/orgs/{organization}/servers/{server}/sites", "/orgs/{organization}/servers/{server}/sites/{site}"
	view, create := []access.Permission{access.ServerView}, []access.Permission{access.SiteCreate}
	name := []api.Filter{{Name: "name", Text: true}}
	api.Index(o.Router, api.Operation{
		ID: "sites.index", Method: http.MethodGet, Path: "/sites", Tag: "Sites", Mode: api.Sync, Permissions: view, Summary: "List sites of all organizations",
		Filters: name, Includes: Includes(),
	}, api.Self, o.everywhere)
	api.Index(o.Router, api.Operation{
		ID: "organizations.sites.index", Method: http.MethodGet, Path: "/orgs/{organization}/sites", Tag: "Sites", Mode: api.Sync, Permissions: view, Summary: "List sites of an organization",
		Filters: name, Includes: Includes(),
	}, o.Store.Servers.Organizations.InPath, o.ofOrganization)
	api.Show(o.Router, api.Operation{
		ID: "organizations.sites.show", Method: http.MethodGet, Path: "/orgs/{organization}/sites/{site}", Tag: "Sites", Mode: api.Sync, Permissions: view, Summary: "Get a site",
		Included: included(),
	}, o.Store.InOrganization, o.show)
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.index", Method: http.MethodGet, Path: many, Tag: "Sites", Mode: api.Sync, Permissions: view, Summary: "List sites of a server",
		Filters: name, Sorts: []string{"name", "created_at", "updated_at"}, Includes: Includes(),
	}, o.Store.Servers.InPath, o.ofServer)
	api.WriteChecked(o.Router, api.Operation{
		ID: "organizations.servers.sites.store", Method: http.MethodPost, Path: many, Tag: "Sites", Mode: api.Async, Permissions: create, Status: http.StatusAccepted,
		ChangesHost: true, Summary: "Create a site", Included: included(),
		Further: []api.Further{{Permission: access.ServerCreateDatabases, When: "database_id or database_user_id is given"}},
	}, o.Store.Servers.InPath, o.checkStore, o.store)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.update", Before: "/orgs/{organization}/sites/{site}", Method: http.MethodPut, Path: single, Tag: "Sites", Mode: api.Async, Permissions: create, Status: http.StatusAccepted,
		BodyOptional: true, ChangesHost: true, Summary: "Update a site", Included: included(),
	}, o.Store.InPath, o.update)
	api.Remove(o.Router, api.Operation{
		ID: "organizations.servers.sites.destroy", Before: "/orgs/{organization}/sites/{site}", Method: http.MethodDelete, Path: single, Tag: "Sites", Mode: api.Async, Permissions: []access.Permission{access.SiteDelete},
		Status: http.StatusAccepted, ChangesHost: true, Summary: "Delete a site", Description: "Its files stay on the server.",
	}, o.Store.InPath, o.destroy)
	o.registerReleases()
}

func included() []any {
	var out []any
	for _, i := range Includes() {
		out = append(out, i.Resource)
	}
	return out
}

func (o *Operations) everywhere(ctx context.Context, c api.Call[access.Actor]) (api.Collection[Resource], error) {
	grants, err := o.Store.Servers.Organizations.Grants(ctx, c.Parent, access.ServerView)
	if err != nil {
		return api.Collection[Resource]{}, err
	}
	slugs := map[int64]string{}
	var visible []db.Cond
	for _, g := range grants {
		slugs[g.OrganizationID] = g.Slug
		visible = append(visible, server.VisibleOf(g))
	}
	return o.page(ctx, c.List, slugs, db.Any(visible...))
}

func (o *Operations) ofOrganization(ctx context.Context, c api.Call[organization.Path]) (api.Collection[Resource], error) {
	return o.page(ctx, c.List, map[int64]string{c.Parent.OrganizationID: c.Parent.Slug}, server.VisibleOf(c.Parent.Grant))
}

func (o *Operations) ofServer(ctx context.Context, c api.Call[server.Path]) (api.Collection[Resource], error) {
	return o.page(ctx, c.List, map[int64]string{c.Parent.OrganizationID: c.Parent.Slug}, db.Equal("server_id", c.Parent.Server.ID))
}

func (o *Operations) page(ctx context.Context, list api.ListQuery, slugs map[int64]string, where db.Cond) (api.Collection[Resource], error) {
	q := o.Store.DB.Reader()
	page, err := db.Select[query.Site](ctx, q, list.Of("sites", where))
	if err != nil {
		return api.Collection[Resource]{}, err
	}
	data, included, err := Resources(ctx, q, o.Router, list, slugs, page.Rows...)
	return api.Collection[Resource]{Data: data, Included: included, Next: page.Next, Prev: page.Prev}, err
}

func (o *Operations) show(ctx context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	return Document(ctx, o.Store.DB.Reader(), o.Router, c.List, c.Parent.Slug, c.Parent.Site)
}

// Document is the answer with one site.
func Document(ctx context.Context, q query.DBTX, r *api.Router, list api.ListQuery, slug string, row query.Site) (api.Document[Resource], error) {
	data, included, err := Resources(ctx, q, r, list, map[int64]string{row.OrganizationID: slug}, row)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	return api.Document[Resource]{Data: data[0], Included: included}, nil
}

// checkStore asks the provider of a connection for the repository, before anything is locked.
func (o *Operations) checkStore(ctx context.Context, c api.Call[server.Path], b CreateSiteRequest) error {
	if b.SourceControlProviderID == nil || b.Repository == nil || len(c.Fields) > 0 {
		return nil
	}
	branch := ""
	if b.Branch != nil {
		branch = *b.Branch
	}
	return o.Projects.Ask(ctx, o.Store.DB.Read(), c.Fields, c.Parent.Grant, b.SourceControlProviderID, *b.Repository, branch)
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[server.Path], b CreateSiteRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	source, err := o.Projects.source(ctx, tx.Queries, c.Fields, c.Parent.Grant, b.SourceControlProviderID)
	if err != nil {
		return none, err
	}
	asked := checkCreate(c.Fields, c.Parent, b, source)
	in := asked.row
	template, err := checkTemplate(ctx, tx, c.Fields, c.Parent, b.NginxTemplateID)
	if err != nil {
		return none, err
	}
	var connection Connection
	if b.DatabaseID != nil || b.DatabaseUserID != nil {
		if err := c.Require(c.Parent.Grant, access.ServerCreateDatabases); err != nil {
			return none, err
		}
		if connection, err = o.Databases.ForSite(ctx, tx, c.Fields, c.Parent, in.Name, b.DatabaseID, b.DatabaseUserID); err != nil {
			return none, err
		}
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	in.OrganizationID, in.ServerID, in.CreatedAt, in.UpdatedAt = c.Parent.OrganizationID, c.Parent.Server.ID, tx.Micros(), tx.Micros()
	row, err := tx.InsertSite(ctx, in)
	if err != nil {
		return none, fmt.Errorf("create site: %w", err)
	}
	if err := Claim(ctx, tx, c.Fields, "name", row, Names(asked.domain, row.WWWRedirectType, row.Wildcards)); err != nil {
		return none, err
	}
	if err := claimAccount(ctx, tx, c.Fields, row); err != nil {
		return none, err
	}
	if asked.program {
		if row, err = ClaimPorts(ctx, tx, c.Fields, row, asked.port); err != nil {
			return none, err
		}
	}
	if connection.DatabaseID != 0 {
		if row, err = tx.SetSiteDatabase(ctx, row.ID, &connection.DatabaseID, &connection.UserID, tx.Micros()); err != nil {
			return none, fmt.Errorf("keep database of site: %w", err)
		}
	}
	var project *query.Project
	if asked.project != nil {
		made, err := o.Projects.make(ctx, tx, row, asked.project)
		if err != nil {
			return none, err
		}
		project = &made
	}
	for _, name := range slices.Sorted(slices.Values(b.Tags)) { // always in one order, so that no two transactions wait for each other
		tag, err := tx.UpsertTag(ctx, row.OrganizationID, name, tx.Micros())
		if err != nil {
			return none, fmt.Errorf("tag site: %w", err)
		}
		if err := tx.AddSiteTag(ctx, row.ID, tag.ID); err != nil {
			return none, fmt.Errorf("tag site: %w", err)
		}
	}
	return Created(ctx, tx, o.Jobs, o.Domains, o.Router, c.Parent, row, func(first *query.Domain) error {
		if template == "" {
			return nil
		}
		return applyTemplate(c.Parent, row, project, first, template)
	}, func(*query.Domain) error {
		if connection.DatabaseID == 0 {
			return nil
		}
		return o.Environments.Begin(ctx, tx, Path{Path: c.Parent, Site: row}, firstEnvironment(row, connection))
	}, func(*query.Domain) error {
		if !installs(row.Type, project) {
			return nil
		}
		return o.Deployments.First(ctx, tx, Path{Path: c.Parent, Site: row})
	})
}

// DomainPrimary is the type of the domain that a site is named after.
const DomainPrimary = "primary"

// FirstDomains give new sites the domain that they are named after.
type FirstDomains interface {
	// Insert makes the row of a site's first domain; Ask makes it a part of the operation that installs the site.
	Insert(ctx context.Context, tx *db.Tx, row query.Site) (query.Domain, error)
	Ask(ctx context.Context, tx *db.Tx, serverID, operationID int64, first query.Domain) error
}

// Created accepts the work of installing a new site and makes the answer. Each of more is done once the site has its first domain, which it may
// change.
func Created(ctx context.Context, tx *db.Tx, jobs *job.Queue, domains FirstDomains, r *api.Router, p server.Path, row query.Site, more ...func(first *query.Domain) error) (api.Document[Resource], error) {
	first, err := domains.Insert(ctx, tx, row)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	for _, f := range more {
		if err := f(&first); err != nil {
			return api.Document[Resource]{}, err
		}
	}
	accepted, err := Begin(ctx, tx, jobs, p, &row, StatusInstalling, "create", "Installing site "+row.Name, nil)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	if err := domains.Ask(ctx, tx, row.ServerID, accepted.OperationID, first); err != nil {
		return api.Document[Resource]{}, err
	}
	doc, err := Document(ctx, tx.SQL, r, api.ListQuery{}, p.Slug, row)
	doc.Location, doc.Event = fmt.Sprintf("/orgs/%s/sites/%d", p.Slug, row.ID), accepted.EventID
	return doc, err
}

// Begin accepts work on a site and puts the site in the status that it has meanwhile.
func Begin(ctx context.Context, tx *db.Tx, jobs *job.Queue, p server.Path, row *query.Site, status, action, description string, request any) (job.Accepted, error) {
	within := Deadline
	if HasProgram(*row) || action == "create" {
		within += packagesWithin
	}
	accepted, err := jobs.Begin(ctx, tx, job.Work{Grant: p.Grant, ServerID: row.ServerID, SiteID: row.ID, Ready: p.Server.IsReady, Aspect: Aspect, Resource: "sites", ResourceID: row.ID,
		Action: action, Description: description, RanAs: "root", Request: request, Within: within})
	if err != nil {
		return accepted, err
	}
	row.Status, row.OperationID = status, &accepted.OperationID
	if err := tx.SetSiteStatus(ctx, row.ID, status, row.OperationID, tx.Micros()); err != nil {
		return accepted, fmt.Errorf("set status of site: %w", err)
	}
	return accepted, nil
}

// Before is a site as it was before an update, kept to put it back when the update fails; After is what was asked for, to try it again.
type Before struct {
	Site  query.Site                `json:"site"`
	Nodes []query.LoadBalancingNode `json:"nodes,omitempty"`
	After *Before                   `json:"after,omitempty"`
}

// ErrBusy refuses a change of a site while another one runs: what is shown must be what will be.
func ErrBusy(row query.Site) error {
	if row.Status == StatusUninstalling {
		return api.Conflict("The site is being deleted.")
	}
	return nil
}

// Lock takes the site's server for a change of one of its parts and reads the site anew; one that is not served, or no longer, is refused.
func Lock(ctx context.Context, tx *db.Tx, p Path) (query.Site, error) {
	if err := tx.LockServer(ctx, p.Server.ID); err != nil {
		return query.Site{}, err
	}
	row, err := tx.GetSite(ctx, p.Site.ID)
	if errors.Is(err, db.ErrNotFound) {
		return row, api.ErrNotFound
	}
	if err != nil {
		return row, fmt.Errorf("read site %d: %w", p.Site.ID, err)
	}
	if row.Status == StatusFailed {
		return row, api.Conflict("The site could not be installed. Try that again first.")
	}
	return row, ErrBusy(row)
}

// BeginPart accepts work on a part of a site.
func BeginPart(ctx context.Context, tx *db.Tx, jobs *job.Queue, p Path, resource string, id int64, action, description string, request any) (job.Accepted, error) {
	return jobs.Begin(ctx, tx, job.Work{Grant: p.Grant, ServerID: p.Server.ID, SiteID: p.Site.ID, Ready: p.Server.IsReady, Aspect: Aspect, Resource: resource, ResourceID: id,
		Action: action, Description: description, RanAs: "root", Request: request, Within: Deadline})
}

// AcceptPart accepts work on a part of a site; the first wish is for the resource that it is about.
func AcceptPart(ctx context.Context, tx *db.Tx, l *ledger.Ledger, p Path, action, description string, wishes ...ledger.Wish) (job.Accepted, error) {
	return l.Accept(ctx, tx, job.Work{Grant: p.Grant, ServerID: p.Server.ID, SiteID: p.Site.ID, Ready: p.Server.IsReady, Aspect: Aspect, Resource: wishes[0].Kind, ResourceID: wishes[0].ID,
		Action: action, Description: description, RanAs: "root", Within: Deadline}, wishes...)
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], b UpdateSiteRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	if err := tx.LockServer(ctx, c.Parent.Server.ID); err != nil {
		return none, err
	}
	row, err := tx.GetSite(ctx, c.Parent.Site.ID)
	if err != nil {
		return none, fmt.Errorf("update site: %w", err)
	}
	if err := ErrBusy(row); err != nil {
		return none, err
	}
	project, err := o.Projects.Get(ctx, tx.Queries, row.ID)
	if err != nil && !errors.Is(err, ErrNoProject) {
		return none, err
	}
	before := row
	checkUpdate(c.Fields, c.Parent.Path, &row, err == nil && project.Repository != "", b)
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	if err == nil {
		if err := updateProject(ctx, tx, project, b); err != nil {
			return none, err
		}
		if err := o.Projects.Changed(ctx, tx, row.ID); err != nil {
			return none, err
		}
	}
	if row, err = tx.UpdateSite(ctx, query.UpdateSiteParams{ID: row.ID, Type: row.Type, WebDirectory: row.WebDirectory, RootDirectory: row.RootDirectory, PHPVersion: row.PHPVersion, UpdatedAt: tx.Micros()}); err != nil {
		return none, fmt.Errorf("update site: %w", err)
	}
	accepted, err := Begin(ctx, tx, o.Jobs, c.Parent.Path, &row, row.Status, "update", "Updating site "+row.Name, Before{Site: before, After: &Before{Site: row}})
	if err != nil {
		return none, err
	}
	doc, err := Document(ctx, tx.SQL, o.Router, c.List, c.Parent.Slug, row)
	doc.Event = accepted.EventID
	return doc, err
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	if err := tx.LockServer(ctx, c.Parent.Server.ID); err != nil {
		return api.Empty{}, err
	}
	row, err := tx.GetSite(ctx, c.Parent.Site.ID)
	if errors.Is(err, db.ErrNotFound) {
		return api.Empty{}, api.ErrNotFound
	}
	if err != nil {
		return api.Empty{}, fmt.Errorf("delete site: %w", err)
	}
	if row.Status == StatusUninstalling { // a second delete while the first runs
		return api.Empty{}, nil
	}
	if err := o.Deployments.Cancel(ctx, tx, row.ID); err != nil {
		return api.Empty{}, err
	}
	accepted, err := Begin(ctx, tx, o.Jobs, c.Parent.Path, &row, StatusUninstalling, "delete", "Deleting site "+row.Name, Before{Site: row})
	return api.Empty{Event: accepted.EventID}, err
}

// updateProject changes what only the next deployment sees.
func updateProject(ctx context.Context, tx *db.Tx, p query.Project, b UpdateSiteRequest) error {
	branch, retention, push := p.Branch, p.Retention, p.PushToDeploy
	if b.RepositoryBranch != nil {
		branch = *b.RepositoryBranch
	}
	if b.DeploymentRetention != nil {
		retention = int64(*b.DeploymentRetention)
	}
	if b.PushToDeploy != nil {
		push = *b.PushToDeploy
	}
	if err := tx.SetProjectSettings(ctx, query.SetProjectSettingsParams{SiteID: p.SiteID, Branch: branch, Retention: retention, PushToDeploy: push, UpdatedAt: tx.Micros()}); err != nil {
		return fmt.Errorf("update project of site %d: %w", p.SiteID, err)
	}
	return nil
}

// directory reads a web or root directory ("/public").
func directory(f api.Fields, field, text string) string {
	dir, err := value.ParseRelPath("/" + strings.TrimPrefix(text, "/"))
	if err != nil {
		f.Add(field, "%s", err)
	}
	return dir.String()
}
