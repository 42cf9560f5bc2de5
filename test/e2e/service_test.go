package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// Actions on services do on a server what they say, and a configuration that nginx refuses leaves it running.
func TestServices(t *testing.T) {
	w := world(t)
	s := w.Server(2)
	state := func(unit, property string) string {
		out, _ := s.Host.TryExec("systemctl", "show", "-P", property, unit)
		return strings.TrimSpace(out)
	}
	act := func(service string, body map[string]any) string {
		t.Helper()
		a := w.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/services/"+service+"/actions"), body)
		event := a.Header.Get("X-Hostler-Event")
		got, _ := w.Until(t, 2*time.Minute, s.Path("/events/"+event), "ended", func(a panel.Answer) bool {
			now := a.Data.Operation().State
			return now == "succeeded" || now == "failed"
		})
		return got.Data.Operation().State
	}
	php, version := "", ""
	for _, r := range w.Want(t, http.StatusOK, http.MethodGet, s.Path("/services"), nil).List {
		if r.Text("state") != "active" {
			t.Errorf("%s is %s", r.Text("unit"), r.Text("state"))
		}
		if r.Text("name") == "php" {
			php, version = r.Text("unit"), r.Text("version")
		}
	}
	if php == "" {
		t.Fatal("the server is said to have no PHP")
	}
	for unit, c := range map[string]struct {
		service string
		body    map[string]any
	}{
		"nginx.service":        {"nginx", map[string]any{"action": "reboot"}},
		"redis-server.service": {"redis", map[string]any{"action": "reboot"}},
		php:                    {"php", map[string]any{"action": "reboot", "version": version}},
	} {
		before := state(unit, "MainPID")
		if ended := act(c.service, c.body); ended != "succeeded" || state(unit, "MainPID") == before || state(unit, "ActiveState") != "active" {
			t.Errorf("restarting %s has %s: it was process %s and is %s", unit, ended, before, state(unit, "MainPID"))
		}
	}
	before := state(php, "MainPID")
	if ended := act("php", map[string]any{"action": "reload", "version": version}); ended != "succeeded" || state(php, "MainPID") != before {
		t.Errorf("reloading PHP has %s: it was process %s and is %s", ended, before, state(php, "MainPID"))
	}

	const broken = "/etc/nginx/conf.d/broken.conf"
	s.Host.WriteFile(t, broken, []byte("nonsense;\n"), 0o644)
	defer s.Host.Exec(t, "rm", "-f", broken)
	before = state("nginx.service", "MainPID")
	if ended := act("nginx", map[string]any{"action": "reboot"}); ended != "failed" || state("nginx.service", "MainPID") != before {
		t.Errorf("with a broken configuration, restarting nginx has %s: it was process %s and is %s", ended, before, state("nginx.service", "MainPID"))
	}
	s.Host.Exec(t, "rm", "-f", broken)
	if ended := act("nginx", map[string]any{"action": "stop"}); ended != "succeeded" || state("nginx.service", "ActiveState") != "inactive" {
		t.Errorf("stopping nginx has %s, and it is %s", ended, state("nginx.service", "ActiveState"))
	}
	if ended := act("nginx", map[string]any{"action": "reboot"}); ended != "succeeded" || state("nginx.service", "ActiveState") != "active" {
		t.Errorf("restarting nginx that was stopped has %s, and it is %s", ended, state("nginx.service", "ActiveState"))
	}
}
