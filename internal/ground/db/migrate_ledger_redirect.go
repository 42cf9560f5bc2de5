package db

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/pressly/goose/v3"
)

// redirectBackfill is the migration that writes the ledger of redirects and of their order. Requests and specifications have their earlier shapes.
var redirectBackfill = goose.NewGoMigration(302, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
	b := redirects{rules: map[int64]*pastRule{}, orders: map[int64]*pastOrder{}}
	if err := b.read(ctx, tx); err != nil {
		return fmt.Errorf("read operations on redirects: %w", err)
	}
	if err := b.write(ctx, tx); err != nil {
		return fmt.Errorf("write the ledger of redirects: %w", err)
	}
	_, err := tx.ExecContext(ctx, `DROP INDEX redirect_rules_operation`)
	return err
}}, nil)

const (
	kindRedirect = "redirect-rules"
	kindOrder    = "redirect-rules-order"
)

type redirectSpec struct {
	SiteID    int64  `json:"site_id"`
	From      string `json:"from"`
	To        string `json:"to"`
	Type      string `json:"type"`
	CreatedAt int64  `json:"created_at"`
}

type orderSpec struct {
	SiteID int64   `json:"site_id"`
	Rules  []int64 `json:"rules"`
}

type redirects struct {
	rules  map[int64]*pastRule
	orders map[int64]*pastOrder // by site
}

// pastRule is the combined result of operations on a rule.
type pastRule struct {
	by            int64 // the operation that created it
	created, open bool
}

// pastOrder is the combined result of operations on the order of a site's rules.
type pastOrder struct {
	by int64
	// host is the order that the host has, and asked the requested one, both nil if no operation is open.
	host, asked []int64
}

func (b redirects) rule(id int64) *pastRule {
	if b.rules[id] == nil {
		b.rules[id] = &pastRule{}
	}
	return b.rules[id]
}

// read summarizes the operations, and writes what unsuccessful ones asked for.
func (b redirects) read(ctx context.Context, tx *sql.Tx) error {
	ops, err := pastOperations(ctx, tx, `resource_type IN ('redirect-rules', 'redirect-rules-import', 'redirect-rules-order')`)
	if err != nil {
		return err
	}
	for _, op := range ops {
		switch {
		case op.kind == kindOrder:
			err = b.readOrder(ctx, tx, op)
		case op.action == "delete":
			err = b.remove(ctx, tx, op, op.resource)
		default:
			err = b.readCreation(ctx, tx, op)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (b redirects) readOrder(ctx context.Context, tx *sql.Tx, op pastOperation) error {
	var request struct {
		Before []int64 `json:"before"`
		After  []int64 `json:"after"`
	}
	if err := op.decode(&request); err != nil {
		return err
	}
	site := b.orders[op.resource]
	if site == nil {
		site = &pastOrder{}
		b.orders[op.resource] = site
	}
	switch {
	case op.succeeded():
		site.by = op.id
		return nil
	case op.open():
		if site.asked = request.After; site.host == nil {
			site.host = request.Before
		}
	}
	return putSpecification(ctx, tx, op.id, kindOrder, op.resource, orderSpec{op.resource, request.After})
}

func (b redirects) readCreation(ctx context.Context, tx *sql.Tx, op pastOperation) error {
	var request struct {
		Rules []struct {
			ID, SiteID, CreatedAt int64
			Source, Target, Type  string
		} `json:"rules"`
		Replaced []int64 `json:"replaced"`
	}
	if err := op.decode(&request); err != nil {
		return err
	}
	for _, r := range request.Rules {
		past := b.rule(r.ID)
		past.by, past.created, past.open = op.id, op.succeeded(), past.open || op.open()
		if op.succeeded() {
			continue
		}
		if err := putSpecification(ctx, tx, op.id, kindRedirect, r.ID, redirectSpec{r.SiteID, r.Source, r.Target, r.Type, r.CreatedAt}); err != nil {
			return err
		}
	}
	for _, id := range request.Replaced {
		if err := b.remove(ctx, tx, op, id); err != nil {
			return err
		}
	}
	return nil
}

func (b redirects) remove(ctx context.Context, tx *sql.Tx, op pastOperation, id int64) error {
	b.rule(id).open = b.rule(id).open || op.open()
	if op.succeeded() {
		return nil
	}
	return putWish(ctx, tx, &op.id, kindRedirect, id, nil)
}

// write migrates the rows. A rule is on its host if the operation that created it succeeded, whatever its status says: a failed
// deletion set it to installed.
func (b redirects) write(ctx context.Context, tx *sql.Tx) error {
	type row struct {
		id, server int64
		status     string
		spec       redirectSpec
	}
	rows, err := scan(ctx, tx, `SELECT r.id, s.server_id, r.status, r.site_id, r.source, r.target, r.type, r.created_at FROM redirect_rules r JOIN sites s ON s.id = r.site_id ORDER BY r.position, r.id`,
		func(r *row) []any {
			return []any{&r.id, &r.server, &r.status, &r.spec.SiteID, &r.spec.From, &r.spec.To, &r.spec.Type, &r.spec.CreatedAt}
		})
	if err != nil {
		return err
	}
	servers, order := map[int64]int64{}, map[int64][]int64{} // by site
	for _, r := range rows {
		past := b.rules[r.id]
		if past == nil || past.by == 0 { // the operation that created it no longer exists
			past = &pastRule{created: r.status != "installing", open: past != nil && past.open}
		}
		servers[r.spec.SiteID] = r.server
		switch {
		case past.created:
			if err := putAppliedSpecification(ctx, tx, kindRedirect, r.id, r.server, past.by, r.spec); err != nil {
				return err
			}
			if !past.open {
				_, err = tx.ExecContext(ctx, `UPDATE redirect_rules SET status = 'installed' WHERE id = $1`, r.id)
			}
		case !past.open:
			_, err = tx.ExecContext(ctx, `DELETE FROM redirect_rules WHERE id = $1`, r.id)
		}
		if err != nil {
			return fmt.Errorf("redirect %d: %w", r.id, err)
		}
		if past.created || past.open {
			order[r.spec.SiteID] = append(order[r.spec.SiteID], r.id)
		}
	}
	if _, err := tx.ExecContext(ctx, `UPDATE redirect_rules SET position = $1`, int64(math.MaxInt32)); err != nil {
		return err
	}
	for _, site := range slices.Sorted(maps.Keys(order)) {
		if err := b.writeOrder(ctx, tx, site, servers[site], order[site]); err != nil {
			return fmt.Errorf("order of the redirects of site %d: %w", site, err)
		}
	}
	return nil
}

// writeOrder takes the order of a site's rules from their positions, or from open operations. If it equals the order of ids, none is applied.
func (b redirects) writeOrder(ctx context.Context, tx *sql.Tx, site, server int64, ids []int64) error {
	past := b.orders[site]
	if past == nil {
		past = &pastOrder{}
	}
	if past.host != nil {
		ids = past.host
	}
	shown := past.asked
	if !slices.IsSorted(ids) {
		if err := putAppliedSpecification(ctx, tx, kindOrder, site, server, past.by, orderSpec{site, ids}); err != nil {
			return err
		}
		if shown == nil {
			shown = ids
		}
	}
	for i, id := range shown {
		if _, err := tx.ExecContext(ctx, `UPDATE redirect_rules SET position = $1 WHERE id = $2`, i+1, id); err != nil {
			return err
		}
	}
	return nil
}
