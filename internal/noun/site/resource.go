package site

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/runtimes"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/noun/limits"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// SiteAttributes are the attributes of a site; all of them are always there.
type SiteAttributes struct {
	Name                    string            `json:"name"`
	Status                  string            `json:"status"`
	URL                     string            `json:"url"`
	User                    string            `json:"user"`
	HTTPS                   bool              `json:"https"`
	WebDirectory            string            `json:"web_directory"`
	RootDirectory           *string           `json:"root_directory"`
	Aliases                 []any             `json:"aliases" nullable:"false"`
	PHPVersion              string            `json:"php_version"`
	DeploymentStatus        string            `json:"deployment_status" doc:"The state of the newest deployment; empty until there is one."`
	QuickDeploy             *bool             `json:"quick_deploy"`
	Isolated                bool              `json:"isolated"`
	SharedPaths             map[string]string `json:"shared_paths"`
	Repository              Repository        `json:"repository"`
	Database                *string           `json:"database"`
	MaintenanceMode         MaintenanceMode   `json:"maintenance_mode"`
	ZeroDowntimeDeployments bool              `json:"zero_downtime_deployments"`
	DeploymentRetention     *int64            `json:"deployment_retention"`
	DeploymentScript        *string           `json:"deployment_script"`
	Wildcards               *bool             `json:"wildcards"`
	AppType                 string            `json:"app_type"`
	UsesEnvoyer             bool              `json:"uses_envoyer"`
	DeploymentURL           api.Secret        `json:"deployment_url"`
	HealthcheckURL          *string           `json:"healthcheck_url"`
	CreatedAt               api.NullTime      `json:"created_at"`
	UpdatedAt               api.NullTime      `json:"updated_at"`
}

// ResourceType returns sites.
func (SiteAttributes) ResourceType() string { return "sites" }

// Columns are what a table shows.
func (SiteAttributes) Columns() []string {
	return []string{"name", "relationships.server", "app_type", "status"}
}

// Metas are what the meta of these resources has besides.
func (SiteAttributes) Metas() []any {
	return []any{Meta{}, RuntimeMeta{}, LimitsMeta{}, server.TagsMeta{}}
}

// Repository is where a site's code comes from.
type Repository struct {
	Provider string  `json:"provider"`
	URL      *string `json:"url"`
	Branch   *string `json:"branch"`
	Status   *string `json:"status" enum:"installed,installing,removing"`
}

// MaintenanceMode reports whether a site shows its maintenance page.
type MaintenanceMode struct {
	Enabled bool    `json:"enabled"`
	Status  *string `json:"status" enum:"disabling,enabling"`
}

// Relationships are a site's relationships.
type Relationships struct {
	Server           api.ToOne[server.ServerAttributes] `json:"server"`
	Tags             api.ToMany[server.TagAttributes]   `json:"tags"`
	LatestDeployment api.ToOne[deployments]             `json:"latestDeployment"`
	SecurityRules    api.ToMany[securityRules]          `json:"securityRules"`
	RedirectRules    api.ToMany[redirectRules]          `json:"redirectRules"`
}

// Resource is a site in a document.
type Resource = api.Resource[SiteAttributes, Relationships]

// deployments, securityRules and redirectRules name the types of resources that sites point at. The resources themselves are their own nouns'.
type (
	deployments   struct{}
	securityRules struct{}
	redirectRules struct{}
)

func (deployments) ResourceType() string   { return "deployments" }
func (securityRules) ResourceType() string { return "securityRules" }
func (redirectRules) ResourceType() string { return "redirect-rules" }

// Printer makes the documents of sites, and of what include= brings along with them.
type Printer struct {
	Router *api.Router
	// Newest knows newer releases of what sites run; it may be nil.
	Newest *runtimes.Newest
	// Children are the kinds of resources that belong to sites and that can be brought along.
	Children []Child
}

// Child is a kind of resource that belongs to sites.
type Child struct {
	// Name is that of the relationship. Resource is an empty document, for the description.
	Name     string
	Resource any
	// Print makes the documents of all that belong to sites.
	Print func(ctx context.Context, q query.DBTX, sites []Path) ([]any, error)
}

