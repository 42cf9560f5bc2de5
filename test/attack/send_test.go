package attack_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/test/contract"
	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// The account that panel.New makes.
const (
	owner    = "owner@example.com"
	password = "correct horse battery staple"
)

// attacker asks with a value in one field and everything else as it should be.
type attacker struct {
	*World
	t testing.TB
	// cookie is the owner's session.
	cookie string
	// ids are real ones for the parameters of paths.
	ids map[string]string
	// spare and private are servers whose bootstrap line is never run.
	spare, private panel.Server
	// engine is another one, with a database engine; what reaches real ones is tested in test/e2e.
	engine panel.Server
	// balanced is a site on the balancer whose nodes change, site one on the web server.
	// coded gets a repository; the others stay without one.
	balanced, plain, coded panel.Resource

	options []contract.Option
	mu      sync.Mutex
	n       int
	room    sync.Mutex // held while room is made on a server
}

func newAttacker(t testing.TB, w *World) *attacker {
	t.Helper()
	a := &attacker{World: w, t: t, ids: map[string]string{"organization": panel.Org}}
	a.signIn()
	for _, op := range operations(t) {
		if op.extension {
			x := contract.Operation{
				ID: op.id, Method: op.method, Path: op.path, SuccessCode: op.status, Paginated: strings.HasSuffix(op.id, ".index"),
				ErrorCodes: []int{http.StatusConflict},
			}
			if strings.HasSuffix(op.id, ".export") {
				x.SuccessType = api.LinesType
			}
			a.options = append(a.options, contract.WithExtensions(x))
		}
	}
	a.spare, a.private = a.server(map[string]any{}), a.server(map[string]any{"private_ip_address": "10.99.0.2"})
	made := a.Want(t, http.StatusAccepted, http.MethodPost, "/servers", map[string]any{
		"name": "engine", "provider": "custom", "type": "database",
		"database_type": "mariadb1011",
		"database":      "first", "custom": map[string]any{"ip_address": a.address()},
	})
	a.engine = panel.Server{ID: made.Data.ID, Type: "database"}
	a.plain = w.site(t, w.Web, "", map[string]any{"name": "plain-" + random(t) + ".example.com", "type": "php"})
	a.coded = w.site(t, w.Web, "", map[string]any{"name": "coded-" + random(t) + ".example.com", "type": "static-html"})
	a.balanced = w.site(t, w.Balancer, "/balancer", map[string]any{
		"domain":    "balanced-" + random(t) + ".example.com",
		"balancing": []any{map[string]any{"server_id": number(w.Web.ID)}},
	})
	id := func(method, path string, body any) string {
		t.Helper()
		got, err := w.Do(method, path, body)
		if err != nil || got.Code/100 != 2 {
			t.Fatalf("%s %s: %d %v %s", method, path, got.Code, err, got.Body)
		}
		if len(got.List) > 0 {
			return got.List[0].ID
		}
		return got.Data.ID
	}
	a.ids["team"] = id("POST", "/teams", map[string]any{"name": "attack-" + random(t)})
	a.ids["recipe"] = id("POST", "/recipes", map[string]any{"name": "attack", "user": "root", "script": "true"})
	a.ids["credential"] = id("POST", "/server-credentials", map[string]any{"name": "attack-" + random(t), "provider": "hetzner", "secret": "attack"})
	a.ids["region"] = "fsn1"
	a.ids["vpcId"] = id("GET", "/server-credentials/"+a.ids["credential"]+"/regions/fsn1/vpcs", nil)
	a.ids["dnsProvider"] = id("POST", "/dns-providers", dnsProviderBody())
	a.ids["client"] = id("POST", "/oauth-clients", map[string]any{
		"name": "attack", "redirect_uris": []string{"https://attack.example.com/back"},
		"scopes": []string{"server:view"},
	})
	a.ids["role"] = id("POST", "/roles", map[string]any{"name": "attack-" + random(t), "permissions": []string{"server:view"}})
	a.ids["forgeRecipe"] = first(t, a, "/api/forge-recipes")
	a.ids["provider"] = first(t, a, "/api/providers")
	a.ids["providerRegion"] = first(t, a, "/api/providers/"+a.ids["provider"]+"/regions")
	a.ids["providerSize"] = first(t, a, "/api/providers/"+a.ids["provider"]+"/regions/"+a.ids["providerRegion"]+"/sizes")
	a.ids["predefined role"] = first(t, a, "/api/predefined-roles")
	a.ids["permission"] = first(t, a, "/api/permissions")
	a.ids["token"] = first(t, a, "/api/user/tokens")
	a.ids["session"] = first(t, a, "/api/user/sessions")
	a.ids["invitation"] = id("POST", "/invites", map[string]any{"email": "attack-" + random(t) + "@example.com", "role_id": number(a.ids["predefined role"])})
	a.ids["team invitation"] = id("POST", "/teams/"+a.ids["team"]+"/invites", map[string]any{
		"email":   "attack-" + random(t) + "@example.com",
		"role_id": number(a.ids["predefined role"]),
	})
	a.ids["user"] = id("GET", "/members", nil)
	a.ids["notificationChannel"] = id("POST", "/notification-channels", mailChannel("attack"))
	a.ids["deploymentWebhook"] = id("POST", w.Web.Path("/sites/"+a.plain.ID+"/webhooks"), map[string]any{"url": "https://attack.invalid/hook"})
	for _, name := range []string{
		"command", "deployment", "backupConfiguration", "backup", "storageConfiguration", "certificate", "nginxTemplate",
		"redirectRule", "delivery", "sourceControlProvider", "version", "log",
	} {
		a.ids[name] = "1" // there is none
	}
	a.ids["securityRule"] = id("POST", w.Web.Path("/sites/"+a.plain.ID+"/security-rules"),
		map[string]any{"name": "attack", "path": "/closed", "credentials": []any{map[string]any{"username": "anna", "password": "geheim-geheim"}}})
	for _, name := range []string{"backgroundProcess", "sftpUser", "heartbeat", "job", "monitor", "phpVersion", "repository", "registry"} {
		a.ids[name] = "999999999" // there will be none
	}
	a.ids["key"] = "nginx-error"
	a.ids["domainRecord"] = id("GET", w.Web.Path("/sites/"+a.plain.ID+"/domains"), nil)
	a.ids["rule"] = id("GET", w.Web.Path("/firewall-rules"), nil)
	a.ids["changed rule"] = id("POST", w.Web.Path("/firewall-rules"), map[string]any{"name": "changed", "port": "8081", "type": "allow"})
	a.ids["changed redirect"] = id("POST", w.Web.Path("/sites/"+a.plain.ID+"/redirect-rules"),
		map[string]any{"from": "^/changed$", "to": "/to", "type": "redirect"})
	a.ids["database"] = id("GET", a.engine.Path("/database/schemas"), nil)
	a.ids["databaseUser"] = id("GET", a.engine.Path("/database/users"), nil)
	a.ids["event"] = w.Witness.Operation().EventID
	return a
}

