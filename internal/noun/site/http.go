package site

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/limits"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Deployments is other work at a site.
type Deployments interface {
	// Cancel ends all deployments of a site that have not ended.
	Cancel(ctx context.Context, tx *db.Tx, row query.Site) error
	// First accepts the first deployment of a new site.
	First(ctx context.Context, tx *db.Tx, p Path) error
}

// Databases knows the databases of servers.
type Databases interface {
	// ForSite returns how the site of a domain signs in to a database, as a user of the server's or, for nil, as one that is
	// created for it; errors are added to f.
	ForSite(ctx context.Context, tx *db.Tx, f api.Fields, p server.Path, domain string, database, user *int64) (project.Connection, error)
	// Leave accepts the removal of the account that a site signs in with, if no other site uses it.
	Leave(ctx context.Context, tx *db.Tx, p server.Path, row query.Site) error
}

// Settings are what a server has of accounts among its own settings.
type Settings interface {
	// Leave returns the wishes for settings without those of an account that is removed.
	Leave(ctx context.Context, tx *db.Tx, srv query.Server, account string) ([]ledger.Wish, error)
}

// Environments writes the variables of sites.
type Environments interface {
	// Begin accepts a site's first .env.
	Begin(ctx context.Context, tx *db.Tx, p Path, content string) error
}

// Templates are the nginx templates of servers.
type Templates interface {
	// Find returns the text of the template that a new site is to start from, "" for none; errors are added to f.
	Find(ctx context.Context, tx *db.Tx, f api.Fields, p server.Path, id *int64) (string, error)
	// Apply gives a site's first domain the configuration that a template produces.
	Apply(p server.Path, row query.Site, code *Code, first *query.Domain, template string) error
}

// Operations are the operations on sites.
type Operations struct {
	Installer
	Store       *Store
	Projects    *project.Store
	Deployments Deployments
	// Databases and Environments are what sites with a database need.
	Databases    Databases
	Environments Environments
	Templates    Templates
	// PHP has lines for the pools of accounts.
	PHP Settings
	// Runtimes are the versions of runtimes that sites can choose.
	Runtimes Runtimes
	Router   *api.Router
}

