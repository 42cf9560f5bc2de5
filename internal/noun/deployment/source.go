package deployment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// commitPattern is the name of a commit as git prints it, of SHA-1 or SHA-256.
var commitPattern = regexp.MustCompile(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// releasesOf returns the names of the releases that a site's server keeps.
func releasesOf(p query.Project) []string { return strings.Fields(p.Releases) }

// HealthcheckEndpointAttributes is what is asked after a deployment.
type HealthcheckEndpointAttributes struct {
	HealthcheckEndpoint *string `json:"healthcheck_endpoint"`
}

// ResourceType returns healthcheckEndpoints.
func (HealthcheckEndpointAttributes) ResourceType() string { return "healthcheckEndpoints" }

// HealthcheckResource is a site's health check in a document.
type HealthcheckResource = api.Resource[HealthcheckEndpointAttributes, api.NoRelationships]

// UpdateHealthcheckEndpointRequest sets or removes a health check.
type UpdateHealthcheckEndpointRequest struct {
	HealthcheckEndpoint *string `json:"healthcheck_endpoint,omitempty" nullable:"true" format:"uri"`
}

// UpdateGitRequest says where a site's code comes from.
type UpdateGitRequest struct {
	SourceControlProvider   string      `json:"source_control_provider" enum:"github,gitlab,bitbucket,gitlab-custom,custom"`
	SourceControlProviderID *int64      `json:"source_control_provider_id,omitempty"`
	Repository              string      `json:"repository"`
	Branch                  string      `json:"branch"`
	PerAccountPublicKey     *string     `json:"per_account_public_key,omitempty"`
	PerAccountPrivateKey    *api.Secret `json:"per_account_private_key,omitempty"`
}

func (o *Operations) registerProject() {
	manage := []access.Permission{access.SiteManageProject}
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.healthcheck.show", Method: http.MethodGet, Path: sitePath + "/healthcheck", Tag: "Sites",
		Mode: api.Sync, Permissions: manage, Summary: "Get a site's health check",
	}, o.Store.Sites.InPath, func(ctx context.Context, c api.Call[site.Path]) (api.Document[HealthcheckResource], error) {
		p, err := o.project(ctx, o.Store.DB.Read(), c.Parent.Site)
		return api.Document[HealthcheckResource]{Data: HealthcheckResource{
			ID: strconv.FormatInt(p.SiteID, 10), Attributes: HealthcheckEndpointAttributes{p.HealthcheckURL},
			Links: o.links(c.Parent, "/healthcheck"),
		}}, err
	})
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.healthcheck.update", Method: http.MethodPut, Path: sitePath + "/healthcheck",
		Tag: "Sites", Mode: api.Sync, Permissions: manage, Status: http.StatusNoContent,
		BodyOptional: true, Summary: "Set a site's health check",
		Description: "The URL is requested on the site's own server after each deployment. Unless the response is 2xx, the previous release becomes live again. " +
			"Null for none.",
		Example: map[string]any{"healthcheck_endpoint": "https://www.example.com/up"},
	}, o.Store.Sites.InPath, o.setHealthcheck)
	api.WriteChecked(o.Router, api.Operation{
		ID: "organizations.servers.sites.git.update", Before: "/orgs/{organization}/sites/{site}", Method: http.MethodPut,
		Path: sitePath + "/git", Tag: "Sites", Mode: api.Async, Permissions: manage, Status: http.StatusAccepted,
		Summary: "Update a site's repository", ChangesHost: true, Conflict: true, Included: o.Sites.Included(),
		Description: "The next deployment fetches the new repository or branch. Only a site's first repository changes its server right away.",
	}, o.Store.Sites.InPath, o.checkGit, o.updateGit)
}

// healthcheckURL reads the URL of a health check, or says in words what to write instead.
func healthcheckURL(text, name string) (u *url.URL, words string) {
	u, err := url.Parse(text)
	switch {
	case len(text) > 1000:
		return u, "must have at most 1000 characters"
	case err == nil && u.Scheme == "" && strings.HasPrefix(text, "/"):
		return u, "must be a whole URL: http://" + name + text
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return u, "must be an http or https URL of the site, such as http://" + name + "/up"
	case u.User != nil:
		return u, "must have no user and no password: the check passes the site's own security rules"
	case u.Port() != "":
		return u, "must have no port: the site's web server is asked"
	case u.Fragment != "":
		return u, "must have no #" + u.Fragment + ", which is never sent to a server"
	}
	return u, ""
}

