package deployment

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/internal/engine/task"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/git"
	"github.com/hostlerhq/hostler/internal/ground/runtimes"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/deployment/cause"
	"github.com/hostlerhq/hostler/internal/noun/deployment/found"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// CheckAspect is the aspect of reading a repository to see that it can be read: beside everything else, one at a time for each site.
const CheckAspect = "repository"

const (
	// checkWithin is how long a Git server may take, checkQueued how long a check may wait for its turn.
	checkWithin = time.Minute
	checkQueued = 15 * time.Minute
)

// The states of a check.
const (
	checkPending = "pending"
	checkPassed  = "passed"
	checkFailed  = "failed"
)

// RepositoryCheckAttributes say whether a site's server can read its repository.
type RepositoryCheckAttributes struct {
	State     *string      `json:"state" enum:"pending,passed,failed" doc:"Null if this repository and branch were never checked with this deploy key."`
	Commit    *string      `json:"commit" doc:"The newest commit of the branch when it was checked; null unless the check passed."`
	Cause     *cause.Cause `json:"cause" doc:"Why the repository could not be read; null unless the check failed."`
	HostKey   *string      `json:"host_key" doc:"The fingerprint of the host key that the Git server shows, where it is another than the one that is known of it."`
	CheckedAt api.NullTime `json:"checked_at" doc:"When the check was last requested or done; null if there is none."`
	// Application and Proposed are about the commit that was checked.
	Application *found.Application `json:"application" doc:"What the repository has, by its files; null if that is not known."`
	Proposed    *Proposed          `json:"proposed" doc:"What the site would change to run that; null for nothing."`
}

// Proposed is what a site would change to run what its repository has. It is done only on request.
type Proposed struct {
	Type         *string         `json:"type" doc:"The type of site that can run it; null if this one can."`
	Site         *found.Proposal `json:"site" doc:"The fields of an update of the site; null for none."`
	DeployScript *string         `json:"deploy_script" doc:"A deploy script that fits; null if the site's does, or is its own."`
}

// ResourceType returns repositoryChecks.
func (RepositoryCheckAttributes) ResourceType() string { return "repositoryChecks" }

// CheckRepositoryRequest asks for a check.
type CheckRepositoryRequest struct {
	HostKey *string `json:"host_key,omitempty" nullable:"true"`
}

// CheckResource is the check of a site's repository in a document.
type CheckResource = api.Resource[RepositoryCheckAttributes, api.NoRelationships]

// checked is the newest check of a repository, as its project keeps it.
type checked struct {
	// Of is what was checked: with another address, branch or key it says nothing.
	Of        string       `json:"of"`
	Operation int64        `json:"operation"`
	State     string       `json:"state"`
	Commit    string       `json:"commit,omitempty"`
	Cause     *cause.Cause `json:"cause,omitempty"`
	// Shown is the fingerprint of a host key that is not the one that is known, Confirmed that of one which was confirmed to be the server's.
	Shown     string `json:"shown,omitempty"`
	Confirmed string `json:"confirmed,omitempty"`
	At        int64  `json:"at"`
	// Application is what the directory In has, which was that of the application.
	Application *found.Application `json:"application,omitempty"`
	In          string             `json:"in,omitempty"`
}

// subject is what a check is about.
func subject(p query.Project) string {
	key := ""
	if p.PublicKey != nil {
		key = *p.PublicKey
	}
	return secret.Hash(strings.Join([]string{p.URL, p.Branch, key}, "\n"))
}

// checkOf returns the newest check of a project as it is now; nil if there is none of that.
func checkOf(p query.Project) *checked {
	var c checked
	if p.Checked == "" || json.Unmarshal([]byte(p.Checked), &c) != nil || c.Of != subject(p) {
		return nil
	}
	return &c
}

func (c checked) keep(ctx context.Context, tx *db.Tx, site int64) error {
	raw, err := json.Marshal(c)
	if err == nil {
		err = tx.SetProjectChecked(ctx, site, string(raw))
	}
	if err != nil {
		return fmt.Errorf("keep the check of the repository of site %d: %w", site, err)
	}
	return nil
}

