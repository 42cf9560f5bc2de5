package attack_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
	"github.com/hostlerhq/hostler/test/s3"
)

// powers are the permissions that reach a host alone, what a member with one wants besides, and what that member does there. A case without try is
// refused everything else and does nothing itself.
var powers = []struct {
	permission access.Permission
	wants      string
	try        func(c *colleague, t *testing.T)
}{
	{access.RecipeView, "to run a recipe as root", (*colleague).readsRecipe},
	{access.ServerView, "variables, deploy hooks and what root printed", (*colleague).readsServer},
	{access.OrganizationManage, "root without a role that has it", nil},
	{access.ServerCreate, "a server that is there already", (*colleague).connectsAgain},
	{access.ServerDelete, "root on the way out", (*colleague).deletesServer},
	{access.ServerArchive, "its own machine in the place of one that was archived", (*colleague).archivesServers},
	{access.ServerTransfer, "a server in an organization of its own", (*colleague).transfersServers},
	{access.ServerManageServices, "root's work tried again, and root's files by SQL", (*colleague).managesServices},
	{access.ServerCreateDatabases, "root's files by SQL", (*colleague).createsDatabases},
	{access.ServerDeleteDatabases, "the engine's own accounts", (*colleague).deletesDatabases},
	{access.ServerCreateBackups, "root's files in a backup", (*colleague).createsBackups},
	{access.ServerDeleteBackups, "a database gone", (*colleague).deletesBackups},
	{access.ServerManageNetwork, "commands of nftables", (*colleague).managesNetwork},
	{access.ServerManagePHP, "root's file read, and root's program run, by PHP", (*colleague).managesPHP},
	{access.ServerManageLogs, "files that are no logs", (*colleague).managesLogs},
	{access.ServerManagePackages, "files of root's written", (*colleague).managesPackages},
	{access.ServerManageNginxTemplates, "files of root's written by nginx", (*colleague).managesTemplates},
	{access.ServerCreateKeys, "root, and has it", (*colleague).createsKeys},
	{access.ServerDeleteKeys, "a key of its own", (*colleague).deletesKeys},
	{access.ServerCreateDaemons, "root, and has it", (*colleague).createsDaemons},
	{access.ServerDeleteDaemons, "a process of its own", (*colleague).deletesDaemons},
	{access.ServerCreateMonitors, "lines of its own in root's list, and mail elsewhere", (*colleague).createsMonitors},
	{access.ServerDeleteMonitors, "a monitor of its own", (*colleague).deletesMonitors},
	{access.ServerCreateSchedulers, "root, and has it", (*colleague).createsSchedulers},
	{access.ServerDeleteSchedulers, "a job of its own", (*colleague).deletesSchedulers},
	{access.RecipeManage, "root, and has it when the recipe is run", (*colleague).managesRecipes},
	{access.SiteManageCommands, "root and the neighbour from a command", (*colleague).managesCommands},
	{access.SiteManageDeploys, "root and the neighbour from a deployment", (*colleague).managesDeploys},
	{access.SiteManageProject, "a program run by git", (*colleague).managesProject},
	{access.SiteManageNginx, "root's files and the neighbour's by nginx", (*colleague).managesNginx},
	{access.SiteManageEnvironment, "root's files through the file of variables", (*colleague).managesEnvironment},
	{access.SiteManageRedirects, "a directive of nginx", (*colleague).managesRedirects},
	{access.SiteManageSecurity, "a directive of nginx", (*colleague).managesSecurity},
	{access.SiteManageSSL, "a key of root's", (*colleague).managesSSL},
	{access.SiteMeta, "the neighbour's name", (*colleague).managesDomains},
	{access.SiteCreate, "the account of root or the neighbour", (*colleague).createsSites},
	{access.SiteDelete, "a site of its own", (*colleague).deletesSites},
}

// looks returns what a program of a member's prints and tries: who it is, root's and the neighbour's files, the canary.
func (c *colleague) looks() string {
	return "id -un; cat /root/secret /home/bob/secret " + c.h.Bob.Base + "/.env; touch " + c.h.RootCanary + "-program " + c.h.Bob.Home +
		"/canary; sudo -n true && echo sudo; true"
}

