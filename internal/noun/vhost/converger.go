package vhost

import (
	"context"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/converge"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/php"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Converger is the aspect of sites, with their domains and what other nouns include in them.
type Converger struct {
	converge.Converger
	planner Planner
	// Restarter may be nil.
	Restarter Restarter
}

// NewConverger returns an aspect whose plan is that of a planner.
func NewConverger(aspect converge.Converger, planner Planner) *Converger {
	c := &Converger{Converger: aspect, planner: planner}
	c.Plans = func(v ledger.View) ([]job.Stage, error) { return c.planner.Plan(v) }
	return c
}

// Include adds what other nouns include, before the engine plans anything.
func (c *Converger) Include(more ...Include) {
	c.planner.Includes = append(c.planner.Includes, more...)
}

// Restarter starts the program of a site again, of the release that is live, with what the site has now.
type Restarter interface {
	Restart(ctx context.Context, tx *db.Tx, of query.OfSite) error
}

// Aspect returns it for the engine. A site whose runtime could not be changed may have its program run with it already, where a later stage failed or a person
// cancelled: it is started again, with the runtime that the site has.
func (c *Converger) Aspect() job.Aspect {
	a := c.Converger.Aspect()
	write := a.Write
	a.Write = func(ctx context.Context, tx *db.Tx, op query.Operation, at job.State) error {
		if err := write(ctx, tx, op, at); err != nil || !at.Ended() || at.Done() || op.Action != site.ActionRuntime || untouched(op.Step) || c.Restarter == nil {
			return err
		}
		row, err := tx.GetOrganizationSite(ctx, op, op.ResourceID)
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read site of operation %d: %w", op.ID, err)
		}
		processes, err := tx.ListSiteBackgroundProcesses(ctx, row)
		if err != nil {
			return fmt.Errorf("list processes of site %d: %w", row.ID, err)
		}
		if len(processes) == 0 {
			return nil
		}
		return c.Restarter.Restart(ctx, tx, row)
	}
	return a
}

// Planner makes the plan of sites: a pure function of a view, with what other nouns include.
type Planner struct {
	Domains  Domains
	Includes []Include
	// Octane is the port of the program that answers for a PHP site in place of PHP-FPM, 0 for a site without one. It may be nil.
	Octane func(v ledger.View, siteID int64) (int64, error)
	// Ports are those that programs of sites listen on beside the sites' own, by site. It may be nil.
	Ports func(v ledger.View) (map[int64][]int64, error)
	// Runtimes is where the runtimes of sites come from. Restart returns what starts the program of a site's live release again; it may be nil.
	Runtimes map[string]Source
	Restart  func(srv query.Server, row query.Site, code query.Project) (wire.Script, error)
}

// Plan returns one Change for the sites that a view asks about; without operations, for all sites of the server, which is how drift is found.
func (p Planner) Plan(view ledger.View) ([]job.Stage, error) {
	all, err := sites(view)
	if err != nil {
		return nil, err
	}
	ports, err := p.ports(view)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if err := p.complete(view, &all[i], ports); err != nil {
			return nil, err
		}
	}
	return p.stages(view, all)
}

// complete adds to a site its domains and what other nouns include. The site is named after its primary domain.
func (p Planner) complete(view ledger.View, d *Desired, ports map[int64][]int64) (err error) {
	d.Ports = ports[d.Site.ID]
	if facts, ok := view.Facts.(Facts); ok && d.Balancer == nil {
		d.Balancers = facts.Balancers[d.Site.ID]
	}
	if p.Octane != nil && sitetype.HasPHP(d.Site.Type) {
		if d.Octane, err = p.Octane(view, d.Site.ID); err != nil {
			return err
		}
	}
	if d.Vhosts, d.Steps, d.Late, err = p.Domains.Vhosts(view, d.Site, d.Gone); err != nil {
		return err
	}
	for _, v := range d.Vhosts {
		if v.Domain.Type == site.DomainPrimary {
			d.Site.Name, d.Site.Wildcards, d.Site.WWWRedirectType = v.Domain.Name, v.Domain.Wildcard, v.Domain.WWWRedirectType
		}
	}
	for _, include := range p.Includes {
		steps, late, err := include.Steps(view, *d)
		if err != nil {
			return err
		}
		d.Steps, d.Late = append(d.Steps, steps...), append(d.Late, late...)
	}
	return nil
}

func (p Planner) ports(view ledger.View) (map[int64][]int64, error) {
	if p.Ports == nil {
		return nil, nil
	}
	return p.Ports(view)
}

// one returns a site once the included work is done. A site that the host is not to have then is gone.
func (c *Converger) one(ctx context.Context, q *query.Queries, srv query.Server, id int64, included []query.Operation) (d Desired, err error) {
	view, err := c.View(ctx, q, srv, included)
	if err != nil {
		return d, err
	}
	s, stays, err := site.Sites.Get(view, id)
	if err == nil && !stays {
		var row ledger.Row[site.Specification]
		row, err = site.Sites.Row(ctx, q.Granted(), id)
		s = row.Specification
	}
	if err != nil {
		return d, err
	}
	state, err := php.StateOf(view)
	if err != nil {
		return d, err
	}
	if d, err = desired(view, state, id, s); err != nil {
		return d, err
	}
	d.Gone = !stays
	ports, err := c.planner.ports(view)
	if err != nil {
		return d, job.Planned(err)
	}
	err = c.planner.complete(view, &d, ports)
	return d, job.Planned(err)
}
