package packages

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/job/jobtest"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret/secrettest"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

func TestFileGolden(t *testing.T) {
	t.Parallel()
	box := secrettest.Box(t)
	row := func(id int64, kind, name, user string, removing bool) query.PackageCredential {
		t.Helper()
		sealed, err := box.Seal(sealedAt(id), []byte("s3cret"))
		if err != nil {
			t.Fatal(err)
		}
		return query.PackageCredential{ID: id, SiteID: 2, Kind: kind, Name: name, Username: user, Secret: sealed, Removing: removing}
	}
	site := query.Site{ID: 2, Name: "shop.example.com", UnixUser: "shop"}
	task := &Task{Vault: Vault{Box: box}}
	for name, c := range map[string]struct {
		kind string
		all  []query.PackageCredential
	}{
		"composer": {composer, []query.PackageCredential{
			row(1, composer, "packages.example.com", "shop", false),
			row(2, composer, "old.example.com", "shop", true),
		}},
		"npm":           {npm, []query.PackageCredential{row(1, npm, "npm.example.com/", "", false)}},
		"composer-none": {composer, []query.PackageCredential{row(1, composer, "packages.example.com", "shop", true)}},
		"npm-none":      {npm, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			step, err := task.file(site, c.kind, c.all)
			if err != nil {
				t.Fatal(err)
			}
			jobtest.Golden(t, name, []job.Stage{{Name: "credentials", Change: wire.Change{Steps: []wire.Step{step}}}})
		})
	}
}