func dnsProviderBody() map[string]any {
	return map[string]any{"name": "attack", "provider": "rfc2136", "nameserver": "192.0.2.53", "key": "attack", "secret": "YXR0YWNrYXR0YWNrYXR0YWNr"}
}

var addresses atomic.Int64

// address is one that no other server has.
func (a *attacker) address() string {
	n := addresses.Add(1)
	return fmt.Sprintf("198.18.%d.%d", n/250, n%250+1)
}

// server makes one whose bootstrap line is never run.
func (a *attacker) server(custom map[string]any) panel.Server {
	a.t.Helper()
	body := map[string]any{"name": "spare", "provider": "custom", "type": "web", "custom": map[string]any{"ip_address": a.address()}}
	maps.Copy(body["custom"].(map[string]any), custom)
	return panel.Server{ID: a.Want(a.t, http.StatusAccepted, http.MethodPost, "/servers", body).Data.ID, Type: "web"}
}

func (a *attacker) signIn() {
	a.t.Helper()
	if _, err := a.DB(a.t).Exec("DELETE FROM throttles"); err != nil { // wrong passwords of an attack before lock this address out
		a.t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, a.URL+"/api/auth/login", strings.NewReader(`{"email":"`+owner+`","password":"`+password+`"}`))
	if err != nil {
		a.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Hostler-Csrf", "1")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	for _, c := range resp.Cookies() {
		a.cookie = c.Name + "=" + c.Value
	}
	if a.cookie == "" {
		a.t.Fatalf("signing in answered %s without a cookie", resp.Status)
	}
}

