package attack_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// TenantWorld is a panel with a host for each database engine (a server has one), and on each host the same tenants.
type TenantWorld struct {
	*panel.Panel
	Bed               *hosts.Bed
	MariaDB, Postgres *TenantHost
	// BesideToken is the owner's of another organization of the panel, which has no servers.
	BesideToken, BesideOrg string
}

// Hosts returns the hosts of all engines.
func (w *TenantWorld) Hosts() []*TenantHost { return []*TenantHost{w.MariaDB, w.Postgres} }

// TenantHost is an app server that two customers and the account of all other sites share.
type TenantHost struct {
	panel.Server
	world *TenantWorld
	// Engine is mariadb1011 or postgres15; mariadb118 or postgres17 on Debian 13.
	Engine string
	// Alice and Bob have isolated sites; Forge is the site that is not isolated.
	Alice, Bob, Forge *Tenant
	// RootCanary is a file that only root can create: attacks try to. RootSecret is in files that only root can read.
	RootCanary, RootSecret string
}

// Tenants returns Alice, Bob and Forge.
func (h *TenantHost) Tenants() []*Tenant { return []*Tenant{h.Alice, h.Bob, h.Forge} }

// Tenant is a site with a PHP pool, its account on the host, and a database with its own account.
type Tenant struct {
	host *TenantHost
	// User is the Unix account, Home its directory; Base is the directory of the site, of which public is served.
	User, Domain, Home, Base string
	Site                     panel.Resource
	// Database is the name of the database, and of its account too.
	Database, Password string
	Schema, Account    panel.Resource
	// Secret is a word that is nowhere but in this tenant's places: ~/secret, the site's .env, the table secrets of the database.
	Secret string
}

var tenancy struct {
	sync.Mutex
	world *TenantWorld
}

// tenantWorld returns the world that all tests of tenants share in sequence. Each test removes what it creates. Its hosts have
// Debian 12, or 13 with HOSTLER_ATTACK_DEBIAN=13.
func tenantWorld(t *testing.T) *TenantWorld {
	t.Helper()
	hosts.Require(t)
	tenancy.Lock()
	t.Cleanup(tenancy.Unlock)
	image, mariadb, postgres := panel.TenantImage, "mariadb1011", "postgres15"
	if os.Getenv("HOSTLER_ATTACK_DEBIAN") == "13" {
		image, mariadb, postgres = panel.TenantImage13, "mariadb118", "postgres17"
		panel.BuildTenantImage13(t)
	} else {
		panel.BuildTenantImage(t)
	}
	bed := hosts.Shared(t, 2, hosts.Image(image))
	if tenancy.world == nil {
		began := time.Now()
		p, err := panel.New(panel.Program(t, "hostler"), bed.Gateway)
		if err != nil {
			t.Fatal(err)
		}
		w := &TenantWorld{Panel: p, Bed: bed}
		tenancy.world = w
		w.MariaDB, w.Postgres = w.add(t, bed.Host(1), mariadb), w.add(t, bed.Host(2), postgres)
		p.ReadyWithin(t, 5*time.Minute, w.MariaDB.Server, w.Postgres.Server)
		for _, h := range w.Hosts() {
			h.Alice = h.tenant(t, "alice", map[string]any{"is_isolated": true, "isolated_user": "alice"})
			h.Bob = h.tenant(t, "bob", map[string]any{"is_isolated": true, "isolated_user": "bob"})
			h.Forge = h.tenant(t, "forge", nil)
		}
		for _, h := range w.Hosts() {
			for _, tenant := range h.Tenants() {
				tenant.moveIn(t)
			}
		}
		w.BesideToken, w.BesideOrg = neighbour(t, w.Panel)
		t.Logf("panel, hosts and tenants are set up after %v", time.Since(began).Round(time.Millisecond))
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the panel's log:\n%s", tenancy.world.Log())
		}
	})
	if tenancy.world.BesideToken == "" {
		t.Fatal("the world of tenants was not set up")
	}
	return tenancy.world
}

