package attack_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/hosts"
)

// settle waits until a request's work has ended, in any way: the tenant's actions may make it fail.
func (n *Tenant) settle(t testing.TB) {
	t.Helper()
	w := n.host.world
	hosts.Eventually(t, 3*time.Minute, "all work has ended", func() error {
		left := w.Count(t, "SELECT count(*) FROM operations WHERE state IN ('pending', 'running') AND server_id = "+n.host.ID)
		if left == 0 {
			return nil
		}
		time.Sleep(100 * time.Millisecond) // asking costs the panel something
		return fmt.Errorf("%d operations are not done", left)
	})
}

// guarded is what root and the neighbour have, with owners and modes: requests for the tenant's site must not change any of it.
const guarded = `cd / && for f in root/secret root/.ssh root/.ssh/authorized_keys home/$1 home/$1/secret home/$1/$2/.env \
	home/$1/$2/public home/$1/$2/public/index.php etc/passwd etc/shadow etc/cron.d etc/ssh etc/sudoers.d; do
	stat -c '%n %U %G %a %F' $f; [ ! -f $f ] || sha256sum $f; done
ls -A root/.ssh home/$1 home/$1/$2 home/$1/$2/public etc/cron.d etc/sudoers.d etc/ssh`

// A customer puts links, pipes and endless files in place of its site's files, and requests work on its site: root neither reads
// nor writes its own or the neighbour's files, and no answer contains any of them.
func TestSiteUserLeadsRootAway(t *testing.T) {
	w := tenantWorld(t)
	all := w.Hosts()
	if !full() {
		all = all[:1]
	}
	for _, h := range all {
		a, b := h.Alice, h.Bob
		before := h.root(t, "sh", "-c", guarded, "sh", b.User, b.Domain)
		since := w.Count(t, "SELECT MAX(id) FROM events") // what tests before had tenants print is theirs
		leads := []string{"link /root/secret", "link " + h.RootCanary, "link " + b.Base + "/.env"}
		if full() {
			leads = append(leads, "link "+b.Home+"/secret", "link /etc/shadow", "link /proc/1/environ", "pipe", "endless",
				"directory /root", "directory "+b.Base, "directory /etc/cron.d")
		}
		places := []string{
			a.Base + "/.env", a.Base + "/storage/logs/laravel.log", a.Home + "/.npmrc",
			a.Home + "/.config/composer/auth.json", a.Home + "/.ssh", a.Home + "/.ssh/authorized_keys", a.Base + "/auth.json", a.Base + "/.npmrc", a.Base + "/sub",
		}
		for i, lead := range leads {
			kind, target, _ := strings.Cut(lead, " ")
			line := map[string]string{"link": `ln -s "$2" "$1"`, "directory": `ln -s "$2" "$1"`, "pipe": `mkfifo "$1"`, "endless": `truncate -s 1T "$1"`}[kind]
			for _, place := range places {
				if kind == "directory" {
					place = place[:strings.LastIndex(place, "/")]
					if place == a.Home || place == a.Base {
						continue
					}
				}
				a.run(t, "sh", "-c", `[ -e "$1.was" ] || [ -L "$1.was" ] || mv "$1" "$1.was" 2>/dev/null ||
					mkdir -p "$(dirname "$1")" 2>/dev/null; rm -rf "$1"; `+line+` 2>/dev/null; true`, "sh", place, target)
			}
			site := h.Path("/sites/" + a.Site.ID)
			var said strings.Builder
			for _, r := range []struct {
				method, path string
				body         any
			}{
				{http.MethodGet, site + "/environment", nil},
				{http.MethodGet, site + "/logs/application", nil},
				{http.MethodPut, site + "/environment", map[string]any{"environment": "SECRET=" + a.Secret + "\nN=" + itoa(i) + "\n"}},
				{http.MethodPost, site + "/composer/credentials", map[string]any{"repository": fmt.Sprintf("r%d.example.com", i), "username": "u", "password": "p"}},
				{http.MethodPost, site + "/npm/credentials", map[string]any{"registry": fmt.Sprintf("https://r%d.example.com/", i), "token": "npmtoken"}},
				{http.MethodPost, site + "/deploy-key", nil},
				{http.MethodPut, site, map[string]any{"directory": "/sub"}},
				{http.MethodPut, site, map[string]any{"directory": "/public"}},
				{http.MethodPost, site + "/commands", map[string]any{"command": "true"}},
				{http.MethodGet, h.Path("/drift"), nil},
				{http.MethodGet, site + "/logs/application", nil},
			} {
				answer, err := w.Do(r.method, r.path, r.body)
				if err != nil {
					t.Errorf("%s: %s %s: %v", lead, r.method, r.path, err)
				}
				if answer.Code >= http.StatusInternalServerError {
					t.Errorf("%s: %s %s answers %d %s", lead, r.method, r.path, answer.Code, answer.Body)
				}
				said.WriteString(answer.Body)
				if r.method != http.MethodGet {
					a.settle(t)
				}
			}
			for _, out := range w.Rows(t,
				"SELECT e.description, o.content FROM event_outputs o JOIN events e ON e.id = o.event_id WHERE e.server_id = "+h.ID+" AND e.id > "+itoa(since)) {
				said.WriteString("\nevent " + strings.Join(out, ": "))
			}
			for word, is := range map[string]string{
				h.RootSecret: "root's secret",
				b.Secret:     "the neighbour's secret",
				"root:$":     "passwords of accounts",
				"root:*:":    "passwords of accounts",
			} {
				if at := strings.Index(said.String(), word); at >= 0 {
					t.Errorf("%s: an answer has %s: …%s…", lead, is, said.String()[max(0, at-300):min(said.Len(), at+100)])
				}
			}
			if after := h.root(t, "sh", "-c", guarded, "sh", b.User, b.Domain); after != before {
				t.Errorf("%s: root's files or the neighbour's changed:\n%s\nbefore:\n%s", lead, after, before)
			}
			if out := h.root(t, "sh", "-c", `find / -xdev -path /proc -prune -o -name "$1*" -print 2>/dev/null; true`, "sh",
				strings.TrimPrefix(h.RootCanary, "/")); out != "" {
				t.Fatalf("%s: root made %s", lead, out)
			}
			for _, place := range places {
				a.run(t, "sh", "-c", `for p in "$1" "$(dirname "$1")"; do if [ -L "$p" ] || [ -p "$p" ] ||`+
					` [ -e "$p.was" ]; then rm -rf "$p"; mv "$p.was" "$p" 2>/dev/null; fi; done; true`, "sh", place)
			}
		}
		a.run(t, "sh", "-c", `cd "$1" && rm -rf .env storage sub auth.json .npmrc && cd && rm -rf .npmrc .config`, "sh", a.Base)
		w.Want(t, http.StatusAccepted, http.MethodPut, h.Path("/sites/"+a.Site.ID+"/environment"), map[string]any{"environment": "SECRET=" + a.Secret + "\n"})
		a.settle(t)
	}
	w.unharmed(t)
}