// first returns the id of the first resource of a list for the signed-in owner.
func first(t testing.TB, a *attacker, path string) string {
	t.Helper()
	got := a.raw("GET", path, [][2]string{{"Cookie", a.cookie}, {"X-Hostler-Csrf", "1"}}, nil)
	var doc struct{ Data []struct{ ID string } }
	if err := json.Unmarshal(got.body, &doc); err != nil || len(doc.Data) == 0 {
		t.Fatalf("%s: %d %v %s", path, got.code, err, got.body)
	}
	return doc.Data[0].ID
}

// reply is an answer, whatever it is.
type reply struct {
	code   int
	header http.Header
	body   []byte
	err    error
}

// raw sends a request as it is, without the care that clients take.
func (a *attacker) raw(method, target string, headers [][2]string, body []byte) reply {
	u, err := url.Parse(a.URL)
	if err != nil {
		return reply{err: err}
	}
	c, err := net.DialTimeout("tcp", u.Host, 10*time.Second)
	if err != nil {
		return reply{err: err}
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return reply{err: err}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n", method, target, u.Host)
	for _, h := range headers {
		b.WriteString(h[0] + ": " + h[1] + "\r\n")
	}
	if body != nil {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n")
	b.Write(body)
	go func() { _, _ = c.Write(b.Bytes()) }() // the answer may come before all is sent; closing ends this
	resp, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: method})
	if err != nil {
		return reply{err: err}
	}
	defer resp.Body.Close()
	if streams(resp.Header) { // it has no end
		return reply{resp.StatusCode, resp.Header, nil, nil}
	}
	text, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, text, err}
}

func streams(h http.Header) bool {
	return strings.HasPrefix(h.Get("Content-Type"), "text/event-stream")
}

// mailChannel creates a notification channel without messages.
func mailChannel(name string) map[string]any {
	return map[string]any{"name": name, "type": "mail", "address": "attack@example.com", "events": []any{"drift.found"}, "enabled": false}
}

// unique returns another name each time.
func (a *attacker) unique() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n++
	return "n" + itoa(a.n)
}

// param returns a real value for a parameter of an operation's path. Things to be deleted are created for it.
func (a *attacker) param(f field, name string) string {
	doomed := f.op.method == http.MethodDelete && f.in != "path"
	onEngine := strings.Contains(f.op.id, "servers.database.") || strings.Contains(f.op.id, "services.mysql") || strings.Contains(f.op.id, "services.postgres")
	switch {
	case name == "server" && onEngine:
		return a.engine.ID
	case name == "server" && strings.Contains(f.op.id, "servers.services."):
		return a.spare.ID
	case name == "database" && doomed:
		return a.Want(a.t, http.StatusAccepted, "POST", a.engine.Path("/database/schemas"), map[string]any{"name": a.unique()}).Data.ID
	case name == "databaseUser" && doomed:
		return a.Want(a.t, http.StatusAccepted, "POST", a.engine.Path("/database/users"), map[string]any{"name": a.unique(), "password": "attack"}).Data.ID
	case name == "server" && (strings.Contains(f.op.id, "load-balancing") || strings.HasSuffix(f.op.id, "storeOnBalancer")):
		return a.Balancer.ID
	case name == "server" && (f.at == ".ip_address" && f.op.id == "organizations.servers.update" || f.op.id == "organizations.servers.key.update"):
		return a.spare.ID
	case name == "server" && f.at == ".private_ip_address":
		return a.private.ID
	case name == "server" && strings.Contains(f.op.id, "servers.archives."):
		id := a.server(map[string]any{}).ID
		a.Want(a.t, http.StatusAccepted, "POST", "/servers/archives", map[string]any{"server_id": number(id)})
		a.Until(a.t, time.Minute, "/servers/"+id, "archived", func(x panel.Answer) bool { return x.Data.Attributes["revoked"] == true })
		return id
	case name == "server" && f.op.id == "organizations.servers.destroy" && doomed:
		return a.server(map[string]any{}).ID
	case name == "server" && doomed:
		return a.spare.ID
	case name == "server":
		return a.Web.ID
	case name == "rule" && doomed:
		return a.Want(a.t, http.StatusAccepted, "POST", a.spare.Path("/firewall-rules"), map[string]any{"name": "doomed", "type": "allow", "port": "8081"}).Data.ID
	case name == "rule" && f.op.id == "organizations.servers.firewall-rules.update" && f.in != "path":
		return a.ids["changed rule"]
	case name == "redirectRule" && f.op.id == "organizations.servers.sites.redirect-rules.update" && f.in != "path":
		return a.ids["changed redirect"]
	case name == "site" && doomed:
		return a.Want(a.t, http.StatusAccepted, "POST", a.spare.Path("/sites"), map[string]any{"name": a.unique() + ".example.com", "type": "static-html"}).Data.ID
	case name == "site" && strings.Contains(f.op.id, "load-balancing"):
		return a.balanced.ID
	case name == "site" && f.op.id == "organizations.servers.sites.git.update":
		return a.coded.ID
	case name == "site":
		return a.plain.ID
	case name == "role" && strings.HasPrefix(f.op.path, "/predefined-roles"):
		return a.ids["predefined role"]
	case name == "invitation" && strings.Contains(f.op.path, "/teams/"):
		return a.ids["team invitation"]
	}
	if a.ids[name] == "" {
		a.t.Errorf("no value for {%s} of %s", name, f.op.path)
	}
	return a.ids[name]
}

