package db_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/secret/secrettest"
)

// Certificates and their earlier operations are migrated: a host has the certificate that its domain had before the open
// operations, and the key of a renewed one stays readable.
func TestLedgerTakesOverCertificates(t *testing.T) {
	t.Parallel()
	bothBefore(t, 304, func(t *testing.T, b before) {
		box := secrettest.Box(t)
		place := func(id int, column string) secret.Place {
			return secret.Place{Table: "certificates", Row: strconv.Itoa(id), Column: column}
		}
		b.site(1)
		domain := func(id int, certificate any) {
			t.Helper()
			b.exec(`INSERT INTO domains (id, site_id, name, type, status, www_redirect_type, wildcard, first, challenge, certificate_id, created_at, updated_at) VALUES ($1, 1, $2, 'alias', 'enabled', 'none', FALSE, FALSE, '', $3, 1, 1)`,
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
			b.exec(`INSERT INTO certificates (id, site_id, domain_id, type, request_status, status, enable, names, chain, private_key, next_chain, next_private_key, failure, failures, created_at, updated_at)
					VALUES ($1, 1, $2, 'existing', 'created', 'installed', TRUE, '', $3, $4, $5, $6, '', 0, 1, 1)`, id, domain, chain, sealed("private_key", fmt.Sprint("key ", id)), next, sealed("next_private_key", fmt.Sprint("next ", id)))
		}
		domain(1, 1) // served with one of two
		certificate(1, 1, "A", nil)
		certificate(2, 1, "B", nil)
		domain(2, 4) // being moved from one to another
		certificate(3, 2, "C", nil)
		certificate(4, 2, "D", nil)
		b.operation(1, "certificates", 4, "enable", "running", `{"domain_id": 2, "before": 3, "after": 4}`)
		domain(3, 5) // served with one that is being renewed
		certificate(5, 3, "E", "E2")
		b.operation(2, "certificates", 5, "install", "pending", `{"domain_id": 3, "before": 5, "after": 5}`)
		domain(4, nil) // has a request that waits for its signature, and could not be deleted
		certificate(6, 4, nil, nil)
		b.operation(3, "certificates", 6, "delete", "failed", `{"domain_id": 4, "before": null, "after": null}`)
		domain(5, nil) // is on its way to plain HTTP
		certificate(7, 5, "F", nil)
		b.operation(4, "certificates", 7, "disable", "pending", `{"domain_id": 5, "before": 7, "after": null}`)
		b.migrate(box)
		wantTexts := func(query string, want ...string) {
			t.Helper()
			var got []string
			for _, raw := range b.texts(query) {
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
