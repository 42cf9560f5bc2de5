package e2e_test

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// site makes a site and waits until it is installed.
func site(t testing.TB, w *World, s panel.Server, body map[string]any) panel.Resource {
	t.Helper()
	path := "/sites"
	if s.Type == "loadbalancer" {
		path += "/balancer"
	}
	r := w.Want(t, http.StatusAccepted, http.MethodPost, s.Path(path), body).Data
	got := w.Settled(t, time.Minute, "/sites/"+r.ID)
	if got.Text("status") != "installed" {
		t.Fatalf("site %v is %s: %+v\n%s", body, got.Text("status"), got.Operation(), w.Output(t, s, got.Operation().EventID))
	}
	return got
}

func removeSite(t testing.TB, w *World, s panel.Server, r panel.Resource) {
	t.Helper()
	w.Want(t, http.StatusAccepted, http.MethodDelete, s.Path("/sites/"+r.ID), nil)
	w.Gone(t, time.Minute, "/sites/"+r.ID)
}

// behind makes a site of one name on the web servers and on the balancer before them.
func behind(t testing.TB, w *World, name string, balancer map[string]any) panel.Resource {
	t.Helper()
	for i := 2; i <= 4; i++ {
		s := w.Server(i)
		r := site(t, w, s, map[string]any{"name": name, "type": "php"})
		t.Cleanup(func() { removeSite(t, w, s, r) })
	}
	balancer["domain"] = name
	lb := w.Server(1)
	r := site(t, w, lb, balancer)
	t.Cleanup(func() { removeSite(t, w, lb, r) })
	return r
}

func node(s panel.Server, weight int) map[string]any {
	return map[string]any{"server_id": number(s.ID), "weight": weight}
}

func number(id string) int {
	var n int
	_, _ = fmt.Sscan(id, &n)
	return n
}

func update(t testing.TB, w *World, r panel.Resource, method string, nodes ...map[string]any) {
	t.Helper()
	setNodes(t, w, r, map[string]any{"balancer_method": method, "balancing": nodes})
}

func setNodes(t testing.TB, w *World, r panel.Resource, body map[string]any) {
	t.Helper()
	w.Want(t, http.StatusAccepted, http.MethodPut, w.Server(1).Path("/sites/"+r.ID+"/load-balancing-nodes"), body)
	got := w.Settled(t, time.Minute, "/sites/"+r.ID)
	if got.Text("status") != "installed" || got.Operation().State != "succeeded" {
		t.Fatalf("site is %s after an update: %+v", got.Text("status"), got.Operation())
	}
}

// shares checks that requests were spread by these weights, within 10 percentage points.
func shares(t testing.TB, y *tally, weights map[string]int) {
	t.Helper()
	sum := 0
	for _, w := range weights {
		sum += w
	}
	if len(y.failed) > 0 {
		t.Errorf("%d of %d requests failed: %s", len(y.failed), y.total, y.failed[0])
	}
	for name, n := range y.byNode {
		if weights[name] == 0 {
			t.Errorf("%s got %d requests", name, n)
		}
	}
	for name, w := range weights {
		got, want := 100*float64(y.byNode[name])/float64(y.total), 100*float64(w)/float64(sum)
		if math.Abs(got-want) > 10 {
			t.Errorf("%s got %.1f%% of the requests instead of %.1f%%", name, got, want)
		}
	}
	t.Logf("%d requests: %v, wanted by weight %v", y.total, y.byNode, weights)
}

