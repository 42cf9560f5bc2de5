package db_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
)

// claims are the values that can exist once in the whole installation, with why none of them binds another organization or tells of it: it is random, the
// service names it, it is proven before it is claimed, or the operator makes it.
var claims = map[string]string{
	// Random, of more values than can be tried: they are known to who received one.
	"email_tokens hash":         "a digest of a random token",
	"heartbeats token_hash":     "a digest of a random token",
	"invitations token_hash":    "a digest of a random token",
	"oauth_clients client_id":   "random",
	"oauth_devices device_hash": "a digest of a random code",
	"oauth_devices user_code":   "random, of eight letters; one that exists is drawn again by the program that asks again, and wrong ones are counted",
	"oauth_grants code_hash":    "a digest of a random code",
	"oauth_tokens hash":         "a digest of a random token",
	"projects hook_hash":        "a digest of a random token",
	"server_orders name":        "random, drawn for each order",
	"sessions hash":             "a digest of a random token",
	"tokens hash":               "a digest of a random token",

	// Of rows that exist already, by ids that the database draws.
	"applied kind, id":             "the id of a resource, whose row is one server's",
	"source_control_links site_id": "the id of a site, which is one organization's; it outlives the site, so that nothing refers to it",

	// Named by the service itself, never by a caller.
	"leases name":                    "of servers' ids and of the service's own work",
	"mails name":                     "random",
	"settings name":                  "of the service's own settings, and of servers' ids",
	"shared_acme_accounts directory": "the account from before each organization had its own; nothing adds one",

	// An authority has an account of each organization, and its authorizations are those of an account. The operator chooses the authority.
	"acme_authorizations location": "an address that the authority gives to the organization's account",

	// Claimed by people.
	"idempotency_keys caller, route, idempotency_key": "the caller is part of it, so that others' keys are other keys",
	"organizations slug":                              "made by the operator on the machine (hostler org create); no caller of the API names one",
	"throttles name": "digests of accounts and addresses; addresses that a person signed in from are not stopped by the " +
		"failures of others (TestWrongSignIns)",
	"users email": "a person's; who signs up with an address that exists is answered alike, and proves it by a link (TestAnswersDoNotTellOfOthers)",
}

// unique is a unique index: its table, and the text that defines it.
type unique struct{ table, text string }

// uniqueIndexes are all unique indexes but those of ids, and the columns of each table that refer to another one.
func uniqueIndexes(t *testing.T, d *db.DB) (indexes []unique, refers map[string]map[string]string) {
	t.Helper()
	refers = map[string]map[string]string{}
	mustTx(t, d, func(ctx context.Context, tx *db.Tx) error {
		each := func(query string, columns int, fn func(row []string)) error {
			rows, err := tx.SQL.QueryContext(ctx, query)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				row, into := make([]string, columns), make([]any, columns)
				for i := range row {
					into[i] = &row[i]
				}
				if err := rows.Scan(into...); err != nil {
					return err
				}
				fn(row)
			}
			return rows.Err()
		}
		index := func(row []string) { indexes = append(indexes, unique{row[0], row[1]}) }
		refer := func(row []string) {
			if refers[row[0]] == nil {
				refers[row[0]] = map[string]string{}
			}
			refers[row[0]][row[1]] = row[2]
		}
		if d.Dialect == db.PostgreSQL {
			if err := each(`SELECT c.relname, pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
				WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace`, 2, index); err != nil {
				return err
			}
			return each(`SELECT c.relname, a.attname, f.relname FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
				JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1] WHERE k.contype = 'f' AND cardinality(k.conkey) = 1`, 3, refer)
		}
		if err := each(`SELECT m.name, coalesce(x.sql, '(' || (SELECT group_concat(i.name, ', ') FROM pragma_index_info(l.name) i) || ')')
			FROM sqlite_master m JOIN pragma_index_list(m.name) l ON l."unique"
				LEFT JOIN sqlite_master x ON x.type = 'index' AND x.name = l.name WHERE m.type = 'table'`, 2, index); err != nil {
			return err
		}
		return each(`SELECT m.name, f."from", f."table" FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f WHERE m.type = 'table'`, 3, refer)
	})
	return indexes, refers
}

var (
	listOf  = regexp.MustCompile(`(?s)\((.*?)\)\s*(?:WHERE.*)?$`)
	columns = regexp.MustCompile(`\w+`)
)

// A new value that exists once in the whole installation fails this test until it is said why that binds no other organization.
func TestClaimsBindNoOtherOrganization(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, d *db.DB) {
		indexes, refers := uniqueIndexes(t, d)
		owned := map[string]bool{"organizations": true, "users": true}
		for more := true; more; { // tables whose rows belong to an organization or a person, directly or through another
			more = false
			for table, columns := range refers {
				for _, to := range columns {
					if owned[to] && !owned[table] {
						owned[table], more = true, true
					}
				}
			}
		}
		var open []string
		for _, i := range indexes {
			if strings.HasPrefix(i.table, "river_") || strings.HasPrefix(i.table, "goose_") || strings.HasPrefix(i.table, "sqlite_") {
				continue
			}
			m := listOf.FindStringSubmatch(i.text)
			if m == nil {
				t.Errorf("the index of %s can't be read: %s", i.table, i.text)
				continue
			}
			names := columns.FindAllString(m[1], -1)
			if slices.Equal(names, []string{"id"}) || slices.ContainsFunc(names, func(c string) bool { return owned[refers[i.table][c]] }) {
				continue
			}
			open = append(open, i.table+" "+strings.Join(names, ", "))
		}
		slices.Sort(open)
		for _, claim := range slices.Compact(open) {
			if claims[claim] == "" {
				t.Errorf("%q is unique in the whole installation, and nothing says why that binds no other organization", claim)
			}
		}
		for claim := range claims {
			if !slices.Contains(open, claim) {
				t.Errorf("%q is not unique in the whole installation any more", claim)
			}
		}
	})
}
