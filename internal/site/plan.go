package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/host/wire"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/ledger"
	"github.com/hostlerhq/hostler/internal/render"
	"github.com/hostlerhq/hostler/internal/server"
	"github.com/hostlerhq/hostler/internal/value"
)

// Balancer renders what only sites on load balancers have: their nodes.
type Balancer interface {
	// Upstream is the nodes of a site as nginx's text; empty tells that there are none.
	Upstream(ctx context.Context, q *query.Queries, row query.Site, nodes []query.LoadBalancingNode) (text string, empty bool, err error)
}

// Part is what sites have beside their own settings, as nouns of their own: redirects, for instance. A site's whole configuration is one plan, so its
// work is work of the aspect.
type Part interface {
	// Steps write what the host should have of it; for a site that is gone they take that away. Those of late happen once nginx has let go of
	// what they remove.
	Steps(v ledger.View, d Desired) (steps, late []wire.Step, err error)
}

// OldPart is a Part whose work is not in the ledger yet.
type OldPart interface {
	Steps(ctx context.Context, q *query.Queries, d Desired, w job.Pending) (steps, late []wire.Step, err error)
	// Settle and Resume are those of job.Aspect, for the part's own resources.
	Settle(ctx context.Context, tx *db.Tx, op query.Operation, done bool) error
	Resume(ctx context.Context, tx *db.Tx, op query.Operation) error
}

// Named is an OldPart with the types of the resources that its work is about.
type Named struct {
	Types []string
	Part  OldPart
}

// Domains are the domains of a site as a host should have them.
type Domains interface {
	// Vhosts are the site's domains, with the steps of what their vhosts need: certificates. Those of late happen once nginx has let go of what
	// they remove.
	Vhosts(v ledger.View, row query.Site, gone bool) (vhosts []Vhost, steps, late []wire.Step, err error)
}

// Vhost is a domain of a site as a host should have it.
type Vhost struct {
	Domain query.Domain
	// Gone tells that it is not served.
	Gone bool
	TLS  *render.TLS
	// Shown asks for the text as users read and write it, without what is put in when it is written to a host.
	Shown bool
}

// Desired is a site as a host should have it.
type Desired struct {
	Site query.Site
	// Gone removes what makes the site served. Its files stay.
	Gone bool
	// Upstream and Empty are set for a site on a load balancer.
	Upstream string
	Empty    bool
	// Project is where its code comes from; nil for a site without a repository.
	Project *query.Project
	// Octane is the port of the program that answers in place of PHP-FPM, 0 for none.
	Octane int64
	// Ports are those of its programs beside its own two, Account is that of an isolated site, and Caches tells that it has some of its own. Alone
	// tells that no other site has the account.
	Ports         []int64
	Account       *query.UnixAccount
	Caches, Alone bool
	// Steady asks for the same answer as before the change.
	Steady bool
	// Fresh is set until the site's own master of PHP is known to run: its pool may be in the shared one, or nowhere.
	Fresh bool
	// Vhosts are its domains; none stand for the one that it is named after.
	Vhosts []Vhost
	// Parts and Late are the steps of its parts.
	Parts, Late []wire.Step
}

// Plan is one Change for the sites that work is about; without any, for all sites of the server, which is how drift is found.
func (c *Converger) Plan(ctx context.Context, q *query.Queries, srv query.Server, w job.Pending) ([]job.Stage, error) {
	rows, err := q.ListServerSites(ctx, srv.ID)
	if err != nil {
		return nil, fmt.Errorf("list sites: %w", err)
	}
	view, err := c.Aspect.View(ctx, q, srv, w)
	if err != nil {
		return nil, err
	}
	var sites []Desired
	for _, row := range rows {
		if len(w.Included) > 0 && !about(w.Included, row.ID) {
			continue
		}
		d, skip, err := c.desired(ctx, q, view, row, w)
		if err != nil {
			return nil, err
		}
		if !skip {
			sites = append(sites, d)
		}
	}
	if len(sites) == 0 {
		return nil, nil
	}
	if err := c.locate(ctx, q, srv.ID, rows, sites); err != nil {
		return nil, err
	}
	change, err := Change(server.FactsOf(srv), srv, sites)
	if err != nil {
		return nil, job.Planned(err)
	}
	stages, err := copies(w, sites)
	if err != nil {
		return nil, job.Planned(err)
	}
	stages = append(portsStage(sites), stages...)
	return append(append(packagesStage(server.FactsOf(srv), w, sites), stages...), job.Stage{Name: "sites", Change: change}), nil
}

