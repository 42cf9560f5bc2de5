// Package project is the code of sites: its repository and deploy key, its deploy script and releases, and what installs a site without a repository.
package project

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/git"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/value"
)

// Defaults of a project: how many releases are kept, and how long a deployment may take, in seconds.
const (
	DefaultRetention = 4
	DefaultTimeLimit = 600
)

// Sources are the accounts at source control providers that an organization connected.
type Sources interface {
	// Use returns a connection that the caller may use; access.ErrNotFound for every other.
	Use(ctx context.Context, q *query.Granted, g access.Grant, id int64) (query.SourceControlProvider, error)
	// Find asks the provider for a repository and a branch of it: git.ErrNoRepository, git.ErrNoRef or a *git.Problem.
	Find(ctx context.Context, p query.SourceControlProvider, repository, branch string) error
	// Changed updates a site's setup at the provider: its deploy key, and its push webhook.
	Changed(ctx context.Context, tx *db.Tx, site int64) error
}

// Store makes and seals what belongs to the code of sites.
type Store struct {
	Box     *secret.Box
	Sources Sources
}

func sealedAt(site int64, column string) secret.Place {
	return secret.Place{Table: "projects", Row: strconv.FormatInt(site, 10), Column: column}
}

// Request is what a request for a new site says of its code.
type Request struct {
	RootDirectory               *string      `json:"root_directory,omitempty" nullable:"true" pattern:"^[^\\s]+$"`
	ZeroDowntimeDeployments     *bool        `json:"zero_downtime_deployments,omitempty"`
	SharedPaths                 []SharedPath `json:"shared_paths,omitempty" nullable:"false" uniqueItems:"true"`
	SourceControlProvider       *string      `json:"source_control_provider,omitempty" nullable:"true" enum:"github,gitlab,bitbucket,gitlab-custom,custom"`
	SourceControlProviderID     *int64       `json:"source_control_provider_id,omitempty" nullable:"true"`
	Repository                  *string      `json:"repository,omitempty" nullable:"true"`
	Branch                      *string      `json:"branch,omitempty" nullable:"true"`
	InstallComposerDependencies *bool        `json:"install_composer_dependencies,omitempty"`
	GenerateDeployKey           *bool        `json:"generate_deploy_key,omitempty"`
	PublicDeployKey             *string      `json:"public_deploy_key,omitempty"`
	PrivateDeployKey            *api.Secret  `json:"private_deploy_key,omitempty"`
	FrontendPackageManager      *string      `json:"frontend_package_manager,omitempty"`
	FrontendBuildCommand        *string      `json:"frontend_build_command,omitempty"`
	PushToDeploy                *bool        `json:"push_to_deploy,omitempty" default:"false"`
}

// SharedPath links a path of a release to one that all releases share.
type SharedPath struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Draft is the project that a request for a new site asks for.
type Draft struct {
	row        query.InsertProjectParams
	privateKey secret.String
	newKey     bool
}

// ErrNone is returned for a site without its own settings for code and deployments.
var ErrNone = errors.New("the site has no project")

// Check parses the source of a new site's code, and how it is deployed. Without a repository, what is said of deployments holds from the first one on; nil if
// nothing is. program reports whether the site is served by its own program.
func Check(f api.Fields, kind string, b Request, source *query.SourceControlProvider, program bool) *Draft {
	a := &Draft{row: query.InsertProjectParams{Retention: DefaultRetention, TimeLimit: DefaultTimeLimit, ZeroDowntime: program, SharedPaths: "{}"}}
	p := &a.row
	if b.Repository == nil || *b.Repository == "" {
		if b.SourceControlProviderID != nil {
			f.Add("source_control_provider_id", "The source_control_provider_id can't be used without a repository.")
		}
		if asked := a.settings(f, kind, b, program); !asked && !program {
			return nil
		}
		return a
	}
	p.Provider, p.ZeroDowntime = git.Custom, true
	switch {
	case b.SourceControlProvider != nil && *b.SourceControlProvider != "":
		p.Provider = *b.SourceControlProvider
	case source != nil:
		p.Provider = source.Provider
	}
	if source != nil {
		p.ProviderID = &source.ID
	}
	branch := ""
	if b.Branch != nil {
		branch = *b.Branch
	}
	checkRepository(f, p.Provider, *b.Repository, branch, source, &p.Repository, &p.URL, &p.Branch, &p.HostKeys)
	a.settings(f, kind, b, program)
	root := ""
	if b.RootDirectory != nil {
		if dir, err := value.ParseRelPath("/" + strings.TrimPrefix(*b.RootDirectory, "/")); err == nil {
			root = dir.String()
		}
	}
	p.Script = DefaultScript(kind, root, p.ZeroDowntime, p.Composer, p.PackageManager, p.BuildCommand)
	return a
}