// A thousand requests are spread by weight; ip_hash keeps a client on a node; down and backup are honoured.
func TestBalancerSpreads(t *testing.T) {
	w := world(t)
	a, b, c := w.Server(2), w.Server(3), w.Server(4)
	r := behind(t, w, "spread.example.com", map[string]any{"balancing": []any{node(a, 1), node(b, 2), node(c, 5)}})
	lb := w.Server(1).Host.Addr(80)
	weights := map[string]int{a.Host.Name: 1, b.Host.Name: 2, c.Host.Name: 5}

	shares(t, ask(t, lb, "spread.example.com", 1000), weights)
	// By connections, a node of more weight gets more. How much more depends on how many are open at once, which each of nginx's workers counts apart.
	update(t, w, r, "least_conn", node(a, 1), node(b, 2), node(c, 5))
	if y := crowd(t, lb, "spread.example.com", 1000, 24); len(y.failed) > 0 || y.byNode[a.Host.Name] == 0 ||
		y.byNode[a.Host.Name] >= y.byNode[b.Host.Name] || y.byNode[b.Host.Name] >= y.byNode[c.Host.Name] {
		t.Errorf("by connections: %v for weights %v, failed %v", y.byNode, weights, y.failed)
	}

	update(t, w, r, "ip_hash", node(a, 1), node(b, 1), node(c, 1))
	if y := ask(t, lb, "spread.example.com", 200); len(y.byNode) != 1 || len(y.failed) > 0 {
		t.Errorf("ip_hash spread one client: %v, failed %v", y.byNode, y.failed)
	}

	down, backup := node(a, 1), node(c, 1)
	down["down"], backup["backup"] = true, true
	update(t, w, r, "round_robin", down, node(b, 1), backup)
	shares(t, ask(t, lb, "spread.example.com", 200), map[string]int{b.Host.Name: 1})

	// The backup serves once the others can't.
	b.Host.Exec(t, "systemctl", "stop", "nginx")
	t.Cleanup(func() { b.Host.Exec(t, "systemctl", "start", "nginx") })
	shares(t, ask(t, lb, "spread.example.com", 100), map[string]int{c.Host.Name: 1})
	b.Host.Exec(t, "systemctl", "start", "nginx")

	// All down: the site answers, with a 503 or a 502 of the balancer's own.
	down2, down3 := node(b, 1), node(c, 1)
	down2["down"], down3["down"] = true, true
	update(t, w, r, "round_robin", down, down2, down3)
	code, _, err := newVisitor(lb, "spread.example.com", false).get(t.Context())
	if err != nil || code < 500 {
		t.Errorf("all nodes down: %d %v", code, err)
	}
	t.Logf("all nodes down: %d", code)
}

// Connections to nodes are kept open if requested, and only then.
func TestBalancerKeepsConnections(t *testing.T) {
	w := world(t)
	a := w.Server(2)
	r := behind(t, w, "keep.example.com", map[string]any{"balancing": []any{node(a, 1)}})
	lb := w.Server(1).Host
	open := func() string {
		ask(t, lb.Addr(80), "keep.example.com", 20)
		return strings.TrimSpace(lb.Exec(t, "ss", "-Htn", "state", "established", "dst", a.Host.IP, "dport", "=", ":80"))
	}
	if got := open(); got != "" {
		t.Errorf("connections are kept without keepalive:\n%s", got)
	}
	setNodes(t, w, r, map[string]any{"balancer_method": "round_robin", "balancer_keepalive_max_connections": 8, "balancing": []any{node(a, 1)}})
	if got := open(); got == "" {
		t.Error("no connection to the node is kept with keepalive")
	} else {
		t.Logf("kept with keepalive 8: %d", strings.Count(got, "\n")+1)
	}
}

// Without nodes a site answers 503, until nodes are set.
func TestBalancerWithoutNodes(t *testing.T) {
	w := world(t)
	r := behind(t, w, "empty.example.com", map[string]any{})
	v := newVisitor(w.Server(1).Host.Addr(80), "empty.example.com", false)
	if code, _, err := v.get(t.Context()); code != http.StatusServiceUnavailable || err != nil {
		t.Errorf("without nodes: %d %v", code, err)
	}
	update(t, w, r, "round_robin", node(w.Server(2), 1))
	if code, text, err := v.get(t.Context()); code != http.StatusOK || err != nil || nodeOf(text) != w.Server(2).Host.Name {
		t.Errorf("with a node: %d %v %s", code, err, text)
	}
}