func sharedPaths() []any { return []any{map[string]any{"from": "a", "to": "b"}} }

// body returns one that an operation accepts; nil where it takes none.
func (a *attacker) body(f field) map[string]any {
	nodes := []any{map[string]any{"server_id": number(a.Web.ID), "weight": 1}}
	role := number(a.ids["predefined role"])
	email := a.unique() + "@example.com"
	switch f.op.id {
	case "auth.email.verify", "recipients.confirm":
		return map[string]any{"token": "none"}
	case "auth.login":
		return map[string]any{"email": email, "password": "wrong password"}
	case "auth.password.forgot":
		return map[string]any{"email": email}
	case "auth.password.reset":
		return map[string]any{"token": "none", "password": "wrong password"}
	case "auth.setup":
		return map[string]any{"code": "none", "email": email, "password": "wrong password"}
	case "auth.sign-up":
		return map[string]any{"name": "attack", "email": email, "password": "wrong password"}
	case "organizations.invites.store", "organizations.teams.invites.store":
		return map[string]any{"email": email, "role_id": role}
	case "organizations.oauth-clients.store":
		return map[string]any{"name": "attack", "redirect_uris": []any{"https://attack.example.com/back"}, "scopes": []any{"server:view"}}
	case "organizations.roles.store", "organizations.roles.update":
		return map[string]any{"name": a.unique(), "permissions": []any{"server:view"}}
	case "organization.recipes.store":
		return map[string]any{"name": a.unique(), "user": "root", "script": "true"}
	case "organizations.recipes.runs.store", "forge-recipes.runs.store":
		return map[string]any{"servers": []any{number(a.Web.ID)}}
	case "organizations.servers.services.php.actions.store":
		return map[string]any{"action": "reload", "version": "php84"}
	case "organizations.servers.services.nginx.actions.store", "organizations.servers.services.redis.actions.store",
		"organizations.servers.services.supervisor.actions.store":
		return map[string]any{"action": "reboot"}
	case "organizations.servers.actions.store":
		return map[string]any{"action": "power-cycle"} // never the other one
	case "organizations.teams.recipes.store":
		return map[string]any{"recipe_id": number(a.ids["recipe"])}
	case "organizations.server-credentials.store":
		return map[string]any{"name": "attack", "provider": "hetzner", "secret": "attack"}
	case "organizations.server-credentials.update":
		if f.at == ".key" {
			return map[string]any{"secret": "attack"} // which goes only with the key that it was typed for
		}
		return map[string]any{}
	case "organizations.server-credentials.vpcs.store":
		return map[string]any{"name": a.unique()}
	case "organizations.dns-providers.update":
		return map[string]any{"key": "attack", "secret": "YXR0YWNrYXR0YWNrYXR0YWNr"}
	case "organizations.dns-providers.store":
		return dnsProviderBody()
	case "organizations.source-control-providers.store":
		return map[string]any{"name": "attack", "provider": "gitlab-custom", "url": "https://127.0.0.1:1", "token": "attack"}
	case "organizations.notification-channels.store":
		return mailChannel(a.unique())
	case "organizations.servers.sites.webhooks.store", "organizations.servers.sites.webhooks.update":
		return map[string]any{"url": "https://" + a.unique() + ".invalid/hook"}
	case "organizations.servers.database.schemas.store":
		return map[string]any{"name": a.unique(), "user": a.unique()}
	case "organizations.servers.database.users.store":
		return map[string]any{"name": a.unique(), "password": "attack"}
	case "organizations.servers.php.versions.store":
		return map[string]any{"version": "php82"} // the server has it
	case "organizations.servers.php.cli-version.update", "organizations.servers.php.site-version.update":
		return map[string]any{"php_version": "5.6"} // the server does not have it
	case "organizations.servers.php.versions.configs.fpm.update", "organizations.servers.php.versions.configs.cli.update":
		return map[string]any{"config": ""}
	case "organizations.servers.php.versions.configs.pool.update":
		return map[string]any{"config": "", "user": "forge"}
	case "organizations.servers.monitors.store":
		if f.at == ".url" {
			return map[string]any{"type": "url", "operator": "gte", "threshold": 1, "notify": "attack@example.com"}
		}
		return map[string]any{"type": "disk", "operator": "gte", "threshold": 99, "notify": "attack@example.com"}
	case "organizations.servers.ssh-keys.store":
		return map[string]any{"name": a.unique(), "key": publicKey(), "options": "restrict"}
	case "organizations.servers.firewall-rules.store":
		return map[string]any{"name": a.unique(), "port": "8081", "type": "allow"}
	case "organizations.servers.sites.store":
		body := map[string]any{"name": a.unique() + ".example.com", "type": "static-html"}
		if f.at == ".isolated_user" {
			body["is_isolated"] = true
		}
		if f.at == ".php_version" {
			body["type"] = "php"
		}
		if strings.HasPrefix(f.at, ".shared_paths") {
			body["shared_paths"] = sharedPaths()
		}
		return body
	case "organizations.servers.sites.update":
		if strings.HasPrefix(f.at, ".shared_paths") {
			return map[string]any{"shared_paths": sharedPaths()}
		}
		return map[string]any{}
	case "organizations.servers.sites.git.update":
		return map[string]any{"source_control_provider": "custom", "repository": "git@git.example.com:a/b.git", "branch": "main"}
	case "organizations.servers.sites.environment.update":
		return map[string]any{"environment": "A=1\n"}
	case "organizations.servers.sites.files.content.update":
		if f.at == ".content" {
			return map[string]any{"path": "/content-" + a.unique() + ".txt"}
		}
		return map[string]any{"path": "/" + a.unique() + ".txt", "content": "text"}
	case "organizations.servers.sites.files.moves.store":
		return map[string]any{"path": "/" + a.unique(), "new_path": "/" + a.unique()}
	case "organizations.servers.nginx.templates.store", "organizations.servers.nginx.templates.update":
		return map[string]any{"name": a.unique(), "content": "server { listen 80; server_name {{DOMAINS}}; }"}
	case "organizations.servers.sites.domains.store":
		return map[string]any{"name": a.unique() + ".example.org", "www_redirect_type": "none", "allow_wildcard_subdomains": false}
	case "organizations.servers.sites.domains.update":
		return map[string]any{"www_redirect_type": "none", "allow_wildcard_subdomains": nil}
	case "organizations.servers.sites.domains.certificates.store":
		return map[string]any{"type": "existing", "existing": map[string]any{"certificate": "none", "key": "none"}}
	case "organizations.servers.sites.domains.dns.store":
		return map[string]any{"dns_provider_id": number(a.ids["dnsProvider"]), "plan": strings.Repeat("a", 64)}
	case "organizations.servers.sites.redirect-rules.store":
		return map[string]any{"from": "^/" + a.unique() + "$", "to": "/to", "type": "redirect"}
	case "organizations.servers.sites.security-rules.store", "organizations.servers.sites.security-rules.update":
		return map[string]any{"name": "attack", "path": "/" + a.unique(), "credentials": []any{map[string]any{"username": "anna", "password": "geheim-geheim"}}}
	case "organizations.servers.sites.sftp-users.store":
		return map[string]any{"name": a.unique(), "keys": []any{publicKey()}}
	case "organizations.servers.sites.sftp-users.update":
		return map[string]any{"keys": []any{publicKey()}}
	case "organizations.servers.sites.commands.store": // the example's would fail here, and work that fails is a finding
		return map[string]any{"command": "true"}
	case "organizations.servers.background-processes.store":
		return map[string]any{"name": a.unique(), "command": "sleep infinity", "user": "forge", "processes": 1}
	case "organizations.servers.background-processes.update":
		return map[string]any{"name": a.unique()}
	case "organizations.servers.background-processes.actions.store":
		return map[string]any{"action": "restart"}
	case "organizations.servers.scheduled-jobs.store", "organizations.servers.sites.scheduled-jobs.store":
		return map[string]any{"command": "true", "user": "forge", "frequency": "custom", "cron": "0 0 1 1 *"}
	case "organizations.servers.sites.composer.credentials.store", "organizations.servers.sites.composer.credentials.update":
		return map[string]any{"repository": a.unique() + ".example.com", "username": "anna", "password": "geheim"}
	case "organizations.servers.sites.npm.credentials.store", "organizations.servers.sites.npm.credentials.update":
		return map[string]any{"registry": a.unique() + ".example.com", "token": "geheim"}
	case "organizations.servers.sites.heartbeats.store", "organizations.servers.sites.heartbeats.update":
		return map[string]any{"name": "attack", "frequency": -1, "custom_frequency": "0 0 1 1 *", "grace_period": 60}
	case "organizations.servers.sites.integrations.octane.store":
		return map[string]any{"port": "8000", "server": "swoole"}
	case "organizations.servers.sites.integrations.reverb.store":
		return map[string]any{"host": "none.example.com", "port": "8080", "connections": 1}
	case "organizations.servers.sites.integrations.laravel-maintenance.store":
		return map[string]any{"status": 503}
	case "organizations.servers.sites.storeOnBalancer":
		return map[string]any{"domain": a.unique() + ".example.com", "balancing": nodes}
	case "organizations.servers.sites.load-balancing-nodes.update":
		return map[string]any{"balancer_method": "round_robin", "balancing": nodes}
	case "organizations.servers.archives.store":
		return map[string]any{"server_id": number(a.server(map[string]any{}).ID)}
	case "organizations.servers.store":
		return map[string]any{"name": "spare", "provider": "custom", "type": "web", "custom": map[string]any{"ip_address": a.address()}}
	case "organizations.teams.store", "organizations.teams.update":
		return map[string]any{"name": a.unique()}
	case "organizations.teams.servers.store":
		return map[string]any{"server_id": number(a.spare.ID)}
	case "organizations.teams.server-credentials.store":
		return map[string]any{"credential_id": number(a.ids["credential"])}
	case "organizations.members.update", "organizations.teams.members.update":
		return map[string]any{"role_id": role}
	case "organizations.store":
		return map[string]any{"name": "attack", "slug": a.unique()}
	case "auth.invitation", "user.invitations.store":
		return map[string]any{"invitation": "none"}
	case "user.password.update":
		return map[string]any{"current_password": "wrong password", "password": "another wrong password"}
	case "user.recovery-codes.store", "user.two-factor.store", "user.two-factor.destroy":
		return map[string]any{"password": "wrong password"}
	case "user.two-factor.confirm":
		return map[string]any{"code": "000000"}
	case "user.tokens.store":
		return map[string]any{"name": "attack", "scopes": []any{"server:view"}, "organizations": []any{panel.Org}, "password": password}
	}
	if slices.ContainsFunc(f.op.fields, func(f field) bool { return f.in == "body" }) {
		if body := contract.Example(a.t, f.op.id, a.ids); body != nil {
			return body
		}
		return map[string]any{}
	}
	return nil
}

