package db

import (
	"strings"
	"testing"
)

// Migrated reasons contain no output of scripts or messages about databases.
func TestReaderReadsOldReasons(t *testing.T) {
	t.Parallel()
	for _, dialect := range []Dialect{SQLite, PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			o := oldDatabase(t, dialect)
			operation := func(id int, aspect, state, reason string) {
				o.exec(`INSERT INTO operations (id, organization_id, server_id, aspect, resource_type, resource_id, action, description, request, state, step, reason, attempt, cancelled, deadline, event_id, created_at, updated_at)
					VALUES ($1, 1, 1, $2, 'x', 1, 'create', '', '', $3, '', $4, 1, FALSE, 1, 9, 1, 1)`, id, aspect, state, reason)
			}
			operation(1, "command/7", "failed", "Script: exit status 1. password=geheim / geheim")
			operation(2, "recipe", "failed", "It took too long and was ended. Script: signal: killed. geheim")
			operation(3, "backup/3", "failed", "The backup of shop: ERROR: duplicate key (Key (word)=(geheim) already exists.).")
			operation(4, "firewall", "failed", "Nft: exit status 1. line 3: syntax error")
			operation(5, "deployment/7", "cancelled", "Cancelled before it began.")
			o.exec(`INSERT INTO events (id, organization_id, initiator_id, description, created_at, updated_at) VALUES (9, 1, 4, '', 1, 1)`)
			o.exec(`INSERT INTO backup_configurations (id, organization_id, server_id, storage_provider_id, name, frequency, include_new_databases, paths, retention, status, next_run_at, verify_every_days, verify_status, verify_reason, alarm, created_at, updated_at)
				VALUES (1, 1, 1, 1, '', '', FALSE, '', 1, '', 1, 1, 'failed', 'geheim', 'Backup 2 could not be restored to compare. geheim', 1, 1)`)
			o.exec(`INSERT INTO backups (id, configuration_id, storage_provider_id, key_id, bucket, base, status, is_partial, safety, size, reason, verify_reason, created_at, updated_at) VALUES (1, 1, 1, 1, '', '', '', FALSE, FALSE, 0, 'shop: geheim', 'geheim', 1, 1)`)
			o.exec(`INSERT INTO backup_items (id, backup_id, kind, name, engine, object, parts, status, reason, size, report, created_at, updated_at) VALUES (1, 1, '', '', '', '', 1, 'failed', 'geheim', 0, '', 1, 1)`)
			o.exec(`INSERT INTO backup_restores (id, backup_id, item_id, server_id, kind, target, scratch, status, reason, report, created_at, updated_at) VALUES (1, 1, 1, 1, '', '', '', 'failed', 'geheim', '', 1, 1)`)
			_ = o.conn.Close()
			if err := o.Migrate(t.Context(), o.box); err != nil {
				t.Fatal(err)
			}
			got := strings.Join(o.texts(`SELECT reason FROM operations ORDER BY id`), "\n")
			want := "Script: exit status 1.\nIt took too long and was ended.\n" + reasonElsewhere +
				"\nNft: exit status 1. line 3: syntax error\nCancelled before it began."
			if got != want {
				t.Errorf("the reasons are\n%s\nwant\n%s", got, want)
			}
			for _, query := range []string{
				`SELECT reason FROM backups`, `SELECT verify_reason FROM backups`,
				`SELECT reason FROM backup_items`, `SELECT reason FROM backup_restores`, `SELECT verify_reason FROM backup_configurations`,
			} {
				if got := o.texts(query); len(got) != 1 || got[0] != reasonElsewhere {
					t.Errorf("%s: %q", query, got)
				}
			}
			if got := o.texts(`SELECT alarm FROM backup_configurations`); got[0] != "Backup 2 could not be restored to compare." {
				t.Errorf("the alarm is %q", got)
			}
			// Reading older output requires the permissions of the work, and the requester is known.
			if got := strings.Join(o.texts(`SELECT id FROM operations WHERE prints ORDER BY id`), " "); got != "1 2 3 5" {
				t.Errorf("%s print what others say", got)
			}
			if got := strings.Join(o.texts(`SELECT DISTINCT asked_by FROM operations`), " "); got != "4" {
				t.Errorf("asked for by %s", got)
			}
		})
	}
}

// A database that was migrated by a build without a lower-numbered migration gets that one too.
func TestMigrationsOfLowerNumbersAreApplied(t *testing.T) {
	t.Parallel()
	o := oldDatabase(t, SQLite)
	_ = o.conn.Close()
	if err := o.Migrate(t.Context(), o.box); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`DELETE FROM goose_db_version WHERE version_id = 280`,
		`ALTER TABLE operations DROP COLUMN prints`, `ALTER TABLE operations DROP COLUMN asked_by`,
	} {
		if _, err := o.writer(t.Context()).ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Migrate(t.Context(), o.box); err != nil {
		t.Fatal(err)
	}
	if got := o.texts(`SELECT COUNT(prints) FROM operations`); len(got) != 1 {
		t.Errorf("the column is not there: %q", got)
	}
}
