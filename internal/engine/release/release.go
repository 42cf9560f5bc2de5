// Package release is what a deployment does on its host, as the account of the site: it fetches the code, makes a release, links what all
// releases share, switches to it and goes back. It is reached through the agent's program under the name hostler-release, so that deploy
// scripts can call it; every value comes from the environment and goes to git by argv, never through a shell.
//
// A site's directory with releases:
//
//	releases/<name>   the releases, each a checkout of its own
//	current           a link to the live one, switched by rename
//	.repository       what was fetched so far, so that a release costs a local clone
//	<shared>          what all releases share: .env, storage
package release

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// The variables that describe the deployment; the control plane sets them.
const (
	VarRoot       = "HOSTLER_SITE_ROOT"         // the site's directory
	VarRelease    = "HOSTLER_RELEASE_NAME"      // of this deployment
	VarDirectory  = "HOSTLER_RELEASE_DIRECTORY" // its directory
	VarRepository = "HOSTLER_REPOSITORY"        // a URL that git fetches
	VarBranch     = "HOSTLER_SITE_BRANCH"
	VarCommit     = "HOSTLER_CHECKOUT_COMMIT" // a commit of the branch; empty for its newest
	// VarApplication is where in the code the application is, "" for its top: .env and the shared paths are linked there.
	VarApplication = "HOSTLER_APPLICATION"
	// VarOwnLink is "1" where the deploy script itself brings .env to an application below the top.
	VarOwnLink = "HOSTLER_OWN_ENV_LINK"
	// VarShared is JSON: path in the application -> path in the site's directory, with a slash at its end for a directory.
	VarShared    = "HOSTLER_SHARED_PATHS"
	VarRetention = "HOSTLER_RELEASE_RETENTION"
	// VarWeb is the directory of the code that is served, "." for its top, "" for a site that needs none. VarLenient is "1" where the live
	// deployment may have had nothing to serve, VarLate where the script goes on after activation. VarPages are the names of its first page,
	// separated by blanks; "" where a person's configuration of nginx may have others.
	VarWeb     = "HOSTLER_SERVED_DIRECTORY"
	VarPages   = "HOSTLER_SERVED_PAGES"
	VarLenient = "HOSTLER_SERVED_LENIENTLY"
	VarLate    = "HOSTLER_BUILDS_LATE"
	// VarActivate is "1" where the script leaves it to Hostler to make the release live, once the script has ended well.
	VarActivate = "HOSTLER_ACTIVATE_RELEASE"
	VarPinned   = "HOSTLER_HOST_KEYS" // how many host keys of Git servers are pinned
)

// Keys of the report.
const (
	ReportHash     = "commit_hash"
	ReportAuthor   = "commit_author"
	ReportMessage  = "commit_message"
	ReportPrevious = "previous"  // the previous target of current
	ReportActive   = "activated" // the name of the release that was switched to
	ReportBack     = "restored"  // the target that current was restored to
	ReportHostKeys = "host_keys"
	ReportReleases = "releases" // the kept ones, separated by blanks
	// ReportServed is "1" if there is something to serve, or else why there is nothing, or no first page.
	ReportServed = "served"
	// ReportFiles is the JSON of a []File of the repository, at most 64 KiB of it.
	ReportFiles = "files"
	// ReportRefused is what git said where the repository or its branch could not be read.
	ReportRefused = "refused"
)

// The names in a site's directory that are a deployment's own.
const (
	RepositoryDir = ".repository"
	ReleasesDir   = "releases"
	CurrentLink   = "current"
)

var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// Site is one deployment of a site, from the environment.
type Site struct {
	Root, Release      string
	Repository, Branch string
	Commit             string
	Application        string
	OwnLink            bool
	Web                string
	Pages              []string
	Lenient            bool // a deployment without anything to serve may follow one that had nothing either
	BuildsLate         bool // the script goes on after activation
	Activates          bool // the release goes live once the script has ended
	Shared             map[string]string
	Retention          int
	RunDir             string
	out                io.Writer
}

