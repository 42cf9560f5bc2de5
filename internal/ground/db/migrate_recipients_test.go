package db_test

import "testing"

// Addresses that were notified before addresses had to be confirmed still are: once for each organization, whoever wrote them with capitals.
func TestAddressesOfBeforeStayConfirmed(t *testing.T) {
	t.Parallel()
	bothBefore(t, 480, func(t *testing.T, b before) {
		b.exec(`INSERT INTO organizations (id, name, slug, created_at, updated_at) VALUES (2, 'b', 'b', 1, 1)`)
		monitor := func(notify string, at int) {
			b.exec(`INSERT INTO monitors (server_id, type, operator, threshold, notify, status, state, created_at, updated_at)
				VALUES (1, 'disk', 'gte', 80, $1, 'installed', 'ok', $2, $2)`, notify, at)
		}
		monitor("Ops@Example.com", 5)
		monitor("ops@example.com", 9)
		monitor("", 9)
		b.exec(`INSERT INTO storage_providers (id, organization_id, name, provider, assume_role, secret, created_at, updated_at) VALUES (1, 1, 'a', 's3', FALSE, $1, 1, 1)`, []byte("{}"))
		for _, email := range []any{"night@example.com", nil, ""} {
			b.exec(`INSERT INTO backup_configurations (organization_id, server_id, storage_provider_id, name, frequency, include_new_databases, paths, retention, notify_email, status, next_run_at,
				verify_every_days, created_at, updated_at) VALUES (1, 1, 1, 'a', 'daily', TRUE, '[]', 7, $1, 'installed', 1, 30, 7, 7)`, email)
		}
		for kind, target := range map[string]string{"mail": "team@example.com", "slack": "https://hooks.example.com/a"} {
			b.exec(`INSERT INTO notification_channels (organization_id, name, type, target, events, enabled, settings, created_at, updated_at)
				VALUES (2, 'a', $1, $2, '[]', TRUE, $3, 3, 3)`, kind, target, []byte("{}"))
		}
		b.migrate(nil)
		b.want("SELECT organization_id || ' ' || email || ' ' || confirmed_at FROM recipients ORDER BY organization_id, email",
			"1 night@example.com 7", "1 ops@example.com 9", "2 team@example.com 3")
	})
}
