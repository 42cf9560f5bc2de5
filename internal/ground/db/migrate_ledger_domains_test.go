package db_test

import (
	"fmt"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// Domains and their earlier operations are migrated, and one that is not served no longer claims to be.
func TestLedgerTakesOverDomains(t *testing.T) {
	t.Parallel()
	bothBefore(t, 303, func(t *testing.T, b before) {
		website := func(id int, name, status string) {
			t.Helper()
			b.exec(`INSERT INTO sites (id, organization_id, server_id, name, type, status, unix_user, isolated, web_directory, php_version, wildcards, www_redirect_type, created_at, updated_at)
					VALUES ($1, 1, 1, $2, 'static-html', $3, 'forge', FALSE, '', '', FALSE, 'none', 1, 1)`, id, name, status)
		}
		domain := func(id, site int, name, kind, status string) {
			t.Helper()
			b.exec(`INSERT INTO domains (id, site_id, name, type, status, www_redirect_type, wildcard, first, challenge, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, 'none', FALSE, $6, '', 1, 1)`,
				id, site, name, kind, status, name == "first")
		}
		was := func(id int, name, kind, status, www string) string {
			return fmt.Sprintf(`{"ID": %d, "SiteID": 1, "Name": "%s", "Type": "%s", "Status": "%s", "WWWRedirectType": "%s", "First": %v}`,
				id, name, kind, status, www, name == "first")
		}
		change := func(before, after, more string) string {
			return fmt.Sprintf(`{"before": %s, "after": %s%s}`, before, after, more)
		}
		website(1, "first", "installed")
		b.operation(1, "sites", 1, "create", "succeeded", "null")
		domain(1, 1, "first", "alias", "enabled")
		enabled := func(id int, name string) string { return was(id, name, "alias", "enabled", "none") }
		domain(2, 1, "served", "primary", "updating") // is becoming the primary one, and had two changes before, both of them open
		b.operation(2, "domainRecords", 2, "create", "succeeded", change(enabled(2, "served"), enabled(2, "served"), ""))
		b.operation(3, "domainRecords", 2, "update", "running", change(enabled(2, "served"), was(2, "served", "alias", "enabled", "to-www"), ""))
		b.operation(4, "domainRecords", 2, "mark-as-primary", "pending",
			change(was(2, "served", "alias", "updating", "to-www"), was(2, "served", "alias", "updating", "to-www"), `, "primary": 1`))
		domain(3, 1, "new", "alias", "connecting")
		b.operation(5, "domainRecords", 3, "create", "pending",
			change(was(3, "new", "alias", "connecting", "none"), was(3, "new", "alias", "connecting", "none"), ""))
		domain(4, 1, "lies", "alias", "enabled") // its creation failed, and then its deletion
		b.operation(6, "domainRecords", 4, "create", "failed",
			change(was(4, "lies", "alias", "connecting", "none"), was(4, "lies", "alias", "connecting", "none"), ""))
		b.operation(7, "domainRecords", 4, "delete", "cancelled",
			change(was(4, "lies", "alias", "disabled", "none"), was(4, "lies", "alias", "disabled", "none"), ""))
		domain(5, 1, "off", "alias", "enabling")
		b.operation(8, "domainRecords", 5, "create", "succeeded", "null")
		b.operation(9, "domainRecords", 5, "enable", "pending", change(was(5, "off", "alias", "disabled", "none"), was(5, "off", "alias", "disabled", "none"), ""))
		website(2, "second", "installing") // and will be for ever
		b.operation(10, "sites", 2, "create", "failed", "null")
		domain(6, 2, "first", "primary", "enabled")
		website(3, "third", "installed") // older than operations are kept
		domain(7, 3, "first", "primary", "enabled")
		b.migrate(nil)
		spec := func(site int, name string, primary, first bool, www string, disabled bool) string {
			return fmt.Sprintf(`{"site_id":%d,"name":"%s","primary":%v,"first":%v,"www_redirect_type":"%s","wildcard":false,"disabled":%v,"nginx_rule":"judged"}`, site, name, primary, first, www, disabled)
		}
		b.want(`SELECT id || ' by ' || operation_id || ' ' || specification FROM applied WHERE kind = 'domainRecords' ORDER BY id`,
			"1 by 1 "+spec(1, "first", true, true, "none", false),
			"2 by 2 "+spec(1, "served", false, false, "none", false),
			"4 by 1 "+spec(1, "lies", false, false, "none", true),
			"5 by 8 "+spec(1, "off", false, false, "none", true),
			"7 by 0 "+spec(3, "first", true, true, "none", false))
		b.want(`SELECT id || ' in ' || operation_id || ' ' || COALESCE(specification, 'gone') FROM wishes WHERE kind = 'domainRecords' ORDER BY operation_id, id`,
			"2 in 3 "+spec(1, "served", false, false, "to-www", false),
			"1 in 4 "+spec(1, "first", false, true, "none", false),
			"2 in 4 "+spec(1, "served", true, false, "to-www", false),
			"3 in 5 "+spec(1, "new", false, false, "none", false),
			"4 in 6 "+spec(1, "lies", false, false, "none", false),
			"4 in 7 gone",
			"5 in 9 "+spec(1, "off", false, false, "none", false),
			"6 in 10 "+spec(2, "first", true, true, "none", false))
		b.want(`SELECT id || ' ' || status FROM domains ORDER BY id`,
			"1 enabled", "2 updating", "3 connecting", "4 disabled", "5 enabling", "6 disabled", "7 enabled")
	})
}

// Work from before configurations were checked names no rule: what was served then is kept, what was only requested is checked when it is retried.
func TestLedgerTakesOverConfigurations(t *testing.T) {
	t.Parallel()
	b := newBefore(t, db.SQLite, 303)
	b.exec(`INSERT INTO sites (id, organization_id, server_id, name, type, status, unix_user, isolated, web_directory, php_version, wildcards, www_redirect_type, created_at, updated_at)
		VALUES (1, 1, 1, 'a', 'static-html', 'installed', 'forge', FALSE, '', '', FALSE, 'none', 1, 1)`)
	for i, tt := range []struct{ name, request, state, applied, asked string }{
		{"a policy", `{"before": {"Nginx": "a"}, "after": {"Nginx": "a"}}`, "pending", "a kept", "a kept"},
		{"a first text", `{"before": {}, "after": {"Nginx": "b"}}`, "pending", " judged", "b judged"},
		{"another text", `{"before": {"Nginx": "a"}, "after": {"Nginx": "b"}}`, "pending", "a kept", "b judged"},
		{"none any more", `{"before": {"Nginx": "a"}, "after": {}}`, "pending", "a kept", " judged"},
		{"one of now", `{"before": {"Nginx": "a", "NginxRule": "root"}, "after": {"Nginx": "a", "NginxRule": "judged"}}`, "pending", "a root", "a judged"},
	} {
		id := i + 1
		b.exec(`INSERT INTO domains (id, site_id, name, type, status, www_redirect_type, wildcard, first, challenge, created_at, updated_at) VALUES ($1, 1, $2, 'alias', 'updating', 'none', FALSE, FALSE, '', 1, 1)`, id, tt.name)
		for n, op := range []struct{ action, state, request string }{{"create", "succeeded", "null"}, {"update", tt.state, tt.request}} {
			b.operation(10*id+n, "domainRecords", id, op.action, op.state, op.request)
		}
		defer func() {
			const text = `COALESCE(json_extract(specification, '$.nginx'), '') || ' ' || json_extract(specification, '$.nginx_rule')`
			for table, want := range map[string]string{"applied": tt.applied, "wishes": tt.asked} {
				if got := b.texts(fmt.Sprintf(`SELECT `+text+` FROM %s WHERE kind = 'domainRecords' AND id = %d`, table, id)); len(got) != 1 || got[0] != want {
					t.Errorf("%s: %s is %q, want %q", tt.name, table, got, want)
				}
			}
		}()
	}
	b.migrate(nil)
}