func about(ops []query.Operation, site int64) bool {
	for _, op := range ops {
		if op.ResourceType == "sites" && op.ResourceID == site || op.SiteID != nil && *op.SiteID == site {
			return true
		}
	}
	return false
}

// desired is a row as it should be on the host, with held work as if it had not been asked for.
func (c *Converger) desired(ctx context.Context, q *query.Queries, view ledger.View, row query.Site, w job.Pending) (Desired, bool, error) {
	d := Desired{Site: row, Fresh: row.Enclosed != enclosed}
	nodes, err := q.ListNodes(ctx, row.ID)
	if err != nil {
		return d, false, fmt.Errorf("list nodes: %w", err)
	}
	held, isHeld := w.Holds("sites", row.ID)
	switch {
	case isHeld && held.Action == "create":
		return d, true, nil
	case isHeld && held.Action == "update":
		var before Before
		if err := json.Unmarshal([]byte(held.Request), &before); err != nil {
			return d, false, fmt.Errorf("read what site %d was: %w", row.ID, err)
		}
		d.Site, nodes = before.Site, before.Nodes
	case w.Deletes("sites", row.ID), row.Status == StatusUninstalling && !isHeld, row.Status == StatusFailed:
		d.Gone = true
	}
	project, err := q.GetProject(ctx, row.ID)
	switch {
	case err == nil && (project.Repository != "" || installs(row.Type, &project)):
		if project, err = effectiveProject(project, w); err != nil {
			return d, false, err
		}
		d.Project = &project
		d.Steady = slices.ContainsFunc(switches(w.Included), func(op query.Operation) bool { return op.ResourceID == row.ID })
	case err != nil && !errors.Is(err, db.ErrNotFound):
		return d, false, fmt.Errorf("read project of site %d: %w", row.ID, err)
	}
	err = nil
	if row.Type == TypeBalancer && !d.Gone {
		if d.Upstream, d.Empty, err = c.Balancer.Upstream(ctx, q, d.Site, nodes); err != nil {
			return d, false, err
		}
	}
	if c.Octane != nil && HasPHP(row.Type) {
		if d.Octane, err = c.Octane(ctx, q, row.ID); err != nil {
			return d, false, err
		}
	}
	if d.Vhosts, d.Parts, d.Late, err = c.Domains.Vhosts(view, d.Site, d.Gone); err != nil {
		return d, false, job.Planned(err)
	}
	for _, part := range c.Parts {
		steps, late, err := part.Steps(view, d)
		if err != nil {
			return d, false, job.Planned(err)
		}
		d.Parts, d.Late = append(d.Parts, steps...), append(d.Late, late...)
	}
	for _, part := range c.OldParts {
		steps, late, err := part.Part.Steps(ctx, q, d, w)
		if err != nil {
			return d, false, err
		}
		d.Parts, d.Late = append(d.Parts, steps...), append(d.Late, late...)
	}
	return d, false, nil
}

// ConfigDirectory is where nginx's files of a site are that its vhosts include: below it, server/*.conf stand in each of them.
func ConfigDirectory(id int64) string { return "/etc/nginx/hostler-conf/" + strconv.FormatInt(id, 10) }

// IncludePath is a file that every vhost of a site includes.
func IncludePath(id int64, name string) string {
	return ConfigDirectory(id) + "/server/" + name + ".conf"
}

// HTTPPath is a file of a site in nginx's http block, read before its vhosts.
func HTTPPath(id int64, name string) string {
	return "/etc/nginx/conf.d/45-site-" + strconv.FormatInt(id, 10) + "-" + name + ".conf"
}

// VhostPath is the file of a domain.
func VhostPath(d query.Domain) string {
	path := "/etc/nginx/conf.d/50-site-" + strconv.FormatInt(d.SiteID, 10)
	if !d.First {
		path += "-domain-" + strconv.FormatInt(d.ID, 10)
	}
	return path + ".conf"
}

// Paths of a site on its host.
func upstreamPath(id int64) string {
	return "/etc/nginx/conf.d/40-site-" + strconv.FormatInt(id, 10) + "-nodes.conf"
}
func poolPath(id int64, php value.PHPVersion) string {
	return "/etc/php/" + php.Dotted() + "/fpm/pool.d/hostler-" + strconv.FormatInt(id, 10) + ".conf"
}