func (o *Operations) registerCheck() {
	const path = sitePath + "/git/check"
	api.Show(o.Router, api.Operation{
		ID: "organizations.servers.sites.git.check.show", Method: http.MethodGet, Path: path, Tag: "Deployments", Mode: api.Sync,
		Permissions: see, Extension: true, Noun: "repository-check", Summary: "Get the check of a site's repository",
		Description: "Whether the site's server could read the branch with the deploy key when that was last checked.",
	}, o.Store.Sites.InPath, func(ctx context.Context, c api.Call[site.Path]) (api.Document[CheckResource], error) {
		p, err := o.project(ctx, o.Store.DB.Read(), c.Parent.Site)
		return o.checkDocument(c.Parent, p, checkOf(p)), err
	})
	api.Write(o.Router, api.Operation{
		ID: "organizations.servers.sites.git.check.store", Method: http.MethodPost, Path: path, Tag: "Deployments", Mode: api.Async,
		Permissions: manage, Extension: true, Conflict: true, Status: http.StatusAccepted, RateLimit: api.CommandRateLimit,
		BodyOptional: true, Noun: "repository-check", Verb: "run", Summary: "Check a site's repository",
		Description: "Reads the newest commit of the branch on the site's server, with the deploy key, and those files of it that say which application it has. " +
			"A check that is already requested is returned. A new host key of the Git server is confirmed by its fingerprint.",
	}, o.Store.Sites.InPath, o.check)
}

func (o *Operations) checkDocument(at site.Path, p query.Project, c *checked) api.Document[CheckResource] {
	out := CheckResource{ID: strconv.FormatInt(at.Site.ID, 10), Links: o.links(at, "/git/check")}
	if c != nil {
		out.Attributes = RepositoryCheckAttributes{State: &c.State, Commit: api.OrNull(c.Commit), Cause: c.Cause, HostKey: api.OrNull(c.Shown),
			CheckedAt: api.NullTimeOf(&c.At)}
		if c.Application != nil && c.In == text.Of(at.Site.RootDirectory) {
			out.Attributes.Application, out.Attributes.Proposed = c.Application, propose(at, p, c.Application)
		}
	}
	return api.Document[CheckResource]{Data: out}
}

// propose returns what a site would change to run what its repository has; nil for nothing.
func propose(at site.Path, p query.Project, a *found.Application) *Proposed {
	facts := server.FactsOf(at.Server)
	is := at.Site
	has := found.Has{
		Type: is.Type, Runtime: is.Runtime, Version: is.RuntimeVersion, StartCommand: is.StartCommand, Directory: is.WebDirectory, Program: site.HasProgram(is),
		Node:   is.Runtime == "node" || is.Runtime == "bun" || p.PackageManager != "" || site.HasProgram(is) && is.StartCommand == "",
		System: runtimes.SystemNode(facts.OS, facts.OSVersion), SystemGo: runtimes.SystemGo(facts.OS, facts.OSVersion),
	}
	if !a.Suits(has) {
		return &Proposed{Type: &a.Type}
	}
	out := Proposed{Site: a.Propose(has)}
	root := text.Of(is.RootDirectory)
	script := func(composer bool, manager, build string) string {
		return project.DefaultScript(is.Type, root, p.ZeroDowntime, composer, manager, build)
	}
	if p.Script != "" && p.Script == script(p.Composer, p.PackageManager, p.BuildCommand) {
		composer, manager, build := p.Composer || a.Composer, p.PackageManager, p.BuildCommand
		if a.PackageManager != nil {
			manager = *a.PackageManager
		}
		if a.Runtime != nil && site.LanguageBuild(a.Runtime.Name) != "" && is.Type == a.Type {
			manager, build = "", cmp.Or(text.Of(a.BuildCommand), site.LanguageBuild(a.Runtime.Name))
		}
		if fits := script(composer, manager, build); fits != p.Script {
			out.DeployScript = &fits
		}
	}
	if out == (Proposed{}) {
		return nil
	}
	return &out
}

// fingerprint matches one as ssh shows it.
var fingerprint = regexp.MustCompile(`SHA256:[A-Za-z0-9+/]{43}`)

// confirmed returns the fingerprint that a request confirms as that of a Git server's host key; "" for none.
func confirmed(f api.Fields, b CheckRepositoryRequest, p query.Project) string {
	key := strings.TrimSuffix(strings.TrimSpace(text.Of(b.HostKey)), "=")
	if key == "" {
		return ""
	}
	at, err := git.ParseURL(p.URL)
	switch {
	case fingerprint.FindString(key) != key:
		f.Add("host_key", "The host_key must be a fingerprint, as ssh-keygen -l shows it: SHA256: and 43 characters.")
	case err != nil || !at.SSH():
		f.Add("host_key", "The repository is not read over SSH: its server has no host key.")
	case git.KnownHosts(at) != "":
		f.Add("host_key", "The host keys of %s are published, and Hostler knows them.", at.Server())
	}
	return key
}