// wantAccount fails the test unless a program with looks was this account, and got none of the others' data.
func (c *colleague) wantAccount(t testing.TB, account, printed string) {
	t.Helper()
	if !strings.Contains(printed, account+"\n") || strings.Contains(printed, "root\n") {
		t.Errorf("the program ran as %q", printed)
	}
	if strings.Contains(printed, c.h.RootSecret) || strings.Contains(printed, c.h.Bob.Secret) || strings.Contains(printed, "sudo\n") {
		t.Errorf("the program reads %s", printed)
	}
	if out, err := c.h.Host.TryExec("test", "-e", c.h.Bob.Home+"/canary"); err == nil {
		t.Errorf("the program wrote into the neighbour's home %s", out)
	}
}

func (c *colleague) site(rest string) string { return c.h.Path("/sites/" + c.h.Alice.Site.ID + rest) }

func (c *colleague) readsRecipe(t *testing.T) {
	if a := c.member.Want(t, http.StatusOK, http.MethodGet, "/recipes/"+c.recipe, nil); !strings.Contains(a.Body, c.word) {
		t.Errorf("it does not read the recipe: %s", a.Body)
	}
}

func (c *colleague) readsServer(t *testing.T) {
	c.member.Want(t, http.StatusOK, http.MethodGet, c.site("/deployments/script"), nil)
	if body := c.member.Want(t, http.StatusOK, http.MethodGet, c.h.Path("/events/"+c.event), nil).Body; strings.Contains(body, c.word) {
		t.Errorf("it reads what root printed: %s", body)
	}
}

// connectsAgain names the address of a host that is managed: it does not change, because root there has to run the setup command.
func (c *colleague) connectsAgain(t *testing.T) {
	keys := func() string {
		return c.h.root(t, "sh", "-c", "cat /root/.ssh/authorized_keys; ls -lR /etc/hostler /var/lib/hostler/keys 2>/dev/null; true")
	}
	before := keys()
	a, err := c.member.Do(http.MethodPost, "/servers", map[string]any{
		"name": "mine", "provider": "custom", "type": "app",
		"custom": map[string]any{"ip_address": c.h.Host.IP, "ssh_port": c.h.Host.Port},
	})
	if err != nil || a.Code != http.StatusAccepted && a.Code != http.StatusConflict {
		t.Fatalf("%v %d %s", err, a.Code, a.Body)
	}
	if a.Code == http.StatusAccepted {
		if a.Data.Meta.Bootstrap == nil {
			t.Errorf("no line for root to run: %s", a.Body)
		}
		c.w.Want(t, http.StatusAccepted, http.MethodDelete, "/servers/"+a.Data.ID, nil)
		c.w.Gone(t, time.Minute, "/servers/"+a.Data.ID)
	}
	if after := keys(); after != before {
		t.Errorf("the host was changed:\n%s\nbefore:\n%s", after, before)
	}
}

// archivesServers ends the access to a server, and takes it back. Without server:create it gets no line, and with one it would have to show the host keys.
func (c *colleague) archivesServers(t *testing.T) {
	id := c.w.Want(t, http.StatusAccepted, http.MethodPost, "/servers", map[string]any{
		"name": "attic", "provider": "custom", "type": "web",
		"custom": map[string]any{"ip_address": "192.0.2.11"},
	}).Data.ID
	c.member.Want(t, http.StatusAccepted, http.MethodPost, "/servers/archives", map[string]any{"server_id": integer(t, id)})
	c.w.Until(t, time.Minute, "/servers/"+id, "archived", func(a panel.Answer) bool { return a.Data.Attributes["revoked"] == true })
	for _, wrong := range []any{"1; reboot", id + ",1", 999999} {
		c.denied(t, http.MethodPost, "/servers/archives", map[string]any{"server_id": wrong})
	}
	c.member.Want(t, http.StatusAccepted, http.MethodDelete, "/servers/archives/"+id, nil)
	if a, err := c.member.Do(http.MethodPost, "/servers/"+id+"/line", nil); err != nil || a.Code != http.StatusForbidden || strings.Contains(a.Body,
		"HOSTLER_SECRET") {
		t.Errorf("the line of a server that it may not create: %v %d %s", err, a.Code, a.Body)
	}
	c.w.Want(t, http.StatusAccepted, http.MethodDelete, "/servers/"+id, nil)
	c.w.Gone(t, time.Minute, "/servers/"+id)
}

