package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// full asks for what takes minutes: every type on both Debians, ten kills.
func full() bool { return os.Getenv("HOSTLER_E2E") == "full" }

var kinds = []string{"app", "web", "loadbalancer", "database", "cache", "worker"}

// Every type is set up on a bare Debian 12 and 13, compared with the time that apt-get takes for the same packages on another host.
func TestProvisionTypes(t *testing.T) {
	kinds := kinds
	if !full() {
		t.Logf("skipped without HOSTLER_E2E=full: all types but loadbalancer")
		kinds = []string{"loadbalancer"}
	}
	for _, image := range []string{"base", "base13"} {
		for _, kind := range kinds {
			t.Run(image+" "+kind, func(t *testing.T) {
				bed := hosts.Shared(t, 2, hosts.Image(image), hosts.Fresh())
				p := panel.Start(t, bed)
				began := time.Now()
				s := p.Add(t, bed.Host(1), kind)
				p.ReadyWithin(t, 20*time.Minute, s)
				took := time.Since(began)

				names := installed(t, p, s)
				began = time.Now()
				bed.Host(2).Exec(t, "sh", "-c", "apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install "+strings.Join(names,
					" "))
				apt := time.Since(began)
				t.Logf("%s on %s: %.1f s; apt-get alone for the same %d packages: %.1f s; the rest: %.1f s", kind, image, took.Seconds(),
					len(names), apt.Seconds(), (took - apt).Seconds())
				again(t, p, s)
			})
		}
	}
}

// installed returns the packages that setting up asked for, by the host's own log.
func installed(t testing.TB, p *panel.Panel, s panel.Server) []string {
	t.Helper()
	var names []string
	for _, line := range strings.Split(s.Host.Exec(t, "sh", "-c", "grep '^Commandline: apt-get.* install ' /var/log/apt/history.log"), "\n") {
		_, after, _ := strings.Cut(line, " install ")
		for _, word := range strings.Fields(after) {
			if !strings.HasPrefix(word, "-") {
				names = append(names, word)
			}
		}
	}
	return names
}

// again sets a server up a second time: nothing may change.
func again(t testing.TB, p *panel.Panel, s panel.Server) {
	t.Helper()
	op := p.Get(t, s.Path("")).Operation()
	before := p.Output(t, s, op.EventID)
	p.SQL(t, `UPDATE operations SET state = 'failed' WHERE id = ?`, op.ID)
	p.Retry(t, s, op)
	p.Until(t, 5*time.Minute, s.Path(""), "set up again", func(a panel.Answer) bool { return a.Data.Operation().State == "succeeded" })
	second := strings.TrimPrefix(p.Output(t, s, op.EventID), before)
	changed := func(text string) (steps []string) {
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); strings.HasSuffix(line, ": changed") {
				steps = append(steps, line)
			}
		}
		return steps
	}
	if first := changed(before); len(first) < 10 {
		t.Errorf("the first time only these steps say that they changed something: %q", first)
	}
	if left := changed(second); len(left) > 0 {
		t.Errorf("the second time: %q", left)
	}
}

// Setting up succeeds whatever is killed during it, and when; a held apt lock only makes it wait.
func TestProvisionSurvivesKills(t *testing.T) {
	panel.BuildImage(t)
	moments := 3
	if full() {
		moments = 10
	}
	random := rand.New(rand.NewPCG(1, 0))
	bed := hosts.Shared(t, 1, hosts.Image(panel.Image), hosts.Fresh())
	program, err := os.ReadFile(panel.Program(t, "peer"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range moments {
		what, after := []string{"panel", "agent", "host"}[i%3], time.Duration(random.IntN(2800))*time.Millisecond
		t.Run(fmt.Sprintf("%s killed after %v", what, after), func(t *testing.T) {
			if i > 0 {
				bed.Host(1).Reset(t)
			}
			h := bed.Host(1)
			p := panel.Start(t, bed)
			if i == 0 {
				h.WriteFile(t, "/usr/local/bin/peer", program, 0o755)
				next(t, peer(t, bed, 1, "hold", "/var/lib/dpkg/lock-frontend", "4s"), "held", 10*time.Second)
			}
			s := p.Add(t, h, "web")
			time.Sleep(after)
			state := p.Get(t, s.Path("")).Operation()
			switch what {
			case "panel":
				p.Kill()
				if err := p.Up(); err != nil {
					t.Fatal(err)
				}
			case "agent":
				_, _ = h.TryExec("pkill", "-KILL", "-f", "[h]ostler-agent")
			case "host":
				h.Kill(t)
				h.Start(t)
			}
			a, took := p.Until(t, 5*time.Minute, s.Path(""), "set up or failed", func(a panel.Answer) bool {
				st := a.Data.Operation().State
				return st != "pending" && st != "running"
			})
			op := a.Data.Operation()
			t.Logf("killed in %q (%s): %s %.1f s later %q", state.Step, state.State, op.State, took.Seconds(), op.Reason)
			if op.State == "failed" {
				p.Retry(t, s, op)
			}
			p.Ready(t, s)
			again(t, p, s)
		})
	}
}

// What a server does goes on once it was removed, and it can be added again, also by another installation.
func TestRemovedServerIsAddedAgain(t *testing.T) {
	panel.BuildImage(t)
	bed := hosts.Shared(t, 1, hosts.Image(panel.Image), hosts.Fresh())
	p := panel.Start(t, bed)
	s := p.Add(t, bed.Host(1), "loadbalancer")
	p.Ready(t, s)
	job := p.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/scheduled-jobs"),
		map[string]any{"name": "tick", "command": "echo >>/root/ticks", "user": "root", "frequency": "minutely"})
	p.Status(t, time.Minute, s.Path("/scheduled-jobs/"+job.Data.ID), "installed")
	p.Want(t, http.StatusAccepted, http.MethodDelete, s.Path(""), nil)
	p.Gone(t, time.Minute, s.Path(""))
	bed.Host(1).Exec(t, "rm", "-f", "/root/ticks")
	bed.Host(1).Exec(t, "timeout", "120", "sh", "-c", "until [ -e /root/ticks ]; do sleep 1; done")
	p.Ready(t, p.Add(t, bed.Host(1), "loadbalancer"))
	other := panel.Start(t, bed)
	other.Ready(t, other.Add(t, bed.Host(1), "loadbalancer"))
}
