package db_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// before is a database at a version, with a server and a site, and helpers to fill and read it.
type before struct {
	t *testing.T
	d *db.DB
}

func newBefore(t *testing.T, dialect db.Dialect, version int64) before {
	t.Helper()
	d, err := db.Connect(t.Context(), config(t, dialect))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if err := d.MigrateTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	b := before{t, d}
	b.exec(`INSERT INTO organizations (id, name, slug, created_at, updated_at) VALUES (1, 'a', 'a', 1, 1)`)
	b.exec(`INSERT INTO servers (id, organization_id, name, slug, type, provider, size, region, status, ssh_port, ssh_user, behind_nat, timezone, is_ready, revoked, public_key, private_key, host_keys, facts, control_addresses, created_at, updated_at)
		VALUES (1, 1, 'a', 'a', 'web', 'custom', '', '', 'ready', 22, 'root', FALSE, 'UTC', TRUE, FALSE, '', '', '', '{}', '', 1, 1)`)
	return b
}

func (b before) exec(text string, args ...any) {
	b.t.Helper()
	if _, err := b.d.SQLDB().ExecContext(b.t.Context(), text, args...); err != nil {
		b.t.Fatalf("%s: %v", text, err)
	}
}

func (b before) site(id int) {
	b.t.Helper()
	b.exec(fmt.Sprintf(`INSERT INTO sites (id, organization_id, server_id, name, type, status, unix_user, isolated, web_directory, php_version, wildcards, www_redirect_type, created_at, updated_at)
		VALUES (%d, 1, 1, 'site-%d.example.com', 'php', 'installed', 'forge', FALSE, '/public', 'php84', FALSE, 'none', 1, 1)`, id, id))
}

// operation inserts an operation on a resource with a time of acceptance and a request.
func (b before) operation(id int, resource string, of int, action, state string, at int, request string) {
	b.t.Helper()
	b.exec(`INSERT INTO operations (id, organization_id, server_id, aspect, resource_type, resource_id, action, description, request, state, step, reason, attempt, cancelled, deadline, created_at, updated_at)
		VALUES ($1, 1, 1, 'process', $2, $3, $4, '', $5, $6, '', '', 0, FALSE, 1, $7, $8)`, id, resource, of, action, request, state, at, at+1)
}

// want compares the rows of a query with one text column.
func (b before) want(text string, want ...string) {
	b.t.Helper()
	rows, err := b.d.SQLDB().QueryContext(b.t.Context(), text)
	if err != nil {
		b.t.Fatal(err)
	}
	var got []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			b.t.Fatal(err)
		}
		got = append(got, text)
	}
	if err := rows.Err(); err != nil {
		b.t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		b.t.Errorf("%s (-want +got):\n%s", text, diff)
	}
}

const (
	queryApplied = `SELECT id || ' by ' || operation_id || ' ' || specification FROM applied WHERE kind <> 'sites' ORDER BY id`
	queryWishes  = `SELECT id || ' in ' || operation_id || ' ' || COALESCE(specification, 'gone') FROM wishes WHERE kind <> 'sites' ORDER BY id, operation_id`
)

// bothDatabases runs a test on each database.
func bothDatabases(t *testing.T, test func(t *testing.T, dialect db.Dialect)) {
	t.Helper()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			test(t, dialect)
		})
	}
}

