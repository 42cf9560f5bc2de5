package edge

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

func (w *world) sites(server string) string { return "/orgs/acme/servers/" + server + "/sites" }

func static(name string, more ...any) map[string]any {
	m := map[string]any{"type": "static-html", "name": name}
	for i := 0; i < len(more); i += 2 {
		m[more[i].(string)] = more[i+1]
	}
	return m
}

func TestSiteIsCreated(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		php := w.owner.Post(servers, with(serverBody("php", "app"), "php_version", "php84")).Want(t, 202).ID()
		for _, tt := range []struct {
			name string
			body map[string]any
			want map[string]any // in addition to the defaults
		}{
			{"the least", static("a.example.org"), nil},
			{"a name in other letters", static("BÜCHER.example.org"), map[string]any{"name": "xn--bcher-kva.example.org", "url": "http://xn--bcher-kva.example.org"}},
			{"PHP of the server", map[string]any{"type": "php", "name": "b.example.org"}, map[string]any{
				"app_type": "PHP", "web_directory": "/public", "php_version": "php84",
			}},
			{"PHP asked for", map[string]any{"type": "php", "name": "c.example.org", "php_version": "php84"}, map[string]any{
				"app_type": "PHP", "web_directory": "/public", "php_version": "php84",
			}},
			{"other", map[string]any{"type": "other", "name": "d.example.org"}, map[string]any{"app_type": "Custom"}},
			{
				"directories", static("e.example.org", "web_directory", "dist", "root_directory", "/app/"),
				map[string]any{"web_directory": "/dist", "root_directory": "/app"},
			},
			{"isolated", static("f.example.org", "is_isolated", true, "isolated_user", "shop-1"), map[string]any{"isolated": true, "user": "shop-1"}},
			{"a wildcard", static("g.example.org", "allow_wildcard_subdomains", true), map[string]any{"wildcards": true}},
			{"from www", static("h.example.org", "www_redirect_type", "from-www"), map[string]any{"aliases": []any{"www.h.example.org"}}},
			{"to www", static("i.example.org", "www_redirect_type", "to-www"), map[string]any{"aliases": []any{"www.i.example.org"}}},
			{"no www", static("j.example.org", "www_redirect_type", "none"), nil},
			{"things that say nothing", static("k.example.org", "repository", nil, "branch", nil, "push_to_deploy", false,
				"zero_downtime_deployments", false, "domain_mode", "custom", "tags", []string{}), nil},
		} {
			t.Run(tt.name, func(t *testing.T) {
				a := w.owner.Post(w.sites(php), tt.body).Want(t, 202)
				name := tt.body["name"].(string)
				want := map[string]any{
					"name":                      name,
					"status":                    "installing",
					"url":                       "http://" + name,
					"user":                      "forge",
					"https":                     false,
					"web_directory":             "/",
					"root_directory":            nil,
					"aliases":                   []any{},
					"php_version":               "",
					"deployment_status":         "",
					"quick_deploy":              nil,
					"isolated":                  false,
					"shared_paths":              map[string]any{},
					"repository":                map[string]any{"provider": "", "url": nil, "branch": nil, "status": nil},
					"database":                  nil,
					"maintenance_mode":          map[string]any{"enabled": false, "status": nil},
					"zero_downtime_deployments": false,
					"deployment_retention":      nil,
					"deployment_script":         nil,
					"wildcards":                 false,
					"app_type":                  "Static HTML",
					"uses_envoyer":              false,
					"deployment_url":            "",
					"healthcheck_url":           nil,
					"created_at":                "2026-03-01T12:00:00.123456Z",
					"updated_at":                "2026-03-01T12:00:00.123456Z",
				}
				for k, v := range tt.want {
					want[k] = v
				}
				if diff := cmp.Diff(want, a.At("data", "attributes")); diff != "" {
					t.Errorf("attributes (-want +got):\n%s", diff)
				}
				if got, want := a.Header.Get("Location"), e.URL+"/api/orgs/acme/sites/"+a.ID(); got != want {
					t.Errorf("Location is %q, want %q", got, want)
				}
				if read := w.owner.Get("/orgs/acme/sites/"+a.ID()).Want(t, 200); !cmp.Equal(read.At("data"), a.At("data")) {
					t.Errorf("read later:\n%s", cmp.Diff(a.At("data"), read.At("data")))
				}
			})
		}
	})
}