// ChildOf makes a Child of the parts of sites; siteOf returns the id of the site that a row belongs to.
func ChildOf[R, S any, A api.Attributes](name string, parts *server.Parts[Path, R, S, A], siteOf func(R) int64) Child {
	return Child{Name: name, Resource: server.Document[A]{}, Print: func(ctx context.Context, q query.DBTX, sites []Path) ([]any, error) {
		at := map[int64]Path{}
		for _, s := range sites {
			at[s.Site.ID] = s
		}
		rows, err := db.All[R](ctx, q, parts.Table, db.Equal("site_id", IDs(sites)...))
		if err != nil {
			return nil, err
		}
		documents, err := parts.Linked(ctx, q, func(row R) Path { return at[siteOf(row)] }, rows...)
		out := make([]any, len(documents))
		for i, d := range documents {
			out[i] = d
		}
		return out, err
	}}
}

// IDs returns the ids of sites.
func IDs(sites []Path) []any {
	out := make([]any, len(sites))
	for i, s := range sites {
		out[i] = s.Site.ID
	}
	return out
}

// Includes returns what include= can bring along with sites.
func (p *Printer) Includes() []api.Include {
	out := []api.Include{{Name: "server", Resource: server.Resource{}}, {Name: "tags", Resource: server.TagResource{}}}
	for _, c := range p.Children {
		out = append(out, api.Include{Name: c.Name, Resource: c.Resource})
	}
	return out
}

// Included returns the kinds of resources that come along with sites.
func (p *Printer) Included() []any {
	var out []any
	for _, i := range p.Includes() {
		out = append(out, i.Resource)
	}
	return out
}

// Document returns the answer with one site.
func (p *Printer) Document(ctx context.Context, q query.DBTX, list api.ListQuery, slug string, row query.Site) (api.Document[Resource], error) {
	data, included, err := p.Resources(ctx, q, list, map[int64]string{row.OrganizationID: slug}, row)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	return api.Document[Resource]{Data: data[0], Included: included}, nil
}

// appTypes names the types in the contract's words.
var appTypes = map[string]string{
	sitetype.PHP:        "PHP",
	sitetype.StaticHTML: "Static HTML",
	sitetype.Other:      "Custom",
	sitetype.Custom:     "Custom",
	sitetype.Laravel:    "Laravel",
	sitetype.Symfony:    "Symfony",
	sitetype.Statamic:   "Statamic",
	sitetype.WordPress:  "WordPress",
	sitetype.PHPMyAdmin: "phpMyAdmin",
	sitetype.Next:       "Next.js",
	sitetype.Nuxt:       "Nuxt.js",
	sitetype.Balancer:   "Custom",
}