// put sets a field of a body: .a.b, .a[].
func put(body map[string]any, at, value string) {
	name, rest := strings.TrimPrefix(at, "."), ""
	if i := strings.IndexAny(name, ".["); i >= 0 {
		name, rest = name[:i], name[i:]
	}
	below, list := strings.CutPrefix(rest, "[]")
	inner, _ := body[name].(map[string]any)
	switch {
	case rest == "":
		body[name] = value
	case list && below == "":
		body[name] = []any{value}
	case list:
		items, _ := body[name].([]any)
		if len(items) == 0 {
			items = []any{map[string]any{}}
		}
		put(items[0].(map[string]any), below, value)
		body[name] = items
	default:
		if inner == nil {
			inner = map[string]any{}
		}
		put(inner, below, value)
		body[name] = inner
	}
}

// encode is JSON whose strings keep their bytes, also those that are no UTF-8.
func encode(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b.WriteByte(',')
			}
			encode(b, name)
			b.WriteByte(':')
			encode(b, v[name])
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, x := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			encode(b, x)
		}
		b.WriteByte(']')
	case string:
		b.WriteByte('"')
		for i := range len(v) {
			switch c := v[i]; {
			case c == '"' || c == '\\':
				b.WriteString(`\` + string(c))
			case c < ' ':
				fmt.Fprintf(b, `\u%04x`, c)
			default:
				b.WriteByte(c)
			}
		}
		b.WriteByte('"')
	default:
		raw, _ := json.Marshal(v) // a number or a boolean
		b.Write(raw)
	}
}

// send asks with this value in a field.
func (a *attacker) send(f field, value string) reply {
	target := f.op.path
	for target != "" {
		before, rest, ok := strings.Cut(target, "{")
		if !ok {
			break
		}
		name, after, _ := strings.Cut(rest, "}")
		text := value
		if f.in != "path" || f.at != name {
			text = a.param(f, name)
		}
		target = before + escapePath(text) + after
	}
	target = "/api" + target
	if f.in == "query" {
		target += "?" + url.Values{f.at: {value}}.Encode()
	}
	headers := map[string]string{"Accept": "application/json"}
	switch {
	case f.op.personal:
		headers["Cookie"], headers["X-Hostler-Csrf"] = a.cookie, "1"
	case f.op.public:
		headers["X-Hostler-Csrf"] = "1"
	default:
		headers["Authorization"] = "Bearer " + a.Token
	}
	var raw []byte
	if body := a.body(f); body != nil {
		headers["Content-Type"] = "application/json"
		if f.in == "body" {
			put(body, f.at, value)
		}
		var b bytes.Buffer
		encode(&b, body)
		raw = b.Bytes()
	} else if f.op.method != http.MethodGet {
		raw = []byte{}
	}
	if f.in == "header" {
		headers[f.at] = value
	}
	var all [][2]string
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		all = append(all, [2]string{name, headers[name]})
	}
	return a.raw(f.op.method, target, all, raw)
}

// escapePath returns url.PathEscape, and leaves no dots that would be taken for a way up.
func escapePath(s string) string { return strings.ReplaceAll(url.PathEscape(s), ".", "%2E") }

// wrong returns what is wrong with an answer to any request.
func (a *attacker) wrong(f field, r reply) string {
	switch {
	case r.err != nil:
		return "no answer: " + r.err.Error()
	case r.code >= 500:
		return fmt.Sprintf("answered %d %s", r.code, r.body)
	case r.header.Get("X-Request-Id") == "": // the HTTP library refused it before the program saw it
		if r.code < 300 || r.code == http.StatusNotModified {
			return fmt.Sprintf("answered %d without a request id", r.code)
		}
		return ""
	case r.code == http.StatusNotModified, streams(r.header), f.in == "path" && strings.HasSuffix(f.op.id, ".stream"):
		return ""
	}
	for name, values := range r.header {
		for _, v := range values {
			if strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				return fmt.Sprintf("the header %s has a control character: %q", name, v)
			}
		}
	}
	if r.code == http.StatusOK && strings.HasSuffix(f.op.path, "/files/download") { // the content of a file
		return ""
	}
	if bytes.ContainsFunc(r.body, func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' }) {
		return fmt.Sprintf("the body has control characters that are not escaped: %.300q", r.body)
	}
	if found := contract.CheckResponse(f.op.id, r.code, r.header, r.body, a.options...); len(found) > 0 {
		return fmt.Sprintf("answered %d %.300s: %s", r.code, r.body, strings.Join(found, "; "))
	}
	return ""
}

// publicKey makes a new public key; without one the request is refused, which the test says.
func publicKey() string {
	_, public, _, err := host.NewKey("me@laptop")
	if err != nil {
		return err.Error()
	}
	return public
}
