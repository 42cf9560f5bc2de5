package release_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/release"
)

// read returns the files that a look at the branch main reports, by their paths.
func (s *site) read(application string) map[string]string {
	s.t.Helper()
	report := s.looked(s.repo, "main", application)
	if report[release.ReportHash] == "" {
		s.t.Fatalf("a look reports %q", report)
	}
	var files []release.File
	if text := report[release.ReportFiles]; text != "" {
		if err := json.Unmarshal([]byte(text), &files); err != nil {
			s.t.Fatal(err)
		}
	}
	out := map[string]string{}
	for _, f := range files {
		out[f.Path] = f.Content
	}
	return out
}

// A look reads what says which application a repository has: in its directory and in those above, and nothing else.
func TestLookReadsFiles(t *testing.T) {
	t.Parallel()
	for _, partial := range []string{"true", "false"} { // whether the Git server knows partial clones
		s := newSite(t)
		s.git("-C", s.repo, "config", "uploadpack.allowFilter", partial)
		s.commit("First", map[string]string{
			"package.json": "{}", ".nvmrc": "22\n", "apps/web/package.json": `{"name": "web"}`, "apps/web/next.config.js": "x", "apps/other/package.json": "{}",
			"apps/web/artisan": "#!/usr/bin/env php\n", "README.md": "# " + strings.Repeat("long ", 100), "apps/web/go.mod": strings.Repeat("x", 20<<10),
			"apps/web/Gemfile": "\x00\x01",
		})
		want := map[string]string{
			"package.json": "{}", ".nvmrc": "22\n", "apps/web/package.json": `{"name": "web"}`, "apps/web/artisan": "", "apps/web/go.mod": "", "apps/web/Gemfile": "",
		}
		if diff := cmp.Diff(want, s.read("apps/web")); diff != "" {
			t.Errorf("partial clones %s: files (-want +got):\n%s", partial, diff)
		}
		if diff := cmp.Diff(map[string]string{"package.json": "{}", ".nvmrc": "22\n"}, s.read("")); diff != "" {
			t.Errorf("partial clones %s: files at the top (-want +got):\n%s", partial, diff)
		}
		if diff := cmp.Diff(map[string]string{"package.json": "{}", ".nvmrc": "22\n"}, s.read("apps/none")); diff != "" {
			t.Errorf("partial clones %s: files of a directory that is not there (-want +got):\n%s", partial, diff)
		}
	}
}

// Links lead nowhere, and files that would make the report too large are left out: the commit is reported all the same.
func TestLookReadsNoLinks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if err := os.Symlink("/etc/passwd", filepath.Join(s.work, ".nvmrc")); err != nil {
		t.Fatal(err)
	}
	quotes := strings.Repeat(`"<>&`, 3<<10) // six bytes each as JSON has them
	s.commit("First", map[string]string{"package.json": `{}`, "composer.json": quotes, "Gemfile": quotes})
	got := s.read("")
	if _, ok := got[".nvmrc"]; ok || got["package.json"] != "{}" || got["Gemfile"] != "" {
		t.Errorf("a look reads %d files: %.200v", len(got), got)
	}
}
