// Package edge tests the HTTP edge as its callers see it: a whole App over a real database, and clients whose every answer is held against
// the contract. Jobs are not started, so that what was accepted stays as it was answered.
package edge

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/clock/clocktest"
	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/cloud/cloudtest"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/mail"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/test/contract"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
	"github.com/hostlerhq/hostler/test/githost"
)

// Env is an App that answers.
type Env struct {
	T     testing.TB
	App   *app.App
	Clock *clocktest.Clock
	// URL is the server's root; the API lies below /api.
	URL string
	// Log is what the App logged.
	Log *Log
	// Mail is what the App sent.
	Mail *Mailbox
	// Secrets are what must not be found anywhere, for the end of the test.
	Secrets *Recorder

	options []contract.Option
	handler atomic.Pointer[http.Handler]
	closed  bool
}

// Log keeps what was logged.
type Log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write appends.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// Reset forgets what was logged, after a test that made the server fail on purpose.
func (l *Log) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf.Reset()
}

// Mailbox keeps what was sent.
type Mailbox struct {
	env *Env
	mu  sync.Mutex
	all []mail.Message
}

// Send keeps a message.
func (m *Mailbox) Send(_ context.Context, msg mail.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = append(m.all, msg)
	return nil
}

// Last delivers what is due and returns the newest message to an address; nil if there is none.
func (m *Mailbox) Last(t testing.TB, to string) *mail.Message {
	t.Helper()
	if err := m.env.App.Outbox.Deliver(context.Background()); err != nil {
		t.Fatal(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, msg := range slices.Backward(m.all) {
		if msg.To == to {
			return &msg
		}
	}
	return nil
}

// Count returns how many messages were sent to an address.
func (m *Mailbox) Count(to string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, msg := range m.all {
		if msg.To == to {
			n++
		}
	}
	return n
}

// Token returns what follows the # of the link in the newest message to an address.
func (m *Mailbox) Token(t testing.TB, to string) string {
	t.Helper()
	msg := m.Last(t, to)
	if msg == nil {
		t.Fatalf("no mail to %s", to)
	}
	_, token, ok := strings.Cut(msg.Link, "#")
	if !ok {
		t.Fatalf("the link %q has no token", msg.Link)
	}
	m.env.Secrets.Note("a mail to "+to, token)
	return token
}

// Both runs a test on SQLite and on PostgreSQL.
func Both(t *testing.T, test func(t *testing.T, e *Env)) {
	t.Helper()
	each(t, func(t *testing.T, dialect db.Dialect) { test(t, New(t, dialect)) })
}

func each(t *testing.T, test func(t *testing.T, dialect db.Dialect)) {
	t.Helper()
	for _, dialect := range []db.Dialect{db.SQLite, db.PostgreSQL} {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			test(t, dialect)
		})
	}
}

// New starts an App over an empty database. It fails the test at its end if anything was answered with "Server error.". Callers
// are not limited, as tests make thousands of requests; NewWith can change that.
func New(t testing.TB, dialect db.Dialect) *Env {
	t.Helper()
	return NewWith(t, dialect, func(*app.Config) {})
}

// NewWith returns New with a configuration that change has seen.
func NewWith(t testing.TB, dialect db.Dialect, change func(*app.Config)) *Env {
	t.Helper()
	c := config(t)
	change(&c)
	return open(t, withDatabase(t, c, dialect, "edge", func(ctx context.Context, url string) error {
		s, err := app.OpenStore(ctx, app.Config{DataDir: c.DataDir, DatabaseURL: url})
		if err != nil {
			return err
		}
		return s.Close()
	}))
}

func config(t testing.TB) app.Config {
	return app.Config{
		DataDir: t.TempDir(), BaseURL: "http://hostler.test", RateLimit: 1_000_000, AllowPrivateEndpoints: true,
		Nameservers: []string{"127.0.0.1:1"}, SourceControl: map[string]string{githost.GitHub: fakeGitHub().URL},
		Clouds: map[string]string{cloud.Hetzner: hetzner().URL},
		RuntimeMirrors: map[string]string{
			"node": nodeReleases().URL, "bun": nodeReleases().URL + "/bun", "deno": nodeReleases().URL, "go": nodeReleases().URL,
		},
	}
}