// transfersServers gives no server away: that takes server:delete too, and an organization that the caller is in.
func (c *colleague) transfersServers(t *testing.T) {
	for _, to := range []string{c.w.BesideOrg, panel.Org, "nowhere", "../" + c.w.BesideOrg, c.w.BesideOrg + "/servers"} {
		c.denied(t, http.MethodPost, c.h.Path("/transfer"), map[string]any{"to": to, "force": true})
		c.denied(t, http.MethodGet, c.h.Path("/transfer?to="+url.QueryEscape(to)), nil)
		if a, err := c.w.Do(http.MethodPost, c.h.Path("/transfer"), map[string]any{"to": to, "force": true}); err != nil || a.Code != http.StatusUnprocessableEntity {
			t.Errorf("the owner gives the server to %s: %v %d %s", to, err, a.Code, a.Body)
		}
	}
}

func (c *colleague) deletesServer(t *testing.T) {
	id := c.w.Want(t, http.StatusAccepted, http.MethodPost, "/servers", map[string]any{
		"name": "leaving", "provider": "custom", "type": "web",
		"custom": map[string]any{"ip_address": "192.0.2.10"},
	}).Data.ID
	c.member.Want(t, http.StatusAccepted, http.MethodDelete, "/servers/"+id, nil)
	c.w.Gone(t, time.Minute, "/servers/"+id)
}

// signsIn uses every database as an account of the engine, and gets no further.
func (c *colleague) signsIn(t *testing.T, h *TenantHost, account, password string) {
	t.Helper()
	n := &Tenant{host: h, User: "nobody", Home: "/", Database: account, Password: password}
	if out, err := n.trySQL(h.Bob.Database, "SELECT word FROM secrets"); err != nil || strings.TrimSpace(out) != h.Bob.Secret {
		t.Errorf("%s: %s in the neighbour's database, which the permission is said to reach: %v %s", h.Engine, account, err, out)
	}
	for _, sql := range map[bool][]string{
		true: {
			"COPY (SELECT 1) TO PROGRAM 'touch " + h.RootCanary + "-sql'", "COPY (SELECT 1) TO '/tmp/canary-sql'", "SELECT pg_read_file('/etc/passwd')",
			"SELECT lo_import('/etc/passwd')",
			"SET ROLE postgres", "ALTER ROLE " + account + " SUPERUSER", "GRANT pg_execute_server_program TO " +
				account, "CREATE EXTENSION plpython3u", "ALTER SYSTEM SET archive_command = 'touch /tmp/canary-sql'",
		},
		false: {
			"SELECT 1 INTO OUTFILE '/tmp/canary-sql'", "SET GLOBAL general_log_file = '/tmp/canary-sql'", "INSTALL SONAME 'ha_connect'",
			"CREATE FUNCTION sys_exec RETURNS INTEGER SONAME 'x.so'",
			"GRANT FILE ON *.* TO '" + account + "'@'127.0.0.1'", "SELECT * FROM mysql.global_priv", "LOAD DATA INFILE '/etc/passwd' INTO TABLE secrets",
		},
	}[h.Postgres()] {
		if out, err := n.trySQL(h.Bob.Database, sql); err == nil {
			t.Errorf("%s: %s may %s: %s", h.Engine, account, sql, out)
		}
	}
	if !h.Postgres() {
		if out, err := n.trySQL(h.Bob.Database, "SELECT LOAD_FILE('/etc/passwd')"); err == nil && strings.TrimSpace(out) != "NULL" {
			t.Errorf("%s reads a file of the host: %s", account, out)
		}
	}
	if out := h.root(t, "sh", "-c", "find / -xdev -name 'canary-sql*' 2>/dev/null; ls "+h.RootCanary+"-sql 2>/dev/null; true"); out != "" {
		t.Errorf("%s wrote %s", account, out)
	}
}

func (c *colleague) managesServices(t *testing.T) {
	word := "pw" + random(t)
	c.does(t, http.MethodPut, c.h.Path("/database/password"), map[string]any{"password": word})
	c.signsIn(t, c.h, "forge", word)
	c.denied(t, http.MethodPost, c.h.Path("/services/mysql/actions"), map[string]any{"action": "reboot; touch " + c.h.RootCanary})
	c.does(t, http.MethodPost, c.h.Path("/services/mysql/actions"), map[string]any{"action": "reboot"})
}

