package deployment

import (
	"context"
	"net/http"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// registerAgain adds what the contract does not have: going back to a release that is kept, and deploying a commit once more.
func (o *Operations) registerAgain() {
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.rollback.store", Method: http.MethodPost, Path: single + "/rollback",
		Tag: "Deployments", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, Extension: true, Conflict: true, Summary: "Roll back to a deployment",
		Description: "Creates a deployment that switches to the release, which must still be kept, without running the deploy script, and then runs the health " +
			"check.",
	}, o.Store.InPath, func(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Document[Resource], error) {
		var none api.Document[Resource]
		var err error
		if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
			return none, err
		}
		d := c.Parent.Deployment
		p, err := o.project(ctx, tx.Granted, c.Parent.Site)
		if err != nil {
			return none, err
		}
		switch {
		case d.ReleaseName == "" || !slices.Contains(releasesOf(p), d.ReleaseName):
			return none, api.Conflict("The release of this deployment has been removed.")
		case p.LiveRelease == d.ReleaseName:
			return none, api.Conflict("The release of this deployment is live.")
		}
		row, accepted, err := o.Deployer.Deploy(ctx, tx, c.Parent.Server, c.Parent.Site, Request{
			Type: TypeRollback, Grant: c.Parent.Grant, Release: d.ReleaseName,
			Hash: withoutNUL(d.CommitHash), Author: withoutNUL(d.CommitAuthor), Message: withoutNUL(d.CommitMessage),
		})
		return o.accepted(ctx, tx, c.Parent.Path, row, accepted, err)
	})
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.redeploy.store", Method: http.MethodPost, Path: single + "/redeploy",
		Tag: "Deployments", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, Extension: true, Conflict: true, Summary: "Redeploy a deployment's commit",
		Description: "Creates a new release of the same commit with the current deploy script.",
	}, o.Store.InPath, func(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Document[Resource], error) {
		var none api.Document[Resource]
		var err error
		if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
			return none, err
		}
		d := c.Parent.Deployment
		p, err := o.project(ctx, tx.Granted, c.Parent.Site)
		if err != nil {
			return none, err
		}
		if d.CommitHash == nil || !commitPattern.MatchString(*d.CommitHash) || !p.ZeroDowntime {
			return none, api.Conflict("The commit of this deployment is not known, or the site has no releases.")
		}
		row, accepted, err := o.Deployer.Deploy(ctx, tx, c.Parent.Server, c.Parent.Site, Request{
			Type: TypeRedeploy, Grant: c.Parent.Grant, Commit: *d.CommitHash,
			Hash: *d.CommitHash, Author: withoutNUL(d.CommitAuthor), Message: withoutNUL(d.CommitMessage),
		})
		return o.accepted(ctx, tx, c.Parent.Path, row, accepted, err)
	})
}
