package app

import (
	"cmp"

	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/engine/converge"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/engine/recipient"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/noun/database"
	"github.com/hostlerhq/hostler/internal/noun/firewall"
	"github.com/hostlerhq/hostler/internal/noun/loadbalancer"
	"github.com/hostlerhq/hostler/internal/noun/metric"
	"github.com/hostlerhq/hostler/internal/noun/monitor"
	"github.com/hostlerhq/hostler/internal/noun/php"
	"github.com/hostlerhq/hostler/internal/noun/process"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/service"
	"github.com/hostlerhq/hostler/internal/noun/sshkey"
)

func (h *house) server() noun {
	return noun{
		name: "server", fields: server.Fields(), values: server.Values(),
		parameters: map[string]string{"{server}": "The id of the server."},
		aspects: map[string]job.Aspect{
			server.AspectProvision: h.provisioner.Aspect(),
			server.AspectRemove:    (&server.Remover{Networks: h.networks, Queue: h.Queue, Forget: h.fleet.Forget, Machines: h.machines}).Aspect(),
			server.AspectRelease:   (&server.Releaser{Machines: h.machines}).Aspect(),
			server.AspectKey:       (&server.Rekeyer{DB: h.DB, Keys: h.keys, Facts: h.fleet}).Aspect(),
			server.AspectUpgrade:   (&server.Upgrader{Provisioner: h.provisioner, Queue: h.Queue}).Aspect(),
			server.AspectReboot:    (&server.Rebooter{Provisioner: h.provisioner, Machines: h.machines}).Aspect(),
		},
		register: func() {
			(&server.Operations{
				Store: h.servers, Queue: h.Queue, Router: h.Router, Keys: h.keys, Retrier: h.engine, Rules: h.rules, Credentials: h.credentials,
				Accounts: h.accounts, Catalog: h.catalog,
				OutOfReach: server.OutOfReach(h.BaseURL) && !h.Config.AllowPrivateEndpoints,
				Balancers:  h.nodes, Databases: h.databases, Drifter: h.whole, Transfers: h.transfers(), AllowLocal: h.Config.AllowLocalServers,
			}).Register()
			h.bootstrap = (&server.Bootstrap{
				DB: h.DB, Box: h.Box, Router: h.Router, Queue: h.Queue, Retrier: h.engine, Log: h.Log, Rules: h.rules,
				Own: server.Own{Keys: cmp.Or(h.Config.HostKeys, "/etc/ssh"), Listen: []string{h.Config.Listen, h.Config.HTTPListen}},
			}).Handler()
		},
		concerns: []concern.Source{server.Concerns},
	}
}

func (h *house) sshKey() noun {
	return noun{
		name: "sshkey", fields: sshkey.Fields(), transfers: sshkey.Transfers,
		parameters: map[string]string{"{key}": "The id of the SSH key."},
		kinds:      []ledger.Kind{sshkey.Noun},
		aspects:    map[string]job.Aspect{sshkey.Aspect: converge.Converger{Ledger: h.Ledger, Plans: sshkey.Plan}.Aspect()},
		register:   func() { sshkey.NewOperations(h.DB, h.servers, h.Ledger, h.Router, process.Users).Register() },
	}
}

func (h *house) firewall() noun {
	return noun{
		name: "firewall", fields: firewall.Fields(), transfers: firewall.Transfers,
		parameters: map[string]string{"{rule}": "The id of the firewall rule."},
		kinds:      []ledger.Kind{firewall.Rules, firewall.Networks},
		aspects:    map[string]job.Aspect{firewall.Aspect: firewall.NewConverger(h.Ledger).Aspect()},
		register: func() {
			firewall.NewOperations(h.DB, h.servers, h.Ledger, h.Router).Register()
			(&firewall.NetworkOperations{DB: h.DB, Servers: h.servers, Networks: h.networks, Router: h.Router}).Register()
		},
	}
}

func (h *house) monitor() noun {
	asker := &monitor.Asker{Observer: *h.monitors, Guard: h.guard, Online: monitor.Resolves}
	return noun{
		name: "monitor", fields: monitor.Fields(), values: monitor.Values(), transfers: monitor.Transfers,
		parameters: map[string]string{"{monitor}": "The id of the monitor."},
		kinds:      []ledger.Kind{monitor.Noun},
		aspects:    map[string]job.Aspect{monitor.Aspect: converge.Converger{Ledger: h.Ledger, Plans: monitor.Plan}.Aspect()},
		watch:      h.monitors.Watch,
		mails:      map[string]mail.Check{monitor.MailChange: recipient.Confirmed(monitor.CheckMail)},
		periodic:   []job.Periodic{monitor.Periodic()},
		work:       func(w *job.Workers) { job.Handle(w, asker.AskURLs) },
		register:   func() { monitor.NewOperations(h.DB, h.servers, h.Ledger, h.guard, h.recipients, h.Router).Register() },
		concerns:   []concern.Source{monitor.Concerns},
	}
}

func (h *house) metric() noun {
	return noun{
		name: "metric", fields: metric.Fields(),
		watch: (&metric.Observer{DB: h.DB, Hosts: h.fleet, Targets: h.keys}).Watch,
		register: func() {
			(&metric.Operations{DB: h.DB, Servers: h.servers, Sites: h.sites, Router: h.Router}).Register()
		},
	}
}

func (h *house) php() noun {
	return noun{
		name: "php", fields: php.Fields(), values: php.Values(),
		parameters: map[string]string{"{phpVersion}": "The id of the installed version of PHP."},
		kinds:      []ledger.Kind{php.Versions, php.ServerSettings},
		aspects:    map[string]job.Aspect{php.Aspect: php.NewConverger(h.Ledger, h.provisioner.Refresh).Aspect()},
		register:   func() { php.NewOperations(h.DB, h.servers, h.Ledger, h.Router).Register() },
	}
}

func (h *house) service() noun {
	return noun{
		name: "service", fields: service.Fields(), values: service.Values(),
		aspects: map[string]job.Aspect{service.Aspect: service.NewTask(h.Ledger).Aspect()},
		register: func() {
			(&service.Operations{Servers: h.servers, Queue: h.Queue, Router: h.Router, Hosts: h.fleet, Targets: h.keys}).Register()
		},
	}
}

func (h *house) database() noun {
	return noun{
		name: "database", fields: database.Fields(),
		parameters: map[string]string{"{database}": "The id of the database.", "{databaseUser}": "The id of the database user."},
		kinds:      []ledger.Kind{database.Databases, database.Users},
		aspects:    map[string]job.Aspect{database.Aspect: database.NewConverger(h.Ledger, h.DB, h.Box, h.engines).Aspect()},
		register:   func() { h.databases.Register() },
		concerns:   []concern.Source{database.Concerns},
	}
}

func (h *house) loadBalancer() noun {
	return noun{
		name: "loadbalancer", fields: loadbalancer.Fields(), transfers: loadbalancer.Transfers,
		register: func() {
			(&loadbalancer.Operations{Installer: h.installer, DB: h.DB, Servers: h.servers, Sites: h.sites, Router: h.Router}).Register()
		},
	}
}