// Change makes a host serve these sites. It is pure: rows and facts in, steps out.
func Change(facts wire.Facts, srv query.Server, sites []Desired) (wire.Change, error) {
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
		pool, err := poolOf(srv, d.Site)
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
		wire.Step{Name: "reload nginx", Action: &wire.Action{Argv: []string{"systemctl", "reload-or-restart", "nginx.service"}, Workers: "nginx.service", Log: server.NginxLog}},
		wire.Step{Name: "nginx runs", Probe: &wire.Probe{Unit: "nginx.service"}})
	for _, d := range sites {
		if d.Gone && HasProgram(d.Site) {
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
	}
	c.Steps = append(c.Steps, lastPorts...)
	for _, d := range sites {
		for _, v := range d.vhosts() {
			if !d.Gone && !v.Gone {
				c.Steps = append(c.Steps, wire.Step{Name: "ask for " + v.Domain.Name, Probe: &wire.Probe{HTTP: &wire.HTTPProbe{Port: 80, Host: v.Domain.Name, Path: "/", SameAsBefore: d.Steady}}})
			}
		}
	}
	steps, err := leaveShared(srv, sites)
	if err != nil {
		return c, err
	}
	c.Steps = append(c.Steps, steps...)
	return c, nil
}

// siteSteps are the files of one site; php is the dotted version whose shared master has its pool.
func siteSteps(version render.NginxVersion, srv query.Server, d Desired) (steps []wire.Step, php string, err error) {
	row, name := d.Site, d.Site.Name
	pool, err := poolOf(srv, row)
	if err != nil {
		return nil, "", err
	}
	if d.Gone {
		for _, v := range d.vhosts() {
			steps = append(steps, Absent("no longer serve "+v.Domain.Name, VhostPath(v.Domain)))
		}
		if row.Type == TypeBalancer || HasProgram(row) {
			steps = append(steps, Absent("nodes of "+name, upstreamPath(row.ID)))
		}
		if !pool.PHP.IsZero() {
			steps = append(steps, Absent("PHP pool of "+name, poolPath(row.ID, pool.PHP)))
		}
		return append(steps, d.Parts...), shared(pool), nil
	}
	steps = append(steps, closedSteps(row)...)
	if slices.ContainsFunc(d.Parts, func(s wire.Step) bool { return s.File != nil && !s.File.Absent }) {
		for _, path := range []string{ConfigDirectory(row.ID), ConfigDirectory(row.ID) + "/server"} {
			steps = append(steps, wire.Step{Name: "settings of " + name, Dir: &wire.Dir{Path: path, Mode: 0o755}})
		}
	}
	steps = append(steps, d.Parts...)
	vhost, own, err := served(version, srv, d)
	if err != nil {
		return nil, "", err
	}
	steps = append(steps, own...)
	for _, v := range d.vhosts() {
		step, err := vhostStep(srv, d, vhost, v)
		if err != nil {
			return nil, "", fmt.Errorf("domain %s: %w", v.Domain.Name, err)
		}
		steps = append(steps, step)
	}
	return steps, shared(pool), nil
}