func (c *colleague) createsDatabases(t *testing.T) {
	for _, h := range c.w.Hosts() {
		word := "pw" + random(t)
		made := c.does(t, http.MethodPost, h.Path("/database/users"), map[string]any{
			"name": "reach", "password": word,
			"database_ids": []int{integer(t, h.Bob.Schema.ID)},
		})
		c.signsIn(t, h, "reach", word)
		for _, name := range append([]string{"x'; DROP", "x`", "forge"}, map[bool][]string{true: {"postgres", "pg_monitor", "hostler_rw_1"},
			false: {"root", "mysql", "mariadb.sys"}}[h.Postgres()]...) {
			c.denied(t, http.MethodPost, h.Path("/database/users"), map[string]any{"name": name, "password": word, "database_ids": []int{}})
		}
		c.owner(t, http.MethodDelete, h.Path("/database/users/"+made.Data.ID), nil)
	}
}

func (c *colleague) deletesDatabases(t *testing.T) {
	for _, h := range c.w.Hosts() {
		count := func() string {
			if h.Postgres() {
				return h.rootSQL(t, "postgres", "SELECT count(*) FROM pg_roles WHERE rolname <> 'gone'")
			}
			return h.rootSQL(t, "mysql", "SELECT count(*) FROM mysql.global_priv WHERE User <> 'gone'")
		}
		before := count()
		made := c.owner(t, http.MethodPost, h.Path("/database/users"), map[string]any{"name": "gone", "password": "pw" + random(t), "database_ids": []int{}})
		c.does(t, http.MethodDelete, h.Path("/database/users/"+made.Data.ID), nil)
		if after := count(); after != before {
			t.Errorf("%s: of %s accounts %s are left", h.Engine, before, after)
		}
	}
}

// vaulted creates a storage, and a configuration of bob's database as the given caller.
func (c *colleague) vaulted(t *testing.T, as *panel.Panel) (at string, body map[string]any) {
	t.Helper()
	provider := c.w.Want(t, http.StatusCreated, http.MethodPost, "/storage-providers",
		s3.Start(t, "powers").Provider(c.h.Host.Bed().Gateway, "powers", "tenants")).Data
	body = map[string]any{"storage_provider_id": integer(t, provider.ID), "frequency": "daily", "time": "02:00",
		"database_ids": []int{integer(t, c.h.Bob.Schema.ID)}, "retention": 5, "name": "powers"}
	at = c.h.Path("/database/backups/" + as.Want(t, http.StatusAccepted, http.MethodPost, c.h.Path("/database/backups"), body).Data.ID)
	t.Cleanup(func() {
		if a, err := c.w.Do(http.MethodDelete, at, nil); err != nil || a.Code != http.StatusAccepted && a.Code != http.StatusNotFound {
			t.Errorf("delete the configuration: %v %d %s", err, a.Code, a.Body)
		}
		c.w.Want(t, http.StatusNoContent, http.MethodDelete, "/storage-providers/"+provider.ID, nil)
	})
	return at, body
}

func (c *colleague) createsBackups(t *testing.T) {
	at, body := c.vaulted(t, c.member)
	c.denied(t, http.MethodDelete, at, nil)
	for _, path := range []string{"/root", "../../../root", "public/../../../../root/secret", "-x", "a\nb"} {
		further := map[string]any{"site_id": integer(t, c.h.Alice.Site.ID), "paths": []string{path}}
		for k, v := range body {
			further[k] = v
		}
		c.denied(t, http.MethodPost, c.h.Path("/database/backups"), further)
	}
	made := c.does(t, http.MethodPost, at+"/instances", nil)
	for _, more := range []string{"name", "site_id"} {
		value := any("taken")
		if more == "site_id" {
			value = integer(t, c.h.Alice.Site.ID)
		}
		c.denied(t, http.MethodPost, at+"/instances/"+made.Data.ID+"/restores", map[string]any{"database_id": integer(t, c.h.Bob.Schema.ID), more: value})
	}
	c.does(t, http.MethodPost, at+"/instances/"+made.Data.ID+"/restores", map[string]any{"database_id": integer(t, c.h.Bob.Schema.ID)})
	if got := c.h.Bob.sql(t, "SELECT word FROM secrets"); got != c.h.Bob.Secret {
		t.Errorf("restored is %q", got)
	}
}