func (w *TenantWorld) add(t testing.TB, h *hosts.Host, engine string) *TenantHost {
	t.Helper()
	body := map[string]any{
		"name":          engine,
		"provider":      "custom",
		"type":          "app",
		"database_type": engine,
		"custom":        map[string]any{"ip_address": h.IP, "ssh_port": h.Port},
	}
	if engine == "mariadb118" { // no choice of the API: it is what Debian 13 has
		body["database_type"] = "mariadb1011"
	}
	a := w.Want(t, http.StatusAccepted, http.MethodPost, "/servers", body)
	if engine == "mariadb118" {
		w.SQL(t, "UPDATE servers SET database_type = $1 WHERE id = $2", engine, integer(t, a.Data.ID))
	}
	if out, err := h.TryExec("sh", "-c", a.Data.Meta.Bootstrap.Command); err != nil {
		t.Fatalf("bootstrap %s: %v\n%s", h.Name, err, out)
	}
	out := &TenantHost{
		Server: panel.Server{ID: a.Data.ID, Type: "app", Host: h}, world: w, Engine: engine,
		RootCanary: "/canary-" + random(t), RootSecret: "root" + random(t),
	}
	h.WriteFile(t, "/root/secret", []byte(out.RootSecret+"\n"), 0o600)
	return out
}

// tenant asks for a database with an account, and a site; moveIn waits for both.
func (h *TenantHost) tenant(t testing.TB, user string, site map[string]any) *Tenant {
	t.Helper()
	n := &Tenant{
		host: h, User: user, Domain: user + ".example.com", Home: "/home/" + user, Database: user + "_shop",
		Password: "pw" + random(t), Secret: user + random(t),
	}
	n.Base = n.Home + "/" + n.Domain
	n.Schema = h.world.Want(t, http.StatusAccepted, http.MethodPost, h.Path("/database/schemas"),
		map[string]any{"name": n.Database, "user": n.Database, "password": n.Password}).Data
	body := map[string]any{"type": "php", "name": n.Domain}
	for k, v := range site {
		body[k] = v
	}
	n.Site = h.world.Want(t, http.StatusAccepted, http.MethodPost, h.Path("/sites"), body).Data
	return n
}

