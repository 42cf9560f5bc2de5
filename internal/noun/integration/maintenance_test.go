package integration

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// What a maintenance page is asked for with is data: it is only in the environment of the script.
func TestMaintenanceGolden(t *testing.T) {
	t.Parallel()
	row := query.Site{ID: 2, Name: "shop.example.com", UnixUser: "shop", Type: sitetype.Laravel, PHPVersion: "php84"}
	inPlace := site.Place{Site: row, Code: true}
	rooted := site.Place{Site: row, Code: true, Releases: true}
	rooted.Site.RootDirectory = new("/app")
	for name, c := range map[string]struct {
		at   site.Place
		page *page
		word string
	}{
		"down":          {inPlace, &page{Status: 503}, ""},
		"down-secret":   {inPlace, &page{Status: 503, Redirect: "/soon"}, "letmein"},
		"down-releases": {rooted, &page{Status: 410}, ""},
		"up":            {inPlace, nil, ""},
		"up-releases":   {rooted, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script, err := upScript(query.Server{ID: 1}, c.at)
			if c.page != nil {
				script, err = downScript(query.Server{ID: 1}, c.at, *c.page, c.word)
			}
			stages, err := planned(script, err)
			if err != nil {
				t.Fatal(err)
			}
			jobtest.Golden(t, "maintenance/"+name, stages)
		})
	}
}
