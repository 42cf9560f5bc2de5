package db

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/pressly/goose/v3"
)

// ledgerDomains is the migration that writes the ledger of domains, in version 1 of their specification.
var ledgerDomains = goose.NewGoMigration(304, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
	sites, err := scan(ctx, tx, `SELECT s.id, s.server_id, o.id, o.state, EXISTS (SELECT 1 FROM operations l WHERE l.resource_type = 'sites' AND l.resource_id = s.id AND l.action <> 'delete' AND l.state = 'succeeded')
		FROM sites s LEFT JOIN operations o ON o.resource_type = 'sites' AND o.resource_id = s.id AND o.action = 'create' ORDER BY s.id`,
		func(s *oldSite) []any { return []any{&s.id, &s.server, &s.operation, &s.state, &s.made} })
	if err != nil {
		return fmt.Errorf("list sites: %w", err)
	}
	for _, s := range sites {
		if err := s.backfill(ctx, tx); err != nil {
			return fmt.Errorf("write the ledger of the domains of site %d: %w", s.id, err)
		}
	}
	return nil
}}, nil)

type oldSite struct {
	id, server int64
	// operation is the operation that created it, state its state. Both are nil if it is no longer known.
	operation *int64
	state     *string
	made      bool // whether any operation on it succeeded
}

// installed reports whether the host has the site.
func (s oldSite) installed() bool { return s.operation == nil || s.made }

// oldDomain is a domain as stored in rows and requests of operations.
type oldDomain struct {
	ID, SiteID         int64
	Name, Type, Status string
	WWWRedirectType    string
	Wildcard, First    bool
	Challenge          string
	Nginx, NginxBase   *string
	NginxRule          string
}

func (d oldDomain) off() bool { return d.Status == "disabled" || d.Status == "disabling" }

func (d oldDomain) specification(primary, disabled bool) (string, error) {
	if d.NginxRule == "" { // of a request from before configurations were checked
		d.NginxRule = "judged"
	}
	raw, err := json.Marshal(struct {
		SiteID          int64   `json:"site_id"`
		Name            string  `json:"name"`
		Primary         bool    `json:"primary"`
		First           bool    `json:"first"`
		WWWRedirectType string  `json:"www_redirect_type"`
		Wildcard        bool    `json:"wildcard"`
		Challenge       string  `json:"challenge,omitempty"`
		Disabled        bool    `json:"disabled"`
		Nginx           *string `json:"nginx,omitempty"`
		NginxBase       *string `json:"nginx_base,omitempty"`
		NginxRule       string  `json:"nginx_rule"`
	}{d.SiteID, d.Name, primary, d.First, d.WWWRedirectType, d.Wildcard, d.Challenge, disabled, d.Nginx, d.NginxBase, d.NginxRule})
	return string(raw), err
}

// oldWork is an operation on a domain, with its request.
type oldWork struct {
	pastOperation
	before, after oldDomain
	primary       int64 // the domain that was the primary one before
}

func (o *oldWork) read() error {
	var c struct {
		Before  oldDomain `json:"before"`
		After   oldDomain `json:"after"`
		Primary int64     `json:"primary"`
	}
	if err := o.decode(&c); err != nil {
		return err
	}
	o.before, o.after, o.primary = c.Before, c.After, c.Primary
	for _, d := range []*oldDomain{&o.before, &o.after} { // what was served before configurations were checked is kept, what was only requested is checked
		if d.NginxRule == "" && d.Nginx != nil && o.before.Nginx != nil && *d.Nginx == *o.before.Nginx {
			d.NginxRule = "kept"
		}
	}
	return nil
}

