package release_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/test/executable"
	"github.com/hostlerhq/hostler/test/githost"
)

// withLFS gives a site a repository over SSH, whose server names a server of Git LFS. ssh is in the environment, so its tests are not
// parallel.
func withLFS(t *testing.T) (*site, *githost.LFS, map[string]string) {
	t.Helper()
	s := newSite(t)
	lfs, stop := githost.NewLFS()
	t.Cleanup(stop)
	const address = "ssh://git@git.example.com:2222/team/app.git"
	bin := t.TempDir()
	script := "#!/bin/sh\n[ \"$*\" = \"-p 2222 git@git.example.com git-lfs-authenticate 'team/app.git' download\" ] || { echo \"unknown: $*\" >&2; exit " +
		"1; }\ncat <<'E'\n" +
		lfs.Authenticated() + "\nE\n"
	executable.Write(t, filepath.Join(bin, "hostler-git-ssh"), script)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "url."+s.repo+".insteadOf")
	t.Setenv("GIT_CONFIG_VALUE_0", address)
	return s, lfs, map[string]string{release.VarRepository: address}
}

// Files that a repository keeps in Git LFS are there themselves, in releases and in place, and are fetched once.
func TestLargeFilesAreServedThemselves(t *testing.T) {
	s, lfs, env := withLFS(t)
	logo, film := strings.Repeat("logo", 5000), strings.Repeat("film", 9000)
	s.commit("One", map[string]string{
		".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "img/logo.bin": lfs.Add([]byte(logo)), "a.txt": "1",
		"docs/pointer.txt": lfs.Add([]byte("not managed")), "img/committed.bin": "itself", "ein Bild.bin": lfs.Add([]byte(film)),
		"sub/.gitattributes": "*.dat filter=lfs\n",
		"sub/b.dat":          lfs.Add([]byte(film)),
	})
	lfs.Fail(githost.LFSStalls)
	s.must("1", env, "create", "activate", "finish")
	for name, want := range map[string]string{"img/logo.bin": logo, "ein Bild.bin": film, "sub/b.dat": film, "img/committed.bin": "itself"} {
		if got := s.live(name); got != want {
			t.Errorf("%s is %d bytes, %.40q", name, len(got), got)
		}
	}
	if got := s.live("docs/pointer.txt"); !strings.HasPrefix(got, "version https://git-lfs") {
		t.Errorf("a text about pointers is %.40q", got)
	}
	if got := s.git("-C", filepath.Join(s.root, "current"), "status", "--porcelain"); got != "" {
		t.Errorf("git sees changes: %s", got)
	}
	n := lfs.Fetched()
	s.must("2", env, "create", "activate", "finish")
	if lfs.Fetched() != n || s.live("img/logo.bin") != logo {
		t.Errorf("they were fetched again, or are not there: %d and %d", n, lfs.Fetched())
	}
}

// What a server of Git LFS does not give, or gives otherwise, fails the deployment with a reason; the release of before stays live.
func TestLargeFilesThatCannotBeHad(t *testing.T) {
	s, lfs, env := withLFS(t)
	s.commit("One", map[string]string{"a.txt": "1"})
	s.must("1", env, "create", "activate", "finish")
	s.commit("Two", map[string]string{".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
		"logo.bin": lfs.Add([]byte(strings.Repeat("logo", 5000))), "a.txt": "2"})
	for how, reason := range map[string]string{
		githost.LFSForbids: "quota", githost.LFSLacks: "does not exist", githost.LFSForgets: "did not name", githost.LFSLies: "hash", githost.LFSCuts: "bytes",
	} {
		lfs.Fail(how)
		out, err := s.deployment("2", env, "create")
		if err == nil || !strings.Contains(out, "Git LFS") || !strings.Contains(out, reason) {
			t.Errorf("a server that %s: %v\n%s", how, err, out)
		}
	}
	env[release.VarRepository] = s.repo // a Git server without Git LFS
	if out, err := s.deployment("2", env, "create"); err == nil || !strings.Contains(out, "Git LFS") {
		t.Errorf("a server without it: %v\n%s", err, out)
	}
	if got := s.live("a.txt"); got != "1" {
		t.Errorf("live is %q", got)
	}
	env[release.VarRepository] = "ssh://git@git.example.com:2222/team/app.git"
	lfs.Fail("")
	s.must("3", env, "create", "activate", "finish")
	if got := s.live("logo.bin"); !strings.HasPrefix(got, "logologo") {
		t.Errorf("afterwards it is %.40q", got)
	}
}

// In place, new large files arrive by a pull, and those that changed are replaced.
func TestLargeFilesInPlace(t *testing.T) {
	s, lfs, env := withLFS(t)
	s.commit("One", map[string]string{".gitattributes": "*.bin filter=lfs -text\n", "a.bin": lfs.Add([]byte("first content of a"))})
	s.must("", env, "checkout", "finish")
	s.want("a.bin", "first content of a")
	s.commit("Two", map[string]string{"a.bin": lfs.Add([]byte("second content of a")), "b.bin": lfs.Add([]byte("content of b"))})
	s.pull(env)
	s.want("a.bin", "second content of a")
	s.want("b.bin", "content of b")
	if refs := s.git("-C", s.root, "for-each-ref", "refs/hostler"); refs != "" {
		t.Errorf("a plain pull kept %s", refs)
	}
}
