package release_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// pull does what "git pull" does in the deploy script of a site in place.
func (s *site) pull(env map[string]string) string {
	s.t.Helper()
	out, err := s.tryPull(env)
	if err != nil {
		s.t.Fatalf("pull: %v\n%s", err, out)
	}
	return out
}

func (s *site) tryPull(env map[string]string) (string, error) {
	s.t.Helper()
	all := map[string]string{release.VarRoot: s.root, release.VarRepository: s.repo, release.VarBranch: "main", wire.RunDirVariable: s.t.TempDir()}
	for k, v := range env {
		all[k] = v
	}
	var out strings.Builder
	one, err := release.FromEnvironment(func(k string) string { return all[k] }, &out)
	if err == nil {
		err = one.Pull()
	}
	return out.String(), err
}

// forced replaces the last commit of the branch by another one.
func (s *site) forced(files map[string]string) string {
	s.t.Helper()
	s.git("-C", s.work, "reset", "-q", "--hard", "HEAD~1")
	s.git("-C", s.work, "push", "-q", "--force", "origin", "HEAD:refs/heads/main")
	return s.commit("Rewritten", files)
}

// Whatever happened to the branch or to the site's directory, the directory becomes the pushed commit; what that loses is kept and named.
func TestPullBecomesThePushedCommit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		happens func(s *site) // in the site's directory
		lost    string        // what the output names; "" if nothing is lost
		in      string        // a content of it, in the ref
	}{
		"a force push":             {func(*site) {}, "Two", ""},
		"a force push and changes": {func(s *site) { s.write("a.txt", "by hand") }, "changes in a.txt", "by hand"},
		"a force push and a file that is new on both sides": {func(s *site) { s.write("new.txt", "mine") }, "new.txt", ""},
		"a commit by hand": {func(s *site) {
			s.write("a.txt", "committed")
			s.git("-C", s.root, "commit", "-q", "-a", "-m", "By hand")
		}, "By hand", "committed"},
		"a merge that was left": {func(s *site) {
			s.git("-C", s.root, "checkout", "-q", "-b", "other", "HEAD~1")
			s.write("a.txt", "other")
			s.git("-C", s.root, "commit", "-q", "-a", "-m", "Other")
			s.git("-C", s.root, "checkout", "-q", "main")
			_, _ = s.tryGit("-C", s.root, "merge", "-q", "other")
		}, "Two", ""},
		"another branch":  {func(s *site) { s.git("-C", s.root, "checkout", "-q", "-b", "mine") }, "Two", ""},
		"a detached head": {func(s *site) { s.git("-C", s.root, "checkout", "-q", "--detach") }, "Two", ""},
		"a deleted file":  {func(s *site) { _ = os.Remove(filepath.Join(s.root, "a.txt")) }, "changes in a.txt", ""},
		"a change that the index hides": {func(s *site) {
			s.git("-C", s.root, "update-index", "--assume-unchanged", "a.txt")
			s.write("a.txt", "by hand")
		}, "changes in a.txt", "by hand"},
		"a change that git is to leave alone": {func(s *site) {
			s.git("-C", s.root, "update-index", "--skip-worktree", "a.txt")
			s.write("a.txt", "by hand")
		}, "changes in a.txt", "by hand"},
		"staged changes": {func(s *site) {
			s.write("a.txt", "staged")
			s.git("-C", s.root, "add", "-A")
		}, "changes in a.txt", "staged"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.commit("One", map[string]string{"a.txt": "1", "b.txt": "1"})
			s.must("", nil, "checkout", "finish")
			s.commit("Two", map[string]string{"a.txt": "2"})
			s.pull(nil)
			s.want("a.txt", "2")
			c.happens(s)
			hash := s.forced(map[string]string{"a.txt": "3", "new.txt": "pushed"})
			out := s.pull(nil)
			s.want("a.txt", "3")
			s.want("new.txt", "pushed")
			if got := s.git("-C", s.root, "rev-parse", "HEAD"); got != hash {
				t.Errorf("the site is at %s, not at %s", got, hash)
			}
			if got := s.git("-C", s.root, "status", "--porcelain", "--untracked-files=no"); got != "" {
				t.Errorf("the site has changes: %s", got)
			}
			if got := s.git("-C", s.root, "symbolic-ref", "--short", "HEAD"); got != "main" {
				t.Errorf("the site is on %s", got)
			}
			if !strings.Contains(out, c.lost) || !strings.Contains(out, "refs/hostler/before-") {
				t.Errorf("what is lost is not named:\n%s", out)
			}
			ref := s.git("-C", s.root, "for-each-ref", "--format=%(refname)", "refs/hostler")
			if c.in != "" && s.git("-C", s.root, "show", ref+":a.txt") != c.in {
				t.Errorf("%s does not have it", ref)
			}
			s.commit("Four", map[string]string{"a.txt": "4"})
			if out := s.pull(nil); strings.Contains(out, "refs/hostler") {
				t.Errorf("a plain pull loses something:\n%s", out)
			}
			s.want("a.txt", "4")
		})
	}
}

