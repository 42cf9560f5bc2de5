package deployment

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// DeploymentScriptAttributes is a site's deploy script.
type DeploymentScriptAttributes struct {
	Content    *string `json:"content"`
	AutoSource bool    `json:"auto_source"`
}

// ResourceType returns deploymentScripts.
func (DeploymentScriptAttributes) ResourceType() string { return "deploymentScripts" }

// ScriptResource is a site's deploy script in a document.
type ScriptResource = api.Resource[DeploymentScriptAttributes, api.NoRelationships]

// UpdateDeploymentScriptRequest replaces a deploy script.
type UpdateDeploymentScriptRequest struct {
	Content    string `json:"content" doc:"A shell script. Hostler replaces $CREATE_RELEASE(), $ACTIVATE_RELEASE() and $RESTART_QUEUES() with its own commands."`
	AutoSource *bool  `json:"auto_source,omitempty" nullable:"true" doc:"Pass the variables of the site's .env to the script."`
}

// DeployKeyAttributes is the public half of a site's deploy key.
type DeployKeyAttributes struct {
	Key *string `json:"key"`
}

// ResourceType returns deployKeys.
func (DeployKeyAttributes) ResourceType() string { return "deployKeys" }

// KeyResource is a site's deploy key in a document.
type KeyResource = api.Resource[DeployKeyAttributes, api.NoRelationships]

func (o *Operations) registerSettings() {
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.script.show", Method: http.MethodGet, Path: many + "/script",
		Tag: "Deployments", Mode: api.Sync, Permissions: view, Noun: "deploy-script", Summary: "Get a site's deploy script",
	}, o.Store.Sites.InPath, o.script)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.script.update", Method: http.MethodPut, Path: many + "/script",
		Tag: "Deployments", Mode: api.Sync, Permissions: manage,
		Noun: "deploy-script", Summary: "Replace a site's deploy script", Description: "The next deployment runs the script, as the site's user.",
	}, o.Store.Sites.InPath, o.updateScript)
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.deploy-key.show", Method: http.MethodGet, Path: sitePath + "/deploy-key",
		Tag: "Deployments", Mode: api.Sync, Permissions: see,
		Summary: "Get a site's deploy key", Description: "Returns the public half; null if the site has no deploy key.",
	}, o.Store.Sites.InPath, o.key)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.deploy-key.store", Method: http.MethodPost, Path: sitePath + "/deploy-key",
		Tag: "Deployments", Mode: api.Async, Permissions: manage,
		Summary: "Create a deploy key", Description: "If the site already has a deploy key, it is kept and returned.",
	}, o.Store.Sites.InPath, o.makeKey)
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.deploy-key.destroy", Method: http.MethodDelete, Path: sitePath + "/deploy-key",
		Tag: "Deployments", Mode: api.Sync, Permissions: manage, Status: http.StatusNoContent,
		Verb: "delete", Summary: "Delete a site's deploy key",
	}, o.Store.Sites.InPath, o.removeKey)
	o.registerCheck()
	o.registerHooks()
	o.registerPushes()
	o.registerAgain()
	o.registerProject()
}

// project returns that of a site, with what a site without one has.
func (o *Operations) project(ctx context.Context, q *query.Granted, row query.Site) (query.Project, error) {
	p, err := o.Deployer.Projects.Get(ctx, q, row)
	if errors.Is(err, project.ErrNone) {
		return query.Project{SiteID: row.ID}, nil
	}
	return p, err
}

func (o *Operations) script(ctx context.Context, c api.Call[site.Path]) (api.Document[ScriptResource], error) {
	p, err := o.project(ctx, o.Store.DB.Read(), c.Parent.Site)
	return o.scriptOf(c.Parent, p), err
}

func (o *Operations) scriptOf(at site.Path, p query.Project) api.Document[ScriptResource] {
	return api.Document[ScriptResource]{Data: ScriptResource{
		ID:         strconv.FormatInt(p.SiteID, 10),
		Attributes: DeploymentScriptAttributes{Content: api.OrNull(p.Script), AutoSource: p.AutoSource},
		Links:      o.links(at, "/deployments/script"),
	}}
}

const maxScript = 128 << 10

func (o *Operations) updateScript(
	ctx context.Context, tx *db.Tx, c api.Call[site.Path], b UpdateDeploymentScriptRequest,
) (api.Document[ScriptResource], error) {
	var none api.Document[ScriptResource]
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return none, err
	}
	if strings.ContainsRune(b.Content, 0) {
		c.Fields.Add("content", "The content must be text.")
	}
	if len(b.Content) > maxScript {
		c.Fields.Add("content", "The content must not be longer than %d bytes.", maxScript)
	}
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	p, err := o.Deployer.Projects.Ensure(ctx, tx, c.Parent.Site)
	if err != nil {
		return none, err
	}
	b = api.Over(c, UpdateDeploymentScriptRequest{AutoSource: new(p.AutoSource)})
	p.Script, p.AutoSource = b.Content, b.AutoSource != nil && *b.AutoSource
	if err := tx.SetProjectScript(ctx, p.SiteID, p.Script, p.AutoSource, tx.Micros()); err != nil {
		return none, fmt.Errorf("replace deploy script: %w", err)
	}
	return o.scriptOf(c.Parent, p), nil
}

func (o *Operations) key(ctx context.Context, c api.Call[site.Path]) (api.Document[KeyResource], error) {
	p, err := o.project(ctx, o.Store.DB.Read(), c.Parent.Site)
	return o.keyOf(c.Parent, p), err
}

func (o *Operations) keyOf(at site.Path, p query.Project) api.Document[KeyResource] {
	return api.Document[KeyResource]{Data: KeyResource{
		ID: strconv.FormatInt(p.SiteID, 10), Attributes: DeployKeyAttributes{Key: p.PublicKey},
		Links: o.links(at, "/deploy-key"),
	}}
}

func (o *Operations) makeKey(ctx context.Context, tx *db.Tx, c api.Call[site.Path], _ api.NoBody) (api.Document[KeyResource], error) {
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return api.Document[KeyResource]{}, err
	}
	p, err := o.Deployer.Projects.Ensure(ctx, tx, c.Parent.Site)
	if err == nil {
		p, err = o.Deployer.Projects.EnsureKey(ctx, tx, c.Parent.Site, p)
	}
	return o.keyOf(c.Parent, p), err
}

func (o *Operations) removeKey(ctx context.Context, tx *db.Tx, c api.Call[site.Path], _ api.NoBody) (api.Empty, error) {
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return api.Empty{}, err
	}
	if err := tx.SetProjectKey(ctx, c.Parent.Site.ID, nil, nil, tx.Micros()); err != nil {
		return api.Empty{}, fmt.Errorf("delete deploy key: %w", err)
	}
	return api.Empty{}, o.Deployer.Projects.Changed(ctx, tx, c.Parent.Site)
}
