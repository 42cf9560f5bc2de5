package release_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/test/executable"
)

// A repository with submodules is deployed with them, and with their files of Git LFS, each time.
func TestSubmodulesAreDeployed(t *testing.T) {
	s, lfs, env := withLFS(t)
	lib := newSite(t)
	large := strings.Repeat("large", 5000)
	lib.commit("Lib", map[string]string{"part.txt": "part", ".gitattributes": "*.bin filter=lfs\n", "large.bin": lfs.Add([]byte(large))})
	const address = "ssh://git@git.example.com/team/lib.git"
	s.git("-C", s.work, "-c", "protocol.file.allow=always", "submodule", "add", "-q", "-b", "main", lib.repo, "vendor/a lib")
	s.git("-C", s.work, "config", "-f", ".gitmodules", "submodule.vendor/a lib.url", address)
	s.commit("One", map[string]string{"a.txt": "1"})
	// ssh is a script that is the server itself.
	bin := t.TempDir()
	ssh := filepath.Join(bin, "hostler-git-ssh")
	script := "#!/bin/sh\nfor last; do :; done\ncase $last in\n*upload-pack*team/lib.git*) exec git-upload-pack " + lib.repo + " ;;\n" +
		"*git-lfs-authenticate*) cat <<'E'\n" + lfs.Authenticated() + "\nE\n;;\n*) echo \"unknown: $*\" >&2; exit 1 ;;\nesac\n"
	executable.Write(t, ssh, script)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("GIT_SSH", ssh)
	t.Setenv("GIT_SSH_VARIANT", "ssh")
	for _, name := range []string{"1", "2"} {
		s.must(name, env, "create", "activate", "finish")
		for file, want := range map[string]string{"a.txt": "1", "vendor/a lib/part.txt": "part", "vendor/a lib/large.bin": large} {
			if got := s.live(file); got != want {
				t.Errorf("release %s: %s is %d bytes, %.60q", name, file, len(got), got)
			}
		}
	}
	if _, err := os.Lstat(filepath.Join(s.root, "current", "vendor", "a lib", ".git")); err != nil {
		t.Error(err)
	}
}

// In place, a submodule is updated as .gitmodules says now, not as it said when the submodule was met first.
func TestSubmodulesAreUpdatedAsTheCommitSays(t *testing.T) {
	t.Parallel()
	s, lib := newSite(t), newSite(t)
	lib.commit("One", map[string]string{"part.txt": "1"})
	s.git("-C", s.work, "-c", "protocol.file.allow=always", "submodule", "add", "-q", "-b", "main", lib.repo, "part")
	s.git("-C", s.work, "config", "-f", ".gitmodules", "submodule.part.update", "none")
	s.git("-C", s.work, "config", "-f", ".gitmodules", "submodule.part.url", "https://git.invalid/lib.git")
	s.commit("One", nil)
	s.must("", nil, "checkout", "finish")
	s.git("-C", s.work, "config", "-f", ".gitmodules", "submodule.part.update", "checkout")
	s.commit("Two", nil)
	if out, err := s.tryPull(nil); err == nil || !strings.Contains(out, "git.invalid") {
		t.Errorf("the submodule was not fetched: %v\n%s", err, out)
	}
}

// A submodule that is fetched without its history is deployed at a commit before the newest one, also from a server that gives no single
// commits.
func TestShallowSubmodules(t *testing.T) {
	s, lib := newSite(t), newSite(t)
	for _, n := range []string{"1", "2", "3"} {
		lib.commit(n, map[string]string{"part.txt": n})
	}
	s.git("-C", lib.repo, "symbolic-ref", "HEAD", "refs/heads/main")
	s.git("-C", s.work, "-c", "protocol.file.allow=always", "submodule", "add", "-q", "-b", "main", lib.repo, "part")
	s.git("-C", filepath.Join(s.work, "part"), "checkout", "-q", "HEAD~1")
	s.git("-C", s.work, "config", "-f", ".gitmodules", "submodule.part.shallow", "true")
	s.git("-C", s.work, "config", "-f", ".gitmodules", "submodule.part.url", "ssh://git@git.example.com/team/lib.git")
	s.commit("One", nil)
	ssh := filepath.Join(t.TempDir(), "ssh")
	executable.Write(t, ssh, "#!/bin/sh\nunset GIT_PROTOCOL\nexec git-upload-pack "+lib.repo+"\n") // as sshd, which passes no GIT_PROTOCOL on
	t.Setenv("GIT_SSH", ssh)
	t.Setenv("GIT_SSH_VARIANT", "ssh")
	s.must("1", nil, "create", "activate", "finish")
	s.want("current/part/part.txt", "2")
}

// What a repository only names, and nothing can bring, is said.
func TestWhatIsOnlyNamed(t *testing.T) {
	t.Parallel()
	s, lib := newSite(t), newSite(t)
	lib.commit("One", map[string]string{"style.css": "a"})
	s.git("-C", lib.repo, "symbolic-ref", "HEAD", "refs/heads/main")
	s.git("clone", "-q", lib.repo, filepath.Join(s.work, "theme"))
	if err := os.Symlink(".git/annex/objects/Xx/Yy/SHA256E-s9--abc.mp4/SHA256E-s9--abc.mp4", filepath.Join(s.work, "film.mp4")); err != nil {
		t.Fatal(err)
	}
	s.commit("One", map[string]string{".gitattributes": "*.key filter=git-crypt-ops diff=git-crypt\n", "a.key": "\x00GITCRYPT\x00abc", "b.key": "plain"})
	out := s.must("1", nil, "create", "activate", "finish")
	for _, want := range []string{".gitmodules has no address of it: theme\n", "encrypted by git-crypt, and deployed as they are: a.key\n",
		"do not fetch from it: film.mp4\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	out, err := s.deployment("2", map[string]string{release.VarBranch: "Main"}, "create")
	if err == nil || !strings.Contains(out, "no branch or tag Main. It has main, which is written otherwise.") {
		t.Errorf("%v: %s", err, out)
	}
	s.git("-C", s.repo, "symbolic-ref", "HEAD", "refs/heads/main")
	out, err = s.deployment("3", map[string]string{release.VarBranch: "master"}, "create")
	if err == nil || !strings.Contains(out, "Its default branch is main.") {
		t.Errorf("%v: %s", err, out)
	}
}
