package db_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// Sites of every status and their open and failed operations are migrated. The server has the row with its open operations
// undone, and a site that was never installed no longer says installing.
func TestLedgerTakesOverSites(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			d, err := db.Connect(t.Context(), config(t, dialect))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = d.Close() })
			if err := d.MigrateTo(t.Context(), 305); err != nil {
				t.Fatal(err)
			}
			exec := func(text string, args ...any) {
				t.Helper()
				if _, err := d.SQLDB().ExecContext(t.Context(), text, args...); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
			request := func(v any) string {
				raw, err := json.Marshal(v)
				if err != nil {
					t.Fatal(err)
				}
				return string(raw)
			}
			exec(`INSERT INTO organizations (id, name, slug, created_at, updated_at) VALUES (1, 'a', 'a', 1, 1)`)
			for id, ip := range map[int]string{1: "192.0.2.1", 2: "192.0.2.2"} {
				exec(`INSERT INTO servers (id, organization_id, name, slug, type, provider, size, region, status, ip_address, ssh_port, ssh_user, behind_nat, timezone, is_ready, revoked, public_key, private_key, host_keys, facts, control_addresses, created_at, updated_at)
					VALUES ($1, 1, 'a', $2, 'web', 'custom', '', '', 'ready', $2, 22, 'root', FALSE, 'UTC', TRUE, FALSE, '', '', '', '{}', '', 1, 1)`, id, ip)
			}
			exec(`INSERT INTO unix_accounts (server_id, name, slot, made, created_at) VALUES (1, 'shop', 3, TRUE, 1)`)
			site := func(id int, kind, status string, isolated bool) {
				user := map[bool]string{true: "shop", false: "forge"}[isolated]
				exec(`INSERT INTO sites (id, organization_id, server_id, name, type, status, unix_user, isolated, web_directory, php_version, wildcards, www_redirect_type, directory, enclosed, created_at, updated_at)
					VALUES ($1, 1, 1, 'now.example.com', $2, $3, $4, $5, '/now', '', FALSE, 'none', 'made.example.com', 2, 1, 1)`, id, kind, status, user, isolated)
			}
			operation := func(id, of int, action, state, request string) {
				exec(`INSERT INTO operations (id, organization_id, server_id, aspect, resource_type, resource_id, action, description, request, state, step, reason, attempt, cancelled, deadline, created_at, updated_at)
					VALUES ($1, 1, 1, 'web', 'sites', $2, $3, '', $4, $5, '', '', 0, FALSE, 1, 1, 1)`, id, of, action, request, state)
			}
			state := func(directory string) map[string]any {
				return map[string]any{"site": query.Site{Type: "php", WebDirectory: directory}}
			}
			update := func(before, after string) string {
				s := state(before)
				s["after"] = state(after)
				return request(s)
			}
			site(1, "php", "installed", true) // older than the record of operations
			site(2, "php", "installing", false)
			operation(2, 2, "create", "pending", "null")
			site(3, "php", "installing", false) // its creation failed, and then its deletion
			operation(3, 3, "create", "failed", "null")
			operation(4, 3, "delete", "failed", "{}")
			site(4, "php", "installed", false) // a failed update, and two open ones
			operation(5, 4, "create", "succeeded", "null")
			operation(6, 4, "update", "failed", update("/was", "/refused"))
			operation(7, 4, "update", "running", update("/was", "/next"))
			operation(8, 4, "update", "pending", update("/next", "/now"))
			site(5, "php", "uninstalling", false)
			operation(9, 5, "create", "succeeded", "null")
			operation(10, 5, "delete", "pending", "{}")
			site(6, "php", "installed", false) // being switched to releases
			operation(11, 6, "create", "succeeded", "null")
			operation(12, 6, "enable-zero-downtime", "pending", `{"Before":false,"After":true,"ScriptFrom":"pull","ScriptNow":"release"}`)
			exec(`INSERT INTO projects (site_id, provider, repository, url, branch, host_keys, zero_downtime, retention, script, auto_source, push_to_deploy, hook_hash, hook_token, shared_paths, time_limit, package_manager, build_command, composer, releases, live_release, deployment_status, created_at, updated_at)
				VALUES (6, 'custom', 'a/b', 'https://git.example/a/b', 'main', '', TRUE, 4, 'release', FALSE, FALSE, 'h', '', '{}', 600, '', '', FALSE, '', '', '', 1, 1)`)
			site(7, "balancer", "installed", false)
			exec(`UPDATE sites SET balancer_method = 'ip_hash', balancer_keepalive = 8, unix_user = '' WHERE id = 7`)
			exec(`INSERT INTO load_balancing_nodes (site_id, server_id, port, weight, backup, down, created_at, updated_at) VALUES (7, 2, 81, 3, FALSE, TRUE, 1, 1)`)
			site(8, "php", "failed", false) // it can be retried
			operation(13, 8, "create", "failed", "null")
			if err := d.Migrate(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			spec := func(directory string) string {
				return `{"name":"made.example.com","type":"php","user":"forge","web_directory":"` + directory + `","enclosed":true}`
			}
			code := func(fields string) string {
				return strings.Replace(spec("/now"), `,"enclosed"`, `,"code":{`+fields+`"url":"https://git.example/a/b","branch":"main","shared_paths":"{}"},"enclosed"`, 1)
			}
			for _, want := range []struct {
				query string
				rows  []string
			}{
				{`SELECT id || ' by ' || operation_id || ' ' || specification FROM applied WHERE kind = 'sites' ORDER BY id`, []string{
					`1 by 0 {"name":"made.example.com","type":"php","user":"shop","isolated":true,"slot":3,"web_directory":"/now","enclosed":true}`,
					"4 by 5 " + spec("/was"), "5 by 9 " + spec("/now"), "6 by 11 " + code(""),
					`7 by 0 {"name":"made.example.com","type":"balancer","web_directory":"/now","balancer":{"method":"ip_hash","keepalive":8,"nodes":[{"server_id":2,"address":"192.0.2.2","port":81,"weight":3,"down":true}]},"enclosed":true}`}},
				{`SELECT id || ' in ' || operation_id || ' ' || COALESCE(specification, 'gone') FROM wishes WHERE kind = 'sites' ORDER BY operation_id`, []string{
					"2 in 2 " + spec("/now"), "3 in 3 " + spec("/now"), "3 in 4 gone", "4 in 6 " + spec("/refused"), "4 in 7 " + spec("/next"), "4 in 8 " + spec("/now"), "5 in 10 gone",
					"6 in 12 " + code(`"releases":true,"adopted":true,`), "8 in 13 " + spec("/now")}},
				{`SELECT id || ' ' || status FROM sites ORDER BY id`, []string{"1 installed", "2 installing", "3 failed", "4 installed", "5 uninstalling", "6 installed", "7 installed", "8 failed"}},
				{`SELECT script_before || ' ' || script_switched FROM projects`, []string{"pull release"}},
			} {
				rows, err := d.SQLDB().QueryContext(t.Context(), want.query)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for rows.Next() {
					var text string
					if err := rows.Scan(&text); err != nil {
						t.Fatal(err)
					}
					got = append(got, text)
				}
				if err := rows.Err(); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want.rows, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", want.query, diff)
				}
			}
		})
	}
}
