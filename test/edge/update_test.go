package edge

import (
	compare "cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hostlerhq/hostler/internal/edge/api"
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
	at["/orgs/acme/teams/"+w.mine.team+"/members"] = "/orgs/acme/teams/" + w.mine.team
	spread := "/orgs/acme/servers/" + w.mine.balancer + "/sites/" + w.mine.balancerSite + "/load-balancing-nodes"
	at["/orgs/acme/sites/"+w.mine.balancerSite] = spread
	nodes := []any{map[string]any{"server_id": number(w.mine.server), "weight": 1}}
	known := map[string]bool{}
	var undone []string
	settling := cmpopts.IgnoreMapEntries(func(key string, _ any) bool { return key == "status" })
	for _, tt := range []struct {
		name, path string
		// least has what must be there only, full all of it as it is to stay.
		least, full map[string]any
		// cleared are fields that can be cleared, and what they are then.
		cleared map[string]any
	}{
		{
			"backup configuration", backups,
			map[string]any{
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
			map[string]any{"notification_email": nil},
		},
		{
			"storage provider", "/orgs/acme/storage-providers/" + w.mine.storage,
			map[string]any{"name": "kept", "provider": "custom"},
			map[string]any{"name": "kept", "provider": "custom", "directory": "below"},
			map[string]any{"directory": nil},
		},
		{
			"npm credential", onSite + "/npm/credentials/" + w.mine.npm,
			map[string]any{"registry": w.mine.npm, "token": "geheim"},
			map[string]any{"registry": w.mine.npm, "token": "geheim", "scopes": []string{"@one", "@two"}},
			map[string]any{"scopes": []any{}},
		},
		{
			"security rule", onSite + "/security-rules/" + rule,
			map[string]any{"name": "kept", "credentials": users},
			map[string]any{"name": "kept", "credentials": users, "path": "/kept"},
			map[string]any{"path": nil},
		},
		{
			"SFTP user", onSite + "/sftp-users/" + w.mine.sftpUser,
			map[string]any{},
			map[string]any{"keys": []any{strings.TrimSpace(publicKey(t))}, "expires_on": "2099-12-31"},
			map[string]any{"expires_on": nil},
		},
		{
			"site", "/orgs/acme/sites/" + shop,
			map[string]any{"type": "static-html"},
			map[string]any{
				"root_path": "/app", "directory": "/dist", "repository_branch": "next", "push_to_deploy": true, "deployment_retention": "7",
				"shared_paths": []any{map[string]any{"from": "uploads", "to": "public/uploads"}},
			},
			map[string]any{"root_directory": nil},
		},
		{
			"heartbeat", onSite + "/heartbeats/" + custom,
			map[string]any{"name": "own", "frequency": -1, "grace_period": 1},
			map[string]any{"name": "own", "frequency": -1, "grace_period": 1, "custom_frequency": "7 4 * * *"},
			nil,
		},
		{
			"server", servers + "/" + w.mine.server,
			map[string]any{"name": "kept"},
			map[string]any{"name": "kept", "private_ip_address": "10.9.9.9", "timezone": "Europe/Berlin", "tags": []string{"blue", "green"}},
			nil,
		},
		{
			"process", "/orgs/acme/servers/" + w.mine.server + "/background-processes/" + w.mine.process,
			map[string]any{"name": "kept"},
			map[string]any{"name": "kept", "config": "command=sleep 7\nnumprocs=2\n"},
			nil,
		},
		{
			"largest upload", "/orgs/acme/servers/" + w.mine.server + "/php/max-upload-size",
			map[string]any{},
			map[string]any{"max_upload_size": 64},
			map[string]any{"max_upload_size": nil},
		},
		{
			"longest execution", "/orgs/acme/servers/" + w.mine.server + "/php/max-execution-time",
			map[string]any{},
			map[string]any{"max_execution_time": 90},
			map[string]any{"max_execution_time": nil},
		},
		{
			"database user", engine + "/database/users/" + w.mine.databaseUser,
			map[string]any{"password": "another-s3cret"},
			map[string]any{"password": "another-s3cret", "database_ids": least["database_ids"]},
			nil,
		},
		{
			"balanced site", "/orgs/acme/sites/" + w.mine.balancerSite,
			map[string]any{"balancer_method": "least_conn", "balancing": nodes},
			map[string]any{"balancer_method": "least_conn", "balancing": nodes, "balancer_keepalive_max_connections": 7},
			nil,
		},
		{
			"DNS provider", "/orgs/acme/dns-providers/" + w.mine.dnsProvider,
			map[string]any{"name": "kept", "secret": "c2VjcmV0c2VjcmV0c2VjcmV0"},
			map[string]any{"name": "kept", "secret": "c2VjcmV0c2VjcmV0c2VjcmV0", "key": "another", "algorithm": "hmac-sha512"},
			nil,
		},
		{
			"notification channel", "/orgs/acme/notification-channels/" + w.mine.channel,
			map[string]any{"name": "kept"},
			map[string]any{"name": "kept", "enabled": false, "address": "kept@example.com", "events": []string{"backup.failed", "server.unreachable"}},
			nil,
		},
		{
			"OAuth client", "/orgs/acme/oauth-clients/" + w.mine.client,
			map[string]any{"name": "kept"},
			map[string]any{"name": "kept", "redirect_uris": []string{"https://kept.example.com/back"}},
			nil,
		},
		{"recipe", "/orgs/acme/recipes/" + w.mine.recipe, map[string]any{"name": "kept"}, map[string]any{"name": "kept", "script": "id\n", "user": "forge"}, nil},
		{
			"retention", "/orgs/acme/retention",
			map[string]any{},
			map[string]any{"events_days": 90, "output_days": 14, "audit_days": 60, "deliveries_days": 7},
			map[string]any{"events_days": nil, "output_days": nil, "audit_days": nil, "deliveries_days": nil},
		},
		{
			"role", "/orgs/acme/roles/" + w.mine.role,
			map[string]any{"name": "kept"},
			map[string]any{"name": "kept", "permissions": []string{"server:view", "site:manage-nginx"}},
			nil,
		},
		{
			"team", "/orgs/acme/teams/" + w.mine.team + "/members",
			map[string]any{"name": "kept"},
			map[string]any{"name": "kept", "users": []any{map[string]any{"id": number(w.mine.user)}}},
			nil,
		},
	} {
		known[operationAt(w.App.Router.Operations(), compare.Or(at[tt.path], tt.path))] = true
		t.Run(tt.name, func(t *testing.T) {
			read := func() any { return w.owner.Get(tt.path).Want(t, 200).At("data") }
			unstable := cmpopts.IgnoreMapEntries(func(key string, _ any) bool {
				return key == "operation" || key == "links" || key == "updated_at" || key == "next_run_time"
			})
			put := compare.Or(at[tt.path], tt.path)
			first := read()
			changed := w.put(put, tt.full)
			before := read()
			if w.undone(t, put, changed) {
				undone = append(undone, tt.name)
				if diff := cmp.Diff(first, read(), unstable, settling); diff != "" {
					t.Errorf("the change is undone (-before +after):\n%s", diff)
				}
				w.endedWork(w.put(put, tt.full))
				before = read()
			}
			if cmp.Equal(first, before, unstable) {
				t.Errorf("%v changes nothing that is shown", tt.full)
			}
			w.put(put, tt.least)
			if diff := cmp.Diff(before, read(), unstable, settling); diff != "" {
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
	if diff := cmp.Diff([]string{"SFTP user"}, undone); diff != "" {
		t.Errorf("changes with an undo (-want +got):\n%s", diff)
	}
	all := w.optional()
	if len(all) < 20 {
		t.Errorf("the description has only %v", all)
	}
	for _, id := range all {
		if known[id] == (testedElsewhere[id] != "") {
			t.Errorf("%s must be in the table or in testedElsewhere, and not in both", id)
		}
	}
}

// testedElsewhere are the updates with optional fields that are not in the table of TestWhatIsLeftOutStays, with the test that has them or the reason.
var testedElsewhere = map[string]string{
	"organizations.update":                                   "TestLimitsOfNewSites, both fields",
	"organizations.servers.sites.deployments.script.update":  "TestWhatIsLeftOutStaysElsewhere",
	"organizations.servers.sites.healthcheck.update":         "TestWhatIsLeftOutStaysElsewhere",
	"organizations.servers.sites.domains.update":             "TestWhatIsLeftOutStaysElsewhere",
	"organizations.servers.sites.files.content.update":       "a file is on its server; without a revision it must not exist yet",
	"organizations.servers.sites.environment.update":         "each update is a new version, and cache, queues and the key are of that version",
	"organizations.servers.sites.git.update":                 "the keys belong to one account; TestSourceControlProviders changes the connection",
	"organizations.server-credentials.update":                "its key and its secret are never shown",
	"organizations.source-control-providers.update":          "its token is never shown, and GitHub has no user name",
	"organizations.servers.php.versions.configs.pool.update": "the account says which pools the lines are for",
	"organizations.servers.firewall-rules.update":            "TestWhatIsMadeIsEdited",
	"organizations.servers.monitors.update":                  "TestWhatIsMadeIsEdited",
	"organizations.servers.scheduled-jobs.update":            "TestWhatIsMadeIsEdited",
	"organizations.servers.sites.redirect-rules.update":      "TestWhatIsMadeIsEdited",
	"organizations.servers.sites.scheduled-jobs.update":      "TestWhatIsMadeIsEdited",
	"user.password.update":                                   "the flags say what else this request ends",
}

// operationAt returns the update that is at a path.
func operationAt(all []api.Operation, path string) string {
	parts := strings.Split(path, "/")
	for _, op := range all {
		at := strings.Split(op.Path, "/")
		if op.Method != http.MethodPut && op.Method != http.MethodPatch || len(at) != len(parts) {
			continue
		}
		same := true
		for i, part := range at {
			same = same && (part == parts[i] || strings.HasPrefix(part, "{"))
		}
		if same {
			return op.ID
		}
	}
	return path
}

// optional returns the updates of which something can be left out, as the description has them.
func (w *world) optional() []string {
	w.T.Helper()
	type schema struct {
		Ref        string         `json:"$ref"`
		Required   []string       `json:"required"`
		Properties map[string]any `json:"properties"`
	}
	var d struct {
		Paths map[string]map[string]struct {
			ID   string `json:"operationId"`
			Body struct {
				Content map[string]struct{ Schema schema } `json:"content"`
			} `json:"requestBody"`
		} `json:"paths"`
		Components struct{ Schemas map[string]schema } `json:"components"`
	}
	if err := json.Unmarshal(w.owner.Get("/openapi.json").Want(w.T, 200).Body, &d); err != nil {
		w.T.Fatal(err)
	}
	var out []string
	for _, item := range d.Paths {
		for _, method := range []string{"put", "patch"} {
			for _, c := range item[method].Body.Content {
				s := c.Schema
				if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
					s = d.Components.Schemas[name]
				}
				if len(s.Properties) > len(s.Required) {
					out = append(out, item[method].ID)
				}
			}
		}
	}
	slices.Sort(out)
	return out
}

func (w *world) put(path string, body map[string]any) Answer {
	w.T.Helper()
	a := w.owner.Put(path, body)
	if a.Status >= 300 {
		w.T.Fatalf("PUT %s %v: %d %s", path, body, a.Status, a.Body)
	}
	return a
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
	wild := map[string]any{"name": "wild.example.org", "www_redirect_type": "none", "allow_wildcard_subdomains": true}
	domain := path + "/domains/" + w.owner.Post(path+"/domains", wild).Want(t, 202).ID()
	w.ended(domain, true)
	w.owner.Call("PATCH", domain, map[string]any{"www_redirect_type": "none"}).Want(t, 200)
	w.ended(domain, true)
	if got := w.owner.Get(domain).Want(t, 200).At("data", "attributes", "allow_wildcard_subdomains"); got != true {
		t.Errorf("allow_wildcard_subdomains is %v", got)
	}
	w.put(path+"/deployments/script", map[string]any{"content": "false", "auto_source": nil})
	source(false)
}
