package attack_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func (c *colleague) managesCommands(t *testing.T) {
	made := c.does(t, http.MethodPost, c.site("/commands"), map[string]any{"command": c.looks()})
	c.wantAccount(t, "alice", c.w.Get(t, c.site("/commands/"+made.Data.ID+"/output")).Text("output"))
}

func (c *colleague) managesDeploys(t *testing.T) {
	before := c.w.Get(t, c.site("/deployments/script")).Text("content")
	c.member.Want(t, http.StatusOK, http.MethodPut, c.site("/deployments/script"),
		map[string]any{"content": "sh -c '" + c.looks() + "' 2>&1\n", "auto_source": true})
	made := c.does(t, http.MethodPost, c.site("/deployments"), nil)
	c.wantAccount(t, "alice", c.member.Want(t, http.StatusOK, http.MethodGet, c.site("/deployments/"+made.Data.ID+"/log"), nil).Data.Text("output"))
	c.w.Want(t, http.StatusOK, http.MethodPut, c.site("/deployments/script"), map[string]any{"content": before, "auto_source": true})
}

// managesProject wants a program run while a repository is fetched. A deployment runs what is left behind, as the site's account.
func (c *colleague) managesProject(t *testing.T) {
	touch := "touch " + c.h.RootCanary + "-git"
	for _, body := range []map[string]any{
		{"source_control_provider": "custom", "repository": "ext::sh -c '" + touch + "'", "branch": "main"},
		{"source_control_provider": "custom", "repository": "--upload-pack=" + touch, "branch": "main"},
		{"source_control_provider": "custom", "repository": "file:///root", "branch": "main"},
		{"source_control_provider": "custom", "repository": c.h.Bob.Base, "branch": "main"},
		{"source_control_provider": "custom", "repository": "ssh://-oProxyCommand=" + touch + "/x", "branch": "main"},
		{"source_control_provider": "custom", "repository": "git@git.example.com:a/b.git", "branch": "--upload-pack=" + touch},
	} {
		c.denied(t, http.MethodPut, c.site("/git"), body)
	}
}

func (c *colleague) managesNginx(t *testing.T) {
	domain := c.w.Want(t, http.StatusOK, http.MethodGet, c.site("/domains"), nil).List[0]
	at := c.site("/domains/" + domain.ID)
	ours := c.w.Get(t, at+"/nginx").Text("content")
	within := func(line string) map[string]any {
		return map[string]any{"config": strings.Replace(ours, "    include /etc/nginx/hostler-conf/", "    "+line+"\n    include /etc/nginx/hostler-conf/", 1)}
	}
	for _, line := range c.nginxLines() {
		c.denied(t, http.MethodPut, at+"/nginx", within(line))
		c.denied(t, http.MethodPut, at+"/nginx/root", within(line))
	}
	c.does(t, http.MethodPut, at+"/nginx", within("add_header X-Member yes;"))
	if got := c.h.root(t, "cat", "/etc/nginx/conf.d/50-site-"+c.h.Alice.Site.ID+".conf"); !strings.Contains(got, "X-Member") {
		t.Errorf("what passes is not served:\n%s", got)
	}
	c.does(t, http.MethodPut, at+"/nginx", map[string]any{"config": ""})
}

// managesEnvironment writes the variables of a site whose owner has made the file a link.
func (c *colleague) managesEnvironment(t *testing.T) {
	n := c.h.Alice
	write := func(text string) string {
		c.member.Want(t, http.StatusAccepted, http.MethodPut, c.site("/environment"), map[string]any{"environment": text})
		n.settle(t)
		return c.h.root(t, "sh", "-c", `stat -c '%F %U' "$1"; cat "$1"`, "sh", n.Base+"/.env")
	}
	if got := write("MEMBER=1\n"); !strings.Contains(got, "regular file alice") || !strings.Contains(got, "MEMBER=1") {
		t.Errorf("the variables are %s", got)
	}
	before := c.h.root(t, "sha256sum", "/root/secret", c.h.Bob.Home+"/secret")
	for _, target := range []string{"/root/secret", c.h.Bob.Home + "/secret", c.h.RootCanary + "-env"} {
		n.run(t, "ln", "-sfn", target, n.Base+"/.env")
		write("MEMBER=2\n")
	}
	if after := c.h.root(t, "sha256sum", "/root/secret", c.h.Bob.Home+"/secret"); after != before {
		t.Error("a file of root's or the neighbour's was written")
	}
	n.run(t, "rm", "-f", n.Base+"/.env")
	c.owner(t, http.MethodPut, c.site("/environment"), map[string]any{"environment": "SECRET=" + n.Secret + "\n"})
	n.settle(t)
}

func (c *colleague) managesRedirects(t *testing.T) {
	for _, body := range []map[string]any{
		{
			"from": "^/a", "to": "/b; error_log " + c.h.RootCanary + "-rule;", "type": "redirect",
		},
		{"from": "^/a { } location / { alias " + c.h.Bob.Base + "/; } #", "to": "/b", "type": "redirect"},
		{"from": "^/a\n}", "to": "/b", "type": "redirect"},
		{"from": "^/a", "to": "/b\" ; error_log " + c.h.RootCanary + "-rule; #", "type": "redirect"},
	} {
		c.served(t, "/redirect-rules", body)
	}
	c.served(t, "/redirect-rules", map[string]any{"from": "^/member$", "to": "/", "type": "redirect"})
}

