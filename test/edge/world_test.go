package edge

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
	"github.com/hostlerhq/hostler/test/githost"
)

func TestMain(m *testing.M) {
	pgtest.Main(m, func() {
		if dir, err := makeTemplate(); err == nil {
			_ = os.RemoveAll(dir)
		}
		if builtIn != "" {
			_ = os.RemoveAll(builtIn)
		}
	})
}

// world is two organizations with something of every kind in them.
type world struct {
	*Env
	owner, developer, viewer, stranger *Client
	users                              map[string]query.User
	org, otherOrg                      query.Organization
	// mine is in org, other in org on another server, foreign in the other organization.
	mine, other, foreign things
	// link is what the newest mail of a scenario leads to, code what its authenticator app shows.
	link, code string
	// customRole is the role of the user custom, who is in the team like all others.
	customRole int64
}

// things are ids as paths name them.
type things struct {
	heartbeat, composer, npm, process, logKey, job, serverJob                                                                                  string
	slug, server, balancer, rule, sshKey, monitor, site, balancerSite, event, redirect, security, sftpUser, domain, certificate, template, php string
	// team has member user in it, an open invitation, and server, credential and recipe shared with it; run is one of the recipe on the server; orgInvitation is
	// one to the organization.
	team, user, invitation, orgInvitation, role, credential, recipe, run, predefined, permission string
	// shippedRun is a run of the recipe shipped on the server.
	shipped, shippedRun string
	// provider, providerRegion and providerSize are of the shipped lists.
	provider, providerRegion, providerSize string
	// region is one of the credential's provider, and vpc a network in it.
	region, vpc string
	// session and token are the owner's own.
	session, token, client, grant string
	// deployment and command are of the site.
	deployment, command string
	// version is one of the site's environment.
	version string
	// engine is a server with databases: database and databaseUser are on it.
	engine, database, databaseUser string
	// dnsProvider is one that the certificate of no domain needs.
	dnsProvider string
	// storage is a provider, configuration backs up database into it, and backup is a run of that which is finished.
	storage, configuration, backup string
	// webhook is one of the site, and delivery was sent to it; channel and told are the same of the organization. source is a connection to GitHub.
	webhook, delivery, channel, told, source string
}

// World opens an App whose database contains a world. The world is created once for each database and copied: creating it takes a hundred requests.
func World(t testing.TB, dialect db.Dialect) *world {
	t.Helper()
	return WorldWith(t, dialect, func(*app.Config) {})
}

// WorldWith returns World with a configuration that change has seen.
func WorldWith(t testing.TB, dialect db.Dialect, change func(*app.Config)) *world {
	t.Helper()
	c := config(t)
	if dialect == db.SQLite {
		worlds.sqlite(t)
	}
	c = withDatabase(t, c, dialect, "world", func(_ context.Context, url string) error {
		c := c
		c.DatabaseURL = url
		return worlds.make(t, c, dialect)
	})
	change(&c)
	return worlds.in(open(t, c), dialect)
}

// Worlds runs a test in a world on SQLite and in one on PostgreSQL.
func Worlds(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	each(t, func(t *testing.T, dialect db.Dialect) { test(t, World(t, dialect)) })
}

// madeWorlds are the worlds that databases are copied from.
type madeWorlds struct {
	mu     sync.Mutex
	file   sync.Once
	worlds map[db.Dialect]world
}

var worlds = &madeWorlds{worlds: map[db.Dialect]world{}}

// sqlite creates the world's file in the template, once.
func (m *madeWorlds) sqlite(t testing.TB) {
	t.Helper()
	m.file.Do(func() {
		c := withDatabase(t, config(t), db.SQLite, "edge", nil)
		if err := m.make(t, c, db.SQLite); err != nil {
			t.Fatal(err)
		}
		copyFile(t, filepath.Join(template(t), "world.db"), filepath.Join(c.DataDir, "hostler.db"))
	})
}

// make makes a world in a database and leaves no connection to it open.
func (m *madeWorlds) make(t testing.TB, c app.Config, dialect db.Dialect) error {
	w := newWorld(open(t, c))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.worlds[dialect] = *w
	w.CheckSecrets()
	w.closed = true
	return w.App.DB.Close()
}

