package chaos_test

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// A hostNoun asks for resources of one noun through the API, and says what a real host shows of them.
type hostNoun struct {
	kind string
	// mark makes of a number of five digits what is seen of a resource on the host, and nowhere else. A number that begins with 666 is poisoned.
	mark func(number string) string
	// create returns where a resource is made, and its body; poison is the same for one that the host refuses, nil where it refuses none.
	create, poison func(w *hostWalker, mark string) (path string, body map[string]any)
	// update asks for another mark; nil for a noun without such updates.
	update func(mark string) map[string]any
	// path is where the resources are, without their ids.
	path func(w *hostWalker) string
	// applied and failed are the statuses of a resource that the host has, and of one that could not be created ("" where its row goes).
	applied, failed string
	// loose is for work that can't be put back: what is on the host after it failed is what the row says.
	loose bool
}

func plain(number string) string { return "w" + number }

// below is a path below the server, and below the site that parts belong to.
func ofServer(rest string) func(*hostWalker) string {
	return func(w *hostWalker) string { return w.server.Path(rest) }
}

func ofSite(rest string) func(*hostWalker) string {
	return func(w *hostWalker) string { return w.server.Path("/sites/" + w.site + rest) }
}

// made makes create of where resources are and their bodies.
func made(path func(*hostWalker) string, body func(mark string) map[string]any) func(*hostWalker, string) (string, map[string]any) {
	return func(w *hostWalker, mark string) (string, map[string]any) { return path(w), body(mark) }
}

