package deployment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/deployment/cause"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Operations are the operations on deployments.
type Operations struct {
	Store    *Store
	Deployer *Deployer
	Queue    *job.Queue
	Ledger   *ledger.Ledger
	Router   *api.Router
	Sites    *site.Printer
}

// The paths of a site's deployments.
const (
	sitePath = "/orgs/{organization}/servers/{server}/sites/{site}"
	many     = sitePath + "/deployments"
	single   = many + "/{deployment}"
)

var (
	view   = []access.Permission{access.ServerView}
	manage = []access.Permission{access.SiteManageDeploys}
	// see is what shows the secrets of deployments.
	see = []access.Permission{access.ServerView, access.SiteManageDeploys}
)

// Register adds the operations.
func (o *Operations) Register() {
	filters := []api.Filter{{Name: "commit_hash"}, {Name: "commit_message", Text: true}, {Name: "commit_author", Text: true}}
	included := []any{account.Resource{}, site.Resource{}}
	includes := []api.Include{{Name: "site", Resource: site.Resource{}}, {Name: "initiator", Resource: account.Resource{}}}
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.deployments.index", Method: http.MethodGet, Path: "/orgs/{organization}/servers/{server}/deployments",
		Tag: "Deployments", Mode: api.Sync, Permissions: view,
		Noun: "server-deployments", Summary: "List deployments of a server", Filters: filters, Sorts: []string{"created_at"}, Included: included,
		Includes: includes,
	}, o.Store.Sites.Servers.InPath, o.ofServer)
	api.Index(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.index", Method: http.MethodGet, Path: many, Tag: "Deployments", Mode: api.Sync, Permissions: view,
		Summary: "List deployments of a site", Filters: filters, Sorts: []string{"created_at"}, Included: included,
	}, o.Store.Sites.InPath, o.ofSite)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.store", Method: http.MethodPost, Path: many, Tag: "Deployments",
		Mode: api.Async, Permissions: manage, Status: http.StatusAccepted,
		Conflict: true, Summary: "Deploy a site", Included: included,
		Description: "A site's deployments run one at a time. A newer deployment supersedes one that is waiting.",
	}, o.Store.Sites.InPath, o.store)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.show", Method: http.MethodGet, Path: single, Tag: "Deployments",
		Mode: api.Sync, Permissions: view, Summary: "Get a deployment",
		Includes: includes, Included: included,
	}, o.Store.InPath, o.show)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.log.show", Method: http.MethodGet, Path: single + "/log", Tag: "Deployments",
		Mode: api.Sync, Permissions: manage,
		Noun: "deployments", Verb: "log",
		Summary: "Get a deployment's log", Description: "The output so far; organizations.events.stream follows it live, under the event in meta.operation.",
	}, o.Store.InPath, o.log)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.status.show", Method: http.MethodGet, Path: many + "/status",
		Tag: "Deployments", Mode: api.Sync, Permissions: view,
		Noun:    "deploy-status",
		Summary: "Get the status of a site's newest deployment", Description: "status and started_at are null until something is deployed.",
	}, o.Store.Sites.InPath, o.status)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.status.destroy", Method: http.MethodDelete, Path: many + "/status",
		Tag: "Deployments", Mode: api.Async, Permissions: manage, Status: http.StatusAccepted,
		Noun: "deploy-status", Verb: "reset", Summary: "Cancel a site's deployments",
		Description: "A running deployment is ended on the server, with all its processes, and rolled back; waiting ones are cancelled.",
		Asks:        "A running deployment is ended and rolled back, and waiting ones are cancelled.",
	}, o.Store.Sites.InPath, o.cancel)
	o.registerSettings()
}

func (o *Operations) ofServer(ctx context.Context, c api.Call[server.Path]) (api.Collection[Resource], error) {
	return o.page(ctx, c.List, c.Parent, db.Equal("server_id", c.Parent.Server.ID))
}

func (o *Operations) ofSite(ctx context.Context, c api.Call[site.Path]) (api.Collection[Resource], error) {
	return o.page(ctx, c.List, c.Parent.Path, db.Equal("site_id", c.Parent.Site.ID))
}

func (o *Operations) page(ctx context.Context, list api.ListQuery, p server.Path, where db.Cond) (api.Collection[Resource], error) {
	q := o.Store.DB.Reader()
	page, err := db.Select[query.Deployment](ctx, q, list.Of("deployments", where))
	if err != nil {
		return api.Collection[Resource]{}, err
	}
	data, included, err := o.resources(ctx, q, list, p, page.Rows...)
	return api.Collection[Resource]{Data: data, Included: included, Next: page.Next, Prev: page.Prev}, err
}

