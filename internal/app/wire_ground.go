package app

import (
	"net/http"
	"strconv"

	"github.com/hostlerhq/hostler/internal/engine/delivery"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/dns"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/backup"
	"github.com/hostlerhq/hostler/internal/noun/credential"
	"github.com/hostlerhq/hostler/internal/noun/deployment"
	"github.com/hostlerhq/hostler/internal/noun/dnsprovider"
	"github.com/hostlerhq/hostler/internal/noun/notification"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/sourcecontrol"
	"github.com/hostlerhq/hostler/internal/noun/storage"
	"github.com/hostlerhq/hostler/internal/noun/webhook"
)

// ground is what several nouns stand on: stores, and ways to the outside.
type ground struct {
	sender   mail.Sender
	guard    outbound.Guard // of addresses that users enter
	operator outbound.Guard // of addresses that the operator sets
	caller   *http.Client   // calls within the guard
	catalog  *cloud.Catalog
	resolver *dns.Resolver

	keys     *server.Keys
	accounts credential.Accounts
	machines *server.Machines

	organizations *organization.Store
	servers       *server.Store
	projects      *project.Store
	storages      *storage.Store
	backups       *backup.Store
	sources       *sourcecontrol.Store
	links         *sourcecontrol.Links
	dnsProviders  *dnsprovider.Store

	hookVault  webhook.Vault
	channels   notification.Vault
	deliveries *delivery.Queue
	publisher  *webhook.Publisher
	notifier   *notification.Notifier
}

// newGround makes the ground, the queues of work and mail, and the connections to hosts.
func newGround(a *App) (g ground, err error) {
	if g.sender = a.Config.Mail; g.sender == nil {
		if g.sender, err = mail.NewSender(a.Config.SMTP); err != nil {
			return g, err
		}
	}
	if a.Queue, err = job.NewQueue(a.DB, a.Log); err != nil {
		return g, err
	}
	if g.catalog, err = cloud.NewCatalog(); err != nil {
		return g, err
	}
	a.Outbox = mail.New(mail.Outbox{
		DB: a.DB, Sender: g.sender, Box: a.Box, Log: a.Log, Checks: map[string]mail.Check{}, Outcomes: map[string]mail.Outcome{},
	})
	a.fleet = host.New(host.Config{Agent: a.Config.Agents, Log: a.Log, Now: a.DB.Clock.Now})
	g.guard, g.operator = outbound.Guard{AllowPrivate: a.Config.AllowPrivateEndpoints}, outbound.Guard{AllowPrivate: true}
	g.caller = g.guard.Client()
	g.resolver = &dns.Resolver{Servers: a.Config.Nameservers, Guard: g.guard}

	g.organizations = &organization.Store{DB: a.DB, OpenRegistration: account.SettingOpenRegistration}
	g.servers = &server.Store{DB: a.DB, Organizations: g.organizations}
	g.keys = &server.Keys{Box: a.Box, URL: a.page}
	g.accounts = credential.Accounts{Box: a.Box, Clouds: &cloud.Clouds{HTTP: g.caller, Catalog: g.catalog, Bases: a.Config.Clouds}}
	g.machines = &server.Machines{DB: a.DB, Keys: g.keys, Accounts: g.accounts, Every: a.Config.CloudEvery, AllowLocal: a.Config.AllowLocalServers}
	g.storages = &storage.Store{DB: a.DB, Organizations: g.organizations, Box: a.Box, Guard: g.guard, Disk: a.Config.LocalStorage, URL: a.page}
	g.backups = &backup.Store{DB: a.DB, Servers: g.servers, Box: a.Box, Storage: g.storages}
	g.dnsProviders = &dnsprovider.Store{DB: a.DB, Organizations: g.organizations, Box: a.Box, Guard: g.guard, Bases: a.Config.DNSProviders}
	g.sources = &sourcecontrol.Store{
		DB: a.DB, Organizations: g.organizations, Box: a.Box, Guard: g.guard, HTTP: g.caller, Bases: a.Config.SourceControl,
	}
	g.links = &sourcecontrol.Links{
		Store: g.sources, Jobs: a.Queue, Projects: &project.Store{Box: a.Box},
		PushURL: func(site int64) string { return a.page(deployment.PushPath + strconv.FormatInt(site, 10)) },
	}
	g.projects = &project.Store{Box: a.Box, Sources: struct {
		*sourcecontrol.Store
		*sourcecontrol.Links
	}{g.sources, g.links}}

	g.hookVault, g.channels = webhook.Vault{Box: a.Box}, notification.Vault{Box: a.Box}
	g.deliveries = &delivery.Queue{
		DB: a.DB, Jobs: a.Queue, Webhooks: &webhook.Sender{DB: a.DB, Vault: g.hookVault, Client: g.caller},
		Channels: &notification.Sender{DB: a.DB, Mail: g.sender, Vault: g.channels, HTTP: g.caller},
	}
	g.publisher, g.notifier = &webhook.Publisher{Deliveries: g.deliveries}, &notification.Notifier{Deliveries: g.deliveries, Page: a.page}
	return g, nil
}
