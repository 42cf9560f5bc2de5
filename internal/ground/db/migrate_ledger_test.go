package db_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// Rows, open operations and runs from before the ledger are migrated, and a rule that was never installed no longer claims to be.
func TestLedgerTakesOverWhatWasThere(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			d, err := db.Connect(t.Context(), config(t, dialect))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = d.Close() })
			if err := d.MigrateTo(t.Context(), 299); err != nil {
				t.Fatal(err)
			}
			exec := func(text string, args ...any) {
				t.Helper()
				if _, err := d.SQLDB().ExecContext(t.Context(), text, args...); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
			exec(`INSERT INTO organizations (id, name, slug, created_at, updated_at) VALUES (1, 'a', 'a', 1, 1)`)
			operation := func(id int, resource string, of int, action, state string) {
				exec(fmt.Sprintf(`INSERT INTO operations (id, organization_id, server_id, aspect, resource_type, resource_id, action, description, request, state, step, reason, attempt, cancelled, deadline, created_at, updated_at)
					VALUES (%d, 1, 1, 'firewall', '%s', %d, '%s', '', '', '%s', 'firewall', '', 0, FALSE, 1, 1, 1)`, id, resource, of, action, state))
			}
			operation(1, "servers", 1, "create", "running")
			exec(`INSERT INTO servers (id, organization_id, name, slug, type, provider, size, region, status, ssh_port, ssh_user, behind_nat, timezone, is_ready, revoked, public_key, private_key, host_keys, facts, control_addresses, operation_id, created_at, updated_at)
				VALUES (1, 1, 'a', 'a', 'web', 'custom', '', '', 'ready', 22, 'root', FALSE, 'UTC', TRUE, FALSE, '', '', '', '{}', '', 1, 1, 1)`)
			rule := func(id int, status string, operation any) {
				exec(`INSERT INTO firewall_rules (id, server_id, name, port, type, status, operation_id, created_at, updated_at) VALUES ($1, 1, 'it''s "new"', '8080', 'allow', $2, $3, 1, 1)`, id, status, operation)
			}
			rule(1, "installed", nil) // a first rule
			rule(2, "installing", nil)
			rule(3, "installed", 11)
			operation(11, "rules", 3, "create", "succeeded")
			rule(4, "installing", 12)
			operation(12, "rules", 4, "create", "pending")
			rule(5, "installed", 14) // its creation failed, and then its deletion
			operation(13, "rules", 5, "create", "failed")
			operation(14, "rules", 5, "delete", "failed")
			rule(6, "removing", 16)
			operation(15, "rules", 6, "create", "succeeded")
			operation(16, "rules", 6, "delete", "running")
			exec(`INSERT INTO runs (id, server_id, aspect, operations, stage, run, confirm, state, last_seq, created_at) VALUES ('firewall-1', 1, 'firewall', '[16]', 0, '', '', 'running', 0, 1)`)
			if err := d.Migrate(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			const spec = `{"name":"it's \"new\"","port":"8080","type":"allow"}`
			for _, want := range []struct {
				query string
				rows  []string
			}{
				{`SELECT id || ' by ' || operation_id || ' ' || specification FROM applied ORDER BY id`, []string{"1 by 1 " + spec, "3 by 11 " + spec, "6 by 15 " + spec}},
				{`SELECT id || ' in ' || operation_id || ' ' || COALESCE(specification, 'gone') FROM wishes ORDER BY id, operation_id`,
					[]string{"2 in 1 " + spec, "4 in 12 " + spec, "5 in 13 " + spec, "5 in 14 gone", "6 in 16 gone"}},
				{`SELECT id || ' ' || status FROM firewall_rules ORDER BY id`, []string{"1 installed", "2 installing", "3 installed", "4 installing", "5 failed", "6 removing"}},
				{`SELECT stage_name FROM runs`, []string{"firewall"}},
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
