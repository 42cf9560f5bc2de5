package db_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Sites of every status and their open and failed operations are migrated. The server has the row with its open operations
// undone, and a site that was never installed no longer says installing.
func TestLedgerTakesOverSites(t *testing.T) {
	t.Parallel()
	bothBefore(t, 305, func(t *testing.T, b before) {
		request := func(v any) string {
			raw, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			return string(raw)
		}
		b.server(2)
		b.exec(`INSERT INTO unix_accounts (server_id, name, slot, made, created_at) VALUES (1, 'shop', 3, TRUE, 1)`)
		site := func(id int, kind, status string, isolated bool) {
			user := map[bool]string{true: "shop", false: "forge"}[isolated]
			b.exec(`INSERT INTO sites (id, organization_id, server_id, name, type, status, unix_user, isolated, web_directory, php_version, wildcards, www_redirect_type, directory, enclosed, created_at, updated_at)
					VALUES ($1, 1, 1, 'now.example.com', $2, $3, $4, $5, '/now', '', FALSE, 'none', 'made.example.com', 2, 1, 1)`, id, kind, status, user, isolated)
		}
		state := func(directory string) map[string]any {
			return map[string]any{"site": query.Site{Type: "php", WebDirectory: directory}}
		}
		update := func(before, after string) string {
			s := state(before)
			s["after"] = state(after)
			return request(s)
		}
		site(1, "php", "installed", true) // of before operations
		site(2, "php", "installing", false)
		b.operation(2, "sites", 2, "create", "pending", "null")
		site(3, "php", "installing", false) // its creation failed, and then its deletion
		b.operation(3, "sites", 3, "create", "failed", "null")
		b.operation(4, "sites", 3, "delete", "failed", "{}")
		site(4, "php", "installed", false) // an update that failed, and two on the way
		b.operation(5, "sites", 4, "create", "succeeded", "null")
		b.operation(6, "sites", 4, "update", "failed", update("/was", "/refused"))
		b.operation(7, "sites", 4, "update", "running", update("/was", "/next"))
		b.operation(8, "sites", 4, "update", "pending", update("/next", "/now"))
		site(5, "php", "uninstalling", false)
		b.operation(9, "sites", 5, "create", "succeeded", "null")
		b.operation(10, "sites", 5, "delete", "pending", "{}")
		site(6, "php", "installed", false) // on its way to releases
		b.operation(11, "sites", 6, "create", "succeeded", "null")
		b.operation(12, "sites", 6, "enable-zero-downtime", "pending", `{"Before":false,"After":true,"ScriptFrom":"pull","ScriptNow":"release"}`)
		b.exec(`INSERT INTO projects (site_id, provider, repository, url, branch, host_keys, zero_downtime, retention, script, auto_source, push_to_deploy, hook_hash, hook_token, shared_paths, time_limit, package_manager, build_command, composer, releases, live_release, deployment_status, created_at, updated_at)
				VALUES (6, 'custom', 'a/b', 'https://git.example/a/b', 'main', '', TRUE, 4, 'release', FALSE, FALSE, 'h', '', '{}', 600, '', '', FALSE, '', '', '', 1, 1)`)
		site(7, "balancer", "installed", false)
		b.exec(`UPDATE sites SET balancer_method = 'ip_hash', balancer_keepalive = 8, unix_user = '' WHERE id = 7`)
		b.exec(`INSERT INTO load_balancing_nodes (site_id, server_id, port, weight, backup, down, created_at, updated_at) VALUES (7, 2, 81, 3, FALSE, TRUE, 1, 1)`)
		site(8, "php", "failed", false) // it may be tried again
		b.operation(13, "sites", 8, "create", "failed", "null")
		b.migrate(nil)
		spec := func(directory string) string {
			return `{"name":"made.example.com","type":"php","user":"forge","web_directory":"` + directory + `","enclosed":true}`
		}
		code := func(fields string) string {
			return strings.Replace(spec("/now"), `,"enclosed"`, `,"code":{`+fields+`"url":"https://git.example/a/b","branch":"main","shared_paths":"{}"},"enclosed"`, 1)
		}
		b.want(`SELECT id || ' by ' || operation_id || ' ' || specification FROM applied WHERE kind = 'sites' ORDER BY id`,
			`1 by 0 {"name":"made.example.com","type":"php","user":"shop","isolated":true,"slot":3,"web_directory":"/now","enclosed":true}`,
			"4 by 5 "+spec("/was"), "5 by 9 "+spec("/now"), "6 by 11 "+code(""),
			`7 by 0 {"name":"made.example.com","type":"balancer","web_directory":"/now","balancer":{"method":"ip_hash","keepalive":8,"nodes":[{"server_id":2,"address":"192.0.2.2","port":81,"weight":3,"down":true}]},"enclosed":true}`)
		b.want(`SELECT id || ' in ' || operation_id || ' ' || COALESCE(specification, 'gone') FROM wishes WHERE kind = 'sites' ORDER BY operation_id`,
			"2 in 2 "+spec("/now"), "3 in 3 "+spec("/now"), "3 in 4 gone", "4 in 6 "+spec("/refused"), "4 in 7 "+spec("/next"), "4 in 8 "+spec("/now"), "5 in 10 gone",
			"6 in 12 "+code(`"releases":true,"adopted":true,`), "8 in 13 "+spec("/now"))
		b.want(`SELECT id || ' ' || status FROM sites ORDER BY id`,
			"1 installed", "2 installing", "3 failed", "4 installed", "5 uninstalling", "6 installed", "7 installed", "8 failed")
		b.want(`SELECT script_before || ' ' || script_switched FROM projects`,
			"pull release")
	})
}