// FromEnvironment reads the variables of the control plane.
func FromEnvironment(get func(string) string, out io.Writer) (*Site, error) {
	s := &Site{
		Root: get(VarRoot), Release: get(VarRelease), Repository: get(VarRepository), Branch: get(VarBranch), Commit: get(VarCommit),
		RunDir: get(wire.RunDirVariable), out: out,
	}
	if !filepath.IsAbs(s.Root) || s.RunDir == "" {
		return nil, errors.New("this program is for deploy scripts: there is no deployment in the environment")
	}
	if s.Release != "" && !namePattern.MatchString(s.Release) {
		return nil, fmt.Errorf("the name of the release %q is not valid", s.Release)
	}
	if app := strings.Trim(get(VarApplication), "/"); app != "" {
		if !filepath.IsLocal(app) {
			return nil, fmt.Errorf("the root directory %q leads out of the site's directory", app)
		}
		s.Application = filepath.Clean(app)
	}
	s.OwnLink, s.Lenient, s.BuildsLate = get(VarOwnLink) == "1", get(VarLenient) == "1", get(VarLate) == "1"
	s.Activates, s.Pages = get(VarActivate) == "1", strings.Fields(get(VarPages))
	if web := get(VarWeb); web != "" {
		if !filepath.IsLocal(web) {
			return nil, fmt.Errorf("the web directory %q leads out of the site's directory", web)
		}
		s.Web = filepath.Clean(web)
	}
	if text := get(VarShared); text != "" {
		if err := json.Unmarshal([]byte(text), &s.Shared); err != nil {
			return nil, fmt.Errorf("read %s: %w", VarShared, err)
		}
	}
	s.Retention, _ = strconv.Atoi(get(VarRetention))
	return s, nil
}

// Run does one command. Why one of those that Hostler itself needs has failed is the reason of the work, unless it is what a program like
// git has printed.
func (s *Site) Run(command string) error {
	err := s.run(command)
	switch command {
	case "create", "checkout", "adopt", "leave", "environment":
	default:
		return err
	}
	was := s.reported()[wire.ReportReason]
	var printed *exec.ExitError
	switch {
	case err != nil && was == "" && !errors.As(err, &printed):
		return errors.Join(err, s.report(map[string]string{wire.ReportReason: text.Sentence(err.Error())}))
	case err == nil && was != "": // a script may try it again
		return s.report(map[string]string{wire.ReportReason: ""})
	}
	return err
}

func (s *Site) run(command string) error {
	switch command {
	case "create":
		return s.Create()
	case "activate":
		return s.Activate()
	case "checkout":
		return s.Checkout()
	case "look":
		return s.Look()
	case "verify":
		return s.Verify()
	case "finish":
		return s.Finish()
	case "restart-queues":
		return s.RestartQueues()
	case "back":
		return s.Back()
	case "adopt":
		return s.Adopt()
	case "leave":
		return s.Leave()
	case "environment":
		return s.Environment()
	case "environment-keep":
		return s.Keep()
	case "environment-back":
		return s.Unset()
	}
	return fmt.Errorf("there is no command %q; deploy scripts have create, activate and restart-queues", command)
}

func (s *Site) path(parts ...string) string {
	return filepath.Join(append([]string{s.Root}, parts...)...)
}
func (s *Site) dir() string { return s.path(ReleasesDir, s.Release) }

func (s *Site) say(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }

// current returns the name of the live release, "" for none.
func (s *Site) current() string {
	target, err := os.Readlink(s.path(CurrentLink))
	if err != nil {
		return ""
	}
	dir, name := filepath.Split(filepath.Clean(target))
	if filepath.Base(dir) != ReleasesDir {
		return ""
	}
	return name
}

