package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// A server that has Valkey and not Redis is set up with it: the service, its log, and the own instance of an isolated site.
func TestValkey(t *testing.T) {
	hosts.Require(t)
	panel.BuildImage13(t)
	bed := hosts.Shared(t, 1, hosts.Image(panel.Image13), hosts.Fresh())
	p := panel.Start(t, bed)
	h := bed.Host(1)
	h.Exec(t, "sh", "-ec", "export DEBIAN_FRONTEND=noninteractive; apt-get -q -y purge redis-server redis-tools; apt-get -q update; "+
		"apt-get -q -y install --no-install-recommends valkey-server valkey-tools")
	s := p.Add(t, h, "app")
	p.Ready(t, s)
	if out, _ := h.TryExec("dpkg-query", "-W", "-f=${db:Status-Status}", "redis-server"); strings.Contains(out, "installed") &&
		!strings.Contains(out, "not-installed") {
		t.Errorf("Redis was installed beside it: %s", out)
	}
	unit := ""
	for _, r := range p.Want(t, http.StatusOK, http.MethodGet, s.Path("/services"), nil).List {
		if r.Text("name") == "redis" {
			unit = r.Text("unit") + " " + r.Text("state")
		}
	}
	if unit != "valkey-server.service active" {
		t.Errorf("the service is %q", unit)
	}
	pid := func() string {
		return strings.TrimSpace(h.Exec(t, "systemctl", "show", "-P", "MainPID", "valkey-server.service"))
	}
	before := pid()
	a := p.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/services/redis/actions"), map[string]any{"action": "reboot"})
	got, _ := p.Until(t, 2*time.Minute, s.Path("/events/"+a.Header.Get("X-Hostler-Event")), "ended", func(a panel.Answer) bool {
		now := a.Data.Operation().State
		return now == "succeeded" || now == "failed"
	})
	if state := got.Data.Operation().State; state != "succeeded" || pid() == before {
		t.Errorf("restarting has %s: it was process %s and is %s", state, before, pid())
	}
	if log := p.Want(t, http.StatusOK, http.MethodGet, s.Path("/logs/redis"), nil).Body; !strings.Contains(strings.ToLower(log), "valkey") {
		t.Errorf("the log is %s", log)
	}
	site := p.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/sites"), map[string]any{
		"type": "php", "name": "shop.example.com", "is_isolated": true, "isolated_user": "shop",
	}).Data
	p.Settled(t, 3*time.Minute, "/sites/"+site.ID)
	if out := h.Exec(t, "cat", "/etc/systemd/system/hostler-redis-shop.service"); !strings.Contains(out, "ExecStart=/usr/bin/valkey-server ") {
		t.Errorf("the account's own unit is\n%s", out)
	}
	for user, key := range map[string]string{"shop": "theirs", "forge": "ours"} { // each reaches its own at the usual port
		h.Exec(t, "runuser", "-u", user, "--", "valkey-cli", "-p", "6379", "set", key, "1")
		if out := h.Exec(t, "runuser", "-u", user, "--", "valkey-cli", "-p", "6379", "keys", "*"); strings.TrimSpace(out) != key {
			t.Errorf("%s sees the keys %q", user, out)
		}
	}
}