// served is what all vhosts of a site have in common, with the steps of what they serve.
func served(version render.NginxVersion, srv query.Server, d Desired) (vhost render.VhostInput, steps []wire.Step, err error) {
	row := d.Site
	vhost = render.VhostInput{Version: version, SiteID: row.ID}
	if row.Type == TypeBalancer {
		vhost.Balancer = &render.Balancer{Empty: d.Empty, Keepalive: row.BalancerKeepalive != nil && *row.BalancerKeepalive > 0}
		return vhost, []wire.Step{File("nodes of "+row.Name, upstreamPath(row.ID), d.Upstream)}, nil
	}
	steps, root, err := directories(row, d.Project)
	if err != nil {
		return vhost, nil, err
	}
	switch {
	case HasProgram(row):
		vhost.Proxy = &render.Proxy{Switched: true}
		upstream, err := programUpstream(row)
		if err != nil {
			return vhost, nil, err
		}
		steps = append(steps, upstream...)
	case HasPHP(row.Type):
		pool, err := poolOf(srv, row)
		if err != nil {
			return vhost, nil, err
		}
		vhost.PHP = &render.PHP{Root: root, Pool: pool}
		user, err := value.ParseUnixUser(row.UnixUser)
		if err != nil {
			return vhost, nil, err
		}
		own, err := poolSteps(d, render.PoolInput{Pool: pool, User: user})
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

// vhostStep writes the file of a domain: ours, or what a user made of it, with what is new in ours.
func vhostStep(srv query.Server, d Desired, in render.VhostInput, v Vhost) (wire.Step, error) {
	if v.Gone {
		return Absent("no longer serve "+v.Domain.Name, VhostPath(v.Domain)), nil
	}
	text, err := vhostText(in, v)
	if err == nil && v.Domain.Nginx != nil && v.Domain.NginxBase != nil {
		text, err = customText(srv, d, in, v, text)
	}
	return File("serve "+v.Domain.Name, VhostPath(v.Domain), text), err
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

// File is a configuration file that is kept as it is where somebody else changed it.
func File(name, path, text string) wire.Step {
	return wire.Step{Name: name, File: &wire.File{Path: path, Mode: 0o644, Content: []byte(text), Keep: true}}
}

// Absent takes a file away.
func Absent(name, path string) wire.Step {
	return wire.Step{Name: name, File: &wire.File{Path: path, Absent: true}}
}

// poolOf is the PHP pool of a site; zero for a site without PHP.
func poolOf(srv query.Server, row query.Site) (render.Pool, error) {
	if !HasPHP(row.Type) {
		return render.Pool{}, nil
	}
	version := row.PHPVersion
	if version == "" && srv.PHPVersion != nil {
		version = *srv.PHPVersion
	}
	php, err := value.ParsePHPVersion(version)
	if err != nil {
		return render.Pool{}, fmt.Errorf("the server has no PHP")
	}
	return render.Pool{SiteID: row.ID, PHP: php, Alone: row.Isolated}, nil
}

// DottedPHP is the version of PHP that a site runs with ("8.4"), "" for a site without PHP.
func DottedPHP(srv query.Server, row query.Site) string {
	pool, err := poolOf(srv, row)
	if err != nil || pool.PHP.IsZero() {
		return ""
	}
	return pool.PHP.Dotted()
}

// PHPService is the service of PHP-FPM that answers for a site, "" for a site without PHP.
func PHPService(srv query.Server, row query.Site) string {
	pool, err := poolOf(srv, row)
	if err != nil || pool.PHP.IsZero() {
		return ""
	}
	return strings.TrimSuffix(pool.Unit(), ".service")
}

// FirstRelease is the release that a site with releases begins with: a page that says that it waits.
const FirstRelease = "initial"

// Base is the directory of a site.
func Base(row query.Site) (value.AbsPath, error) {
	return value.ParseAbsPath("/home/" + row.UnixUser + "/" + Directory(row))
}

// Directory is the name of a site's directory below its user's home: the name that it was made with.
func Directory(row query.Site) string {
	if row.Directory != "" {
		return row.Directory
	}
	return row.Name
}

// directories are a site's own, and a first page where there is none.
func directories(row query.Site, project *query.Project) ([]wire.Step, value.AbsPath, error) {
	user := row.UnixUser
	base, err := Base(row)
	if err != nil {
		return nil, base, err
	}
	web, err := value.ParseRelPath(row.WebDirectory)
	if err != nil {
		return nil, base, err
	}
	below := "" // what the first page is below
	if project != nil && row.RootDirectory != nil {
		below = strings.TrimSuffix(*row.RootDirectory, "/")
	}
	below += web.String()
	steps := []wire.Step{server.Account(user), server.Home(user)}
	if row.Isolated {
		own, err := AccountSteps(user)
		if err != nil {
			return nil, base, err
		}
		steps = slices.Concat(steps[:1], own, steps[1:])
	}
	directory := func(path string) {
		steps = append(steps, wire.Step{Name: "directory of " + row.Name, Dir: &wire.Dir{Path: path, Mode: 0o755, Owner: user, Group: user}})
	}
	directory(base.String())
	first, served := base.String(), base.String()
	if project != nil && project.ZeroDowntime {
		directory(base.String() + "/releases")
		first, served = base.String()+"/releases/"+FirstRelease, base.String()+"/current"
		directory(first)
	}
	for _, part := range strings.FieldsFunc(below, func(r rune) bool { return r == '/' }) { // a step makes one directory, not those above it
		if project != nil && !project.ZeroDowntime { // the checkout brings them
			break
		}
		first += "/" + part
		directory(first)
	}
	if project == nil || project.ZeroDowntime {
		page, text := "index.html", firstPage
		if HasPHP(row.Type) {
			page, text = "index.php", firstPHP
		}
		steps = append(steps, wire.Step{Name: "first page of " + row.Name, File: &wire.File{Path: first + "/" + page, Mode: 0o644, Owner: user, Group: user, Content: []byte(text), Once: true}})
	}
	if served != base.String() {
		steps = append(steps, wire.Step{Name: "first release of " + row.Name, Link: &wire.Link{Path: served, Target: "releases/" + FirstRelease, Owner: user, Group: user, Once: true}})
	}
	root, err := value.ParseAbsPath(served + below)
	return steps, root, err
}

const (
	firstPage = "<!doctype html>\n<title>Ready</title>\n<p>This site is ready for its files.</p>\n"
	firstPHP  = "<?php\nheader('Content-Type: text/plain; charset=utf-8');\necho \"Ready: \", gethostname(), ', PHP ', PHP_VERSION, \"\\n\";\n"
)
