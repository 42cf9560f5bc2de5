package site

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/project"
)

// The actions that take a site from deployments in place to releases, and back. Its files are copied first, as its user; then its vhosts are
// pointed at the copy, and back again when they do not answer as before. Deployments wait meanwhile.
const (
	actionReleases = "enable-zero-downtime"
	actionInPlace  = "disable-zero-downtime"
)

func (o *Operations) registerReleases() {
	const path = "/orgs/{organization}/servers/{server}/sites/{site}/deployments/zero-downtime"
	manage := []access.Permission{access.SiteManageDeploys}
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.zero-downtime.store", Before: "/orgs/{organization}/sites/{site}",
		Method: http.MethodPost, Path: path, Tag: "Deployments", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, Extension: true, Conflict: true, Noun: "zero-downtime", Verb: "enable", Summary: "Deploy a site with releases",
		Description: "The site's files become its first release, and also stay where they are; what is served does not change. If anything fails, the site is " +
			"deployed in place as before.",
	}, o.Store.InPath, func(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
		return o.switchReleases(ctx, tx, c.Parent, true)
	})
	api.WriteEmpty(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.zero-downtime.destroy", Before: "/orgs/{organization}/sites/{site}",
		Method: http.MethodDelete, Path: path, Tag: "Deployments", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, Extension: true, Conflict: true, Noun: "zero-downtime", Summary: "Deploy a site in place",
		Description: "The files of the live release are copied to the site's directory first. The releases stay on the server.",
	}, o.Store.InPath, func(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
		return o.switchReleases(ctx, tx, c.Parent, false)
	})
}

func (o *Operations) switchReleases(ctx context.Context, tx *db.Tx, p Path, on bool) (api.Empty, error) {
	var err error
	if p, err = p.Lock(ctx, tx); err != nil {
		return api.Empty{}, err
	}
	row := p.Site
	code, err := o.Projects.Get(ctx, tx.Granted, row)
	switch {
	case errors.Is(err, project.ErrNone), err == nil && code.Repository == "":
		return api.Empty{}, api.Conflict("The site has no repository.")
	case err != nil:
		return api.Empty{}, err
	case HasProgram(row) && !on:
		return api.Empty{}, api.Conflict("A site with its own program always has releases.")
	}
	now, err := Sites.Row(ctx, tx.Granted, row.ID)
	if err != nil {
		return api.Empty{}, fmt.Errorf("switch releases of site %d: %w", row.ID, err)
	}
	if switching(now) {
		return api.Empty{}, api.Conflict("The site is already being switched.")
	}
	if code.ZeroDowntime == on {
		return api.Empty{}, nil
	}
	open, err := tx.ListOpenDeployments(ctx, row)
	if err != nil {
		return api.Empty{}, fmt.Errorf("list open deployments: %w", err)
	}
	if len(open) > 0 {
		return api.Empty{}, api.Conflict("The site is being deployed.")
	}
	next := now.Specification
	next.follow(code)
	next.Code.Releases, next.Code.Adopted = on, on && now.Applied != nil
	action, description := actionInPlace, "Deploying "+row.Name+" in place from now on"
	if on {
		action, description = actionReleases, "Deploying "+row.Name+" in releases from now on"
	}
	accepted, err := AcceptSite(ctx, tx, o.Ledger, p.Path, row.ID, next, action, description)
	return api.Empty{Event: accepted.EventID}, err
}

// Awaited says what work in a site waits for, "" if its server has it or could not make it.
func Awaited(row query.Site) string {
	if row.Status == StatusInstalling {
		return "Waiting until the site is installed."
	}
	return ""
}

// Switching says what a deployment of a site waits for while the site is on its way to releases, or back, or to another runtime; "" if it is not.
func Switching(ctx context.Context, q *query.Granted, id int64) (string, error) {
	row, err := Sites.Row(ctx, q, id)
	switch {
	case err != nil:
		return "", fmt.Errorf("look for a switch of site %d: %w", id, err)
	case switching(row):
		return "Waiting until the site's directories are rearranged.", nil
	case row.Phase == ledger.Updating && row.Specification.Restarts(*row.Applied):
		return "Waiting until the site's program is restarted.", nil
	}
	return "", nil
}

func switching(row ledger.Row[Specification]) bool {
	return row.Phase == ledger.Updating && row.Applied.InReleases() != row.Specification.InReleases()
}
