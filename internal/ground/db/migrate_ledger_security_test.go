package db_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/secret/secrettest"
)

// Security rules in every status, with their open operations, are migrated, and each shows what its host has; their users stay sealed.
func TestLedgerTakesOverSecurityRules(t *testing.T) {
	t.Parallel()
	box := secrettest.Box(t)
	place := func(id int) secret.Place {
		return secret.Place{Table: "security_rules", Row: strconv.Itoa(id), Column: "credentials"}
	}
	users := func(id int, name string) []byte {
		t.Helper()
		sealed, err := box.Seal(place(id), fmt.Appendf(nil, `[{"name":%q,"hash":"$2a$05$x"}]`, name))
		if err != nil {
			t.Fatal(err)
		}
		return sealed
	}
	const kind = "securityRules"
	bothBefore(t, 302, func(t *testing.T, b before) {
		b.site(12)
		rule := func(id int, name, status string) {
			b.exec(`INSERT INTO security_rules (id, site_id, name, path, credentials, status, created_at, updated_at) VALUES ($1, 12, $2, '/p', $3, $4, 5, 5)`, id, name, users(id, name), status)
		}
		kept := func(id int, name, status string) string {
			return fmt.Sprintf(`{"ID":%d,"SiteID":12,"Name":%q,"Path":"/p","Credentials":%q,"Status":%q,"OperationID":null,"CreatedAt":5,"UpdatedAt":5}`,
				id, name, base64.StdEncoding.EncodeToString(users(id, name)), status)
		}
		change := func(before, after string) string { return `{"before":` + before + `,"after":` + after + `}` }
		const none = `{"ID":0,"SiteID":0,"Name":"","Path":null,"Credentials":null,"Status":"","OperationID":null,"CreatedAt":0,"UpdatedAt":0}`
		rule(1, "first", "installed") // from before operations were kept
		rule(2, "asked", "updating")
		b.operation(102, kind, 2, "create", "succeeded", "null")
		b.operation(103, kind, 2, "update", "pending", change(kept(2, "had", "installed"), kept(2, "asked", "installed")))
		rule(3, "new", "installing")
		b.operation(104, kind, 3, "create", "running", "null")
		rule(4, "never", "installed") // its creation failed, and then its deletion
		b.operation(105, kind, 4, "create", "failed", "null")
		b.operation(106, kind, 4, "delete", "failed", change(kept(4, "never", "installing"), none))
		rule(5, "one", "installed") // of two updates that failed, the first stayed in the row
		b.operation(107, kind, 5, "create", "succeeded", "null")
		b.operation(108, kind, 5, "update", "failed", change(kept(5, "had", "installed"), kept(5, "one", "installed")))
		b.operation(109, kind, 5, "update", "cancelled", change(kept(5, "one", "updating"), kept(5, "two", "updating")))
		rule(6, "goes", "removing")
		b.operation(110, kind, 6, "create", "succeeded", "null")
		b.operation(111, kind, 6, "delete", "pending", change(kept(6, "goes", "installed"), none))
		if err := b.d.Migrate(t.Context(), nil); err == nil {
			t.Fatal("sealed users were read without the key")
		}
		b.migrate(box)
		b.want(`SELECT id || ' ' || name || ' ' || status FROM security_rules ORDER BY id`, "1 first installed",
			"2 asked updating", "3 new installing", "4 never failed", "5 had installed", "6 goes removing")
		if diff := cmp.Diff([]string{"1 by 0 /p first:$2a$05$x\n", "2 by 102 /p had:$2a$05$x\n", "5 by 107 /p had:$2a$05$x\n", "6 by 110 /p goes:$2a$05$x\n"},
			specifications(t, b.d, box, place, `SELECT id, operation_id, specification FROM applied WHERE kind = 'securityRules' ORDER BY id`, "by")); diff != "" {
			t.Errorf("applied (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{
			"2 in 103 /p asked:$2a$05$x\n", "3 in 104 /p new:$2a$05$x\n", "4 in 105 /p never:$2a$05$x\n",
			"4 in 106 gone", "5 in 108 /p one:$2a$05$x\n", "5 in 109 /p two:$2a$05$x\n", "6 in 111 gone",
		},
			specifications(t, b.d, box, place,
				`SELECT id, operation_id, specification FROM wishes WHERE kind = 'securityRules' ORDER BY id, operation_id`, "in")); diff != "" {
			t.Errorf("asked for (-want +got):\n%s", diff)
		}
		var sealed []byte
		if err := b.d.SQLDB().QueryRowContext(t.Context(), `SELECT credentials FROM security_rules WHERE id = 5`).Scan(&sealed); err != nil {
			t.Fatal(err)
		}
		if text, err := box.Open(place(5), sealed); err != nil || string(text) != "had:$2a$05$x\n" {
			t.Errorf("the row has %q, %v", text, err)
		}
	})
}

// specifications opens the users in the results of a query.
func specifications(t *testing.T, d *db.DB, box *secret.Box, place func(id int) secret.Place, query, word string) (out []string) {
	t.Helper()
	rows, err := d.SQLDB().QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id, operation int
		var raw *string
		if err := rows.Scan(&id, &operation, &raw); err != nil {
			t.Fatal(err)
		}
		if raw == nil {
			out = append(out, fmt.Sprintf("%d %s %d gone", id, word, operation))
			continue
		}
		var spec struct {
			Path  string
			Users []byte
		}
		if err := json.Unmarshal([]byte(*raw), &spec); err != nil {
			t.Fatal(err)
		}
		text, err := box.Open(place(id), spec.Users)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%d %s %d %s %s", id, word, operation, spec.Path, text))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}