// Register adds the operations.
func (o *Operations) Register() {
	const many, single = "/orgs/{organization}/servers/{server}/sites", "/orgs/{organization}/servers/{server}/sites/{site}"
	view, create := []access.Permission{access.ServerView}, []access.Permission{access.SiteCreate}
	filters := []api.Filter{{Name: "name", Text: true}, server.TagFilter("site_tags", "site_id", "sites")}
	api.Index(o.Router, api.Operation{
		ID: "sites.index", Method: http.MethodGet, Path: "/sites", Tag: "Sites", Mode: api.Sync, Permissions: view, Verb: "all",
		Summary: "List sites of all organizations",
		Filters: filters, Includes: o.Printer.Includes(),
	}, api.Self, o.everywhere)
	api.Index(o.Router, api.Operation{
		ID: "organizations.sites.index", Method: http.MethodGet, Path: "/orgs/{organization}/sites", Tag: "Sites", Mode: api.Sync,
		Permissions: view, Summary: "List sites of an organization",
		Filters: filters, Sorts: []string{"name", "created_at"}, Includes: o.Printer.Includes(),
	}, o.Store.Servers.Organizations.InPath, o.ofOrganization)
	api.Show(o.Router, api.Operation{
		ID: "organizations.sites.show", Method: http.MethodGet, Path: "/orgs/{organization}/sites/{site}", Tag: "Sites",
		Mode: api.Sync, Permissions: view, Summary: "Get a site",
		Includes: o.Printer.Includes(),
	}, o.Store.InOrganization, o.show)
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.index", Method: http.MethodGet, Path: many, Tag: "Sites", Mode: api.Sync,
		Permissions: view, Verb: "of-server", Summary: "List sites of a server",
		Filters: filters, Sorts: []string{"name", "created_at", "updated_at"}, Includes: o.Printer.Includes(),
	}, o.Store.Servers.InPath, o.ofServer)
	api.WriteChecked(o.Router, api.Operation{
		ID: "organizations.servers.sites.store", Method: http.MethodPost, Path: many, Tag: "Sites", Mode: api.Async, Permissions: create, Status: http.StatusAccepted,
		ChangesHost: true, Located: true, Summary: "Create a site", Included: o.Printer.Included(),
		Further: []api.Further{
			{Permissions: []access.Permission{access.ServerCreateDatabases}, Given: []string{"database_id", "database_user_id"}},
			{Permissions: []access.Permission{access.ServerManageServices}, Given: []string{"limits"}},
		},
		Defaults: map[string]string{"type": "php"},
		Example:  map[string]any{"type": "static-html", "name": "www.example.com"},
	}, o.Store.Servers.InPath, o.checkStore, o.store)
	api.WriteChecked(o.Router, api.Operation{
		ID: "organizations.servers.sites.update", Before: "/orgs/{organization}/sites/{site}", Method: http.MethodPut,
		Path: single, Tag: "Sites", Mode: api.Async, Permissions: create, Status: http.StatusAccepted,
		BodyOptional: true, ChangesHost: true, Conflict: true, Summary: "Update a site", Included: o.Printer.Included(),
		Further: []api.Further{
			{
				Permissions: []access.Permission{access.SiteManageProject},
				Given:       []string{"type", "directory", "root_path", "repository_branch", "push_to_deploy", "shared_paths"},
			},
			{Permissions: []access.Permission{access.ServerManageServices}, Given: []string{"limits"}},
		},
		Example: map[string]any{"tags": []any{"shop"}},
		Shown: map[string]string{
			"root_path": "attributes.root_directory", "directory": "attributes.web_directory", "type": "attributes.app_type",
			"push_to_deploy": "attributes.quick_deploy", "repository_branch": "attributes.repository.branch",
			"start_command": "meta.runtime.start_command", "limits": "meta.limits", "tags": "meta.tags",
		},
	}, o.Store.InPath, func(ctx context.Context, c api.Call[Path], b UpdateSiteRequest) error {
		return o.resolveRuntime(ctx, c.Fields, c.Parent.Site.Runtime, b.RuntimeRequest)
	}, o.update)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.destroy", Before: "/orgs/{organization}/sites/{site}", Method: http.MethodDelete,
		Path: single, Tag: "Sites", Mode: api.Async, Permissions: []access.Permission{access.SiteDelete},
		Status: http.StatusAccepted, ChangesHost: true, Summary: "Delete a site", Query: []api.Param{{
			Name: keepHome, Type: "boolean",
			Description: "If this is the last site of an isolated account: keep the account's home on the server, for root only, in /home/.hostler-kept.",
		}},
		Description: "The files of a site of the default account stay on the server. The last site of an isolated account takes the account along: " +
			"its processes, jobs, SSH keys, crontab, mail, caches, temporary files and home, and the database user that only its sites use. " +
			"Databases stay.",
	}, o.Store.InPath, o.destroy)
	o.registerReleases()
}