// in returns the world that was made, with callers of an App over a copy.
func (m *madeWorlds) in(e *Env, dialect db.Dialect) *world {
	m.mu.Lock()
	w := m.worlds[dialect]
	m.mu.Unlock()
	e.Secrets.copyOf(w.Secrets)
	w.Env, w.users = e, maps.Clone(w.users)
	for _, c := range []**Client{&w.owner, &w.developer, &w.viewer, &w.stranger} {
		*c = e.As((*c).Token)
	}
	return &w
}

func newWorld(e *Env) *world {
	e.T.Helper()
	w := &world{Env: e, users: map[string]query.User{}}
	w.users["owner"], w.users["stranger"] = e.User("owner"), e.User("stranger")
	w.org, w.otherOrg = e.Organization("acme", w.users["owner"]), e.Organization("other", w.users["stranger"])
	w.users["developer"], w.users["viewer"] = e.Member(w.org, "developer", access.RoleDeveloper), e.Member(w.org, "viewer", access.RoleViewer)
	w.owner, w.developer, w.viewer, w.stranger = e.Of(w.users["owner"]), e.Of(w.users["developer"]), e.Of(w.users["viewer"]), e.Of(w.users["stranger"])
	w.users["admin"], w.users["manager"] = e.Member(w.org, "admin", access.RoleAdmin), e.Member(w.org, "manager", access.RoleManager)
	e.Member(w.org, "second-owner", access.RoleOwner) // the last one could not leave
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		role, err := tx.InsertRole(ctx, &w.org.ID, "custom", tx.Micros())
		w.customRole = role.ID
		return err
	})
	w.users["custom"] = e.Member(w.org, "custom", w.customRole)
	w.users["bystander"], w.users["loner"] = e.Member(w.org, "bystander", access.RoleManager), e.Member(w.org, "loner", 0)
	for _, to := range []string{"ops@example.com", "one@example.com", "two@example.com", "three@example.com"} {
		w.confirmed(w.org.ID, to)
		w.confirmed(w.otherOrg.ID, to)
	}
	w.mine, w.other, w.foreign = w.things(w.owner, "acme", "one"), w.things(w.owner, "acme", "two"), w.things(w.stranger, "other", "three")
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.PutTeamMember(ctx, number(w.other.team), w.users["loner"].ID, access.RoleManager, tx.Micros())
		if err != nil {
			return err
		}
		_, err = tx.PutTeamMember(ctx, number(w.mine.team), w.users["custom"].ID, w.customRole, tx.Micros())
		return err
	})
	return w
}

