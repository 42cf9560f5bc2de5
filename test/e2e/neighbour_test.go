package e2e_test

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// What the sites of the neighbours answer with, and what makes each of them use up memory: more than its limits allow, in one request.
const (
	neighbourPHP = `<?php
ini_set('memory_limit', '-1');
$held = str_repeat('x', 1 << 20 << (int) ($_GET['hog'] ?? 0));
sleep((int) ($_GET['wait'] ?? 0));
echo "answered\n";
`
	neighbourPython = `import http.server, os, time, urllib.parse

class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        asked = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        held = b"x" * (1 << 20 << int(asked.get("hog", ["0"])[0]))
        time.sleep(int(asked.get("wait", ["0"])[0]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"answered\n")

    def log_message(self, *args):
        pass

http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Answer).serve_forever()
`
	// neighbourBomb starts itself twice until it is ended from outside.
	neighbourBomb = `bomb() { bomb | bomb & }; bomb; sleep 900`
)

// troubles are what a site can do to the sites beside it. begin returns once it is in effect, with what ends it.
var troubles = []struct {
	name  string
	begin func(r *room, t *testing.T, n neighbour) (end func())
	// named is what attention then says of the site, "" for what is seen in no counter, and process what it names.
	named, process string
}{
	{"a program that uses up its memory", (*room).hungry,
		"was ended by the kernel: the site used up the memory that its limits allow (memory_max, 160 MB)", ""},
	{"a fork bomb", (*room).bomb, "as many processes and threads as its limits allow (tasks_max, 64)", "hostler-run-command"},
	{"10,000 connections", (*room).crowd,
		"Visitors got 503: the site answers no more concurrent requests than its limits allow (connections, 20).", ""},
	{"a storm of fsync", (*room).storm, "", ""},
	{"a full directory", (*room).fills, "its limits allow 100 MB (disk_max)", ""},
}

// hungry has a site ask for more memory than its limits allow, three times.
func (r *room) hungry(t *testing.T, n neighbour) (end func()) {
	address := r.server.Host.Addr(80)
	hungry := newVisitor(address, n.name, false)
	hungry.base += "?hog=9" // 512 MB
	for range 3 {
		if code, text, err := hungry.get(t.Context()); err == nil && code == http.StatusOK {
			t.Errorf("a request for more memory than the limits allow was answered: %d %s", code, text)
		}
		hosts.Eventually(t, 2*time.Minute, n.name+" answers again", func() error {
			code, text, err := newVisitor(address, n.name, false).get(t.Context())
			if err == nil && code != http.StatusOK {
				err = fmt.Errorf("%d %s", code, text)
			}
			return err
		})
	}
	return func() {}
}

// bomb has a site start processes without end.
func (r *room) bomb(t *testing.T, n neighbour) (end func()) {
	r.Want(t, http.StatusAccepted, http.MethodPost, n.path+"/commands", map[string]any{"command": neighbourBomb})
	hosts.Eventually(t, 2*time.Minute, "the bomb reaches the limit of its site", func() error {
		if r.refused(t, n) == 0 {
			return fmt.Errorf("nothing was refused")
		}
		return nil
	})
	return func() { r.stopRuns(t, n) }
}

// crowd has 10,000 visitors ask a site for what takes minutes.
func (r *room) crowd(t *testing.T, n neighbour) (end func()) {
	var held sync.Map
	var wg sync.WaitGroup
	next := make(chan int)
	for range 100 {
		wg.Go(func() {
			for i := range next {
				conn, err := net.DialTimeout("tcp", r.server.Host.Addr(80), 20*time.Second)
				if err != nil {
					continue
				}
				held.Store(i, conn)
				fmt.Fprintf(conn, "GET /?wait=120 HTTP/1.1\r\nHost: %s\r\n\r\n", n.name)
			}
		})
	}
	for i := range 10_000 {
		next <- i
	}
	close(next)
	wg.Wait()
	return func() {
		held.Range(func(_, conn any) bool { conn.(net.Conn).Close(); return true })
	}
}