// withDatabase returns a configuration the master key of all tests and a copy of a database: for SQLite the file of that name in the template, for
// PostgreSQL the one that prepare makes at its first use.
func withDatabase(t testing.TB, c app.Config, dialect db.Dialect, name string, prepare func(ctx context.Context, url string) error) app.Config {
	t.Helper()
	seed := template(t)
	copyFile(t, filepath.Join(c.DataDir, "master.key"), filepath.Join(seed, "master.key"))
	if dialect == db.SQLite {
		copyFile(t, filepath.Join(c.DataDir, "hostler.db"), filepath.Join(seed, name+".db"))
	} else {
		// With two connections for requests, one that needs two waits for itself.
		c.DatabaseURL = pgtest.Database(t, name, prepare) + "&pool_max_conns=8"
	}
	return c
}

// fakeGitHub is a provider for all tests of the process.
var fakeGitHub = sync.OnceValue(func() *githost.Server {
	s, _ := githost.New(githost.GitHub)
	s.Add("team/shop", map[string]string{"main": strings.Repeat("a", 40)})
	return s
})

// nodeReleases is the mirror of Node, and of one Bun, some of Deno and some of Go, for all tests of the process. It has no
// release of 26, and can't say which
// there are of 20. What it offers for 24 is older than 24.9.0, which it has.
var nodeReleases = sync.OnceValue(func() *httptest.Server {
	has := map[string]string{
		"latest-v22.x": "22.21.1", "v22.11.0": "22.11.0", "latest-v24.x": "24.5.0", "v24.9.0": "24.9.0", "bun/bun-v1.3.2": "bun",
	}
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at, _ := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/"), "/SHASUMS256.txt")
		switch version, ok := has[at]; {
		case at == "@deno/linux-x64-glibc":
			_, _ = w.Write([]byte(`{"name":"@deno/linux-x64-glibc","versions":{"2.1.6":{},"2.10.0":{},"2.9.6":{},"2.11.0-rc.1":{},"3.0.0":{}}}`))
		case at == "golang.org/toolchain/@v/list":
			_, _ = w.Write([]byte("v0.0.1-go1.20.linux-amd64\nv0.0.1-go1.25.3.linux-amd64\nv0.0.1-go1.25.10.linux-amd64\n" +
				"v0.0.1-go1.25.11.darwin-arm64\n" +
				"v0.0.1-go1.26rc1.linux-amd64\nv0.0.1-go1.2.2.linux-amd64\n"))
		case at == "golang.org/toolchain/@v/v0.0.1-go1.25.2.linux-amd64.info", at == "golang.org/toolchain/@v/v0.0.1-go1.25.12.linux-amd64.info":
			_, _ = fmt.Fprintf(w, `{"Version":%q}`, strings.TrimSuffix(path.Base(at), ".info"))
		case at == "latest-v20.x":
			http.Error(w, "busy", http.StatusServiceUnavailable)
		case !ok:
			http.NotFound(w, r)
		default:
			name := "node-v" + version + "-linux-x64.tar.gz"
			if version == "bun" {
				name = "bun-linux-x64-baseline.zip"
			}
			_, _ = w.Write([]byte(strings.Repeat("a", 64) + "  " + name + "\n"))
		}
	}))
})

// hetzner is a cloud for all tests of the process; every token has an account of its own.
var hetzner = sync.OnceValue(func() *cloudtest.Cloud { return cloudtest.New(cloud.Hetzner) })