// Create makes the release: fetch, check out, link shared paths. A half made one of the same name is made again; the live one never is.
func (s *Site) Create() error {
	if s.Release == "" {
		return errors.New("this site has no releases: zero-downtime deployments are off")
	}
	if s.current() == s.Release {
		return fmt.Errorf("release %s is live already", s.Release)
	}
	if err := os.MkdirAll(s.path(ReleasesDir), 0o755); err != nil {
		if _, at := os.Lstat(s.path(ReleasesDir)); at == nil {
			return fmt.Errorf("the site's %s is no directory, and no link to one: remove or rename it", ReleasesDir)
		}
		return fmt.Errorf("make the directory of releases: %w", err)
	}
	if err := remove(s.dir()); err != nil {
		return fmt.Errorf("remove an incomplete release: %w", err)
	}
	if err := s.report(map[string]string{madeKey: s.Release}); err != nil {
		return err
	}
	if s.Repository == "" {
		s.say("Creating release %s", s.Release)
		if err := os.Mkdir(s.dir(), 0o755); err != nil {
			return fmt.Errorf("make the release: %w", err)
		}
		return s.share()
	}
	if err := s.fetch(); err != nil {
		return err
	}
	s.say("Creating release %s", s.Release)
	rev := s.Commit
	if rev == "" {
		rev = "refs/heads/" + deployed
	}
	tell := s.lookAt(s.path(RepositoryDir), rev) // while it is checked out
	if err := s.clone(s.dir()); err != nil {
		return err
	}
	if err := s.share(); err != nil {
		return err
	}
	if s.Application != "" && !isDir(s.application(s.dir())) { // the script may make it; one that enters it fails
		s.say("Warning: %s", s.noApplication(s.dir()))
	}
	s.tellNode(s.dir())
	return tell()
}

// within joins a path that must stay below its base.
func within(base, rel string) (string, error) {
	rel = strings.TrimPrefix(rel, "/")
	if rel == "" || !filepath.IsLocal(rel) {
		return "", errors.New("leads out of the site's directory")
	}
	return filepath.Join(base, rel), nil
}

// Activate makes the release live by one rename, and records the previous one.
func (s *Site) Activate() error {
	if s.Release == "" {
		return errors.New("this site has no releases: zero-downtime deployments are off")
	}
	if st, err := os.Lstat(s.dir()); err != nil || !st.IsDir() {
		return fmt.Errorf("there is no release %s to activate", s.Release)
	}
	previous, err := os.Readlink(s.path(CurrentLink))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read the live release: %w", err)
	}
	if s.current() != s.Release {
		if !s.BuildsLate {
			if err := s.served(s.dir(), s.servedNothing(previous)); err != nil {
				return err
			}
		}
		if !s.made() { // a kept one may be older than a shared path
			if err := s.share(); err != nil {
				return err
			}
		}
		// Recorded before the switch, so that it can be rolled back whatever happens in between.
		if err := s.report(map[string]string{ReportPrevious: previous, ReportActive: s.Release}); err != nil {
			return err
		}
		if err := s.switchTo(filepath.Join(ReleasesDir, s.Release)); err != nil {
			return err
		}
	}
	s.say("Release %s is live", s.Release)
	return nil
}

func (s *Site) switchTo(target string) error {
	temp := s.path(".current-" + strconv.Itoa(os.Getpid()))
	_ = os.Remove(temp)
	if err := os.Symlink(target, temp); err != nil {
		return fmt.Errorf("switch to %s: %w", target, err)
	}
	if err := os.Rename(temp, s.path(CurrentLink)); err != nil {
		_ = os.Remove(temp)
		return fmt.Errorf("switch to %s: %w", target, err)
	}
	d, err := os.Open(s.Root)
	if err != nil {
		return fmt.Errorf("switch to %s: %w", target, err)
	}
	defer d.Close()
	return d.Sync()
}