func TestSiteIsRefused(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		php := w.owner.Post(servers, with(serverBody("php", "app"), "php_version", "php84")).Want(t, 202).ID()
		worker := w.server(w.owner, "acme", "worker", "worker")
		before := w.counts()
		for _, tt := range []struct {
			name   string
			server string
			body   map[string]any
			fields []string
		}{
			{"nothing", php, map[string]any{}, []string{"type", "name"}},
			{"a type unknown", php, map[string]any{"type": "toaster", "name": "x.example.org"}, []string{"type"}},
			{"a type that needs a database", php, map[string]any{"type": "wordpress", "name": "x.example.org"}, []string{"database_id"}},
			{"a type that needs an engine", php, map[string]any{"type": "phpmyadmin", "name": "x.example.org"}, []string{"type"}},
			{
				"a program where there is none", php, static("x.example.org", "nuxt_next_mode", "server", "nuxt_next_port", 3000),
				[]string{"nuxt_next_mode", "nuxt_next_port"},
			},
			{"a mode and a port of no kind", php, map[string]any{
				"type":           "nextjs",
				"name":           "x.example.org",
				"repository":     "git@git.example.com:a/b.git",
				"nuxt_next_mode": "lambda",
				"nuxt_next_port": 3306,
			}, []string{"nuxt_next_mode", "nuxt_next_port"}},
			{"a program in place", php, map[string]any{
				"type":                      "nuxtjs",
				"name":                      "x.example.org",
				"repository":                "git@git.example.com:a/b.git",
				"zero_downtime_deployments": false,
				"nuxt_next_port":            80,
			}, []string{"zero_downtime_deployments", "nuxt_next_port"}},
			{"a name that is none", php, static("localhost"), []string{"name"}},
			{"a balancer", w.mine.balancer, static("x.example.org"), nil},
			{"a worker", worker, static("x.example.org"), nil},
			{"a directory that leads out", php, static("x.example.org", "web_directory", "../etc"), []string{"web_directory"}},
			{"directories for nginx", php, static("x.example.org", "web_directory", "a;b", "root_directory", "a\"b"), []string{"web_directory", "root_directory"}},
			{"a directory of two lines", php, static("x.example.org", "web_directory", "a\nb"), []string{"web_directory"}},
			{"a user missing", php, static("x.example.org", "is_isolated", true), []string{"isolated_user"}},
			{"root", php, static("x.example.org", "is_isolated", true, "isolated_user", "root"), []string{"isolated_user"}},
			{"a user wrong", php, static("x.example.org", "is_isolated", true, "isolated_user", "Root 1"), []string{"isolated_user"}},
			{"another PHP", php, map[string]any{"type": "php", "name": "x.example.org", "php_version": "php83"}, []string{"php_version"}},
			{"a preview domain", php, static("x.example.org", "domain_mode", "on-forge"), []string{"domain_mode"}},
			{"a www of no kind", php, static("x.example.org", "www_redirect_type", "maybe"), []string{"www_redirect_type"}},
			{"addresses that are options", php, static("x.example.org", "repository", "--upload-pack=id", "branch", "-b"), []string{"repository", "branch"}},
			{"a helper of git's", php, static("x.example.org", "repository", "ext::sh -c id"), []string{"repository"}},
			{"a key that is none", php, static("x.example.org", "repository", "git@git.example.com:a/b.git", "private_deploy_key", "x"), []string{"private_deploy_key"}},
			{
				"shared paths that lead out", php, static("x.example.org", "repository", "git@git.example.com:a/b.git", "shared_paths",
					[]any{map[string]any{"from": "../a", "to": "b"}, map[string]any{"from": "a", "to": "current"}}),
				[]string{"shared_paths.0.from", "shared_paths.1.to"},
			},
			{
				"what comes with repositories", php, static("x.example.org", "source_control_provider_id", 1, "nginx_template_id", 1,
					"database_id", 1, "database_user_id", 1, "shared_paths", []any{map[string]any{"from": "a", "to": "b"}},
					"zero_downtime_deployments", true, "push_to_deploy", true, "generate_deploy_key", true, "private_deploy_key", "x",
					"public_deploy_key", "x", "install_composer_dependencies", true),
				[]string{
					"source_control_provider_id", "nginx_template_id", "database_id", "database_user_id", "private_deploy_key",
				},
			},
			{"an e-mail that is none", php, static("x.example.org", "statamic_super_user_email", "nobody"), []string{"statamic_super_user_email"}},
			{"tags wrong", php, static("x.example.org", "tags", []any{"", true}), []string{"tags.0", "tags.1"}},
			{"much at once", php, map[string]any{
				"type":          1,
				"name":          "x",
				"web_directory": "a b",
				"is_isolated":   "yes",
				"php_version":   "x",
				"tags":          "x",
			}, []string{"type", "name", "web_directory", "is_isolated", "php_version", "tags"}},
		} {
			t.Run(tt.name, func(t *testing.T) {
				wantFieldsOrState(t, w.owner.Post(w.sites(tt.server), tt.body), tt.fields...)
			})
		}
		w.unchangedSince(before)
	})
}

