package e2e_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// minutes is what the last hour's metrics say, by minutes since 1970.
type minutes struct {
	first int64
	lists map[string][]any
}

func lastHour(t *testing.T, p *panel.Panel, s panel.Server) minutes {
	t.Helper()
	return lastHourOf(t, p, s.Path("/metrics?range=1h"))
}

func lastHourOf(t *testing.T, p *panel.Panel, path string) minutes {
	t.Helper()
	a := p.Want(t, http.StatusOK, http.MethodGet, path, nil).Data
	from, err := time.Parse(time.RFC3339Nano, a.Text("from"))
	if err != nil {
		t.Fatal(err)
	}
	m := minutes{first: from.Unix() / 60, lists: map[string][]any{}}
	for name, value := range a.Attributes {
		m.lists[name], _ = value.([]any)
	}
	return m
}

// newest returns the last minute in which all of these were measured, and their values then; 0 if there is none.
func (m minutes) newest(names ...string) (minute int64, values map[string]float64) {
	for i := len(m.lists[names[0]]) - 1; i >= 0; i-- {
		values := map[string]float64{}
		for _, name := range names {
			if v, ok := m.lists[name][i].(float64); ok {
				values[name] = v
			}
		}
		if len(values) == len(names) {
			return m.first + int64(i), values
		}
	}
	return 0, nil
}

// sums adds up what was measured after a minute.
func (m minutes) sums(after int64, names ...string) string {
	var out []string
	for _, name := range names {
		sum := 0.0
		for i, v := range m.lists[name] {
			if v, ok := v.(float64); ok && m.first+int64(i) > after {
				sum += v
			}
		}
		out = append(out, fmt.Sprint(sum))
	}
	return strings.Join(out, " ")
}

// lacks returns the minutes between two in which a metric was not measured.
func (m minutes) lacks(name string, from, until int64) (missing []int64) {
	for minute := from; minute <= until; minute++ {
		if i := minute - m.first; i < 0 || i >= int64(len(m.lists[name])) || m.lists[name][i] == nil {
			missing = append(missing, minute)
		}
	}
	return missing
}

// A load on a server is seen in its metrics; so is what the server measured while Hostler was down, also when it was rebooted meanwhile.
func TestMetricsOfLoadAndAbsence(t *testing.T) {
	panel.BuildImage(t)
	bed := hosts.Shared(t, 1, hosts.Image(panel.Image), hosts.Disk("1500M"), hosts.Fresh())
	w := newWorld(t, panel.Start(t, bed), bed, "web")
	s := w.Server(1)
	names := []string{"cpu", "cpu_load", "used_memory", "disk", "network_received", "network_sent"}
	var before map[string]float64
	hosts.Eventually(t, 5*time.Minute, "the server measures itself without any monitor", func() error {
		if _, before = lastHour(t, w.Panel, s).newest(names...); before == nil {
			return fmt.Errorf("no minute has all of %v", names)
		}
		return nil
	})

	s.Host.Exec(t, "fallocate", "-l", "150M", "/root/load") // a tenth of the disk
	s.Host.Exec(t, "systemd-run", "--unit=load", "sh", "-c", "while :; do curl -s -o /dev/null "+w.URL+"/; done")
	hosts.Eventually(t, 5*time.Minute, "the load is seen", func() error {
		_, now := lastHour(t, w.Panel, s).newest(names...)
		if now["disk"] < before["disk"]+5 || now["network_received"] < before["network_received"]+5000 ||
			now["network_sent"] < before["network_sent"]+2000 || now["cpu"] < 5 {
			return fmt.Errorf("it is %v, and was %v", now, before)
		}
		return nil
	})
	seen, _ := lastHour(t, w.Panel, s).newest("disk")

	w.Stop()
	s.Host.Exec(t, "systemctl", "stop", "load")
	s.Host.Exec(t, "rm", "/root/load")
	away := hostMinute(t, s)
	hosts.Eventually(t, 5*time.Minute, "two minutes are measured on the host", func() error { return measuredSince(t, s, away, 2) })
	s.Host.Reboot(t)
	rebooted := hostMinute(t, s)
	hosts.Eventually(t, 5*time.Minute, "it measures itself after the reboot", func() error { return measuredSince(t, s, rebooted, 2) })
	if err := w.Up(); err != nil {
		t.Fatal(err)
	}
	var now minutes
	hosts.Eventually(t, 3*time.Minute, "the minutes of the absence are there", func() error {
		now = lastHour(t, w.Panel, s)
		if missing := now.lacks("disk", rebooted+1, rebooted+2); len(missing) > 0 {
			return fmt.Errorf("minutes %v are missing", missing)
		}
		return nil
	})
	if missing := now.lacks("disk", seen, away+2); len(missing) > 0 {
		t.Errorf("of the minutes %d to %d before the reboot %v are missing", seen, away+2, missing)
	}
	if disk, ok := now.lists["disk"][away+1-now.first].(float64); !ok || disk > before["disk"]+2 {
		t.Errorf("a minute after Hostler went the disk was %v, and %v before the load", disk, before["disk"])
	}
}