func open(t testing.TB, c app.Config) *Env {
	t.Helper()
	store, err := app.OpenStore(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	e := &Env{
		T: t, Clock: clocktest.At(time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)), Log: &Log{},
		Secrets: &Recorder{secrets: map[string]string{}, public: map[string]bool{}},
	}
	t.Cleanup(func() {
		if !e.closed {
			e.CheckSecrets()
		}
		_ = store.Close()
		store, e.App = nil, nil // a test is remembered until its parents end, and there are thousands
		e.handler.Store(nil)
	})
	store.DB.Clock = e.Clock
	store.DB.ForbidNested()
	server := httptest.NewUnstartedServer(nil)
	e.URL = "http://" + server.Listener.Addr().String()
	if c.BaseURL == "http://hostler.test" { // what a test set stays
		c.BaseURL = e.URL
	}
	e.Mail = &Mailbox{env: e}
	c.Mail = e.Mail
	if e.App, err = app.New(c, store, slog.New(slog.NewTextHandler(e.Log, nil))); err != nil {
		t.Fatal(err)
	}
	h := e.App.Handler()
	e.handler.Store(&h)
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { (*e.handler.Load()).ServeHTTP(w, req) })
	server.Config.ErrorLog = slog.NewLogLogger(slog.NewTextHandler(e.Log, nil), slog.LevelError)
	server.Start()
	t.Cleanup(server.Close)
	t.Cleanup(func() {
		if log := e.Log.String(); log != "" && !t.Skipped() {
			t.Errorf("the server logged:\n%s", log)
		}
	})
	var extensions []contract.Operation
	for _, op := range e.App.Router.Operations() {
		if op.Extension {
			x := contract.Operation{
				ID: op.ID, Method: op.Method, Path: op.Path, SuccessCode: status(op),
				Paginated: strings.HasSuffix(op.ID, ".index") && !op.Whole,
			}
			if op.Conflict {
				x.ErrorCodes = append(x.ErrorCodes, http.StatusConflict)
			}
			if strings.HasSuffix(op.ID, ".stream") {
				x.SuccessType = "text/event-stream"
			}
			if strings.HasSuffix(op.ID, ".export") {
				x.SuccessType = api.LinesType
			}
			extensions = append(extensions, x)
		}
	}
	description.read(e)
	e.options = append(e.options, contract.WithExtensions(extensions...), contract.WithFields(description.fields))
	return e
}

func status(op api.Operation) int {
	if op.Status == 0 {
		return http.StatusOK
	}
	return op.Status
}

// template returns a data directory with a migrated database, made once: migrating takes longer than most tests.
func template(t testing.TB) string {
	t.Helper()
	dir, err := makeTemplate()
	if err != nil {
		t.Fatalf("make the template: %v", err)
	}
	return dir
}

var makeTemplate = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "edge")
	if err != nil {
		return "", err
	}
	s, err := app.OpenStore(context.Background(), app.Config{DataDir: dir})
	if err != nil {
		return "", err
	}
	if err := s.Close(); err != nil { // which takes the write-ahead log into the file
		return "", err
	}
	return dir, os.Rename(filepath.Join(dir, "hostler.db"), filepath.Join(dir, "edge.db"))
})

func copyFile(t testing.TB, to, from string) {
	t.Helper()
	raw, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, raw, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Tx runs f in a transaction of the App's database.
func (e *Env) Tx(f func(ctx context.Context, tx *db.Tx) error) {
	e.T.Helper()
	if err := e.App.DB.Tx(context.Background(), f); err != nil {
		e.T.Fatal(err)
	}
}

// User creates a user. Passwords are not used to log in here, so none is derived.
func (e *Env) User(name string) query.User {
	e.T.Helper()
	var user query.User
	e.Tx(func(ctx context.Context, tx *db.Tx) (err error) {
		user, err = tx.InsertUser(ctx, query.InsertUserParams{
			Name: name, Email: name + "@example.com", PasswordHash: "none", EmailVerifiedAt: new(int64), CreatedAt: tx.Micros(),
			UpdatedAt: tx.Micros(),
		})
		return err
	})
	return user
}

// Organization makes an organization that a user owns.
func (e *Env) Organization(slug string, owner query.User) query.Organization {
	e.T.Helper()
	var org query.Organization
	e.Tx(func(ctx context.Context, tx *db.Tx) (err error) {
		org, err = organization.Create(ctx, tx, slug, slug, owner.ID)
		return err
	})
	return org
}

// Member makes a user with a role in an organization.
func (e *Env) Member(org query.Organization, name string, role int64) query.User {
	e.T.Helper()
	user := e.User(name)
	e.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.InsertMembership(ctx, query.InsertMembershipParams{
			OrganizationID: org.ID, UserID: user.ID, RoleID: role, CreatedAt: tx.Micros(), UpdatedAt: tx.Micros(),
		})
		return err
	})
	return user
}

// Token makes a token of a user and marks it as used, so that calls do not write that themselves.
func (e *Env) Token(user query.User, scopes access.Set, expires *time.Time) (string, query.Token) {
	e.T.Helper()
	var token string
	var row query.Token
	e.Tx(func(ctx context.Context, tx *db.Tx) error {
		made, r, err := account.CreateToken(ctx, tx, user.ID, "test", scopes, expires)
		if err != nil {
			return err
		}
		token, row = made.Reveal(), r
		now := tx.Micros()
		return tx.TouchToken(ctx, row.ID, &now)
	})
	return token, row
}

// Everything returns all scopes.
func Everything() access.Set { return access.SetOf(access.All()...) }