func (o *Operations) check(ctx context.Context, tx *db.Tx, c api.Call[site.Path], b CheckRepositoryRequest) (api.Document[CheckResource], error) {
	var none api.Document[CheckResource]
	var err error
	if c.Parent, err = c.Parent.Current(ctx, tx); err != nil {
		return none, err
	}
	p, err := o.project(ctx, tx.Granted, c.Parent.Site)
	if err != nil {
		return none, err
	}
	if p.URL == "" {
		return none, api.Conflict("The site has no repository.")
	}
	key := confirmed(c.Fields, b, p)
	if err := c.Fields.Err(); err != nil {
		return none, err
	}
	if now := checkOf(p); now != nil && now.State == checkPending {
		if now.Confirmed != key && key != "" {
			return none, api.Conflict("The repository is being checked. Confirm the host key when that has ended.")
		}
		return o.checkDocument(c.Parent, p, now), nil
	}
	accepted, err := o.Queue.Begin(ctx, tx, job.Work{
		Grant: c.Parent.Grant, ServerID: c.Parent.Server.ID, SiteID: c.Parent.Site.ID, Ready: c.Parent.Server.IsReady,
		Aspect: job.Beside(CheckAspect, c.Parent.Site.ID), Resource: "repositoryChecks", ResourceID: c.Parent.Site.ID, Action: "check",
		Description: "Checking the repository of " + c.Parent.Site.Name, RanAs: c.Parent.Site.UnixUser, Lasting: true,
		Needs: []access.Permission{access.SiteManageDeploys}, Within: checkQueued + checkWithin,
	})
	if err != nil {
		return none, err
	}
	now := checked{Of: subject(p), Operation: accepted.OperationID, State: checkPending, Confirmed: key, At: tx.Micros()}
	if err := now.keep(ctx, tx, p.SiteID); err != nil {
		return none, err
	}
	doc := o.checkDocument(c.Parent, p, &now)
	doc.Event = accepted.EventID
	return doc, nil
}

// Checker has servers read the repositories of their sites, to see that they can.
type Checker struct {
	Projects *project.Store
	Sources  Sources
}

// Aspect returns it for the engine.
func (c *Checker) Aspect() job.Aspect {
	return task.Kind[query.Project]{
		Load: task.Row((*query.Queries).GetProject),
		Gone: "the site was deleted", Ready: c.ready, Steps: c.steps, Heard: c.heard, Write: c.write,
	}.Aspect()
}

func (c *Checker) ready(ctx context.Context, q *query.Queries, _ query.Operation, p query.Project) (string, error) {
	row, err := q.GetSite(ctx, p.SiteID)
	if err != nil {
		return "", fmt.Errorf("read site %d: %w", p.SiteID, err)
	}
	if awaited := site.Awaited(row); awaited != "" {
		return awaited, nil
	}
	return keyed(ctx, q, c.Sources, row.ID)
}

// keyed says that a site's repository can't be fetched yet; sources may be nil.
func keyed(ctx context.Context, q *query.Queries, sources Sources, site int64) (string, error) {
	if sources == nil {
		return "", nil
	}
	if ready, err := sources.Ready(ctx, q, site); err != nil || ready {
		return "", err
	}
	return "Waiting until the deploy key is set up at the repository's provider.", nil
}

func (c *Checker) steps(ctx context.Context, q *query.Queries, srv query.Server, _ query.Operation, p query.Project) ([]job.Stage, error) {
	row, err := q.GetSite(ctx, p.SiteID)
	if err != nil {
		return nil, fmt.Errorf("read site %d: %w", p.SiteID, err)
	}
	if row.Status == site.StatusFailed || row.Status == site.StatusUninstalling {
		return nil, job.Planned(errors.New("the site is not installed on its server"))
	}
	key, err := c.Projects.PrivateKey(p)
	if err != nil {
		return nil, err
	}
	if now := checkOf(p); now != nil && now.Confirmed != "" {
		p.HostKeys = git.ForgetHost(p.HostKeys, serverOf(p))
	}
	script, err := CheckScript(Input{Server: srv, Site: row, Project: p, PrivateKey: key})
	if err != nil {
		return nil, job.Planned(err)
	}
	return []job.Stage{{Name: "repository", Script: &script, Within: checkWithin}}, nil
}

