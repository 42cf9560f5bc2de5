package command_test

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/noun/command"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

func TestScriptGolden(t *testing.T) {
	t.Parallel()
	php := query.Site{ID: 2, Name: "shop.example.com", UnixUser: "shop", Type: sitetype.PHP, PHPVersion: "php84"}
	static := query.Site{ID: 3, Name: "docs.example.com", UnixUser: "forge", Type: sitetype.StaticHTML}
	for name, c := range map[string]struct {
		row      query.Site
		releases bool
		command  string
	}{
		"php":      {php, false, "php artisan down"},
		"releases": {php, true, "php artisan migrate --force\necho done"},
		"static":   {static, false, "ls; rm -f '$(id)'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script, err := command.Script(query.Server{ID: 1}, site.Place{Site: c.row, Releases: c.releases, Code: true}, c.command)
			if err != nil {
				t.Fatal(err)
			}
			jobtest.Golden(t, name, []job.Stage{{Name: "command", Script: &script, Detach: true}})
		})
	}
}