// checkStore asks the provider of a connection for the repository, and the mirror for the runtime, before anything is locked.
func (o *Operations) checkStore(ctx context.Context, c api.Call[server.Path], b CreateSiteRequest) error {
	if err := o.resolveRuntime(ctx, c.Fields, "", b.RuntimeRequest); err != nil {
		return err
	}
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
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return none, err
	}
	in, err := o.readCreate(ctx, tx, c, b)
	if err != nil {
		return none, err
	}
	in.row.OrganizationID, in.row.ServerID, in.row.CreatedAt, in.row.UpdatedAt = c.Parent.OrganizationID, c.Parent.Server.ID, tx.Micros(), tx.Micros()
	if err := o.mayShare(ctx, tx, c, in.row); err != nil {
		return none, err
	}
	if !limits.Same(in.limits, in.usual) {
		if err := c.Require(c.Parent.Grant, access.ServerManageServices); err != nil {
			return none, err
		}
	}
	if in.row.UnixUser == "" {
		if in.row.UnixUser, err = nameAccount(ctx, tx, c.Parent.Server, in.row.Name); err != nil {
			return none, err
		}
	}
	row, err := tx.InsertSite(ctx, in.row)
	if err != nil {
		return none, fmt.Errorf("create site: %w", err)
	}
	if err := Claim(ctx, tx, c.Fields, "name", row, Names(in.domain, row.WWWRedirectType, row.Wildcards)); err != nil {
		return none, err
	}
	slot, err := claimAccount(ctx, tx, c.Fields, row)
	if err != nil {
		return none, err
	}
	if in.program {
		if row, err = ClaimPorts(ctx, tx, c.Fields, row, in.port); err != nil {
			return none, err
		}
	}
	if in.connection.DatabaseID != 0 {
		if row, err = tx.SetSiteDatabase(ctx, row.ID, &in.connection.DatabaseID, &in.connection.UserID, tx.Micros()); err != nil {
			return none, fmt.Errorf("keep database of site: %w", err)
		}
	}
	var code *query.Project
	if in.code != nil {
		made, err := o.Projects.Make(ctx, tx, row, in.code)
		if err != nil {
			return none, err
		}
		code = &made
	}
	if err := setTags(ctx, tx, row, b.Tags); err != nil {
		return none, err
	}
	asks := specify(row, code, slot)
	asks.Runtime, asks.StartCommand, asks.Limits = in.runtime, in.starts, in.limits
	first, err := o.Domains.Insert(ctx, tx, row)
	if err != nil {
		return none, err
	}
	if in.template != "" {
		if err := o.Templates.Apply(c.Parent, row, asks.Code, &first, in.template); err != nil {
			return none, err
		}
	}
	if in.connection.DatabaseID != 0 {
		if err := o.Environments.Begin(ctx, tx, Path{Path: c.Parent, Site: row},
			project.FirstEnvironment(row, in.connection)+in.admin.Environment(row.Name)); err != nil {
			return none, err
		}
	}
	if project.Installs(row.Type, code) {
		if err := o.Deployments.First(ctx, tx, Path{Path: c.Parent, Site: row}); err != nil {
			return none, err
		}
	}
	doc, err := o.Install(ctx, tx, c.Parent, row, first, asks)
	if err == nil && in.admin != nil && in.admin.Shown != nil {
		doc.Data.Meta.ShownOnce = in.admin.Shown
	}
	return doc, err
}

// creation is what a request to create a site asks for, checked.
type creation struct {
	newSite
	runtime *Runtime
	// usual are the limits that new sites of the organization have.
	limits, usual *render.Limits
	admin         *project.Administrator
	template      string
	connection    project.Connection
}

// readCreate checks a request that creates a site, in the transaction that creates it.
func (o *Operations) readCreate(ctx context.Context, tx *db.Tx, c api.Call[server.Path], b CreateSiteRequest) (in creation, err error) {
	source, err := o.Projects.Provider(ctx, tx.Granted, c.Fields, c.Parent.Grant, b.SourceControlProviderID)
	if err != nil {
		return in, err
	}
	in.newSite = checkCreate(c.Fields, c.Parent, b, source)
	in.runtime = o.checkRuntime(c.Fields, b.Type, nil, b.RuntimeRequest)
	if in.limits, in.usual, err = firstLimits(ctx, tx, c.Fields, b.Type, c.Parent, b.Limits); err != nil {
		return in, err
	}
	if in.admin, err = o.administrator(ctx, tx, c, b, in.newSite); err != nil {
		return in, err
	}
	if in.template, err = o.Templates.Find(ctx, tx, c.Fields, c.Parent, b.NginxTemplateID); err != nil {
		return in, err
	}
	if b.DatabaseID != nil || b.DatabaseUserID != nil {
		if err := c.Require(c.Parent.Grant, access.ServerCreateDatabases); err != nil {
			return in, err
		}
		if in.connection, err = o.Databases.ForSite(ctx, tx, c.Fields, c.Parent, in.row.Name, b.DatabaseID, b.DatabaseUserID); err != nil {
			return in, err
		}
	}
	return in, c.Fields.Err()
}

// mayShare requires what it takes to act as an isolated account that has sites already: code of another site there reads their variables and files.
func (o *Operations) mayShare(ctx context.Context, tx *db.Tx, c api.Call[server.Path], in query.InsertSiteParams) error {
	if !in.Isolated || in.UnixUser == "" {
		return nil
	}
	rows, err := db.All[query.Site](ctx, tx.SQL, "sites", db.Equal("server_id", in.ServerID), db.Equal("unix_user", in.UnixUser))
	if err != nil {
		return fmt.Errorf("look for sites of %s: %w", in.UnixUser, err)
	}
	if len(rows) == 0 {
		return nil
	}
	return c.Require(c.Parent.Grant, access.SiteManageCommands)
}