// CheckScript returns the check of a repository as a run on its host. It is pure.
func CheckScript(in Input) (wire.Script, error) {
	place := site.Place{Site: in.Site, Releases: in.Project.ZeroDowntime, Code: true}
	base, err := place.Base()
	if err != nil {
		return wire.Script{}, err
	}
	s, err := fetching(in, base.String())
	if err != nil {
		return s, err
	}
	s.Content = "#!" + shell + "\n" + wire.ReleaseProgram + " look\n"
	s.Env[release.VarRoot], s.Env[release.VarRepository], s.Env[release.VarBranch] = base.String(), in.Project.URL, in.Project.Branch
	if in.Site.RootDirectory != nil {
		s.Env[release.VarApplication] = *in.Site.RootDirectory
	}
	return s, nil
}

// heard records what the host found.
func (c *Checker) heard(ctx context.Context, tx *db.Tx, op query.Operation, p query.Project, r wire.Result) error {
	now := checkOf(p)
	mine := now != nil && now.Operation == op.ID
	shown := ""
	if mine && now.Confirmed != "" {
		if met := git.Fingerprints(r.Report[release.ReportHostKeys], serverOf(p)); slices.Contains(met, now.Confirmed) {
			if err := replacePinned(ctx, tx, p, r); err != nil {
				return err
			}
		} else if len(met) > 0 {
			shown = met[0]
		}
	} else if err := pinned(ctx, tx, p, r); err != nil {
		return err
	}
	if !mine || len(r.Report) == 0 {
		return nil
	}
	now.At = tx.Micros()
	commit, refused := r.Report[release.ReportHash], r.Report[release.ReportRefused]
	switch {
	case shown != "":
		why := cause.HostKey("The Git server shows the host key " + shown + ", and not the one that was confirmed.")
		now.State, now.Cause, now.Shown = checkFailed, &why, shown
	case commitPattern.MatchString(commit):
		now.State, now.Commit = checkPassed, commit
		if err := now.reads(ctx, tx, p, r.Report[release.ReportFiles]); err != nil {
			return err
		}
	case refused != "":
		why, known := cause.Of(refused)
		if !known {
			lines := strings.Split(strings.TrimSpace(refused), "\n")
			why = cause.Unknown("The repository could not be read on the site's server.", clean(lines[max(0, len(lines)-2)]))
		}
		now.State, now.Cause = checkFailed, &why
		if why.Code == cause.CodeHostKey {
			now.Shown = fingerprint.FindString(refused)
		}
	default:
		return nil
	}
	return now.keep(ctx, tx, p.SiteID)
}

// reads has a check say what the files of the repository are. What the host reports of them are claims of the site's account: they are
// bounded, and only proposed.
func (c *checked) reads(ctx context.Context, tx *db.Tx, p query.Project, report string) error {
	var files []release.File
	if report == "" || json.Unmarshal([]byte(report), &files) != nil {
		return nil
	}
	row, err := tx.GetSite(ctx, p)
	if err != nil {
		return fmt.Errorf("read site %d: %w", p.SiteID, err)
	}
	c.In = text.Of(row.RootDirectory)
	c.Application = found.Of(files, c.In)
	return nil
}

// write ends a check that has found nothing.
func (c *Checker) write(ctx context.Context, tx *db.Tx, op query.Operation, p query.Project, at job.State) error {
	now := checkOf(p)
	if now == nil || now.Operation != op.ID || !at.Ended() || now.State != checkPending {
		return nil
	}
	why := cause.Unknown("The check of the repository did not end.", "")
	now.State, now.Cause, now.At = checkFailed, &why, tx.Micros()
	return now.keep(ctx, tx, p.SiteID)
}

// serverOf returns the Git server of a project's repository, as known_hosts has it.
func serverOf(p query.Project) string {
	at, err := git.ParseURL(p.URL)
	if err != nil {
		return ""
	}
	return at.Server()
}

// replacePinned keeps the host key that a Git server presented in place of the ones that were known of it.
func replacePinned(ctx context.Context, tx *db.Tx, p query.Project, r wire.Result) error {
	keys := git.PinHosts(git.ForgetHost(p.HostKeys, serverOf(p)), r.Report[release.ReportHostKeys])
	if err := tx.PinHostKeys(ctx, p.SiteID, keys, tx.Micros(), p.HostKeys); err != nil {
		return fmt.Errorf("replace the host key of a Git server: %w", err)
	}
	return nil
}

// pinned keeps the host keys that Git servers presented on first contact.
func pinned(ctx context.Context, tx *db.Tx, p query.Project, r wire.Result) error {
	keys := git.PinHosts(p.HostKeys, r.Report[release.ReportHostKeys])
	if keys == p.HostKeys {
		return nil
	}
	if err := tx.PinHostKeys(ctx, p.SiteID, keys, tx.Micros(), p.HostKeys); err != nil {
		return fmt.Errorf("pin host keys of Git servers: %w", err)
	}
	return nil
}
