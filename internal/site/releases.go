package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/access"
	"github.com/hostlerhq/hostler/internal/api"
	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/release"
	"github.com/hostlerhq/hostler/internal/value"
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

// Switch is what a switch between the two changes: the script too, since it says how code is fetched.
type Switch struct {
	Before, After         bool
	ScriptFrom, ScriptNow string
}

func (o *Operations) registerReleases() {
	const path = "/orgs/{organization}/servers/{server}/sites/{site}/deployments/zero-downtime"
	manage := []access.Permission{access.SiteManageDeploys}
	api.Remove(o.Router, api.Operation{
		ID: "organizations.servers.sites.deployments.zero-downtime.store", Before: "/orgs/{organization}/sites/{site}", Method: http.MethodPost, Path: path, Tag: "Deployments", Mode: api.Async, Permissions: manage,
		Status: http.StatusAccepted, Extension: true, Conflict: true, Summary: "Deploy a site in releases",
		Description: "The files that it has become its first release, and stay where they are; what is served does not change. When anything fails, the site is deployed in place as before.",
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
	project, err := o.Projects.Get(ctx, tx.Queries, row.ID)
	switch {
	case errors.Is(err, ErrNoProject), err == nil && project.Repository == "":
		return api.Empty{}, api.Conflict("The site has no repository.")
	case err != nil:
		return api.Empty{}, err
	case HasProgram(row) && !on:
		return api.Empty{}, api.Conflict("A site with a program of its own always has releases.")
	}
	switching, err := Switching(ctx, tx.Queries, row.ID)
	if err != nil {
		return api.Empty{}, err
	}
	if switching {
		return api.Empty{}, api.Conflict("The site is being switched already.")
	}
	if project.ZeroDowntime == on {
		return api.Empty{}, nil
	}
	open, err := tx.ListOpenDeployments(ctx, row.ID)
	if err != nil {
		return api.Empty{}, fmt.Errorf("list open deployments: %w", err)
	}
	if len(open) > 0 {
		return api.Empty{}, api.Conflict("The site is being deployed.")
	}
	s := Switch{Before: project.ZeroDowntime, After: on, ScriptFrom: project.Script, ScriptNow: inPlaceScript(project.Script)}
	action, description := actionInPlace, "Deploying "+row.Name+" in place from now on"
	if on {
		s.ScriptNow, action, description = releaseScript(project.Script), actionReleases, "Deploying "+row.Name+" in releases from now on"
	}
	if err := tx.SetProjectStrategy(ctx, row.ID, on, s.ScriptNow, tx.Micros()); err != nil {
		return api.Empty{}, fmt.Errorf("switch releases of site %d: %w", row.ID, err)
	}
	accepted, err := Begin(ctx, tx, o.Jobs, p.Path, &row, row.Status, action, description, s)
	return api.Empty{Event: accepted.EventID}, err
}

// Switching tells whether a site is on its way to releases, or back: nothing is deployed meanwhile.
func Switching(ctx context.Context, q *query.Queries, site int64) (bool, error) {
	n, err := q.CountSwitches(ctx, site)
	if err != nil {
		return false, fmt.Errorf("look for switches of site %d: %w", site, err)
	}
	return n > 0, nil
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

// inPlaceScript is the way back: macros of releases have no meaning in place.
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

// switches are the operations of this work that switch a site.
func switches(ops []query.Operation) []query.Operation {
	return slices.DeleteFunc(slices.Clone(ops), func(op query.Operation) bool {
		return op.ResourceType != "sites" || op.Action != actionReleases && op.Action != actionInPlace
	})
}

// copies are the stages that copy the files of sites that are switched, before their vhosts change.
func copies(w job.Pending, sites []Desired) ([]job.Stage, error) {
	var out []job.Stage
	for _, op := range switches(w.Included) {
		i := slices.IndexFunc(sites, func(d Desired) bool { return d.Site.ID == op.ResourceID })
		if i < 0 || sites[i].Project == nil {
			continue
		}
		row, project := sites[i].Site, sites[i].Project
		base, err := Base(row)
		if err != nil {
			return nil, err
		}
		user, err := value.ParseUnixUser(row.UnixUser)
		if err != nil {
			return nil, err
		}
		command := "leave"
		s := wire.Script{User: user.String(), Dir: base.String(), Content: "#!/bin/sh\n", Env: release.GitEnvironment()}
		s.Env[release.VarRoot], s.Env[release.VarShared], s.Env[release.VarRepository], s.Env[release.VarBranch] = base.String(), project.SharedPaths, project.URL, project.Branch
		if op.Action == actionReleases {
			command, s.Env[release.VarRelease], s.Back = "adopt", AdoptedRelease, []string{wire.ReleaseProgram, "back"}
		}
		s.Before = []string{wire.ReleaseProgram, command}
		out = append(out, job.Stage{Name: "copy files", Script: &s, Detach: true, Within: copyWithin})
	}
	return out, nil
}

// settleSwitch writes which of the two is true. What a user made of the script meanwhile stays.
func (c *Converger) settleSwitch(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	var s Switch
	if err := json.Unmarshal([]byte(op.Request), &s); err != nil {
		return fmt.Errorf("read how site %d was deployed: %w", op.ResourceID, err)
	}
	if !done {
		if err := c.setStrategy(ctx, tx, op.ResourceID, s.Before, s.ScriptNow, s.ScriptFrom); err != nil {
			return err
		}
		return tx.SettleSite(ctx, op.ResourceID, StatusInstalled, &op.ID, tx.Micros())
	}
	releases := ""
	if s.After {
		releases = AdoptedRelease
	}
	if err := tx.SetProjectReleases(ctx, op.ResourceID, releases, releases, tx.Micros()); err != nil {
		return fmt.Errorf("note releases of site %d: %w", op.ResourceID, err)
	}
	return tx.SettleSite(ctx, op.ResourceID, StatusInstalled, &op.ID, tx.Micros())
}

func (c *Converger) resumeSwitch(ctx context.Context, tx *db.Tx, op query.Operation) error {
	var s Switch
	if err := json.Unmarshal([]byte(op.Request), &s); err != nil {
		return fmt.Errorf("read how site %d was to be deployed: %w", op.ResourceID, err)
	}
	return c.setStrategy(ctx, tx, op.ResourceID, s.After, s.ScriptFrom, s.ScriptNow)
}

func (c *Converger) setStrategy(ctx context.Context, tx *db.Tx, site int64, zeroDowntime bool, from, to string) error {
	project, err := tx.GetProject(ctx, site)
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read project of site %d: %w", site, err)
	}
	if project.Script != from {
		to = project.Script
	}
	if err := tx.SetProjectStrategy(ctx, site, zeroDowntime, to, tx.Micros()); err != nil {
		return fmt.Errorf("switch releases of site %d: %w", site, err)
	}
	return nil
}

// effectiveProject is a site's project with held switches as if they had not been asked for.
func effectiveProject(project query.Project, w job.Pending) (query.Project, error) {
	for _, op := range switches(w.Held) {
		if op.ResourceID != project.SiteID {
			continue
		}
		var s Switch
		if err := json.Unmarshal([]byte(op.Request), &s); err != nil {
			return project, fmt.Errorf("read how site %d was deployed: %w", project.SiteID, err)
		}
		project.ZeroDowntime = s.Before
		break
	}
	return project, nil
}