func (w *world) things(c *Client, slug, name string) things {
	w.T.Helper()
	t := things{slug: slug}
	t.server = w.server(c, slug, name, "app")
	t.balancer = w.server(c, slug, name+"-lb", "loadbalancer")
	at := "/orgs/" + slug + "/servers/"
	rule := c.Post(at+t.server+"/firewall-rules", map[string]any{"name": "HTTP alt", "port": "8080", "type": "allow"}).Want(w.T, 202)
	t.rule, t.event = rule.ID(), rule.Header.Get("X-Hostler-Event")
	t.sshKey = c.Post(at+t.server+"/ssh-keys", map[string]any{"name": "laptop", "key": publicKey(w.T)}).Want(w.T, 202).ID()
	t.monitor = c.Post(at+t.server+"/monitors", monitorBody()).Want(w.T, 202).ID()
	t.php = w.foundPHP(t.server)
	t.site = c.Post(at+t.server+"/sites", map[string]any{"type": "static-html", "name": name + ".example.com"}).Want(w.T, 202).ID()
	body := serverBody(name+"-db", "database")
	body["database_type"], body["database"] = "mariadb1011", "first"
	t.engine = c.Post("/orgs/"+slug+"/servers", body).Want(w.T, 202).ID()
	t.database = c.Get(at+t.engine+"/database/schemas").Want(w.T, 200).IDs()[0]
	w.backups(c, &t, name)
	t.databaseUser = c.Post(at+t.engine+"/database/users", map[string]any{"name": "app", "password": "s3cret"}).Want(w.T, 202).ID()
	onSite := at + t.server + "/sites/" + t.site
	c.Put(onSite+"/deployments/script", map[string]any{"content": "true\n"}).Want(w.T, 200)
	w.Tx(func(ctx context.Context, tx *db.Tx) error { // without work, which other tests count
		site, err := tx.Ungranted().GetSite(ctx, number(t.site))
		if err != nil {
			return err
		}
		d, err := tx.InsertDeployment(ctx, query.InsertDeploymentParams{
			OrganizationID: site.OrganizationID, ServerID: site.ServerID, SiteID: site.ID,
			Type: "manual", Status: "failed", CreatedAt: tx.Micros(),
		})
		if err != nil {
			return err
		}
		if err := tx.NoteLatestDeployment(ctx, site.ID, &d.ID, "failed"); err != nil {
			return err
		}
		cmd, err := tx.InsertCommand(ctx, query.InsertCommandParams{
			SiteID: site.ID, UserID: w.users["owner"].ID, Command: "id", Status: "failed",
			CreatedAt: tx.Micros(),
		})
		if err != nil {
			return err
		}
		env, err := tx.InsertEnvironment(ctx, query.InsertEnvironmentParams{
			SiteID: site.ID, UserID: new(w.users["owner"].ID), Content: []byte{},
			Status: "written", CreatedAt: tx.Micros(),
		})
		if err != nil {
			return err
		}
		t.version = strconv.FormatInt(env.ID, 10)
		content, err := w.App.Box.Seal(secret.Place{Table: "environments", Row: t.version, Column: "content"}, []byte("A=1\n"))
		if err != nil {
			return err
		}
		if err := tx.SealEnvironment(ctx, env.ID, content, nil, nil); err != nil {
			return err
		}
		t.deployment, t.command = strconv.FormatInt(d.ID, 10), strconv.FormatInt(cmd.ID, 10)
		return err
	})
	t.redirect = c.Post(at+t.server+"/sites/"+t.site+"/redirect-rules", map[string]any{"from": "^/old$", "to": "/new", "type": "permanent"}).Want(w.T, 202).ID()
	t.security = c.Post(at+t.server+"/sites/"+t.site+"/security-rules", map[string]any{
		"name": "Admins", "path": "/admin",
		"credentials": []any{map[string]any{"username": "anna", "password": "geheim"}},
	}).Want(w.T, 202).ID()
	t.sftpUser = c.Post(at+t.server+"/sites/"+t.site+"/sftp-users", map[string]any{"name": "designer", "keys": []any{publicKey(w.T)}}).Want(w.T, 202).ID()
	t.domain = c.Post(at+t.server+"/sites/"+t.site+"/domains", map[string]any{
		"name": name + "-too.example.com", "www_redirect_type": "none",
		"allow_wildcard_subdomains": false,
	}).Want(w.T, 202).ID()
	t.certificate = c.Post(at+t.server+"/sites/"+t.site+"/domains/"+t.domain+"/certificates", certificateBody(w.T, name+"-too.example.com")).Want(w.T, 202).ID()
	t.template = c.Post(at+t.server+"/nginx/templates", map[string]any{"name": name, "content": "server {\n    server_name {{DOMAINS}};\n}\n"}).Want(w.T, 200).ID()
	t.heartbeat = c.Post(onSite+"/heartbeats", map[string]any{"name": "Nightly", "frequency": 60, "grace_period": 5}).Want(w.T, 200).ID()
	t.composer = c.Post(onSite+"/composer/credentials", map[string]any{"repository": name + ".example.com", "username": "anna", "password": "geheim"}).Want(w.T,
		202).ID()
	t.npm = c.Post(onSite+"/npm/credentials", map[string]any{
		"registry": "npm-" + name + ".example.com", "token": "geheim",
		"scopes": []string{"@acme"},
	}).Want(w.T, 202).ID()
	t.process = c.Post(at+t.server+"/background-processes", map[string]any{
		"name": "worker", "command": "sleep 1000", "user": "forge",
		"processes": 1,
	}).Want(w.T, 202).ID()
	t.serverJob = c.Post(at+t.server+"/scheduled-jobs", map[string]any{"name": "Updates", "command": "true", "user": "root", "frequency": "nightly"}).Want(w.T,
		202).ID()
	t.job = c.Post(onSite+"/scheduled-jobs", map[string]any{"name": "Reports", "command": "true", "user": "forge", "frequency": "nightly"}).Want(w.T, 202).ID()
	t.logKey = "nginx-error"
	if name != "one" { // of these there is one set for all
		t.logKey = "none"
	}
	w.outside(c, &t, name)
	w.teams(c, &t, name)
	user := w.users["owner"]
	if slug == "other" {
		user = w.users["stranger"]
	}
	w.program(c, &t, user)
	w.WithPassword(user.ID)
	session := w.Session(user)
	t.token = session.Post("/user/tokens", map[string]any{"name": name, "scopes": []string{"user:view"}, "password": password}).Want(w.T, 201).ID()
	t.session = session.Get("/user/sessions").Want(w.T, 200).IDs()[0]
	node := map[string]any{"server_id": number(t.server)}
	t.balancerSite = c.Post(at+t.balancer+"/sites/balancer", map[string]any{"domain": name + ".example.com", "balancing": []any{node}}).Want(w.T, 202).ID()
	return t
}