// What a power cut leaves of Git's files stops one deployment at most.
func TestDamagedRepositories(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{
		"index": ".git/index", "branch": ".git/refs/heads/main", "HEAD": ".git/HEAD", "branch of origin": ".git/refs/remotes/origin/main",
		"HEAD of what was fetched": ".repository/HEAD", "branch of what was fetched": ".repository/refs/heads/hostler-deploy", "objects": ".repository/objects",
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.commit("One", map[string]string{"a.txt": "1"})
			s.must("", nil, "checkout", "finish")
			s.commit("Two", map[string]string{"a.txt": "2"})
			s.must("", nil, "checkout")
			s.pull(nil)
			if path == ".repository/objects" {
				if err := os.RemoveAll(filepath.Join(s.root, path)); err != nil {
					t.Fatal(err)
				}
			} else {
				s.write(path, "")
			}
			s.commit("Three", map[string]string{"a.txt": "3"})
			s.must("", nil, "checkout")
			s.pull(nil)
			s.want("a.txt", "3")
		})
	}
}

// Settings of Git that can't be read begin again, and stay beside the new ones.
func TestDamagedSettings(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"zeros": strings.Repeat("\x00", 92), "empty": "",
		"half": "[core]\n\trepositoryformatversion = 0\n[remote \"ori", "no text": "\xff\xfe[core]\n",
		"an unfinished merge": "<<<<<<< HEAD\n[core]\n=======\n",
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.commit("One", map[string]string{"a.txt": "1"})
			s.must("", nil, "checkout", "finish")
			s.write(".git/config", content)
			s.commit("Two", map[string]string{"a.txt": "2"})
			s.must("", nil, "checkout")
			s.pull(nil)
			s.want("a.txt", "2")
			if content != "" {
				s.want(".git/config.damaged", content)
			}
		})
	}
}

// A plain pull leaves what git can keep: changes of files that the push does not touch, files of the site, and its .env above the
// repository's.
func TestPullKeepsWhatItCan(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"a.txt": "1", "b.txt": "1", ".env": "A=example\n"})
	s.must("", nil, "checkout", "finish")
	s.write("b.txt", "by hand")
	s.write("uploads/x", "mine")
	if err := s.environment("A=1\n", "environment", "environment-keep"); err != nil {
		t.Fatal(err)
	}
	s.commit("Two", map[string]string{"a.txt": "2"})
	if out := s.pull(nil); strings.Contains(out, "refs/hostler") {
		t.Errorf("something is lost:\n%s", out)
	}
	s.want("a.txt", "2")
	s.want("b.txt", "by hand")
	s.forced(map[string]string{"a.txt": "3", ".env": "A=other\n"})
	s.pull(nil)
	s.want("a.txt", "3")
	s.want("b.txt", "1")
	s.want("uploads/x", "mine")
	s.want(".env", "A=1\n")
}

// A lock of a git that was killed does not stop every deployment after it; files of another account are named.
func TestLocksThatWereLeft(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"a.txt": "1"})
	s.must("", nil, "checkout", "finish")
	s.write(".git/index.lock", "")
	s.commit("Two", map[string]string{"a.txt": "2"})
	if out, err := s.tryPull(nil); err == nil { // a person's, of this moment
		t.Errorf("a fresh lock is passed over:\n%s", out)
	}
	past := mustStat(t, filepath.Join(s.root, ".git/HEAD")).ModTime().Add(-1 << 40)
	if err := os.Chtimes(filepath.Join(s.root, ".git/index.lock"), past, past); err != nil {
		t.Fatal(err)
	}
	s.must("", nil, "checkout")
	s.pull(nil)
	s.want("a.txt", "2")
	if os.Getuid() != 0 {
		t.Skip("another account's files need root")
	}
	if err := os.Chown(filepath.Join(s.root, "a.txt"), 65534, 65534); err != nil {
		t.Fatal(err)
	}
	s.write(".git/index.lock", "") // anything that fails
	s.commit("Three", map[string]string{"a.txt": "3"})
	if out, err := s.tryPull(nil); err == nil || !strings.Contains(err.Error(), "another account") || !strings.Contains(err.Error(), "a.txt") {
		t.Errorf("%v\n%s", err, out)
	}
}

