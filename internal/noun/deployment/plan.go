package deployment

import (
	"fmt"
	"maps"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/git"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// Input is all that a deployment's script is made of.
type Input struct {
	Server     query.Server
	Site       query.Site
	Project    query.Project
	Deployment query.Deployment
	// Attempt counts the runs before this one: each creates a separate release.
	Attempt    int64
	PrivateKey []byte
	// Variables are what the deploy hook was called with.
	Variables map[string]string
	// Lenient reports whether the live deployment may have had nothing to serve: that of an earlier release of Hostler, which did not look.
	Lenient bool
	// OwnNginx reports whether a person wrote the configuration of one of the site's domains.
	OwnNginx bool
	// More are additional variables for the script.
	More map[string]string
}

func timeLimit(p query.Project) time.Duration { return time.Duration(p.TimeLimit) * time.Second }

// shell is the interpreter of deploy scripts that name none: the first command that fails ends them.
const shell = "/bin/bash -e"

// Script returns a deployment as a run on its host. It is pure.
func Script(in Input) (wire.Script, error) {
	place := site.Place{Site: in.Site, Releases: in.Project.ZeroDowntime, Code: true}
	base, err := place.Base()
	if err != nil {
		return wire.Script{}, err
	}
	live, err := place.Live()
	if err != nil {
		return wire.Script{}, err
	}
	at := paths{base: base.String(), live: live.String()}
	if at.application, err = place.Application(); err != nil {
		return wire.Script{}, err
	}
	if place.Releases {
		dir, err := place.Release(releaseName(in))
		if err != nil {
			return wire.Script{}, err
		}
		at.release = dir.String()
	}
	p := in.Project
	s, err := fetching(in, at.base)
	if err != nil {
		return s, err
	}
	s.Programs, s.After = place.Programs(in.Server), []string{wire.ReleaseProgram, "finish"}
	if share := site.ShareOf(in.Site); share.Slice != "" { // a build has the limits for itself
		s.Slice, s.OpenFiles = render.BuildSlice(in.Site.ID), share.OpenFiles
	}
	maps.Copy(s.Env, in.More)
	s.Tell(told(in, at))
	maps.Copy(s.Env, orders(in, at))
	if p.AutoSource && in.Deployment.TargetRelease == "" {
		s.Variables = &wire.Dotenv{Path: at.base + "/.env", Dialect: dialect(in.Site.Type)}
	}
	switch {
	case in.Deployment.TargetRelease != "":
		s.Content, s.Before, s.Back = "#!"+shell+"\n", []string{wire.ReleaseProgram, "activate"}, []string{wire.ReleaseProgram, "back"}
	case p.ZeroDowntime:
		s.Content, s.Back = expand(p, true), []string{wire.ReleaseProgram, "back"}
		s.Verify = []string{wire.ReleaseProgram, "verify"}
		if !strings.Contains(p.Script, project.MacroActivate) { // not a last line of the script: it may end before, with "exit 0"
			s.Env[release.VarActivate] = "1"
		}
		if !strings.Contains(p.Script, project.MacroCreate) {
			s.Before = []string{wire.ReleaseProgram, "create"}
		}
	default:
		s.Content = expand(p, false)
		if p.Repository != "" {
			s.Before, s.Programs["git"] = []string{wire.ReleaseProgram, "checkout"}, wire.AgentLink
		}
	}
	if in.Deployment.TargetRelease == "" { // what was live once may be live again
		if err := serves(&s, in, place); err != nil {
			return s, err
		}
	}
	if s.Check, err = health(in); err != nil {
		return s, err
	}
	var well *wire.HTTPProbe
	if len(s.Check) > 0 {
		well = s.Check[0].HTTP
	}
	s.Service, err = vhost.Service(place, releaseName(in), well)
	return s, err
}

// fetching returns a run that can reach the Git server of a site, as its user.
func fetching(in Input, dir string) (wire.Script, error) {
	user, err := value.ParseUnixUser(in.Site.UnixUser)
	if err != nil {
		return wire.Script{}, err
	}
	known := git.AllKnownHosts(in.Project.HostKeys)
	s := wire.Script{User: user.String(), Dir: dir, Files: map[string][]byte{release.HostsFile: []byte(known)}, Env: release.GitEnvironment()}
	s.Env[release.VarPinned] = strconv.Itoa(strings.Count(known, "\n"))
	if len(in.PrivateKey) > 0 {
		s.Files[release.KeyFile] = []byte(text.Lines(string(in.PrivateKey))) // ssh refuses a key with other line ends, or with none at its end
	}
	return s, nil
}

// serves has the script's result looked at, for sites whose files nginx or PHP serves: without any, the deployment fails.
func serves(s *wire.Script, in Input, place site.Place) error {
	kind := in.Site.Type
	if kind != sitetype.StaticHTML && !sitetype.HasPHP(kind) && (!sitetype.IsNode(kind) || site.HasProgram(in.Site)) {
		return nil
	}
	web, err := place.Served()
	if err != nil {
		return err
	}
	s.Env[release.VarWeb], s.Verify = web, []string{wire.ReleaseProgram, "verify"}
	switch {
	case in.OwnNginx:
	case sitetype.HasPHP(kind):
		s.Env[release.VarPages] = "index.php index.html"
	default:
		s.Env[release.VarPages] = "index.html index.htm"
	}
	if in.Lenient {
		s.Env[release.VarLenient] = "1"
	}
	if in.Project.ZeroDowntime && project.GoesOn(in.Project.Script) {
		s.Env[release.VarLate] = "1"
	}
	return nil
}

// dialect returns how applications of a type read their .env.
func dialect(kind string) string {
	if sitetype.HasPHP(kind) {
		return wire.DotenvPHP
	}
	return wire.DotenvNode
}

// expand makes an executable script from the user's text: macros become programs, whose values come from the environment.
func expand(p query.Project, zeroDowntime bool) string {
	head, script, _ := strings.Cut(text.Script(shell, p.Script), "\n")
	head += "\n"
	if zeroDowntime && !strings.Contains(script, project.MacroCreate) {
		head += `cd "$` + release.VarDirectory + `"` + "\n"
	}
	for macro, command := range map[string]string{project.MacroCreate: "create", project.MacroActivate: "activate", project.MacroQueues: "restart-queues"} {
		script = strings.ReplaceAll(script, macro, wire.ReleaseProgram+" "+command)
	}
	return head + script
}

// releaseName returns the id of the deployment; another attempt of it makes another release.
func releaseName(in Input) string {
	switch {
	case in.Deployment.TargetRelease != "":
		return in.Deployment.TargetRelease
	case !in.Project.ZeroDowntime:
		return ""
	case in.Attempt > 0:
		return strconv.FormatInt(in.Deployment.ID, 10) + "-" + strconv.FormatInt(in.Attempt+1, 10)
	}
	return strconv.FormatInt(in.Deployment.ID, 10)
}

// paths are where a deployment works: the directory of the site, where its code is live, and the release that it makes, which is
// "" for a deployment in place; application is where in the code the application is.
type paths struct{ base, live, release, application string }

// told returns the variables for a deploy script.
func told(in Input, at paths) map[string]string {
	d, p := in.Deployment, in.Project
	php := site.DottedPHP(in.Server, in.Site)
	vars := map[string]string{
		"COMPOSER":          "composer",
		"CUSTOM_DEPLOY":     text.Flag(d.Type == TypeHook),
		"DEPLOY_AUTHOR":     withoutNUL(d.CommitAuthor),
		"DEPLOY_COMMIT":     withoutNUL(d.CommitHash),
		"DEPLOY_MESSAGE":    withoutNUL(d.CommitMessage),
		"DEPLOYMENT_ID":     strconv.FormatInt(d.ID, 10),
		"MANUAL_DEPLOY":     text.Flag(d.Type == TypeManual),
		"PHP":               "php",
		"PHP_FPM":           site.PHPService(in.Server, in.Site),
		"QUICK_DEPLOY":      text.Flag(d.Type == TypePush),
		"REDEPLOY":          text.Flag(d.Type == TypeRedeploy),
		"RELEASE_DIRECTORY": at.release,
		"SERVER_ID":         strconv.FormatInt(in.Server.ID, 10),
		"SITE_BRANCH":       p.Branch,
		"SITE_ID":           strconv.FormatInt(in.Site.ID, 10),
		"SITE_PATH":         at.live,
		"SITE_ROOT":         at.base,
		"SITE_USER":         in.Site.UnixUser,
	}
	if php == "" { // empty and not absent, for scripts with set -u
		vars["PHP_FPM"], vars["PHP"], vars["COMPOSER"] = "", "", ""
	}
	for k, v := range in.Variables {
		vars["VAR_"+k] = v
	}
	return vars
}

// orders returns the variables for the program that makes the release.
func orders(in Input, at paths) map[string]string {
	p := in.Project
	env := map[string]string{
		release.VarRoot:       at.base,
		release.VarRelease:    releaseName(in),
		release.VarDirectory:  at.release,
		release.VarRepository: p.URL,
		release.VarBranch:     p.Branch,
		release.VarCommit:     in.Deployment.TargetCommit,
		release.VarShared:     p.SharedPaths,
		release.VarRetention:  strconv.FormatInt(p.Retention, 10),
	}
	if at.application != "" {
		env[release.VarApplication], env[release.VarOwnLink] = at.application, text.Flag(project.LinksEnvironment(p.Script))
	}
	return env
}

func withoutNUL(s *string) string { return strings.ReplaceAll(text.Of(s), "\x00", "") }

// health asks the site itself, on its own server, for the URL of its health check: any 2xx is well, also after redirects of
// the site to itself. It passes a password of the site.
func health(in Input) ([]wire.Probe, error) {
	if in.Project.HealthcheckURL == nil {
		return nil, nil
	}
	u, err := url.Parse(*in.Project.HealthcheckURL)
	if err != nil {
		return nil, fmt.Errorf("the health check's URL can't be read")
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	ok := make([]int, 100)
	for i := range ok {
		ok[i] = 200 + i
	}
	host, err := value.ParseDomain(u.Hostname())
	if err != nil {
		return nil, fmt.Errorf("the health check's host can't be read: %w", err)
	}
	probe := wire.HTTPProbe{Port: 80, Host: host.String(), Path: path, Status: ok, Follow: true, Pass: render.CheckPath(in.Site.ID)}
	if u.Scheme == "https" {
		probe.Port, probe.TLS = 443, true
	}
	if probe.Down, err = down(in); err != nil {
		return nil, err
	}
	return []wire.Probe{{HTTP: &probe, Within: healthWithin}}, nil
}

// down is the file that Laravel has while its maintenance page is up: whoever deploys behind that page wants the new release, and not the old one back.
func down(in Input) (*wire.LogFiles, error) {
	if in.Site.Type != sitetype.Laravel && in.Site.Type != sitetype.Statamic {
		return nil, nil
	}
	place := site.Place{Site: in.Site, Releases: in.Project.ZeroDowntime, Code: true}
	base, err := place.Base()
	if err != nil {
		return nil, err
	}
	home, err := place.Home()
	if err != nil {
		return nil, err
	}
	return &wire.LogFiles{Paths: []string{home.String() + "/storage/framework/down"}, Below: base.String(), Owner: in.Site.UnixUser}, nil
}

// healthWithin is how long a new release may take to answer well.
const healthWithin = 15 * time.Second

// RestartScript starts the program of a site again, of the release that is live, in the place of the one that runs. It is pure.
func RestartScript(srv query.Server, row query.Site, code query.Project) (wire.Script, error) {
	s, err := Script(Input{Server: srv, Site: row, Project: code, Deployment: query.Deployment{TargetRelease: code.LiveRelease}})
	s.Before, s.Back, s.After, s.Variables = nil, nil, nil, nil // the release stays as it is
	return s, err
}
