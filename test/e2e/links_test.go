package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// What a site's account can put into its own directory never makes root write, or change, anything elsewhere: links of both kinds, things that are no
// files, and directories that become links while root is on the way through them.
func TestLinksLeadRootNowhere(t *testing.T) {
	r := newRoom(t)
	h := r.server.Host
	repo := r.repository(t, "shop", map[string]string{"public/index.php": "<?php echo 'shop';"})
	a := r.Want(t, http.StatusAccepted, http.MethodPost, r.server.Path("/sites"), map[string]any{
		"type":          "php",
		"name":          "shop.example.com",
		"repository":    repo,
		"branch":        "main",
		"is_isolated":   true,
		"isolated_user": "shop",
		"shared_paths":  []any{map[string]any{"from": "storage", "to": "storage"}},
	})
	site, id := r.server.Path("/sites/"+a.Data.ID), a.Data.ID
	r.installed(t, id)
	r.letIn(t, site)
	r.deployed(t, site)
	const base = "/home/shop/shop.example.com"
	// What must stay as it is: files of root's that links lead to, and the places that something could be put into.
	h.Exec(t, "sh", "-c",
		"mkdir -m 700 /root/canary && echo secret > /root/canary/file && echo plain > /etc/canary && chmod 644 /etc/canary && mkdir /etc/canary.d")
	const look = `stat -c '%n %a %U:%G %s %Y %h' /etc/canary /etc/canary.d /etc/shadow /etc/passwd /etc/sudoers /root /root/canary /root/canary/file \
		/etc/cron.d /root/.ssh /root/.ssh/authorized_keys /etc/nginx/nginx.conf
		sha256sum /etc/canary /root/canary/file /etc/shadow /etc/passwd /root/.ssh/authorized_keys
		ls -A /root /root/canary /etc/canary.d /etc/cron.d /etc/profile.d /home; find /etc /root /usr/local -user shop`
	before := h.Exec(t, "sh", "-c", look)

	settle := func(path, what string) {
		t.Helper()
		r.Until(t, 2*time.Minute, path, what, func(a panel.Answer) bool {
			s := a.Data.Operation().State
			return s == "succeeded" || s == "failed" || s == "cancelled"
		})
	}
	// Everything that root does in a site's directory, one beside the other: e the environment, u the site's own directories, d a deployment.
	n := 0
	do := func(t *testing.T, what string) {
		t.Helper()
		n++
		var begun []string
		if strings.Contains(what, "e") {
			r.Want(t, http.StatusAccepted, http.MethodPut, site+"/environment", map[string]any{"environment": fmt.Sprintf("N=%d\n", n)})
			begun = append(begun, site+"/environment")
		}
		if strings.Contains(what, "u") {
			r.Want(t, http.StatusAccepted, http.MethodPut, site, map[string]any{"directory": fmt.Sprintf("/public/d%d", n%2)})
			begun = append(begun, "/sites/"+id)
		}
		if strings.Contains(what, "d") {
			d := r.Want(t, http.StatusAccepted, http.MethodPost, site+"/deployments", nil)
			begun = append(begun, site+"/deployments/"+d.Data.ID)
		}
		for _, path := range begun {
			settle(path, "done")
		}
	}
	check := func(t *testing.T, what string) {
		t.Helper()
		if after := h.Exec(t, "sh", "-c", look); after != before {
			t.Fatalf("%s: changed:\n%s\nwas:\n%s", what, after, before)
		}
	}
	do(t, "eud")
	check(t, "nothing in the way")

	as := func(script string) string { return "cd " + base + " && (" + script + ") 2>&1" }
	put := map[string]string{
		"a link to a file":           "ln -s /etc/canary %s",
		"a link to a closed file":    "ln -s /root/canary/file %s",
		"a link to a directory":      "ln -s /etc/canary.d %s",
		"a link to a new file":       "ln -s /etc/cron.d/evil %s",
		"a link through others":      "ln -s /etc/canary .one && ln -s .one .two && ln -s " + base + "/.two %s",
		"a link up":                  "ln -s ../../../../../../etc/canary.d %s",
		"a link of the kernel's":     "ln -s /proc/self/root/etc/canary.d %s",
		"a link to itself":           "ln -s %[1]s %[1]s",
		"a pipe":                     "mkfifo %s",
		"a file in place of it":      "echo x > %s",
		"a directory in place of it": "mkdir -p %s/x",
	}
	for place, what := range map[string]string{
		".env":                    "e",
		"releases":                "ud",
		"current":                 "ud",
		"storage":                 "d",
		"releases/initial":        "u",
		"releases/initial/public": "u",
	} {
		for name, how := range put {
			h.Exec(t, "runuser", "-u", "shop", "--", "sh", "-c", as("rm -rf .saved; mv "+place+" .saved || true; "+fmt.Sprintf(how, place)+"; true"))
			do(t, what)
			check(t, name+" at "+place)
			h.Exec(t, "runuser", "-u", "shop", "--", "sh", "-c", as("rm -rf "+place+" .one .two; mv .saved "+place+" || true"))
		}
		// One name more of a file of root's, as where the kernel does not forbid it.
		h.Exec(t, "sh", "-c", as("rm -rf .saved; mv "+place+" .saved; ln /etc/canary "+place+" || cp /etc/canary "+place+"; true"))
		do(t, what)
		if after := h.Exec(t, "sh", "-c", "cat /etc/canary; stat -c '%a %U' /etc/canary"); after != "plain\n644 root\n" {
			t.Fatalf("a second name at %s: /etc/canary is %q", place, after)
		}
		h.Exec(t, "sh", "-c", as("rm -rf "+place+"; mv .saved "+place+" || true; chown -h shop:shop "+place+"; true"))
		check(t, "a second name at "+place)
	}

	// Races: what is a directory and what is a link changes all the time.
	race := `use Time::HiRes; chdir "` + base + `"; mkdir "r1"; symlink "/root/canary", "l1"; symlink "/etc/canary.d", "l2"; symlink "/etc/canary", "l3";
		my $end = time + 40; while (time < $end) { for my $p ("releases", "current", ".env", "storage") { for my $l ("l1", "l2", "l3") {
		rename $p, "s.$p"; rename $l, $p; rename $p, $l; rename "s.$p", $p } } }`
	h.Exec(t, "systemd-run", "--quiet", "--unit=race", "--uid=shop", "--", "perl", "-e", race)
	for range 6 {
		do(t, "eud")
	}
	_, _ = h.TryExec("systemctl", "stop", "race")
	check(t, "a race")
}
