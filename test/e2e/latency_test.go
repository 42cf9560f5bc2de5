package e2e_test

import (
	"net"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// BenchmarkRuleChange measures one firewall rule on a warm connection, from the request: until it is accepted, until a new
// connection gets through (live), and until a new connection of Hostler's own has confirmed it and the API says so. go test -run
// '^$' -bench RuleChange -benchtime 50x ./test/e2e
func BenchmarkRuleChange(b *testing.B) {
	panel.BuildImage(b)
	bed := hosts.Shared(b, 1, hosts.Image(panel.Image), hosts.Fresh())
	w := newWorld(b, panel.Start(b, bed), bed, "loadbalancer")
	w.Bed = bed
	s := w.Server(1)
	serve(b, s.Host, 8080)
	var accepted, live, confirmed []time.Duration
	for b.Loop() {
		began := time.Now()
		r := w.Want(b, http.StatusAccepted, http.MethodPost, s.Path("/firewall-rules"), map[string]any{"name": "bench", "port": "8080", "type": "allow"}).Data
		accepted = append(accepted, time.Since(began))
		for {
			c, err := net.DialTimeout("tcp", s.Host.Addr(8080), 4*time.Millisecond)
			if err == nil {
				_ = c.Close()
				break
			}
		}
		live = append(live, time.Since(began))
		for w.Get(b, rulePath(s, r)).Text("status") != "installed" {
			time.Sleep(time.Millisecond)
		}
		confirmed = append(confirmed, time.Since(began))
		b.StopTimer()
		w.Want(b, http.StatusAccepted, http.MethodDelete, rulePath(s, r), nil)
		w.Gone(b, 30*time.Second, rulePath(s, r))
		b.StartTimer()
	}
	for name, d := range map[string][]time.Duration{"accepted": accepted, "live": live, "confirmed": confirmed} {
		slices.Sort(d)
		at := func(q float64) float64 { return float64(d[int(q*float64(len(d)-1))].Microseconds()) / 1000 }
		b.ReportMetric(at(0.5), name+"-ms")
		b.Logf("%s: median %.1f ms, quartiles %.1f to %.1f, least %.1f, most %.1f, of %d", name, at(0.5), at(0.25), at(0.75), at(0), at(1), len(d))
	}
}
