// Package e2e_test is the proof on real servers: the real program, Debian hosts, and what their users and visitors notice.
package e2e_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/practice"
	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
	"github.com/hostlerhq/hostler/test/hosts"
)

func TestMain(m *testing.M) {
	pgtest.Main(m, clean)
}

// clean ends what tests share.
func clean() {
	shared.Lock()
	if shared.panel != nil {
		shared.panel.Close()
	}
	shared.Unlock()
	rooms.Lock()
	if rooms.panel != nil {
		rooms.panel.Close()
		_ = os.RemoveAll(rooms.disk)
	}
	rooms.Unlock()
	panel.Clean()
}

type logTo struct{ t testing.TB }

func (l logTo) Write(p []byte) (int, error) {
	l.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

// World is a panel with servers that are set up: 1 is a load balancer, the others are web servers.
type World struct {
	*panel.Panel
	Bed     *hosts.Bed
	Servers []panel.Server
}

// Server returns server i, the first is 1.
func (w *World) Server(i int) panel.Server { return w.Servers[i-1] }

// shared is the world that most tests share in sequence: setting one up takes longer than a test.
var shared struct {
	sync.Mutex
	panel *panel.Panel
	world *World
}

// world returns the shared one to this test until it ends. The test leaves it as it found it.
func world(t *testing.T) *World {
	t.Helper()
	hosts.Require(t)
	shared.Lock()
	t.Cleanup(shared.Unlock)
	panel.BuildImage(t)
	bed := hosts.Shared(t, 4, hosts.Image(panel.Image), hosts.Apart("world"))
	if shared.world == nil {
		p, err := panel.New(panel.Program(t, "hostler"), bed.Gateway)
		if err != nil {
			t.Fatal(err)
		}
		shared.panel = p
		shared.world = newWorld(t, p, bed, "loadbalancer", "web", "web", "web")
	}
	w := shared.world
	w.Bed = bed
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the panel's log:\n%s", w.Log())
		}
	})
	return w
}

func newWorld(t testing.TB, p *panel.Panel, bed *hosts.Bed, kinds ...string) *World {
	t.Helper()
	w := &World{Panel: p, Bed: bed}
	program, err := os.ReadFile(panel.Program(t, "peer"))
	if err != nil {
		t.Fatal(err)
	}
	for i, kind := range kinds {
		h := bed.Host(i + 1)
		h.WriteFile(t, "/usr/local/bin/peer", program, 0o755)
		w.Servers = append(w.Servers, p.Add(t, h, kind))
	}
	p.Ready(t, w.Servers...)
	return w
}

// peer runs the peer on a host and gives what it prints: a word and a time.
func peer(t testing.TB, bed *hosts.Bed, host int, args ...string) <-chan seen {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd, err := practice.Command(ctx, bed.Number, append([]string{"exec", strconv.Itoa(host), "/usr/local/bin/peer"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = in, logTo{t}, time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() { in.CloseWithError(cmd.Wait()) })
	lines := make(chan seen, 10000)
	wg.Go(func() {
		defer close(lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			word, at, _ := strings.Cut(s.Text(), " ")
			ms, _ := strconv.ParseInt(at, 10, 64)
			lines <- seen{word, time.UnixMilli(ms)}
		}
	})
	t.Cleanup(func() {
		cancel()
		out.Close()
		wg.Wait()
	})
	return lines
}

// seen is a line of a peer.
type seen struct {
	word string
	at   time.Time
}

// next waits for a line with this word.
func next(t testing.TB, lines <-chan seen, word string, within time.Duration) time.Time {
	t.Helper()
	limit := time.After(within)
	for {
		select {
		case s, ok := <-lines:
			if !ok {
				t.Fatalf("the peer ended before it said %q", word)
			}
			if s.word == word {
				return s.at
			}
		case <-limit:
			t.Fatalf("the peer did not say %q within %v", word, within)
		}
	}
}

// serve makes a host answer on a port.
func serve(t testing.TB, h *hosts.Host, port int) {
	t.Helper()
	unit := "peer-" + strconv.Itoa(port)
	h.Exec(t, "systemd-run", "--quiet", "--unit", unit, "/usr/local/bin/peer", "serve", "[::]:"+strconv.Itoa(port))
	t.Cleanup(func() { _, _ = h.TryExec("systemctl", "stop", unit) })
}
