package command_test

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/noun/command"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// A command runs where the site's application is: in the live release, and below it where the site names a root directory.
func TestScriptRunsInTheApplication(t *testing.T) {
	t.Parallel()
	row := query.Site{ID: 7, Name: "a.example.com", UnixUser: "forge", Type: sitetype.StaticHTML}
	inApp := row
	inApp.RootDirectory = new("/app")
	for name, tt := range map[string]struct {
		at        site.Place
		dir, live string
	}{
		"in place":         {site.Place{Site: row, Code: true}, "/home/forge/a.example.com", "/home/forge/a.example.com"},
		"releases":         {site.Place{Site: row, Code: true, Releases: true}, "/home/forge/a.example.com/current", "/home/forge/a.example.com/current"},
		"a root directory": {site.Place{Site: inApp, Code: true, Releases: true}, "/home/forge/a.example.com/current/app", "/home/forge/a.example.com/current"},
		"no code":          {site.Place{Site: inApp}, "/home/forge/a.example.com", "/home/forge/a.example.com"},
	} {
		s, err := command.Script(query.Server{ID: 1}, tt.at, "true")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if s.Dir != tt.dir {
			t.Errorf("%s: it runs in %s, want %s", name, s.Dir, tt.dir)
		}
		if got := s.Env["FORGE_SITE_PATH"]; got != tt.live {
			t.Errorf("%s: the site is said to be at %q, want %q", name, got, tt.live)
		}
	}
}
