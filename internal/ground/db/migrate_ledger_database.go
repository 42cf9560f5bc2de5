package db

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/pressly/goose/v3"

	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// databaseBackfill is the migration that writes the ledger of databases and their accounts from before it. Passwords that operations were to set are
// sealed for the accounts that get them. The shapes of specifications stand here as they were in version 1.
func databaseBackfill(box *secret.Box) *goose.Migration {
	return goose.NewGoMigration(320, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
		if err := backfillDatabases(ctx, tx); err != nil {
			return fmt.Errorf("write the ledger of databases: %w", err)
		}
		if err := backfillAccounts(ctx, tx, box); err != nil {
			return fmt.Errorf("write the ledger of database users: %w", err)
		}
		return nil
	}}, nil)
}

// shown is the status of a row, by what is on its host and the newest open operation.
func shown(present bool, ops []pastOperation, updating string) string {
	for _, o := range slices.Backward(ops) {
		switch {
		case !o.open():
		case o.action == "delete":
			return "removing"
		case present:
			return updating
		default:
			return "installing"
		}
	}
	if present {
		return "installed"
	}
	return "failed"
}

// creator is the operation that made what is on the host, nil where it was found there.
func creator(ops []pastOperation) (by *int64) {
	for _, o := range ops {
		if o.succeeded() && o.action != "delete" {
			by = &o.id
		}
	}
	return by
}

func backfillDatabases(ctx context.Context, tx *sql.Tx) error {
	type database struct {
		id, server       int64
		name             string
		adopted, present bool
	}
	rows, err := scan(ctx, tx, `SELECT id, server_id, name, adopted, present FROM databases ORDER BY id`,
		func(d *database) []any { return []any{&d.id, &d.server, &d.name, &d.adopted, &d.present} })
	if err != nil {
		return err
	}
	for _, d := range rows {
		raw, err := json.Marshal(struct {
			Name    string `json:"name"`
			Adopted bool   `json:"adopted,omitempty"`
		}{d.name, d.adopted})
		if err != nil {
			return err
		}
		spec := string(raw)
		ops, err := pastOperationsOn(ctx, tx, "databases", d.id)
		if err != nil {
			return err
		}
		if d.present {
			if err := putApplied(ctx, tx, "databases", d.id, d.server, creator(ops), spec); err != nil {
				return err
			}
		}
		for _, o := range ops {
			wished := &spec
			if o.action == "delete" {
				wished = nil
			}
			if o.succeeded() {
				continue
			}
			if err := putWish(ctx, tx, &o.id, "databases", d.id, wished); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, `UPDATE databases SET status = $1 WHERE id = $2`, shown(d.present, ops, "installing"), d.id); err != nil {
			return err
		}
	}
	return nil
}

// accountSpecification is version 1 of the specification of an account.
type accountSpecification struct {
	Name      string  `json:"name"`
	Host      string  `json:"host"`
	ReadOnly  bool    `json:"read_only,omitempty"`
	Main      bool    `json:"main,omitempty"`
	Adopted   bool    `json:"adopted,omitempty"`
	Databases []int64 `json:"databases,omitempty"`
	Password  []byte  `json:"password,omitempty"`
	Salt      []byte  `json:"salt,omitempty"`
}

type oldAccount struct {
	id, server int64
	present    bool
	spec       accountSpecification
}

func backfillAccounts(ctx context.Context, tx *sql.Tx, box *secret.Box) error {
	rows, err := scan(ctx, tx, `SELECT id, server_id, name, host, read_only, main, adopted, present, password FROM database_users ORDER BY id`,
		func(a *oldAccount) []any {
			return []any{&a.id, &a.server, &a.spec.Name, &a.spec.Host, &a.spec.ReadOnly, &a.spec.Main, &a.spec.Adopted, &a.present, &a.spec.Password}
		})
	if err != nil {
		return err
	}
	for _, a := range rows {
		if err := backfillAccount(ctx, tx, box, a); err != nil {
			return fmt.Errorf("account %d: %w", a.id, err)
		}
	}
	return nil
}

func backfillAccount(ctx context.Context, tx *sql.Tx, box *secret.Box, a oldAccount) error {
	var err error
	a.spec.Databases, err = scan(ctx, tx, fmt.Sprintf(`SELECT database_id FROM database_grants WHERE user_id = %d ORDER BY database_id`, a.id),
		func(id *int64) []any { return []any{id} })
	if err != nil {
		return err
	}
	ops, err := pastOperationsOn(ctx, tx, "databaseUsers", a.id)
	if err != nil {
		return err
	}
	type request struct {
		DatabaseIDs []int64 `json:"database_ids"`
		Before      []int64 `json:"before"`
		Grants      bool    `json:"grants"`
	}
	requests := make([]request, len(ops))
	for i, o := range slices.Backward(ops) {
		if err := o.decode(&requests[i]); err != nil {
			return err
		}
		if o.open() && o.action == "update" && requests[i].Grants { // the row shows what was requested
			a.spec.Databases = requests[i].Before
		}
	}
	if a.present {
		raw, err := json.Marshal(a.spec)
		if err != nil {
			return err
		}
		if err := putApplied(ctx, tx, "databaseUsers", a.id, a.server, creator(ops), string(raw)); err != nil {
			return err
		}
	}
	newest := a.spec
	for i, o := range ops {
		if o.succeeded() {
			continue
		}
		if o.action == "delete" {
			if err := putWish(ctx, tx, &o.id, "databaseUsers", a.id, nil); err != nil {
				return err
			}
			continue
		}
		spec := a.spec
		if o.open() {
			spec = newest
		}
		if requests[i].Grants {
			spec.Databases = requests[i].DatabaseIDs
		}
		if err := givePassword(ctx, tx, box, a.id, o.id, &spec); err != nil {
			return err
		}
		raw, err := json.Marshal(spec)
		if err != nil {
			return err
		}
		text := string(raw)
		if err := putWish(ctx, tx, &o.id, "databaseUsers", a.id, &text); err != nil {
			return err
		}
		if o.open() || !a.present {
			newest = spec
		}
	}
	_, err = tx.ExecContext(ctx, `UPDATE database_users SET status = $1, password = $2 WHERE id = $3`, shown(a.present, ops, "updating"), newest.Password, a.id)
	return err
}

// givePassword puts the password of an operation into its wish.
func givePassword(ctx context.Context, tx *sql.Tx, box *secret.Box, account, operation int64, spec *accountSpecification) error {
	kept, err := scan(ctx, tx, fmt.Sprintf(`SELECT password FROM database_passwords WHERE operation_id = %d`, operation),
		func(b *[]byte) []any { return []any{b} })
	if err != nil || len(kept) == 0 {
		return err
	}
	if box == nil {
		return errNoBox
	}
	plain, err := box.Open(secret.Place{Table: "database_passwords", Row: strconv.FormatInt(operation, 10), Column: "password"}, kept[0])
	if err != nil {
		return fmt.Errorf("password of operation %d: %w", operation, err)
	}
	spec.Salt = make([]byte, 16)
	_, _ = rand.Read(spec.Salt) // never fails since Go 1.24
	spec.Password, err = box.Seal(secret.Place{Table: "database_users", Row: strconv.FormatInt(account, 10), Column: "password"}, plain)
	return err
}
