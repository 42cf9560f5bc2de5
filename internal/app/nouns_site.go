package app

import (
	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/engine/converge"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/noun/certificate"
	"github.com/hostlerhq/hostler/internal/noun/command"
	"github.com/hostlerhq/hostler/internal/noun/deployment"
	"github.com/hostlerhq/hostler/internal/noun/dnsrecord"
	"github.com/hostlerhq/hostler/internal/noun/domain"
	"github.com/hostlerhq/hostler/internal/noun/environment"
	"github.com/hostlerhq/hostler/internal/noun/file"
	"github.com/hostlerhq/hostler/internal/noun/heartbeat"
	"github.com/hostlerhq/hostler/internal/noun/integration"
	"github.com/hostlerhq/hostler/internal/noun/log"
	"github.com/hostlerhq/hostler/internal/noun/nginx"
	"github.com/hostlerhq/hostler/internal/noun/packages"
	"github.com/hostlerhq/hostler/internal/noun/php"
	"github.com/hostlerhq/hostler/internal/noun/process"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/redirect"
	"github.com/hostlerhq/hostler/internal/noun/schedule"
	"github.com/hostlerhq/hostler/internal/noun/security"
	"github.com/hostlerhq/hostler/internal/noun/sftpuser"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
	"github.com/hostlerhq/hostler/internal/noun/webhook"
)

func (h *house) site() noun {
	return noun{
		name: "site", fields: site.Fields(), values: site.Values(),
		parameters: map[string]string{"{site}": "The id of the site."},
		kinds:      []ledger.Kind{site.Sites},
		watch:      (&site.Encloser{DB: h.DB, Ledger: h.Ledger, Processes: h.makers}).Next,
		register: func() {
			(&site.Operations{
				Store: h.sites, Projects: h.projects, Deployments: h.deployer, Databases: h.databases, Environments: h.variables,
				Templates: vhost.Templates{}, PHP: php.Accounts{}, Installer: h.installer, Router: h.Router, Runtimes: h.mirrors,
			}).Register()
		},
		concerns: []concern.Source{site.Concerns, site.LimitReached},
	}
}

// vhost is what a host serves of a site. It has no operations of its own.
func (h *house) vhost() noun {
	return noun{name: "vhost", aspects: map[string]job.Aspect{site.Aspect: h.vhosts.Aspect()}}
}

// limits are how much of its server a site may use. They have no operations of their own.
func (h *house) limits() noun { return noun{name: "limits"} }

// project is the code of a site. It has no operations of its own.
func (h *house) project() noun {
	return noun{name: "project", fields: project.Fields(), transfers: project.Transfers}
}

func (h *house) deployment() noun {
	return noun{
		name: "deployment", fields: deployment.Fields(), values: deployment.Values(),
		parameters: map[string]string{"{deployment}": "The id of the deployment."},
		aspects: map[string]job.Aspect{
			deployment.Aspect: (&deployment.Task{
				Projects: h.projects, Environment: packages.Environment, Sources: h.links, Listeners: []deployment.Listener{h.publisher, h.notifier},
			}).Aspect(),
			deployment.CheckAspect: (&deployment.Checker{Projects: h.projects, Sources: h.links}).Aspect(),
		},
		register: func() {
			(&deployment.Operations{
				Sites: h.printer, Store: &deployment.Store{DB: h.DB, Sites: h.sites}, Deployer: h.deployer, Queue: h.Queue, Ledger: h.Ledger, Router: h.Router,
			}).Register()
			h.hooks = (&deployment.Hooks{DB: h.DB, Deployer: h.deployer, Limits: h.Router, Log: h.Log}).Handler()
		},
		concerns: []concern.Source{deployment.Concerns, deployment.Unserved, deployment.Readers{Rights: h.servers}.Concerns},
	}
}

func (h *house) environment() noun {
	return noun{
		name: "environment", fields: environment.Fields(),
		parameters: map[string]string{"{version}": "The id of the version of the environment."},
		aspects:    map[string]job.Aspect{environment.Aspect: (&environment.Task{Box: h.Box, Programs: h.deployer}).Aspect()},
		register:   func() { h.variables.Register() },
		concerns:   []concern.Source{environment.Reader{Box: h.Box}.Concerns},
	}
}

func (h *house) command() noun {
	return noun{
		name: "command", fields: command.Fields(),
		parameters: map[string]string{"{command}": "The id of the command."},
		aspects:    map[string]job.Aspect{command.Aspect: (&command.Task{}).Aspect()},
		register:   func() { (&command.Operations{DB: h.DB, Sites: h.sites, Queue: h.Queue, Router: h.Router}).Register() },
	}
}

