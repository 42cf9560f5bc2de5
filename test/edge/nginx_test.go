package edge

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/noun/domain"
	"github.com/hostlerhq/hostler/internal/noun/vhost"
)

// hosted returns a domain of a server that is set up, with its configuration.
func (w *world) hosted() (at, text string) {
	w.T.Helper()
	at = w.sites(w.mine.server) + "/" + w.mine.site
	w.ended("/orgs/acme/sites/"+w.mine.site, true)
	w.ready(w.mine.server)
	at += "/domains/" + w.owner.Get(at+"/domains").Want(w.T, 200).IDs()[0]
	return at, w.owner.Get(at+"/nginx").Want(w.T, 200).Text("data", "attributes", "content")
}

func within(text, line string) string {
	return strings.Replace(text, "    include /etc/nginx/hostler-conf/", line+"\n    include /etc/nginx/hostler-conf/", 1)
}

// root reads a configuration of nginx. What a tenant must not write is refused with its line, and nothing is stored.
func TestConfigurationIsHeldToItsSite(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at, ours := w.hosted()
		for line, want := range map[string]string{
			"    access_log /etc/cron.d/evil;":                                       "access_log must be a log of the site",
			"    location /x/ { root /home/forge/two.example.com; }":                 "root must be below /home/forge/one.example.com",
			"    location /x/ { fastcgi_pass unix:/run/php/hostler-2-php8.4.sock; }": "fastcgi_pass can only lead to the site's own PHP pool",
			"    location /x/ { proxy_pass http://127.0.0.1:1; }":                    "port 1 of the server itself",
			"    server_name two.example.com;":                                       "not a name of this domain",
			"    include /etc/shadow;":                                               "include can name",
		} {
			for _, path := range []string{at + "/nginx", strings.Split(at, "/domains/")[0] + "/nginx"} {
				text := within(ours, line)
				a := w.owner.Put(path, map[string]any{"config": text})
				wantFields(t, a, "config")
				at := strings.Count(text[:strings.Index(text, strings.TrimSpace(line))], "\n") + 1
				if got := a.Text("errors", "config", 0); !strings.HasPrefix(got, "Line "+strconv.Itoa(at)+": ") || !strings.Contains(got, want) {
					t.Errorf("%s: %q, want %q in line %d", line, got, want, at)
				}
			}
		}
		if got := w.owner.Get(at+"/nginx").Want(t, 200); got.Text("data", "attributes", "content") != ours || got.At("data", "meta", "nginx", "custom") != false {
			t.Errorf("what was refused is there: %s", got.Body)
		}
		w.owner.Put(at+"/nginx", map[string]any{"config": within(ours, "    add_header X-Own one; location /more/ { return 204; }")}).Want(t, 202)
		got := w.owner.Get(at+"/nginx").Want(t, 200)
		if want := within(ours, "    add_header X-Own one;\n    location /more/ {\n        return 204;\n    }"); got.Text("data",
			"attributes", "content") != want || got.Text("data", "meta", "nginx", "rule") != "judged" {
			t.Errorf("what was accepted is\n%s\nwant\n%s", got.Text("data", "attributes", "content"), want)
		}
	})
}

// Callers who can run recipes as root can write a configuration as root. Others can only replace it by one that is checked.
func TestConfigurationAsRoot(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at, ours := w.hosted()
		text := within(ours, "    access_log   /var/log/elsewhere.log;")
		w.developer.Put(at+"/nginx/root", map[string]any{"config": text}).Want(t, 403)
		w.owner.Put(at+"/nginx", map[string]any{"config": text}).Want(t, 422)
		w.owner.Put(at+"/nginx/root", map[string]any{"config": text}).Want(t, 202)
		got := w.owner.Get(at+"/nginx").Want(t, 200)
		if got.Text("data", "attributes", "content") != text || got.Text("data", "meta", "nginx", "rule") != "root" {
			t.Errorf("what root wrote is %s", got.Body)
		}
		log := w.owner.Get("/orgs/acme/audit?page[size]=200").Want(t, 200)
		if !strings.Contains(string(log.Body), "organizations.servers.sites.domains.nginx.root.update") {
			t.Errorf("the audit log does not tell of it")
		}
		w.ended(at, true)
		w.developer.Put(at+"/nginx", map[string]any{"config": text + "# mine\n"}).Want(t, 422)
		w.developer.Put(at+"/nginx", map[string]any{"config": within(ours, "    add_header X-Own one;")}).Want(t, 202)
		if got := w.owner.Get(at+"/nginx").Want(t, 200); got.Text("data", "meta", "nginx", "rule") != "judged" {
			t.Errorf("what replaced it is %s", got.Body)
		}
	})
}

