package db_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// ledgerBefore returns a database at a version, with server 1 and site 12.
func ledgerBefore(t *testing.T, dialect db.Dialect, version int64) (d *db.DB, exec func(text string, args ...any)) {
	t.Helper()
	d, err := db.Connect(t.Context(), config(t, dialect))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if err := d.MigrateTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
	exec = func(text string, args ...any) {
		t.Helper()
		if _, err := d.SQLDB().ExecContext(t.Context(), text, args...); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	exec(`INSERT INTO organizations (id, name, slug, created_at, updated_at) VALUES (1, 'a', 'a', 1, 1)`)
	exec(`INSERT INTO servers (id, organization_id, name, slug, type, provider, size, region, status, ssh_port, ssh_user, behind_nat, timezone, is_ready, revoked, public_key, private_key, host_keys, facts, control_addresses, created_at, updated_at)
		VALUES (1, 1, 'a', 'a', 'web', 'custom', '', '', 'ready', 22, 'root', FALSE, 'UTC', TRUE, FALSE, '', '', '', '{}', '', 1, 1)`)
	exec(`INSERT INTO sites (id, organization_id, server_id, name, type, status, unix_user, isolated, web_directory, php_version, wildcards, www_redirect_type, created_at, updated_at)
		VALUES (12, 1, 1, 'a', 'static-html', 'installed', 'a', FALSE, '/', '', FALSE, 'none', 1, 1)`)
	return d, exec
}

// wantRows compares what a query of one column returns.
func wantRows(t *testing.T, d *db.DB, query string, want ...string) {
	t.Helper()
	rows, err := d.SQLDB().QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
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
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", query, diff)
	}
}

// insertOperation inserts an operation on a part of site 12.
func insertOperation(exec func(text string, args ...any), id int, resource string, of int, action, state, request string) {
	exec(`INSERT INTO operations (id, organization_id, server_id, site_id, aspect, resource_type, resource_id, action, description, request, state, step, reason, attempt, cancelled, deadline, created_at, updated_at)
		VALUES ($1, 1, 1, 12, 'sites', $2, $3, $4, '', $5, $6, '', '', 0, FALSE, 1, 1, 1)`, id, resource, of, action, request, state)
}