// export-ignore is about archives, and names may differ by case alone: a release has all files.
func TestReleasesHaveEverything(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{".gitattributes": "config export-ignore\n*.md export-ignore\n", "config/app.php": "1", "README.md": "x", "readme.md": "y"})
	s.must("1", nil, "create", "activate", "finish")
	for name, want := range map[string]string{"config/app.php": "1", "README.md": "x", "readme.md": "y"} {
		s.want("current/"+name, want)
	}
}

func mustStat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func (s *site) tryGit(args ...string) (string, error) {
	s.t.Helper()
	return runGit(args...)
}

// A branch whose name begins or continues that of another can be deployed after it; commits that are only there are kept.
func TestBranchBelowAnother(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"a.txt": "1"})
	s.git("-C", s.work, "tag", "-a", "-m", "x", "v1.2.3")
	s.git("-C", s.work, "push", "-q", "origin", "HEAD:refs/heads/feature", "v1.2.3")
	env := map[string]string{release.VarBranch: "feature"}
	s.must("", env, "checkout", "finish")
	s.write("a.txt", "mine")
	s.git("-C", s.root, "commit", "-q", "-a", "-m", "By hand")
	s.commit("Two", map[string]string{"b.txt": "2"})
	s.git("-C", s.work, "push", "-q", "origin", ":feature", "HEAD:refs/heads/feature/one")
	env[release.VarBranch] = "feature/one"
	out := s.pull(env)
	s.want("b.txt", "2")
	if !strings.Contains(out, "The branch feature was in the way of feature/one; it is kept") {
		t.Errorf("the output is\n%s", out)
	}
	kept := strings.TrimSpace(s.git("-C", s.root, "for-each-ref", "--format=%(refname)", "refs/hostler/branch-*/*"))
	if got := s.git("-C", s.root, "show", kept+":a.txt"); got != "mine" {
		t.Errorf("%s has %q", kept, got)
	}
	s.git("-C", s.work, "push", "-q", "origin", ":feature/one", "HEAD:refs/heads/feature")
	env[release.VarBranch] = "feature"
	s.pull(env)
	if got := strings.TrimSpace(s.git("-C", s.root, "describe", "--tags", "HEAD^")); got != "v1.2.3" {
		t.Errorf("in place, the version is %q", got)
	}
}

// The site's own .env stays above the one that the repository has, or has later: at the first checkout, where git ignored it, and in the
// place of a link.
func TestOwnEnvironmentStays(t *testing.T) {
	t.Parallel()
	for name, begins := range map[string]map[string]string{
		"the repository has one":        {"a.txt": "1", ".env": "REPOSITORY=1\n"},
		"the repository has one later":  {"a.txt": "1"},
		"it was ignored by git":         {"a.txt": "1", ".gitignore": ".env\n"},
		"the commit has a link instead": nil,
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.write(".env", "OWN=1\n")
			if begins == nil {
				if err := os.Symlink("example", filepath.Join(s.work, ".env")); err != nil {
					t.Fatal(err)
				}
				begins = map[string]string{"example": "REPOSITORY=1\n"}
			}
			s.commit("One", begins)
			s.must("", nil, "checkout", "finish")
			s.want(".env", "OWN=1\n")
			s.git("-C", s.work, "rm", "-q", "--cached", "--ignore-unmatch", ".env")
			if err := os.RemoveAll(filepath.Join(s.work, ".env")); err != nil {
				t.Fatal(err)
			}
			s.commit("Two", map[string]string{".env": "REPOSITORY=2\n", ".gitignore": "", "a.txt": "2"})
			s.pull(nil)
			s.want(".env", "OWN=1\n")
			s.want("a.txt", "2")
			if _, ok := begins["example"]; ok {
				s.want("example", "REPOSITORY=1\n")
			}
		})
	}
}
