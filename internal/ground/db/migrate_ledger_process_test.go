package db_test

import (
	"testing"
)

const (
	queryApplied = `SELECT id || ' by ' || operation_id || ' ' || specification FROM applied WHERE kind <> 'sites' ORDER BY id`
	queryWishes  = `SELECT id || ' in ' || operation_id || ' ' || COALESCE(specification, 'gone') FROM wishes WHERE kind <> 'sites' ORDER BY id, operation_id`
)

// Scheduled jobs and their operations are taken over, and one that was never installed does not say so any more.
func TestLedgerTakesOverScheduledJobs(t *testing.T) {
	t.Parallel()
	bothBefore(t, 301, func(t *testing.T, b before) {
		b.site(1)
		b.exec(`INSERT INTO heartbeats (id, site_id, name, frequency, grace_period, token_hash, token, status, created_at, updated_at) VALUES (7, 1, 'a', 1, 5, 'a', '', 'pending', 1, 1)`)
		job := func(id int, status string, site, heartbeat any) {
			b.exec(`INSERT INTO scheduled_jobs (id, server_id, site_id, integration, name, command, unix_user, frequency, cron, heartbeat_id, status, created_at, updated_at)
				VALUES ($1, 1, $2, '', 'it''s', 'true', 'forge', 'hourly', '0 * * * *', $3, $4, 1, 1)`, id, site, heartbeat, status)
		}
		job(1, "installed", 1, 7)
		b.operation(11, "scheduledJobs", 1, "create", "succeeded", "null")
		job(2, "installing", nil, nil)
		b.operation(12, "scheduledJobs", 2, "create", "pending", "null")
		job(3, "installed", nil, nil) // its creation failed, and then its deletion
		b.operation(13, "scheduledJobs", 3, "create", "failed", "null")
		b.operation(14, "scheduledJobs", 3, "delete", "cancelled", `{"status":"installed"}`)
		job(4, "removing", nil, nil)
		b.operation(15, "scheduledJobs", 4, "create", "succeeded", "null")
		b.operation(16, "scheduledJobs", 4, "delete", "running", "null")
		job(5, "installed", nil, nil) // its operations are not there any more
		b.migrate(nil)
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
	bothBefore(t, 301, func(t *testing.T, b before) {
		b.site(1)
		process := func(id int, command, status, observed string, site any) {
			b.exec(`INSERT INTO background_processes (id, server_id, site_id, integration, name, command, unix_user, processes, startsecs, stopwaitsecs, stopsignal, stopped, status, observed, created_at, updated_at)
				VALUES ($1, 1, $2, '', 'it''s', $3, 'forge', 1, 1, 10, 'TERM', FALSE, $4, $5, 1, 1)`, id, site, command, status, observed)
		}
		request := func(before, after string) string {
			row := func(command string) string {
				return `{"ID":1,"ServerID":1,"SiteID":null,"Integration":"","Name":"it's","Command":"` + command +
					`","UnixUser":"forge","Directory":null,"Processes":1,"Startsecs":1,"Stopwaitsecs":10,"Stopsignal":"TERM","Stopped":false}`
			}
			return `{"before":` + row(before) + `,"after":` + row(after) + `}`
		}
		process(1, "true", "", "running", 1)
		b.operation(11, "backgroundProcesses", 1, "create", "succeeded", "null")
		process(2, "c", "restarting", "running", nil) // two changes are under way, and one failed before
		b.operation(12, "backgroundProcesses", 2, "create", "succeeded", request("", "a"))
		b.operation(13, "backgroundProcesses", 2, "update", "failed", request("a", "failed"))
		b.operation(14, "backgroundProcesses", 2, "update", "running", request("a", "b"))
		b.operation(15, "backgroundProcesses", 2, "update", "pending", request("b", "c"))
		process(3, "a", "", "exited", nil) // it could not be installed, and was looked for all the same
		b.operation(16, "backgroundProcesses", 3, "create", "failed", request("", "a"))
		process(4, "a", "installing", "unknown", nil)
		b.operation(17, "backgroundProcesses", 4, "create", "pending", request("", "a"))
		process(5, "a", "removing", "running", nil)
		b.operation(18, "backgroundProcesses", 5, "create", "succeeded", request("", "a"))
		b.operation(19, "backgroundProcesses", 5, "empty-log", "succeeded", request("a", "a"))
		b.operation(20, "backgroundProcesses", 5, "delete", "pending", request("a", "a"))
		process(6, "a", "", "", nil) // its operations are not there any more
		b.migrate(nil)
		spec := func(command, rest string) string {
			return `{"name":"it's","command":"` + command + `","user":"forge","processes":1,"startsecs":1,"stopwaitsecs":10,"stopsignal":"TERM"` + rest + `}`
		}
		ofSite := `{"name":"it's","command":"true","user":"forge","site_id":1,"processes":1,"startsecs":1,"stopwaitsecs":10,"stopsignal":"TERM"}`
		b.want(queryApplied, "1 by 11 "+ofSite, "2 by 12 "+spec("a", ""), "5 by 19 "+spec("a", `,"emptied_at":1`))
		b.want(queryWishes, "1 in 11 "+ofSite, "2 in 12 "+spec("a", ""), "2 in 13 "+spec("failed", `,"restarted_at":1`),
			"2 in 14 "+spec("b", `,"restarted_at":2`), "2 in 15 "+spec("c", `,"restarted_at":3`),
			"3 in 16 "+spec("a", ""), "4 in 17 "+spec("a", ""), "5 in 18 "+spec("a", ""), "5 in 19 "+spec("a", `,"emptied_at":1`), "5 in 20 gone")
		b.want(`SELECT id || ' ' || status || ' ' || observed FROM background_processes ORDER BY id`, "1  running",
			"2 restarting running", "3 fatal exited", "4 installing unknown", "5 removing running", "6 fatal unknown")
	})
}

// Integrations that serve visitors are migrated; others lose their row, and maintenance pages are unchanged.
func TestLedgerTakesOverIntegrations(t *testing.T) {
	t.Parallel()
	bothBefore(t, 301, func(t *testing.T, b before) {
		for id := 1; id <= 5; id++ {
			b.site(id)
		}
		integration := func(id, site int, kind, settings string, created, updated int) {
			b.exec(`INSERT INTO integrations (id, site_id, kind, settings, status, created_at, updated_at) VALUES ($1, $2, $3, $4, '', $5, $6)`,
				id, site, kind, settings, created, updated)
		}
		integration(1, 1, "octane", `{"port":8000,"server":"swoole"}`, 10, 10)
		b.operationAt(10, 11, "integrations", 1, "update", "succeeded", "null")
		integration(2, 1, "horizon", "{}", 12, 12)
		integration(3, 1, "laravel-maintenance", `{"status":503}`, 12, 12)
		integration(4, 2, "reverb", `{"port":8080}`, 20, 20)
		b.operationAt(20, 12, "integrations", 2, "update", "pending", "null")
		integration(5, 3, "reverb", "{}", 30, 30)
		b.operationAt(30, 13, "integrations", 3, "update", "failed", "null")
		integration(6, 4, "octane", `{"port":8001}`, 30, 40) // a change of its port is under way
		b.operationAt(30, 14, "integrations", 4, "update", "succeeded", "null")
		b.operationAt(40, 15, "integrations", 4, "update", "running", "null")
		integration(7, 5, "octane", `{"port":8002}`, 50, 50) // it failed, and went live with a later change of the site
		b.operationAt(50, 16, "integrations", 5, "update", "cancelled", "null")
		b.operationAt(60, 17, "redirect-rules", 9, "create", "succeeded", "null")
		b.exec(`UPDATE operations SET aspect = 'web', site_id = 5 WHERE id = 17`)
		b.migrate(nil)
		const one, four, five, six, seven = `{"site_id":1,"kind":"octane","port":8000,"server":"swoole"}`,
			`{"site_id":2,"kind":"reverb","port":8080}`, `{"site_id":3,"kind":"reverb"}`,
			`{"site_id":4,"kind":"octane","port":8001}`, `{"site_id":5,"kind":"octane","port":8002}`
		b.want(queryApplied, "1 by 11 "+one, "6 by 0 "+six, "7 by 17 "+seven)
		b.want(queryWishes, "1 in 11 "+one, "4 in 12 "+four, "5 in 13 "+five, "6 in 15 "+six, "7 in 16 "+seven)
		b.want(`SELECT id || ' ' || kind || ' ' || status FROM integrations ORDER BY id`, "1 octane ", "3 laravel-maintenance ",
			"4 reverb ", "5 reverb failed", "6 octane ", "7 octane ")
	})
}