// Nodes change repeatedly under load, and no request fails.
func TestBalancerChangesUnderLoad(t *testing.T) {
	w := world(t)
	a, b, c := w.Server(2), w.Server(3), w.Server(4)
	r := behind(t, w, "busy.example.com", map[string]any{"balancing": []any{node(a, 1), node(b, 1)}})
	for _, keepAlive := range []bool{false, true} {
		t.Run(fmt.Sprintf("keep-alive %t", keepAlive), func(t *testing.T) {
			stop := pressure(t, w.Server(1).Host.Addr(80), "busy.example.com", keepAlive)
			for i := range 6 {
				keepalive := 8 * (i % 2)
				nodes := []any{node(a, 1+i), node(b, 1), node(c, 1)}[i%3:]
				setNodes(t, w, r, map[string]any{
					"balancer_method":                    []string{"round_robin", "least_conn", "ip_hash"}[i%3],
					"balancer_keepalive_max_connections": keepalive, "balancing": nodes,
				})
			}
			y := stop()
			if len(y.failed) > 0 {
				t.Errorf("%d of %d requests failed, the first: %s", len(y.failed), y.total, y.failed[0])
			}
			t.Logf("%d requests during 6 changes, %d failed: %v", y.total, len(y.failed), y.byNode)
		})
	}
}

// A node that dies is out within 5 seconds, and back after it heals. One that hangs and still accepts connections (freeze) is not
// tested: nginx does no active checks, so each request to such a node waits for proxy_read_timeout.
func TestBalancerLeavesDeadNode(t *testing.T) {
	w := world(t)
	a, b := w.Server(2), w.Server(3)
	behind(t, w, "dead.example.com", map[string]any{"balancing": []any{node(a, 1), node(b, 1)}})
	lb := w.Server(1).Host.Addr(80)
	shares(t, ask(t, lb, "dead.example.com", 100), map[string]int{a.Host.Name: 1, b.Host.Name: 1})

	for _, fault := range []struct {
		name       string
		begin, end func(testing.TB)
	}{
		{"killed", func(t testing.TB) { b.Host.Kill(t) }, func(t testing.TB) { b.Host.Start(t) }},
		{"cut off", func(t testing.TB) { b.Host.Cut(t) }, func(t testing.TB) { b.Host.Heal(t) }},
	} {
		t.Run(fault.name, func(t *testing.T) {
			v := newVisitor(lb, "dead.example.com", false)
			fault.begin(t)
			began := time.Now()
			slowest, failed := time.Duration(0), 0
			asked, slow := 0, 0 // of those that began 5 s after the fault
			for time.Since(began) < 12*time.Second {
				at := time.Now()
				code, _, err := v.get(t.Context())
				took := time.Since(at)
				slowest = max(slowest, took)
				if code != http.StatusOK || err != nil {
					failed++
				}
				if at.Sub(began) > 5*time.Second {
					asked++
					if took > time.Second {
						slow++
					}
				}
			}
			t.Logf("%s: %d requests failed, the slowest took %v; from 5 s on %d of %d were slow", fault.name, failed, slowest.Round(time.Millisecond), slow, asked)
			if failed > 0 {
				t.Errorf("%d requests failed", failed)
			}
			if slowest > 5*time.Second {
				t.Errorf("a request took %v", slowest)
			}
			if slow*20 > asked { // one asks every few seconds whether the node is back
				t.Errorf("the node is not out: %d of %d requests were slow", slow, asked)
			}
			fault.end(t)
			hosts.Eventually(t, 30*time.Second, "the node serves again", func() error {
				if y := ask(t, lb, "dead.example.com", 20); y.byNode[b.Host.Name] == 0 {
					return fmt.Errorf("not yet: %v", y.byNode)
				}
				return nil
			})
		})
	}
}