// resources makes the documents of deployments, and of what include asks for.
func (o *Operations) resources(ctx context.Context, q query.DBTX, list api.ListQuery, p server.Path, rows ...query.Deployment) ([]Resource, []any, error) {
	data, err := Resources(ctx, q, rows...)
	if err != nil {
		return nil, nil, err
	}
	var sites, users []any
	for i, row := range rows {
		initiator := 0
		sites = append(sites, row.SiteID)
		if row.InitiatorID != nil {
			users, initiator = append(users, *row.InitiatorID), 1
		}
		data[i].Meta.Included = list.Counts(map[string]int{"site": 1, "initiator": initiator})
	}
	included, err := o.include(ctx, q, list, p, sites, users)
	return data, included, err
}

func (o *Operations) include(ctx context.Context, q query.DBTX, list api.ListQuery, p server.Path, sites, users []any) ([]any, error) {
	var included []any
	if list.Includes("site") && len(sites) > 0 {
		rows, err := db.All[query.Site](ctx, q, "sites", db.Equal("id", sites...))
		if err != nil {
			return nil, err
		}
		resources, _, err := o.Sites.Resources(ctx, q, api.ListQuery{}, map[int64]string{p.OrganizationID: p.Slug}, rows...)
		if err != nil {
			return nil, err
		}
		for _, r := range resources {
			included = append(included, r)
		}
	}
	if list.Includes("initiator") && len(users) > 0 {
		shown, err := organization.Initiators(ctx, q, o.Router, p.Grant, users)
		if err != nil {
			return nil, err
		}
		included = append(included, shown...)
	}
	return included, nil
}

func (o *Operations) store(ctx context.Context, tx *db.Tx, c api.Call[site.Path], _ api.NoBody) (api.Document[Resource], error) {
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return api.Document[Resource]{}, err
	}
	row, accepted, err := o.Deployer.Deploy(ctx, tx, c.Parent.Server, c.Parent.Site, Request{Type: TypeManual, Grant: c.Parent.Grant})
	return o.accepted(ctx, tx, c.Parent, row, accepted, err)
}

func (o *Operations) accepted(
	ctx context.Context, tx *db.Tx, p site.Path, row query.Deployment, accepted job.Accepted, err error,
) (api.Document[Resource], error) {
	var none api.Document[Resource]
	if errors.Is(err, ErrNoScript) {
		return none, api.Conflict("The site has no deploy script.")
	}
	if err != nil {
		return none, err
	}
	data, err := Resources(ctx, tx.SQL, row)
	if err != nil {
		return none, err
	}
	return api.Document[Resource]{
		Data: data[0], Event: accepted.EventID,
		Location: fmt.Sprintf("/orgs/%s/servers/%d/sites/%d/deployments/%d", p.Slug, p.Server.ID, p.Site.ID, row.ID),
	}, nil
}

func (o *Operations) show(ctx context.Context, c api.Call[Path]) (api.Document[Resource], error) {
	d := c.Parent.Deployment
	data, included, err := o.resources(ctx, o.Store.DB.Reader(), c.List, c.Parent.Path.Path, d)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	if d.Status == StatusFailed && c.Parent.Require(manage...) == nil { // who may not read the log learns nothing from it
		why, err := o.cause(ctx, d, data[0].Meta)
		if err != nil {
			return api.Document[Resource]{}, err
		}
		if why != nil {
			data[0].Meta.Own = append(data[0].Meta.Own, Meta{DeploymentMeta{Cause: why}})
		}
	}
	return api.Document[Resource]{Data: data[0], Included: included}, nil
}

// DeploymentOutputAttributes is what a deployment printed so far.
type DeploymentOutputAttributes struct {
	Output string `json:"output"`
}

// ResourceType returns deploymentOutputs.
func (DeploymentOutputAttributes) ResourceType() string { return "deploymentOutputs" }

// OutputResource is a deployment's log in a document.
type OutputResource = api.Resource[DeploymentOutputAttributes, api.NoRelationships]

