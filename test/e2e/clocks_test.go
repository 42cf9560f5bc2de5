package e2e_test

import (
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

// clocks builds a panel whose clock is ahead of the machine's by what a file says, and an agent whose clock is ahead of its host's in the same way: practice
// hosts share the clock of the machine.
func clocks(t *testing.T) (program, ours string) {
	t.Helper()
	dir := t.TempDir()
	ours = filepath.Join(dir, "ahead")
	variant := func(in, path string, replace ...string) panel.File {
		raw, err := os.ReadFile(filepath.Join("..", "..", in))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(replace); i += 2 {
			if strings.Count(string(raw), replace[i]) != 1 {
				t.Fatalf("%s does not have %q once", in, replace[i])
			}
		}
		text := strings.NewReplacer(replace...).Replace(string(raw)) +
			fmt.Sprintf("\nfunc ahead() time.Duration {\n\traw, _ := os.ReadFile(%q)\n\tby, _ := time.ParseDuration(string(raw))\n\treturn by\n}\n", path)
		to := filepath.Join(dir, strings.ReplaceAll(in, "/", "-"))
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return panel.File{In: in, From: to}
	}
	program = filepath.Join(dir, "hostler")
	panel.Variant(t, program,
		variant("internal/ground/clock/clock.go", ours, "import \"time\"\n", "import (\n\t\"os\"\n\t\"time\"\n)\n", "return time.Now().UTC()",
			"return time.Now().Add(ahead()).UTC()"),
		variant("cmd/hostler-agent/main.go", "/run/ahead", `flags.Duration("ahead", 0,`, `flags.Duration("ahead", ahead(),`))
	return program, ours
}

// The clock of a host is wrong by minutes, either way: every change works, and attention names the host until its clock is right. The panel's own clock jumps
// by a day, either way, while work waits for a host: none of it ends, and no history is lost.
func TestClocksThatAreWrong(t *testing.T) {
	hosts.Require(t)
	program, ours := clocks(t)
	panel.BuildImage(t)
	bed := hosts.Shared(t, 1, hosts.Image(panel.Image), hosts.Fresh())
	p, err := panel.New(program, bed.Gateway)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the panel's log:\n%s", p.Log())
		}
	})
	w := &World{Panel: p, Bed: bed}
	s := p.Add(t, bed.Host(1), "loadbalancer")
	w.Servers = []panel.Server{s}
	p.Ready(t, s)
	h := s.Host

	port := 8400
	rule := func(what string) {
		t.Helper()
		port++
		allow(t, w, s, map[string]any{"name": what, "port": fmt.Sprint(port), "type": "allow"})
	}
	for _, by := range []string{"10m", "-10m", "25h", "20s"} {
		h.WriteFile(t, "/run/ahead", []byte(by), 0o644)
		h.Exec(t, "sh", "-c", "loginctl terminate-user root; true") // a session has its agent, and that its clock
		rule("with a clock that is ahead by " + by)
		attends(t, w, s, "clock-apart", by != "20s")
	}

	events := func() int { return p.Count(t, "SELECT count(*) FROM events") }
	set := func(by string) {
		t.Helper()
		if err := os.WriteFile(ours+".new", []byte(by), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(ours+".new", ours); err != nil {
			t.Fatal(err)
		}
	}
	for _, to := range []string{"24h", "0s", "-24h", "0s"} {
		h.Cut(t)
		port++
		waiting := addRule(t, w, s, map[string]any{"name": "while the clock jumps", "port": fmt.Sprint(port), "type": "allow"})
		id := waiting.Operation().ID
		deadline := func() time.Time {
			var at int64
			if err := p.DB(t).QueryRowContext(t.Context(), "SELECT deadline FROM operations WHERE id = "+id).Scan(&at); err != nil {
				t.Fatal(err)
			}
			return time.UnixMicro(at)
		}
		before, history := deadline(), events()
		set(to)
		hosts.Eventually(t, 2*time.Minute, "the deadline moves with the clock to "+to, func() error {
			if by := deadline().Sub(before).Abs(); by < 23*time.Hour {
				return fmt.Errorf("it moved by %s", by)
			}
			return nil
		})
		if op := w.Get(t, rulePath(s, waiting)).Operation(); op.State != "pending" && op.State != "running" {
			t.Errorf("after the clock jumped to %s, work that waits is %+v", to, op)
		}
		h.Heal(t)
		if got := w.Settled(t, 3*time.Minute, rulePath(s, waiting)); got.Text("status") != "installed" {
			t.Errorf("after the clock jumped to %s, the rule is %s: %+v", to, got.Text("status"), got.Operation())
		}
		if now := events(); now < history {
			t.Errorf("after the clock jumped to %s there are %d events, there were %d", to, now, history)
		}
	}
	if got := w.Want(t, http.StatusOK, http.MethodGet, s.Path("/events?page[size]=100"), nil); len(got.List) < 8 {
		t.Errorf("the server has %d events", len(got.List))
	}
}
