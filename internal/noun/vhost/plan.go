// Package vhost composes what a host serves of sites: nginx's files, PHP pools, programs, ports and directories, with the steps of what sites include.
package vhost

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/php"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// Include is what a noun includes in the vhosts of sites: for example redirects. A site's whole
// configuration is one plan, so its work is work of the aspect.
type Include interface {
	// Steps returns what the host should have of it, or its removal for a deleted site. Those of late run once nginx no longer uses what they remove.
	Steps(v ledger.View, d Desired) (steps, late []wire.Step, err error)
}

// Domains are the domains of a site as a host should have them.
type Domains interface {
	// Vhosts returns the site's domains, with the steps for what their vhosts need: certificates. Those of late run once nginx no
	// longer uses what they remove.
	Vhosts(v ledger.View, row query.Site, gone bool) (vhosts []Vhost, steps, late []wire.Step, err error)
}

// Vhost is a domain of a site as a host should have it.
type Vhost struct {
	Domain query.Domain
	// Gone tells that it is not served.
	Gone bool
	TLS  *render.TLS
	// Shown asks for the text as users read and write it, without the additions for a host.
	Shown bool
}

// Desired is a site as a host should have it.
type Desired struct {
	Site query.Site
	// Gone removes what makes the site served. Its files stay. New reports whether the host does not have it yet.
	Gone, New bool
	// Balancer is set for a site on a load balancer.
	Balancer *site.Balancer
	// Code is nil for a site without a repository. Switched reports whether the host has it in place and should have it in releases, or the other way round.
	Code     *site.Code
	Switched bool
	// Deployed reports whether it has a live release, and Placed whether the host serves it from another directory, or with another
	// PHP, than it should.
	Deployed, Placed bool
	// Renewed reports whether the host has it with another runtime than it should have it with, Restarted whether its own program is to be started in
	// another way, for that or for another command, and Repointed whether its processes and jobs call other programs by name: those of another runtime, or
	// another PHP.
	Renewed, Restarted, Repointed bool
	// Octane is the port of the program that answers in place of PHP-FPM, 0 for none.
	Octane int64
	// Ports are those of its programs in addition to its own two, Account is that of an isolated site, and Caches reports whether
	// it has its own. Alone reports whether no other site has the account.
	Ports         []int64
	Account       *query.UnixAccount
	Caches, Alone bool
	// KeepHome reports whether the account's home is kept for root, if the account goes with the site.
	KeepHome bool
	slot     *int64
	// poolLines are what the pools of its account have of their own, seconds how long its requests may take, 0 for PHP's default. left is the site as the
	// host has it, where its pool goes with the change: its version of PHP is another one then, or it has none.
	poolLines string
	seconds   int64
	left      *query.Site
	// Moved is set where all that runs for the site is started once more: it gets a slice, or may open another number of files.
	Moved bool
	// Fresh is set until the site's own master of PHP is known to run: its pool may be in the shared one, or nowhere.
	Fresh bool
	// Balancers are the addresses of the load balancers that have it behind one of their sites.
	Balancers []netip.Addr
	// Vhosts are its domains; none stand for the one that it was created with.
	Vhosts []Vhost
	// Steps and Late are the steps of what it includes.
	Steps, Late []wire.Step
}

// Facts are what the plan of sites reads beside the ledger.
type Facts struct {
	// Made are the accounts of isolated sites that Hostler created on the server, until they go with their last sites.
	Made map[string]bool
	// Claimed are the ports that sites of the server have.
	Claimed []int64
	// Balancers are the addresses of load balancers, by the site behind them.
	Balancers map[int64][]netip.Addr
	// Live are the projects of sites with a live release, by site.
	Live map[int64]query.Project
}

// ReadFacts reads Facts.
func ReadFacts(ctx context.Context, q *query.Queries, srv query.Server) (any, error) {
	f := Facts{Made: map[string]bool{}}
	accounts, err := q.ListUnixAccounts(ctx, srv.ID)
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	for _, a := range accounts {
		f.Made[a.Name] = a.Made
	}
	if f.Claimed, err = q.ListServerPorts(ctx, srv.ID); err != nil {
		return nil, fmt.Errorf("list ports of sites: %w", err)
	}
	if f.Balancers, err = balancersOf(ctx, q, srv); err != nil {
		return nil, err
	}
	live, err := q.ListLiveProjects(ctx, srv.ID)
	if err != nil {
		return nil, fmt.Errorf("list live releases: %w", err)
	}
	f.Live = map[int64]query.Project{}
	for _, p := range live {
		f.Live[p.SiteID] = p
	}
	return f, nil
}

