// Package app wires everything together and runs it. It is the only place that knows all parts.
package app

import (
	"cmp"
	"context"
	"crypto/subtle"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/hostlerhq/hostler/internal/account"
	"github.com/hostlerhq/hostler/internal/api"
	"github.com/hostlerhq/hostler/internal/audit"
	"github.com/hostlerhq/hostler/internal/certificate"
	"github.com/hostlerhq/hostler/internal/clock"
	"github.com/hostlerhq/hostler/internal/credential"
	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
	"github.com/hostlerhq/hostler/internal/domain"
	"github.com/hostlerhq/hostler/internal/event"
	"github.com/hostlerhq/hostler/internal/firewall"
	"github.com/hostlerhq/hostler/internal/host"
	"github.com/hostlerhq/hostler/internal/job"
	"github.com/hostlerhq/hostler/internal/loadbalancer"
	"github.com/hostlerhq/hostler/internal/mail"
	"github.com/hostlerhq/hostler/internal/nginx"
	"github.com/hostlerhq/hostler/internal/oauth"
	"github.com/hostlerhq/hostler/internal/organization"
	"github.com/hostlerhq/hostler/internal/redirect"
	"github.com/hostlerhq/hostler/internal/role"
	"github.com/hostlerhq/hostler/internal/secret"
	"github.com/hostlerhq/hostler/internal/security"
	"github.com/hostlerhq/hostler/internal/server"
	"github.com/hostlerhq/hostler/internal/site"
	"github.com/hostlerhq/hostler/internal/team"
)

// Config is what an operator sets.
type Config struct {
	// Listen is the address of the HTTP server.
	Listen string
	// DataDir holds the master key and, without DatabaseURL, the database.
	DataDir string
	// DatabaseURL is postgres://… ; empty means SQLite in DataDir.
	DatabaseURL string
	// MasterKeyFile stands elsewhere than in DataDir, when not empty.
	MasterKeyFile string
	// BaseURL is what callers and servers see.
	BaseURL string
	// Agents are the programs for hosts; without them no host can be worked on.
	Agents host.Binaries
	// SMTP is where mail goes; without it links are logged.
	SMTP mail.SMTP
	// Mail is another way to send, for tests.
	Mail mail.Sender
	// TrustedProxies are the networks of proxies whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// AccessTokenLife and RefreshTokenLife are those of OAuth, default an hour and 30 days.
	AccessTokenLife  time.Duration
	RefreshTokenLife time.Duration
	// ACMEDirectory is the certificate authority, default Let's Encrypt; ACMERoots are trusted for it in place of the system's.
	ACMEDirectory string
	ACMERoots     *x509.CertPool
	// ChallengeZone is the zone that domains delegate dns-01 challenges to, and ChallengeDNS what publishes in it. Without them there is no dns-01.
	ChallengeZone string
	ChallengeDNS  certificate.DNS
	// RateLimit is how many requests a minute a token may make, default 600.
	RateLimit int
	// MetricsToken opens /metrics to others than this machine.
	MetricsToken secret.String
}

// KeyFile is where the master key is.
func (c Config) KeyFile() string {
	if c.MasterKeyFile != "" {
		return c.MasterKeyFile
	}
	return filepath.Join(c.DataDir, "master.key")
}

// Store is the database with its master key: what administration needs, with a server running or not.
type Store struct {
	DB  *db.DB
	Box *secret.Box
}

// ErrMasterKey is returned when the master key is not the one that the database was made with.
var ErrMasterKey = errors.New("the master key is not the one of this database")

const settingFingerprint = "master_key_fingerprint"

// OpenStore opens database and key. A fresh database is bound to its key; another key is refused before anything is touched.
func OpenStore(ctx context.Context, c Config) (*Store, error) {
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("make data directory: %w", err)
	}
	d, err := db.Open(ctx, db.Config{URL: c.DatabaseURL, Dir: c.DataDir, Clock: clock.System{}})
	if err != nil {
		return nil, err
	}
	s := &Store{DB: d}
	known, err := d.Read().GetSetting(ctx, settingFingerprint)
	fresh := errors.Is(err, db.ErrNotFound)
	if err != nil && !fresh {
		_ = d.Close()
		return nil, fmt.Errorf("read settings: %w", err)
	}
	s.Box, err = secret.OpenBox(c.KeyFile(), fresh)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%w: %s does not exist; restore the key file that belongs to this database", ErrMasterKey, c.KeyFile())
	case err == nil && fresh:
		err = d.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
			return tx.PutSetting(ctx, settingFingerprint, s.Box.Fingerprint())
		})
	case err == nil && known != s.Box.Fingerprint():
		err = fmt.Errorf("%w: the database was made with key %s, the file %s holds key %s", ErrMasterKey, known, c.KeyFile(), s.Box.Fingerprint())
	}
	if err != nil {
		_ = d.Close()
		return nil, err
	}
	return s, nil
}

