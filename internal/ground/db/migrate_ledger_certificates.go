package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/pressly/goose/v3"

	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// ledgerCertificates returns the migration that writes the ledger of certificates, in version 1 of their specification. The box
// reseals the keys of renewed certificates that are being installed for the place of the stored ones.
func ledgerCertificates(box *secret.Box) *goose.Migration {
	return goose.NewGoMigration(305, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
		rows, err := scan(ctx, tx, `SELECT c.id, c.site_id, c.domain_id, s.server_id, c.chain, c.private_key, c.next_chain, c.next_private_key, COALESCE(d.certificate_id, 0)
			FROM certificates c JOIN sites s ON s.id = c.site_id JOIN domains d ON d.id = c.domain_id ORDER BY c.id`,
			func(c *oldCertificate) []any {
				return []any{&c.id, &c.site, &c.domain, &c.server, &c.chain, &c.key, &c.next, &c.nextKey, &c.chosen}
			})
		if err != nil {
			return fmt.Errorf("list certificates: %w", err)
		}
		work, err := pastOperations(ctx, tx, `resource_type = 'certificates' AND aspect = 'web' AND state <> 'succeeded'`)
		if err != nil {
			return fmt.Errorf("list work on certificates: %w", err)
		}
		if err := backfillCertificates(ctx, tx, box, rows, work); err != nil {
			return fmt.Errorf("write the ledger of certificates: %w", err)
		}
		return nil
	}}, nil)
}

type oldCertificate struct {
	id, site, domain, server int64
	chain, next              *string
	key, nextKey             []byte
	chosen                   int64 // the certificate of the domain
}

// backfillCertificates writes what is applied of certificates, and what operations asked for. The host has the one that its domain had before the first
// operation that has not ended.
func backfillCertificates(ctx context.Context, tx *sql.Tx, box *secret.Box, rows []oldCertificate, work []pastOperation) error {
	active := map[int64]int64{} // by domain
	for _, o := range work {
		var s struct {
			DomainID int64 `json:"domain_id"`
			Before   int64 `json:"before"`
		}
		if err := o.decode(&s); err != nil {
			return err
		}
		if _, known := active[s.DomainID]; !known && o.open() {
			active[s.DomainID] = s.Before
		}
	}
	byID := map[int64]oldCertificate{}
	for _, c := range rows {
		if _, known := active[c.domain]; !known {
			active[c.domain] = c.chosen
		}
		byID[c.id] = c
		spec, err := c.specification(active[c.domain] == c.id)
		if err == nil {
			err = putApplied(ctx, tx, "certificates", c.id, c.server, nil, spec)
		}
		if err != nil {
			return fmt.Errorf("certificate %d: %w", c.id, err)
		}
	}
	asked := map[int64]int64{} // by domain, after the open operations before the current one
	for domain, id := range active {
		asked[domain] = id
	}
	for _, o := range work {
		c, ok := byID[o.resource]
		if !ok {
			continue
		}
		give := []int64{active[c.domain]}
		if asked[c.domain] != active[c.domain] {
			give = append(give, asked[c.domain])
		}
		if err := wishCertificate(ctx, tx, box, o, c, byID, give); err != nil {
			return fmt.Errorf("operation %d: %w", o.id, err)
		}
		if !o.open() {
			continue
		}
		if o.action == "enable" {
			asked[c.domain] = c.id
		} else if asked[c.domain] == c.id && o.action != "install" {
			asked[c.domain] = 0
		}
	}
	return nil
}

// wishCertificate writes what an operation asked for. Those of give are served, or to be served, before it.
func wishCertificate(ctx context.Context, tx *sql.Tx, box *secret.Box, o pastOperation, c oldCertificate, rows map[int64]oldCertificate, give []int64) error {
	if o.action == "delete" {
		return putWish(ctx, tx, &o.id, "certificates", c.id, nil)
	}
	if o.action == "install" && c.next != nil {
		var err error
		if c.key, err = c.moved(box); err != nil {
			return err
		}
		c.chain = c.next
	}
	spec, err := c.specification(o.action != "disable")
	if err == nil {
		err = putWish(ctx, tx, &o.id, "certificates", c.id, &spec)
	}
	if err != nil || o.action != "enable" {
		return err
	}
	for _, id := range give {
		old, ok := rows[id]
		if !ok || id == c.id {
			continue
		}
		spec, err := old.specification(false)
		if err == nil {
			err = putWish(ctx, tx, &o.id, "certificates", id, &spec)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// moved returns the key of the renewed certificate, sealed for the place of the stored one.
func (c oldCertificate) moved(box *secret.Box) ([]byte, error) {
	if box == nil {
		return nil, errors.New("the key that seals secrets is needed")
	}
	key, err := box.Open(secret.Place{Table: "certificates", Row: strconv.FormatInt(c.id, 10), Column: "next_private_key"}, c.nextKey)
	if err != nil {
		return nil, err
	}
	return box.Seal(secret.Place{Table: "certificates", Row: strconv.FormatInt(c.id, 10), Column: "private_key"}, key)
}

func (c oldCertificate) specification(active bool) (string, error) {
	spec := struct {
		SiteID   int64  `json:"site_id"`
		DomainID int64  `json:"domain_id"`
		Active   bool   `json:"active"`
		Chain    string `json:"chain,omitempty"`
		Key      []byte `json:"key,omitempty"`
	}{SiteID: c.site, DomainID: c.domain, Key: c.key}
	if c.chain != nil {
		spec.Active, spec.Chain = active, *c.chain
	}
	raw, err := json.Marshal(spec)
	return string(raw), err
}
