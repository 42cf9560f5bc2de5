// Package chaos_test kills everything at random moments during work, and compares the hosts afterwards. go test runs a tenth,
// HOSTLER_CHAOS=full (make chaos) the whole, HOSTLER_CHAOS_SEED another order of events.
package chaos_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
	"github.com/hostlerhq/hostler/test/hosts"
)

func TestMain(m *testing.M) {
	if root := os.Getenv(durableRoot); root != "" {
		fmt.Fprintln(os.Stderr, durableWorker(root))
		os.Exit(1)
	}
	pgtest.Main(m, panel.Clean)
}

// full reports whether the whole is asked for.
func full() bool { return os.Getenv("HOSTLER_CHAOS") == "full" }

func seeded(t testing.TB) *rand.Rand { return rand.New(rand.NewPCG(seed(t), 0)) }

func seed(t testing.TB) uint64 {
	seed := uint64(1)
	if text := os.Getenv("HOSTLER_CHAOS_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("HOSTLER_CHAOS_SEED: %v", err)
		}
	}
	t.Logf("HOSTLER_CHAOS_SEED=%d", seed)
	return seed
}

// change is one request of a client that never gives up: a rule is created, or an existing one is deleted.
type change struct {
	server panel.Server
	port   int
	rule   string // its id once it is known
	remove bool
	after  time.Duration // of the one before, so that kills and requests meet
}

// Nothing that was accepted is lost, nothing is done twice, and all ends, whatever is killed and when.
func TestKills(t *testing.T) {
	killsDuringChanges(t, 3, func(bed *hosts.Bed) *panel.Panel { return panel.Start(t, bed) }, map[string]func(*panel.Panel, int){
		"panel": func(p *panel.Panel, _ int) { p.Kill() },
	}, 20, 5)
}

// With two programs on one PostgreSQL database, nothing is lost either, and no client waits for a dead replica: only requests in
// flight at a kill fail, and can safely be repeated.
func TestReplicas(t *testing.T) {
	url := pgtest.Database(t, "empty", nil)
	p := killsDuringChanges(t, 2, func(bed *hosts.Bed) *panel.Panel { return panel.StartReplicas(t, bed, url, 2) }, map[string]func(*panel.Panel, int){
		"first replica": func(p *panel.Panel, _ int) { p.KillOne(0) }, "second replica": func(p *panel.Panel, _ int) { p.KillOne(1) },
	}, 16, 5)
	lost := p.Lost()
	for _, l := range lost {
		if !l.Killed {
			t.Errorf("%s %s was lost by %s, which was not killed: %v", l.Method, l.Path, l.Target, l.Err)
		}
	}
	t.Logf("%d requests were in flight at a kill, and were repeated", len(lost))
}

// killsDuringChanges kills the programs of a panel, its hosts and their agents at random moments while rules change on them: n
// changes and kills in a tenth, ten times as many in full. The answers, the database, the hosts' rules and their journals must
// agree afterwards.
func killsDuringChanges(t *testing.T, n int, start func(*hosts.Bed) *panel.Panel, ends map[string]func(*panel.Panel, int), changes, kills int) *panel.Panel {
	if full() {
		changes, kills = 10*changes, 10*kills
	}
	panel.BuildImage(t)
	random := seeded(t)
	bed := hosts.Shared(t, n, hosts.Image(panel.Image), hosts.Fresh())
	p := start(bed)
	var servers []panel.Server
	for _, h := range bed.All() {
		servers = append(servers, p.Add(t, h, "loadbalancer"))
	}
	p.Ready(t, servers...)

	// The order of everything is drawn before it begins, so that a seed gives the same chaos.
	work := make([][]change, len(servers))
	for i := range changes {
		s := random.IntN(len(servers))
		work[s] = append(work[s], change{
			server: servers[s], port: 10000 + i, remove: random.IntN(3) == 0,
			after: time.Duration(random.IntN(1100)) * time.Millisecond,
		})
	}
	type kill struct {
		what  string
		host  int
		after time.Duration
	}
	what := append(slices.Sorted(maps.Keys(ends)), "host", "agent")
	var plan []kill
	for range kills {
		plan = append(plan, kill{what[random.IntN(len(what))], random.IntN(len(servers)), time.Duration(random.IntN(700)) * time.Millisecond})
	}

	var done atomic.Bool
	var met atomic.Int64
	var clients, killer sync.WaitGroup
	made, deleted := make([][]string, len(servers)), make([][]string, len(servers))
	for i := range servers {
		clients.Go(func() {
			var last string
			for n, c := range work[i] {
				time.Sleep(c.after)
				if c.remove && last != "" {
					c.rule, last = last, ""
					insist(t, p, http.MethodDelete, c.server.Path("/firewall-rules/"+c.rule), "", nil)
					deleted[i] = append(deleted[i], c.rule)
					continue
				}
				a := insist(t, p, http.MethodPost, c.server.Path("/firewall-rules"), fmt.Sprintf("chaos-%d-%d", i, n),
					map[string]any{"name": "chaos", "port": strconv.Itoa(c.port), "type": []string{"allow", "deny"}[n%2]})
				last = a.Data.ID
				made[i] = append(made[i], last)
			}
		})
	}
	killer.Go(func() {
		for n, k := range plan {
			time.Sleep(k.after)
			h := servers[k.host].Host
			switch k.what {
			case "host":
				h.Kill(t)
				h.Start(t)
			case "agent":
				_, _ = h.TryExec("pkill", "-KILL", "-f", "[h]ostler-agent")
			default:
				ends[k.what](p, n)
				if err := p.Up(); err != nil {
					t.Errorf("start the panel again: %v", err)
					return
				}
			}
			if !done.Load() {
				met.Store(int64(n + 1))
			}
		}
	})
	clients.Wait()
	done.Store(true)
	killer.Wait()

	hosts.Eventually(t, 5*time.Minute, "all work has ended", func() error {
		if n := p.Count(t, `SELECT count(*) FROM operations WHERE state IN ('pending', 'running')`); n > 0 {
			return fmt.Errorf("%d operations go on", n)
		}
		return nil
	})
	agree(t, p)
	total := 0
	for i, s := range servers {
		total += checkHost(t, p, s, made[i], deleted[i])
	}
	t.Logf("%d changes on %d hosts, %d kills, %d of them before the last request: %v; the hosts' journals have %d runs", changes, len(servers), kills,
		met.Load(), countKills(len(plan), func(i int) string { return plan[i].what }), total)
	return p
}