func (c *colleague) deletesBackups(t *testing.T) {
	at, _ := c.vaulted(t, c.w.Panel)
	made := c.owner(t, http.MethodPost, at+"/instances", nil)
	c.denied(t, http.MethodPost, at+"/instances/"+made.Data.ID+"/restores", map[string]any{"database_id": integer(t, c.h.Bob.Schema.ID)})
	c.denied(t, http.MethodPost, at+"/instances/"+made.Data.ID+"/downloads", nil)
	c.member.Want(t, http.StatusAccepted, http.MethodDelete, at+"/instances/"+made.Data.ID, nil)
	c.w.Gone(t, time.Minute, at+"/instances/"+made.Data.ID)
	if got := c.h.Bob.sql(t, "SELECT word FROM secrets"); got != c.h.Bob.Secret {
		t.Errorf("the database has %q", got)
	}
}

// managesPHP wants masters, which root starts, to read files, load code and have other accounts; and sets what it may.
func (c *colleague) managesPHP(t *testing.T) {
	versions := c.w.Want(t, http.StatusOK, http.MethodGet, c.h.Path("/php/versions"), nil).List
	if len(versions) == 0 {
		t.Fatal("the server is said to have no PHP")
	}
	at := c.h.Path("/php/versions/" + versions[0].ID + "/configs/")
	for _, line := range []string{
		"auto_prepend_file = /root/secret", "extension = /tmp/own.so", "zend_extension = /tmp/own.so", "error_log = " + c.h.RootCanary,
		"opcache.preload = /tmp/own.php", "opcache.preload_user = root", "sendmail_path = touch " + c.h.RootCanary, "open_basedir = /",
		"session.save_path = /root", "date.timezone = ${HOME}", "[PATH=/home/bob]\nauto_prepend_file = /root/secret", "memory_limit = \"1M\nextension=/tmp/own.so\"",
	} {
		c.denied(t, http.MethodPut, at+"fpm", map[string]any{"config": line})
		c.denied(t, http.MethodPut, at+"cli", map[string]any{"config": line})
	}
	for _, line := range []string{
		"user = root", "[own]\nuser = root", "listen = /run/php/own.sock", "include = /etc/shadow", "chroot = /", "env[PATH] = /tmp", "security.limit_extensions =",
		"php_admin_value[auto_prepend_file] = /root/secret", "php_value[extension] = /tmp/own.so", "slowlog = " + c.h.RootCanary, "access.log = " + c.h.RootCanary,
		"process.priority = -19", "php_admin_value[disable_functions]]\nuser = root",
	} {
		c.denied(t, http.MethodPut, at+"pool", map[string]any{"config": line})
	}
	c.denied(t, http.MethodPut, at+"pool", map[string]any{"config": "pm = ondemand", "user": "root"})
	c.does(t, http.MethodPut, at+"cli", map[string]any{"config": "memory_limit = 321M\n"})
	if out := c.h.root(t, "sh", "-c", "grep -rhs 321M /etc/php"); !strings.Contains(out, "memory_limit = 321M") {
		t.Errorf("the setting is not on the server: %s", out)
	}
	c.does(t, http.MethodPut, at+"cli", map[string]any{"config": ""})
}

func (c *colleague) managesNetwork(t *testing.T) {
	for _, body := range []map[string]any{
		{"name": "x", "port": "9000 accept; flush ruleset", "type": "allow"},
		{"name": "x", "port": "9000", "type": "accept; include \"/root/secret\""},
		{"name": "x", "ip_address": "10.0.0.1; flush ruleset", "port": "9000", "type": "allow"},
	} {
		c.denied(t, http.MethodPost, c.h.Path("/firewall-rules"), body)
	}
	// Peers are servers of the organization, never an address; the address that they are let in from is the one that they have.
	for _, body := range []map[string]any{{"servers": []any{"10.0.0.1"}}, {"servers": []any{integer(t, c.h.ID)}}, {"servers": []any{999999}}} {
		c.denied(t, http.MethodPut, c.h.Path("/network"), body)
	}
	// A name is for people: whatever it is, none of it gets into the rules.
	named := c.does(t, http.MethodPost, c.h.Path("/firewall-rules"), map[string]any{"name": "member\" } ; flush ruleset\n", "port": "9320", "type": "allow"})
	if out := c.h.root(t, "sh", "-c", "nft list ruleset; grep -rhs member /etc/nftables* /etc/hostler; true"); !strings.Contains(out, "9320") ||
		strings.Contains(out, "member") || !strings.Contains(out, "drop") {
		t.Errorf("with a name that is a command the rules are\n%s", out)
	}
	c.does(t, http.MethodDelete, c.h.Path("/firewall-rules/"+named.Data.ID), nil)
	made := c.does(t, http.MethodPost, c.h.Path("/firewall-rules"), map[string]any{"name": "member", "port": "9321", "type": "allow"})
	if out := c.h.root(t, "nft", "list", "ruleset"); !strings.Contains(out, "9321") {
		t.Errorf("the port is not open:\n%s", out)
	}
	c.does(t, http.MethodDelete, c.h.Path("/firewall-rules/"+made.Data.ID), nil)
	if out := c.h.root(t, "nft", "list", "ruleset"); strings.Contains(out, "9321") {
		t.Errorf("the port is still open:\n%s", out)
	}
}