// Close closes the database.
func (s *Store) Close() error { return s.DB.Close() }

// App is the running program.
type App struct {
	*Store
	Config  Config
	Log     *slog.Logger
	Router  *api.Router
	Queue   *job.Queue
	BaseURL *url.URL
	// Outbox is the mail that is on its way.
	Outbox *mail.Outbox

	setup     *account.Setup
	viewer    http.Handler
	oauth     *oauth.Provider
	bootstrap http.Handler
	fleet     *host.Fleet
	engine    *job.Engine
}

// New wires an App over an open store. Start makes it work.
func New(c Config, s *Store, log *slog.Logger) (*App, error) {
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, fmt.Errorf("the base URL %q must look like https://panel.example.com", c.BaseURL)
	}
	if !server.PrivateBase(base) {
		return nil, fmt.Errorf("the base URL %q is plain http and not a private address: tokens would cross the network in the open; use https", c.BaseURL)
	}
	a := &App{Store: s, Config: c, Log: log, BaseURL: base}
	if err := a.wire(); err != nil {
		return nil, err
	}
	return a, nil
}

func (a *App) wire() error {
	a.fleet = host.New(host.Config{Agent: a.Config.Agents, Log: a.Log})
	keys := &server.Keys{Box: a.Box}
	rulesConverger := &firewall.Converger{}
	provisioner := &server.Provisioner{DB: a.DB, Keys: keys, Facts: a.fleet, Rules: rulesConverger}
	keyVault := certificate.Vault{Box: a.Box}
	certificates := certificate.Part{Vault: keyVault}
	domains := domain.Part{Certificates: certificates}
	authority := &certificate.Authority{DB: a.DB, Box: a.Box, Directory: cmp.Or(a.Config.ACMEDirectory, certificate.LetsEncryptDirectory), Roots: a.Config.ACMERoots, Runner: a.fleet, Targets: keys,
		DNS: a.Config.ChallengeDNS, Zone: a.Config.ChallengeZone}
	orders := &certificate.Work{}
	issuer := &certificate.Issuer{DB: a.DB, Vault: keyVault, Authority: authority, Work: orders, Log: a.Log}
	vault := security.Vault{Box: a.Box}
	vhosts := &site.Converger{Balancer: &loadbalancer.Planner{}, Domains: domains, Parts: []site.Named{
		{Types: domain.Types(), Part: domains},
		{Types: certificate.Types(), Part: certificates},
		{Types: redirect.Types(), Part: redirect.Part{}},
		{Types: security.Types(), Part: security.Part{Vault: vault}},
	}}
	a.engine = job.NewEngine(job.EngineConfig{DB: a.DB, Box: a.Box, Fleet: a.fleet, Targets: keys, Log: a.Log, First: server.AspectProvision, Last: server.AspectRemove, Look: provisioner.Refresh, Beside: []string{certificate.Aspect},
		Aspects: map[string]job.Aspect{
			server.AspectProvision: provisioner,
			server.AspectRemove:    &server.Remover{},
			firewall.Aspect:        rulesConverger,
			certificate.Aspect:     issuer,
			site.Aspect:            vhosts,
		}})
	workers := job.NewWorkers()
	a.engine.Work(workers)
	job.Handle(workers, issuer.Renew)
	sender := a.Config.Mail
	var err error
	if sender == nil {
		if sender, err = mail.NewSender(a.Config.SMTP, a.Log); err != nil {
			return err
		}
	}
	if a.Queue, err = job.NewQueue(job.Config{DB: a.DB, Log: a.Log, Workers: workers, Periodic: []job.Periodic{{Every: certificate.RenewEvery, Args: certificate.Renew{}}}}); err != nil {
		return err
	}
	a.engine.Bind(a.Queue)
	provisioner.Jobs, orders.Jobs = a.Queue, a.Queue

	authenticator := &account.Authenticator{DB: a.DB}
	a.Router = api.New(api.Config{DB: a.DB, Box: a.Box, Log: a.Log, Authenticator: authenticator, Planner: a.engine, BaseURL: a.BaseURL, RateLimit: a.Config.RateLimit})
	keys.Router = a.Router
	organizations := &organization.Store{DB: a.DB}
	servers := &server.Store{DB: a.DB, Organizations: organizations}
	sites := &site.Store{DB: a.DB, Servers: servers}
	rules := &firewall.Store{DB: a.DB}

	(&account.Operations{DB: a.DB, Router: a.Router}).Register()
	(&organization.Operations{Store: organizations, Router: a.Router}).Register()
	(&role.Operations{DB: a.DB, Organizations: organizations, Router: a.Router}).Register()
	a.Outbox = &mail.Outbox{DB: a.DB, Box: a.Box, Sender: sender, Log: a.Log}
	inviter := &organization.Inviter{Mail: a.Outbox, Router: a.Router}
	(&team.Operations{DB: a.DB, Organizations: organizations, Servers: servers, Inviter: inviter, Router: a.Router}).Register()
	(&credential.Operations{Store: &credential.Store{DB: a.DB, Organizations: organizations}, Box: a.Box, Router: a.Router}).Register()
	sign := &account.Sign{DB: a.DB, Box: a.Box, Router: a.Router, Authenticator: authenticator, Mail: a.Outbox, Invited: invited, Accept: accept, Secure: a.BaseURL.Scheme == "https"}
	sign.Register()
	a.oauth = &oauth.Provider{DB: a.DB, Router: a.Router, Log: a.Log, Sign: sign, Issuer: a.BaseURL, AccessLife: a.Config.AccessTokenLife, RefreshLife: a.Config.RefreshTokenLife}
	authenticator.Other = a.oauth.Authenticate
	(&oauth.Operations{Provider: a.oauth, Organizations: organizations}).Register()
	(&account.Personal{Sign: sign, Organizations: organizations.Slugs}).Register()
	balancers := &loadbalancer.Operations{DB: a.DB, Servers: servers, Sites: sites, Jobs: a.Queue, Router: a.Router}
	(&server.Operations{Store: servers, Jobs: a.Queue, Router: a.Router, Keys: keys, Rules: rules, Balancers: balancers, Drifter: a.engine}).Register()
	(&firewall.Operations{Store: rules, Servers: servers, Jobs: a.Queue, Router: a.Router}).Register()
	(&site.Operations{Store: sites, Jobs: a.Queue, Router: a.Router}).Register()
	balancers.Register()
	domainStore := &domain.Store{DB: a.DB, Sites: sites}
	(&domain.Operations{Store: domainStore, Jobs: a.Queue, Router: a.Router, ChallengeZone: a.Config.ChallengeZone}).Register()
	(&certificate.Operations{Store: &certificate.Store{DB: a.DB, Domains: domainStore}, Vault: keyVault, Work: orders, Router: a.Router, DNS: a.Config.ChallengeDNS != nil}).Register()
	(&nginx.Operations{DB: a.DB, Domains: domainStore, Planner: vhosts, Drifter: a.engine, Jobs: a.Queue, Router: a.Router}).Register()
	(&redirect.Operations{DB: a.DB, Sites: sites, Jobs: a.Queue, Router: a.Router}).Register()
	(&security.Operations{DB: a.DB, Vault: vault, Sites: sites, Jobs: a.Queue, Router: a.Router}).Register()
	(&event.Operations{DB: a.DB, Servers: servers, Jobs: a.Queue, Router: a.Router}).Register()

	(&audit.Operations{DB: a.DB, Organizations: organizations, Router: a.Router}).Register()

	a.bootstrap = (&server.Bootstrap{DB: a.DB, Box: a.Box, Router: a.Router, Jobs: a.Queue, Log: a.Log}).Handler()
	a.setup, a.viewer = newSetup(a.DB), a.Router.Viewer(docsPath)
	return nil
}

