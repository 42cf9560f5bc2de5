package vhost

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/sitetype"
	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// ChangeOf returns the change that makes a host serve these sites. It is pure: rows and facts in, steps out.
func ChangeOf(facts wire.Facts, srv query.Server, sites []Desired) (wire.Change, error) {
	var c wire.Change
	version, err := server.NginxVersion(facts)
	if err != nil {
		return c, err
	}
	c.Steps = append(c.Steps, server.NginxLogs())
	pools := map[string]bool{} // versions whose pools may change
	var listening []wire.Step  // a reload of PHP-FPM opens the sockets of new pools some time after it was asked for
	for _, d := range sites {
		steps, php, err := siteSteps(version, srv, d)
		if err != nil {
			return c, fmt.Errorf("site %s: %w", d.Site.Name, err)
		}
		d.ownAccount(steps)
		c.Steps = append(c.Steps, steps...)
		if php != "" {
			pools[php] = true
		}
		pool, err := site.Pool(srv, d.Site)
		if err != nil {
			return c, err
		}
		if !pool.PHP.IsZero() && !d.Gone {
			socket, err := pool.Socket()
			if err != nil {
				return c, fmt.Errorf("site %s: %w", d.Site.Name, err)
			}
			listening = append(listening, wire.Step{Name: "PHP of " + d.Site.Name + " listens", Probe: &wire.Probe{Socket: socket, Within: 30 * time.Second}})
		}
	}
	ports, lastPorts, err := localPorts(facts, srv, sites)
	if err != nil {
		return c, err
	}
	c.Steps = append(c.Steps, ports...)
	for _, v := range value.PHPVersions() {
		if pools[v.Dotted()] {
			c.Steps = append(c.Steps, reloadShared(v)...)
		}
	}
	c.Steps = append(append(c.Steps, listening...),
		wire.Step{Name: "check nginx", Validate: server.NginxCheck()},
		wire.Step{
			Name:   "reload nginx",
			Action: &wire.Action{Argv: []string{"systemctl", "reload-or-restart", "nginx.service"}, Workers: "nginx.service", Log: server.NginxLog},
		},
		wire.Step{Name: "nginx runs", Probe: &wire.Probe{Unit: "nginx.service"}})
	for _, d := range sites {
		if d.Gone && site.HasProgram(d.Site) {
			steps, err := noProgram(d.Site)
			if err != nil {
				return c, fmt.Errorf("site %s: %w", d.Site.Name, err)
			}
			c.Steps = append(c.Steps, steps...)
		}
		if d.Gone {
			steps, err := noMaster(srv, d.Site)
			if err != nil {
				return c, fmt.Errorf("site %s: %w", d.Site.Name, err)
			}
			c.Steps = append(c.Steps, steps...)
		}
		c.Steps = append(c.Steps, d.Late...)
		if d.Gone {
			steps, err := noSlices(d.Site)
			if err != nil {
				return c, fmt.Errorf("site %s: %w", d.Site.Name, err)
			}
			c.Steps = append(c.Steps, steps...)
		}
	}
	c.Steps = append(c.Steps, lastPorts...)
	for _, d := range sites {
		for _, v := range d.vhosts() {
			if !d.Gone && !v.Gone {
				ask := wire.HTTPProbe{Port: 80, Host: v.Domain.Name, Path: "/", SameAsBefore: d.Switched}
				if d.Placed && d.Deployed { // visitors still get what they got
					ask.NotWorse, ask.Follow, ask.Pass = true, true, render.CheckPath(d.Site.ID)
				}
				c.Steps = append(c.Steps, wire.Step{Name: "ask for " + v.Domain.Name, Probe: &wire.Probe{HTTP: &ask}})
			}
		}
	}
	steps, err := leavePools(srv, sites)
	if err != nil {
		return c, err
	}
	c.Steps = append(c.Steps, steps...)
	return c, nil
}

// balancersName is that of both files of a site behind load balancers.
const balancersName = "10-balancers"