// agree checks that all work has succeeded, except for work on some types of resources.
func agree(t *testing.T, p *panel.Panel, but ...string) {
	t.Helper()
	// A rule that was deleted before its creation began: the deletion reports it, and succeeds.
	for _, o := range p.Rows(t, `SELECT id, action, state, step, reason, resource_type FROM operations o WHERE state <> 'succeeded' AND NOT EXISTS (
		SELECT 1 FROM operations n WHERE n.resource_type = o.resource_type AND n.resource_id = o.resource_id AND n.state = 'succeeded'
			AND o.state = 'cancelled' AND o.reason = 'Superseded by operation ' || CAST(n.id AS TEXT) || '.')`) {
		if !slices.Contains(but, o[5]) {
			t.Errorf("operation %s (%s %s) %s in %q: %s", o[0], o[1], o[5], o[2], o[3], o[4])
		}
	}
	if n := p.Count(t, `SELECT count(*) FROM firewall_rules WHERE status NOT IN ('installed', 'failed')`); n > 0 {
		t.Errorf("%d rules are transitional", n)
	}
}

func countKills(n int, what func(int) string) map[string]int {
	out := map[string]int{}
	for i := range n {
		out[what(i)]++
	}
	return out
}

// insist asks until there is an answer: the panel is killed now and then. It ends the test on an answer that is an error.
func insist(t *testing.T, p *panel.Panel, method, path, key string, body any) panel.Answer {
	for tries := 0; ; tries++ {
		a, err := p.DoOnce(method, path, key, body)
		switch {
		case err == nil && a.Code == http.StatusAccepted, err == nil && method == http.MethodDelete && a.Code == http.StatusNotFound && tries > 0:
			return a
		case err == nil && a.Code < 500 && a.Code != http.StatusConflict || tries > 500:
			t.Errorf("%s %s: %d %v %s", method, path, a.Code, err, a.Body)
			return a
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// forgotten begins the names of directories to which agents' directories were moved.
const forgotten = "/root/forgotten-"

var comment = regexp.MustCompile(`comment "(\d+)"`)

// checkHost compares the answers, the database, the loaded rules, and the runs in the journals of the host: one that forgot may be sent a run once more.
func checkHost(t *testing.T, p *panel.Panel, s panel.Server, made, deleted []string) (runs int) {
	t.Helper()
	var rows []string
	for _, r := range p.Rows(t, `SELECT id FROM firewall_rules WHERE server_id = ? AND status = 'installed'`, s.ID) {
		rows = append(rows, r[0])
	}
	var loaded []string
	for _, m := range comment.FindAllStringSubmatch(s.Host.Exec(t, "nft", "list", "table", "inet", "hostler"), -1) {
		loaded = append(loaded, m[1])
	}
	slices.Sort(rows)
	slices.Sort(loaded)
	if !slices.Equal(rows, loaded) {
		t.Errorf("%s: the database has the rules %v, the host %v", s.Host.Name, rows, loaded)
	}
	for _, id := range made {
		want := !slices.Contains(deleted, id)
		if slices.Contains(rows, id) != want {
			t.Errorf("%s: rule %s was accepted; it should be there: %t", s.Host.Name, id, want)
		}
	}
	starts, ends := map[string]int{}, map[string]string{}
	for _, journal := range strings.Fields(s.Host.Exec(t, "sh", "-c", "ls /var/lib/hostler/journal.jsonl "+forgotten+"*/journal.jsonl 2>/dev/null; true")) {
		again := map[string]int{}
		for line := range strings.Lines(string(s.Host.ReadFile(t, journal))) {
			var l struct {
				ID, State string
				Start     bool
			}
			if err := json.Unmarshal([]byte(line), &l); err != nil {
				t.Errorf("%s: the journal has a line %q", s.Host.Name, line)
				continue
			}
			if l.Start {
				again[l.ID]++
			} else {
				ends[l.ID] = l.State
			}
		}
		for id, n := range again {
			if n != 1 {
				t.Errorf("%s: run %s was started %d times", s.Host.Name, id, n)
			}
			starts[id] = 1
		}
	}
	for _, r := range p.Rows(t, `SELECT id, state FROM runs WHERE server_id = ?`, s.ID) {
		id, state := r[0], r[1]
		if state == "running" {
			t.Errorf("%s: run %s is open", s.Host.Name, id)
		}
		if state == "succeeded" && (starts[id] != 1 || ends[id] != "succeeded" && ends[id] != "") {
			t.Errorf("%s: run %s succeeded, the host says %d starts and %q", s.Host.Name, id, starts[id], ends[id])
		}
		delete(starts, id)
	}
	for id := range starts {
		if strings.Contains(id, "-look-") { // what an engine of databases has, which is asked for without a row
			continue
		}
		t.Errorf("%s: nobody asked for run %s", s.Host.Name, id)
	}
	return len(ends)
}
