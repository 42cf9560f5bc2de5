package deployment

import (
	"context"
	"net/http"
	"slices"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// registerAgain adds what the contract does not have: going back to a release that is kept, and deploying a commit once more.
func (o *Operations) registerAgain() {
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.rollback.store", Method: http.MethodPost, Path: single + "/rollback",
		Tag: "Deployments", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, Extension: true, Conflict: true, Noun: "deployments", Verb: "rollback", Summary: "Roll back to a deployment",
		Description: "Creates a deployment that switches to the release, which must still be kept, without running the deploy script, and then runs the health " +
			"check.",
	}, o.Store.InPath, o.rollBack)
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.redeploy.store", Method: http.MethodPost, Path: single + "/redeploy",
		Tag: "Deployments", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, Extension: true, Conflict: true, Noun: "deployments", Verb: "redeploy", Summary: "Redeploy a deployment's commit",
		Description: "Creates a new release of the same commit with the current deploy script.",
	}, o.Store.InPath, o.redeploy)
}

func (o *Operations) rollBack(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Document[Resource], error) {
	at, p, err := o.again(ctx, tx, c.Parent)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	release := at.Deployment.ReleaseName
	switch {
	case release == "" || !slices.Contains(releasesOf(p), release):
		return api.Document[Resource]{}, api.Conflict("The release of this deployment has been removed.")
	case p.LiveRelease == release:
		return api.Document[Resource]{}, api.Conflict("The release of this deployment is live.")
	}
	return o.deployAgain(ctx, tx, at, Request{Type: TypeRollback, Release: release})
}

func (o *Operations) redeploy(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Document[Resource], error) {
	at, p, err := o.again(ctx, tx, c.Parent)
	if err != nil {
		return api.Document[Resource]{}, err
	}
	commit := at.Deployment.CommitHash
	if commit == nil || !commitPattern.MatchString(*commit) || !p.ZeroDowntime {
		return api.Document[Resource]{}, api.Conflict("The commit of this deployment is not known, or the site has no releases.")
	}
	return o.deployAgain(ctx, tx, at, Request{Type: TypeRedeploy, Commit: *commit})
}

// again returns the deployment and its project as they are now.
func (o *Operations) again(ctx context.Context, tx *db.Tx, at Path) (Path, query.Project, error) {
	at, err := at.Current(ctx, tx)
	if err != nil {
		return at, query.Project{}, err
	}
	p, err := o.project(ctx, tx.Granted, at.Site)
	return at, p, err
}

// deployAgain creates a deployment of what an earlier one deployed.
func (o *Operations) deployAgain(ctx context.Context, tx *db.Tx, at Path, r Request) (api.Document[Resource], error) {
	d := at.Deployment
	r.Grant, r.Hash, r.Author, r.Message = at.Grant, withoutNUL(d.CommitHash), withoutNUL(d.CommitAuthor), withoutNUL(d.CommitMessage)
	row, accepted, err := o.Deployer.Deploy(ctx, tx, at.Server, at.Site, r)
	return o.accepted(ctx, tx, at.Path, row, accepted, err)
}
