package e2e_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// A monitor alerts under a load on its server and recovers after it, also when both happen while Hostler is down.
func TestMonitorAlertsAndRecovers(t *testing.T) {
	panel.BuildImage(t)
	bed := hosts.Shared(t, 1, hosts.Image(panel.Image), hosts.Disk("1500M"), hosts.Fresh()) // the disk of others is filled by others
	w := newWorld(t, panel.Start(t, bed), bed, "web")
	s := w.Server(1)
	used := func() float64 {
		out, err := s.Host.TryExec("df", "--output=pcent", "/")
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.ParseFloat(strings.TrimSuffix(strings.Fields(out)[1], "%"), 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	free, err := s.Host.TryExec("df", "--output=avail,size", "-B1M", "/")
	if err != nil {
		t.Fatal(err)
	}
	size, err := strconv.ParseFloat(strings.Fields(free)[3], 64)
	if err != nil {
		t.Fatal(err)
	}
	before := used()
	const margin = 4 // percent
	load := strconv.Itoa(int(size*2*margin/100)) + "M"
	fill := func() {
		t.Helper()
		if out, err := s.Host.TryExec("fallocate", "-l", load, "/root/load"); err != nil {
			t.Fatalf("fallocate %s: %v %s", load, err, out)
		}
	}
	empty := func() { _, _ = s.Host.TryExec("rm", "-f", "/root/load") }
	t.Cleanup(empty)
	made := w.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/monitors"), map[string]any{
		"type": "disk", "operator": "gte", "threshold": before + margin,
		"minutes": 1, "notify": "ops@example.com",
	}).Data
	path := s.Path("/monitors/" + made.ID)
	w.Settled(t, 30*time.Second, path)
	is := func(state string) (since string) {
		t.Helper()
		a, _ := w.Until(t, 4*time.Minute, path, state, func(a panel.Answer) bool { return a.Data.Text("state") == state })
		return a.Data.Text("state_changed_at")
	}
	is("OK")
	fill()
	alerted := is("ALERT")
	w.Stop()
	changes := func() int {
		return strings.Count(string(s.Host.ReadFile(t, "/var/lib/hostler/monitors/states")), `"state"`)
	}
	had := changes()
	empty()
	hosts.Eventually(t, 2*time.Minute, "the recovery is noted on the host", func() error { return atLeast(changes(), had+1) })
	fill()
	hosts.Eventually(t, 2*time.Minute, "and the next alert", func() error { return atLeast(changes(), had+2) })
	empty()
	hosts.Eventually(t, 2*time.Minute, "and its end", func() error { return atLeast(changes(), had+3) })
	if err := w.Up(); err != nil {
		t.Fatal(err)
	}
	if since := is("OK"); since <= alerted {
		t.Errorf("it recovered at %s and had alerted at %s", since, alerted)
	}
	w.Want(t, http.StatusAccepted, http.MethodDelete, path, nil)
	w.Gone(t, 30*time.Second, path)
	if out, err := s.Host.TryExec("test", "!", "-e", "/etc/hostler/monitors"); err != nil {
		t.Errorf("without a monitor there is a list of them: %s", out)
	}
}

func atLeast(n, want int) error {
	if n < want {
		return fmt.Errorf("there are %d, and are to be %d", n, want)
	}
	return nil
}

// A URL that answers with an error alerts, and recovers when it answers again. The server has no part in it.
func TestURLMonitorAlertsAndRecovers(t *testing.T) {
	hosts.Require(t)
	panel.BuildImage(t)
	bed := hosts.Shared(t, 1, hosts.Image(panel.Image))
	w := newWorld(t, panel.Start(t, bed), bed, "web")
	s := w.Server(1)
	answers := func(status int) {
		t.Helper()
		s.Host.WriteFile(t, "/etc/nginx/conf.d/own.conf", fmt.Appendf(nil, "server { listen 80; server_name %s; return %d; }\n", s.Host.IP, status), 0o644)
		s.Host.Exec(t, "systemctl", "reload", "nginx")
	}
	answers(204)
	made := w.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/monitors"), map[string]any{
		"type": "url", "operator": "gte", "threshold": 1, "minutes": 2,
		"notify": "ops@example.com", "url": "http://" + s.Host.IP + "/up",
	}).Data
	path := s.Path("/monitors/" + made.ID)
	w.Settled(t, 30*time.Second, path)
	is := func(state string) {
		t.Helper()
		w.Until(t, 5*time.Minute, path, state, func(a panel.Answer) bool { return a.Data.Text("state") == state })
	}
	is("OK")
	answers(503)
	is("ALERT")
	answers(200)
	is("OK")
	if _, err := s.Host.TryExec("test", "!", "-e", "/etc/hostler/monitors"); err != nil {
		t.Error("the server was told of a URL")
	}
}
