package edge

import (
	"strings"
	"testing"

	"golang.org/x/crypto/bcrypt"
)

// A WordPress that Hostler installs has its administrator before it is live, so that no visitor becomes it, and an account of its own. A caller who asks for
// none of this is shown what was generated, once.
func TestAFreshWordPressIsNobodyElses(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		with := serverBody("blogs", "app")
		with["database_type"], with["database"] = "mariadb1011", "shop"
		server := w.owner.Post(servers, with).Want(t, 202).ID()
		id := number(w.owner.Get("/orgs/acme/servers/"+server+"/database/schemas").Want(t, 200).IDs()[0])
		press := func(name string, more ...any) map[string]any {
			m := static(name, append([]any{"database_id", id}, more...)...)
			m["type"] = "wordpress"
			return m
		}
		variables := func(a Answer) map[string]string {
			out := map[string]string{}
			for line := range strings.Lines(w.owner.Get(w.sites(server)+"/"+a.ID()+"/environment").Want(t, 200).Text("data", "attributes", "content")) {
				name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
				out[name] = strings.NewReplacer(`\$`, "$", `\"`, `"`, `\\`, `\`).Replace(strings.Trim(value, `"`))
			}
			return out
		}
		lets := func(env map[string]string, password string) bool {
			return bcrypt.CompareHashAndPassword([]byte(env["WP_INSTALL_PASSWORD_HASH"]), []byte(password)) == nil
		}

		a := w.owner.Post(w.sites(server), press("blog.example.org")).Want(t, 202)
		user, password := a.Text("data", "meta", "shown_once", "username"), a.Text("data", "meta", "shown_once", "password")
		w.Secrets.Note("the password of a WordPress", password)
		env := variables(a)
		if !strings.HasPrefix(user, "admin-") || len(password) < 20 || !lets(env, password) || env["WP_INSTALL_USER"] != user {
			t.Errorf("generated: %s; the environment has %v", a.Body, env)
		}
		if env["WP_INSTALL_TITLE"] != "blog.example.org" || env["WP_INSTALL_HOST"] != "blog.example.org" || env["WP_INSTALL_EMAIL"] != w.users["owner"].Email {
			t.Errorf("the environment has %v", env)
		}
		if a.At("data", "attributes", "isolated") != true || a.Text("data", "attributes", "user") != "blog-example-org" {
			t.Errorf("its account: %s", a.Body)
		}
		if again := w.owner.Get("/orgs/acme/sites/"+a.ID()).Want(t, 200); strings.Contains(string(again.Body), "shown_once") {
			t.Errorf("shown again: %s", again.Body)
		}

		chosen := `it's a "good" one`
		w.Secrets.Note("the password of a WordPress", chosen)
		b := w.owner.Post(w.sites(server), press("news.example.org", "is_isolated", false, "wordpress_title", "Our $News", "wordpress_user", "ada",
			"wordpress_email", "ada@example.com", "wordpress_password", chosen)).Want(t, 202)
		env = variables(b)
		if env["WP_INSTALL_TITLE"] != "Our $News" || env["WP_INSTALL_USER"] != "ada" || env["WP_INSTALL_EMAIL"] != "ada@example.com" ||
			!lets(env, `it\'s a \"good\" one`) || strings.Contains(string(b.Body), "shown_once") {
			t.Errorf("asked for: %s; the environment has %v", b.Body, env)
		}
		if b.At("data", "attributes", "isolated") != false || b.Text("data", "attributes", "user") != "forge" {
			t.Errorf("an explicit false: %s", b.Body)
		}
		c := w.owner.Post(w.sites(server), press("news.example.net", "isolated_user", "press")).Want(t, 202)
		if c.At("data", "attributes", "isolated") != true || c.Text("data", "attributes", "user") != "press" {
			t.Errorf("with a name for its account: %s", c.Body)
		}
		d := w.owner.Post(w.sites(server), static("plain.example.org")).Want(t, 202)
		if d.At("data", "attributes", "isolated") != false {
			t.Errorf("another site: %s", d.Body)
		}

		before := w.counts()
		wantFields(t, w.owner.Post(w.sites(server), press("x.example.org", "wordpress_user", "a b", "wordpress_email", "nobody", "wordpress_password", "short")),
			"wordpress_user", "wordpress_email", "wordpress_password")
		wantFields(t, w.owner.Post(w.sites(server), press("x.example.org", "wordpress_title", "a\nb", "wordpress_password", " spaces around it ")),
			"wordpress_title", "wordpress_password")
		wantFields(t, w.owner.Post(w.sites(server), static("x.example.org", "wordpress_user", "ada")), "wordpress_user")
		w.unchangedSince(before)
	})
}
