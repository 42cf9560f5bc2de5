package app

import (
	"cmp"
	"context"
	"fmt"

	"github.com/hostlerhq/hostler/internal/engine/converge"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/engine/retention"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/dns"
	"github.com/hostlerhq/hostler/internal/ground/runtimes"
	"github.com/hostlerhq/hostler/internal/noun/backup"
	"github.com/hostlerhq/hostler/internal/noun/certificate"
	"github.com/hostlerhq/hostler/internal/noun/database"
	"github.com/hostlerhq/hostler/internal/noun/deployment"
	"github.com/hostlerhq/hostler/internal/noun/domain"
	"github.com/hostlerhq/hostler/internal/noun/firewall"
	"github.com/hostlerhq/hostler/internal/noun/integration"
	"github.com/hostlerhq/hostler/internal/noun/loadbalancer"
	"github.com/hostlerhq/hostler/internal/noun/monitor"
	"github.com/hostlerhq/hostler/internal/noun/php"
	"github.com/hostlerhq/hostler/internal/noun/process"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// work is what several nouns need for work on hosts.
type work struct {
	whole *job.Whole
	keep  retention.Keep

	rules       firewall.Defaults
	networks    *firewall.Network
	firsts      domain.First
	nodes       loadbalancer.Follower
	provisioner *server.Provisioner
	runner      *backup.Runner
	expiry      certificate.Alarms
	authority   *certificate.Authority
	orders      *certificate.Work
	deployer    *deployment.Deployer
	mirrors     runtimes.Mirrors
	vhosts      *vhost.Converger
	processes   *process.Observer
	makers      *process.Maker
	monitors    *monitor.Observer
	engines     database.Asker
}

// newWork makes it. The ledger learns its kinds from the nouns' rows, and the plan of sites what it includes.
func newWork(a *App, g ground) (w work, err error) {
	a.Ledger = ledger.New(a.Queue)
	w.rules, w.networks, w.firsts, w.nodes = firewall.Defaults{Ledger: a.Ledger}, &firewall.Network{Ledger: a.Ledger}, domain.First{Ledger: a.Ledger},
		loadbalancer.Follower{Ledger: a.Ledger}
	w.provisioner = &server.Provisioner{
		DB: a.DB, Keys: g.keys, Facts: a.fleet, Rules: w.rules, Firewall: firewall.Aspect, Ledger: a.Ledger, Queue: a.Queue,
		Balancers: w.nodes, PHP: php.Finder{Ledger: a.Ledger}, Machines: g.machines,
	}
	w.runner = &backup.Runner{Store: g.backups, Queue: a.Queue, Alarms: g.notifier, Mail: a.Outbox}
	w.expiry = certificate.Alarms{certificate.MailAlarm{Mail: a.Outbox}, certificate.AlarmFunc(func(ctx context.Context, tx *db.Tx, f certificate.Failing) error {
		return g.notifier.RenewalFailed(ctx, tx, f.Certificate, f.Reason)
	})}
	w.authority = &certificate.Authority{
		DB: a.DB, Box: a.Box, Directory: cmp.Or(a.Config.ACMEDirectory, certificate.LetsEncryptDirectory),
		Roots: a.Config.ACMERoots, Runner: a.fleet, Targets: g.keys,
		Zone: a.Config.ChallengeZone, Providers: g.dnsProviders, Resolver: g.resolver,
	}
	if a.Config.ChallengeZone != "" {
		if w.authority.DNS, err = dns.New(a.Config.ChallengeDNS, g.operator); err != nil {
			return w, fmt.Errorf("open the zone for DNS challenges: %w", err)
		}
	}
	w.orders = &certificate.Work{Queue: a.Queue, Ledger: a.Ledger}
	w.deployer = &deployment.Deployer{Queue: a.Queue, Projects: g.projects}
	if w.mirrors, err = runtimes.NewMirrors(a.Config.RuntimeMirrors, a.Config.RuntimeKeys, g.operator.Transport()); err != nil {
		return w, err
	}
	a.newest = &runtimes.Newest{Mirrors: w.mirrors}
	sources := map[string]vhost.Source{}
	for name, m := range w.mirrors {
		sources[name] = vhost.Source{Mirror: m.URL, Keys: m.Keys}
	}
	w.vhosts = vhost.NewConverger(converge.Converger{Ledger: a.Ledger, Box: a.Box, Facts: vhost.ReadFacts}, vhost.Planner{
		Domains: domain.Include{Certificates: certificate.Include{}}, Octane: integration.OctanePort, Ports: integration.Ports,
		Runtimes: sources, Restart: deployment.RestartScript,
	})
	w.vhosts.Restarter = w.deployer
	w.processes = &process.Observer{DB: a.DB, Hosts: a.fleet, Targets: g.keys}
	w.engines = database.Asker{Hosts: a.fleet, Targets: g.keys, Clock: a.DB.Clock}
	w.makers = process.NewMaker(a.DB, g.servers, a.Ledger)
	w.monitors = &monitor.Observer{DB: a.DB, Mail: a.Outbox, Alarm: g.notifier}
	return w, nil
}
