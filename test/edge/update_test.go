package edge

import (
	compare "cmp"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// What an update leaves out is unchanged, null or empty is cleared, and a list is whole.
func TestWhatIsLeftOutStays(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	engine, onSite := "/orgs/acme/servers/"+w.mine.engine, "/orgs/acme/servers/"+w.mine.server+"/sites/"+w.mine.site
	backups, least := engine+"/database/backups/"+w.mine.configuration, backupBody(w.mine)
	custom := w.owner.Post(onSite+"/heartbeats", map[string]any{
		"name":             "own",
		"frequency":        -1,
		"custom_frequency": "5 4 * * *",
		"grace_period":     1,
	}).Want(t, 200).ID()
	users := []any{map[string]any{"username": "ada", "password": "correct horse"}}
	rule := w.owner.Post(onSite+"/security-rules", map[string]any{"name": "kept", "path": "/old", "credentials": users}).Want(t, 202).ID()
	shop, _ := w.deploySite(t, "kept.example.org")
	shop = shop[strings.LastIndex(shop, "/")+1:]
	// asked are fields that have another name in what is asked than in what is answered, and where a resource is changed elsewhere than it is read.
	asked := map[string]string{"root_directory": "root_path"}
	at := map[string]string{"/orgs/acme/sites/" + shop: w.sites(w.mine.server) + "/" + shop}
	for _, tt := range []struct {
		name, path string
		// least has what must be there only, full all of it as it is to stay.
		least, full map[string]any
		// cleared are fields that can be cleared, and what they are then.
		cleared map[string]any
	}{
		{"backup configuration", backups, map[string]any{
			"storage_provider_id": least["storage_provider_id"],
			"frequency":           "weekly",
			"database_ids":        least["database_ids"],
			"retention":           3,
		},
			map[string]any{
				"storage_provider_id":   least["storage_provider_id"],
				"frequency":             "weekly",
				"database_ids":          least["database_ids"],
				"retention":             3,
				"name":                  "mine",
				"directory":             "here/there",
				"day":                   "3",
				"time":                  "04:30",
				"include_new_databases": true,
				"notification_email":    "ops@example.com",
				"prove_every_days":      14,
			},
			map[string]any{"notification_email": nil}},
		{"storage provider", "/orgs/acme/storage-providers/" + w.mine.storage, map[string]any{"name": "kept", "provider": "custom"},
			map[string]any{"name": "kept", "provider": "custom", "directory": "below"}, map[string]any{"directory": nil}},
		{"npm credential", onSite + "/npm/credentials/" + w.mine.npm, map[string]any{"registry": w.mine.npm, "token": ""},
			map[string]any{"registry": w.mine.npm, "token": "", "scopes": []string{"@one", "@two"}}, map[string]any{"scopes": []any{}}},
		{"security rule", onSite + "/security-rules/" + rule, map[string]any{"name": "kept", "credentials": users},
			map[string]any{"name": "kept", "credentials": users, "path": "/kept"},
			map[string]any{"path": nil}},
		{"site", "/orgs/acme/sites/" + shop, map[string]any{"type": "static-html"},
			map[string]any{"root_path": "/app", "directory": "/dist", "repository_branch": "next", "push_to_deploy": true, "deployment_retention": "7"},
			map[string]any{"root_directory": nil}},
		{"heartbeat", onSite + "/heartbeats/" + custom, map[string]any{"name": "own", "frequency": -1, "grace_period": 1},
			map[string]any{"name": "own", "frequency": -1, "grace_period": 1, "custom_frequency": "7 4 * * *"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			read := func() any { return w.owner.Get(tt.path).Want(t, 200).At("data") }
			unstable := cmpopts.IgnoreMapEntries(func(key string, _ any) bool { return key == "meta" || key == "updated_at" || key == "next_run_time" })
			put := compare.Or(at[tt.path], tt.path)
			w.put(put, tt.full)
			before := read()
			w.put(put, tt.least)
			if diff := cmp.Diff(before, read(), unstable); diff != "" {
				t.Errorf("an update without them changed (-before +after):\n%s", diff)
			}
			for field, want := range tt.cleared {
				body := maps.Clone(tt.least)
				body[compare.Or(asked[field], field)] = nil
				w.put(put, body)
				if got := w.owner.Get(tt.path).Want(t, 200).At("data", "attributes", field); !cmp.Equal(got, want, cmpopts.EquateEmpty()) {
					t.Errorf("%s is %v after null, want %v", field, got, want)
				}
			}
		})
	}
}

func (w *world) put(path string, body map[string]any) {
	w.T.Helper()
	if a := w.owner.Put(path, body); a.Status >= 300 {
		w.T.Fatalf("PUT %s %v: %d %s", path, body, a.Status, a.Body)
	}
}

// The same of settings that have no resource of their own.
func TestWhatIsLeftOutStaysElsewhere(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	path, _ := w.deploySite(t, "kept.example.org")
	health := func(want any) {
		t.Helper()
		if got := w.owner.Get(path+"/healthcheck").Want(t, 200).At("data", "attributes", "healthcheck_endpoint"); got != want {
			t.Errorf("the health check is %v, want %v", got, want)
		}
	}
	w.put(path+"/healthcheck", map[string]any{"healthcheck_endpoint": "http://kept.example.org/up"})
	w.put(path+"/healthcheck", map[string]any{})
	health("http://kept.example.org/up")
	w.put(path+"/healthcheck", map[string]any{"healthcheck_endpoint": nil})
	health(nil)
	source := func(want bool) {
		t.Helper()
		if got := w.owner.Get(path+"/deployments/script").Want(t, 200).At("data", "attributes", "auto_source"); got != want {
			t.Errorf("auto_source is %v, want %v", got, want)
		}
	}
	w.put(path+"/deployments/script", map[string]any{"content": "true", "auto_source": true})
	w.put(path+"/deployments/script", map[string]any{"content": "false"})
	source(true)
	w.put(path+"/deployments/script", map[string]any{"content": "false", "auto_source": nil})
	source(false)
}