// createsMonitors tries to get words of its own into the list that root's timer reads: numbers and names from lists are all that gets there.
func (c *colleague) createsMonitors(t *testing.T) {
	for _, body := range []map[string]any{
		{"type": "disk\n1 disk gte 0 1", "operator": "gte", "threshold": 90, "notify": "a@example.com"},
		{"type": "disk", "operator": "gte 0 1\n", "threshold": 90, "notify": "a@example.com"},
		{"type": "disk", "operator": "gte", "threshold": "90; reboot", "notify": "a@example.com"},
		{"type": "disk", "operator": "gte", "threshold": 90, "notify": "a@example.com\nBcc: b@example.com"},
		{"type": "disk", "operator": "gte", "threshold": 90, "minutes": 61, "notify": "a@example.com"},
		{"type": "disk", "operator": "gte", "threshold": 90, "notify": "a@example.com", "url": "https://example.com/"},
		{"type": "url", "operator": "gte", "threshold": 1, "notify": "a@example.com", "url": "http://169.254.169.254/latest/meta-data/"},
		{"type": "url", "operator": "gte", "threshold": 1, "notify": "a@example.com", "url": "https://example.com/\n1 disk gte 0 1"},
	} {
		c.denied(t, http.MethodPost, c.h.Path("/monitors"), body)
	}
	c.does(t, http.MethodPost, c.h.Path("/monitors"), map[string]any{"type": "disk", "operator": "gte", "threshold": 99.5, "notify": "member@example.com"})
	c.does(t, http.MethodPost, c.h.Path("/monitors"), map[string]any{
		"type": "url", "operator": "gte", "threshold": 1, "notify": "member@example.com",
		"url": "https://member.example.com/",
	})
	if list := c.h.root(t, "cat", "/etc/hostler/monitors"); !strings.Contains(list, " disk gte 99.5 1\n") || strings.Contains(list,
		"member") || strings.Contains(list, "url") {
		t.Errorf("the list is\n%s", list)
	}
}

func (c *colleague) deletesMonitors(t *testing.T) {
	made := c.owner(t, http.MethodPost,
		c.h.Path("/monitors"), map[string]any{"type": "used_memory", "operator": "gte", "threshold": 99, "notify": "owner@example.com"})
	c.does(t, http.MethodDelete, c.h.Path("/monitors/"+made.Data.ID), nil)
	if list, err := c.h.Host.TryExec("cat", "/etc/hostler/monitors"); err == nil && strings.Contains(list, made.Data.ID+" used_memory") {
		t.Errorf("the list is\n%s", list)
	}
}

func (c *colleague) managesLogs(t *testing.T) {
	n := c.h.Alice
	c.member.Want(t, http.StatusOK, http.MethodGet, c.h.Path("/logs/nginx-error"), nil)
	for _, key := range []string{"..%2f..%2froot%2fsecret", "%2froot%2fsecret", "shadow", "nginx-error%00", "bob"} {
		c.denied(t, http.MethodGet, c.h.Path("/logs/"+key), nil)
		c.denied(t, http.MethodDelete, c.h.Path("/logs/"+key), nil)
	}
	for _, target := range []string{"/root/secret", c.h.Bob.Home + "/secret"} {
		n.run(t, "sh", "-c", `mkdir -p "$1/storage/logs" && ln -sf "$2" "$1/storage/logs/laravel.log"`, "sh", n.Base, target)
		before := c.h.root(t, "sha256sum", target)
		a, err := c.member.Do(http.MethodGet, c.site("/logs/application"), nil)
		if err != nil || strings.Contains(a.Body, c.h.RootSecret) || strings.Contains(a.Body, c.h.Bob.Secret) {
			t.Errorf("a log that leads to %s: %v %s", target, err, a.Body)
		}
		if _, err := c.member.Do(http.MethodDelete, c.site("/logs/application"), nil); err != nil {
			t.Error(err)
		}
		n.settle(t)
		if after := c.h.root(t, "sha256sum", target); after != before {
			t.Errorf("%s was emptied", target)
		}
	}
	n.run(t, "rm", "-rf", n.Base+"/storage")
}