func (h *house) domain() noun {
	return noun{
		name: "domain", fields: domain.Fields(),
		parameters: map[string]string{"{domainRecord}": "The id of the domain."},
		kinds:      []ledger.Kind{domain.Domains},
		register: func() {
			(&domain.Operations{Store: h.domains, ChallengeZone: h.Config.ChallengeZone, Resolver: h.resolver}).Register()
		},
	}
}

func (h *house) certificate() noun {
	vault := certificate.Vault{Box: h.Box}
	issuer := &certificate.Issuer{DB: h.DB, Vault: vault, Authority: h.authority, Work: h.orders, Alarm: h.expiry, Log: h.Log}
	return noun{
		name: "certificate", fields: certificate.Fields(), values: certificate.Values(), transfers: certificate.Transfers,
		parameters: map[string]string{"{certificate}": "The id of the certificate."},
		kinds:      []ledger.Kind{certificate.Noun(h.expiry)},
		aspects:    map[string]job.Aspect{certificate.Aspect: issuer.Aspect()},
		mails:      map[string]mail.Check{certificate.MailExpiry: certificate.CheckMail},
		periodic:   []job.Periodic{{Every: certificate.RenewEvery, Args: certificate.Renew{}}},
		work:       func(w *job.Workers) { job.Handle(w, issuer.Renew) },
		register: func() {
			(&certificate.Operations{
				Store: &certificate.Store{DB: h.DB, Domains: h.domains}, Vault: vault, Work: h.orders, Router: h.Router, Delegation: h.authority.DNS != nil,
				DNS: h.dnsProviders,
			}).Register()
		},
		concerns: []concern.Source{certificate.Concerns},
	}
}

func (h *house) dnsRecord() noun {
	store := &dnsrecord.Store{DB: h.DB, Providers: h.dnsProviders, Resolver: h.resolver, Queue: h.Queue, Guard: h.guard}
	h.Records = &dnsrecord.Watcher{Store: store}
	return noun{
		name: "dnsrecord", fields: dnsrecord.Fields(), transfers: dnsrecord.Transfers,
		aspects:  map[string]job.Aspect{dnsrecord.Aspect: (&dnsrecord.Task{Store: store}).Aspect()},
		periodic: []job.Periodic{dnsrecord.Periodic()},
		work:     func(w *job.Workers) { job.Handle(w, h.Records.Watch) },
		register: func() {
			store.Domains = h.domains
			(&dnsrecord.Operations{Store: store, Router: h.Router}).Register()
		},
		elsewhere: dnsrecord.Elsewhere, concerns: []concern.Source{dnsrecord.Concerns, dnsrecord.LeftConcerns},
	}
}

func (h *house) nginx() noun {
	return noun{
		name: "nginx", fields: nginx.Fields(),
		parameters: map[string]string{"{nginxTemplate}": "The id of the nginx template."},
		register: func() {
			h.KeptNginx = &nginx.Kept{DB: h.DB, Judge: h.vhosts}
			(&nginx.Operations{DB: h.DB, Domains: h.domains, Vhosts: h.vhosts, Drifter: h.whole, Ledger: h.Ledger, Router: h.Router}).Register()
		},
		concerns: []concern.Source{nginx.Concerns},
	}
}

func (h *house) redirect() noun {
	return noun{
		name: "redirect", fields: redirect.Fields(),
		parameters: map[string]string{"{redirectRule}": "The id of the redirect rule."},
		kinds:      []ledger.Kind{redirect.Rules, redirect.Orders},
		includes:   []vhost.Include{redirect.Include{}},
		register:   func() { h.redirects.Register() },
		concerns:   []concern.Source{redirect.Concerns},
	}
}

func (h *house) security() noun {
	return noun{
		name: "security", fields: security.Fields(),
		parameters: map[string]string{"{securityRule}": "The id of the security rule."},
		kinds:      []ledger.Kind{security.Rules},
		includes:   []vhost.Include{security.Include{}},
		register:   func() { h.guards.Register() },
	}
}

func (h *house) process() noun {
	return noun{
		name: "process", fields: process.Fields(),
		parameters: map[string]string{"{backgroundProcess}": "The id of the background process."},
		kinds:      []ledger.Kind{process.Processes},
		includes:   []vhost.Include{process.Include{}},
		aspects: map[string]job.Aspect{
			process.Aspect: converge.Converger{Ledger: h.Ledger, Plans: process.Plan, Done: h.processes.Done, OneByOne: true}.Aspect(),
		},
		watch: h.processes.Watch,
		register: func() {
			(&process.Operations{Maker: h.makers, Router: h.Router, Logs: h.logs, LogParams: log.Params()}).Register()
		},
	}
}