// settings reads how a site is deployed. asked reports whether the request says anything of it.
func (a *Draft) settings(f api.Fields, kind string, b Request, program bool) (asked bool) {
	p := &a.row
	if b.ZeroDowntimeDeployments != nil {
		p.ZeroDowntime = *b.ZeroDowntimeDeployments
	}
	p.PushToDeploy = b.PushToDeploy != nil && *b.PushToDeploy
	p.Composer = b.InstallComposerDependencies != nil && *b.InstallComposerDependencies
	if m := b.FrontendPackageManager; m != nil && *m != "" {
		if _, ok := install[*m]; !ok {
			f.Add("frontend_package_manager", "The frontend_package_manager must be one of %s.", strings.Join(slices.Sorted(maps.Keys(install)), ", "))
		}
		p.PackageManager = *m
	}
	if p.PackageManager == "" && (program || sitetype.IsNode(kind)) {
		p.PackageManager = "npm"
	}
	if c := b.FrontendBuildCommand; c != nil {
		if strings.ContainsAny(*c, "\x00\r\n") || len(*c) > 1000 {
			f.Add("frontend_build_command", "The frontend_build_command must be one line of at most 1000 characters.")
		}
		p.BuildCommand = *c
	}
	p.SharedPaths = encodeShared(checkShared(f, kind, b.SharedPaths))
	a.checkKey(f, b)
	return p.ZeroDowntime || p.PushToDeploy || p.Composer || p.PackageManager != "" || p.BuildCommand != "" || len(b.SharedPaths) > 0 || a.newKey ||
		a.privateKey != ""
}

// checkRepository reads a repository and its branch into a row.
func checkRepository(f api.Fields, provider, repository, branch string, source *query.SourceControlProvider, intoRepository, intoURL, intoBranch,
	intoKeys *string,
) {
	u, err := git.Resolve(provider, repository)
	if source != nil {
		if source.Provider != provider {
			f.Add("source_control_provider_id", "This connection belongs to %s.", git.NameOf(source.Provider))
		}
		if repository, err = git.CheckName(source.Provider, repository); err == nil {
			u, err = git.ResolveAt(source.Provider, source.CloneHost, repository)
		}
	}
	switch {
	case len(f["repository"]) > 0:
	case err != nil:
		f.Add("repository", "%s", err)
	default:
		*intoRepository, *intoURL, *intoKeys = repository, u.String(), git.KnownHosts(u)
	}
	b, err := value.ParseBranch(BranchOf(&branch))
	if err != nil && len(f["branch"]) == 0 {
		f.Add("branch", "%s", err)
	}
	*intoBranch = b.String()
}

// Provider returns the connection that a request names; nil if it names none, or one that the caller can't use.
func (p *Store) Provider(ctx context.Context, q *query.Granted, f api.Fields, g access.Grant, id *int64) (*query.SourceControlProvider, error) {
	if id == nil || len(f["source_control_provider_id"]) > 0 {
		return nil, nil
	}
	row, err := p.Sources.Use(ctx, q, g, *id)
	if errors.Is(err, access.ErrNotFound) {
		f.Add("source_control_provider_id", "There is no such connection to a source control provider.")
		return nil, nil
	}
	return &row, err
}

