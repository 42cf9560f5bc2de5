package app

import (
	"github.com/hostlerhq/hostler/internal/engine/concern"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/recipient"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/attention"
	"github.com/hostlerhq/hostler/internal/noun/audit"
	"github.com/hostlerhq/hostler/internal/noun/backup"
	"github.com/hostlerhq/hostler/internal/noun/credential"
	"github.com/hostlerhq/hostler/internal/noun/dnsprovider"
	"github.com/hostlerhq/hostler/internal/noun/event"
	"github.com/hostlerhq/hostler/internal/noun/notification"
	"github.com/hostlerhq/hostler/internal/noun/oauth"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/internal/noun/provider"
	"github.com/hostlerhq/hostler/internal/noun/recipe"
	"github.com/hostlerhq/hostler/internal/noun/role"
	"github.com/hostlerhq/hostler/internal/noun/sourcecontrol"
	"github.com/hostlerhq/hostler/internal/noun/storage"
	"github.com/hostlerhq/hostler/internal/noun/team"
)

func (h *house) account() noun {
	return noun{
		name: "account", fields: account.Fields(),
		parameters: map[string]string{"{session}": "The id of the session.", "{token}": "The id of the token."},
		mails:      map[string]mail.Check{account.MailLink: account.CheckLink, account.MailKnown: account.CheckKnown},
		register: func() {
			(&account.Operations{DB: h.DB, Router: h.Router, MayCreate: h.organizations.MayCreate}).Register()
			h.oauth.Sign.Register()
			h.setup.Register()
			(&account.Personal{Sign: h.oauth.Sign, Organizations: h.organizations.Slugs}).Register()
		},
	}
}

// organization is that of organizations, and of the addresses that their nouns send mail to.
func (h *house) organization() noun {
	return noun{
		name: "organization", fields: organization.Fields(),
		parameters: map[string]string{"{organization}": "The slug of the organization.", "{user}": "The id of the person."},
		mails:      map[string]mail.Check{organization.MailInvitation: organization.CheckMail, recipient.MailLink: recipient.CheckLink},
		mailed:     map[string]mail.Outcome{organization.MailInvitation: organization.NoteMail},
		register: func() {
			(&organization.Operations{Store: h.organizations, Router: h.Router, Schedules: h.runner, Mail: h.Outbox, Keep: h.keep}).Register()
			(&recipient.Operations{DB: h.DB, Router: h.Router}).Register()
		},
		concerns: []concern.Source{organization.Concerns},
	}
}

func (h *house) role() noun {
	return noun{
		name: "role", fields: role.Fields(),
		parameters: map[string]string{"{role}": "The id of the role.", "{permission}": "The id of the permission."},
		register:   func() { (&role.Operations{DB: h.DB, Organizations: h.organizations, Router: h.Router}).Register() },
	}
}

func (h *house) team() noun {
	return noun{
		name: "team", fields: team.Fields(), transfers: team.Transfers,
		parameters: map[string]string{"{team}": "The id of the team.", "{invitation}": "The id of the invitation."},
		register: func() {
			(&team.Operations{
				DB: h.DB, Organizations: h.organizations, Servers: h.servers, Credentials: h.credentials, Recipes: h.recipes,
				Inviter: &organization.Inviter{Mail: h.Outbox, Router: h.Router}, Router: h.Router,
			}).Register()
		},
	}
}

func (h *house) recipe() noun {
	return noun{
		name: "recipe", fields: recipe.Fields(), transfers: recipe.Transfers,
		parameters: map[string]string{
			"{recipe}": "The id of the recipe.", "{forgeRecipe}": "The id of the recipe that comes with Hostler.", "{log}": "The id of the run.",
		},
		aspects: map[string]job.Aspect{recipe.Aspect: (&recipe.Task{Mail: h.Outbox}).Aspect()},
		mails:   map[string]mail.Check{recipe.MailOutput: recipe.CheckMail},
		register: func() {
			(&recipe.Operations{Store: h.recipes, Servers: h.servers, Queue: h.Queue, Router: h.Router}).Register()
		},
	}
}

func (h *house) credential() noun {
	return noun{
		name: "credential", fields: credential.Fields(), transfers: credential.Transfers,
		parameters: map[string]string{
			"{credential}": "The id of the server credential.", "{region}": "The code of the region.", "{vpcId}": "The id of the network at the cloud provider.",
		},
		register: func() {
			(&credential.Operations{Accounts: h.accounts, Store: h.credentials, Router: h.Router}).Register()
		},
	}
}