// hostNouns are those that a server of type app has.
var hostNouns = []*hostNoun{
	{
		kind: "rules", path: ofServer("/firewall-rules"), applied: "installed", failed: "failed",
		mark: func(number string) string { // a port
			if tail, poisoned := strings.CutPrefix(number, "666"); poisoned {
				return string('1'+tail[0]%5) + "666" + tail[1:]
			}
			return number
		},
		create: made(ofServer("/firewall-rules"), firewallBody), poison: made(ofServer("/firewall-rules"), firewallBody),
	},
	{
		kind: "keys", path: ofServer("/ssh-keys"), applied: "installed", failed: "failed", mark: plain,
		create: made(ofServer("/ssh-keys"), func(mark string) map[string]any {
			return map[string]any{"name": mark, "key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + strings.Repeat("A", 30) + mark + strings.Repeat("A", 13-len(mark))}
		}),
	},
	{
		kind: "sites", path: ofServer("/sites"), applied: "installed", failed: "failed", mark: plain,
		create: made(ofServer("/sites"), siteBody), poison: made(ofServer("/sites"), siteBody),
		update: func(mark string) map[string]any { return map[string]any{"directory": "/" + mark} },
	},
	{
		kind: "domainRecords", path: ofSite("/domains"), applied: "enabled", failed: "disabled", mark: plain,
		create: made(ofSite("/domains"), domainBody), poison: made(ofSite("/domains"), domainBody),
	},
	{
		kind: "redirect-rules", path: ofSite("/redirect-rules"), applied: "installed", mark: plain,
		create: made(ofSite("/redirect-rules"), func(mark string) map[string]any {
			return map[string]any{"from": "^/from-" + mark + "$", "to": "/to", "type": "permanent"}
		}),
		poison: made(ofSite("/redirect-rules"), func(mark string) map[string]any { // nginx knows no such look behind
			return map[string]any{"from": "^/(?<=a+)" + mark + "$", "to": "/to", "type": "permanent"}
		}),
	},
	{
		kind: "securityRules", path: ofSite("/security-rules"), applied: "installed", failed: "failed", mark: plain,
		create: made(ofSite("/security-rules"), securityBody), update: securityBody,
	},
	{
		kind: "backgroundProcesses", path: ofServer("/background-processes"), applied: "present", failed: "fatal", mark: plain,
		create: made(ofServer("/background-processes"), func(mark string) map[string]any { return processBody(mark, "/tmp") }),
		poison: made(ofServer("/background-processes"), func(mark string) map[string]any { return processBody(mark, "/nowhere") }),
		update: func(mark string) map[string]any {
			directory := "/tmp"
			if strings.HasPrefix(mark, "w666") {
				directory = "/nowhere"
			}
			return map[string]any{"name": "walker", "config": "command=sleep 86400; echo " + mark + "\ndirectory=" + directory}
		},
	},
	{
		kind: "scheduledJobs", path: ofServer("/scheduled-jobs"), applied: "installed", failed: "failed", mark: plain,
		create: made(ofServer("/scheduled-jobs"), func(mark string) map[string]any {
			return map[string]any{"command": "echo " + mark, "user": "forge", "frequency": "monthly"}
		}),
	},
	{
		kind: "databases", path: ofServer("/database/schemas"), applied: "installed", failed: "failed", mark: plain, loose: true,
		create: made(ofServer("/database/schemas"), func(mark string) map[string]any { return map[string]any{"name": mark} }),
		poison: made(ofServer("/database/schemas"), func(mark string) map[string]any { return map[string]any{"name": mark} }),
	},
	{
		kind: "databaseUsers", path: ofServer("/database/users"), applied: "installed", failed: "failed", mark: plain, loose: true,
		create: made(ofServer("/database/users"), func(mark string) map[string]any {
			return map[string]any{"name": mark, "password": "correct-horse-battery"}
		}),
	},
}

func firewallBody(mark string) map[string]any {
	return map[string]any{"name": "walk", "port": mark, "type": "allow"}
}

func siteBody(mark string) map[string]any {
	return map[string]any{"type": "static-html", "name": "s" + mark[1:] + ".example.com", "web_directory": "/" + mark}
}

func domainBody(mark string) map[string]any {
	return map[string]any{"name": "d" + mark + ".example.org", "allow_wildcard_subdomains": false, "www_redirect_type": "none"}
}

func securityBody(mark string) map[string]any {
	return map[string]any{"name": mark, "path": "/closed-" + mark, "credentials": []any{map[string]any{"username": "anna", "password": "geheim-geheim"}}}
}

func processBody(mark, directory string) map[string]any {
	return map[string]any{"name": "walker", "command": "sleep 86400; echo " + mark, "user": "forge", "directory": directory, "processes": 1, "startsecs": 0}
}

// furnish makes the host refuse what is poisoned: nft by a program before it, nginx because it serves the names already, MariaDB because it finds a file.
func (w *hostWalker) furnish() {
	h := w.server.Host
	h.WriteFile(w.t, "/usr/local/lib/walk-nft", []byte(`#!/bin/sh
for f; do [ -f "$f" ] && grep -qE '\b[1-5]666[0-9]\b' "$f" && { echo "$f: refused" >&2; exit 1; }; done
exec /usr/sbin/nft.real "$@"
`), 0o755)
	var names strings.Builder
	for n := range 100 {
		fmt.Fprintf(&names, " s666%02d.example.com dw666%02d.example.org", n, n)
	}
	h.WriteFile(w.t, "/etc/nginx/conf.d/99-walk.conf", []byte("server { listen 80; listen [::]:80; server_name"+names.String()+"; return 404; }\n"), 0o644)
	h.Exec(w.t, "sh", "-ec", `[ -e /usr/sbin/nft.real ] || mv /usr/sbin/nft /usr/sbin/nft.real; cp /usr/local/lib/walk-nft /usr/sbin/nft
nginx -t; systemctl reload nginx; cd /var/lib/mysql; for n in $(seq -w 0 99); do touch "w666$n"; done; chown mysql: w666*`)
}

// looks prints all that the host shows of resources.
const looks = `nft list table inet hostler; cat /root/.ssh/authorized_keys /home/*/.ssh/authorized_keys; grep -rhs --exclude=99-walk.conf . ` +
	`/etc/nginx/conf.d /etc/nginx/hostler-conf /etc/cron.d /etc/systemd/system ` + wire.JobDirectory + " " + render.ProcessDirectory + `
ps axww -o args; mariadb -N -e 'SHOW DATABASES; SELECT user FROM mysql.user'; true`

// request asks once, whatever becomes of the answer's connection: with the same key it is done once.
func (w *hostWalker) request(method, path string, body map[string]any) (code int, id string, err error) {
	w.keys++
	key := fmt.Sprintf("walk-%d", w.keys)
	var in any
	if body != nil {
		in = body
	}
	for tries := 0; ; tries++ {
		a, err := w.p.DoOnce(method, path, key, in)
		switch {
		case err != nil && tries < 5:
			continue
		case err != nil:
			return 0, "", err
		case a.Code == http.StatusAccepted || a.Code == http.StatusNoContent:
			return a.Code, a.Data.ID, nil
		case a.Code == http.StatusNotFound || a.Code == http.StatusConflict || a.Code == http.StatusUnprocessableEntity:
			w.refused[fmt.Sprintf("%s %s: %s", method, path, a.Body)]++
			return a.Code, "", nil
		default:
			return a.Code, "", fmt.Errorf("%s %s: %d %s", method, path, a.Code, a.Body)
		}
	}
}
