package environment

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

func TestPlanGolden(t *testing.T) {
	t.Parallel()
	row := query.Site{ID: 2, Name: "shop.example.com", UnixUser: "shop", Type: sitetype.Laravel, PHPVersion: "php84"}
	for name, c := range map[string]struct {
		env      query.Environment
		releases bool
		key      []byte
	}{
		"file":     {env: query.Environment{ID: 1, SiteID: 2}},
		"cache":    {env: query.Environment{ID: 1, SiteID: 2, Cache: true}, key: []byte("base64:k3y")},
		"releases": {env: query.Environment{ID: 1, SiteID: 2, Cache: true, Queues: true}, releases: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place := site.Place{Site: row, Releases: c.releases, Code: true}
			script, err := Script(query.Server{ID: 1}, place, c.env, []byte("APP_ENV=production\n"), c.key)
			if err != nil {
				t.Fatal(err)
			}
			jobtest.Golden(t, name, []job.Stage{{Name: "write .env", Script: &script}})
		})
	}
}