// teams creates a team that shares the server, a credential and a recipe. All tried members of the organization are in it, so
// that their roles decide.
func (w *world) teams(c *Client, t *things, name string) {
	w.T.Helper()
	at := "/orgs/" + t.slug
	if t.slug == w.org.Slug {
		t.user = strconv.FormatInt(w.Member(w.org, "member-"+name, access.RoleViewer).ID, 10)
	} else {
		t.user = strconv.FormatInt(w.Member(w.otherOrg, "member-"+name, access.RoleViewer).ID, 10)
	}
	t.predefined, t.permission, t.shipped = "5", "7", "1"
	t.provider, t.providerRegion, t.providerSize = "2", "201", "cx22"
	t.region, t.vpc = "fsn1", "1"
	if name != "one" { // of these there is one set for all
		t.predefined, t.permission, t.shipped = "77", "777", "77"
		t.provider, t.providerRegion, t.providerSize = "77", "101", "s-1vcpu-1gb" // of another provider
		t.region, t.vpc = "nyc3", "777"
	}
	users := []any{map[string]any{"id": number(t.user)}}
	if t.slug == w.org.Slug {
		for _, role := range []string{"owner", "admin", "manager", "developer", "viewer"} {
			users = append(users, map[string]any{"id": w.users[role].ID})
		}
	}
	t.team = c.Post(at+"/teams", map[string]any{"name": "team " + name, "users": users}).Want(w.T, 200).ID()
	t.role = c.Post(at+"/roles", map[string]any{"name": "role " + name, "permissions": []string{"server:view"}}).Want(w.T, 200).ID()
	t.invitation = c.Post(at+"/teams/"+t.team+"/invites", map[string]any{"email": name + "@invited.example.com", "role_id": 5}).Want(w.T, 200).ID()
	t.orgInvitation = c.Post(at+"/invites", map[string]any{"email": name + "@invited.example.com", "role_id": 5}).Want(w.T, 200).ID()
	t.credential = c.Post(at+"/server-credentials", map[string]any{"name": name, "provider": "hetzner", "secret": "s3cret-" + name}).Want(w.T, 201).ID()
	t.recipe = c.Post(at+"/recipes", map[string]any{"name": name, "user": "root", "script": "uptime"}).Want(w.T, 200).ID()
	w.Tx(func(ctx context.Context, tx *db.Tx) error { // without work, which other tests count
		srv, err := tx.Ungranted().GetServer(ctx, number(t.server))
		if err != nil {
			return err
		}
		run, err := tx.InsertRecipeRun(ctx, query.InsertRecipeRunParams{
			RecipeID: new(number(t.recipe)), OrganizationID: srv.OrganizationID, ServerID: srv.ID,
			Name: name, RunAs: "root", Script: "uptime", CreatedAt: tx.Micros(),
		})
		t.run = strconv.FormatInt(run.ID, 10)
		if err != nil {
			return err
		}
		run, err = tx.InsertRecipeRun(ctx, query.InsertRecipeRunParams{
			ShippedRecipeID: new(number(t.shipped)), OrganizationID: srv.OrganizationID,
			ServerID: srv.ID, Name: name, RunAs: "root", Script: "uptime", CreatedAt: tx.Micros(),
		})
		t.shippedRun = strconv.FormatInt(run.ID, 10)
		return err
	})
	c.Post(at+"/teams/"+t.team+"/recipes", map[string]any{"recipe_id": number(t.recipe)}).Want(w.T, 201)
	c.Post(at+"/teams/"+t.team+"/servers", map[string]any{"server_id": number(t.server)}).Want(w.T, 201)
	c.Post(at+"/teams/"+t.team+"/server-credentials", map[string]any{"credential_id": number(t.credential)}).Want(w.T, 201)
}