// Ask checks with the provider of a connection whether it has what a request names, and adds errors to f. If the provider can't
// be reached now, nothing is refused: the deployment will report it.
func (p *Store) Ask(ctx context.Context, q *query.Granted, f api.Fields, g access.Grant, id *int64, repository, branch string) error {
	source, err := p.Provider(ctx, q, api.Fields{}, g, id)
	if err != nil || source == nil {
		return err // what does not exist is reported with the other fields
	}
	branch = BranchOf(&branch)
	name, err := git.CheckName(source.Provider, repository)
	if _, bad := value.ParseBranch(branch); err != nil || bad != nil {
		return nil //nolint:nilerr // so are these
	}
	err = p.Sources.Find(ctx, *source, name, branch)
	var problem *git.Problem
	switch {
	case errors.Is(err, git.ErrNoRepository):
		f.Add("repository", "%s has no repository %s that this connection reaches.", git.NameOf(source.Provider), name)
	case errors.Is(err, git.ErrNoRef):
		f.Add("branch", "The repository has no branch %s.", branch)
	case errors.As(err, &problem) && problem.Token:
		f.Add("source_control_provider_id", "%s", problem.Reason)
	case err != nil && problem == nil:
		return err
	}
	return nil
}

// Changed updates the setup at the provider of a site's repository.
func (p *Store) Changed(ctx context.Context, tx *db.Tx, site query.OfSite) error {
	if p.Sources == nil {
		return nil
	}
	return p.Sources.Changed(ctx, tx, site.OfSite())
}

const defaultBranch = "main"

// BranchOf returns the branch that is asked for, the usual one for none.
func BranchOf(asked *string) string {
	if asked == nil || *asked == "" {
		return defaultBranch
	}
	return *asked
}

// envName is the file of the site's environment, which all releases share.
const envName = ".env"

// Shared reads what the next release of a site is to share in place of what releases share now. What its type shares stays. The
// place of a path that is shared does not change: what is there would be missing from the next release.
func Shared(f api.Fields, kind string, p query.Project, asked []SharedPath) string {
	has, next := SharedOf(p.SharedPaths), checkShared(f, kind, asked)
	if Installs(kind, &p) {
		maps.Copy(next, installers[kind].shared)
	}
	for i, s := range asked {
		to := strings.Trim(path.Clean("/"+s.To), "/")
		if old, now := strings.Trim(has[to], "/"), strings.Trim(next[to], "/"); old != "" && now != "" && old != now {
			f.Add(fmt.Sprintf("shared_paths.%d.from", i), "The path %s is shared from %s, and what is there would be missing "+
				"from the next release. Share it from there, or give it another path.", to, old)
		}
	}
	return encodeShared(next)
}

// checkShared reads the paths that releases share: from is below the site's directory, to is where the application has it. A slash at the end of either
// says that it is a directory.
func checkShared(f api.Fields, kind string, asked []SharedPath) map[string]string {
	out := map[string]string{}
	if kind == sitetype.Laravel || kind == sitetype.Statamic {
		out["storage"] = "storage"
	}
	if len(asked) > 50 {
		f.Add("shared_paths", "There can be at most 50 shared paths.")
		return map[string]string{}
	}
	for i, s := range asked {
		from, to := relative(f, fmt.Sprintf("shared_paths.%d.from", i), s.From), relative(f, fmt.Sprintf("shared_paths.%d.to", i), s.To)
		if to == envName && from != "" && from != envName {
			f.Add(fmt.Sprintf("shared_paths.%d.to", i), "Releases already share the .env file in the site's directory.")
		}
		if from != "" && to != "" {
			if strings.HasSuffix(s.From, "/") || strings.HasSuffix(s.To, "/") {
				from += "/"
			}
			out[to] = from
		}
	}
	return out
}

// SharedOf returns the shared paths of a project's row: where the application has each, and where it is below the site's directory.
func SharedOf(column string) map[string]string {
	out := map[string]string{}
	_ = json.Unmarshal([]byte(column), &out) // encodeShared wrote it
	return out
}

func encodeShared(paths map[string]string) string {
	raw, err := json.Marshal(paths)
	if err != nil || len(paths) == 0 {
		return "{}"
	}
	return string(raw)
}

// reserved are names in a site's directory that deployments use themselves.
var reserved = []string{release.ReleasesDir, release.CurrentLink, release.RepositoryDir, ".git"}

func relative(f api.Fields, field, text string) string {
	if len(f[field]) > 0 {
		return ""
	}
	dir, err := value.ParseRelPath("/" + strings.TrimPrefix(text, "/"))
	if err != nil {
		f.Add(field, "%s", err)
		return ""
	}
	rel := strings.TrimPrefix(path.Clean(dir.String()), "/")
	first, _, _ := strings.Cut(rel, "/")
	if rel == "" || slices.Contains(reserved, first) {
		f.Add(field, "The path %q can't be shared.", text)
		return ""
	}
	return rel
}

