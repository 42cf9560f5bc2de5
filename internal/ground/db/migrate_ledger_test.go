package db_test

import (
	"testing"
)

// Rows, open operations and runs from before the ledger are migrated, and a rule that was never installed no longer claims to be.
func TestLedgerTakesOverWhatWasThere(t *testing.T) {
	t.Parallel()
	bothBefore(t, 299, func(t *testing.T, b before) {
		b.operation(1, "servers", 1, "create", "running", "")
		b.exec(`UPDATE servers SET operation_id = 1`)
		rule := func(id int, status string, operation any) {
			b.exec(`INSERT INTO firewall_rules (id, server_id, name, port, type, status, operation_id, created_at, updated_at) VALUES ($1, 1, 'it''s "new"', '8080', 'allow', $2, $3, 1, 1)`, id, status, operation)
		}
		rule(1, "installed", nil) // a first rule
		rule(2, "installing", nil)
		rule(3, "installed", 11)
		b.operation(11, "rules", 3, "create", "succeeded", "")
		rule(4, "installing", 12)
		b.operation(12, "rules", 4, "create", "pending", "")
		rule(5, "installed", 14) // its creation failed, and then its deletion
		b.operation(13, "rules", 5, "create", "failed", "")
		b.operation(14, "rules", 5, "delete", "failed", "")
		rule(6, "removing", 16)
		b.operation(15, "rules", 6, "create", "succeeded", "")
		b.operation(16, "rules", 6, "delete", "running", "")
		b.exec(`UPDATE operations SET step = 'firewall'`)
		b.exec(`INSERT INTO runs (id, server_id, aspect, operations, stage, run, confirm, state, last_seq, created_at) VALUES ('firewall-1', 1, 'firewall', '[16]', 0, '', '', 'running', 0, 1)`)
		b.migrate(nil)
		const spec = `{"name":"it's \"new\"","port":"8080","type":"allow"}`
		b.want(`SELECT id || ' by ' || operation_id || ' ' || specification FROM applied ORDER BY id`,
			"1 by 1 "+spec, "3 by 11 "+spec, "6 by 15 "+spec)
		b.want(`SELECT id || ' in ' || operation_id || ' ' || COALESCE(specification, 'gone') FROM wishes ORDER BY id, operation_id`,
			"2 in 1 "+spec, "4 in 12 "+spec, "5 in 13 "+spec, "5 in 14 gone", "6 in 16 gone")
		b.want(`SELECT id || ' ' || status FROM firewall_rules ORDER BY id`,
			"1 installed", "2 installing", "3 installed", "4 installing", "5 failed", "6 removing")
		b.want(`SELECT stage_name FROM runs`, "firewall")
	})
}
