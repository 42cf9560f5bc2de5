package edge

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
)

// Sites of every type that is not installed by Hostler are made without a repository, with the settings that their deployments are to have.
func TestSitesWithoutARepository(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	sites := w.sites(w.mine.server)
	for _, kind := range []string{
		sitetype.Laravel, sitetype.Symfony, sitetype.Statamic, sitetype.PHP, sitetype.Next, sitetype.Nuxt, sitetype.StaticHTML, sitetype.Other, sitetype.Custom,
	} {
		got := w.owner.Post(sites, map[string]any{
			"type": kind, "name": kind + ".example.org", "zero_downtime_deployments": true, "push_to_deploy": true, "install_composer_dependencies": true,
			"generate_deploy_key": true, "shared_paths": []any{map[string]any{"from": "uploads", "to": "uploads"}},
			"frontend_package_manager": "npm", "frontend_build_command": "npm run build",
		}).Want(t, 202)
		if got.Text("data", "attributes", "status") != "installing" || got.At("data", "attributes", "zero_downtime_deployments") != true {
			t.Errorf("%s: %s", kind, got.Body)
		}
		path := sites + "/" + got.ID()
		w.ended("/orgs/acme/sites/"+got.ID(), true)
		if w.owner.Get(path+"/deploy-key").Want(t, 200).Text("data", "attributes", "key") == "" {
			t.Errorf("%s has no deploy key", kind)
		}
		w.owner.Put(path, map[string]any{"deployment_retention": 7}).Want(t, 202)
		w.ended("/orgs/acme/sites/"+got.ID(), true)
		w.owner.Put(path+"/git", map[string]any{"source_control_provider": "github", "repository": "team/shop", "branch": "main"}).Want(t, 202)
		w.ended("/orgs/acme/sites/"+got.ID(), true)
		site := w.owner.Get("/orgs/acme/sites/"+got.ID()).Want(t, 200)
		for name, want := range map[string]any{"zero_downtime_deployments": true, "quick_deploy": true, "deployment_retention": 7.0} {
			if is := site.At("data", "attributes", name); is != want {
				t.Errorf("%s: %s is %v, not %v", kind, name, is, want)
			}
		}
	}
}