// What visitors ask of two sites of a server is counted to the last request, each site's own, also while Hostler is down and the logs are rotated.
func TestRequestsOfSitesAreCounted(t *testing.T) {
	hosts.Require(t)
	panel.BuildImage(t)
	bed := hosts.Shared(t, 1, hosts.Image(panel.Image))
	w := newWorld(t, panel.Start(t, bed), bed, "web")
	s := w.Server(1)
	shop := site(t, w, s, map[string]any{"name": "shop.example.com", "type": "php", "is_isolated": true, "isolated_user": "shop"})
	page := site(t, w, s, map[string]any{"name": "page.example.com", "type": "static-html"})
	root := strings.TrimSpace(s.Host.Exec(t, "sh", "-c", `nginx -T 2>/dev/null | sed -n 's/^ *root "\?\(\/home\/shop\/[^";]*\)"\?;/\1/p' | head -n 1`))
	s.Host.WriteFile(t, root+"/answer.php", []byte("<?php http_response_code((int) $_GET['status']);"), 0o644)
	names := []string{"requests", "client_errors", "server_errors"}
	of := func(r panel.Resource) minutes {
		return lastHourOf(t, w.Panel, s.Path("/sites/"+r.ID+"/metrics?range=1h"))
	}
	var from int64
	hosts.Eventually(t, 5*time.Minute, "both sites are counted", func() error {
		a, _ := of(shop).newest(names...)
		b, _ := of(page).newest(names...)
		if from = max(a, b); a == 0 || b == 0 {
			return fmt.Errorf("the newest minutes are %d and %d", a, b)
		}
		return nil
	})
	ask := func(name, path string, times int) {
		t.Helper()
		s.Host.Exec(t, "sh", "-c", fmt.Sprintf("for i in $(seq %d); do curl -s -o /dev/null -A '\" 500 0 \"' -H 'Host: %s' 'http://127.0.0.1%s'; done", times,
			name, path))
	}
	counted := func(what, ofShop, ofPage string) {
		t.Helper()
		hosts.Eventually(t, 4*time.Minute, what, func() error {
			if a, b := of(shop).sums(from, names...), of(page).sums(from, names...); a != ofShop || b != ofPage {
				return fmt.Errorf("%s and %s, want %s and %s", a, b, ofShop, ofPage)
			}
			return nil
		})
	}
	ask("shop.example.com", "/", 120)
	ask("shop.example.com", "/answer.php?status=404", 30)
	ask("shop.example.com", "/answer.php?status=503&x=200%20%22", 7)
	ask("page.example.com", "/", 5)
	ask("page.example.com", "/missing", 1)
	counted("all requests are counted", "157 30 7", "6 1 0")

	w.Stop()
	away := hostMinute(t, s)
	ask("shop.example.com", "/", 11)
	s.Host.Exec(t, "logrotate", "--force", "/etc/logrotate.d/nginx")
	ask("shop.example.com", "/answer.php?status=500", 3)
	hosts.Eventually(t, 5*time.Minute, "two minutes are measured on the host", func() error { return measuredSince(t, s, away, 2) })
	ask("page.example.com", "/missing", 2)
	if err := w.Up(); err != nil {
		t.Fatal(err)
	}
	counted("those of the absence as well", "171 30 10", "8 3 0")
	if out := s.Host.Exec(t, "systemctl", "show", "-p", "Result", "--value", "hostler-monitor.service"); strings.TrimSpace(out) != "success" {
		t.Errorf("measuring ended with %s", out)
	}
}

// hostMinute returns the minute since 1970 that it is on a host.
func hostMinute(t *testing.T, s panel.Server) int64 {
	t.Helper()
	n, err := strconv.ParseInt(strings.TrimSpace(s.Host.Exec(t, "date", "+%s")), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n / 60
}

// measuredSince reports whether a host has measured itself in each of some minutes after one: a record of the ring begins with its minute.
func measuredSince(t *testing.T, s panel.Server, after, minutes int64) error {
	t.Helper()
	for minute := after + 1; minute <= after+minutes; minute++ {
		got, err := s.Host.TryExec("od", "-An", "-td8", "-N8", "-j"+strconv.FormatInt(minute%wire.RingMinutes*64, 10), "/var/lib/hostler/monitors/ring")
		if err != nil || strings.TrimSpace(got) != strconv.FormatInt(minute, 10) {
			return fmt.Errorf("minute %d is not measured: %q %w", minute, got, err)
		}
	}
	return nil
}
