package site

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// CreateSiteRequest asks for a site.
type CreateSiteRequest struct {
	project.Request
	project.AdministratorRequest
	Type                      string      `json:"type" enum:"laravel,symfony,statamic,wordpress,phpmyadmin,php,nextjs,nuxtjs,static-html,other,custom"`
	DomainMode                string      `json:"domain_mode,omitempty"`
	Name                      string      `json:"name" doc:"The domain."`
	WWWRedirectType           string      `json:"www_redirect_type,omitempty" enum:"from-www,to-www,none"`
	AllowWildcardSubdomains   bool        `json:"allow_wildcard_subdomains,omitempty"`
	WebDirectory              *string     `json:"web_directory,omitempty" nullable:"true" pattern:"^[^\\s]+$"`
	IsIsolated                *bool       `json:"is_isolated,omitempty" doc:"Defaults to true for a WordPress that Hostler installs, else to false."`
	IsolatedUser              string      `json:"isolated_user,omitempty" pattern:"^[a-z][\\-a-z0-9_]*$" maxLength:"32"`
	PHPVersion                string      `json:"php_version,omitempty"`
	NginxTemplateID           *int64      `json:"nginx_template_id,omitempty"`
	DatabaseID                *int64      `json:"database_id,omitempty"`
	DatabaseUserID            *int64      `json:"database_user_id,omitempty"`
	StatamicSetup             *string     `json:"statamic_setup,omitempty"`
	StatamicStarterKit        *string     `json:"statamic_starter_kit,omitempty"`
	StatamicSuperUserEmail    *string     `json:"statamic_super_user_email,omitempty" format:"email"`
	StatamicSuperUserPassword *api.Secret `json:"statamic_super_user_password,omitempty" nullable:"true"`
	NuxtNextMode              *string     `json:"nuxt_next_mode,omitempty"`
	NuxtNextPort              *int64      `json:"nuxt_next_port,omitempty"`
	Tags                      []string    `json:"tags,omitempty" nullable:"true"`
	RuntimeRequest
	ProgramRequest
	LimitsRequest
}

// UpdateSiteRequest changes settings of a site.
type UpdateSiteRequest struct {
	RootPath            *string          `json:"root_path,omitempty" nullable:"true"`
	Directory           *string          `json:"directory,omitempty" nullable:"true" doc:"The web directory. Null for the default of the site's type."`
	Type                *string          `json:"type,omitempty" enum:"laravel,symfony,statamic,wordpress,phpmyadmin,php,nextjs,nuxtjs,static-html,other,custom"`
	PHPVersion          *string          `json:"php_version,omitempty"`
	PushToDeploy        *bool            `json:"push_to_deploy,omitempty" default:"false"`
	RepositoryBranch    *string          `json:"repository_branch,omitempty" nullable:"true" doc:"Null for main."`
	DeploymentRetention *api.IntegerText `json:"deployment_retention,omitempty" minimum:"1" maximum:"100"`
	Tags                []string         `json:"tags,omitempty" nullable:"false" ours:"true" doc:"Replaces all tags."`
	RuntimeRequest
	ProgramRequest
	LimitsRequest

	// SharedPaths replaces what is shared, from the next release on.
	SharedPaths []project.SharedPath `json:"shared_paths,omitempty" nullable:"false" uniqueItems:"true" ours:"true"`
}

// checkCreate says all that is wrong with a request, and turns a right one into a row.
func checkCreate(f api.Fields, s server.Path, b CreateSiteRequest, source *query.SourceControlProvider) newSite {
	in := query.InsertSiteParams{Type: b.Type, Status: StatusInstalling, UnixUser: DefaultUser, WWWRedirectType: WWWNone, Wildcards: b.AllowWildcardSubdomains}
	switch {
	case s.Server.Type == server.TypeLoadBalancer:
		f.State("Sites of a load balancer are created with the balancer operation.")
	case !server.HasNginx(s.Server.Type):
		f.State("A server of the type %s can't have sites.", s.Server.Type)
	}
	program, port := checkNode(f, b)
	starts := readStartCommand(f, b.ProgramRequest)
	own := program && (starts != "" || said(b.Runtime) == "deno") // it needs no package manager of Node
	if build := languageBuilds[said(b.Runtime)]; own && build != "" && b.FrontendBuildCommand == nil && said(b.FrontendPackageManager) == "" {
		b.FrontendBuildCommand = &build
	}
	code := project.Check(f, b.Type, b.Request, source, program && !own)
	installed := project.CheckInstaller(f, b.Type, b.Request, s.Server.DatabaseType, b.DatabaseID != nil)
	if installed != nil {
		code = installed
	}
	domain := parseDomain(f, "name", b.Name)
	in.Name = domain.String()
	if b.DomainMode != "" && b.DomainMode != "custom" {
		f.Add("domain_mode", "The domain_mode must be custom: this installation has no domain for sites. Give the site a name of your own.")
	}
	if b.WWWRedirectType != "" {
		in.WWWRedirectType = b.WWWRedirectType
	}
	if b.RootDirectory != nil && len(f["root_directory"]) == 0 {
		in.RootDirectory = new(directory(f, "root_directory", *b.RootDirectory))
	}
	in.WebDirectory = webDirectory(b.Type, program, installed != nil)
	if b.WebDirectory != nil && len(f["web_directory"]) == 0 {
		in.WebDirectory = directory(f, "web_directory", *b.WebDirectory)
	}
	installs := installed != nil && b.Type == sitetype.WordPress
	checkIsolation(f, b, installs, &in)
	checkPHP(f, s, b.Type, b.PHPVersion, &in.PHPVersion)
	checkTags(f, b.Tags)
	return newSite{row: in, domain: domain, code: code, program: program, port: port, starts: starts, installs: installs}
}