// Resources makes the documents of sites, and of what include asks for. The number of queries does not
// depend on that of sites. slugs holds the slug of each organization.
func (p *Printer) Resources(ctx context.Context, q query.DBTX, list api.ListQuery, slugs map[int64]string, rows ...query.Site) ([]Resource, []any, error) {
	if len(rows) == 0 {
		return nil, nil, nil
	}
	var ids, servers []any
	var operations []*int64
	for _, row := range rows {
		ids, servers, operations = append(ids, row.ID), append(servers, row.ServerID), append(operations, row.OperationID)
	}
	ops, err := job.ReadOperations(ctx, q, operations...)
	if err != nil {
		return nil, nil, err
	}
	pairs, err := db.All[query.SiteTag](ctx, q, "site_tags", db.Equal("site_id", ids...))
	if err != nil {
		return nil, nil, err
	}
	tags := map[int64][]int64{}
	var tagIDs []any
	for _, pair := range pairs {
		tags[pair.SiteID], tagIDs = append(tags[pair.SiteID], pair.TagID), append(tagIDs, pair.TagID)
	}
	names, err := server.TagNames(ctx, q, tagIDs)
	if err != nil {
		return nil, nil, err
	}
	projects, err := projectsOf(ctx, q, ids)
	if err != nil {
		return nil, nil, err
	}
	all, err := partsOf(ctx, q, ids)
	if err != nil {
		return nil, nil, err
	}
	databases, err := databasesOf(ctx, q, rows)
	if err != nil {
		return nil, nil, err
	}
	versions, err := followed(ctx, q, rows)
	if err != nil {
		return nil, nil, err
	}
	out := make([]Resource, len(rows))
	for i, row := range rows {
		if follows(row) {
			row.PHPVersion = versions[row.ServerID]
		}
		out[i] = resource(p.Router, p.Newest, slugs[row.OrganizationID], row)
		newest := out[i].Attributes.project(row.Type, projects[row.ID])
		out[i].Relationships = &Relationships{
			Server: api.One[server.ServerAttributes](row.ServerID), Tags: api.Many[server.TagAttributes](tags[row.ID]),
			LatestDeployment: api.One[deployments](newest),
		}
		if row.DatabaseID != nil {
			out[i].Attributes.Database = new(databases[*row.DatabaseID])
		}
		own := all.of(row.ID)
		own.describe(&out[i])
		out[i].Meta.Operation = job.Meta(ops, row.OperationID)
		out[i].Meta.Own = append(out[i].Meta.Own, server.NewTagsMeta(names, tags[row.ID])...)
		out[i].Meta.Included = list.Counts(map[string]int{
			"server":           1,
			"tags":             len(tags[row.ID]),
			"latestDeployment": min(int(newest), 1),
			"securityRules":    len(own.security),
			"redirectRules":    len(own.redirects),
		})
	}
	included, err := include(ctx, q, p.Router, list, slugs, servers, tagIDs)
	if err != nil {
		return nil, nil, err
	}
	at := make([]Path, len(rows))
	for i, row := range rows {
		at[i] = Path{
			Path: server.Path{Grant: access.Grant{OrganizationID: row.OrganizationID, Slug: slugs[row.OrganizationID]}, Server: query.Server{ID: row.ServerID}},
			Site: row,
		}
	}
	for _, child := range p.Children {
		if !list.Includes(child.Name) {
			continue
		}
		found, err := child.Print(ctx, q, at)
		if err != nil {
			return nil, nil, fmt.Errorf("include %s: %w", child.Name, err)
		}
		included = append(included, found...)
	}
	return out, included, nil
}

func include(ctx context.Context, q query.DBTX, r *api.Router, list api.ListQuery, slugs map[int64]string, servers, tags []any) ([]any, error) {
	var included []any
	if list.Includes("server") {
		rows, err := db.All[query.Server](ctx, q, "servers", db.Equal("id", servers...))
		if err != nil {
			return nil, err
		}
		bySlug := map[string][]query.Server{}
		for _, row := range rows {
			bySlug[slugs[row.OrganizationID]] = append(bySlug[slugs[row.OrganizationID]], row)
		}
		for slug, rows := range bySlug {
			resources, err := server.Resources(ctx, q, r, slug, rows...)
			if err != nil {
				return nil, err
			}
			for _, res := range resources {
				included = append(included, res)
			}
		}
	}
	if list.Includes("tags") && len(tags) > 0 {
		rows, err := db.All[query.Tag](ctx, q, "tags", db.Equal("id", tags...))
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			included = append(included, server.NewTagResource(row))
		}
	}
	return included, nil
}

// projectsOf returns the projects of sites.
func projectsOf(ctx context.Context, q query.DBTX, sites []any) (map[int64]query.Project, error) {
	rows, err := db.All[query.Project](ctx, q, "projects", db.Equal("site_id", sites...))
	out := map[int64]query.Project{}
	for _, p := range rows {
		out[p.SiteID] = p
	}
	return out, err
}

// follows reports whether a site has the PHP version of its server, since it was created before that was set up.
func follows(s query.Site) bool { return s.PHPVersion == "" && sitetype.HasPHP(s.Type) }