// Redirects in every status, with their order and open operations, are migrated; one that was never installed is removed.
func TestLedgerTakesOverRedirects(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			d, exec := ledgerBefore(t, dialect, 301)
			rule := func(id, position int, status string, operation any) {
				exec(`INSERT INTO redirect_rules (id, site_id, source, target, type, position, status, operation_id, created_at, updated_at) VALUES ($1, 12, $2, '/x', 'permanent', $3, $4, $5, 5, 5)`,
					id, fmt.Sprintf("^/%d$", id), position, status, operation)
			}
			request := func(ids ...int) string {
				rules := ""
				for i, id := range ids {
					if i > 0 {
						rules += ","
					}
					rules += fmt.Sprintf(`{"ID":%d,"SiteID":12,"Source":"^/%d$","Target":"/x","Type":"permanent","Position":9,"Status":"installing","OperationID":null,"CreatedAt":5,"UpdatedAt":5}`, id, id)
				}
				return `{"rules":[` + rules + `]`
			}
			rule(1, 3, "installed", 101) // older than the record of operations
			rule(2, 1, "installed", 102)
			insertOperation(exec, 102, "redirect-rules", 2, "create", "succeeded", request(2)+"}")
			rule(3, 2, "installing", 103)
			insertOperation(exec, 103, "redirect-rules", 3, "create", "pending", request(3)+"}")
			insertOperation(exec, 104, "redirect-rules", 4, "create", "failed", request(4)+"}") // its row is gone
			rule(5, 5, "installed", 106)                                                        // its creation failed, and then its deletion
			insertOperation(exec, 105, "redirect-rules", 5, "create", "failed", request(5)+"}")
			insertOperation(exec, 106, "redirect-rules", 5, "delete", "failed", "null")
			rule(6, 6, "removing", 107) // an import replaces it
			rule(7, 7, "installing", 107)
			insertOperation(exec, 107, "redirect-rules-import", 12, "create", "running", request(7)+`,"replaced":[6]}`)
			insertOperation(exec, 108, "redirect-rules-order", 12, "update", "succeeded", `{"before":[1,2],"after":[2,1]}`)
			rule(8, 8, "removing", 109)
			insertOperation(exec, 109, "redirect-rules", 8, "delete", "pending", "null")
			if err := d.Migrate(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			spec := func(id int) string {
				return fmt.Sprintf(`{"site_id":12,"from":"^/%d$","to":"/x","type":"permanent","created_at":5}`, id)
			}
			wantRows(t, d, `SELECT kind || ' ' || id || ' by ' || operation_id || ' ' || specification FROM applied WHERE kind LIKE 'redirect%' ORDER BY kind, id`,
				"redirect-rules 1 by 0 "+spec(1), "redirect-rules 2 by 102 "+spec(2), "redirect-rules 6 by 0 "+spec(6), "redirect-rules 8 by 0 "+spec(8),
				`redirect-rules-order 12 by 108 {"site_id":12,"rules":[2,3,1,6,7,8]}`)
			wantRows(t, d, `SELECT kind || ' ' || id || ' in ' || operation_id || ' ' || COALESCE(specification, 'gone') FROM wishes ORDER BY kind, id, operation_id`,
				"redirect-rules 3 in 103 "+spec(3), "redirect-rules 4 in 104 "+spec(4), "redirect-rules 5 in 105 "+spec(5), "redirect-rules 5 in 106 gone", "redirect-rules 6 in 107 gone",
				"redirect-rules 7 in 107 "+spec(7), "redirect-rules 8 in 109 gone")
			wantRows(t, d, `SELECT id || ' ' || position || ' ' || status FROM redirect_rules ORDER BY position, id`,
				"2 1 installed", "3 2 installing", "1 3 installed", "6 4 removing", "7 5 installing", "8 6 removing")
		})
	}
}

// A requested order is shown, and the previous one is applied.
func TestLedgerTakesOverAnOpenOrder(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			d, exec := ledgerBefore(t, dialect, 301)
			for i, position := range []int{3, 1, 2} {
				exec(`INSERT INTO redirect_rules (id, site_id, source, target, type, position, status, created_at, updated_at) VALUES ($1, 12, '^/a$', '/x', 'permanent', $2, 'installed', 5, 5)`, i+1, position)
			}
			insertOperation(exec, 1, "redirect-rules-order", 12, "update", "succeeded", `{"before":[1,2,3],"after":[2,1,3]}`)
			insertOperation(exec, 2, "redirect-rules-order", 12, "update", "failed", `{"before":[2,1,3],"after":[3,2,1]}`)
			insertOperation(exec, 3, "redirect-rules-order", 12, "update", "running", `{"before":[2,1,3],"after":[1,3,2]}`)
			insertOperation(exec, 4, "redirect-rules-order", 12, "update", "pending", `{"before":[1,3,2],"after":[2,3,1]}`)
			if err := d.Migrate(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			wantRows(t, d, `SELECT id || ' by ' || operation_id || ' ' || specification FROM applied WHERE kind = 'redirect-rules-order'`, `12 by 1 {"site_id":12,"rules":[2,1,3]}`)
			wantRows(t, d, `SELECT operation_id || ' ' || specification FROM wishes ORDER BY operation_id`, `2 {"site_id":12,"rules":[3,2,1]}`, `3 {"site_id":12,"rules":[1,3,2]}`, `4 {"site_id":12,"rules":[2,3,1]}`)
			wantRows(t, d, `SELECT id || ' ' || position FROM redirect_rules ORDER BY position`, "2 1", "3 2", "1 3")
		})
	}
}
