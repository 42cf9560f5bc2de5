package db_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// Certificates and their earlier operations are migrated: a host has the certificate that its domain had before the open
// operations, and the key of a renewed one stays readable.
func TestLedgerTakesOverCertificates(t *testing.T) {
	t.Parallel()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			d := unmigrated(t, dialect, 304)
			key, err := secret.NewKey()
			if err != nil {
				t.Fatal(err)
			}
			box, err := secret.NewBox(key)
			if err != nil {
				t.Fatal(err)
			}
			place := func(id int, column string) secret.Place {
				return secret.Place{Table: "certificates", Row: strconv.Itoa(id), Column: column}
			}
			exec := func(text string, args ...any) {
				t.Helper()
				if _, err := d.SQLDB().ExecContext(t.Context(), text, args...); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
			exec(`INSERT INTO sites (id, organization_id, server_id, name, type, status, unix_user, isolated, web_directory, php_version, wildcards, www_redirect_type, created_at, updated_at)
				VALUES (1, 1, 1, 'a', 'static-html', 'installed', 'forge', FALSE, '', '', FALSE, 'none', 1, 1)`)
			domain := func(id int, certificate any) {
				t.Helper()
				exec(`INSERT INTO domains (id, site_id, name, type, status, www_redirect_type, wildcard, first, challenge, certificate_id, created_at, updated_at) VALUES ($1, 1, $2, 'alias', 'enabled', 'none', FALSE, FALSE, '', $3, 1, 1)`,
					id, fmt.Sprint("d", id), certificate)
			}
			certificate := func(id, domain int, chain any, next any) {
				t.Helper()
				sealed := func(column, text string) []byte {
					raw, err := box.Seal(place(id, column), []byte(text))
					if err != nil {
						t.Fatal(err)
					}
					return raw
				}
				exec(`INSERT INTO certificates (id, site_id, domain_id, type, request_status, status, enable, names, chain, private_key, next_chain, next_private_key, failure, failures, created_at, updated_at)
					VALUES ($1, 1, $2, 'existing', 'created', 'installed', TRUE, '', $3, $4, $5, $6, '', 0, 1, 1)`, id, domain, chain, sealed("private_key", fmt.Sprint("key ", id)), next, sealed("next_private_key", fmt.Sprint("next ", id)))
			}
			operation := func(id, of int, action, state, request string) {
				t.Helper()
				exec(`INSERT INTO operations (id, organization_id, server_id, aspect, resource_type, resource_id, action, description, request, state, step, reason, attempt, cancelled, deadline, created_at, updated_at)
					VALUES ($1, 1, 1, 'web', 'certificates', $2, $3, '', $4, $5, '', '', 0, FALSE, 1, 1, 1)`, id, of, action, request, state)
			}
			domain(1, 1) // served with one of two
			certificate(1, 1, "A", nil)
			certificate(2, 1, "B", nil)
			domain(2, 4) // being moved from one to another
			certificate(3, 2, "C", nil)
			certificate(4, 2, "D", nil)
			operation(1, 4, "enable", "running", `{"domain_id": 2, "before": 3, "after": 4}`)
			domain(3, 5) // served with one that is being renewed
			certificate(5, 3, "E", "E2")
			operation(2, 5, "install", "pending", `{"domain_id": 3, "before": 5, "after": 5}`)
			domain(4, nil) // has a request that waits for its signature, and could not be deleted
			certificate(6, 4, nil, nil)
			operation(3, 6, "delete", "failed", `{"domain_id": 4, "before": null, "after": null}`)
			domain(5, nil) // is being switched to plain HTTP
			certificate(7, 5, "F", nil)
			operation(4, 7, "disable", "pending", `{"domain_id": 5, "before": 7, "after": null}`)
			if err := d.Migrate(t.Context(), box); err != nil {
				t.Fatal(err)
			}
			wantTexts := func(query string, want ...string) {
				t.Helper()
				var got []string
				for _, raw := range texts(t, d, query) {
					var r struct {
						ID, DomainID, Operation int
						Specification           *struct {
							DomainID int `json:"domain_id"`
							Active   bool
							Chain    string
							Key      []byte
						}
					}
					if err := json.Unmarshal([]byte(raw), &r); err != nil {
						t.Fatal(err)
					}
					if r.Specification == nil {
						got = append(got, fmt.Sprintf("%d in %d gone", r.ID, r.Operation))
						continue
					}
					text, err := box.Open(place(r.ID, "private_key"), r.Specification.Key)
					if err != nil {
						t.Fatal(err)
					}
					got = append(got, fmt.Sprintf("%d in %d of %d %v %s %s", r.ID, r.Operation, r.Specification.DomainID, r.Specification.Active, r.Specification.Chain, text))
				}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s is\n%q, want\n%q", query, got, want)
				}
			}
			const columns = `'{"id": ' || id || ', "operation": ' || operation_id || ', "specification": ' || COALESCE(specification, 'null') || '}'`
			wantTexts(`SELECT `+columns+` FROM applied WHERE kind = 'certificates' ORDER BY id`,
				"1 in 0 of 1 true A key 1", "2 in 0 of 1 false B key 2", "3 in 0 of 2 true C key 3", "4 in 0 of 2 false D key 4", "5 in 0 of 3 true E key 5", "6 in 0 of 4 false  key 6", "7 in 0 of 5 true F key 7")
			wantTexts(`SELECT `+columns+` FROM wishes WHERE kind = 'certificates' ORDER BY operation_id, id`,
				"3 in 1 of 2 false C key 3", "4 in 1 of 2 true D key 4", "5 in 2 of 3 true E2 next 5", "6 in 3 gone", "7 in 4 of 5 false F key 7")
		})
	}
}
