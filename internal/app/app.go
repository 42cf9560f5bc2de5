// Package app wires everything together and runs it. It is the only package that imports all others.
package app

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/engine/update"
	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/ground/runtimes"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/tracing"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/attention"
	"github.com/hostlerhq/hostler/internal/noun/dnsrecord"
	"github.com/hostlerhq/hostler/internal/noun/heartbeat"
	"github.com/hostlerhq/hostler/internal/noun/nginx"
	"github.com/hostlerhq/hostler/internal/noun/oauth"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// Store is the database with its master key: what administration needs, with a server running or not.
type Store struct {
	DB  *db.DB
	Box *secret.Box
}

// OpenStore opens database and key. A fresh database is bound to its key; another key is refused before anything is touched.
func OpenStore(ctx context.Context, c Config) (*Store, error) {
	if err := openDataDir(c.DataDir); err != nil {
		return nil, err
	}
	d, err := db.Connect(ctx, db.Config{URL: c.DatabaseURL, Dir: c.DataDir, Clock: clock.System{}})
	if err != nil {
		return nil, err
	}
	s := &Store{DB: d}
	if s.Box, err = openBox(ctx, c, d); err != nil {
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
	Config Config
	Log    *slog.Logger
	Router *api.Router
	// Queue takes work, Workers do it, and Ledger has what it leaves on hosts.
	Queue   *job.Queue
	Workers *job.Workers
	Ledger  *ledger.Ledger
	BaseURL *url.URL
	// Outbox is the queue of mail.
	Outbox *mail.Outbox
	// Records follows sites with the DNS records of their domains.
	Records *dnsrecord.Watcher
	// Heartbeats records calls, and detects missing ones.
	Heartbeats *heartbeat.Watch
	// Attention is what needs attention.
	Attention *attention.Store
	// KeptNginx checks configurations that predate the checks.
	KeptNginx *nginx.Kept

	authURL   *url.URL
	setup     *account.Setup
	viewer    http.Handler
	oauth     *oauth.Provider
	bootstrap http.Handler
	relay     http.Handler
	hooks     http.Handler
	fleet     *host.Fleet
	engine    *job.Engine
	ready     readiness
	front     *front // nil without TLS
	releases  *update.Watch
	newest    *runtimes.Newest
	traces    *tracing.Provider // nil without an endpoint
	refused   atomic.Int64      // connections
	rows      []noun
}

// Stages returns what the work of one operation would run on its host.
func (a *App) Stages(ctx context.Context, op query.Operation) ([]job.Stage, error) {
	return a.engine.Stages(ctx, op)
}

// New wires an App over an open store. Start starts its work.
func New(c Config, s *Store, log *slog.Logger) (*App, error) {
	base, err := parseBase("base URL", c.BaseURL)
	if err != nil {
		return nil, err
	}
	a := &App{Store: s, Config: c, Log: log, BaseURL: base}
	if c.AuthURL != "" {
		if a.authURL, err = parseBase("auth URL", c.AuthURL); err != nil {
			return nil, err
		}
		if strings.Trim(a.authURL.Path, "/") != "" { // RFC 8414, 3.1 puts the metadata elsewhere for a URL with a path
			return nil, fmt.Errorf("the auth URL %q must have no path", c.AuthURL)
		}
		a.authURL.Path = ""
	}
	if c.DashboardOrigin != "" {
		u, err := parseBase("dashboard's origin", c.DashboardOrigin)
		if err != nil {
			return nil, err
		}
		if origin(u) != c.DashboardOrigin {
			return nil, fmt.Errorf("the dashboard's origin %q must look like https://dash.example.com, without a path", c.DashboardOrigin)
		}
	}
	if c.OTLPEndpoint != "" {
		if a.traces, err = tracing.New(context.Background(), c.OTLPEndpoint, c.Version, log); err != nil {
			return nil, err
		}
	}
	if err := a.wire(); err != nil {
		a.endTraces(context.Background())
		return nil, err
	}
	return a, nil
}

// parseBase parses a URL that people and programs use. what names it in errors.
func parseBase(what, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("the %s %q must look like https://panel.example.com", what, text)
	}
	if !server.PrivateBase(u) {
		return nil, fmt.Errorf("the %s %q is plain http and not a private address: tokens would cross the network in the open; use https", what, text)
	}
	return u, nil
}

func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// origins returns the origins whose pages can read answers.
func (a *App) origins() []string {
	out := []string{origin(a.BaseURL)}
	if a.Config.DashboardOrigin != "" {
		out = append(out, a.Config.DashboardOrigin)
	}
	return out
}

// page returns the URL of a page that this program serves beside its API.
func (a *App) page(path string) string { return strings.TrimSuffix(a.BaseURL.String(), "/") + path }

// invited and accept connect accounts to organizations, which accounts do not know about.
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

// SetupURL returns the link for the first account, "" once there is one.
func (a *App) SetupURL(ctx context.Context) (string, error) {
	path, err := a.setup.Path(ctx)
	if err != nil || path == "" {
		return "", err
	}
	return a.Router.URL(path), nil
}

// start starts work on hosts.
func (a *App) start(ctx context.Context) error {
	if len(a.Config.Agents) == 0 {
		a.Log.WarnContext(ctx, "built without the agent for hosts: requests are accepted, and wait for a program from make build")
		return nil
	}
	if err := a.Workers.Start(ctx); err != nil {
		return fmt.Errorf("start the workers: %w", err)
	}
	a.engine.Start(ctx)
	return nil
}

// stop detaches: runs continue on their hosts.
func (a *App) stop(ctx context.Context) error {
	if len(a.Config.Agents) == 0 {
		return nil
	}
	a.engine.Stop()
	err := a.Workers.Stop(ctx)
	a.fleet.Close()
	return err
}

func constantEqual(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