// invited and accept lead from accounts to organizations, which accounts know nothing of.
func invited(ctx context.Context, tx *db.Tx, token string) (string, error) {
	row, err := organization.Open(ctx, tx, token)
	return row.Email, asInvalid(err)
}

func accept(ctx context.Context, tx *db.Tx, user query.User, token string) error {
	_, err := organization.Accept(ctx, tx, user, token)
	return asInvalid(err)
}

func asInvalid(err error) error {
	if errors.Is(err, organization.ErrInvitation) {
		return api.Invalid("invitation", "%s.", organization.ErrInvitation)
	}
	return err
}

// SetupURL is the link for the first account, "" once there is one.
func (a *App) SetupURL(ctx context.Context) (string, error) {
	path, err := a.setup.Path(ctx)
	if err != nil || path == "" {
		return "", err
	}
	return a.Router.URL(path), nil
}

// start begins to work on hosts.
func (a *App) start(ctx context.Context) error {
	if len(a.Config.Agents) == 0 {
		a.Log.WarnContext(ctx, "built without the agent for hosts: requests are accepted, and wait for a program from make build")
		return nil
	}
	if err := a.Queue.Start(ctx); err != nil {
		return fmt.Errorf("start the job queue: %w", err)
	}
	a.engine.Start(ctx)
	return nil
}

// stop lets what is attached detach: runs go on by themselves on their hosts.
func (a *App) stop(ctx context.Context) error {
	if len(a.Config.Agents) == 0 {
		return nil
	}
	a.engine.Stop()
	err := a.Queue.Stop(ctx)
	a.fleet.Close()
	return err
}

func constantEqual(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