// backfill writes what is applied of the domains of a site, and what their operations asked for. A domain is served if the
// operation that created it succeeded, or a later one that serves it, whatever its status says: a failed deletion set it to
// enabled. What is not served is applied as disabled, so that a stray vhost is removed with the next change of the site.
func (s oldSite) backfill(ctx context.Context, tx *sql.Tx) error {
	rows, err := scan(ctx, tx, fmt.Sprintf(`SELECT id, site_id, name, type, status, www_redirect_type, wildcard, first, challenge, nginx, nginx_base, nginx_rule FROM domains WHERE site_id = %d ORDER BY id`, s.id),
		func(d *oldDomain) []any {
			return []any{&d.ID, &d.SiteID, &d.Name, &d.Type, &d.Status, &d.WWWRedirectType, &d.Wildcard, &d.First, &d.Challenge, &d.Nginx, &d.NginxBase, &d.NginxRule}
		})
	if err != nil {
		return err
	}
	ops, err := pastOperations(ctx, tx, fmt.Sprintf(`resource_type = 'domainRecords' AND resource_id IN (SELECT id FROM domains WHERE site_id = %d)`, s.id))
	if err != nil {
		return err
	}
	work := make([]oldWork, len(ops))
	primary := int64(0)
	for i, op := range ops {
		work[i].pastOperation = op
		if op.succeeded() {
			continue
		}
		if err := work[i].read(); err != nil {
			return err
		}
		if o := work[i]; o.open() && o.action == "mark-as-primary" && primary == 0 {
			primary = o.primary
		}
	}
	for _, d := range rows {
		if d.Type == "primary" && primary == 0 {
			primary = d.ID
		}
	}
	byID := map[int64]oldDomain{}
	for _, d := range rows {
		if err := s.applied(ctx, tx, d, work, d.ID == primary); err != nil {
			return fmt.Errorf("domain %d: %w", d.ID, err)
		}
		byID[d.ID] = d
	}
	now, asked := primary, primary // after the open operations before the current one
	for _, o := range work {
		if o.succeeded() {
			continue
		}
		before := now
		if o.open() {
			before = asked
		}
		if err := o.wish(ctx, tx, byID, before, now); err != nil {
			return fmt.Errorf("operation %d: %w", o.id, err)
		}
		if o.open() && o.action == "mark-as-primary" {
			asked = o.resource
		}
	}
	return nil
}

// applied writes what the host has of one domain.
func (s oldSite) applied(ctx context.Context, tx *sql.Tx, d oldDomain, work []oldWork, primary bool) error {
	if d.First && !s.installed() { // its site asks for it
		spec, err := d.specification(true, false)
		if err == nil {
			err = putWish(ctx, tx, s.operation, "domainRecords", d.ID, &spec)
		}
		if err == nil && *s.state != "pending" && *s.state != "running" {
			_, err = tx.ExecContext(ctx, `UPDATE domains SET status = 'disabled' WHERE id = $1`, d.ID)
		}
		return err
	}
	created, by, has, opened := d.First, s.operation, d, false // has is the state before the first open operation
	for _, o := range work {
		switch {
		case o.resource != d.ID:
		case o.open() && opened:
		case o.open() && o.action == "create": // the row is what is requested
			return nil
		case o.open():
			has, opened = o.before, true
		case o.succeeded() && o.action != "delete":
			created, by = true, &o.id
		case o.action == "create":
			created = false
		}
	}
	spec, err := has.specification(primary, !created || has.off())
	if err == nil {
		err = putApplied(ctx, tx, "domainRecords", d.ID, s.server, by, spec)
	}
	if err == nil && !created && !opened {
		_, err = tx.ExecContext(ctx, `UPDATE domains SET status = 'disabled' WHERE id = $1`, d.ID)
	}
	return err
}

// wish writes what an operation asked for. before is the primary domain before it, and now the one that is primary on the host:
// both give way to another.
func (o oldWork) wish(ctx context.Context, tx *sql.Tx, rows map[int64]oldDomain, before, now int64) error {
	if o.action == "delete" {
		return putWish(ctx, tx, &o.id, "domainRecords", o.resource, nil)
	}
	mark := o.action == "mark-as-primary"
	spec, err := o.after.specification(mark || o.resource == before, o.action == "disable")
	if err != nil {
		return err
	}
	if err := putWish(ctx, tx, &o.id, "domainRecords", o.resource, &spec); err != nil || !mark {
		return err
	}
	give := []int64{before}
	if now != before {
		give = append(give, now)
	}
	for _, id := range give {
		d, ok := rows[id]
		if !ok || id == o.resource {
			continue
		}
		spec, err := d.specification(false, d.off())
		if err != nil {
			return err
		}
		if err := putWish(ctx, tx, &o.id, "domainRecords", id, &spec); err != nil {
			return err
		}
	}
	return nil
}