func (h *house) sftpUser() noun {
	return noun{
		name: "sftpuser", fields: sftpuser.Fields(), transfers: sftpuser.Transfers,
		parameters: map[string]string{"{sftpUser}": "The id of the SFTP user."},
		kinds:      []ledger.Kind{sftpuser.Users},
		includes:   []vhost.Include{sftpuser.Include{}},
		aspects:    map[string]job.Aspect{sftpuser.Aspect: converge.Converger{Ledger: h.Ledger, Plans: sftpuser.Plan}.Aspect()},
		register:   func() { sftpuser.NewOperations(h.DB, h.sites, h.Ledger, h.Router).Register() },
	}
}

func (h *house) schedule() noun {
	looker := &schedule.Looker{DB: h.DB, Hosts: h.fleet, Targets: h.keys}
	return noun{
		name: "schedule", fields: schedule.Fields(),
		parameters: map[string]string{"{job}": "The id of the scheduled job."},
		kinds:      []ledger.Kind{schedule.Jobs},
		includes:   []vhost.Include{schedule.Include{}},
		aspects: map[string]job.Aspect{schedule.Aspect: converge.Converger{
			Ledger: h.Ledger, Plans: schedule.Plan, Box: h.Box,
			Facts: schedule.Reader{Below: h.page(heartbeat.PingPath), Place: heartbeat.SealedAt}.Facts,
		}.Aspect()},
		periodic: []job.Periodic{schedule.Periodic()},
		work:     func(w *job.Workers) { job.Handle(w, looker.LookAtJobs) },
		register: func() {
			(&schedule.Operations{Maker: h.jobs, Sites: h.sites, Logs: h.logs, Heartbeats: h.heartbeats, Users: process.Users}).Register()
		},
		concerns: []concern.Source{schedule.Concerns, schedule.Unstarted},
	}
}

func (h *house) heartbeat() noun {
	h.Heartbeats = &heartbeat.Watch{DB: h.DB, Log: h.Log, Alarm: heartbeat.Alarms{heartbeat.MailAlarm{Mail: h.Outbox}, h.notifier}}
	return noun{
		name: "heartbeat", fields: heartbeat.Fields(),
		parameters: map[string]string{"{heartbeat}": "The id of the heartbeat."},
		mails:      map[string]mail.Check{heartbeat.MailChange: heartbeat.CheckMail},
		periodic:   []job.Periodic{heartbeat.Periodic()},
		work:       func(w *job.Workers) { job.Handle(w, h.Heartbeats.Tick) },
		register:   func() { h.heartbeats.Register() },
		concerns:   []concern.Source{heartbeat.Concerns},
	}
}

func (h *house) integration() noun {
	return noun{
		name: "integration", fields: integration.Fields(),
		kinds:    []ledger.Kind{integration.Integrations},
		includes: []vhost.Include{integration.Include{}},
		aspects:  map[string]job.Aspect{integration.MaintenanceAspect: (&integration.Task{Box: h.Box}).Aspect()},
		register: func() {
			(&integration.Operations{
				DB: h.DB, Box: h.Box, Sites: h.sites, Projects: h.projects, Processes: h.makers, Schedules: h.jobs,
				Detector: &integration.Detector{DB: h.DB, Hosts: h.fleet, Targets: h.keys}, Ledger: h.Ledger, Queue: h.Queue, Router: h.Router,
			}).Register()
		},
	}
}

func (h *house) packages() noun {
	vault := packages.Vault{Box: h.Box}
	return noun{
		name: "packages", fields: packages.Fields(), transfers: packages.Transfers,
		parameters: map[string]string{"{repository}": "The host of the credential, as in its id.", "{registry}": "The registry of the credential, as in its id."},
		aspects:    map[string]job.Aspect{packages.Aspect: (&packages.Task{Vault: vault}).Aspect()},
		register: func() {
			(&packages.Operations{DB: h.DB, Vault: vault, Sites: h.sites, Queue: h.Queue, Router: h.Router}).Register()
		},
	}
}

func (h *house) log() noun {
	return noun{
		name: "log", fields: log.Fields(),
		parameters: map[string]string{"logs/{key}": "The name of the log, such as nginx-error."},
		aspects:    map[string]job.Aspect{log.Aspect: (&log.Task{}).Aspect()},
		register: func() {
			(&log.Operations{Servers: h.servers, Sites: h.sites, Queue: h.Queue, Router: h.Router, Reader: h.logs}).Register()
		},
	}
}

func (h *house) file() noun {
	return noun{
		name: "file", fields: file.Fields(),
		register: func() {
			(&file.Operations{DB: h.DB, Sites: h.sites, Hosts: h.fleet, Targets: h.keys, Router: h.Router}).Register()
		},
	}
}

func (h *house) webhook() noun {
	return noun{
		name: "webhook", transfers: webhook.Transfers,
		parameters: map[string]string{"{deploymentWebhook}": "The id of the webhook."},
		register: func() {
			(&webhook.Operations{DB: h.DB, Vault: h.hookVault, Sites: h.sites, Guard: h.guard, Publisher: h.publisher, Router: h.Router}).Register()
		},
	}
}
