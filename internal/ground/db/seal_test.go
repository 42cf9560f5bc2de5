package db

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/secret/secrettest"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

// old is a database of the version before addresses were sealed, with a row of each kind that contains one.
type old struct {
	*DB
	t    *testing.T
	dir  string
	box  *secret.Box
	conn *sql.Conn
}

// The secrets of the old rows.
const (
	hookToken  = "hOoK4f8a1c0d2b3e5f60718293a4b5c6d7e8f901"
	pingToken  = "b3a7pInGc0ffee00112233445566778899aabbccddeeff00"
	slackPath  = "services/T000/B000/sLaCk5up3r53cr3t"
	variable   = "vAr14bl3-t0k3n"
	digest     = "d1635700112233445566778899aabbccddeeff00112233445566778899aabbcc"
	publicText = "private_ip_address"
)

func oldDatabase(t *testing.T, dialect Dialect) *old {
	t.Helper()
	o := &old{t: t, dir: t.TempDir(), box: secrettest.Box(t)}
	c := Config{Dir: o.dir, Clock: clock.System{}}
	if dialect == PostgreSQL {
		// The migrations too write rows without their parents, on connections of their own.
		c.URL = pgtest.Database(t, "empty", nil) + "&session_replication_role=replica"
	}
	d, err := Connect(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	o.DB = d
	t.Cleanup(func() { _ = d.Close() })
	provider, err := d.provider(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), 259); err != nil {
		t.Fatal(err)
	}
	if o.conn, err = d.writer(t.Context()).Conn(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.conn.Close() })
	// The rows stand alone: their parents do not matter.
	if dialect == PostgreSQL {
		o.exec(`SET session_replication_role = replica`)
	} else {
		o.exec(`PRAGMA foreign_keys = 0`)
	}
	return o
}

func (o *old) exec(query string, args ...any) {
	o.t.Helper()
	if _, err := o.conn.ExecContext(o.t.Context(), query, args...); err != nil {
		o.t.Fatalf("%s: %v", query, err)
	}
}

func (o *old) fill() {
	o.t.Helper()
	o.exec(`INSERT INTO deployment_webhooks (id, site_id, url, secret, created_at, updated_at) VALUES (7, 1, $1, $2, 1, 1)`,
		"https://hooks.example.com/"+slackPath+"?a=b", []byte{1})
	for id, variables := range map[int]string{3: `{"TOKEN":"` + variable + `"}`, 4: `{}`, 5: `null`} {
		o.exec(`INSERT INTO deployments (id, organization_id, server_id, site_id, type, status, release_name, target_release, target_commit, variables, created_at, updated_at) VALUES ($1, 1, 1, 1, 'hook', 'failed', '', '', '', $2, 1, 1)`, id, variables)
	}
	place := secret.Place{Table: "idempotency_keys", Row: "token:1 /api/x k", Column: "response"}
	kept, err := o.box.Seal(place, []byte(`{"body":{"data":null},"event":4}`))
	if err != nil {
		o.t.Fatal(err)
	}
	o.exec(`INSERT INTO idempotency_keys (id, caller, route, idempotency_key, request_hash, status, response, created_at) VALUES (2, 'token:1', '/api/x', 'k', $1, 201, $2, 1)`, digest, kept)
	entry := func(id int, operation string, was, became any) {
		o.exec(`INSERT INTO audit_entries (id, caller, address, operation, path, status, message, resource_type, resource_id, was, became, created_at) VALUES ($1, 'token:1', '', $2, '', 200, '', '', '', $3, $4, 1)`,
			id, operation, was, became)
	}
	entry(1, "organizations.servers.sites.deployments.deploy-hook.update", `{"url":"https://panel/deploy/`+hookToken+`"}`,
		`{"url":"https://panel/deploy/`+hookToken+`"}`)
	entry(2, "organizations.servers.sites.heartbeats.store", nil, `{"name":"nightly","ping_url":"https://panel/heartbeats/`+pingToken+`"}`)
	entry(3, "organizations.servers.sites.webhooks.store", nil, `{"data":[{"id":"7","url":"https://hooks.example.com/`+slackPath+`"}]}`)
	entry(4, "organizations.servers.update", `{"name":"web","private_ip_address":"[redacted]"}`, `{"name":"`+publicText+`","url":"https://example.com/"}`)
	entry(5, "organizations.servers.sites.store", nil, `not JSON with https://panel/deploy/`+hookToken)
	entry(6, "organizations.servers.sites.store", nil, `{"about":["see /heartbeats/`+pingToken+`"],"inner":{"text":"/deploy/`+hookToken+`"}}`)
	for id := 100; id < 1300; id++ { // more than a batch
		entry(id, "organizations.servers.sites.heartbeats.update", nil, fmt.Sprintf(`{"n":%d,"ping_url":"https://panel/heartbeats/%s"}`, id, pingToken))
	}
	_ = o.conn.Close()
}

// bytes returns the whole content of the database: the files of SQLite, or every row of every table of PostgreSQL.
func (o *old) bytes() []byte {
	o.t.Helper()
	var out bytes.Buffer
	if o.Dialect == SQLite {
		files, err := filepath.Glob(filepath.Join(o.dir, "hostler.db*"))
		if err != nil || len(files) == 0 {
			o.t.Fatalf("%v, %v", files, err)
		}
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				o.t.Fatal(err)
			}
			out.Write(raw)
		}
		return out.Bytes()
	}
	tables := o.texts(`SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'`)
	for _, table := range tables {
		for _, row := range o.texts(`SELECT CAST(t AS TEXT) FROM ` + table + ` t`) {
			out.WriteString(row)
		}
	}
	return out.Bytes()
}

