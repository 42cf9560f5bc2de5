package db_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// before is a database as it was at a version of the schema, with organization 1 and server 1 in it.
type before struct {
	t *testing.T
	d *db.DB
}

// bothBefore runs a test on each kind of database, as it was at a version.
func bothBefore(t *testing.T, version int64, test func(t *testing.T, b before)) {
	t.Helper()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			test(t, newBefore(t, dialect, version))
		})
	}
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
	b.server(1)
	return b
}

// migrate brings the database up to date. The box may be nil.
func (b before) migrate(box *secret.Box) {
	b.t.Helper()
	if err := b.d.Migrate(b.t.Context(), box); err != nil {
		b.t.Fatal(err)
	}
}

func (b before) exec(text string, args ...any) {
	b.t.Helper()
	if _, err := b.d.SQLDB().ExecContext(b.t.Context(), text, args...); err != nil {
		b.t.Fatalf("%s: %v", text, err)
	}
}

func (b before) server(id int) {
	b.t.Helper()
	b.exec(`INSERT INTO servers (id, organization_id, name, slug, type, provider, size, region, status, ip_address, ssh_port, ssh_user, behind_nat, timezone, is_ready, revoked, public_key, private_key, host_keys, facts, control_addresses, created_at, updated_at)
		VALUES ($1, 1, 'a', $2, 'web', 'custom', '', '', 'ready', $2, 22, 'root', FALSE, 'UTC', TRUE, FALSE, '', '', '', '{}', '', 1, 1)`, id, fmt.Sprintf("192.0.2.%d", id))
}

func (b before) site(id int) {
	b.t.Helper()
	b.exec(`INSERT INTO sites (id, organization_id, server_id, name, type, status, unix_user, isolated, web_directory, php_version, wildcards, www_redirect_type, created_at, updated_at)
		VALUES ($1, 1, 1, $2, 'php', 'installed', 'forge', FALSE, '/public', 'php84', FALSE, 'none', 1, 1)`, id, fmt.Sprintf("site-%d.example.com", id))
}

// operation adds one on a resource, with what it was asked for.
func (b before) operation(id int, resource string, of int, action, state, request string) {
	b.t.Helper()
	b.operationAt(1, id, resource, of, action, state, request)
}

// operationAt adds one that was accepted at a moment.
func (b before) operationAt(at, id int, resource string, of int, action, state, request string) {
	b.t.Helper()
	b.exec(`INSERT INTO operations (id, organization_id, server_id, aspect, resource_type, resource_id, action, description, request, state, step, reason, attempt, cancelled, deadline, created_at, updated_at)
		VALUES ($1, 1, 1, 'web', $2, $3, $4, '', $5, $6, '', '', 0, FALSE, 1, $7, $8)`, id, resource, of, action, request, state, at, at+1)
}

// texts are the rows of a query that has one column.
func (b before) texts(query string) []string {
	b.t.Helper()
	out, err := db.Column[string](b.t.Context(), b.d.SQLDB(), query)
	if err != nil {
		b.t.Fatal(err)
	}
	return out
}

// want compares the rows of a query that has one column.
func (b before) want(query string, want ...string) {
	b.t.Helper()
	if diff := cmp.Diff(want, b.texts(query)); diff != "" {
		b.t.Errorf("%s (-want +got):\n%s", query, diff)
	}
}