// Scheduled jobs and their operations are migrated, and one that was never installed no longer claims to be.
func TestLedgerTakesOverScheduledJobs(t *testing.T) {
	t.Parallel()
	bothDatabases(t, func(t *testing.T, dialect db.Dialect) {
		b := newBefore(t, dialect, 301)
		b.site(1)
		b.exec(`INSERT INTO heartbeats (id, site_id, name, frequency, grace_period, token_hash, token, status, created_at, updated_at) VALUES (7, 1, 'a', 1, 5, 'a', '', 'pending', 1, 1)`)
		job := func(id int, status string, site, heartbeat any) {
			b.exec(`INSERT INTO scheduled_jobs (id, server_id, site_id, integration, name, command, unix_user, frequency, cron, heartbeat_id, status, created_at, updated_at)
				VALUES ($1, 1, $2, '', 'it''s', 'true', 'forge', 'hourly', '0 * * * *', $3, $4, 1, 1)`, id, site, heartbeat, status)
		}
		job(1, "installed", 1, 7)
		b.operation(11, "scheduledJobs", 1, "create", "succeeded", 1, "null")
		job(2, "installing", nil, nil)
		b.operation(12, "scheduledJobs", 2, "create", "pending", 1, "null")
		job(3, "installed", nil, nil) // its creation failed, and then its deletion
		b.operation(13, "scheduledJobs", 3, "create", "failed", 1, "null")
		b.operation(14, "scheduledJobs", 3, "delete", "cancelled", 1, `{"status":"installed"}`)
		job(4, "removing", nil, nil)
		b.operation(15, "scheduledJobs", 4, "create", "succeeded", 1, "null")
		b.operation(16, "scheduledJobs", 4, "delete", "running", 1, "null")
		job(5, "installed", nil, nil) // its operations no longer exist
		if err := b.d.Migrate(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		const rest = `"command":"true","user":"forge","frequency":"hourly","cron":"0 * * * *"`
		spec, ofSite := `{"name":"it's",`+rest+`}`, `{"name":"it's",`+rest+`,"site_id":1,"heartbeat_id":7}`
		b.want(queryApplied, "1 by 11 "+ofSite, "4 by 15 "+spec, "5 by 0 "+spec)
		b.want(queryWishes, "1 in 11 "+ofSite, "2 in 12 "+spec, "3 in 13 "+spec, "3 in 14 gone", "4 in 15 "+spec, "4 in 16 gone")
		b.want(`SELECT id || ' ' || status FROM scheduled_jobs ORDER BY id`, "1 installed", "2 installing", "3 failed", "4 removing", "5 installed")
	})
}

// Processes and their operations are migrated: open work, the state that the server has until then, and that one could not be installed.
func TestLedgerTakesOverProcesses(t *testing.T) {
	t.Parallel()
	bothDatabases(t, func(t *testing.T, dialect db.Dialect) {
		b := newBefore(t, dialect, 301)
		b.site(1)
		process := func(id int, command, status, observed string, site any) {
			b.exec(`INSERT INTO background_processes (id, server_id, site_id, integration, name, command, unix_user, processes, startsecs, stopwaitsecs, stopsignal, stopped, status, observed, created_at, updated_at)
				VALUES ($1, 1, $2, '', 'it''s', $3, 'forge', 1, 1, 10, 'TERM', FALSE, $4, $5, 1, 1)`, id, site, command, status, observed)
		}
		request := func(before, after string) string {
			row := func(command string) string {
				return `{"ID":1,"ServerID":1,"SiteID":null,"Integration":"","Name":"it's","Command":"` + command + `","UnixUser":"forge","Directory":null,"Processes":1,"Startsecs":1,"Stopwaitsecs":10,"Stopsignal":"TERM","Stopped":false}`
			}
			return `{"before":` + row(before) + `,"after":` + row(after) + `}`
		}
		process(1, "true", "", "running", 1)
		b.operation(11, "backgroundProcesses", 1, "create", "succeeded", 1, "null")
		process(2, "c", "restarting", "running", nil) // two changes are open, and an earlier one failed
		b.operation(12, "backgroundProcesses", 2, "create", "succeeded", 1, request("", "a"))
		b.operation(13, "backgroundProcesses", 2, "update", "failed", 1, request("a", "failed"))
		b.operation(14, "backgroundProcesses", 2, "update", "running", 1, request("a", "b"))
		b.operation(15, "backgroundProcesses", 2, "update", "pending", 1, request("b", "c"))
		process(3, "a", "", "exited", nil) // it could not be installed, but its state was still looked up
		b.operation(16, "backgroundProcesses", 3, "create", "failed", 1, request("", "a"))
		process(4, "a", "installing", "unknown", nil)
		b.operation(17, "backgroundProcesses", 4, "create", "pending", 1, request("", "a"))
		process(5, "a", "removing", "running", nil)
		b.operation(18, "backgroundProcesses", 5, "create", "succeeded", 1, request("", "a"))
		b.operation(19, "backgroundProcesses", 5, "empty-log", "succeeded", 1, request("a", "a"))
		b.operation(20, "backgroundProcesses", 5, "delete", "pending", 1, request("a", "a"))
		process(6, "a", "", "", nil) // its operations no longer exist
		if err := b.d.Migrate(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		spec := func(command, rest string) string {
			return `{"name":"it's","command":"` + command + `","user":"forge","processes":1,"startsecs":1,"stopwaitsecs":10,"stopsignal":"TERM"` + rest + `}`
		}
		ofSite := `{"name":"it's","command":"true","user":"forge","site_id":1,"processes":1,"startsecs":1,"stopwaitsecs":10,"stopsignal":"TERM"}`
		b.want(queryApplied, "1 by 11 "+ofSite, "2 by 12 "+spec("a", ""), "5 by 19 "+spec("a", `,"emptied_at":1`))
		b.want(queryWishes, "1 in 11 "+ofSite, "2 in 12 "+spec("a", ""), "2 in 13 "+spec("failed", `,"restarted_at":1`), "2 in 14 "+spec("b", `,"restarted_at":2`), "2 in 15 "+spec("c", `,"restarted_at":3`),
			"3 in 16 "+spec("a", ""), "4 in 17 "+spec("a", ""), "5 in 18 "+spec("a", ""), "5 in 19 "+spec("a", `,"emptied_at":1`), "5 in 20 gone")
		b.want(`SELECT id || ' ' || status || ' ' || observed FROM background_processes ORDER BY id`, "1  running", "2 restarting running", "3 fatal exited", "4 installing unknown", "5 removing running", "6 fatal unknown")
	})
}

// Integrations that serve visitors are migrated; others lose their row, and maintenance pages are unchanged.
func TestLedgerTakesOverIntegrations(t *testing.T) {
	t.Parallel()
	bothDatabases(t, func(t *testing.T, dialect db.Dialect) {
		b := newBefore(t, dialect, 301)
		for id := 1; id <= 5; id++ {
			b.site(id)
		}
		integration := func(id, site int, kind, settings string, created, updated int) {
			b.exec(`INSERT INTO integrations (id, site_id, kind, settings, status, created_at, updated_at) VALUES ($1, $2, $3, $4, '', $5, $6)`, id, site, kind, settings, created, updated)
		}
		integration(1, 1, "octane", `{"port":8000,"server":"swoole"}`, 10, 10)
		b.operation(11, "integrations", 1, "update", "succeeded", 10, "null")
		integration(2, 1, "horizon", "{}", 12, 12)
		integration(3, 1, "laravel-maintenance", `{"status":503}`, 12, 12)
		integration(4, 2, "reverb", `{"port":8080}`, 20, 20)
		b.operation(12, "integrations", 2, "update", "pending", 20, "null")
		integration(5, 3, "reverb", "{}", 30, 30)
		b.operation(13, "integrations", 3, "update", "failed", 30, "null")
		integration(6, 4, "octane", `{"port":8001}`, 30, 40) // a change of its port is open
		b.operation(14, "integrations", 4, "update", "succeeded", 30, "null")
		b.operation(15, "integrations", 4, "update", "running", 40, "null")
		integration(7, 5, "octane", `{"port":8002}`, 50, 50) // it failed, and went live with a later change of the site
		b.operation(16, "integrations", 5, "update", "cancelled", 50, "null")
		b.operation(17, "redirect-rules", 9, "create", "succeeded", 60, "null")
		b.exec(`UPDATE operations SET aspect = 'web', site_id = 5 WHERE id = 17`)
		if err := b.d.Migrate(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		const one, four, five, six, seven = `{"site_id":1,"kind":"octane","port":8000,"server":"swoole"}`, `{"site_id":2,"kind":"reverb","port":8080}`, `{"site_id":3,"kind":"reverb"}`,
			`{"site_id":4,"kind":"octane","port":8001}`, `{"site_id":5,"kind":"octane","port":8002}`
		b.want(queryApplied, "1 by 11 "+one, "6 by 0 "+six, "7 by 17 "+seven)
		b.want(queryWishes, "1 in 11 "+one, "4 in 12 "+four, "5 in 13 "+five, "6 in 15 "+six, "7 in 16 "+seven)
		b.want(`SELECT id || ' ' || kind || ' ' || status FROM integrations ORDER BY id`, "1 octane ", "3 laravel-maintenance ", "4 reverb ", "5 reverb failed", "6 octane ", "7 octane ")
	})
}