// outside makes what leads out: a webhook, a notification channel and a connection to a source control provider.
func (w *world) outside(c *Client, t *things, name string) {
	w.T.Helper()
	at := "/orgs/" + t.slug
	t.webhook = c.Post(at+"/servers/"+t.server+"/sites/"+t.site+"/webhooks", map[string]any{"url": "https://" + name + ".example.com/hook"}).Want(w.T, 202).ID()
	t.channel = c.Post(at+"/notification-channels", map[string]any{
		"name": name, "type": "mail", "address": name + "@example.com",
		"events": []string{"backup.failed"},
	}).Want(w.T, 201).ID()
	t.source = c.Post(at+"/source-control-providers", map[string]any{"name": name, "provider": "github", "token": githost.Token}).Want(w.T, 201).ID()
	w.Tx(func(ctx context.Context, tx *db.Tx) error { // without work, which other tests count
		webhook, channel := number(t.webhook), number(t.channel)
		d, err := tx.InsertDelivery(ctx, query.InsertDeliveryParams{
			WebhookID: &webhook, MessageID: "msg_1", Event: "deployment.ended", Payload: "{}",
			NextAt: new(tx.Micros()),
		})
		if err != nil {
			return err
		}
		told, err := tx.InsertDelivery(ctx, query.InsertDeliveryParams{
			ChannelID: &channel, MessageID: "msg_2", Event: "backup.failed", Payload: "{}",
			NextAt: new(tx.Micros()),
		})
		t.delivery, t.told = strconv.FormatInt(d.ID, 10), strconv.FormatInt(told.ID, 10)
		return err
	})
}

// program registers an OAuth client and lets it in.
func (w *world) program(c *Client, t *things, user query.User) {
	w.T.Helper()
	body := map[string]any{"name": "program", "redirect_uris": []string{"https://app.example.com/back"}, "scopes": []string{"server:view"}}
	t.client = c.Post("/orgs/"+t.slug+"/oauth-clients", body).Want(w.T, 201).ID()
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		grant, err := tx.InsertOAuthGrant(ctx, query.InsertOAuthGrantParams{
			ClientID: number(t.client), UserID: user.ID, Scopes: `["server:view"]`,
			CreatedAt: tx.Micros(),
		})
		t.grant = strconv.FormatInt(grant.ID, 10)
		return err
	})
}

// server makes a custom server and returns its id.
func (w *world) server(c *Client, slug, name, kind string) string {
	w.T.Helper()
	return c.Post("/orgs/"+slug+"/servers", serverBody(name, kind)).Want(w.T, 202).ID()
}

// certificateBody asks for a certificate that is brought along.
func certificateBody(t testing.TB, name string) map[string]any {
	t.Helper()
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter: time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC),
	}
	der := must(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))
	private := must(x509.MarshalPKCS8PrivateKey(key))
	return map[string]any{"type": "existing", "existing": map[string]any{
		"certificate": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		"key":         string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
	}}
}

func serverBody(name, kind string) map[string]any {
	return map[string]any{"name": name, "provider": "custom", "type": kind, "custom": map[string]any{"ip_address": address()}}
}

var addresses atomic.Int64

// address is one that no other server has.
func address() string {
	n := addresses.Add(1)
	return fmt.Sprintf("198.18.%d.%d", n/250, n%250+1)
}

func number(id string) int64 {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		panic(err) // an id of ours
	}
	return n
}

// counts returns the numbers of rows of all tables.
func (w *world) counts() map[string]int64 {
	w.T.Helper()
	return counts(w.T, w.App.DB)
}