func (a *Draft) checkKey(f api.Fields, b Request) {
	a.newKey = a.row.URL != "" && !strings.HasPrefix(a.row.URL, "https://") || b.GenerateDeployKey != nil && *b.GenerateDeployKey
	if b.PrivateDeployKey == nil || b.PrivateDeployKey.IsZero() {
		if b.PublicDeployKey != nil && *b.PublicDeployKey != "" {
			f.Add("private_deploy_key", "The private_deploy_key is required with a public_deploy_key.")
		}
		return
	}
	a.newKey = false
	public, err := git.ReadKey(b.PrivateDeployKey.Reveal(), "hostler")
	switch {
	case err != nil:
		f.Add("private_deploy_key", "%s", err)
	case b.PublicDeployKey != nil && *b.PublicDeployKey != "" && !git.SameKey(public, *b.PublicDeployKey):
		f.Add("public_deploy_key", "The public_deploy_key does not match the private_deploy_key.")
	default:
		a.row.PublicKey, a.privateKey = &public, secret.String(b.PrivateDeployKey.Reveal())
	}
}

// Make writes the project of a site.
func (p *Store) Make(ctx context.Context, tx *db.Tx, site query.Site, a *Draft) (query.Project, error) {
	row := a.row
	row.SiteID, row.CreatedAt = site.ID, tx.Micros()
	private := []byte(a.privateKey.Reveal())
	if a.newKey {
		made, public, err := newKey(site)
		if err != nil {
			return query.Project{}, err
		}
		private, row.PublicKey = made, &public
	}
	var err error
	if len(private) > 0 {
		if row.PrivateKey, err = p.Box.Seal(sealedAt(site.ID, "private_key"), private); err != nil {
			return query.Project{}, err
		}
	}
	if row.HookHash, row.HookToken, err = p.token(site.ID); err != nil {
		return query.Project{}, err
	}
	out, err := tx.InsertProject(ctx, row)
	if err != nil {
		return out, fmt.Errorf("keep project of site %d: %w", site.ID, err)
	}
	return out, p.Changed(ctx, tx, site)
}

func newKey(site query.Site) (private []byte, public string, err error) {
	private, public, _, err = host.NewKey("hostler-site-" + strconv.FormatInt(site.ID, 10))
	if err != nil {
		return nil, "", fmt.Errorf("make deploy key: %w", err)
	}
	return private, public, nil
}

// token generates the secret of a deploy hook: its hash to find it by, and itself sealed, since it is shown again.
func (p *Store) token(site int64) (hash string, sealed []byte, err error) {
	token := secret.Random(32)
	sealed, err = p.Box.Seal(sealedAt(site, "hook_token"), []byte(token))
	return secret.Hash(token), sealed, err
}

// Get returns the project of a site; ErrNone for one that has none yet.
func (p *Store) Get(ctx context.Context, q *query.Granted, site query.OfSite) (query.Project, error) {
	row, err := q.GetProject(ctx, site)
	if errors.Is(err, db.ErrNotFound) {
		return row, ErrNone
	}
	if err != nil {
		return row, fmt.Errorf("read project of site %d: %w", site.OfSite(), err)
	}
	return row, nil
}

// Ensure returns Get, and makes one for a site without a repository that has none yet.
func (p *Store) Ensure(ctx context.Context, tx *db.Tx, site query.Site) (query.Project, error) {
	row, err := p.Get(ctx, tx.Granted, site)
	if !errors.Is(err, ErrNone) {
		return row, err
	}
	return p.Make(ctx, tx, site, &Draft{row: query.InsertProjectParams{Retention: DefaultRetention, TimeLimit: DefaultTimeLimit, SharedPaths: "{}"}})
}

// PrivateKey opens the deploy key of a project; empty if there is none.
func (p *Store) PrivateKey(row query.Project) ([]byte, error) {
	if len(row.PrivateKey) == 0 {
		return nil, nil
	}
	return p.Box.Open(sealedAt(row.SiteID, "private_key"), row.PrivateKey)
}

// HookToken opens the secret of a project's deploy hook.
func (p *Store) HookToken(row query.Project) (secret.String, error) {
	raw, err := p.Box.Open(sealedAt(row.SiteID, "hook_token"), row.HookToken)
	return secret.String(raw), err
}