// mayServe requires the permission to decide what an existing site serves and runs, if a request changes that: another directory is served with the logs and
// dumps in it, and another type shows the source of programs.
func mayServe(c api.Call[Path], row query.Site, code query.Project, shared string, b UpdateSiteRequest) error {
	was := c.Parent.Site
	same := row.Type == was.Type && row.WebDirectory == was.WebDirectory && api.SameOrNil(row.RootDirectory, was.RootDirectory) &&
		shared == code.SharedPaths && (code.Repository == "" || project.BranchOf(b.RepositoryBranch) == code.Branch) &&
		(b.PushToDeploy == nil || *b.PushToDeploy == code.PushToDeploy)
	if same {
		return nil
	}
	return c.Require(c.Parent.Grant, access.SiteManageProject)
}

// administrator reads who administers a WordPress that Hostler installs; nil for other sites.
func (o *Operations) administrator(
	ctx context.Context, tx *db.Tx, c api.Call[server.Path], b CreateSiteRequest, asked newSite,
) (*project.Administrator, error) {
	email := ""
	if asked.installs && (b.WordPressEmail == nil || *b.WordPressEmail == "") {
		user, err := tx.GetUser(ctx, c.Parent)
		if err != nil {
			return nil, fmt.Errorf("read who administers %s: %w", asked.domain, err)
		}
		email = user.Email
	}
	return project.CheckAdministrator(c.Fields, b.AdministratorRequest, asked.installs, asked.domain.String(), email)
}

func (o *Operations) update(ctx context.Context, tx *db.Tx, c api.Call[Path], asked UpdateSiteRequest) (api.Document[Resource], error) {
	var none api.Document[Resource]
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return none, err
	}
	row := c.Parent.Site
	now, err := Sites.Row(ctx, tx.Granted, row.ID)
	if err != nil {
		return none, fmt.Errorf("update site: %w", err)
	}
	code, err := o.Projects.Get(ctx, tx.Granted, row)
	if err != nil && !errors.Is(err, project.ErrNone) {
		return none, err
	}
	balanced, onlyTags := row.Type == sitetype.Balancer, reflect.DeepEqual(asked, UpdateSiteRequest{Tags: asked.Tags})
	if balanced && !onlyTags {
		c.Fields.State("Only the tags of a site on a load balancer can be changed here; use load-balancing-nodes for the rest.")
	}
	b := api.Over(c, requestOf(row, code))
	checkUpdate(c.Fields, c.Parent.Path, &row, err == nil && code.Repository != "", code, b)
	shared := code.SharedPaths
	if b.SharedPaths != nil && len(c.Fields["shared_paths"]) == 0 {
		shared = project.Shared(c.Fields, row.Type, code, b.SharedPaths)
	}
	next := now.Specification
	next.Runtime = o.checkRuntime(c.Fields, row.Type, next.Runtime, asked.RuntimeRequest)
	if next.StartCommand = readStartCommand(c.Fields, b.ProgramRequest); next.StartCommand != "" && !HasProgram(row) {
		c.Fields.Add("start_command", "The site has no program of its own. Create a new site with a start_command.")
	}
	next.Limits = readLimits(c.Fields, row.Type, c.Parent.Server, next.Limits, asked.Limits)
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	if !limits.Same(next.Limits, now.Specification.Limits) { // they are what the other sites of the server rely on
		if err := c.Require(c.Parent.Grant, access.ServerManageServices); err != nil {
			return none, err
		}
	}
	if err := mayServe(c, row, code, shared, b); err != nil {
		return none, err
	}
	action := "update"
	if next.Restarts(now.Specification) {
		action = ActionRuntime
		if err := c.Require(c.Parent.Grant, access.SiteManageProject); err != nil {
			return none, err
		}
		if err := mayRenew(ctx, tx, row); err != nil {
			return none, err
		}
	}
	if b.Tags != nil {
		if err := tx.ClearSiteTags(ctx, row.ID); err != nil {
			return none, fmt.Errorf("update site: %w", err)
		}
		if err := setTags(ctx, tx, row, b.Tags); err != nil {
			return none, err
		}
	}
	if onlyTags && (balanced || b.Tags != nil) { // nothing of the host changes
		return o.Printer.Document(ctx, tx.SQL, c.List, c.Parent.Slug, c.Parent.Site)
	}
	next.Type, next.WebDirectory, next.RootDirectory, next.PHPVersion = row.Type, row.WebDirectory, row.RootDirectory, row.PHPVersion
	if err != nil && (b.DeploymentRetention != nil || b.SharedPaths != nil || b.PushToDeploy != nil && *b.PushToDeploy) {
		code, err = o.Projects.Ensure(ctx, tx, row)
	}
	if err == nil {
		was := c.Parent.Site
		if code, err = o.Projects.Moved(ctx, tx, code, was.Type, text.Of(was.RootDirectory), text.Of(row.RootDirectory)); err != nil {
			return none, err
		}
		if shared != "" {
			code.SharedPaths = shared
		}
		if code, err = updateProject(ctx, tx, code, b); err != nil {
			return none, err
		}
		if err := o.Projects.Changed(ctx, tx, row); err != nil {
			return none, err
		}
		next.follow(code)
	}
	accepted, err := AcceptSite(ctx, tx, o.Ledger, c.Parent.Path, row.ID, next, action, "Updating site "+row.Name)
	if err != nil {
		return none, err
	}
	if row, err = tx.GetSite(ctx, row); err != nil {
		return none, fmt.Errorf("update site: %w", err)
	}
	doc, err := o.Printer.Document(ctx, tx.SQL, c.List, c.Parent.Slug, row)
	doc.Event = accepted.EventID
	return doc, err
}