// siteSteps returns the files of one site; php is the dotted version whose shared master has its pool.
func siteSteps(version render.NginxVersion, srv query.Server, d Desired) (steps []wire.Step, php string, err error) {
	row, name := d.Site, d.Site.Name
	pool, err := site.Pool(srv, row)
	if err != nil {
		return nil, "", err
	}
	if d.Gone {
		for _, v := range d.vhosts() {
			steps = append(steps, Absent("no longer serve "+v.Domain.Name, DomainFile(v.Domain)))
		}
		if len(d.Balancers) > 0 {
			steps = append(steps, Absent("balancers of "+name, IncludePath(row.ID, balancersName)), Absent("balancers of "+name, HTTPPath(row.ID, balancersName)))
		}
		if row.Type == sitetype.Balancer || site.HasProgram(row) {
			steps = append(steps, Absent("nodes of "+name, upstreamPath(row.ID)))
		}
		if !pool.PHP.IsZero() {
			steps = append(steps, Absent("PHP pool of "+name, pool.SharedPath()))
		}
		if _, limited := site.Connections(row); limited {
			steps = append(append(steps, noConnections(row)...), noSize(row)...)
		}
		return append(steps, d.Steps...), shared(pool), nil
	}
	limits, err := sliceSteps(row)
	if err != nil {
		return nil, "", err
	}
	steps = append(limits, closedSteps(row)...)
	if len(d.Balancers) > 0 {
		maps, include, err := render.NginxBalancers(row.ID, d.Balancers)
		if err != nil {
			return nil, "", err
		}
		d.Steps = append([]wire.Step{File("balancers of "+name, HTTPPath(row.ID, balancersName), maps),
			File("balancers of "+name, IncludePath(row.ID, balancersName), include)}, d.Steps...)
	}
	own, err := connectionSteps(row)
	if err != nil {
		return nil, "", err
	}
	d.Steps = append(own, d.Steps...)
	if slices.ContainsFunc(d.Steps, func(s wire.Step) bool { return s.File != nil && !s.File.Absent }) {
		for _, path := range []string{ConfigDirectory(row.ID), ConfigDirectory(row.ID) + "/server"} {
			steps = append(steps, wire.Step{Name: "settings of " + name, Dir: &wire.Dir{Path: path, Mode: 0o755}})
		}
	}
	steps = append(steps, d.Steps...)
	vhost, parts, err := served(version, srv, d)
	if err != nil {
		return nil, "", err
	}
	sizes, err := sizeSteps(row)
	if err != nil {
		return nil, "", err
	}
	sessions, err := sessionSteps(srv, d)
	if err != nil {
		return nil, "", err
	}
	steps = slices.Concat(steps, parts, sizes, sessions)
	for _, v := range d.vhosts() {
		step, err := vhostStep(srv, d, vhost, v)
		if err != nil {
			return nil, "", fmt.Errorf("domain %s: %w", v.Domain.Name, err)
		}
		steps = append(steps, step)
	}
	return steps, shared(pool), nil
}

// served returns what all vhosts of a site have in common, with the steps of what they serve.
func served(version render.NginxVersion, srv query.Server, d Desired) (vhost render.VhostInput, steps []wire.Step, err error) {
	row := d.Site
	vhost = render.VhostInput{Version: version, SiteID: row.ID, Balanced: len(d.Balancers) > 0}
	if row.Type == sitetype.Balancer {
		if d.Balancer == nil {
			return vhost, nil, errors.New("a site on a load balancer has no way of balancing")
		}
		vhost.Balancer = &render.Balancer{Empty: len(d.Balancer.Nodes) == 0, Keepalive: d.Balancer.Keepalive > 0}
		text, err := upstream(*d.Balancer, row.ID)
		return vhost, []wire.Step{File("nodes of "+row.Name, upstreamPath(row.ID), text)}, err
	}
	steps, root, err := directories(d)
	if err != nil {
		return vhost, nil, err
	}
	switch {
	case site.HasProgram(row):
		vhost.Proxy = &render.Proxy{Switched: true}
		upstream, err := programUpstream(row)
		if err != nil {
			return vhost, nil, err
		}
		steps = append(steps, upstream...)
	case sitetype.HasPHP(row.Type):
		pool, err := site.Pool(srv, row)
		if err != nil {
			return vhost, nil, err
		}
		vhost.PHP = &render.PHP{Root: root, Pool: pool}
		user, err := value.ParseUnixUser(row.UnixUser)
		if err != nil {
			return vhost, nil, err
		}
		own, err := poolSteps(d, render.PoolInput{
			Pool: pool, User: user, Isolated: row.Isolated, Share: site.ShareOf(row), MaxExecutionSeconds: d.seconds, Own: d.poolLines,
		})
		if err != nil {
			return vhost, nil, err
		}
		steps = append(steps, own...)
		if d.Octane > 0 { // the pool stays, so that going back is a reload
			port, err := value.NewPort(int(d.Octane))
			if err != nil {
				return vhost, nil, err
			}
			vhost.PHP, vhost.Proxy = nil, &render.Proxy{Port: port, Root: root}
		}
	default:
		vhost.Static = &render.Static{Root: root}
	}
	return vhost, steps, nil
}

// vhostStep writes the file of a domain: ours, or a user's version with our newest changes.
func vhostStep(srv query.Server, d Desired, in render.VhostInput, v Vhost) (wire.Step, error) {
	if v.Gone {
		return Absent("no longer serve "+v.Domain.Name, DomainFile(v.Domain)), nil
	}
	text, err := vhostText(in, v)
	if err == nil && v.Domain.Nginx != nil && v.Domain.NginxBase != nil {
		text, err = customText(srv, d, in, v, text)
	}
	return File("serve "+v.Domain.Name, DomainFile(v.Domain), text), err
}

func vhostText(in render.VhostInput, v Vhost) (text string, err error) {
	if in.Domain, err = value.ParseDomain(v.Domain.Name); err != nil {
		return "", err
	}
	in.Wildcard, in.WWW, in.TLS = v.Domain.Wildcard, v.Domain.WWWRedirectType, v.TLS
	return render.NginxVhost(in)
}

func (d Desired) vhosts() []Vhost {
	if len(d.Vhosts) > 0 {
		return d.Vhosts
	}
	return []Vhost{{Domain: query.Domain{SiteID: d.Site.ID, Name: d.Site.Name, First: true, Wildcard: d.Site.Wildcards, WWWRedirectType: d.Site.WWWRedirectType}}}
}