// RotateHook returns a project a new secret for its hook; the old one is dead at once.
func (p *Store) RotateHook(ctx context.Context, tx *db.Tx, row query.Project) (query.Project, error) {
	hash, sealed, err := p.token(row.SiteID)
	if err != nil {
		return row, err
	}
	if err := errors.Join(tx.SetProjectHook(ctx, row.SiteID, hash, sealed, tx.Micros()), tx.ForgetHookReaders(ctx, row.SiteID)); err != nil {
		return row, fmt.Errorf("replace hook of site %d: %w", row.SiteID, err)
	}
	row.HookHash, row.HookToken = hash, sealed
	return row, p.Changed(ctx, tx, row)
}

// EnsureKey returns a project a deploy key if it has none.
func (p *Store) EnsureKey(ctx context.Context, tx *db.Tx, site query.Site, row query.Project) (query.Project, error) {
	if row.PublicKey != nil {
		return row, nil
	}
	private, public, err := newKey(site)
	if err != nil {
		return row, err
	}
	sealed, err := p.Box.Seal(sealedAt(site.ID, "private_key"), private)
	if err != nil {
		return row, err
	}
	if err := tx.SetProjectKey(ctx, site.ID, &public, sealed, tx.Micros()); err != nil {
		return row, fmt.Errorf("keep deploy key of site %d: %w", site.ID, err)
	}
	row.PublicKey, row.PrivateKey = &public, sealed
	return row, p.Changed(ctx, tx, site)
}

// Source is where a site's code comes from.
type Source struct {
	Provider              string
	ProviderID            *int64
	Repository, Branch    string
	PublicKey, PrivateKey string
}

// Move makes a project's code come from elsewhere. The host keys that were pinned go with the Git server that showed them.
func (p *Store) Move(ctx context.Context, tx *db.Tx, f api.Fields, g access.Grant, site query.Site, row query.Project, to Source) (query.Project, error) {
	old := row.URL
	keys := ""
	source, err := p.Provider(ctx, tx.Granted, f, g, to.ProviderID)
	if err != nil {
		return row, err
	}
	checkRepository(f, to.Provider, to.Repository, to.Branch, source, &row.Repository, &row.URL, &row.Branch, &keys)
	public := ""
	if to.PrivateKey != "" {
		var err error
		if public, err = git.ReadKey(to.PrivateKey, "hostler"); err != nil {
			f.Add("per_account_private_key", "%s", err)
		} else if to.PublicKey != "" && !git.SameKey(public, to.PublicKey) {
			f.Add("per_account_public_key", "The per_account_public_key does not match the per_account_private_key.")
		}
	} else if to.PublicKey != "" {
		f.Add("per_account_private_key", "The per_account_private_key is required with a per_account_public_key.")
	}
	if err := f.Err(); err != nil {
		return row, err
	}
	if sameServer(old, row.URL) && keys == "" {
		keys = row.HostKeys
	}
	if err := tx.SetProjectRepository(ctx, query.SetProjectRepositoryParams{
		SiteID: site.ID, Provider: to.Provider, ProviderID: to.ProviderID, Repository: row.Repository, URL: row.URL, Branch: row.Branch,
		HostKeys: keys, UpdatedAt: tx.Micros(),
	}); err != nil {
		return row, fmt.Errorf("change repository of site %d: %w", site.ID, err)
	}
	if to.PrivateKey == "" && row.PublicKey == nil {
		return p.EnsureKey(ctx, tx, site, row)
	}
	if to.PrivateKey == "" {
		return row, p.Changed(ctx, tx, site)
	}
	sealed, err := p.Box.Seal(sealedAt(site.ID, "private_key"), []byte(to.PrivateKey))
	if err != nil {
		return row, err
	}
	if err := tx.SetProjectKey(ctx, site.ID, &public, sealed, tx.Micros()); err != nil {
		return row, fmt.Errorf("keep deploy key of site %d: %w", site.ID, err)
	}
	row.PublicKey, row.PrivateKey = &public, sealed
	return row, p.Changed(ctx, tx, site)
}

func sameServer(a, b string) bool {
	one, err := git.ParseURL(a)
	if err != nil {
		return false
	}
	other, err := git.ParseURL(b)
	return err == nil && one.Server() == other.Server()
}
