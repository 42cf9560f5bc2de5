package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/practice"
	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

const loadImage = "e2e-load"

// wrk loads a site from a separate host until it is stopped, with a new connection for each request: a failed request can't hide behind a retry.
type wrk struct {
	*hosts.Host
	began time.Time
}

func startWrk(t *testing.T, h *hosts.Host, address, name string) *wrk {
	t.Helper()
	// A pause of some milliseconds keeps the ports of this host from running out.
	h.WriteFile(t, "/root/pause.lua", []byte("function delay() return 4 end\n"), 0o644)
	h.Exec(t, "systemd-run", "--quiet", "--collect", "--unit", "wrk", "--property", "StandardOutput=truncate:/root/wrk.out",
		"--property", "StandardError=truncate:/root/wrk.err",
		"wrk", "-t1", "-c2", "-d3600s", "--timeout", "10s", "-s", "/root/pause.lua", "-H", "Host: "+name, "-H", "Connection: close", "http://"+address+"/")
	w := &wrk{Host: h, began: time.Now()}
	t.Cleanup(func() { _, _ = h.TryExec("systemctl", "stop", "wrk") })
	return w
}

var (
	wrkTotal  = regexp.MustCompile(`(\d+) requests in`)
	wrkErrors = regexp.MustCompile(`Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)`)
	wrkStatus = regexp.MustCompile(`Non-2xx or 3xx responses: (\d+)`)
)

// end returns how many requests there were, and how many of them failed.
func (w *wrk) end(t *testing.T) (total, failed int) {
	t.Helper()
	w.Exec(t, "sh", "-c", "systemctl kill -s INT wrk && while systemctl is-active -q wrk; do sleep 0.1; done")
	out := w.Exec(t, "cat", "/root/wrk.out", "/root/wrk.err")
	t.Logf("wrk, after %v:\n%s", time.Since(w.began).Round(time.Second), strings.TrimSpace(out))
	m := wrkTotal.FindStringSubmatch(out)
	if m == nil {
		t.Fatalf("wrk said:\n%s", out)
	}
	total, _ = strconv.Atoi(m[1])
	for _, re := range []*regexp.Regexp{wrkErrors, wrkStatus} {
		if m := re.FindStringSubmatch(out); m != nil {
			for _, text := range m[1:] {
				n, _ := strconv.Atoi(text)
				failed += n
			}
		}
	}
	return total, failed
}

// amounts are how much happens under load.
type amounts struct {
	deployments, broken int
	changes, invalid    int
	least               time.Duration
}