// A site with its own program has two ports that no other site of its server has.
func TestSitePorts(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		body := func(name string, more ...any) map[string]any {
			b := static(name, append([]any{"repository", "git@git.example.com:a/b.git", "type", "nextjs"}, more...)...)
			return b
		}
		ports := func(server string) map[int64]int {
			out := map[int64]int{}
			w.Tx(func(ctx context.Context, tx *db.Tx) error {
				list, err := tx.Ungranted().ListServerPorts(ctx, number(server))
				for _, p := range list {
					out[p]++
				}
				return err
			})
			return out
		}
		a := w.owner.Post(w.sites(w.mine.server), body("a.example.org", "nuxt_next_port", 3000)).Want(t, 202)
		if a.At("data", "attributes", "app_type") != "Next.js" || a.At("data", "attributes", "zero_downtime_deployments") != true ||
			!strings.Contains(a.Text("data", "attributes", "deployment_script"), "npm ci") {
			t.Errorf("site %s", a.Body)
		}
		wantFields(t, w.owner.Post(w.sites(w.mine.server), body("b.example.org", "nuxt_next_port", 3000)), "nuxt_next_port")
		w.owner.Post(w.sites(w.other.server), body("b.example.org", "nuxt_next_port", 3000)).Want(t, 202)
		got := atOnce(t, 6, func(i int) (Answer, error) {
			return w.owner.Try("POST", w.sites(w.mine.server), body(fmt.Sprintf("c-%d.example.org", i), "type", "other", "nuxt_next_mode", "server"))
		})
		if diff := cmp.Diff(map[int]int{202: 6}, statuses(got)); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
		if n := len(ports(w.mine.server)); n != 14 {
			t.Errorf("%d ports of 7 sites: %v", n, ports(w.mine.server))
		}
		wantFields(t, w.owner.Put(w.sites(w.mine.server)+"/"+a.ID(), map[string]any{"type": "php"}), "type")
		w.owner.Delete(w.sites(w.mine.server)+"/"+a.ID()+"/deployments/zero-downtime").Want(t, 409)
	})
}

