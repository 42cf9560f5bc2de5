package domain

import (
	"context"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/render"
	"github.com/hostlerhq/hostler/internal/site"
)

// Certificates say which certificate a domain has.
type Certificates interface {
	// TLS is the certificate of a domain, nil for none, with the steps that put it on the host, and late what is no longer needed there.
	TLS(ctx context.Context, q *query.Queries, row query.Domain, gone bool, w job.Pending) (tls *render.TLS, steps, late []wire.Step, err error)
}

// Part is the domains of sites on their hosts.
type Part struct{ Certificates Certificates }

// Steps are none: domains are vhosts.
func (p Part) Steps(context.Context, *query.Queries, site.Desired, job.Pending) (steps, late []wire.Step, err error) {
	return nil, nil, nil
}

// Vhosts are the domains of a site as its host should have them.
func (p Part) Vhosts(ctx context.Context, q *query.Queries, row query.Site, gone bool, w job.Pending) (vhosts []site.Vhost, steps, late []wire.Step, err error) {
	rows, err := q.ListDomains(ctx, row.ID)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("list domains: %w", err)
	}
	for _, d := range rows {
		d, is, err := effective(d, w)
		if err != nil {
			return nil, nil, nil, err
		}
		v := site.Vhost{Domain: d, Gone: !is || gone}
		if p.Certificates != nil {
			tls, before, after, err := p.Certificates.TLS(ctx, q, d, v.Gone, w)
			if err != nil {
				return nil, nil, nil, err
			}
			v.TLS, steps, late = tls, append(steps, before...), append(late, after...)
		}
		vhosts = append(vhosts, v)
	}
	return vhosts, steps, late, nil
}

// effective is a domain as the host should have it, and whether it should at all. Held work is as if it had not been asked for.
func effective(row query.Domain, w job.Pending) (query.Domain, bool, error) {
	held, isHeld := w.Holds(Resource, row.ID)
	switch {
	case isHeld && held.Action == "create":
		return row, false, nil
	case isHeld:
		c, err := changeOf(held)
		return c.Before, c.Before.Status != StatusDisabled, err
	}
	switch row.Status {
	case StatusRemoving, StatusDisabling, StatusDisabled:
		return row, false, nil
	}
	return row, !w.Deletes(Resource, row.ID), nil
}

// Settle writes what is true now.
func (p Part) Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	c, err := changeOf(op)
	if err != nil {
		return err
	}
	switch {
	case op.Action == "delete" && done:
		if _, err := tx.DeleteDomain(ctx, op.ResourceID); err != nil {
			return fmt.Errorf("delete domain %d: %w", op.ResourceID, err)
		}
		return nil
	case done: // unless newer work has begun: then its status stands
		if err := tx.SettleDomain(ctx, op.ResourceID, settled[op.Action], &op.ID, tx.Micros()); err != nil {
			return fmt.Errorf("settle domain %d: %w", op.ResourceID, err)
		}
		return p.names(ctx, tx, op, c.After)
	case op.Action == "create":
		return p.set(ctx, tx, op, StatusDisabled)
	default:
		return p.putBack(ctx, tx, op, c)
	}
}

// settled is the status after work.
var settled = map[string]string{"create": StatusEnabled, "update": StatusEnabled, "enable": StatusEnabled, markPrimary: StatusEnabled, "disable": StatusDisabled}

// names keeps those of what is true now, and of what newer work asks for.
func (p Part) names(ctx context.Context, tx *db.Tx, op query.Operation, now query.Domain) error {
	states := []query.Domain{now}
	next, err := tx.NextOperation(ctx, op.ResourceType, op.ResourceID, op.ID)
	switch {
	case errors.Is(err, db.ErrNotFound):
	case err != nil:
		return fmt.Errorf("settle domain %d: %w", op.ResourceID, err)
	default:
		c, err := changeOf(next)
		if err != nil {
			return err
		}
		states = append(states, c.After)
	}
	return release(ctx, tx, op.ResourceID, states...)
}

func (p Part) set(ctx context.Context, tx *db.Tx, op query.Operation, status string) error {
	if err := tx.SetDomainStatus(ctx, op.ResourceID, status, &op.ID, tx.Micros()); err != nil {
		return fmt.Errorf("set status of domain %d: %w", op.ResourceID, err)
	}
	return nil
}
