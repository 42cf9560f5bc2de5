package site

import (
	"context"
	"slices"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/ledger"
)

// Converger is the aspect of sites: the ledger's, with what is not in the ledger yet. Once Domains and OldParts are, it is a plan.
type Converger struct {
	ledger.Aspect
	Domains  Domains
	Parts    []Part
	OldParts []Named
	// Octane is the port of the program that answers for a PHP site in place of PHP-FPM, 0 for a site without one. It may be nil.
	Octane func(v ledger.View, siteID int64) (int64, error)
	// Ports are those that programs of sites listen on beside the sites' own, by site. It may be nil.
	Ports func(v ledger.View) (map[int64][]int64, error)
}

// Plan is one Change for the sites that work is about; without any, for all sites of the server, which is how drift is found.
func (c *Converger) Plan(ctx context.Context, q *query.Queries, srv query.Server, w job.Pending) ([]job.Stage, error) {
	view, err := c.View(ctx, q, srv, w)
	if err != nil {
		return nil, err
	}
	all, err := sites(view)
	if err != nil {
		return nil, job.Planned(err)
	}
	ports, err := c.ports(view)
	if err != nil {
		return nil, job.Planned(err)
	}
	for i := range all {
		if err := c.complete(ctx, q, view, &all[i], ports, w); err != nil {
			return nil, err
		}
	}
	out, err := stages(view, all)
	return out, job.Planned(err)
}

// complete adds to a site its domains and its parts. The site is named after its primary domain.
func (c *Converger) complete(ctx context.Context, q *query.Queries, view ledger.View, d *Desired, ports map[int64][]int64, w job.Pending) (err error) {
	d.Ports = ports[d.Site.ID]
	if c.Octane != nil && HasPHP(d.Site.Type) {
		if d.Octane, err = c.Octane(view, d.Site.ID); err != nil {
			return job.Planned(err)
		}
	}
	if d.Vhosts, d.Parts, d.Late, err = c.Domains.Vhosts(ctx, q, view, d.Site, d.Gone, w); err != nil {
		return err
	}
	for _, v := range d.Vhosts {
		if v.Domain.Type == DomainPrimary {
			d.Site.Name, d.Site.Wildcards, d.Site.WWWRedirectType = v.Domain.Name, v.Domain.Wildcard, v.Domain.WWWRedirectType
		}
	}
	add := func(steps, late []wire.Step) { d.Parts, d.Late = append(d.Parts, steps...), append(d.Late, late...) }
	for _, part := range c.Parts {
		steps, late, err := part.Steps(view, *d)
		if err != nil {
			return job.Planned(err)
		}
		add(steps, late)
	}
	for _, part := range c.OldParts {
		steps, late, err := part.Part.Steps(ctx, q, *d, w)
		if err != nil {
			return err
		}
		add(steps, late)
	}
	return nil
}

func (c *Converger) ports(view ledger.View) (map[int64][]int64, error) {
	if c.Ports == nil {
		return nil, nil
	}
	return c.Ports(view)
}

// one is a site once the included work is done. A site that the host is not to have then is gone.
func (c *Converger) one(ctx context.Context, q *query.Queries, srv query.Server, id int64, w job.Pending) (d Desired, err error) {
	view, err := c.View(ctx, q, srv, w)
	if err != nil {
		return d, err
	}
	s, stays, err := Sites.Get(view, id)
	if err == nil && !stays {
		var row ledger.Row[Specification]
		row, err = Sites.Row(ctx, q, id)
		s = row.Specification
	}
	if err != nil {
		return d, err
	}
	if d, err = desired(view, id, s); err != nil {
		return d, err
	}
	d.Gone = !stays
	ports, err := c.ports(view)
	if err != nil {
		return d, job.Planned(err)
	}
	return d, c.complete(ctx, q, view, &d, ports, w)
}

// partOf is the part that an operation is about, nil for one on what is in the ledger.
func (c *Converger) partOf(op query.Operation) OldPart {
	for _, n := range c.OldParts {
		if slices.Contains(n.Types, op.ResourceType) {
			return n.Part
		}
	}
	return nil
}

// Settle writes what is true now.
func (c *Converger) Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error {
	if part := c.partOf(op); part != nil {
		return part.Settle(ctx, tx, op, done)
	}
	return c.Aspect.Settle(ctx, tx, op, done)
}

// Resume shows an operation that is tried again.
func (c *Converger) Resume(ctx context.Context, tx *db.Tx, op query.Operation) error {
	if part := c.partOf(op); part != nil {
		return part.Resume(ctx, tx, op)
	}
	return c.Aspect.Resume(ctx, tx, op)
}