// A configuration that predates the checks is served unchanged, is listed in attention, and can only be replaced by one that passes.
func TestConfigurationFromBefore(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		at, ours := w.hosted()
		id := at[strings.LastIndex(at, "/")+1:]
		old := within(ours, "    access_log   /var/log/elsewhere.log ;   # mine")
		set := func(text string) {
			w.Tx(func(ctx context.Context, tx *db.Tx) error {
				row, err := domain.Domains.Row(ctx, tx.Granted, number(id))
				if err != nil || row.Applied == nil {
					t.Fatalf("domain %s is not applied: %v", id, err)
				}
				spec := *row.Applied
				spec.Nginx, spec.NginxBase, spec.NginxRule = &text, &ours, vhost.NginxKept
				wish, err := domain.Domains.Want(number(id), spec)
				if err != nil {
					return err
				}
				if _, err := tx.SQL.ExecContext(ctx, "UPDATE applied SET specification = $3 WHERE kind = $1 AND id = $2", wish.Kind,
					wish.ID, string(wish.Specification)); err != nil {
					return err
				}
				_, err = tx.SQL.ExecContext(ctx,
					"UPDATE domains SET nginx = $2, nginx_base = $3, nginx_rule = 'kept', nginx_refused = NULL WHERE id = $1", number(id), text, ours)
				return err
			})
		}
		note := func() {
			t.Helper()
			if err := w.App.KeptNginx.Note(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		listed := func() bool {
			return strings.Contains(strings.Join(attention(t, w.owner), "\n"), "nginx-refused one.example.com")
		}
		set(within(ours, "    add_header X-Own one;"))
		note()
		if listed() {
			t.Error("a configuration that passes stands in attention")
		}
		set(old)
		note()
		got := w.owner.Get(at+"/nginx").Want(t, 200)
		if got.Text("data", "attributes", "content") != old || got.Text("data", "meta", "nginx", "rule") != "kept" ||
			!strings.Contains(got.Text("data", "meta", "nginx", "refused"), "access_log must be a log of the site") {
			t.Errorf("what is kept is %s", got.Body)
		}
		if !listed() {
			t.Errorf("it does not stand in attention: %v", attention(t, w.owner))
		}
		// Other work leaves it as it is.
		w.owner.Call("PATCH", at, map[string]any{"www_redirect_type": "from-www", "allow_wildcard_subdomains": nil}).Want(t, 200)
		w.ended(at, true)
		if got := w.owner.Get(at+"/nginx").Want(t, 200); got.Text("data", "meta", "nginx", "rule") != "kept" ||
			!strings.Contains(got.Text("data", "attributes", "content"), "    access_log   /var/log/elsewhere.log ;   # mine") {
			t.Errorf("after other work it is %s", got.Body)
		}
		w.owner.Put(at+"/nginx", map[string]any{"config": old}).Want(t, 422)
		w.owner.Put(at+"/nginx", map[string]any{"config": ""}).Want(t, 202)
		if listed() {
			t.Error("it stands in attention still")
		}
	})
}

// A template is checked when it is saved, and again with the values of a site.
func TestTemplateIsHeldToItsSites(t *testing.T) {
	t.Parallel()
	w := World(t, db.SQLite)
	at := "/orgs/acme/servers/" + w.mine.server + "/nginx/templates"
	body := func(content string) map[string]any { return map[string]any{"name": "ours", "content": content} }
	const head = "server {\n    listen {{PORT}};\n    server_name {{DOMAINS}};\n    root {{ROOT_PATH}};\n"
	for _, line := range []string{
		"error_log /etc/cron.d/x;", "include {{PATH}}/*.conf;", "location / { alias {{PATH}}/../; }",
		"access_log {{PATH}}/log;", "location / { proxy_pass http://{{SERVER_PRIVATE_IP}}:1; }",
		"location / { fastcgi_pass unix:/run/php/hostler-{{PORT}}-php8.4.sock; }",
	} {
		a := w.owner.Post(at, body(head+line+"\n}\n"))
		wantFields(t, a, "content")
		if got := a.Text("errors", "content", 0); !strings.HasPrefix(got, "Line 5: ") {
			t.Errorf("%s: %q", line, got)
		}
	}
	id := w.owner.Post(at, body(head+"    location ~ \\.php$ { fastcgi_pass {{PROXY_PASS}}; }\n}\n")).Want(t, 200).ID()
	w.owner.Post(at, body(head+"    location / { proxy_pass {{PROXY_PASS}}; }\n}\n")).Want(t, 200)
	wantFields(t, w.owner.Put(at+"/"+id, body("load_module x.so;")), "content")
	w.ready(w.mine.server)
	// A template from before is judged where it is used.
	w.Tx(func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.SQL.ExecContext(ctx, "UPDATE nginx_templates SET content = $2 WHERE id = $1", number(id), head+"    error_log /etc/cron.d/x;\n}\n")
		return err
	})
	a := w.owner.Post(w.sites(w.mine.server), static("from-template.example.org", "nginx_template_id", number(id)))
	wantFields(t, a, "nginx_template_id")
	if got := a.Text("errors", "nginx_template_id", 0); !strings.Contains(got, "Line 5: error_log must be") {
		t.Errorf("%q", got)
	}
}
