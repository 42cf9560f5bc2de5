package e2e_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// A server whose sites were created by a program that predates enclosures is migrated by the current one, while visitors keep
// requesting pages. HOSTLER_BEFORE is such a program: that of commit c8f56cb5, say.
func TestSitesFromBeforeAreEnclosed(t *testing.T) {
	before := os.Getenv("HOSTLER_BEFORE")
	if before == "" {
		t.Skip("HOSTLER_BEFORE names no program from before accounts were closed off")
	}
	t.Run("Debian 12", func(t *testing.T) {
		panel.BuildImage(t)
		encloseSites(t, before, hosts.Shared(t, 1, hosts.Image(panel.Image), hosts.Fresh()))
	})
	t.Run("Debian 13", func(t *testing.T) {
		panel.BuildImage13(t)
		encloseSites(t, before, hosts.Shared(t, 1, hosts.Image(panel.Image13), hosts.Fresh()))
	})
}

func encloseSites(t *testing.T, before string, bed *hosts.Bed) {
	t.Helper()
	program := filepath.Join(t.TempDir(), "hostler")
	become := func(target string) {
		t.Helper()
		_ = os.Remove(program)
		if err := os.Symlink(target, program); err != nil {
			t.Fatal(err)
		}
	}
	now := panel.Program(t, "hostler")
	become(before)
	p, err := panel.New(program, bed.Gateway)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	r := &room{Panel: p, server: p.Add(t, bed.Host(1), "web")}
	p.Ready(t, r.server)
	host := r.server.Host
	for _, user := range []string{"alice", "bob"} {
		r.installed(t, r.Want(t, http.StatusAccepted, http.MethodPost, r.server.Path("/sites"), map[string]any{
			"type":          "php",
			"name":          user + ".example.com",
			"is_isolated":   true,
			"isolated_user": user,
		}).Data.ID)
	}
	r.installed(t, r.Want(t, http.StatusAccepted, http.MethodPost, r.server.Path("/sites"), map[string]any{"type": "php", "name": "forge.example.com"}).Data.ID)
	for _, user := range []string{"alice", "bob", "forge"} {
		host.Exec(t, "runuser", "-u", user, "--", "sh", "-c",
			"echo '<?php session_start(); $_SESSION[\"n\"] = ($_SESSION[\"n\"] ?? 0) + 1; echo \"visit $_SESSION[n] of $_SERVER[SERVER_NAME]\";' >/home/"+user+
				"/"+user+".example.com/public/index.php; echo plain >/home/"+user+"/"+user+".example.com/public/plain.txt")
	}
	visit := func(user string) string {
		return host.Exec(t, "curl", "-sS", "--max-time", "10", "-H", "Cookie: PHPSESSID=0123456789abcdef0123456789", "-H",
			"Host: "+user+".example.com", "http://127.0.0.1/index.php")
	}
	if got := visit("alice"); got != "visit 1 of alice.example.com" {
		t.Fatalf("before: %q", got)
	}
	if got := strings.TrimSpace(host.Exec(t, "runuser", "-u", "bob", "--", "cat", "/home/alice/alice.example.com/public/plain.txt")); got != "plain" {
		t.Fatalf("the program from before closes accounts off already: %q", got)
	}
	host.Exec(t, "usermod", "-aG", "www-data", "bob")
	shared := strings.TrimSpace(host.Exec(t, "sh", "-c", "cat /etc/php/*/fpm/pool.d/hostler-*.conf | grep -c '^user = '"))

	stops := map[string]func() *tally{}
	for _, user := range []string{"alice", "bob", "forge"} {
		stops[user] = pressureOf(t, host.IP, user+".example.com", user == "bob", 1)
	}
	p.Stop()
	become(now)
	// The first change fails, since a file of nginx's is broken. It is rolled back, and retried afterwards.
	const broken = "/etc/nginx/conf.d/99-broken.conf"
	host.WriteFile(t, broken, []byte("nonsense;\n"), 0o644)
	if err := p.Up(); err != nil {
		t.Fatal(err)
	}
	const failed = "SELECT event_id, coalesce(reason, '') FROM operations WHERE action = 'enclose' AND state = 'failed'"
	hosts.Eventually(t, 3*time.Minute, "a site can't be enclosed", func() error {
		if p.Count(t, "SELECT count(*) FROM operations WHERE action = 'enclose' AND state = 'failed'") == 0 {
			return errors.New("none failed")
		}
		return nil
	})
	host.Exec(t, "rm", broken)
	for _, row := range p.Rows(t, failed) {
		if !strings.Contains(row[1], "nginx") {
			t.Errorf("it failed because %s", row[1])
		}
		if left := strings.TrimSpace(host.Exec(t, "sh", "-c",
			"systemctl list-units --all --plain --no-legend 'hostler-php*'; ls -d /etc/systemd/system/hostler-php* /etc/hostler/php/*/* 2>/dev/null; stat -c "+
				"%a /home/alice")); left != "711" {
			t.Errorf("left of a change that failed:\n%s", left)
		}
		p.Retry(t, r.server, panel.Operation{EventID: row[0]})
	}
	hosts.Eventually(t, 6*time.Minute, "all sites are enclosed", func() error {
		if n := p.Count(t, "SELECT count(*) FROM operations WHERE action = 'enclose' AND state = 'succeeded'"); n != 3 {
			return fmt.Errorf("%d of 3 sites are: %v", n, p.Rows(t, "SELECT description, state, coalesce(reason, '') FROM operations WHERE action = 'enclose'"))
		}
		return nil
	})
	for user, stop := range stops {
		y := stop()
		if len(y.failed) > 0 {
			t.Errorf("%d of %d requests to %s failed, the first: %s", len(y.failed), y.total, user, y.failed[0])
		}
		t.Logf("%d requests to %s meanwhile", y.total, user)
	}
	if got := visit("alice"); got != "visit 2 of alice.example.com" {
		t.Errorf("a visitor of alice is not known any more: %q", got)
	}
	for _, pair := range [][2]string{{"alice", "bob"}, {"bob", "alice"}, {"forge", "alice"}, {"alice", "forge"}} {
		if out, err := host.TryExec("runuser", "-u", pair[0], "--", "cat", "/home/"+pair[1]+"/"+pair[1]+".example.com/public/plain.txt"); err == nil {
			t.Errorf("%s reads a file of %s: %s", pair[0], pair[1], out)
		}
	}
	left := strings.TrimSpace(host.Exec(t, "sh", "-c", "cat /etc/php/*/fpm/pool.d/hostler-*.conf | grep '^user = '"))
	if shared != "3" || left != "user = forge" {
		t.Errorf("of %s pools the shared master has %q now", shared, left)
	}
	t.Logf("memory of PHP, in kB (proportional set size):\n%s",
		host.Exec(t, "sh", "-c", `for u in $(systemctl list-units --plain --no-legend 'php*-fpm.service' 'hostler-php*.service' | cut -d' ' -f1); do
		g=$(systemctl show -P ControlGroup $u);
		n=0; for p in $(cat /sys/fs/cgroup$g/cgroup.procs /sys/fs/cgroup/systemd$g/cgroup.procs 2>/dev/null); do
			 n=$((n + $(awk '/^Pss:/ {print $2}' /proc/$p/smaps_rollup))); done
		m=$(systemctl show -P MainPID $u)
		echo $u all $n master $(awk '/^Pss:/ {print $2}' /proc/$m/smaps_rollup) rss $(awk '/^Rss:/ {print $2}' /proc/$m/smaps_rollup); done`))

	// All masters of a version mean what happens to its service: a new binary takes effect, and a stop is one.
	unit := strings.TrimSpace(host.Exec(t, "sh", "-c", "systemctl list-units --plain --no-legend 'php*-fpm.service' | cut -d' ' -f1"))
	becomes := func(what, user, want string) {
		t.Helper()
		hosts.Eventually(t, 30*time.Second, what, func() error {
			if got := visit(user); !strings.Contains(got, want) {
				return fmt.Errorf("it answers %q", got)
			}
			return nil
		})
	}
	mains := func() string { return host.Exec(t, "sh", "-c", "systemctl show -P MainPID 'hostler-php*.service'") }
	then := mains()
	host.Exec(t, "systemctl", "restart", unit)
	hosts.Eventually(t, 30*time.Second, "the other masters are restarted with "+unit, func() error {
		if now := mains(); now == then {
			return fmt.Errorf("they are %s", now)
		}
		return nil
	})
	becomes("PHP is back after a restart of "+unit, "alice", "of alice.example.com")
	becomes("PHP is back after a restart of "+unit, "bob", "of bob.example.com")
	host.Exec(t, "systemctl", "stop", unit)
	becomes("PHP stops with "+unit, "bob", "502")
	host.Exec(t, "systemctl", "start", unit)
	becomes("PHP starts with "+unit, "bob", "of bob.example.com")
	host.Reboot(t)
	hosts.Eventually(t, time.Minute, "PHP is back after a reboot", func() error {
		if out, err := host.TryExec("curl", "-sS", "--max-time", "10", "-H", "Host: alice.example.com",
			"http://127.0.0.1/index.php"); err != nil || !strings.HasPrefix(out, "visit") {
			return fmt.Errorf("it answers %q %w", out, err)
		}
		return nil
	})
}
