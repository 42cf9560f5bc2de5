package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/engine/converge"
	"github.com/hostlerhq/hostler/internal/engine/delivery"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/engine/recipient"
	"github.com/hostlerhq/hostler/internal/engine/retention"
	"github.com/hostlerhq/hostler/internal/engine/update"
	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/dns"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/node"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/attention"
	"github.com/hostlerhq/hostler/internal/noun/audit"
	"github.com/hostlerhq/hostler/internal/noun/backup"
	"github.com/hostlerhq/hostler/internal/noun/certificate"
	"github.com/hostlerhq/hostler/internal/noun/command"
	"github.com/hostlerhq/hostler/internal/noun/credential"
	"github.com/hostlerhq/hostler/internal/noun/database"
	"github.com/hostlerhq/hostler/internal/noun/deployment"
	"github.com/hostlerhq/hostler/internal/noun/dnsprovider"
	"github.com/hostlerhq/hostler/internal/noun/domain"
	"github.com/hostlerhq/hostler/internal/noun/environment"
	"github.com/hostlerhq/hostler/internal/noun/event"
	"github.com/hostlerhq/hostler/internal/noun/firewall"
	"github.com/hostlerhq/hostler/internal/noun/heartbeat"
	"github.com/hostlerhq/hostler/internal/noun/integration"
	"github.com/hostlerhq/hostler/internal/noun/loadbalancer"
	"github.com/hostlerhq/hostler/internal/noun/log"
	"github.com/hostlerhq/hostler/internal/noun/metric"
	"github.com/hostlerhq/hostler/internal/noun/monitor"
	"github.com/hostlerhq/hostler/internal/noun/nginx"
	"github.com/hostlerhq/hostler/internal/noun/notification"
	"github.com/hostlerhq/hostler/internal/noun/oauth"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/internal/noun/packages"
	"github.com/hostlerhq/hostler/internal/noun/php"
	"github.com/hostlerhq/hostler/internal/noun/process"
	"github.com/hostlerhq/hostler/internal/noun/project"
	"github.com/hostlerhq/hostler/internal/noun/provider"
	"github.com/hostlerhq/hostler/internal/noun/recipe"
	"github.com/hostlerhq/hostler/internal/noun/redirect"
	"github.com/hostlerhq/hostler/internal/noun/role"
	"github.com/hostlerhq/hostler/internal/noun/schedule"
	"github.com/hostlerhq/hostler/internal/noun/security"
	"github.com/hostlerhq/hostler/internal/noun/server"
	"github.com/hostlerhq/hostler/internal/noun/service"
	"github.com/hostlerhq/hostler/internal/noun/site"
	"github.com/hostlerhq/hostler/internal/noun/sourcecontrol"
	"github.com/hostlerhq/hostler/internal/noun/sshkey"
	"github.com/hostlerhq/hostler/internal/noun/storage"
	"github.com/hostlerhq/hostler/internal/noun/team"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
	"github.com/hostlerhq/hostler/internal/noun/webhook"
)

