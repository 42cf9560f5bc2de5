package db_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/secret/secrettest"
)

// Databases and their accounts are migrated: what the server has, what open and failed operations ask for, and their passwords.
func TestLedgerTakesOverDatabases(t *testing.T) {
	t.Parallel()
	bothBefore(t, 299, func(t *testing.T, b before) {
		box := secrettest.Box(t)
		seal := func(table string, row int, text string) []byte {
			sealed, err := box.Seal(secret.Place{Table: table, Row: strconv.Itoa(row), Column: "password"}, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			return sealed
		}
		database := func(id int, status string, adopted, present bool) {
			b.exec(`INSERT INTO databases (id, server_id, name, status, adopted, present, created_at, updated_at) VALUES ($1, 1, $2, $3, $4, $5, 1, 1)`, id, "d"+strconv.Itoa(id), status, adopted, present)
		}
		database(1, "installed", false, true)
		b.operation(1, "databases", 1, "create", "succeeded", "null")
		database(2, "installing", false, false)
		b.operation(2, "databases", 2, "create", "pending", "null")
		database(3, "installed", false, false) // it never was
		b.operation(3, "databases", 3, "create", "failed", "null")
		b.operation(4, "databases", 3, "delete", "failed", "null")
		database(4, "removing", true, true)
		b.operation(5, "databases", 4, "delete", "running", "null")
		account := func(id int, status string, present bool, password []byte) {
			b.exec(`INSERT INTO database_users (id, server_id, name, host, status, read_only, main, adopted, present, password, created_at, updated_at) VALUES ($1, 1, $2, '%', $3, FALSE, FALSE, FALSE, $4, $5, 1, 1)`,
				id, "u"+strconv.Itoa(id), status, present, password)
		}
		kept := func(operation, user int, text string) {
			b.exec(`INSERT INTO database_passwords (operation_id, user_id, password) VALUES ($1, $2, $3)`, operation, user, seal("database_passwords", operation, text))
		}
		account(1, "updating", true, seal("database_users", 1, "old"))
		b.exec(`INSERT INTO database_grants (user_id, database_id) VALUES (1, 4)`)
		b.operation(11, "databaseUsers", 1, "create", "succeeded", `{"database_ids":[1],"grants":true,"password":true}`)
		b.operation(12, "databaseUsers", 1, "update", "running", `{"database_ids":[2],"before":[1],"grants":true,"password":true}`)
		kept(12, 1, "new")
		b.operation(13, "databaseUsers", 1, "update", "pending", `{"database_ids":[4],"before":[2],"grants":true}`)
		account(2, "failed", false, nil)
		b.exec(`INSERT INTO database_grants (user_id, database_id) VALUES (2, 1)`)
		b.operation(14, "databaseUsers", 2, "create", "failed", `{"database_ids":[1],"grants":true,"password":true}`)
		kept(14, 2, "never")
		account(3, "installed", true, nil)
		b.operation(15, "databaseUsers", 3, "delete", "failed", "{}")
		b.migrate(box)
		b.want(`SELECT id || ' by ' || operation_id || ' ' || specification FROM applied WHERE kind = 'databases' ORDER BY id`,
			`1 by 1 {"name":"d1"}`, `4 by 0 {"name":"d4","adopted":true}`)
		b.want(`SELECT id || ' in ' || operation_id || ' ' || COALESCE(specification, 'gone') FROM wishes WHERE kind = 'databases' ORDER BY operation_id`,
			`2 in 2 {"name":"d2"}`, `3 in 3 {"name":"d3"}`, `3 in 4 gone`, `4 in 5 gone`)
		b.want(`SELECT id || ' ' || status FROM databases ORDER BY id`,
			"1 installed", "2 installing", "3 failed", "4 removing")
		b.want(`SELECT id || ' ' || status FROM database_users ORDER BY id`,
			"1 updating", "2 failed", "3 installed")
		var got []string
		for _, text := range b.texts(`SELECT 'applied ' || id || ' ' || specification FROM applied WHERE kind = 'databaseUsers' ORDER BY id`) {
			got = append(got, opened(t, box, text))
		}
		for _, text := range b.texts(`SELECT 'wished ' || id || ' ' || COALESCE(specification, '{}') FROM wishes WHERE kind = 'databaseUsers' ORDER BY operation_id`) {
			got = append(got, opened(t, box, text))
		}
		want := []string{
			`applied 1: u1 may [1] with "old" set before`, `applied 3: u3 may [] with "" set before`,
			`wished 1: u1 may [2] with "new"`, `wished 1: u1 may [4] with "new"`, `wished 2: u2 may [1] with "never"`, `wished 3:  may [] with "" set before`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("accounts (-want +got):\n%s", diff)
		}
	})
}

// opened is what a line with the specification of an account says, with its password.
func opened(t *testing.T, box *secret.Box, line string) string {
	t.Helper()
	var what, raw string
	var id int
	if _, err := fmt.Sscan(line, &what, &id, &raw); err != nil {
		t.Fatal(err)
	}
	var spec struct {
		Name           string
		Databases      []int
		Password, Salt []byte
	}
	if err := json.Unmarshal([]byte(raw), &spec); err != nil {
		t.Fatal(err)
	}
	password := ""
	if spec.Password != nil {
		plain, err := box.Open(secret.Place{Table: "database_users", Row: strconv.Itoa(id), Column: "password"}, spec.Password)
		if err != nil {
			t.Fatal(err)
		}
		password = string(plain)
	}
	out := fmt.Sprintf("%s %d: %s may %v with %q", what, id, spec.Name, spec.Databases, password)
	if spec.Salt == nil {
		out += " set before"
	}
	return out
}