// A template of the server is filled in for a new site, and counts as its user's configuration.
func TestSiteFromTemplate(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		server := w.mine.server
		template := w.owner.Post("/orgs/acme/servers/"+server+"/nginx/templates", map[string]any{
			"name": "ours",
			"content": "# {{SITE}} {{ SITE_ID }}\nserver {\n    listen {{PORT}};\n    listen {{PORT_V6}};\n    server_name {{DOMAINS}};\n    root " +
				"{{ROOT_PATH}};\n    # {{PATH}} {{USER}} {{DIRECTORY}} {{OTHER}}\n}\n",
		}).Want(t, 200).ID()
		body := static("a.example.org", "nginx_template_id", number(template), "www_redirect_type", "from-www", "web_directory", "dist")
		wantFields(t, w.owner.Post(w.sites(server), body), "nginx_template_id") // the server is not set up
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx,
				`UPDATE servers SET is_ready = TRUE, facts = '{"os":"debian","os_version":"12","packages":{"nginx":"1.22.1"}}' WHERE id = $1`, number(server))
			return err
		})
		a := w.owner.Post(w.sites(server), body).Want(t, 202)
		domains, err := w.App.DB.Read().Ungranted().ListDomains(t.Context(), number(a.ID()))
		if err != nil || len(domains) != 1 || domains[0].Nginx == nil || domains[0].NginxBase == nil {
			t.Fatalf("%v %+v", err, domains)
		}
		want := "# a.example.org " + a.ID() +
			"\nserver {\n    listen 80;\n    listen [::]:80;\n    server_name a.example.org www.a.example.org;\n    root /home/forge/a.example.org/dist;\n    " +
			"# /home/forge/a.example.org forge /dist {{OTHER}}\n}\n"
		if diff := cmp.Diff(want, *domains[0].Nginx); diff != "" || !strings.Contains(*domains[0].NginxBase, "server_name a.example.org;") {
			t.Errorf("(-want +got):\n%s\n%s", diff, *domains[0].NginxBase)
		}
		wantFields(t, w.owner.Post(w.sites(w.other.server), static("b.example.org", "nginx_template_id", number(template))), "nginx_template_id")
	})
}

// A site that is created with a database gets what it needs to sign in to it.
func TestSiteWithDatabase(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		with := serverBody("both", "app")
		with["database_type"], with["database"] = "mariadb1011", "shop"
		server := w.owner.Post(servers, with).Want(t, 202).ID()
		at := "/orgs/acme/servers/" + server
		id := number(w.owner.Get(at+"/database/schemas").Want(t, 200).IDs()[0])
		other := number(w.owner.Post(at+"/database/users", map[string]any{"name": "reader", "password": "s3cret"}).Want(t, 202).ID())
		user := number(w.owner.Post(at+"/database/users", map[string]any{"name": "writer", "password": "p'a\"ss$x", "database_ids": []any{id}}).Want(t, 202).ID())
		a := w.owner.Post(w.sites(server), map[string]any{
			"type":             "laravel",
			"name":             "a.example.org",
			"repository":       "git@git.example.com:a/b.git",
			"database_id":      id,
			"database_user_id": user,
		}).Want(t, 202)
		if a.At("data", "attributes", "database") != "shop" {
			t.Errorf("site %s", a.Body)
		}
		env := w.owner.Get(w.sites(server)+"/"+a.ID()+"/environment").Want(t, 200).Text("data", "attributes", "content")
		for _, line := range []string{
			"DB_CONNECTION=\"mysql\"\n", "DB_DATABASE=\"shop\"\n", "DB_USERNAME=\"writer\"\n",
			"DB_PASSWORD=\"p'a\\\"ss\\$x\"\n", "APP_KEY=\"base64:",
		} {
			if !strings.Contains(env, line) {
				t.Errorf("there is no %s in\n%s", line, env)
			}
		}
		wp := w.owner.Post(w.sites(server), map[string]any{"type": "wordpress", "name": "b.example.org", "database_id": id}).Want(t, 202)
		if got := w.owner.Get(w.sites(server)+"/"+wp.ID()+"/deployments").Want(t, 200).IDs(); len(got) != 1 || wp.At("data", "attributes", "web_directory") != "/" {
			t.Errorf("deployments %v of %s", got, wp.Body)
		}
		env = w.owner.Get(w.sites(server)+"/"+wp.ID()+"/environment").Want(t, 200).Text("data", "attributes", "content")
		if !strings.Contains(env, "DB_USERNAME=\"b_example_org\"\n") {
			t.Errorf("the site has no account of its own:\n%s", env)
		}
		before := w.counts()
		wantFields(t, w.owner.Post(w.sites(server), static("x.example.org", "database_id", id, "database_user_id", other)), "database_user_id")
		wantFields(t, w.owner.Post(w.sites(server), static("x.example.org", "database_user_id", user)), "database_id")
		wantFields(t, w.owner.Post(w.sites(server), static("x.example.org", "database_id", number(w.mine.database))), "database_id")
		w.unchangedSince(before)
	})
}

