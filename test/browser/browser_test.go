// Package browser_test is what people see: the dashboard in a real browser, on the real program and real servers. The steps are scripts for
// Node beside this file; what they need of the hosts and of the panel they ask from here.
package browser_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

func TestMain(m *testing.M) {
	code := m.Run()
	panel.Clean()
	os.Exit(code)
}

const browser = "/usr/bin/chromium"

// limit is how long one script may take.
const limit = 8 * time.Minute

// require skips where there is no browser, no Node, or no dashboard built.
func require(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(browser); err != nil {
		t.Skipf("no browser here: %v (apt-get install chromium)", err)
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no Node here")
	}
	for _, name := range []string{"../../web/node_modules/playwright-core", "../../web/dist/index.html"} {
		if _, err := os.Stat(name); err != nil {
			t.Skipf("the dashboard is not built: %v (make web)", err)
		}
	}
}

// stage is what a script may ask for.
type stage struct {
	panel *panel.Panel
	bed   *hosts.Bed
	shots string
	count int
}

// ServeHTTP answers a script: exec on a host, kill and up of the panel, its links, requests of the API.
func (s *stage) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	var in struct {
		Host   int
		Argv   []string
		Match  string
		Method string
		Path   string
		Body   json.RawMessage
	}
	if err := json.NewDecoder(req.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer := func(text string, err error) {
		if err != nil {
			http.Error(w, fmt.Sprintf("%v\n%s", err, text), http.StatusInternalServerError)
			return
		}
		_, _ = io.WriteString(w, text)
	}
	switch req.URL.Path {
	case "/exec":
		answer(s.bed.Host(in.Host).TryExec(in.Argv...))
	case "/kill":
		s.panel.Kill()
	case "/up":
		answer("", s.panel.Up())
	case "/log": // the last match in the panel's log
		found := regexp.MustCompile(in.Match).FindAllString(s.panel.Log(), -1)
		if len(found) == 0 {
			answer("", fmt.Errorf("nothing in the log matches %s", in.Match))
			return
		}
		answer(found[len(found)-1], nil)
	default:
		http.NotFound(w, req)
	}
}

// run runs a script, with what it has to know as JSON in its environment.
func (s *stage) run(t *testing.T, script string, more map[string]any) {
	t.Helper()
	server := httptest.NewServer(s)
	defer server.Close()
	stage := map[string]any{"stage": server.URL, "url": s.panel.URL, "token": s.panel.Token, "browser": browser, "shots": s.shots}
	if s.bed != nil {
		var list []map[string]any
		for i := 1; i <= s.count; i++ {
			h := s.bed.Host(i)
			list = append(list, map[string]any{"index": i, "name": h.Name, "ip": h.IP, "port": h.Port})
		}
		stage["hosts"] = list
	}
	for name, value := range more {
		stage[name] = value
	}
	raw, err := json.Marshal(stage)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", script)
	cmd.Env = append(os.Environ(), "HOSTLER_STAGE="+string(raw))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, 5*time.Second
	err = cmd.Run()
	t.Logf("%s:\n%s", script, strings.TrimSpace(out.String()))
	if err != nil {
		t.Errorf("%s: %v\nthe panel's log:\n%s", script, err, s.panel.Log())
	}
}

// shots is where pictures go: HOSTLER_SHOTS, else a directory that ends with the test.
func shots(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("HOSTLER_SHOTS")
	if dir == "" {
		return t.TempDir()
	}
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestFirstHour is the way of a new installation: first account, servers, a balancer, firewall rules, events, a panel that dies, all in the browser;
// afterwards its screens in light, dark and on a phone, without a violation that axe knows.
func TestFirstHour(t *testing.T) {
	require(t)
	hosts.Require(t)
	panel.BuildImage(t)
	bed := hosts.Shared(t, 2, hosts.Image(panel.Image))
	p, err := panel.Empty(panel.Program(t, "hostler"), bed.Gateway)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	if err := p.Up(); err != nil {
		t.Fatal(err)
	}
	s := &stage{panel: p, bed: bed, count: 2, shots: shots(t)}
	s.run(t, "first.mjs", nil)
	if t.Failed() {
		return
	}
	s.run(t, "screens.mjs", nil)
	s.run(t, "text.mjs", nil)
}
