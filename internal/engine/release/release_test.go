package release_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// site is a site's directory and a repository beside it.
type site struct {
	t                *testing.T
	root, repo, work string
}

func newSite(t *testing.T) *site {
	t.Helper()
	dir := t.TempDir()
	s := &site{t: t, root: filepath.Join(dir, "site"), repo: filepath.Join(dir, "repo.git"), work: filepath.Join(dir, "work")}
	if err := os.Mkdir(s.root, 0o755); err != nil {
		t.Fatal(err)
	}
	s.git("init", "-q", "--bare", s.repo)
	s.git("clone", "-q", s.repo, s.work)
	return s
}

func (s *site) git(args ...string) string {
	s.t.Helper()
	out, err := runGit(args...)
	if err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return out
}

func runGit(args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.com"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (s *site) commit(message string, files map[string]string) string {
	s.t.Helper()
	for name, content := range files {
		path := filepath.Join(s.work, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			s.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	s.git("-C", s.work, "add", "-A")
	s.git("-C", s.work, "commit", "-q", "-m", message)
	s.git("-C", s.work, "push", "-q", "origin", "HEAD:refs/heads/main")
	return s.git("-C", s.work, "rev-parse", "HEAD")
}

// deployment returns one deployment of the site; commands run in order, and the first error is returned.
func (s *site) deployment(name string, env map[string]string, commands ...string) (string, error) {
	s.t.Helper()
	run := s.t.TempDir()
	return s.in(run, name, env, commands...)
}

func (s *site) in(run, name string, env map[string]string, commands ...string) (string, error) {
	s.t.Helper()
	all := map[string]string{
		release.VarRoot:       s.root,
		release.VarRelease:    name,
		release.VarRepository: s.repo,
		release.VarBranch:     "main",
		release.VarRetention:  "2",
		wire.RunDirVariable:   run,
	}
	for k, v := range env {
		all[k] = v
	}
	var out strings.Builder
	for _, c := range commands {
		one, err := release.FromEnvironment(func(k string) string { return all[k] }, &out)
		if err == nil {
			err = one.Run(c)
		}
		if err != nil {
			return out.String(), err
		}
	}
	return out.String(), nil
}

func (s *site) must(name string, env map[string]string, commands ...string) string {
	s.t.Helper()
	out, err := s.deployment(name, env, commands...)
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return out
}

func (s *site) live(file string) string {
	raw, err := os.ReadFile(filepath.Join(s.root, "current", file))
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

func (s *site) releases() string {
	entries, err := os.ReadDir(filepath.Join(s.root, "releases"))
	if err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

func TestReleases(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	first := s.commit("One", map[string]string{"a.txt": "1", "storage/log": "kept"})
	env := map[string]string{release.VarShared: `{"storage":"storage","public/uploads":"uploads"}`}
	s.must("1", env, "create", "activate", "finish")
	if got := s.live("a.txt"); got != "1" {
		t.Errorf("live is %q", got)
	}
	if err := os.WriteFile(filepath.Join(s.root, "current/public/uploads/x"), []byte("up"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.commit("Two", map[string]string{"a.txt": "2", "storage/log": "new"})
	s.must("2", env, "create")
	if got := s.live("a.txt"); got != "1" {
		t.Errorf("before it is activated, live is %q", got)
	}
	s.must("2", env, "create", "activate", "finish") // an incomplete one is made again
	if s.live("a.txt") != "2" || s.live("storage/log") != "kept" || s.live("public/uploads/x") != "up" {
		t.Errorf("live is %q, shared are %q and %q", s.live("a.txt"), s.live("storage/log"), s.live("public/uploads/x"))
	}
	s.must("3", map[string]string{release.VarCommit: first}, "create", "activate", "finish")
	if got := s.live("a.txt"); got != "1" {
		t.Errorf("a commit that is asked for: live is %q", got)
	}
	if got := s.releases(); got != "2 3" {
		t.Errorf("releases %q, two are to be kept", got)
	}
	s.must("2", nil, "activate", "finish") // rollback
	if got := s.live("a.txt"); got != "2" {
		t.Errorf("after a rollback live is %q", got)
	}
	if out, err := s.deployment("2", nil, "create"); err == nil {
		t.Errorf("the live release is made anew: %s", out)
	}
	if _, err := s.deployment("9", nil, "activate"); err == nil {
		t.Error("a release that is not there is activated")
	}
}

func TestBack(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"a.txt": "1"})
	s.must("1", nil, "create", "activate", "finish")
	s.commit("Two", map[string]string{"a.txt": "2"})
	for _, commands := range [][]string{{"create", "back"}, {"create", "activate", "back"}, {"back"}, {"create", "activate", "back", "back"}} {
		s.must("2", nil, commands...)
		if got := s.live("a.txt") + " " + s.releases(); got != "1 1" {
			t.Errorf("%v: %q", commands, got)
		}
	}
	// Undoing a rollback removes nothing: it created nothing.
	s.must("2", nil, "create", "activate", "finish")
	s.must("1", nil, "activate", "back")
	if got := s.live("a.txt") + " " + s.releases(); got != "2 1 2" {
		t.Errorf("after a rollback that was taken back: %q", got)
	}
}

// A branch takes precedence over a tag of the same name, and a name that is neither is reported.
func TestBranchAndTag(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"a.txt": "tag"})
	s.git("-C", s.work, "tag", "-a", "-m", "x", "v1")
	s.git("-C", s.work, "tag", "main")
	s.git("-C", s.work, "push", "-q", "origin", "refs/tags/main", "refs/tags/v1")
	s.commit("Two", map[string]string{"a.txt": "branch"})
	s.must("1", nil, "create", "activate")
	if got := s.live("a.txt"); got != "branch" {
		t.Errorf("main is %q", got)
	}
	s.must("2", map[string]string{release.VarBranch: "v1"}, "create", "activate")
	if got := s.live("a.txt"); got != "tag" {
		t.Errorf("v1 is %q", got)
	}
	if out, err := s.deployment("3", map[string]string{release.VarBranch: "none"}, "create"); err == nil || !strings.Contains(out, "no branch or tag none") {
		t.Errorf("a branch that is not there: %v %s", err, out)
	}
}

func TestPathsStayInside(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"a.txt": "1"})
	for _, shared := range []string{`{"../../x":"x"}`, `{"x":"../x"}`, `{"x":""}`, `{"":"x"}`, `["x"]`} {
		if _, err := s.deployment("1", map[string]string{release.VarShared: shared}, "create"); err == nil {
			t.Errorf("%s is shared", shared)
		}
	}
	for _, name := range []string{"../x", "a/b", "-x", "."} {
		if _, err := s.deployment(name, nil, "create"); err == nil {
			t.Errorf("%q is the name of a release", name)
		}
	}
}

func TestInPlace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"a.txt": "1"})
	s.must("", nil, "checkout", "finish")
	raw, err := os.ReadFile(filepath.Join(s.root, "a.txt"))
	if err != nil || string(raw) != "1" {
		t.Errorf("%q %v", raw, err)
	}
	if _, err := s.deployment("", nil, "create"); err == nil {
		t.Error("a site without releases makes one")
	}
}