// wire creates the parts of the program, each from those it depends on.
func (a *App) wire() error {
	if a.authURL == nil {
		a.authURL = a.BaseURL
	}
	sender := a.Config.Mail
	var err error
	if sender == nil {
		if sender, err = mail.NewSender(a.Config.SMTP); err != nil {
			return err
		}
	}
	if a.Queue, err = job.NewQueue(a.DB, a.Log); err != nil {
		return err
	}
	catalog, err := cloud.NewCatalog()
	if err != nil {
		return err
	}
	organizations := &organization.Store{DB: a.DB}
	servers := &server.Store{DB: a.DB, Organizations: organizations}
	a.fleet = host.New(host.Config{Agent: a.Config.Agents, Log: a.Log, Now: a.DB.Clock.Now})
	keys := &server.Keys{Box: a.Box, URL: a.page}
	guard := outbound.Guard{AllowPrivate: a.Config.AllowPrivateEndpoints}
	caller := guard.Client()
	accounts := credential.Accounts{Box: a.Box, Clouds: &cloud.Clouds{HTTP: caller, Catalog: catalog, Bases: a.Config.Clouds}}
	machines := &server.Machines{DB: a.DB, Keys: keys, Accounts: accounts, Every: a.Config.CloudEvery, AllowLocal: a.Config.AllowLocalServers}
	stores := &storage.Store{DB: a.DB, Organizations: organizations, Box: a.Box, Guard: guard, Disk: a.Config.LocalStorage, URL: a.page}
	hookVault, channelVault := webhook.Vault{Box: a.Box}, notification.Vault{Box: a.Box}
	channels := &notification.Sender{DB: a.DB, Mail: sender, Vault: channelVault, HTTP: caller}
	deliveries := &delivery.Queue{DB: a.DB, Jobs: a.Queue, Webhooks: &webhook.Sender{DB: a.DB, Vault: hookVault, Client: caller}, Channels: channels}
	publisher, notifier := &webhook.Publisher{Deliveries: deliveries}, &notification.Notifier{Deliveries: deliveries, Page: a.page}
	watcher := &notification.Watcher{DB: a.DB, Notifier: notifier}
	sources := &sourcecontrol.Store{DB: a.DB, Organizations: organizations, Box: a.Box, Guard: guard, HTTP: caller, Bases: a.Config.SourceControl}
	links := &sourcecontrol.Links{
		Store: sources, Jobs: a.Queue, Projects: &project.Store{Box: a.Box},
		PushURL: func(site int64) string { return a.page(deployment.PushPath + strconv.FormatInt(site, 10)) },
	}
	backups := &backup.Store{DB: a.DB, Servers: servers, Box: a.Box, Storage: stores}
	projects := &project.Store{Box: a.Box, Sources: struct {
		*sourcecontrol.Store
		*sourcecontrol.Links
	}{sources, links}}
	keyVault := certificate.Vault{Box: a.Box}
	a.Outbox = mail.New(mail.Outbox{DB: a.DB, Sender: sender, Box: a.Box, Log: a.Log, Checks: map[string]mail.Check{
		organization.MailInvitation: organization.CheckMail,
		account.MailLink:            account.CheckLink,
		account.MailKnown:           account.CheckKnown,
		certificate.MailExpiry:      certificate.CheckMail,
		heartbeat.MailChange:        heartbeat.CheckMail,
		monitor.MailChange:          recipient.Confirmed(monitor.CheckMail),
		backup.MailAlarm:            recipient.Confirmed(backup.CheckMail),
		recipe.MailOutput:           recipe.CheckMail,
		recipient.MailLink:          recipient.CheckLink,
	}})
	runner := &backup.Runner{Store: backups, Queue: a.Queue, Alarms: notifier, Mail: a.Outbox}
	expiry := certificate.Alarms{certificate.MailAlarm{Mail: a.Outbox}, certificate.AlarmFunc(func(ctx context.Context, tx *db.Tx, f certificate.Failing) error {
		return notifier.RenewalFailed(ctx, tx, f.Certificate, f.Reason)
	})}
	record := ledger.New(a.Queue,
		firewall.Rules,
		firewall.Networks,
		sshkey.Noun,
		monitor.Noun,
		php.Versions,
		php.ServerSettings,
		site.Sites,
		domain.Domains,
		certificate.Noun(expiry),
		redirect.Rules,
		redirect.Orders,
		security.Rules,
		process.Processes,
		schedule.Jobs,
		integration.Integrations,
		database.Databases,
		database.Users,
	)
	rules, firsts := firewall.Defaults{Ledger: record}, domain.First{Ledger: record}
	nodes := loadbalancer.Follower{Ledger: record}
	provisioner := &server.Provisioner{
		DB: a.DB, Keys: keys, Facts: a.fleet, Rules: rules, Firewall: firewall.Aspect, Ledger: record, Queue: a.Queue,
		Balancers: nodes, PHP: php.Finder{Ledger: record}, Machines: machines,
	}
	domains := domain.Include{Certificates: certificate.Include{}}
	resolver := &dns.Resolver{Servers: a.Config.Nameservers}
	dnsProviders := &dnsprovider.Store{DB: a.DB, Organizations: organizations, Box: a.Box, Guard: outbound.Guard{AllowPrivate: a.Config.AllowPrivateEndpoints}}
	authority := &certificate.Authority{
		DB: a.DB, Box: a.Box, Directory: cmp.Or(a.Config.ACMEDirectory, certificate.LetsEncryptDirectory),
		Roots: a.Config.ACMERoots, Runner: a.fleet, Targets: keys,
		Zone: a.Config.ChallengeZone, Providers: dnsProviders, Resolver: resolver,
	}
	if a.Config.ChallengeZone != "" {
		if authority.DNS, err = dns.New(a.Config.ChallengeDNS, outbound.Guard{AllowPrivate: true}); err != nil { // an operator's own choice
			return fmt.Errorf("open the zone for DNS challenges: %w", err)
		}
	}
	orders := &certificate.Work{Queue: a.Queue, Ledger: record}
	issuer := &certificate.Issuer{DB: a.DB, Vault: keyVault, Authority: authority, Work: orders, Alarm: expiry, Log: a.Log}
	deployer := &deployment.Deployer{Queue: a.Queue, Projects: projects}
	mirror, err := node.NewMirror(a.Config.RuntimeMirror, a.Config.RuntimeKeys, outbound.Guard{AllowPrivate: true}.Transport()) // an operator's own choice
	if err != nil {
		return err
	}
	vhosts := vhost.NewConverger(converge.Converger{Ledger: record, Box: a.Box, Facts: vhost.ReadFacts}, vhost.Planner{
		Domains:  domains,
		Includes: []vhost.Include{redirect.Include{}, security.Include{}, process.Include{}, schedule.Include{}, integration.Include{}},
		Octane:   integration.OctanePort, Ports: integration.Ports,
		Runtimes: vhost.Runtimes{Mirror: mirror.URL, Keys: mirror.Keys}, Restart: deployment.RestartScript,
	})
	vhosts.Restarter = deployer
	processes := &process.Observer{DB: a.DB, Hosts: a.fleet, Targets: keys}
	makers := process.NewMaker(a.DB, servers, record)
	encloser := &site.Encloser{DB: a.DB, Ledger: record, Processes: makers}
	monitors := &monitor.Observer{DB: a.DB, Mail: a.Outbox, Alarm: notifier}
	metrics := &metric.Observer{DB: a.DB, Hosts: a.fleet, Targets: keys}
	look := func(ctx context.Context, srv query.Server) error {
		if err := provisioner.Refresh(ctx, srv); err != nil {
			return err
		}
		return errors.Join(processes.Watch(ctx, srv), monitors.Watch(ctx, srv), metrics.Watch(ctx, srv), encloser.Next(ctx, srv))
	}
	networks := &firewall.Network{Ledger: record}
	whole := &job.Whole{
		DB: a.DB, Fleet: a.fleet, Targets: keys, First: server.AspectProvision, Last: server.AspectRemove,
		Aspects: map[string]job.Aspect{
			server.AspectProvision: provisioner.Aspect(),
			server.AspectRemove:    (&server.Remover{Networks: networks, Queue: a.Queue, Forget: a.fleet.Forget, Machines: machines}).Aspect(),
			server.AspectRelease:   (&server.Releaser{Machines: machines}).Aspect(),
			server.AspectKey:       (&server.Rekeyer{DB: a.DB, Keys: keys, Facts: a.fleet}).Aspect(),
			server.AspectUpgrade:   (&server.Upgrader{Provisioner: provisioner, Queue: a.Queue}).Aspect(),
			server.AspectReboot:    (&server.Rebooter{Provisioner: provisioner, Machines: machines}).Aspect(),
			firewall.Aspect:        firewall.NewConverger(record).Aspect(),
			sshkey.Aspect:          converge.Converger{Ledger: record, Plans: sshkey.Plan}.Aspect(),
			monitor.Aspect:         converge.Converger{Ledger: record, Plans: monitor.Plan}.Aspect(),
			php.Aspect:             php.NewConverger(record, provisioner.Refresh).Aspect(),
			service.Aspect:         service.NewTask(record).Aspect(),
			backup.Aspect:          runner.Aspect(),
			database.Aspect:        database.NewConverger(record, a.DB, a.Box, a.fleet, keys).Aspect(),
			deployment.Aspect: (&deployment.Task{
				Projects: projects, Environment: packages.Environment, Sources: links,
				Listeners: []deployment.Listener{publisher, notifier},
			}).Aspect(),
			environment.Aspect: (&environment.Task{Box: a.Box, Programs: deployer}).Aspect(),
			command.Aspect:     (&command.Task{}).Aspect(),
			recipe.Aspect:      (&recipe.Task{Mail: a.Outbox}).Aspect(),
			certificate.Aspect: issuer.Aspect(),
			site.Aspect:        vhosts.Aspect(),
			log.Aspect:         (&log.Task{}).Aspect(),
			process.Aspect:     converge.Converger{Ledger: record, Plans: process.Plan, Done: processes.Done, OneByOne: true}.Aspect(),
			schedule.Aspect: converge.Converger{
				Ledger: record, Plans: schedule.Plan, Box: a.Box,
				Facts: schedule.Reader{Below: a.page(heartbeat.PingPath), Place: heartbeat.SealedAt}.Facts,
			}.Aspect(),
			integration.MaintenanceAspect: (&integration.Task{Box: a.Box}).Aspect(),
			packages.Aspect:               (&packages.Task{Vault: packages.Vault{Box: a.Box}}).Aspect(),
		},
	}
	a.engine = job.NewEngine(job.EngineConfig{
		Whole: whole, Menders: map[string]job.Aspect{server.AspectRepair: (&server.Repairer{Provisioner: provisioner, Mender: whole, Drifter: whole}).Aspect()},
		Box: a.Box, Queue: a.Queue, Log: a.Log, Look: look, Drifted: notifier.Drifted, Rights: servers,
		Rollout: job.Rollout{Version: a.Config.Version, Hold: a.Config.HoldRollout, Repair: server.RolloutRepairs(a.Queue)},
	})
	keep := cmp.Or(a.Config.Keep, retention.Defaults())
	periodic := []job.Periodic{
		backup.Periodic(), heartbeat.Periodic(), monitor.Periodic(), schedule.Periodic(),
		{Every: certificate.RenewEvery, Args: certificate.Renew{}},
		delivery.Periodic(), sourcecontrol.Periodic(), notification.Periodic(), retention.Periodic(), tidyPeriodic(),
	}
	a.releases = &update.Watch{DB: a.DB, Source: a.Config.Releases(), Log: a.Log}
	if a.Config.BackupStorage != 0 {
		periodic = append(periodic, backupPeriodic())
	}
	if a.Config.looksForReleases() {
		periodic = append(periodic, update.Periodic())
	}
	a.Workers = job.NewWorkers(a.Queue, job.WorkersConfig{Log: a.Log, Periodic: periodic, Keep: keep.Jobs, Traces: a.traces})
	a.releases.Work(a.Workers)
	job.Handle(a.Workers, a.tidy)
	job.Handle(a.Workers, (&monitor.Asker{Observer: *monitors, Guard: guard, Online: monitor.Resolves}).AskURLs)
	own := &SelfBackup{Config: a.Config, Store: a.Store, Log: a.Log}
	job.HandleFor(a.Workers, backupWithin, func(ctx context.Context, _ backsUp) error { return own.Due(ctx) })
	a.engine.Work(a.Workers)
	runner.Work(a.Workers)
	job.Handle(a.Workers, issuer.Renew)
	job.Handle(a.Workers, (&schedule.Looker{DB: a.DB, Hosts: a.fleet, Targets: keys}).LookAtJobs)
	a.Heartbeats = &heartbeat.Watch{DB: a.DB, Log: a.Log, Alarm: heartbeat.Alarms{heartbeat.MailAlarm{Mail: a.Outbox}, notifier}}
	job.Handle(a.Workers, a.Heartbeats.Tick)
	deliveries.Work(a.Workers)
	links.Work(a.Workers)
	(&retention.Keeper{DB: a.DB, Keep: keep}).Work(a.Workers)
	watcher.Work(a.Workers)

	authenticator := &account.Authenticator{DB: a.DB, Other: oauth.Tokens{DB: a.DB}.Authenticate, Secure: a.BaseURL.Scheme == "https"}
	a.Router = api.New(api.Config{
		DB: a.DB, Box: a.Box, Log: a.Log, Authenticator: authenticator, Planner: a.engine, BaseURL: a.BaseURL, AuthURL: a.authURL,
		DashboardOrigin: a.Config.DashboardOrigin, RateLimit: a.Config.RateLimit, OrganizationLimit: organizations.RateLimit,
		Room: a.room, Tags: tags(), Texts: []string{organization.Parameter}, Meta: metas(), Fields: fields(), Parameters: parameters(), Commands: commands(),
	})
	a.relay = &storage.Relay{Store: stores, Log: a.Log}
	sites := &site.Store{DB: a.DB, Servers: servers}

	(&account.Operations{DB: a.DB, Router: a.Router}).Register()
	(&organization.Operations{Store: organizations, Router: a.Router, Schedules: runner, Mail: a.Outbox, Keep: keep}).Register()
	(&role.Operations{DB: a.DB, Organizations: organizations, Router: a.Router}).Register()
	recipients := &recipient.Asker{Mail: a.Outbox, Router: a.Router}
	(&recipient.Operations{DB: a.DB, Router: a.Router}).Register()
	inviter := &organization.Inviter{Mail: a.Outbox, Router: a.Router}
	credentials := &credential.Store{DB: a.DB, Organizations: organizations}
	recipes := &recipe.Store{DB: a.DB, Organizations: organizations}
	(&team.Operations{
		DB: a.DB, Organizations: organizations, Servers: servers, Credentials: credentials, Recipes: recipes, Inviter: inviter,
		Router: a.Router,
	}).Register()
	(&recipe.Operations{Store: recipes, Servers: servers, Queue: a.Queue, Router: a.Router}).Register()
	(&credential.Operations{Accounts: accounts, Store: credentials, Router: a.Router}).Register()
	(&provider.Operations{Catalog: catalog, Router: a.Router}).Register()
	sign := &account.Sign{DB: a.DB, Box: a.Box, Router: a.Router, Authenticator: authenticator, Mail: a.Outbox, Invited: invited, Accept: accept}
	sign.Register()
	a.setup = newSetup(sign)
	a.setup.Register()
	a.oauth = &oauth.Provider{
		DB: a.DB, Router: a.Router, Log: a.Log, Sign: sign, Issuer: a.authURL, AccessLife: a.Config.AccessTokenLife,
		RefreshLife: a.Config.RefreshTokenLife,
	}
	(&oauth.Operations{Provider: a.oauth, Organizations: organizations}).Register()
	(&account.Personal{Sign: sign, Organizations: organizations.Slugs}).Register()
	redirects := redirect.NewOperations(a.DB, sites, record, a.Router)
	guards := security.NewOperations(a.DB, security.Vault{Box: a.Box}, sites, record, a.Router)
	printer := &site.Printer{Router: a.Router, Children: []site.Child{
		deployment.Latest(),
		site.ChildOf("securityRules", &guards.Parts, func(r query.SecurityRule) int64 { return r.SiteID }), site.ChildOf("redirectRules", &redirects.Parts,
			func(r query.RedirectRule) int64 { return r.SiteID }),
	}}
	installer := site.Installer{Ledger: record, Domains: firsts, Printer: printer}
	balancers := &loadbalancer.Operations{Installer: installer, DB: a.DB, Servers: servers, Sites: sites, Router: a.Router}
	databases := database.NewOperations(&database.Store{DB: a.DB, Box: a.Box}, servers, record, a.Router, backups)
	(&server.Operations{
		Store: servers, Queue: a.Queue, Router: a.Router, Keys: keys, Retrier: a.engine, Rules: rules, Credentials: credentials,
		Accounts: accounts, Catalog: catalog,
		OutOfReach: server.OutOfReach(a.BaseURL) && !a.Config.AllowPrivateEndpoints,
		Balancers:  nodes, Databases: databases, Drifter: whole, AllowLocal: a.Config.AllowLocalServers,
	}).Register()
	sshkey.NewOperations(a.DB, servers, record, a.Router, process.Users).Register()
	firewall.NewOperations(a.DB, servers, record, a.Router).Register()
	monitor.NewOperations(a.DB, servers, record, guard, recipients, a.Router).Register()
	(&metric.Operations{DB: a.DB, Servers: servers, Sites: sites, Router: a.Router}).Register()
	php.NewOperations(a.DB, servers, record, a.Router).Register()
	(&firewall.NetworkOperations{DB: a.DB, Servers: servers, Networks: networks, Router: a.Router}).Register()
	(&service.Operations{Servers: servers, Queue: a.Queue, Router: a.Router, Hosts: a.fleet, Targets: keys}).Register()
	variables := &environment.Operations{DB: a.DB, Box: a.Box, Sites: sites, Queue: a.Queue, Router: a.Router}
	(&site.Operations{
		Store: sites, Projects: projects, Deployments: deployer, Databases: databases, Environments: variables, Templates: vhost.Templates{}, PHP: php.Accounts{},
		Installer: installer, Router: a.Router, Runtimes: mirror,
	}).Register()
	(&deployment.Operations{
		Sites: printer, Store: &deployment.Store{DB: a.DB, Sites: sites}, Deployer: deployer, Queue: a.Queue, Ledger: record,
		Router: a.Router,
	}).Register()
	variables.Register()
	(&command.Operations{DB: a.DB, Sites: sites, Queue: a.Queue, Router: a.Router}).Register()
	a.hooks = (&deployment.Hooks{DB: a.DB, Deployer: deployer, Limits: a.Router, Log: a.Log}).Handler()
	databases.Register()
	balancers.Register()
	domainStore := domain.NewStore(a.DB, sites, record, a.Router)
	(&domain.Operations{Store: domainStore, ChallengeZone: a.Config.ChallengeZone, Resolver: resolver}).Register()
	(&certificate.Operations{
		Store: &certificate.Store{DB: a.DB, Domains: domainStore}, Vault: keyVault, Work: orders, Router: a.Router,
		Delegation: authority.DNS != nil, DNS: dnsProviders,
	}).Register()
	(&dnsprovider.Operations{Store: dnsProviders, Router: a.Router}).Register()
	a.KeptNginx = &nginx.Kept{DB: a.DB, Judge: vhosts}
	(&nginx.Operations{DB: a.DB, Domains: domainStore, Vhosts: vhosts, Drifter: whole, Ledger: record, Router: a.Router}).Register()
	redirects.Register()
	guards.Register()
	logs := &log.Reader{Hosts: a.fleet, Targets: keys}
	jobs := schedule.NewMaker(a.DB, record, a.Router)
	(&process.Operations{Maker: makers, Router: a.Router, Logs: logs, LogParams: log.Params()}).Register()
	(&integration.Operations{
		DB: a.DB, Box: a.Box, Sites: sites, Projects: projects, Processes: makers, Schedules: jobs,
		Detector: &integration.Detector{DB: a.DB, Hosts: a.fleet, Targets: keys}, Ledger: record, Queue: a.Queue, Router: a.Router,
	}).Register()
	(&packages.Operations{DB: a.DB, Vault: packages.Vault{Box: a.Box}, Sites: sites, Queue: a.Queue, Router: a.Router}).Register()
	heartbeats := &heartbeat.Operations{DB: a.DB, Box: a.Box, Sites: sites, Router: a.Router}
	heartbeats.Register()
	(&schedule.Operations{Maker: jobs, Sites: sites, Logs: logs, Heartbeats: heartbeats, Users: process.Users}).Register()
	(&log.Operations{Servers: servers, Sites: sites, Queue: a.Queue, Router: a.Router, Reader: logs}).Register()
	(&webhook.Operations{DB: a.DB, Vault: hookVault, Sites: sites, Guard: guard, Publisher: publisher, Router: a.Router}).Register()
	(&sourcecontrol.Operations{Store: sources, Sites: sites, Links: links, Router: a.Router}).Register()
	(&notification.Operations{
		DB: a.DB, Vault: channelVault, Organizations: organizations, Guard: guard, Notifier: notifier, Recipients: recipients,
		Router: a.Router,
	}).Register()
	(&event.Operations{DB: a.DB, Sites: printer, Servers: servers, Queue: a.Queue, Retrier: a.engine, Router: a.Router}).Register()

	(&storage.Operations{Store: stores, Router: a.Router}).Register()
	runner.Databases = databases
	(&backup.Operations{Store: backups, Recipients: recipients, Runner: runner, Router: a.Router, Databases: databases}).Register()

	(&audit.Operations{DB: a.DB, Organizations: organizations, Router: a.Router}).Register()
	a.Attention = &attention.Store{DB: a.DB, Panel: a.concerns, Sources: []concern.Source{
		server.Concerns,
		site.Concerns,
		database.Concerns,
		deployment.Concerns,
		deployment.Unserved,
		deployment.Readers{Rights: servers}.Concerns,
		certificate.Concerns,
		backup.Concerns,
		heartbeat.Concerns,
		monitor.Concerns,
		nginx.Concerns,
		schedule.Concerns,
		schedule.Unstarted,
		redirect.Concerns,
		environment.Reader{Box: a.Box}.Concerns,
		organization.Concerns,
		notification.Concerns,
	}}
	(&attention.Operations{Store: a.Attention, Organizations: organizations, Router: a.Router}).Register()

	a.bootstrap = (&server.Bootstrap{
		DB: a.DB, Box: a.Box, Router: a.Router, Queue: a.Queue, Retrier: a.engine, Log: a.Log, Rules: rules,
		Own: server.Own{Keys: cmp.Or(a.Config.HostKeys, "/etc/ssh"), Listen: []string{a.Config.Listen, a.Config.HTTPListen}},
	}).Handler()
	a.viewer = a.Router.Viewer(api.Reference)
	return nil
}