func (c *colleague) managesSecurity(t *testing.T) {
	who := []any{map[string]any{"username": "anna", "password": "geheim-geheim"}}
	for _, body := range []map[string]any{
		{
			"name": "x\"; error_log " + c.h.RootCanary + "-rule; #", "path": "/closed", "credentials": who,
		},
		{"name": "x", "path": "/a { } error_log " + c.h.RootCanary + "-rule; #", "credentials": who},
		{"name": "x", "path": "/a\n}", "credentials": who},
		{"name": "x", "path": "/../../root", "credentials": who},
		{"name": "x", "path": "/closed", "credentials": []any{map[string]any{"username": "anna:x\nroot", "password": "geheim-geheim"}}},
	} {
		c.served(t, "/security-rules", body)
	}
	c.served(t, "/security-rules", map[string]any{"name": "member", "path": "/member", "credentials": who})
}

// served creates a rule: an accepted one is served literally, and removed again.
func (c *colleague) served(t *testing.T, kind string, body map[string]any) {
	t.Helper()
	a, err := c.member.Do(http.MethodPost, c.site(kind), body)
	if err != nil || a.Code != http.StatusAccepted && a.Code != http.StatusUnprocessableEntity {
		t.Errorf("%v: %v %d %s", body, err, a.Code, a.Body)
	}
	if a.Code != http.StatusAccepted {
		return
	}
	if state := c.settled(t, a.Header.Get("X-Hostler-Event")); state != "succeeded" {
		t.Errorf("%v %s", body, state)
	}
	if code, out := c.h.Alice.visit(t, "/"); code != http.StatusOK || out != "hello from alice" {
		t.Errorf("with %v the site answers %d %s", body, code, out)
	}
	c.does(t, http.MethodDelete, c.site(kind+"/"+a.Data.ID), nil)
}

func (c *colleague) managesSSL(t *testing.T) {
	domain := c.w.Want(t, http.StatusOK, http.MethodGet, c.site("/domains"), nil).List[0]
	at := c.site("/domains/" + domain.ID + "/certificates")
	for _, body := range []map[string]any{
		{"type": "existing", "existing": map[string]any{"certificate": "/root/secret", "key": "/root/secret"}},
		{"type": "existing", "existing": map[string]any{"certificate": "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----", "key": "x"}},
		{"type": "clone", "clone": map[string]any{"certificate_id": 999999}},
	} {
		c.denied(t, http.MethodPost, at, body)
	}
}

func (c *colleague) managesDomains(t *testing.T) {
	for _, name := range []string{c.h.Bob.Domain, "a.example.com; error_log " + c.h.RootCanary + "-name", "../../root", "_", "a.example.com\nb"} {
		c.denied(t, http.MethodPost, c.site("/domains"), map[string]any{"name": name, "www_redirect_type": "none", "allow_wildcard_subdomains": false})
	}
	made := c.does(t, http.MethodPost, c.site("/domains"), map[string]any{
		"name": "member.example.com", "www_redirect_type": "none", "allow_wildcard_subdomains": false,
	})
	if code, body := (&Tenant{host: c.h, Domain: "member.example.com"}).visit(t, "/"); code != http.StatusOK || body != "hello from alice" {
		t.Errorf("the new name answers %d %s", code, body)
	}
	c.does(t, http.MethodDelete, c.site("/domains/"+made.Data.ID), nil)
}

func (c *colleague) createsSites(t *testing.T) {
	for _, user := range []string{"root", "debian", "postgres", "www-data", "forge", "-x", "../root"} {
		c.denied(t, http.MethodPost, c.h.Path("/sites"), map[string]any{"name": "member.example.org", "type": "php", "is_isolated": true, "isolated_user": user})
	}
	for field, value := range map[string]any{
		"database_id":       integer(t, c.h.Bob.Schema.ID),
		"database_user_id":  integer(t, c.h.Bob.Account.ID),
		"web_directory":     "/../../../root",
		"nginx_template_id": 999999,
		"name":              c.h.Bob.Domain,
	} {
		body := map[string]any{"name": "member.example.org", "type": "php"}
		body[field] = value
		c.denied(t, http.MethodPost, c.h.Path("/sites"), body)
	}
	for _, user := range []string{"alice", "bob"} { // whose code would read their files
		c.denied(t, http.MethodPost, c.h.Path("/sites"), map[string]any{"name": "member.example.org", "type": "php", "is_isolated": true, "isolated_user": user})
	}
	for _, body := range []map[string]any{{"directory": "/"}, {"root_path": "/app"}, {"type": "static-html"}} {
		c.denied(t, http.MethodPut, c.h.Path("/sites/"+c.h.Bob.Site.ID), body)
	}
	made := c.does(t, http.MethodPost, c.h.Path("/sites"), map[string]any{"name": "member.example.org", "type": "static-html"})
	if got := strings.TrimSpace(c.h.root(t, "stat", "-c", "%U", "/home/forge/member.example.org")); got != "forge" {
		t.Errorf("the site is %s's", got)
	}
	c.owner(t, http.MethodDelete, c.h.Path("/sites/"+made.Data.ID), nil)
	c.w.Gone(t, time.Minute, "/sites/"+made.Data.ID)
}

func (c *colleague) deletesSites(t *testing.T) {
	made := c.owner(t, http.MethodPost, c.h.Path("/sites"), map[string]any{"name": "leaving.example.org", "type": "static-html"})
	c.does(t, http.MethodDelete, c.h.Path("/sites/"+made.Data.ID), nil)
	if _, err := c.h.Host.TryExec("test", "-e", c.h.Alice.Base+"/public/index.php"); err != nil {
		t.Errorf("the neighbour's files are gone: %v", err)
	}
}