func (c *colleague) managesPackages(t *testing.T) {
	for _, body := range []map[string]any{{"repository": "../../root", "username": "a", "password": "b"},
		{"repository": "a.example.com", "username": "a\nb", "password": "b"}} {
		c.denied(t, http.MethodPost, c.site("/composer/credentials"), body)
	}
	made := c.does(t, http.MethodPost,
		c.site("/composer/credentials"), map[string]any{"repository": "m.example.com", "username": "a", "password": "canary-packages"})
	for file := range strings.FieldsSeq(c.h.root(t, "sh", "-c", "grep -rlsF --exclude-dir=proc canary-packages /home /root /etc; true")) {
		if !strings.HasPrefix(file, c.h.Alice.Home+"/") || strings.TrimSpace(c.h.root(t, "stat", "-c", "%U", file)) != "alice" {
			t.Errorf("the credential is in %s", file)
		}
	}
	c.does(t, http.MethodDelete, c.site("/composer/credentials/"+made.Data.ID), nil)
}

func (c *colleague) managesTemplates(t *testing.T) {
	template := func(line string) map[string]any {
		return map[string]any{"name": "member", "content": "server {\n    listen 80;\n    server_name {{DOMAINS}};\n    root {{ROOT_PATH}};\n    " + line + "\n}\n"}
	}
	for _, line := range c.nginxLines() {
		c.denied(t, http.MethodPost, c.h.Path("/nginx/templates"), template(line))
	}
	a, err := c.member.Do(http.MethodPost, c.h.Path("/nginx/templates"), template("add_header X-Member yes;"))
	if err != nil || a.Code/100 != 2 {
		t.Fatalf("a template that passes: %v %d %s", err, a.Code, a.Body)
	}
	if a, err = c.member.Do(http.MethodDelete, c.h.Path("/nginx/templates/"+a.Data.ID), nil); err != nil || a.Code/100 != 2 {
		t.Errorf("delete it: %v %d %s", err, a.Code, a.Body)
	}
}

// nginxLines returns directives by which nginx would write root's files or read the neighbour's.
func (c *colleague) nginxLines() []string {
	return []string{"error_log " + c.h.RootCanary + "-nginx;", "access_log /etc/cron.d/canary;", "include /root/secret;",
		"location /b/ { alias " + c.h.Bob.Base + "/; }", "location /b/ { proxy_pass http://127.0.0.1:3306; }"}
}

func (c *colleague) createsDaemons(t *testing.T) {
	made := c.does(t, http.MethodPost, c.h.Path("/background-processes"),
		map[string]any{"name": "mine", "command": "touch " + c.h.RootCanary + "-daemon; id -un; sleep 600", "user": "root", "processes": 1})
	at := c.h.Path("/background-processes/" + made.Data.ID)
	hosts.Eventually(t, 30*time.Second, "the process has run as root", func() error {
		if out := c.member.Want(t, http.StatusOK, http.MethodGet, at+"/log", nil).Body; !strings.Contains(out, `root\n`) {
			return fmt.Errorf("it printed %s", out)
		}
		return nil
	})
	c.denied(t, http.MethodDelete, at, nil)
	c.owner(t, http.MethodDelete, at, nil)
}

func (c *colleague) deletesDaemons(t *testing.T) {
	made := c.owner(t, http.MethodPost, c.h.Path("/background-processes"),
		map[string]any{"name": "theirs", "command": "sleep 600", "user": "alice", "processes": 1})
	at := c.h.Path("/background-processes/" + made.Data.ID)
	c.denied(t, http.MethodPut, at, map[string]any{"name": "theirs", "config": "command=touch " + c.h.RootCanary})
	c.denied(t, http.MethodPost, at+"/actions", map[string]any{"action": "restart"})
	c.does(t, http.MethodDelete, at, nil)
}