func setTags(ctx context.Context, tx *db.Tx, row query.Site, names []string) error {
	for _, name := range slices.Sorted(slices.Values(names)) { // always in one order, so that no two transactions wait for each other
		tag, err := tx.UpsertTag(ctx, row.OrganizationID, name, tx.Micros())
		if err != nil {
			return fmt.Errorf("tag site: %w", err)
		}
		if err := tx.AddSiteTag(ctx, row.ID, tag.ID); err != nil {
			return fmt.Errorf("tag site: %w", err)
		}
	}
	return nil
}

func (o *Operations) destroy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
	var err error
	if c.Parent, err = c.Parent.Latest(ctx, tx); err != nil {
		return api.Empty{}, err
	}
	row := c.Parent.Site
	if row.Status == StatusUninstalling { // a second delete while the first runs
		return api.Empty{}, nil
	}
	keep, err := c.Flag(keepHome)
	if err != nil {
		return api.Empty{}, err
	}
	if err := o.Deployments.Cancel(ctx, tx, row); err != nil {
		return api.Empty{}, err
	}
	more, err := o.leaving(ctx, tx, c.Parent)
	if err != nil {
		return api.Empty{}, err
	}
	work := AcceptorOf(o.Ledger).Work(c.Parent.Path, row.ID, Sites.Kind, row.ID, "delete", "Deleting site "+row.Name)
	work.Request = Removal{KeepHome: keep}
	accepted, err := o.Ledger.Accept(ctx, tx, work, append([]ledger.Wish{Sites.Removal(row.ID)}, more...)...)
	return api.Empty{Event: accepted.EventID}, err
}

// updateProject changes what only the next deployment sees.
func updateProject(ctx context.Context, tx *db.Tx, p query.Project, b UpdateSiteRequest) (query.Project, error) {
	if p.Repository != "" {
		p.Branch = project.BranchOf(b.RepositoryBranch)
	}
	if b.DeploymentRetention != nil {
		p.Retention = int64(*b.DeploymentRetention)
	}
	if b.PushToDeploy != nil {
		p.PushToDeploy = *b.PushToDeploy
	}
	if err := tx.SetProjectSettings(ctx, query.SetProjectSettingsParams{
		SiteID: p.SiteID, Branch: p.Branch, Retention: p.Retention, PushToDeploy: p.PushToDeploy, SharedPaths: p.SharedPaths,
		UpdatedAt: tx.Micros(),
	}); err != nil {
		return p, fmt.Errorf("update project of site %d: %w", p.SiteID, err)
	}
	return p, nil
}

// fromHome matches a directory of a site as shells show it. Sites are directories of their account's home, with the names of domains.
var fromHome = regexp.MustCompile(`^/home/[a-z_][a-z0-9_-]*/[^/]*\.[^/]*(?:/current)?(/.*)?$`)

// directory reads a web or root directory ("/public").
func directory(f api.Fields, field, text string) string {
	if m := fromHome.FindStringSubmatch(text); m != nil {
		f.Add(field, "The directory is one below the site's: write %s.", cmp.Or(m[1], "/"))
		return ""
	}
	dir, err := value.ParseRelPath("/" + strings.TrimPrefix(text, "/"))
	if err != nil {
		f.Add(field, "%s", err)
	}
	return dir.String()
}