// moveIn puts the tenant's secret in all of its places.
func (n *Tenant) moveIn(t testing.TB) {
	t.Helper()
	w, h := n.host.world, n.host
	for _, path := range []string{"/sites/" + n.Site.ID, h.Path("/database/schemas/" + n.Schema.ID)} {
		r := w.Settled(t, 2*time.Minute, path)
		if r.Text("status") != "installed" {
			t.Fatalf("%s of %s is %s: %+v\n%s", path, n.User, r.Text("status"), r.Operation(), w.Output(t, h.Server, r.Operation().EventID))
		}
	}
	for _, r := range w.Want(t, http.StatusOK, http.MethodGet, h.Path("/database/users"), nil).List {
		if r.Text("name") == n.Database {
			n.Account = r
		}
	}
	n.Site = w.Get(t, "/sites/"+n.Site.ID)
	n.run(t, "sh", "-c", `printf '%s\n' "$1" >"$HOME/secret" && printf '<?php echo "hello from %s";' "$2" >"$3/public/index.php"`, "sh", n.Secret, n.User, n.Base)
	n.answers(t, "hello from "+n.User) // PHP looks at a file that it has compiled every two seconds
	w.Want(t, http.StatusAccepted, http.MethodPut, h.Path("/sites/"+n.Site.ID+"/environment"), map[string]any{"environment": "SECRET=" + n.Secret + "\n"})
	n.sql(t, "CREATE TABLE secrets (word VARCHAR(100))")
	n.sql(t, "INSERT INTO secrets VALUES ('"+n.Secret+"')")
	hosts.Eventually(t, time.Minute, "the environment of "+n.User+" is written", func() error {
		if out, err := h.Host.TryExec("grep", "-F", n.Secret, n.Base+"/.env"); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
}

// try runs a program on the host as the tenant's account, with a clean environment, in the tenant's home.
func (n *Tenant) try(argv ...string) (string, error) {
	return n.host.Host.TryExec(append([]string{
		"runuser", "-u", n.User, "--", "env", "-i", "-C", n.Home, "HOME=" + n.Home, "USER=" + n.User,
		"LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
	}, argv...)...)
}

// run returns try for what must work.
func (n *Tenant) run(t testing.TB, argv ...string) string {
	t.Helper()
	out, err := n.try(argv...)
	if err != nil {
		t.Fatalf("%s as %s: %v\n%s", strings.Join(argv, " "), n.User, err, out)
	}
	return out
}

// trySQL runs SQL as the tenant's database account, over TCP as its application does. The database may be another than its own.
func (n *Tenant) trySQL(database, sql string) (string, error) {
	if n.host.Postgres() {
		return n.try("env", "PGPASSWORD="+n.Password, "PGCONNECT_TIMEOUT=10", "psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1",
			"-h", "127.0.0.1", "-U", n.Database, "-d", database, "-c", sql)
	}
	return n.try("env", "MYSQL_PWD="+n.Password, "mariadb", "--no-defaults", "-h", "127.0.0.1", "-u", n.Database, "-N", "-B", "-e", sql, database)
}

// sql returns trySQL in the tenant's own database, for what must work.
func (n *Tenant) sql(t testing.TB, sql string) string {
	t.Helper()
	out, err := n.trySQL(n.Database, sql)
	if err != nil {
		t.Fatalf("%s as %s: %v\n%s", sql, n.Database, err, out)
	}
	return strings.TrimSpace(out)
}

// php runs code in the tenant's pool: a script that a visitor requests. The code is what follows <?php.
func (n *Tenant) php(t testing.TB, code string) string {
	t.Helper()
	name := "script" + random(t) + ".php"
	out, err := n.host.Host.TryExec("runuser", "-u", n.User, "--", "sh", "-c", `printf '%s' "$1" >"$2"`, "sh", "<?php "+code, n.Base+"/public/"+name)
	if err != nil {
		t.Fatalf("write a script of %s: %v\n%s", n.User, err, out)
	}
	defer func() { _, _ = n.host.Host.TryExec("rm", "-f", n.Base+"/public/"+name) }()
	code2, body := n.visit(t, "/"+name)
	if code2 != http.StatusOK {
		t.Fatalf("a script of %s answers %d: %s", n.User, code2, body)
	}
	return body
}

// visit asks the site for a path, as a visitor.
func (n *Tenant) visit(t testing.TB, path string) (int, string) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, "http://"+n.host.Host.Addr(80)+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = n.Domain
	// nginx gives up after a minute, and says so.
	c := http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

// Postgres reports whether the host's engine is PostgreSQL.
func (h *TenantHost) Postgres() bool { return strings.HasPrefix(h.Engine, "postgres") }

// root runs a program as root of the host.
func (h *TenantHost) root(t testing.TB, argv ...string) string {
	t.Helper()
	return h.Host.Exec(t, argv...)
}

// rootSQL runs SQL as the administrator of the engine.
func (h *TenantHost) rootSQL(t testing.TB, database, sql string) string {
	t.Helper()
	if h.Postgres() {
		return strings.TrimSpace(h.Host.Exec(t, "runuser", "-u", "postgres", "--", "psql", "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", sql))
	}
	return strings.TrimSpace(h.Host.Exec(t, "mariadb", "--no-defaults", "-N", "-B", "-e", sql, database))
}

// unharmed fails the test if a canary was made, or if a tenant's site is no longer served as its own account.
func (w *TenantWorld) unharmed(t testing.TB) {
	t.Helper()
	for _, h := range w.Hosts() {
		name := strings.TrimPrefix(h.RootCanary, "/")
		if out := strings.TrimSpace(h.root(t, "sh", "-c", "find / -xdev -name '"+name+"*' 2>/dev/null; true")); out != "" {
			t.Errorf("%s: root's canary was made: %s", h.Host.Name, out)
		}
		if _, err := os.Lstat(h.RootCanary); err == nil {
			t.Errorf("root's canary %s was made on the panel's machine", h.RootCanary)
		}
		for _, n := range h.Tenants() {
			if code, body := n.visit(t, "/"); code != http.StatusOK || body != "hello from "+n.User {
				t.Errorf("%s: %s answers %d %.200s", h.Host.Name, n.Domain, code, body)
			}
		}
	}
}

// The world itself: each tenant is its own account on the host and in the database, and reads its own places.
func TestTenantWorld(t *testing.T) {
	w := tenantWorld(t)
	for _, h := range w.Hosts() {
		for _, n := range h.Tenants() {
			if got := n.run(t, "sh", "-c", "id -un; cat ~/secret"); got != n.User+"\n"+n.Secret+"\n" {
				t.Errorf("%s as %s: %q", h.Engine, n.User, got)
			}
			if got := n.php(t, `echo posix_getpwuid(posix_geteuid())['name'], ' ', trim(file_get_contents(__DIR__.'/../.env'));`); got != n.User+" SECRET="+n.Secret {
				t.Errorf("%s as PHP of %s: %q", h.Engine, n.User, got)
			}
			if got := n.sql(t, "SELECT word FROM secrets"); got != n.Secret {
				t.Errorf("%s as %s: %q", h.Engine, n.Database, got)
			}
			if out, err := n.try("cat", "/root/secret"); err == nil {
				t.Errorf("%s reads root's secret: %s", n.User, out)
			}
		}
	}
	w.unharmed(t)
}
