package release_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// looked returns what a look at a branch of a repository reports, for an application in a directory of it.
func (s *site) looked(repository, branch, application string) map[string]string {
	s.t.Helper()
	run := s.t.TempDir()
	env := map[string]string{release.VarRepository: repository, release.VarBranch: branch, release.VarApplication: application}
	if out, err := s.in(run, "1", env, "look"); err != nil {
		s.t.Fatalf("look at %s: %v\n%s", branch, err, out)
	}
	raw, err := os.ReadFile(filepath.Join(run, wire.ReportFile))
	if err != nil {
		s.t.Fatal(err)
	}
	var report map[string]string
	if err := json.Unmarshal(raw, &report); err != nil {
		s.t.Fatal(err)
	}
	return report
}

// A look at a repository names the commit that a deployment would take, or says what git said; neither fails, and nothing stays in the
// site's directory.
func TestLook(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	first := s.commit("First", map[string]string{"a": "1"})
	s.git("-C", s.work, "tag", "-a", "-m", "One", "v1")
	s.git("-C", s.work, "push", "-q", "origin", "v1")
	second := s.commit("Second", map[string]string{"a": "2"})
	s.git("-C", s.work, "tag", "main", first) // a branch takes precedence over a tag of the same name
	s.git("-C", s.work, "push", "-q", "origin", "refs/tags/main")
	for _, c := range []struct{ repository, branch, commit, refused string }{
		{s.repo, "main", second, ""},
		{s.repo, "v1", first, ""},
		{s.repo, "nowhere", "", "The repository has no branch or tag nowhere."},
		{s.repo + "-gone", "main", "", "does not appear to be a git repository"},
	} {
		got := s.looked(c.repository, c.branch, "")
		if got[release.ReportHash] != c.commit || !strings.Contains(got[release.ReportRefused], c.refused) ||
			(c.refused == "") != (got[release.ReportRefused] == "") {
			t.Errorf("a look at %s reports %q", c.branch, got)
		}
	}
	if entries, err := os.ReadDir(s.root); err != nil || len(entries) > 0 {
		t.Errorf("a look left %v in the site's directory (%v)", entries, err)
	}
}
