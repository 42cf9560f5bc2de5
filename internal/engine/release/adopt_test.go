package release_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/release"
)

func (s *site) write(name, content string) {
	s.t.Helper()
	path := filepath.Join(s.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *site) want(name, content string) {
	s.t.Helper()
	raw, err := os.ReadFile(filepath.Join(s.root, name))
	if err != nil || string(raw) != content {
		s.t.Errorf("%s is %q, %v; want %q", name, raw, err, content)
	}
}

// A site that is deployed in place gets releases, and returns, and loses nothing either way.
func TestAdoptAndLeave(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"public/a.txt": "1", "storage/.keep": ""})
	s.write("public/a.txt", "by hand")
	s.write("public/b.txt", "mine")
	s.write(".env", "A=1\n")
	s.must("", nil, "checkout")
	s.want("public/a.txt", "1")
	s.want(".before-git/public/a.txt", "by hand")
	s.want("public/b.txt", "mine")
	s.write("storage/log", "kept")
	s.write("public/uploads/x", "up")
	if err := os.Symlink("../storage/log", filepath.Join(s.root, "public/log")); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{release.VarShared: `{"storage":"storage","public/uploads":"uploads"}`}

	s.must("0", env, "adopt", "back")
	if got := s.releases(); got != "" {
		t.Errorf("what was taken back left %q", got)
	}
	if _, err := os.Lstat(filepath.Join(s.root, "current")); err == nil {
		t.Error("what was taken back left current")
	}
	s.write("releases/0/half", "made") // an interrupted one
	s.must("0", env, "adopt")
	s.must("0", env, "adopt") // repeating changes nothing
	for file, content := range map[string]string{
		"current/public/a.txt":     "1",
		"current/public/b.txt":     "mine",
		"current/.env":             "A=1\n",
		"current/storage/log":      "kept",
		"current/public/log":       "kept",
		"current/public/uploads/x": "up",
		"public/a.txt":             "1",
		"storage/log":              "kept",
	} {
		s.want(file, content)
	}
	s.write("storage/log", "more")
	s.want("current/storage/log", "more")

	s.commit("Two", map[string]string{"public/a.txt": "2"})
	s.must("7", env, "create", "activate", "finish")
	s.want("current/public/a.txt", "2")
	s.want("public/a.txt", "1")
	if _, err := s.deployment("0", env, "adopt"); err == nil {
		t.Error("a site with releases is adopted")
	}
	s.must("", env, "leave")
	for file, content := range map[string]string{"public/a.txt": "2", "public/b.txt": "mine", ".env": "A=1\n", "storage/log": "more", "public/uploads/x": "up"} {
		s.want(file, content)
	}
	s.commit("Three", map[string]string{"public/a.txt": "3"})
	s.git("-C", s.root, "pull", "-q", "origin", "main")
	s.want("public/a.txt", "3")

	// And again, with what is there now; what an earlier switch had copied is not in it.
	if err := os.Remove(filepath.Join(s.root, "public/b.txt")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // from another release, then from the one of that name
		s.must("0", env, "adopt")
		s.must("0", env, "adopt")
		s.want("current/public/a.txt", "3")
		s.want("current/storage/log", "more")
		if _, err := os.Lstat(filepath.Join(s.root, "releases/0/public/b.txt")); err == nil {
			t.Error("what was deleted in place is in the release")
		}
		s.must("", env, "leave")
		s.want("public/a.txt", "3")
	}
	s.must("0", env, "adopt", "back")
	if _, err := os.Lstat(filepath.Join(s.root, "current")); err == nil {
		t.Error("what was taken back again left current")
	}
}

// An interrupted first checkout is repeated.
func TestCheckoutAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.commit("One", map[string]string{"a.txt": "1"})
	s.git("init", "-q", s.root)
	s.must("", nil, "checkout")
	s.want("a.txt", "1")
	s.write("a.txt", "changed")
	s.must("", nil, "checkout") // the script pulls
	s.want("a.txt", "changed")
}