// webDirectory is what sites of a type serve unless they name another.
func webDirectory(kind string, program, installed bool) string {
	switch {
	case installed:
	case sitetype.HasPHP(kind):
		return "/public"
	case program:
	case kind == sitetype.Next: // where their builds put files (next.config output: export; nuxt generate)
		return "/out"
	case kind == sitetype.Nuxt:
		return "/.output/public"
	}
	return "/"
}

// newSite is what a right request asks for.
type newSite struct {
	row    query.InsertSiteParams
	domain value.Domain
	code   *project.Draft
	// program is set if the site is served by its own program, on this port if it is not 0, which a line starts or, for "", what its type says.
	program bool
	port    int64
	starts  string
	// installs is set for a WordPress that Hostler installs.
	installs bool
}

func parseDomain(f api.Fields, field, text string) value.Domain {
	if len(f[field]) > 0 {
		return value.Domain{}
	}
	domain, err := value.ParseDomain(text)
	if err != nil {
		f.Add(field, "%s", err)
	}
	return domain
}

// checkIsolation reads the account of a site. A WordPress runs what its administrators upload: it has an account of its own unless the request declines. Its
// name is "" if the request doesn't say it.
func checkIsolation(f api.Fields, b CreateSiteRequest, installs bool, in *query.InsertSiteParams) {
	if in.Isolated = b.IsIsolated != nil && *b.IsIsolated || b.IsIsolated == nil && installs; !in.Isolated {
		return
	}
	if b.IsIsolated == nil && b.IsolatedUser == "" {
		in.UnixUser = ""
		return
	}
	user, err := value.ParseUnixUser(b.IsolatedUser)
	switch {
	case len(f["isolated_user"]) > 0:
	case b.IsolatedUser == "":
		f.Add("isolated_user", "The isolated_user field is required for an isolated site.")
	case err != nil:
		f.Add("isolated_user", "%s", err)
	case user.IsReserved():
		f.Add("isolated_user", "The isolated_user %s is reserved.", user)
	default:
		in.UnixUser = user.String()
	}
}

// checkPHP chooses the PHP version of a site: the one asked for, else the server's.
func checkPHP(f api.Fields, s server.Path, kind, asked string, into *string) {
	if !sitetype.HasPHP(kind) || len(f["php_version"]) > 0 {
		return
	}
	if asked == "" {
		switch {
		case s.Server.PHPVersion != nil:
			*into = *s.Server.PHPVersion
		case s.Server.IsReady:
			f.Add("php_version", "The server has no PHP. Install a version first.")
		}
		return
	}
	var installed []string
	for _, v := range server.PHPVersions(s.Server) {
		installed = append(installed, v.String())
	}
	if len(installed) == 0 && s.Server.PHPVersion != nil { // it is not set up yet
		installed = []string{*s.Server.PHPVersion}
	}
	switch {
	case len(installed) > 0 && !slices.Contains(installed, asked):
		f.Add("php_version", "The server has %s, not %s.", strings.Join(installed, " and "), asked)
	case len(installed) == 0 && !slices.Contains(server.DistributedPHP, asked):
		f.Add("php_version", "The server is not set up yet, and gets the PHP of its system: no system has %s. Install that version first, once the server "+
			"is ready.", asked)
	}
	*into = asked
}

const maxTags = 50

func checkTags(f api.Fields, names []string) {
	if len(names) > maxTags {
		f.Add("tags", "There can be at most %d tags.", maxTags)
		return
	}
	for i, name := range names {
		if _, err := value.ParseTag(name); err != nil {
			f.Add("tags."+strconv.Itoa(i), "%s", err)
		}
	}
}

// requestOf is what would ask for the settings that a site has.
func requestOf(row query.Site, p query.Project) UpdateSiteRequest {
	now := UpdateSiteRequest{RootPath: api.Copied(row.RootDirectory), Directory: new(row.WebDirectory)}
	if row.StartCommand != "" {
		now.StartCommand = &row.StartCommand
	}
	if p.SiteID != 0 {
		now.PushToDeploy = new(p.PushToDeploy)
	}
	if p.Repository != "" {
		now.RepositoryBranch = new(p.Branch)
	}
	return now
}

func checkUpdate(f api.Fields, s server.Path, row *query.Site, hasCode bool, p query.Project, b UpdateSiteRequest) {
	checkTags(f, b.Tags)
	if b.Type != nil && len(f["type"]) == 0 {
		if own := func(kind string) bool { return sitetype.IsNode(kind) || kind == sitetype.PHPMyAdmin }; *b.Type != row.Type &&
			(own(*b.Type) || own(row.Type) || HasProgram(*row)) {
			f.Add("type", "A site of the type %s can't become one of the type %s; create a new site.", row.Type, *b.Type)
		}
		row.Type = *b.Type
	}
	if b.Directory != nil && *b.Directory != "" {
		row.WebDirectory = directory(f, "directory", *b.Directory)
	} else {
		row.WebDirectory = webDirectory(row.Type, HasProgram(*row), project.Installs(row.Type, &p))
	}
	if row.RootDirectory = nil; b.RootPath != nil && *b.RootPath != "" {
		row.RootDirectory = new(directory(f, "root_path", *b.RootPath))
	}
	if b.PHPVersion != nil {
		checkPHP(f, s, row.Type, *b.PHPVersion, &row.PHPVersion)
	}
	if hasCode && len(f["repository_branch"]) == 0 {
		if _, err := value.ParseBranch(project.BranchOf(b.RepositoryBranch)); err != nil {
			f.Add("repository_branch", "%s", err)
		}
	}
}
