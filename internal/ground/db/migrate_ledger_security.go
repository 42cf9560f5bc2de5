package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"

	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// securityBackfill returns the migration that writes the ledger of security rules. It seals the users of each as the text of
// their file; they were sealed as JSON.
func securityBackfill(box *secret.Box) *goose.Migration {
	return goose.NewGoMigration(303, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
		if err := backfillSecurity(ctx, tx, box); err != nil {
			return fmt.Errorf("write the ledger of security rules: %w", err)
		}
		return nil
	}}, nil)
}

const kindSecurity = "securityRules"

type securitySpec struct {
	SiteID int64   `json:"site_id"`
	Name   string  `json:"name"`
	Path   *string `json:"path,omitempty"`
	Users  []byte  `json:"users"`
}

// pastSecurity is a row of a rule as stored in requests.
type pastSecurity struct {
	ID, SiteID  int64
	Name        string
	Path        *string
	Credentials []byte
	Status      string
}

func (p pastSecurity) specification(box *secret.Box) (securitySpec, error) {
	users, err := usersText(box, p.ID, p.Credentials)
	return securitySpec{p.SiteID, p.Name, p.Path, users}, err
}

// usersText seals users as the text of their file.
func usersText(box *secret.Box, id int64, sealed []byte) ([]byte, error) {
	if box == nil {
		return nil, errNoBox
	}
	place := secret.Place{Table: "security_rules", Row: strconv.FormatInt(id, 10), Column: "credentials"}
	raw, err := box.Open(place, sealed)
	if err != nil {
		return nil, err
	}
	var users []struct{ Name, Hash string }
	if err := json.Unmarshal(raw, &users); err != nil {
		return nil, fmt.Errorf("users of security rule %d: %w", id, err)
	}
	var text strings.Builder
	for _, u := range users {
		text.WriteString(u.Name + ":" + u.Hash + "\n")
	}
	return box.Seal(place, []byte(text.String()))
}

// securityRequest is the request of an operation on a rule: the rule before and after.
type securityRequest struct {
	Before *pastSecurity `json:"before"`
	After  *pastSecurity `json:"after"`
}

func backfillSecurity(ctx context.Context, tx *sql.Tx, box *secret.Box) error {
	type row struct {
		pastSecurity
		server int64
	}
	rows, err := scan(ctx, tx,
		`SELECT r.id, r.site_id, r.name, r.path, r.credentials, r.status, s.server_id FROM security_rules r JOIN sites s ON s.id = r.site_id ORDER BY r.id`,
		func(r *row) []any {
			return []any{&r.ID, &r.SiteID, &r.Name, &r.Path, &r.Credentials, &r.Status, &r.server}
		})
	if err != nil {
		return err
	}
	for _, r := range rows {
		ops, err := pastOperationsOn(ctx, tx, kindSecurity, r.ID)
		if err == nil {
			err = backfillSecurityRule(ctx, tx, box, r.pastSecurity, r.server, ops)
		}
		if err != nil {
			return fmt.Errorf("security rule %d: %w", r.ID, err)
		}
	}
	return nil
}

// backfillSecurityRule writes what is applied of a rule, and what its operations asked for. A rule is on its host if an operation
// that installs it succeeded, whatever its status says, with the content of the newest such operation.
func backfillSecurityRule(ctx context.Context, tx *sql.Tx, box *secret.Box, row pastSecurity, server int64, ops []pastOperation) error {
	applied, host := row.Status != "installing" && row.Status != "failed", row
	by, open := int64(0), false
	requests := make([]securityRequest, len(ops))
	for i, op := range ops {
		if err := op.decode(&requests[i]); err != nil {
			return err
		}
		if op.action == "create" {
			applied = false // until a successful operation is found
		}
	}
	created := row // what its creation asked for is in the next request
	for i := len(ops) - 1; i >= 0; i-- {
		if before := requests[i].Before; before != nil {
			created = *before
		}
	}
	if len(ops) > 0 {
		host = created
	}
	for i, op := range ops {
		open = open || op.open()
		wished := &created
		switch op.action {
		case "update":
			wished = requests[i].After
		case "delete":
			wished = nil
		}
		if op.succeeded() {
			if wished != nil {
				applied, host, by = true, *wished, op.id
			}
			continue
		}
		if err := wishSecurity(ctx, tx, box, op.id, row.ID, wished); err != nil {
			return err
		}
	}
	if applied {
		spec, err := host.specification(box)
		if err != nil {
			return err
		}
		if err := putAppliedSpecification(ctx, tx, kindSecurity, row.ID, server, by, spec); err != nil {
			return err
		}
	}
	if !open {
		if row.Status = "failed"; applied {
			host.Status, row = "installed", host
		}
	}
	return mendSecurity(ctx, tx, box, row)
}

// wishSecurity writes what an operation asked for: a rule, or nil for none.
func wishSecurity(ctx context.Context, tx *sql.Tx, box *secret.Box, operation, id int64, rule *pastSecurity) error {
	if rule == nil {
		return putWish(ctx, tx, &operation, kindSecurity, id, nil)
	}
	spec, err := rule.specification(box)
	if err != nil {
		return err
	}
	return putSpecification(ctx, tx, operation, kindSecurity, id, spec)
}

// mendSecurity writes the state that a row shows.
func mendSecurity(ctx context.Context, tx *sql.Tx, box *secret.Box, row pastSecurity) error {
	users, err := usersText(box, row.ID, row.Credentials)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE security_rules SET name = $1, path = $2, credentials = $3, status = $4 WHERE id = $5`, row.Name, row.Path,
		users, row.Status, row.ID)
	return err
}
