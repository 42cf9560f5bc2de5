package release_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