// What a site answers to, no other site of its server may answer to; on another server it may.
func TestSiteNamesOverlap(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		for i, tt := range []struct {
			name          string
			first, second map[string]any
			taken         bool
		}{
			{"the same", static("%s"), static("%s"), true},
			{"the same in other letters", static("%s"), static("EXAMPLE.%s"), false},
			{"a wildcard and its domain", static("%s", "allow_wildcard_subdomains", true), static("%s"), true},
			{"a domain and its wildcard", static("%s"), static("%s", "allow_wildcard_subdomains", true), true},
			{"two wildcards", static("%s", "allow_wildcard_subdomains", true), static("%s", "allow_wildcard_subdomains", true), true},
			{"a wildcard and a name below it: the exact one wins", static("%s", "allow_wildcard_subdomains", true), static("shop.%s"), false},
			{"a wildcard and a wildcard below it", static("%s", "allow_wildcard_subdomains", true), static("shop.%s", "allow_wildcard_subdomains", true), false},
			{"an alias and its name", static("%s", "www_redirect_type", "from-www"), static("www.%s"), true},
			{"a name and its alias", static("www.%s"), static("%s", "www_redirect_type", "to-www"), true},
			{"a name and one without www", static("www.%s"), static("%s"), false},
			{"a wildcard needs no alias", static("%s", "allow_wildcard_subdomains", true, "www_redirect_type", "to-www"), static("www.%s"), false},
			{"a name ends like another", static("%s"), static("my%s"), false},
		} {
			t.Run(tt.name, func(t *testing.T) {
				domain := fmt.Sprintf("case-%d.example", i)
				named := func(body map[string]any) map[string]any {
					body["name"] = strings.ReplaceAll(body["name"].(string), "%s", domain)
					return body
				}
				first, second := named(tt.first), named(tt.second)
				w.owner.Post(w.sites(w.mine.server), first).Want(t, 202)
				before := w.counts()
				a := w.owner.Post(w.sites(w.mine.server), second)
				if !tt.taken {
					a.Want(t, 202)
					return
				}
				wantFields(t, a, "name")
				w.unchangedSince(before)
				w.owner.Post(w.sites(w.other.server), second).Want(t, 202)
			})
		}
	})
}

// Of many that ask for one name at once, one gets it.
func TestSiteNameAtOnce(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		before := w.counts()
		got := atOnce(t, 8, func(i int) (Answer, error) {
			return w.owner.Try("POST", w.sites(w.mine.server), static("race.example.org", "allow_wildcard_subdomains", i%2 == 0))
		})
		if diff := cmp.Diff(map[int]int{202: 1, 422: 7}, statuses(got)); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
		after := w.counts()
		for _, table := range []string{"sites", "operations", "events", "river_job"} {
			if n := after[table] - before[table]; n != 1 {
				t.Errorf("%d new rows in %s, want 1", n, table)
			}
		}
	})
}