// storm has a site write small pieces, and wait for the disk after each.
func (r *room) storm(t *testing.T, n neighbour) (end func()) {
	const writes = `for i in 1 2 3 4; do (while :; do dd if=/dev/zero of=storm.$i bs=4k count=200 oflag=sync conv=notrunc; done) & done; wait`
	r.Want(t, http.StatusAccepted, http.MethodPost, n.path+"/commands", map[string]any{"command": writes})
	hosts.Eventually(t, 2*time.Minute, "the storm begins", func() error {
		if out, err := r.server.Host.TryExec("pgrep", "-f", "storm.4"); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
	return func() { r.stopRuns(t, n) }
}

// fills has a site write until there is no room for more.
func (r *room) fills(t *testing.T, n neighbour) (end func()) {
	big := "/home/forge/" + n.name + "/big"
	a := r.Want(t, http.StatusAccepted, http.MethodPost, n.path+"/commands", map[string]any{"command": "yes >" + big})
	if c := r.Settled(t, 10*time.Minute, n.path+"/commands/"+a.Data.ID); c.Text("status") != "failed" {
		t.Errorf("writing without end is %s: %+v", c.Text("status"), c.Operation())
	}
	size, most := r.server.Host.Exec(t, "stat", "-c", "%s", big), 100<<20
	if n, err := strconv.Atoi(strings.TrimSpace(size)); err != nil || n > most {
		t.Errorf("the file has %s bytes, %v", size, err)
	}
	t.Cleanup(func() { r.server.Host.Exec(t, "rm", "-f", big) })
	return func() {}
}

// stopRuns ends the commands of a site that still run.
func (r *room) stopRuns(t *testing.T, n neighbour) {
	r.server.Host.Exec(t, "sh", "-c", "for f in "+n.group()+"/hostler-run-*/cgroup.kill; do [ ! -e $f ] || echo 1 >$f; done")
}

// neighbour is a site with limits on a host with a kernel of its own.
type neighbour struct {
	path, id, name, process string
}

// group returns the directory of its control group.
func (n neighbour) group() string {
	return "/sys/fs/cgroup/system.slice/system-hostler_site_" + n.id + ".slice"
}

// A site in trouble takes nothing from the site beside it, of PHP or a program: that one answers each request. Attention then names the
// site and its limit. It runs on a virtual host, since the kernel of other practice hosts limits nothing.
func TestNeighboursOnVirtualHost(t *testing.T) {
	if !full() {
		t.Skip("skipped without HOSTLER_E2E=full: it takes minutes")
	}
	hosts.Require(t)
	panel.BuildVirtualImage(t)
	began := time.Now()
	bed := hosts.Up(t, 2, hosts.Image(panel.VirtualImage, panel.Image), hosts.Virtual(1280, 0))
	t.Logf("the hosts were up after %v", time.Since(began).Round(time.Second))
	h := bed.Host(1)
	if got := h.Exec(t, "cat", "/sys/fs/cgroup/cgroup.controllers"); !strings.Contains(got, "memory") || !strings.Contains(got, "pids") {
		t.Fatalf("the kernel of the virtual host has the controllers %s", got)
	}
	r := &room{Panel: panel.Start(t, bed), git: bed.Host(2)}
	r.server = r.Add(t, h, "web")
	r.ReadyWithin(t, 20*time.Minute, r.server)
	t.Logf("the server was set up after %v", time.Since(began).Round(time.Second))
	t.Cleanup(func() {
		if t.Failed() {
			out, _ := h.TryExec("journalctl", "--no-pager", "-n", "60")
			t.Logf("the journal of the host:\n%s", out)
		}
	})
	r.prepareGit(t)
	shop := r.neighbour(t, "shop.example.com", "php-fpm", map[string]string{"index.php": neighbourPHP},
		map[string]any{"type": "php", "web_directory": "/"})
	app := r.neighbour(t, "app.example.com", "python3", map[string]string{"server.py": neighbourPython},
		map[string]any{"type": "custom", "runtime": "python", "start_command": "exec python3 server.py"})

	alone := map[string]time.Duration{}
	for _, n := range []neighbour{shop, app} {
		alone[n.name] = r.median(t, n, 40)
	}
	for i, c := range []struct{ bad, good neighbour }{{app, shop}, {shop, app}} {
		for _, trouble := range troubles {
			t.Run(c.bad.name+"/"+trouble.name, func(t *testing.T) {
				stop := pressureOf(t, h.Addr(80), c.good.name, false, 1)
				end := trouble.begin(r, t, c.bad)
				during := r.median(t, c.good, 20)
				if trouble.named != "" {
					r.wantNamed(t, c.bad, trouble.named, trouble.process)
				}
				end()
				y := stop()
				if len(y.failed) > 0 {
					t.Errorf("of %d requests to %s, %d failed: %v", y.total, c.good.name, len(y.failed), y.failed[0])
				}
				t.Logf("%s answered %d requests; the median was %v alone, and %v beside %s",
					c.good.name, y.total, alone[c.good.name], during, trouble.name)
			})
		}
		r.wantNamed(t, c.bad, "", c.bad.process)
		if i == 0 { // later it is the one that was in trouble
			r.wantUnnamed(t, c.good)
		}
	}
	if d := drift(t, &World{Panel: r.Panel, Bed: bed, Servers: []panel.Server{r.server}}, r.server); len(d) > 0 {
		t.Errorf("the server differs: %v", d)
	}
}

// neighbour makes a site, deploys it, and limits it.
func (r *room) neighbour(t *testing.T, name, process string, files map[string]string, body map[string]any) neighbour {
	t.Helper()
	body["name"], body["branch"] = name, "main"
	body["repository"] = r.repository(t, strings.SplitN(name, ".", 2)[0], files)
	a := r.Want(t, http.StatusAccepted, http.MethodPost, r.server.Path("/sites"), body)
	n := neighbour{id: a.Data.ID, path: r.server.Path("/sites/" + a.Data.ID), name: name, process: process}
	r.installed(t, n.id)
	r.letIn(t, n.path)
	if d := r.deployWithin(t, n.path, 10*time.Minute); d.Text("status") != "finished" {
		t.Fatalf("the deployment of %s is %s: %+v\n%s", name, d.Text("status"), d.Operation(), r.deployLog(t, n.path, d.ID))
	}
	r.Want(t, http.StatusAccepted, http.MethodPut, n.path, map[string]any{
		"limits": map[string]any{
			"memory_max": 160, "tasks_max": 64, "cpu_weight": 50, "cpu_quota": 40, "io_weight": 20, "connections": 20, "disk_max": 100,
		},
	})
	if s := r.Settled(t, 5*time.Minute, "/sites/"+n.id); s.Operation().State != "succeeded" {
		t.Fatalf("limits of %s: %+v\n%s", name, s.Operation(), r.Output(t, r.server, s.Operation().EventID))
	}
	return n
}

// median asks a site some times, one request after the other, and returns how long the middle one took.
func (r *room) median(t *testing.T, n neighbour, times int) time.Duration {
	t.Helper()
	v := newVisitor(r.server.Host.Addr(80), n.name, false)
	took := make([]time.Duration, times)
	for i := range took {
		began := time.Now()
		if code, text, err := v.get(t.Context()); err != nil || code != http.StatusOK {
			t.Errorf("%s answers %d %v %.80s", n.name, code, err, text)
		}
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	return took[times/2].Round(time.Millisecond)
}

// refused returns how often the kernel started no more processes of a site.
func (r *room) refused(t *testing.T, n neighbour) int {
	t.Helper()
	out := r.server.Host.Exec(t, "sh", "-c", "cat "+n.group()+"/pids.events "+n.group()+"/*/pids.events | awk '{ n += $2 } END { print n }'")
	var times int
	if _, err := fmt.Sscan(out, &times); err != nil {
		t.Fatalf("read %q: %v", out, err)
	}
	return times
}

// wantNamed waits until attention names a site's limit and the process.
func (r *room) wantNamed(t *testing.T, n neighbour, text, process string) {
	t.Helper()
	r.Until(t, 10*time.Minute, "/attention", fmt.Sprintf("attention says of %s that %s", n.name, text), func(a panel.Answer) bool {
		return slices.ContainsFunc(a.List, func(item panel.Resource) bool {
			return item.Text("kind") == "site-limit-reached" && item.Text("subject") == n.name && strings.Contains(item.Text("text"), text) &&
				strings.Contains(item.Text("text"), process)
		})
	})
}

func (r *room) wantUnnamed(t *testing.T, n neighbour) {
	t.Helper()
	for _, item := range r.Want(t, http.StatusOK, http.MethodGet, "/attention", nil).List {
		if item.Text("subject") == n.name {
			t.Errorf("attention says of the neighbour %s: %s", n.name, item.Text("text"))
		}
	}
}