// Back rolls this deployment back: the previous release is live again, and the new one is removed.
func (s *Site) Back() error {
	if s.Release == "" {
		return nil
	}
	said := s.reported()
	if said[ReportActive] == s.Release && s.current() == s.Release {
		previous := said[ReportPrevious]
		if previous == "" {
			if err := os.Remove(s.path(CurrentLink)); err != nil {
				return fmt.Errorf("roll the release back: %w", err)
			}
			s.say("Release %s was rolled back; there was none before", s.Release)
		} else {
			if err := s.switchTo(previous); err != nil {
				return err
			}
			s.say("Back to release %s", filepath.Base(previous))
		}
		if err := s.report(map[string]string{ReportBack: filepath.Base(previous)}); err != nil {
			return err
		}
	}
	if s.current() == s.Release || said[ReportActive] == "" && !s.made() { // redeploying a kept release created nothing
		return nil
	}
	if s.made() {
		if err := remove(s.dir()); err != nil {
			return fmt.Errorf("remove the release: %w", err)
		}
	}
	return nil
}

// made reports whether this deployment created its release.
func (s *Site) made() bool { return s.reported()[madeKey] == s.Release && s.Release != "" }

const madeKey = "made"

// Finish runs after a success: old releases are removed, and the deployed commit is reported.
func (s *Site) Finish() error {
	if err := s.reportHostKeys(); err != nil {
		return err
	}
	if s.Release == "" {
		if err := s.linkOwn(); err != nil {
			return err
		}
		return s.reportCommit(s.Root)
	}
	kept, err := s.prune()
	if err != nil {
		return err
	}
	return s.report(map[string]string{ReportReleases: strings.Join(kept, " ")})
}

// prune keeps the newest releases, and the live one whatever its age.
func (s *Site) prune() ([]string, error) {
	entries, err := os.ReadDir(s.path(ReleasesDir))
	if err != nil {
		return nil, fmt.Errorf("list releases: %w", err)
	}
	type made struct {
		name string
		at   int64
	}
	var all []made
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !e.IsDir() || !namePattern.MatchString(e.Name()) || e.Name()[0] < '0' || e.Name()[0] > '9' {
			continue // created by others
		}
		all = append(all, made{e.Name(), info.ModTime().UnixNano()})
	}
	slices.SortFunc(all, func(a, b made) int { return number(b.name) - number(a.name) })
	var kept []string
	live := s.current()
	for _, m := range all {
		if m.name == live || len(kept) < max(s.Retention, 1) {
			kept = append(kept, m.name)
			continue
		}
		if err := remove(s.path(ReleasesDir, m.name)); err != nil {
			s.stuck(m.name, err)
			continue
		}
		s.say("Removed old release %s", m.name)
	}
	return kept, nil
}

// number returns the id that a release is named after; a second attempt's name is "12-2".
func number(name string) int {
	id, attempt, _ := strings.Cut(name, "-")
	n, _ := strconv.Atoi(id)
	m, _ := strconv.Atoi(attempt)
	return n*1000 + m
}

// RestartQueues makes the workers of the site's queues restart with the new code, if the application has any.
func (s *Site) RestartQueues() error {
	dir := s.application(s.Root)
	if s.Release != "" {
		dir = s.application(s.path(CurrentLink))
	}
	if _, err := os.Stat(filepath.Join(dir, "artisan")); err != nil {
		return nil //nolint:nilerr // it has no such queues
	}
	cmd := exec.Command("php", "artisan", "queue:restart")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, s.out, s.out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("restart queues: %w", err)
	}
	return nil
}

// report adds to the report for the control plane.
func (s *Site) report(add map[string]string) error {
	all := s.reported()
	for k, v := range add {
		all[k] = v
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	temp := filepath.Join(s.RunDir, ".report")
	if err := os.WriteFile(temp, raw, 0o600); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return os.Rename(temp, filepath.Join(s.RunDir, wire.ReportFile))
}

func (s *Site) reported() map[string]string {
	out := map[string]string{}
	raw, err := os.ReadFile(filepath.Join(s.RunDir, wire.ReportFile))
	if err == nil {
		_ = json.Unmarshal(raw, &out)
	}
	return out
}

func sortedKeys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// firstLine returns the first line of a person's text.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(line, "\r")
}
