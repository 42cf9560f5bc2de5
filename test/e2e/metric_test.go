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
	a := p.Want(t, http.StatusOK, http.MethodGet, s.Path("/metrics?range=1h"), nil).Data
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
		if now["disk"] < before["disk"]+5 || now["network_received"] < before["network_received"]+5000 || now["network_sent"] < before["network_sent"]+2000 || now["cpu"] < 5 {
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