func counts(t testing.TB, d *db.DB) map[string]int64 {
	t.Helper()
	list := `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
	if d.Dialect == db.PostgreSQL {
		list = `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`
	}
	ctx := context.Background()
	rows, err := d.SQLDB().QueryContext(ctx, list)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, `SELECT '`+name+`', COUNT(*) FROM "`+name+`"`)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	numbers, err := d.SQLDB().QueryContext(ctx, strings.Join(names, " UNION ALL "))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = numbers.Close() }()
	out := map[string]int64{}
	for numbers.Next() {
		var name string
		var n int64
		if err := numbers.Scan(&name, &n); err != nil {
			t.Fatal(err)
		}
		out[name] = n
	}
	if err := numbers.Err(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"river_job", "events", "operations", "idempotency_keys", "sites"} {
		if _, ok := out[name]; !ok {
			t.Fatalf("there is no table %s to count", name)
		}
	}
	return out
}

func TestWorld(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		got := w.owner.Get("/orgs/acme/servers/"+w.mine.server).Want(t, 200)
		if got.ID() != w.mine.server {
			t.Errorf("the server is %s, want %s", got.ID(), w.mine.server)
		}
	})
}

// fails returns a call that is meant to end in "Server error.", which no answer of the contract is.
func (w *world) fails(method, path string, body any, options ...Option) Answer {
	w.T.Helper()
	c := &Client{Token: w.owner.Token, env: w.Env, http: &http.Client{}}
	a, err := c.Try(method, path, body, options...)
	if err == nil {
		w.T.Errorf("%s %s answered %d, want it to fail", method, path, a.Status)
	}
	return a
}

// backups makes a storage provider, a configuration that uses it and a run of it that is finished.
func (w *world) backups(c *Client, t *things, name string) {
	w.T.Helper()
	at := "/orgs/" + t.slug
	t.dnsProvider = c.Post(at+"/dns-providers", dnsProviderBody(name)).Want(w.T, 201).ID()
	t.storage = c.Post(at+"/storage-providers", storageBody(name)).Want(w.T, 201).ID()
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		return w.settled(ctx, tx, job.StateSucceeded, t.engine)
	})
	t.configuration = c.Post(at+"/servers/"+t.engine+"/database/backups", backupBody(*t)).Want(w.T, 202).ID()
	t.backup = c.Post(at+"/servers/"+t.engine+"/database/backups/"+t.configuration+"/instances", nil).Want(w.T, 202).ID()
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		items, err := tx.Ungranted().ListBackupItems(ctx, number(t.backup))
		if err != nil {
			return err
		}
		checksum, now := strings.Repeat("ab", 32), tx.Micros()
		for _, item := range items {
			err := tx.ReportBackupItem(ctx, query.ReportBackupItemParams{ID: item.ID, Status: "stored", Size: 1234, Checksum: &checksum, Report: "{}", UpdatedAt: now})
			if err != nil {
				return err
			}
		}
		return tx.FinishBackup(ctx, query.FinishBackupParams{ID: number(t.backup), Status: "finished", Size: 1234, FinishedAt: &now})
	})
}

// fakeS3 is a storage for all tests of the process.
var fakeS3 = sync.OnceValue(func() string {
	backend := s3mem.New()
	if err := backend.CreateBucket("archive"); err != nil {
		panic(err) // in memory
	}
	return httptest.NewServer(gofakes3.New(backend, gofakes3.WithLogger(gofakes3.DiscardLog())).Server()).URL
})

func dnsProviderBody(name string) map[string]any {
	return map[string]any{"name": name, "provider": "rfc2136", "nameserver": "192.0.2.53", "key": "hostler", "secret": "c2VjcmV0c2VjcmV0c2VjcmV0"}
}

func storageBody(name string) map[string]any {
	return map[string]any{
		"name": "storage " + name, "provider": "custom", "endpoint": fakeS3(), "bucket": "archive", "directory": name, "access_key": "key",
		"secret_key": "s3cret",
	}
}

func backupBody(t things) map[string]any {
	return map[string]any{
		"storage_provider_id": number(t.storage), "frequency": "daily", "time": "02:30", "database_ids": []any{number(t.database)},
		"retention": 3,
	}
}