// key makes a key pair: the private half is in a file, the public half without its comment.
func key(t *testing.T) (file, public string) {
	t.Helper()
	file = t.TempDir() + "/key"
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	raw, err := os.ReadFile(file + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	return file, strings.Join(strings.Fields(string(raw))[:2], " ")
}

// createsKeys lets a key log in as root, with nothing but the key in its line.
func (c *colleague) createsKeys(t *testing.T) {
	file, colleagueKey := key(t)
	at := c.h.Path("/ssh-keys")
	for _, user := range []string{"debian", "../root", "root\nforge", "-x"} {
		c.denied(t, http.MethodPost, at, map[string]any{"name": "mine", "user": user, "key": colleagueKey})
	}
	for _, key := range []string{"command=\"touch " + c.h.RootCanary + "\" " + colleagueKey, colleagueKey + "\n" + colleagueKey,
		"-----BEGIN OPENSSH PRIVATE KEY-----\n"} {
		c.denied(t, http.MethodPost, at, map[string]any{"name": "mine", "user": "root", "key": key})
	}
	made := c.does(t, http.MethodPost, at, map[string]any{"name": "mine command=\"id\"", "user": "root", "key": colleagueKey})
	if out := c.h.root(t, "cat", "/root/.ssh/authorized_keys"); !strings.Contains(out, colleagueKey+" hostler-key-"+made.Data.ID) ||
		strings.Contains(out, "command=") {
		t.Errorf("root's keys are %s", out)
	}
	ip, port, _ := strings.Cut(c.h.Host.Addr(c.h.Host.Port), ":")
	ssh := exec.Command("ssh", "-i", file, "-p", port, "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "root@"+ip,
		"touch "+c.h.RootCanary+"-key")
	if out, err := ssh.CombinedOutput(); err != nil {
		t.Errorf("the key does not log in: %v %s", err, out)
	}
	c.denied(t, http.MethodDelete, at+"/"+made.Data.ID, nil)
	c.owner(t, http.MethodDelete, at+"/"+made.Data.ID, nil)
}

func (c *colleague) deletesKeys(t *testing.T) {
	_, colleagueKey := key(t)
	made := c.owner(t, http.MethodPost, c.h.Path("/ssh-keys"), map[string]any{"name": "theirs", "user": "forge", "key": colleagueKey})
	c.denied(t, http.MethodPost, c.h.Path("/ssh-keys"), map[string]any{"name": "mine", "user": "forge", "key": colleagueKey})
	c.does(t, http.MethodDelete, c.h.Path("/ssh-keys/"+made.Data.ID), nil)
}

func (c *colleague) createsSchedulers(t *testing.T) {
	made := c.does(t, http.MethodPost,
		c.h.Path("/scheduled-jobs"), map[string]any{"name": "mine", "command": "touch " + c.h.RootCanary + "-job", "user": "root", "frequency": "monthly"})
	c.h.root(t, "sh", "-c", "$(sed -n 's/^[^#].* root \\(.*\\)$/\\1/p' /etc/cron.d/hostler-job-"+made.Data.ID+")")
	at := c.h.Path("/scheduled-jobs/" + made.Data.ID)
	c.denied(t, http.MethodDelete, at, nil)
	c.owner(t, http.MethodDelete, at, nil)
}

func (c *colleague) deletesSchedulers(t *testing.T) {
	made := c.owner(t, http.MethodPost, c.h.Path("/scheduled-jobs"), map[string]any{"name": "theirs", "command": "true", "user": "alice", "frequency": "monthly"})
	c.does(t, http.MethodDelete, c.h.Path("/scheduled-jobs/"+made.Data.ID), nil)
}

// managesRecipes leaves a text that runs as root when a member who can run recipes runs it.
func (c *colleague) managesRecipes(t *testing.T) {
	made := c.member.Want(t, http.StatusOK,
		http.MethodPost, "/recipes", map[string]any{"name": "mine", "user": "root", "script": "touch " + c.h.RootCanary + "-recipe"})
	c.denied(t, http.MethodPost, "/recipes/"+made.Data.ID+"/runs", map[string]any{"servers": []int{integer(t, c.h.ID)}})
	if out := c.h.root(t, "sh", "-c", "ls "+c.h.RootCanary+"* 2>/dev/null; true"); out != "" {
		t.Errorf("root's canary is there before the recipe is run: %s", out)
	}
	c.run(t, made.Data.ID, c.h)
	event, _ := c.last(t)
	if state := c.settled(t, event); state != "succeeded" {
		t.Errorf("the run %s", state)
	}
}
