package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// sealVersion is the migration that seals what earlier versions stored in clear. It is between the SQL that adds the sealed
// columns and the SQL that drops the clear ones.
const sealVersion = 261

// SettingScrub is set while secrets were removed from rows and their remnants are still in the database's files.
const SettingScrub = "migration:scrub"

var errNoBox = errors.New("sealing what the database holds in clear needs the master key")

// sealed is migration 261, in one transaction: addresses of webhooks and variables of deploy hooks are sealed, the digest of a
// request is moved into the sealed answer, and addresses are removed from the audit log.
func sealed(box *secret.Box) func(context.Context, *sql.Tx) error {
	return func(ctx context.Context, tx *sql.Tx) error {
		touched := 0
		for _, step := range []func(context.Context, *sql.Tx, *secret.Box) (int, error){sealWebhooks, sealVariables, sealDigests, cleanAudit} {
			n, err := step(ctx, tx, box)
			if err != nil {
				return err
			}
			touched += n
		}
		if touched == 0 {
			return nil
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES ($1, 'pending')`, SettingScrub); err != nil {
			return fmt.Errorf("note that remains are to be scrubbed: %w", err)
		}
		return nil
	}
}

// each reads all rows before it calls f, because no other statement may run on the connection meanwhile.
func each(ctx context.Context, tx *sql.Tx, columns int, query string, args ...any) ([][]string, error) {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out [][]string
	for rows.Next() {
		texts := make([]sql.NullString, columns)
		into := make([]any, columns)
		for i := range texts {
			into[i] = &texts[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		row := make([]string, columns)
		for i, t := range texts {
			row[i] = t.String
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

func seal(ctx context.Context, tx *sql.Tx, box *secret.Box, p secret.Place, plain string) error {
	if box == nil {
		return errNoBox
	}
	value, err := box.Seal(p, []byte(plain))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE "+p.Table+" SET "+p.Column+" = $1 WHERE id = "+p.Row, value) //nolint:gosec // names and ids of ours
	return err
}

func sealWebhooks(ctx context.Context, tx *sql.Tx, box *secret.Box) (int, error) {
	rows, err := each(ctx, tx, 2, `SELECT id, url FROM deployment_webhooks`)
	for _, row := range rows {
		if err = seal(ctx, tx, box, secret.Place{Table: "deployment_webhooks", Row: row[0], Column: "address"}, row[1]); err != nil {
			break
		}
		if _, err = tx.ExecContext(ctx, `UPDATE deployment_webhooks SET origin = $1, url = '' WHERE id = `+row[0], origin(row[1])); err != nil {
			break
		}
	}
	if err != nil {
		return 0, fmt.Errorf("seal addresses of webhooks: %w", err)
	}
	return len(rows), nil
}

// origin returns the part of an address that is not secret.
func origin(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

func sealVariables(ctx context.Context, tx *sql.Tx, box *secret.Box) (int, error) {
	rows, err := each(ctx, tx, 2, `SELECT id, variables FROM deployments WHERE variables NOT IN ('', '{}', 'null')`)
	for _, row := range rows {
		if err = seal(ctx, tx, box, secret.Place{Table: "deployments", Row: row[0], Column: "hook_variables"}, row[1]); err != nil {
			break
		}
	}
	if err == nil {
		_, err = tx.ExecContext(ctx, `UPDATE deployments SET variables = ''`)
	}
	if err != nil {
		return 0, fmt.Errorf("seal variables of deploy hooks: %w", err)
	}
	return len(rows), nil
}

// sealDigests moves the digest of a request, which would allow short passwords to be guessed, into the sealed answer.
func sealDigests(ctx context.Context, tx *sql.Tx, box *secret.Box) (int, error) {
	rows, err := each(ctx, tx, 6, `SELECT id, caller, route, idempotency_key, request_hash, response FROM idempotency_keys WHERE response IS NOT NULL`)
	for _, row := range rows {
		if err = sealDigest(ctx, tx, box, row); err != nil {
			break
		}
	}
	if err == nil {
		_, err = tx.ExecContext(ctx, `UPDATE idempotency_keys SET request_hash = ''`)
	}
	if err != nil {
		return 0, fmt.Errorf("seal digests of requests: %w", err)
	}
	return len(rows), nil
}

func sealDigest(ctx context.Context, tx *sql.Tx, box *secret.Box, row []string) error {
	if box == nil {
		return errNoBox
	}
	place := secret.Place{Table: "idempotency_keys", Row: row[1] + " " + row[2] + " " + row[3], Column: "response"}
	plain, err := box.Open(place, []byte(row[5]))
	if err != nil {
		return err
	}
	var kept map[string]json.RawMessage
	if err := json.Unmarshal(plain, &kept); err != nil {
		return err
	}
	kept["request"] = json.RawMessage(strconv.Quote(row[4]))
	if plain, err = json.Marshal(kept); err != nil {
		return err
	}
	value, err := box.Seal(place, plain)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE idempotency_keys SET response = $1 WHERE id = `+row[0], value)
	return err
}

// cleanAudit removes from the audit log what earlier versions stored: addresses of deploy hooks, heartbeats and webhooks. Entries
// without an address are not read.
func cleanAudit(ctx context.Context, tx *sql.Tx, _ *secret.Box) (int, error) {
	const batch = 500
	cleaned, last := 0, "0"
	for {
		rows, err := each(ctx, tx, 4, `SELECT id, operation, was, became FROM audit_entries WHERE id > `+last+` AND (was LIKE '%url"%' OR became LIKE '%url"%' OR was LIKE '%/deploy/%'
			OR became LIKE '%/deploy/%' OR was LIKE '%/heartbeats/%' OR became LIKE '%/heartbeats/%') ORDER BY id LIMIT `+strconv.Itoa(batch))
		if err != nil {
			return 0, fmt.Errorf("clean the audit log: %w", err)
		}
		for _, row := range rows {
			was, became := withoutAddresses(row[1], row[2]), withoutAddresses(row[1], row[3])
			last = row[0]
			if was == row[2] && became == row[3] {
				continue
			}
			if _, err := tx.ExecContext(ctx, `UPDATE audit_entries SET was = NULLIF($1, ''), became = NULLIF($2, '') WHERE id = `+row[0], was, became); err != nil {
				return 0, fmt.Errorf("clean the audit log: %w", err)
			}
			cleaned++
		}
		if len(rows) < batch {
			return cleaned, nil
		}
	}
}

// capability matches the addresses that are secrets: a deploy hook's and a heartbeat's.
var capability = regexp.MustCompile(`/(?:deploy|heartbeats)/[A-Za-z0-9_-]{20,128}`)

// withoutAddresses returns an entry's attributes without secret addresses. Attributes that can't be decoded are redacted as a whole.
func withoutAddresses(operation, text string) string {
	if text == "" {
		return ""
	}
	var attributes map[string]any
	if json.Unmarshal([]byte(text), &attributes) != nil {
		return `{"redacted":true}`
	}
	hooks := strings.Contains(operation, "deploy-hook") || strings.Contains(operation, ".webhooks.")
	if !redact(attributes, hooks) {
		return text
	}
	out, err := json.Marshal(attributes)
	if err != nil {
		return `{"redacted":true}`
	}
	return string(out)
}

// redact reports whether there was something to redact.
func redact(attributes map[string]any, hooks bool) (found bool) {
	for name, v := range attributes {
		switch v := v.(type) {
		case map[string]any:
			found = redact(v, hooks) || found
		case []any:
			for i, item := range v {
				inner, ok := item.(map[string]any)
				text, isText := item.(string)
				if ok {
					found = redact(inner, hooks) || found
				} else if isText && capability.MatchString(text) {
					v[i], found = secret.String(text).String(), true
				}
			}
		case string:
			if v != "" && (name == "ping_url" || name == "deployment_url" || name == "url" && hooks || capability.MatchString(v)) {
				attributes[name], found = secret.String(v).String(), true
			}
		}
	}
	return found
}

// scrub removes deleted content from the files: it stays in free pages, in dead rows and in the write-ahead log. It needs room
// for a copy; without it, the panel still starts, doctor reports it, and the next start tries again.
func (d *DB) scrub(ctx context.Context) error {
	var pending string
	err := d.writer(ctx).QueryRowContext(ctx, `SELECT value FROM settings WHERE name = $1`, SettingScrub).Scan(&pending)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read settings: %w", err)
	}
	if err := d.rewriteAll(ctx); err != nil {
		return nil //nolint:nilerr // said by doctor
	}
	if _, err = d.writer(ctx).ExecContext(ctx, `DELETE FROM settings WHERE name = $1`, SettingScrub); err != nil {
		return fmt.Errorf("note that old secrets are scrubbed: %w", err)
	}
	return nil
}

func (d *DB) rewriteAll(ctx context.Context) error {
	if d.Dialect == SQLite {
		return d.Rewrite(ctx)
	}
	for _, table := range []string{"deployment_webhooks", "deployments", "idempotency_keys", "audit_entries"} {
		if _, err := d.writer(ctx).ExecContext(ctx, "VACUUM FULL "+table); err != nil {
			return err
		}
	}
	return nil
}