func (o *old) texts(query string) []string {
	o.t.Helper()
	rows, err := o.writer(o.t.Context()).QueryContext(o.t.Context(), query)
	if err != nil {
		o.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var out []string
	for rows.Next() {
		var text sql.NullString
		if err := rows.Scan(&text); err != nil {
			o.t.Fatal(err)
		}
		out = append(out, text.String)
	}
	if err := rows.Err(); err != nil {
		o.t.Fatal(err)
	}
	return out
}

func (o *old) open(p secret.Place, query string) string {
	o.t.Helper()
	var raw []byte
	if err := o.writer(o.t.Context()).QueryRowContext(o.t.Context(), query).Scan(&raw); err != nil {
		o.t.Fatal(err)
	}
	plain, err := o.box.Open(p, raw)
	if err != nil {
		o.t.Fatal(err)
	}
	return string(plain)
}

// The database of an upgraded installation contains none of its earlier addresses, variables or digests, not even in free pages
// or in the write-ahead log; and everything still works.
func TestOldDatabaseGivesUpItsSecrets(t *testing.T) {
	t.Parallel()
	for _, dialect := range []Dialect{SQLite, PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			o := oldDatabase(t, dialect)
			o.fill()
			secrets := []string{hookToken, pingToken, slackPath, variable, digest}
			before := o.bytes()
			for _, s := range secrets {
				if !bytes.Contains(before, []byte(s)) {
					t.Fatalf("%q is not in the old database: the test looks for nothing", s)
				}
			}
			if err := o.Migrate(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "master key") {
				t.Fatalf("without the master key: %v", err)
			}
			if n := o.texts(`SELECT url FROM deployment_webhooks`); len(n) != 1 || n[0] == "" {
				t.Errorf("a migration that failed left %q", n)
			}
			for range 2 { // repeating changes nothing
				if err := o.Migrate(t.Context(), o.box); err != nil {
					t.Fatal(err)
				}
			}
			after := o.bytes()
			for _, s := range secrets {
				if bytes.Contains(after, []byte(s)) {
					t.Errorf("%q is in the database still", s)
				}
			}
			if got := o.open(secret.Place{Table: "deployment_webhooks", Row: "7", Column: "address"},
				`SELECT address FROM deployment_webhooks WHERE id = 7`); got != "https://hooks.example.com/"+slackPath+"?a=b" {
				t.Errorf("the webhook's address is %q", got)
			}
			if got := o.texts(`SELECT origin FROM deployment_webhooks`); got[0] != "https://hooks.example.com" {
				t.Errorf("the webhook's origin is %q", got)
			}
			if got := o.open(secret.Place{Table: "deployments", Row: "3", Column: "hook_variables"},
				`SELECT hook_variables FROM deployments WHERE id = 3`); got != `{"TOKEN":"`+variable+`"}` {
				t.Errorf("the variables are %q", got)
			}
			if got := o.texts(`SELECT COUNT(*) FROM deployments WHERE hook_variables IS NULL`); got[0] != "2" {
				t.Errorf("%s deployments have no variables", got)
			}
			var kept map[string]any
			text := o.open(secret.Place{Table: "idempotency_keys", Row: "token:1 /api/x k", Column: "response"}, `SELECT response FROM idempotency_keys`)
			if err := json.Unmarshal([]byte(text), &kept); err != nil || kept["request"] != digest || kept["event"] != 4.0 {
				t.Errorf("the kept answer is %s (%v)", text, err)
			}
			lines := o.texts(`SELECT COALESCE(was, '-') || COALESCE(became, '-') FROM audit_entries WHERE id < 100 ORDER BY id`)
			for i, want := range []string{
				`{"url":"[redacted]"}{"url":"[redacted]"}`,
				`-{"name":"nightly","ping_url":"[redacted]"}`,
				`-{"data":[{"id":"7","url":"[redacted]"}]}`,
				`{"name":"web","private_ip_address":"[redacted]"}{"name":"` + publicText + `","url":"https://example.com/"}`,
				`-{"redacted":true}`,
				`-{"about":["[redacted]"],"inner":{"text":"[redacted]"}}`,
			} {
				if lines[i] != want {
					t.Errorf("entry %d is %s, want %s", i+1, lines[i], want)
				}
			}
			if got := o.texts(`SELECT name FROM settings WHERE name = '` + SettingScrub + `'`); len(got) > 0 {
				t.Error("the remains are to be scrubbed still")
			}
		})
	}
}

// Deleted content leaves SQLite's files once the log is written back: it does not stay in free pages.
func TestDeletedRowLeavesTheFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d, err := Open(t.Context(), Config{Dir: dir, Clock: clock.System{}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	const value = "dEl3t3d-v4lu3"
	err = d.Tx(t.Context(), func(ctx context.Context, tx *Tx) error { return tx.PutSetting(ctx, "x", strings.Repeat(value, 5000)) })
	if err == nil {
		_, err = d.writer(t.Context()).ExecContext(t.Context(), `DELETE FROM settings WHERE name = 'x'`)
	}
	if err == nil {
		_, err = d.writer(t.Context()).ExecContext(t.Context(), `PRAGMA wal_checkpoint(TRUNCATE)`)
	}
	if err != nil {
		t.Fatal(err)
	}
	o := &old{DB: d, t: t, dir: dir}
	if bytes.Contains(o.bytes(), []byte(value)) {
		t.Error("the deleted value is in the file")
	}
}