// What nginx serves of a site is the site's: a link to a file of the neighbour's that nginx itself may read, or to its certificates' keys, is not followed.
func TestSiteServesNeighboursFiles(t *testing.T) {
	w := tenantWorld(t)
	for _, h := range w.Hosts() {
		a, b := h.Alice, h.Bob
		b.run(t, "sh", "-c", `printf '%s' "$1" >"$2/public/config.inc"`, "sh", b.Secret, b.Base)
		defer func() { _, _ = b.try("rm", "-f", b.Base+"/public/config.inc") }()
		if code, body := b.visit(t, "/config.inc"); code != http.StatusOK || body != b.Secret {
			t.Fatalf("the neighbour's own file answers %d %s: this tests nothing", code, body)
		}
		for i, target := range []string{
			b.Base + "/public/config.inc", b.Base + "/public", b.Home, "/etc/passwd", "/",
			"/var/log/nginx/hostler-" + b.Site.ID + "-access.log", "/root/secret", "/proc/self/environ", "/var/lib/php/sessions",
		} {
			name := fmt.Sprintf("link%d", i)
			a.run(t, "ln", "-s", target, a.Base+"/public/"+name)
			for _, path := range []string{
				"/" + name, "/" + name + "/", "/" + name + "/config.inc", "/" + name + "/public/config.inc",
				"/" + name + "/secret", "/" + name + "/etc/passwd", "/" + name + "/index.php",
			} {
				if code, body := a.visit(t, path); strings.Contains(body, b.Secret) || strings.Contains(body, "root:x:") ||
					strings.Contains(body, "<?php") || code == http.StatusOK && strings.Contains(body, "hello from "+b.User) {
					t.Errorf("%s with a link to %s answers %d %.200s", path, target, code, body)
				}
			}
			a.run(t, "rm", a.Base+"/public/"+name)
		}
		// The directory that is served, as a link.
		a.run(t, "sh", "-c", `mv "$1/public" "$1/was" && ln -s "$2/public" "$1/public"`, "sh", a.Base, b.Base)
		for _, path := range []string{"/config.inc", "/index.php", "/"} {
			if code, body := a.visit(t, path); strings.Contains(body, b.Secret) || strings.Contains(body, "hello from "+b.User) {
				t.Errorf("%s with the served directory as a link answers %d %.200s", path, code, body)
			}
		}
		a.run(t, "sh", "-c", `rm "$1/public" && mv "$1/was" "$1/public"`, "sh", a.Base)
	}
	w.unharmed(t)
}
