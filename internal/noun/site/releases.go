package site

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// The actions that take a site from deployments in place to releases, and back. Its files are copied first, as its user; then its vhosts are
// pointed at the copy, and back again when they do not answer as before. Deployments wait meanwhile.
const (
	actionReleases = "enable-zero-downtime"
	actionInPlace  = "disable-zero-downtime"
)

// AdoptedRelease is the release that is made of a site's files when it gets releases.
const AdoptedRelease = "0"

// copyWithin is how long the files of a site may take to be copied.
const copyWithin = 15 * time.Minute

func (o *Operations) registerReleases() {
	const path = "/orgs/{organization}/servers/{server}/sites/{site}/deployments/zero-downtime"
	manage := []access.Permission{access.SiteManageDeploys}
	api.Remove(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.zero-downtime.store", Before: "/orgs/{organization}/sites/{site}", Method: http.MethodPost, Path: path, Tag: "Deployments", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, Extension: true, Conflict: true, Summary: "Deploy a site in releases",
		Description: "Its files become its first release, and stay where they are; what is served does not change. If anything fails, the site is deployed in place as before.",
	}, o.Store.InPath, func(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
		return o.switchReleases(ctx, tx, c.Parent, true)
	})
	api.Remove(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.zero-downtime.destroy", Before: "/orgs/{organization}/sites/{site}", Method: http.MethodDelete, Path: path, Tag: "Deployments", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, Extension: true, Conflict: true, Summary: "Deploy a site in place",
		Description: "The files of the live release are copied to the site's directory first. The releases stay on the server.",
	}, o.Store.InPath, func(ctx context.Context, tx *db.Tx, c api.Call[Path], _ api.NoBody) (api.Empty, error) {
		return o.switchReleases(ctx, tx, c.Parent, false)
	})
}

func (o *Operations) switchReleases(ctx context.Context, tx *db.Tx, p Path, on bool) (api.Empty, error) {
	row, err := Lock(ctx, tx, p)
	if err != nil {
		return api.Empty{}, err
	}
	project, err := o.Projects.Get(ctx, tx.Granted, row)
	switch {
	case errors.Is(err, ErrNoProject), err == nil && project.Repository == "":
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
		return api.Empty{}, api.Conflict("The site is being switched already.")
	}
	if project.ZeroDowntime == on {
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
	next.follow(project)
	next.Code.Releases, next.Code.Adopted = on, on && now.Applied != nil
	action, description := actionInPlace, "Deploying "+row.Name+" in place from now on"
	if on {
		action, description = actionReleases, "Deploying "+row.Name+" in releases from now on"
	}
	accepted, err := AcceptSite(ctx, tx, o.Ledger, p.Path, row.ID, next, action, description)
	return api.Empty{Event: accepted.EventID}, err
}

// Switching reports whether a site is on its way to releases, or back: nothing is deployed meanwhile.
func Switching(ctx context.Context, q *query.Granted, id int64) (bool, error) {
	row, err := Sites.Row(ctx, q, id)
	if err != nil {
		return false, fmt.Errorf("look for a switch of site %d: %w", id, err)
	}
	return switching(row), nil
}

func switching(row ledger.Row[Specification]) bool {
	return row.Phase == ledger.Updating && row.Applied.releases() != row.Specification.releases()
}

// pull is how a script in place gets the code, by the default one.
var pull = []string{"cd $FORGE_SITE_ROOT", "git pull origin $FORGE_SITE_BRANCH"}

// releaseScript makes a script of deployments in place one of releases: the lines that pull become those that make a release and go there.
func releaseScript(script string) string {
	lines := strings.Split(strings.TrimRight(script, "\n"), "\n")
	at := slices.Index(lines, pull[1])
	if at < 0 || strings.Contains(script, MacroCreate) {
		return script // what it lacks is done around it
	}
	lines[at] = MacroCreate + "\n\ncd $FORGE_RELEASE_DIRECTORY"
	if at > 0 && lines[at-1] == pull[0] {
		lines = slices.Delete(lines, at-1, at)
	}
	for i, line := range lines {
		if below, ok := strings.CutPrefix(line, pull[0]+"/"); ok {
			lines[i] = "cd $FORGE_RELEASE_DIRECTORY/" + below
		}
	}
	if i := slices.Index(lines, MacroQueues); i >= 0 {
		lines = slices.Insert(lines, i, MacroActivate, "")
	} else {
		lines = append(lines, "", MacroActivate)
	}
	return strings.Join(lines, "\n") + "\n"
}

// inPlaceScript returns the way back: macros of releases have no meaning in place.
func inPlaceScript(script string) string {
	if !strings.Contains(script, MacroCreate) && !strings.Contains(script, MacroActivate) {
		return script
	}
	script = strings.Replace(script, MacroCreate+"\n\ncd $FORGE_RELEASE_DIRECTORY", strings.Join(pull, "\n"), 1)
	script = strings.ReplaceAll(script, MacroCreate, strings.Join(pull, "\n"))
	script = strings.ReplaceAll(script, "$FORGE_RELEASE_DIRECTORY", "$FORGE_SITE_ROOT")
	script = strings.ReplaceAll(script, "\n\n"+MacroActivate+"\n", "\n")
	return strings.ReplaceAll(script, MacroActivate+"\n", "")
}

// switchedScript returns the deploy script of a site that is switched to releases, or back. One that was not edited since a
// switch is restored to the version before it. A user's edit since then stays if the switch failed; for a requested switch, its
// lines about releases change.
func switchedScript(p query.Project, on bool, phase ledger.Phase) string {
	switch {
	case p.ScriptSwitched != "" && p.Script == p.ScriptSwitched:
		return p.ScriptBefore
	case phase != ledger.Updating && phase != ledger.Creating:
		return p.Script
	case on:
		return releaseScript(p.Script)
	}
	return inPlaceScript(p.Script)
}

// copies returns the stages that copy the files of sites that are switched, before their vhosts change.
func copies(sites []Desired) ([]job.Stage, error) {
	var out []job.Stage
	for _, d := range sites {
		if !d.Switched || d.Gone {
			continue
		}
		base, err := Base(d.Site)
		if err != nil {
			return nil, err
		}
		user, err := value.ParseUnixUser(d.Site.UnixUser)
		if err != nil {
			return nil, err
		}
		command := "leave"
		s := wire.Script{User: user.String(), Dir: base.String(), Content: "#!/bin/sh\n", Env: release.GitEnvironment()}
		s.Env[release.VarRoot], s.Env[release.VarShared], s.Env[release.VarRepository], s.Env[release.VarBranch] = base.String(), d.Code.SharedPaths, d.Code.URL, d.Code.Branch
		if d.Code.Releases {
			command, s.Env[release.VarRelease], s.Back = "adopt", AdoptedRelease, []string{wire.ReleaseProgram, "back"}
		}
		s.Before = []string{wire.ReleaseProgram, command}
		out = append(out, job.Stage{Name: "copy files", Script: &s, Detach: true, Within: copyWithin})
	}
	return out, nil
}