// Two requests that name the same tags in opposite order do not deadlock.
func TestTagsAtOnce(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		var up, down []string
		for i := range 40 {
			up = append(up, fmt.Sprintf("tag-%02d", i))
			down = append(down, fmt.Sprintf("tag-%02d", 39-i))
		}
		for round := range 3 {
			got := atOnce(t, 4, func(i int) (Answer, error) {
				tags := [][]string{up, down}[i%2]
				if i < 2 {
					return w.owner.Try("POST", w.sites(w.mine.server), static(fmt.Sprintf("tags-%d-%d.example.org", round, i), "tags", tags))
				}
				return w.owner.Try("POST", servers, with(serverBody("tagged", "app"), "tags", tags))
			})
			if diff := cmp.Diff(map[int]int{202: 4}, statuses(got)); diff != "" {
				t.Errorf("answers (-want +got):\n%s", diff)
			}
		}
	})
}

func TestSiteIsUpdated(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		e := w.Env
		path := w.sites(w.mine.server) + "/" + w.mine.site
		e.Clock.Move(1e9)
		a := w.owner.Put(path, map[string]any{"type": "php", "directory": "public/", "root_path": "/src", "php_version": "php84"}).Want(t, 202)
		for name, want := range map[string]any{
			"app_type":       "PHP",
			"web_directory":  "/public",
			"root_directory": "/src",
			"php_version":    "php84",
			"status":         "installing",
			"updated_at":     "2026-03-01T12:00:01.123456Z",
		} {
			if got := a.At("data", "attributes", name); got != want {
				t.Errorf("%s is %v, want %v", name, got, want)
			}
		}
		if a.Text("data", "meta", "operation", "action") != "update" || a.Header.Get("X-Hostler-Event") != a.Text("data", "meta", "operation", "event_id") {
			t.Errorf("meta.operation is %v, the event %s", a.At("data", "meta", "operation"), a.Header.Get("X-Hostler-Event"))
		}
		w.owner.Put(path, nil).Want(t, 202)
		before := w.counts()
		wantFields(t, w.owner.Put(path, map[string]any{
			"type":                 "phpmyadmin",
			"directory":            "..",
			"root_path":            "a;b",
			"php_version":          "x",
			"push_to_deploy":       true,
			"repository_branch":    "main",
			"deployment_retention": 101,
		}),
			"type", "directory", "root_path", "php_version", "deployment_retention")
		wantFields(t, w.owner.Put(path, map[string]any{"deployment_retention": "0"}), "deployment_retention")
		w.owner.Put("/orgs/acme/servers/"+w.mine.balancer+"/sites/"+w.mine.balancerSite, map[string]any{"directory": "x"}).Want(t, 409)
		w.unchangedSince(before)
	})
}

func TestSiteIsDeleted(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		path := w.sites(w.mine.server) + "/" + w.mine.site
		before := w.counts()
		got := atOnce(t, 8, func(int) (Answer, error) { return w.owner.Try("DELETE", path, nil) })
		if diff := cmp.Diff(map[int]int{202: 8}, statuses(got)); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
		if n := w.counts()["operations"] - before["operations"]; n != 1 {
			t.Errorf("%d new operations, want 1", n)
		}
		if got := w.owner.Get("/orgs/acme/sites/"+w.mine.site).Want(t, 200).Text("data", "attributes", "status"); got != "uninstalling" {
			t.Errorf("the status is %s", got)
		}
		w.owner.Put(path, map[string]any{"directory": "x"}).Want(t, 409)
		wantFields(t, w.owner.Post(w.sites(w.mine.server), static("one.example.com")), "name") // until it is gone
	})
}

// Sites of all organizations are those that the caller may see there.
func TestSitesEverywhere(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	if got, want := w.viewer.Get("/sites").Want(t, 200).IDs(), []string{
		w.mine.site, w.mine.balancerSite, w.other.site,
		w.other.balancerSite,
	}; !cmp.Equal(got, want) {
		t.Errorf("the viewer sees %v, want %v", got, want)
	}
	if got, want := w.stranger.Get("/sites").Want(t, 200).IDs(), []string{w.foreign.site, w.foreign.balancerSite}; !cmp.Equal(got, want) {
		t.Errorf("the stranger sees %v, want %v", got, want)
	}
	if got := w.Of(w.User("nobody")).Get("/sites").Want(t, 200).IDs(); len(got) > 0 {
		t.Errorf("who is in no organization sees %v", got)
	}
	if got := w.Of(w.User("noone")).Get("/orgs").Want(t, 200).IDs(); len(got) > 0 {
		t.Errorf("who is in no organization sees the organizations %v", got)
	}
}

