package app

import (
	"github.com/hostlerhq/hostler/internal/engine/recipient"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/credential"
	"github.com/hostlerhq/hostler/internal/noun/database"
	"github.com/hostlerhq/hostler/internal/noun/deployment"
	"github.com/hostlerhq/hostler/internal/noun/domain"
	"github.com/hostlerhq/hostler/internal/noun/environment"
	"github.com/hostlerhq/hostler/internal/noun/heartbeat"
	"github.com/hostlerhq/hostler/internal/noun/log"
	"github.com/hostlerhq/hostler/internal/noun/oauth"
	"github.com/hostlerhq/hostler/internal/noun/recipe"
	"github.com/hostlerhq/hostler/internal/noun/redirect"
	"github.com/hostlerhq/hostler/internal/noun/schedule"
	"github.com/hostlerhq/hostler/internal/noun/security"
	"github.com/hostlerhq/hostler/internal/noun/site"
)

// edge is what several nouns need to answer requests.
type edge struct {
	recipients  *recipient.Asker
	credentials *credential.Store
	recipes     *recipe.Store
	sites       *site.Store
	domains     *domain.Store
	printer     *site.Printer
	installer   site.Installer
	databases   *database.Operations
	variables   *environment.Operations
	redirects   *redirect.Operations
	guards      *security.Operations
	heartbeats  *heartbeat.Operations
	logs        *log.Reader
	jobs        *schedule.Maker
}

// newEdge makes it, and the signing in, of a house with a router.
func newEdge(h *house, authenticator *account.Authenticator) edge {
	e := edge{
		recipients:  &recipient.Asker{Mail: h.Outbox, Router: h.Router},
		credentials: &credential.Store{DB: h.DB, Organizations: h.organizations},
		recipes:     &recipe.Store{DB: h.DB, Organizations: h.organizations},
		sites:       &site.Store{DB: h.DB, Servers: h.servers},
		databases:   database.NewOperations(&database.Store{DB: h.DB, Box: h.Box}, h.servers, h.Ledger, h.Router, h.backups, h.engines),
		logs:        &log.Reader{Hosts: h.fleet, Targets: h.keys},
		jobs:        schedule.NewMaker(h.DB, h.Ledger, h.Router),
	}
	e.variables = &environment.Operations{DB: h.DB, Box: h.Box, Sites: e.sites, Queue: h.Queue, Router: h.Router}
	e.domains = domain.NewStore(h.DB, e.sites, h.Ledger, h.Router)
	e.heartbeats = &heartbeat.Operations{DB: h.DB, Box: h.Box, Sites: e.sites, Router: h.Router}
	e.redirects = redirect.NewOperations(h.DB, e.sites, h.Ledger, h.Router)
	e.guards = security.NewOperations(h.DB, security.Vault{Box: h.Box}, e.sites, h.Ledger, h.Router)
	e.printer = &site.Printer{Router: h.Router, Newest: h.newest, Children: []site.Child{
		deployment.Latest(),
		site.ChildOf("securityRules", &e.guards.Parts, func(r query.SecurityRule) int64 { return r.SiteID }),
		site.ChildOf("redirectRules", &e.redirects.Parts, func(r query.RedirectRule) int64 { return r.SiteID }),
	}}
	e.installer = site.Installer{Ledger: h.Ledger, Domains: h.firsts, Printer: e.printer}
	h.runner.Databases = e.databases

	sign := &account.Sign{DB: h.DB, Box: h.Box, Router: h.Router, Authenticator: authenticator, Mail: h.Outbox, Invited: invited, Accept: accept}
	h.setup = newSetup(sign)
	h.oauth = &oauth.Provider{
		DB: h.DB, Router: h.Router, Log: h.Log, Sign: sign, Issuer: h.authURL, AccessLife: h.Config.AccessTokenLife, RefreshLife: h.Config.RefreshTokenLife,
	}
	return e
}