func (h *house) provider() noun {
	return noun{
		name: "provider", fields: provider.Fields(),
		parameters: map[string]string{
			"{provider}": "The id of the cloud provider.", "{providerRegion}": "The id of the region.", "{providerSize}": "The code of the size.",
		},
		register: func() { (&provider.Operations{Catalog: h.catalog, Router: h.Router}).Register() },
	}
}

// oauthClient is that of OAuth clients and what was granted to them.
func (h *house) oauthClient() noun {
	return noun{
		name: "oauth", fields: oauth.Fields(),
		parameters: map[string]string{"{client}": "The id of the OAuth client.", "{grant}": "The id of the granted access."},
		register:   func() { (&oauth.Operations{Provider: h.oauth, Organizations: h.organizations}).Register() },
	}
}

func (h *house) sourceControl() noun {
	return noun{
		name: "sourcecontrol", fields: sourcecontrol.Fields(), transfers: sourcecontrol.Transfers,
		parameters: map[string]string{"{sourceControlProvider}": "The id of the source control provider."},
		periodic:   []job.Periodic{sourcecontrol.Periodic()},
		work:       h.links.Work,
		register: func() {
			(&sourcecontrol.Operations{Store: h.sources, Sites: h.sites, Links: h.links, Router: h.Router}).Register()
		},
	}
}

func (h *house) dnsProvider() noun {
	return noun{
		name: "dnsprovider", fields: dnsprovider.Fields(),
		parameters: map[string]string{"{dnsProvider}": "The id of the DNS provider."},
		register:   func() { (&dnsprovider.Operations{Store: h.dnsProviders, Router: h.Router}).Register() },
	}
}

func (h *house) notification() noun {
	return noun{
		name: "notification", fields: notification.Fields(), values: notification.Values(),
		parameters: map[string]string{"{notificationChannel}": "The id of the notification channel.", "{delivery}": "The id of the delivery."},
		periodic:   []job.Periodic{notification.Periodic()},
		work:       (&notification.Watcher{DB: h.DB, Notifier: h.notifier}).Work,
		register: func() {
			(&notification.Operations{
				DB: h.DB, Vault: h.channels, Organizations: h.organizations, Guard: h.guard, Notifier: h.notifier, Recipients: h.recipients, Router: h.Router,
			}).Register()
		},
		concerns: []concern.Source{notification.Concerns},
	}
}

func (h *house) storage() noun {
	return noun{
		name: "storage", fields: storage.Fields(),
		parameters: map[string]string{"{storageConfiguration}": "The id of the storage provider."},
		register:   func() { (&storage.Operations{Store: h.storages, Router: h.Router}).Register() },
	}
}

func (h *house) backup() noun {
	return noun{
		name: "backup", fields: backup.Fields(), values: backup.Values(), transfers: backup.Transfers,
		parameters: map[string]string{"{backupConfiguration}": "The id of the backup configuration.", "{backup}": "The id of the backup."},
		aspects:    map[string]job.Aspect{backup.Aspect: h.runner.Aspect()},
		mails:      map[string]mail.Check{backup.MailAlarm: recipient.Confirmed(backup.CheckMail)},
		periodic:   []job.Periodic{backup.Periodic()},
		work:       h.runner.Work,
		register: func() {
			(&backup.Operations{Store: h.backups, Recipients: h.recipients, Runner: h.runner, Router: h.Router, Databases: h.databases}).Register()
		},
		concerns: []concern.Source{backup.Concerns},
	}
}

func (h *house) event() noun {
	return noun{
		name: "event", fields: event.Fields(),
		parameters: map[string]string{"{event}": "The id of the event."},
		register: func() {
			(&event.Operations{DB: h.DB, Sites: h.printer, Servers: h.servers, Queue: h.Queue, Retrier: h.engine, Router: h.Router}).Register()
		},
	}
}

func (h *house) audit() noun {
	return noun{
		name: "audit", fields: audit.Fields(),
		register: func() { (&audit.Operations{DB: h.DB, Organizations: h.organizations, Router: h.Router}).Register() },
	}
}

func (h *house) attention() noun {
	return noun{
		name: "attention", fields: attention.Fields(), values: attention.Values(),
		register: func() {
			(&attention.Operations{Store: h.Attention, Organizations: h.organizations, Router: h.Router}).Register()
		},
	}
}