// cause returns why a deployment failed, as far as what was printed or the reason of its operation says; nil for nothing that is known.
func (o *Operations) cause(ctx context.Context, d query.Deployment, meta *api.Meta) (*cause.Cause, error) {
	said, err := job.Printed(ctx, o.Store.DB.Read(), d.OperationID)
	if err != nil {
		return nil, fmt.Errorf("read log of deployment %d: %w", d.ID, err)
	}
	if meta.Operation != nil && meta.Operation.Reason != nil {
		said += "\n" + *meta.Operation.Reason
	}
	found, known := cause.Of(said)
	if !known && job.ScriptStatus(meta.Operation) == 1 {
		code, err := o.Store.DB.Read().GetProject(ctx, d)
		if err != nil {
			return nil, fmt.Errorf("read script of deployment %d: %w", d.ID, err)
		}
		found, known = cause.OfScript(code.Script)
	}
	if !known {
		return nil, nil
	}
	return &found, nil
}

func (o *Operations) log(ctx context.Context, c api.Call[Path]) (api.Document[OutputResource], error) {
	d := c.Parent.Deployment
	text := ""
	if d.OperationID != nil {
		op, err := o.Store.DB.Read().GetOrganizationOperation(ctx, d, *d.OperationID)
		if err != nil {
			return api.Document[OutputResource]{}, fmt.Errorf("read log of deployment %d: %w", d.ID, err)
		}
		if op.EventID != nil {
			// What it printed, what it waited for and how it ended.
			if text, err = job.Output(ctx, o.Store.DB.Read(), *op.EventID, func(kind string) bool { return kind != "step" }); err != nil {
				return api.Document[OutputResource]{}, fmt.Errorf("read log of deployment %d: %w", d.ID, err)
			}
		}
	}
	id := strconv.FormatInt(d.ID, 10)
	return api.Document[OutputResource]{Data: OutputResource{
		ID: id, Attributes: DeploymentOutputAttributes{Output: text},
		Links: o.links(c.Parent.Path, "/deployments/"+id+"/log"),
	}}, nil
}

func (o *Operations) links(p site.Path, rest string) *api.SelfLinks {
	return o.Router.Links(fmt.Sprintf("/orgs/%s/servers/%d/sites/%d%s", p.Slug, p.Server.ID, p.Site.ID, rest))
}

// DeploymentStatusAttributes is the state of a site's newest deployment.
type DeploymentStatusAttributes struct {
	Status    *string      `json:"status" enum:"cancelled,deploying,failed,failed-build,finished,pending,queued"`
	StartedAt api.NullTime `json:"started_at" doc:"Null until the deployment starts."`
}

// ResourceType returns deploymentStatuses.
func (DeploymentStatusAttributes) ResourceType() string { return "deploymentStatuses" }

// StatusResource is the state of a site's newest deployment, in a document.
type StatusResource = api.Resource[DeploymentStatusAttributes, api.NoRelationships]

func (o *Operations) status(ctx context.Context, c api.Call[site.Path]) (api.Document[StatusResource], error) {
	out := StatusResource{ID: strconv.FormatInt(c.Parent.Site.ID, 10), Links: o.links(c.Parent, "/deployments/status")}
	d, err := o.Store.DB.Read().LatestDeployment(ctx, c.Parent.Site)
	switch {
	case errors.Is(err, db.ErrNotFound):
	case err != nil:
		return api.Document[StatusResource]{}, fmt.Errorf("read newest deployment: %w", err)
	default:
		out.Attributes = DeploymentStatusAttributes{Status: &d.Status, StartedAt: api.NullTimeOf(d.StartedAt)}
	}
	return api.Document[StatusResource]{Data: out}, nil
}

func (o *Operations) cancel(ctx context.Context, tx *db.Tx, c api.Call[site.Path], _ api.NoBody) (api.Empty, error) {
	var err error
	if c.Parent, err = c.Parent.Latest(ctx, tx); err != nil {
		return api.Empty{}, err
	}
	return api.Empty{}, o.Deployer.Cancel(ctx, tx, c.Parent.Site)
}

// Cancel ends all deployments of a site that have not ended.
func (d *Deployer) Cancel(ctx context.Context, tx *db.Tx, row query.Site) error {
	open, err := tx.ListOpenDeployments(ctx, row)
	if err != nil {
		return fmt.Errorf("cancel deployments of site %d: %w", row.ID, err)
	}
	for _, row := range open {
		if row.OperationID == nil {
			continue
		}
		if err := d.Queue.Cancel(ctx, tx, *row.OperationID); err != nil && !errors.Is(err, job.ErrEnded) {
			return err
		}
	}
	return nil
}