// followed returns the PHP versions of the servers that sites follow.
func followed(ctx context.Context, q query.DBTX, sites []query.Site) (map[int64]string, error) {
	var ids []any
	for _, s := range sites {
		if follows(s) {
			ids = append(ids, s.ServerID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	servers, err := db.All[query.Server](ctx, q, "servers", db.Equal("id", ids...))
	out := map[int64]string{}
	for _, srv := range servers {
		if srv.PHPVersion != nil {
			out[srv.ID] = *srv.PHPVersion
		}
	}
	return out, err
}

// databasesOf returns the names of sites' databases.
func databasesOf(ctx context.Context, q query.DBTX, sites []query.Site) (map[int64]string, error) {
	var ids []any
	for _, s := range sites {
		if s.DatabaseID != nil {
			ids = append(ids, *s.DatabaseID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := db.All[query.Database](ctx, q, "databases", db.Equal("id", ids...))
	out := map[int64]string{}
	for _, row := range rows {
		out[row.ID] = row.Name
	}
	return out, err
}

// project fills in what a site's project says; it returns the id of the newest deployment, 0 for none.
func (a *SiteAttributes) project(kind string, p query.Project) int64 {
	if p.SiteID == 0 {
		return 0
	}
	if p.Repository != "" {
		installed := "installed"
		if a.Status == StatusInstalling {
			installed = "installing"
		}
		a.Repository = Repository{Provider: p.Provider, URL: &p.Repository, Branch: &p.Branch, Status: &installed}
		a.QuickDeploy = &p.PushToDeploy
		a.DeploymentRetention, a.DeploymentScript = &p.Retention, &p.Script
		for to, from := range project.SharedOf(p.SharedPaths) {
			a.SharedPaths[from] = to
		}
	}
	a.ZeroDowntimeDeployments = p.ZeroDowntime
	a.HealthcheckURL, a.DeploymentStatus = p.HealthcheckURL, p.DeploymentStatus
	if a.Status == StatusInstalled {
		a.Status = servedBy(kind, p)
	}
	if p.LatestDeploymentID == nil {
		return 0
	}
	return *p.LatestDeploymentID
}

// servedBy says what an installed site serves. What was tried last is its deployment_status.
func servedBy(kind string, p query.Project) string {
	switch {
	case p.LatestDeploymentID != nil && p.DeploymentStatus == "deploying":
		return "deploying"
	case p.LiveDeploymentID != nil:
		return "deployed"
	case p.LatestDeploymentID != nil && (p.Repository != "" || project.Installs(kind, &p)):
		return "never-deployed"
	}
	return StatusInstalled
}

func resource(r *api.Router, newest *runtimes.Newest, slug string, s query.Site) Resource {
	id := strconv.FormatInt(s.ID, 10)
	a := SiteAttributes{
		Name: s.Name, Status: s.Status, URL: "http://" + s.Name, User: s.UnixUser, WebDirectory: s.WebDirectory, RootDirectory: s.RootDirectory, Aliases: []any{},
		PHPVersion: s.PHPVersion, Isolated: s.Isolated, SharedPaths: map[string]string{}, Wildcards: &s.Wildcards, AppType: appTypes[s.Type],
		CreatedAt: api.NullTimeOf(&s.CreatedAt), UpdatedAt: api.NullTimeOf(&s.UpdatedAt),
	}
	if s.WWWRedirectType != WWWNone && !s.Wildcards {
		a.Aliases = append(a.Aliases, "www."+s.Name)
	}
	meta := &api.Meta{}
	if s.BalancerMethod != nil && s.BalancerKeepalive != nil {
		meta.Own = []any{Meta{BalancerMeta{Method: *s.BalancerMethod, Keepalive: *s.BalancerKeepalive}}}
	} else {
		meta.Own = []any{runtimeMeta(s, newest), LimitsMeta{limits.Shown(limitsOf(s))}}
	}
	return Resource{ID: id, Attributes: a, Links: r.Links("/orgs/" + slug + "/sites/" + id), Meta: meta}
}

// Meta is what sites of load balancers add to meta.
type Meta struct {
	Balancer BalancerMeta `json:"balancer"`
}

// BalancerMeta is how a site on a load balancer chooses its nodes.
type BalancerMeta struct {
	Method    string `json:"method"`
	Keepalive int64  `json:"keepalive_max_connections"`
}