// Sites of an organization and of a server are sorted by name or age, also over pages; another order is refused by its name.
func TestSitesAreSorted(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		for _, name := range []string{"zebra.example.com", "apple.example.com", "mango.example.com"} {
			w.owner.Post(w.sites(w.mine.server), static(name)).Want(t, 202)
			w.Clock.Move(time.Second)
		}
		for _, path := range []string{"/orgs/acme/sites", w.sites(w.mine.server)} {
			column := func(query, name string) (out []string) {
				t.Helper()
				a := w.owner.Get(path+"?"+query).Want(t, 200)
				for i := range a.IDs() {
					out = append(out, a.Text("data", i, "attributes", name))
				}
				return out
			}
			byName, newest := column("sort=name", "name"), column("sort=-created_at", "created_at")
			if !slices.IsSorted(byName) || !slices.Contains(byName, "apple.example.com") {
				t.Errorf("%s by name: %v", path, byName)
			}
			slices.Reverse(newest)
			if !slices.IsSorted(newest) || newest[0] == newest[len(newest)-1] {
				t.Errorf("%s, the newest first: %v", path, newest)
			}
			if got := column("sort=-created_at&filter[name]=zebra,apple,mango", "name"); !slices.Equal(got,
				[]string{"mango.example.com", "apple.example.com", "zebra.example.com"}) {
				t.Errorf("%s, the newest first: %v", path, got)
			}
			down := column("sort=-name", "name")
			slices.Reverse(down)
			if diff := cmp.Diff(byName, down); diff != "" {
				t.Errorf("%s backward: %s", path, diff)
			}
			var paged []string
			for cursor := ""; ; {
				a := w.owner.Get(path+"?sort=name&page[size]=2"+cursor).Want(t, 200)
				for i := range a.IDs() {
					paged = append(paged, a.Text("data", i, "attributes", "name"))
				}
				next, ok := a.At("meta", "next_cursor").(string)
				if !ok {
					break
				}
				cursor = "&page[cursor]=" + next
			}
			if diff := cmp.Diff(byName, paged); diff != "" {
				t.Errorf("%s over pages: %s", path, diff)
			}
			for _, bad := range []string{"", "-", "slug", "--name", "Name", "name,", "name desc", "operation_id"} {
				a := w.owner.Get(path+"?sort="+url.QueryEscape(bad)).Want(t, 400)
				if text := a.Text("message"); !strings.Contains(text, "sort ") || !strings.Contains(text, "not allowed") {
					t.Errorf("%s?sort=%s: %s", path, bad, text)
				}
			}
		}
		w.owner.Get("/sites?sort=name").Want(t, 400)
	})
}

// A PHP site that is created before its server is set up follows the server, and says which version that is once it is known.
func TestSiteFollowsThePHPOfItsServer(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		waiting := w.owner.Post(servers, serverBody("waiting", "app")).Want(t, 202).ID()
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET php_version = NULL WHERE id = $1", number(waiting))
			return err
		})
		site := "/orgs/acme/sites/" + w.owner.Post(w.sites(waiting), map[string]any{"type": "php", "name": "early.example.org"}).Want(t, 202).ID()
		other := "/orgs/acme/sites/" + w.owner.Post(w.sites(waiting), map[string]any{"type": "static-html", "name": "pages.example.org"}).Want(t, 202).ID()
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET php_version = 'php84' WHERE id = $1", number(waiting))
			return err
		})
		for path, want := range map[string]string{site: "php84", other: ""} {
			if got := w.owner.Get(path).Want(t, 200).Text("data", "attributes", "php_version"); got != want {
				t.Errorf("php_version of %s is %q, want %q", path, got, want)
			}
		}
	})
}