func (o *Operations) setHealthcheck(ctx context.Context, tx *db.Tx, c api.Call[site.Path], b UpdateHealthcheckEndpointRequest) (api.Empty, error) {
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return api.Empty{}, err
	}
	if b.HealthcheckEndpoint != nil && *b.HealthcheckEndpoint != "" && len(c.Fields["healthcheck_endpoint"]) == 0 {
		names, err := db.All[query.SiteName](ctx, tx.SQL, "site_names", db.Equal("site_id", c.Parent.Site.ID))
		if err != nil {
			return api.Empty{}, err
		}
		u, words := healthcheckURL(*b.HealthcheckEndpoint, c.Parent.Site.Name)
		switch {
		case words != "":
			c.Fields.Add("healthcheck_endpoint", "The healthcheck_endpoint %s.", words)
		case !slices.ContainsFunc(names, func(n query.SiteName) bool { return value.SameDomain(n.Name, u.Hostname()) }):
			c.Fields.Add("healthcheck_endpoint", "The healthcheck_endpoint must be at one of the site's own names.")
		}
	}
	if err := c.Fields.Err(); err != nil {
		return api.Empty{}, err
	}
	p, err := o.Deployer.Projects.Ensure(ctx, tx, c.Parent.Site)
	if err != nil {
		return api.Empty{}, err
	}
	b = api.Over(c, UpdateHealthcheckEndpointRequest{HealthcheckEndpoint: api.Copied(p.HealthcheckURL)})
	if b.HealthcheckEndpoint != nil && *b.HealthcheckEndpoint == "" {
		b.HealthcheckEndpoint = nil
	}
	if err := tx.SetProjectHealthcheck(ctx, p.SiteID, b.HealthcheckEndpoint, tx.Micros()); err != nil {
		return api.Empty{}, fmt.Errorf("set health check: %w", err)
	}
	return api.Empty{}, nil
}

// checkGit asks the provider of a connection for the repository, before anything is locked.
func (o *Operations) checkGit(ctx context.Context, c api.Call[site.Path], b UpdateGitRequest) error {
	if len(c.Fields) > 0 {
		return nil
	}
	p, err := o.Deployer.Projects.Get(ctx, o.Store.DB.Read(), c.Parent.Site)
	if err != nil && !errors.Is(err, project.ErrNone) {
		return err
	}
	if b = overGit(c, p, b); b.SourceControlProviderID == nil {
		return nil
	}
	return o.Deployer.Projects.Ask(ctx, o.Store.DB.Read(), c.Fields, c.Parent.Grant, b.SourceControlProviderID, b.Repository, b.Branch)
}

// overGit reads a request on top of what holds: a site stays with its connection where only the repository or the branch changes.
func overGit(c api.Call[site.Path], p query.Project, b UpdateGitRequest) UpdateGitRequest {
	if b.SourceControlProvider != p.Provider {
		return b
	}
	return api.Over(c, UpdateGitRequest{SourceControlProviderID: api.Copied(p.ProviderID)})
}

func (o *Operations) updateGit(ctx context.Context, tx *db.Tx, c api.Call[site.Path], b UpdateGitRequest) (api.Document[site.Resource], error) {
	var none api.Document[site.Resource]
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return none, err
	}
	p, err := o.Deployer.Projects.Ensure(ctx, tx, c.Parent.Site)
	if err != nil {
		return none, err
	}
	if c.Parent.Site.Type == sitetype.Balancer {
		c.Fields.State("A site on a load balancer has no code.")
	}
	b = overGit(c, p, b)
	first := p.Repository == ""
	p, err = o.Deployer.Projects.Move(ctx, tx, c.Fields, c.Parent.Grant, c.Parent.Site, p, project.Source{
		Provider: b.SourceControlProvider, ProviderID: b.SourceControlProviderID, Repository: b.Repository, Branch: b.Branch,
		PublicKey: text.Of(b.PerAccountPublicKey), PrivateKey: text.Of(b.PerAccountPrivateKey.RevealNull()),
	})
	if err != nil {
		return none, err
	}
	if first && p.Script == "" { // it is deployed in place: existing files stay, in addition to the repository's
		root := ""
		if dir := c.Parent.Site.RootDirectory; dir != nil {
			root = *dir
		}
		if err := tx.SetProjectScript(ctx, p.SiteID, project.DefaultScript(c.Parent.Site.Type, root, p.ZeroDowntime, p.Composer,
			p.PackageManager, p.BuildCommand), p.AutoSource, tx.Micros()); err != nil {
			return none, fmt.Errorf("give site %d a deploy script: %w", p.SiteID, err)
		}
	}
	accepted, err := site.FollowProject(ctx, tx, o.Ledger, c.Parent, p)
	if err != nil {
		return none, err
	}
	row, err := tx.GetSite(ctx, c.Parent.Site)
	if err != nil {
		return none, fmt.Errorf("change repository of site %d: %w", c.Parent.Site.ID, err)
	}
	doc, err := o.Sites.Document(ctx, tx.SQL, c.List, c.Parent.Slug, row)
	doc.Event = accepted.EventID
	return doc, err
}