// balancersOf reads the addresses of the load balancers that have a server as a node of a site with the same domain as one of the server's.
func balancersOf(ctx context.Context, q *query.Queries, srv query.Server) (map[int64][]netip.Addr, error) {
	rows, err := q.ListBalancersInFront(ctx, srv.ID)
	if err != nil {
		return nil, fmt.Errorf("list balancers in front: %w", err)
	}
	out := map[int64][]netip.Addr{}
	for _, row := range rows {
		for _, text := range []*string{row.IPAddress, row.PrivateIPAddress} {
			if text == nil {
				continue
			}
			a, err := netip.ParseAddr(*text)
			if err != nil {
				return nil, fmt.Errorf("address of a balancer: %w", err)
			}
			out[row.SiteID] = append(out[row.SiteID], a.Unmap())
		}
	}
	return out, nil
}

// sites returns those that a plan is about; for a view without operations, all that the host has.
func sites(v ledger.View) ([]Desired, error) {
	stay, err := site.Sites.Of(v)
	if err != nil {
		return nil, err
	}
	gone, err := site.Sites.Gone(v)
	if err != nil {
		return nil, err
	}
	state, err := php.StateOf(v)
	if err != nil {
		return nil, err
	}
	var out []Desired
	for i, r := range append(stay, gone...) {
		if !about(v, r.ID) {
			continue
		}
		d, err := desired(v, state, r.ID, r.Specification)
		if err != nil {
			return nil, err
		}
		d.Gone = i >= len(stay)
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b Desired) int { return cmp.Compare(a.Site.ID, b.Site.ID) })
	for _, op := range v.Included {
		is := func(d Desired) bool { return op.SiteID != nil && d.Site.ID == *op.SiteID }
		if op.SiteID != nil && op.Action != "delete" && !slices.ContainsFunc(out, is) {
			return nil, errors.New("the site is not installed on its server")
		}
	}
	if err := locate(v, stay, out); err != nil {
		return nil, err
	}
	return out, nil
}

// about reports whether a plan is about a site: it asks for the site, or for something of it.
func about(v ledger.View, id int64) bool {
	return v.Asks(site.Sites.Kind, id) || slices.ContainsFunc(v.Included, func(op query.Operation) bool { return op.SiteID != nil && *op.SiteID == id })
}

// desired returns a site with a specification, without what it has of others.
func desired(v ledger.View, state php.State, id int64, s site.Specification) (Desired, error) {
	before, has, err := site.Sites.Before(v, id)
	d := Desired{Site: s.Site(id, v.Server), New: !has, Fresh: !before.Enclosed, Balancer: s.Balancer, Code: s.Code, slot: s.Slot}
	if err != nil {
		return d, err
	}
	d.Switched = has && s.Code != nil && (before.Code != nil || s.Code.Adopted) && before.InReleases() != s.InReleases()
	d.Renewed, d.Restarted = has && s.Renews(before), has && s.Restarts(before)
	d.Moved = has && s.Moves(before)
	facts, _ := v.Facts.(Facts)
	_, d.Deployed = facts.Live[id]
	d.Repointed = d.Renewed || has && site.DottedPHP(v.Server, before.Site(id, v.Server)) != site.DottedPHP(v.Server, d.Site)
	d.Placed = d.Repointed || has && (s.WebDirectory != before.WebDirectory || s.RootDirectory != before.RootDirectory)
	if !sitetype.HasPHP(s.Type) && !sitetype.HasPHP(before.Type) {
		return d, nil
	}
	pool, err := state.Pool(d.Site)
	if err != nil {
		return d, fmt.Errorf("site %s: %w", s.Name, err)
	}
	d.poolLines, d.seconds = pool.Own, pool.MaxExecutionSeconds
	if !has {
		return d, nil
	}
	was := before.Site(id, v.Server)
	had, err := site.Pool(v.Server, was)
	if err == nil && !had.PHP.IsZero() && had != pool.Pool {
		d.left = &was
	}
	return d, err
}

// stages returns the plan for sites: packages, runtimes and ports, files that are copied, programs that are restarted, and one Change.
func (p Planner) stages(v ledger.View, sites []Desired) ([]job.Stage, error) {
	if len(sites) == 0 {
		return nil, nil
	}
	facts := server.FactsOf(v.Server)
	change, err := ChangeOf(facts, v.Server, sites)
	if err != nil {
		return nil, err
	}
	copied, err := copies(sites)
	if err != nil {
		return nil, err
	}
	programs, err := p.programs(v, sites)
	if err != nil {
		return nil, err
	}
	unused, err := unusedStage(v, sites)
	if err != nil {
		return nil, err
	}
	return slices.Concat(
		packagesStage(facts, v, sites), p.runtimes(v, sites), portsStage(sites), copied, programs,
		[]job.Stage{{Name: "sites", Change: change}}, accountsStage(sites), unused,
	), nil
}
