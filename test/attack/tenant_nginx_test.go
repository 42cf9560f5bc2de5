package attack_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestTenantWritesNginx is a colleague with permission to write the nginx configuration of one site, who wants root, the
// neighbour's files and the neighbour's PHP. Each attempt is refused with its line, before anything reaches the host.
func TestTenantWritesNginx(t *testing.T) {
	w := tenantWorld(t)
	h := w.MariaDB
	alice, bob := h.Alice, h.Bob
	domain := w.Want(t, http.StatusOK, http.MethodGet, h.Path("/sites/"+alice.Site.ID+"/domains"), nil).List[0]
	at := h.Path("/sites/" + alice.Site.ID + "/domains/" + domain.ID)
	ours := w.Get(t, at+"/nginx").Text("content")
	within := func(line string) string {
		return strings.Replace(ours, "    include /etc/nginx/hostler-conf/", line+"\n    include /etc/nginx/hostler-conf/", 1)
	}
	socket := strings.TrimSpace(h.root(t, "sh", "-c", "ls /run/php/*hostler-"+bob.Site.ID+"-*.sock | head -n 1"))
	if socket == "" {
		t.Fatal("the neighbour's pool has no socket")
	}
	files := func() string {
		return h.root(t, "sh", "-c", "find /etc/nginx /etc/cron.d /var/log/nginx -type f ! -name '*.log*' -exec sha256sum {} + | sort; ls -d /etc/cron.d/* "+
			"/var/log/nginx/* /canary* 2>/dev/null | sort; true")
	}
	before := files()
	for name, tt := range map[string]struct{ line, want string }{
		"cron":    {"    access_log /etc/cron.d/canary;", "must be a log of the site"},
		"canary":  {"    error_log " + h.RootCanary + ";", "must be a log of the site"},
		"root":    {"    location /bob/ { root " + bob.Base + "; }", "root must be below"},
		"alias":   {"    location /bob/ { alias " + bob.Base + "/; }", "alias must be below"},
		"include": {"    include /root/secret;", "include can name"},
		"pool": {"    location /bob.php { include fastcgi_params; fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name; fastcgi_pass unix:" +
			socket + "; }", "site's own PHP pool"},
		"script": {"    location /bob.php { include fastcgi_params; fastcgi_param SCRIPT_FILENAME " + bob.Base + "/public/index.php; " +
			"fastcgi_pass unix:/run/php/php8.4-fpm.sock; }",
			"SCRIPT_FILENAME must be"},
		"loopback": {"    location /db/ { proxy_pass http://127.0.0.1:3306; }", "none of the site's own"},
		"name":     {"    server_name " + bob.Domain + ";", "not a name of this domain"},
	} {
		a := w.Want(t, http.StatusUnprocessableEntity, http.MethodPut, at+"/nginx", map[string]any{"config": within(tt.line)})
		if !strings.Contains(a.Body, tt.want) || !strings.Contains(a.Body, "Line ") {
			t.Errorf("%s: %s", name, a.Body)
		}
	}
	if after := files(); after != before {
		t.Errorf("what was refused reached the host:\n%s\nbefore:\n%s", after, before)
	}

	// What passes is printed, and the host enforces what its text does not say: a path that is rewritten out of the root finds nothing.
	w.Want(t, http.StatusAccepted, http.MethodPut, at+"/nginx", map[string]any{"config": within("    location /cut/ { rewrite ^ $arg_x break; }")})
	if got := w.Settled(t, 2*time.Minute, at); got.Operation().State != "succeeded" {
		t.Fatalf("a configuration that passes: %+v", got.Operation())
	}
	for _, path := range []string{
		"/cut/?x=/../../../bob/" + bob.Domain + "/public/index.php",
		"/cut/?x=/../../../../etc/passwd", "/cut/?x=/../../../../../etc/passwd",
	} {
		if code, body := alice.visit(t, path); code < 400 || strings.Contains(body, "root:") || strings.Contains(body, "hello from bob") {
			t.Errorf("%s answers %d %s", path, code, body)
		}
	}
	w.Want(t, http.StatusAccepted, http.MethodPut, at+"/nginx", map[string]any{"config": ""})
	w.Settled(t, 2*time.Minute, at)

	// A text that predates the checks is served unchanged during other work, and can't be written again.
	old := within("    add_header X-Old   yes;\n    access_log /var/log/old.log;")
	w.SQL(t, "UPDATE applied SET specification = json_set(specification, '$.nginx', ?, '$.nginx_base', ?, '$.nginx_rule', 'kept') WHERE kind = "+
		"'domainRecords' AND id = ?", old, ours, domain.ID)
	w.SQL(t, "UPDATE domains SET nginx = ?, nginx_base = ?, nginx_rule = 'kept' WHERE id = ?", old, ours, domain.ID)
	w.Want(t, http.StatusOK, http.MethodPatch, at, map[string]any{"www_redirect_type": "none", "allow_wildcard_subdomains": true})
	if got := w.Settled(t, 2*time.Minute, at); got.Operation().State != "succeeded" {
		t.Errorf("other work on a site with an old configuration: %+v", got.Operation())
	}
	if got := h.root(t, "sh", "-c", "cat /etc/nginx/conf.d/50-site-"+alice.Site.ID+".conf"); !strings.Contains(got,
		"    add_header X-Old   yes;\n    access_log /var/log/old.log;") {
		t.Errorf("the old configuration is now\n%s", got)
	}
	w.Want(t, http.StatusUnprocessableEntity, http.MethodPut, at+"/nginx", map[string]any{"config": old})
	w.Want(t, http.StatusAccepted, http.MethodPut, at+"/nginx", map[string]any{"config": ""})
	w.Settled(t, 2*time.Minute, at)
	w.Want(t, http.StatusOK, http.MethodPatch, at, map[string]any{"www_redirect_type": "none", "allow_wildcard_subdomains": false})
	if got := w.Settled(t, 2*time.Minute, at); got.Operation().State != "succeeded" {
		t.Errorf("putting it back: %+v", got.Operation())
	}
	w.unharmed(t)
}