// No request fails while a site is deployed and configured repeatedly, whatever of that is broken.
func TestNothingFailsUnderLoad(t *testing.T) {
	hosts.Require(t)
	panel.BuildImage(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	if err := practice.BuildImage(ctx, logTo{t}, loadImage, "base", "wrk"); err != nil {
		t.Fatal(err)
	}
	n := amounts{deployments: 6, broken: 2, changes: 5, invalid: 2, least: 20 * time.Second}
	if full() {
		n = amounts{deployments: 30, broken: 5, changes: 20, invalid: 5, least: 2 * time.Minute}
	}
	bed := hosts.Shared(t, 3, hosts.Image(panel.Image, panel.Image, loadImage), hosts.Fresh())
	r := roomOn(t, bed)
	const name = "load.example.com"
	url := r.repository(t, "load", map[string]string{"public/index.php": "<?php echo 'release 0';"})
	site := r.site(t, map[string]any{"type": "php", "name": name, "repository": url, "branch": "main"})
	r.deployed(t, site)
	if got := r.serves(t, name, "/"); got != "200 release 0" {
		t.Fatalf("served is %q", got)
	}

	keepAlive := pressureOf(t, r.server.Host.Addr(80), name, true, 1)
	load := startWrk(t, bed.Host(3), r.server.Host.IP, name)
	var wg sync.WaitGroup
	wg.Go(func() { r.deployments(t, site, name, n) })
	wg.Go(func() { r.changes(t, site, n) })
	wg.Wait()
	for rest := n.least - time.Since(load.began); rest > 0; rest = n.least - time.Since(load.began) {
		r.serves(t, name, "/")
	}
	total, failed := load.end(t)
	if failed > 0 || total < 100 {
		t.Errorf("of %d requests of wrk %d failed", total, failed)
	}
	if y := keepAlive(); len(y.failed) > 0 || y.total < 100 {
		t.Errorf("of %d requests over kept connections %d failed: %v", y.total, len(y.failed), y.failed[:min(len(y.failed), 5)])
	} else {
		t.Logf("%d requests over kept connections", y.total)
	}
}

// deployments deploys repeatedly; each broken one leaves what was served, and reports why.
func (r *room) deployments(t *testing.T, site, name string, n amounts) {
	script := r.Get(t, site+"/deployments/script").Text("content")
	live := "200 release 0"
	for i := 1; i <= n.deployments; i++ {
		broken := i%(n.deployments/n.broken) == 0
		r.commit(t, "load", fmt.Sprintf("Release %d", i), map[string]string{"public/index.php": fmt.Sprintf("<?php echo 'release %d';", i)})
		use := script
		if broken {
			use = strings.Replace(script, "$ACTIVATE_RELEASE()", "echo 'this is broken' >&2\nexit 3\n$ACTIVATE_RELEASE()", 1)
		}
		r.Want(t, http.StatusOK, http.MethodPut, site+"/deployments/script", map[string]any{"content": use})
		d := r.deploy(t, site)
		switch {
		case broken && (d.Text("status") != "failed" || !strings.Contains(r.deployLog(t, site, d.ID), "this is broken")):
			t.Errorf("broken deployment %d is %s: %+v\n%s", i, d.Text("status"), d.Operation(), r.deployLog(t, site, d.ID))
		case !broken && d.Text("status") != "finished":
			t.Errorf("deployment %d is %s: %+v\n%s", i, d.Text("status"), d.Operation(), r.deployLog(t, site, d.ID))
		case !broken:
			live = fmt.Sprintf("200 release %d", i)
		}
		if got := r.serves(t, name, "/"); got != live {
			t.Errorf("after deployment %d (broken: %v) served is %q", i, broken, got)
		}
	}
}

// changes configures the site repeatedly; what nginx refuses is reported and absent afterwards.
func (r *room) changes(t *testing.T, site string, n amounts) {
	w := &World{Panel: r.Panel}
	domain := w.first(t, site+"/domains")
	ours := r.Get(t, domain+"/nginx").Text("content")
	put := func(line, want string) {
		text := strings.Replace(ours, "    include /etc/nginx/hostler-conf/", "    "+line+"\n    include /etc/nginx/hostler-conf/", 1)
		r.Want(t, http.StatusAccepted, http.MethodPut, domain+"/nginx", map[string]any{"config": text})
		if got := r.Settled(t, 2*time.Minute, domain); got.Operation().State != want || got.Text("status") != "enabled" {
			t.Errorf("configuration with %q is %s: %+v", line, got.Text("status"), got.Operation())
		}
	}
	made := func(path string, body map[string]any) string {
		return path + "/" + r.Want(t, http.StatusAccepted, http.MethodPost, path, body).Data.ID
	}
	good := []func(i int){
		func(i int) {
			at := made(site+"/redirect-rules", map[string]any{"from": fmt.Sprintf("^/old-%d$", i), "to": "/new", "type": "permanent"})
			r.Status(t, 2*time.Minute, at, "installed")
		},
		func(i int) { put(fmt.Sprintf("add_header X-Change %d;", i), "succeeded") },
		func(i int) {
			at := made(site+"/security-rules", map[string]any{
				"name": fmt.Sprintf("rule %d", i), "path": fmt.Sprintf("/admin-%d", i),
				"credentials": []any{map[string]any{"username": "anna", "password": "geheim-geheim"}},
			})
			r.Status(t, 2*time.Minute, at, "installed")
		},
		func(i int) {
			at := made(site+"/domains", map[string]any{
				"name": fmt.Sprintf("alias-%d.example.com", i), "www_redirect_type": "from-www",
				"allow_wildcard_subdomains": false,
			})
			r.Status(t, 2*time.Minute, at, "enabled")
		},
		func(i int) { // not to-www, with which the name that is asked for leads on
			r.Want(t, http.StatusOK, http.MethodPatch, domain, map[string]any{"www_redirect_type": []string{"none", "from-www"}[i/5%2]})
			if got := r.Settled(t, 2*time.Minute, domain); got.Operation().State != "succeeded" {
				t.Errorf("the policy is %s: %+v", got.Text("status"), got.Operation())
			}
		},
	}
	bad := []func(i int){
		func(int) { put("send_timeout nonsense;", "failed") },
		func(i int) {
			r.Gone(t, 2*time.Minute, made(site+"/redirect-rules", map[string]any{"from": fmt.Sprintf("^/(?<=a+)b%d$", i), "to": "/c", "type": "redirect"}))
		},
	}
	for i := range n.changes {
		if i%(n.changes/n.invalid) == 1 {
			bad[i%len(bad)](i)
		} else {
			good[i%len(good)](i)
		}
	}
}
