// Package browser_test tests the dashboard in a real browser, with the real program and real servers. The steps are Node scripts
// beside this file; they call this package for the hosts and the panel.
package browser_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"maps"
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
	"github.com/hostlerhq/hostler/test/s3"
	"github.com/hostlerhq/hostler/test/smtp"
)

func TestMain(m *testing.M) {
	code := m.Run()
	panel.Clean()
	os.Exit(code)
}

const browser = "/usr/bin/chromium"

// limit is how long one script may take.
const limit = 30 * time.Minute

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
	mail  *smtp.Server
	db    *sql.DB // the panel's
	shots string
	count int
	// more is additional input for all scripts.
	more map[string]any
	// end ends a stage that is held.
	end chan struct{}
}

// ServeHTTP answers a script: exec on a host, kill and up of the panel, its links, the mail it sent, an hour that a heartbeat's call is late,
// and a line of output.
func (s *stage) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.URL.Path == "/hook" { // a third-party program that receives webhooks
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "taken")
		return
	}
	var in struct {
		Host  int
		Argv  []string
		Match string
		To    string
		Name  string
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
	case "/end":
		close(s.end)
	case "/log": // the last match in the panel's log
		found := regexp.MustCompile(in.Match).FindAllString(s.panel.Log(), -1)
		if len(found) == 0 {
			answer("", fmt.Errorf("nothing in the log matches %s", in.Match))
			return
		}
		answer(found[len(found)-1], nil)
	case "/mail": // the match in the newest mail that has one
		for _, m := range s.mail.Sent(in.To) {
			if found := regexp.MustCompile(in.Match).FindString(m.Subject + "\n\n" + m.Text); found != "" {
				answer(found, nil)
				return
			}
		}
		answer("", fmt.Errorf("no mail to %s matches %s", in.To, in.Match))
	case "/late": // the call of a heartbeat was due an hour ago
		_, err := s.db.Exec("UPDATE heartbeats SET due_at = $1 WHERE name = $2 AND due_at IS NOT NULL", time.Now().Add(-time.Hour).UnixMicro(), in.Name)
		answer("", err)
	case "/say": // the newest event prints a line
		_, err := s.db.Exec(`INSERT INTO event_outputs (event_id, seq, kind, step, content, created_at)
			VALUES ((SELECT MAX(id) FROM events), (SELECT COUNT(*) + 1 FROM event_outputs), 'stdout', 'said', $1, $2)`, in.Match, time.Now().UnixMicro())
		answer("", err)
	default:
		http.NotFound(w, req)
	}
}

// run runs a script, with what it has to know as JSON in its environment.
func (s *stage) run(t *testing.T, script string, more map[string]any) {
	t.Helper()
	server := httptest.NewServer(s)
	defer server.Close()
	raw, err := json.Marshal(s.told(server.URL, more))
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

// hold keeps the stage for the author of a script: name gets what scripts need to know, until /end is requested.
func (s *stage) hold(t *testing.T, name string) {
	t.Helper()
	server := httptest.NewServer(s)
	defer server.Close()
	s.end = make(chan struct{})
	raw, err := json.Marshal(s.told(server.URL, nil))
	if err == nil {
		err = os.WriteFile(name, raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	<-s.end
}

// told returns the input of a script.
func (s *stage) told(url string, more map[string]any) map[string]any {
	stage := map[string]any{"stage": url, "url": s.panel.URL, "token": s.panel.Token, "browser": browser, "shots": s.shots}
	if s.bed != nil {
		var list []map[string]any
		for i := 1; i <= s.count; i++ {
			h := s.bed.Host(i)
			list = append(list, map[string]any{"index": i, "name": h.Name, "ip": h.IP, "port": h.Port})
		}
		stage["hosts"] = list
	}
	maps.Copy(stage, s.more)
	maps.Copy(stage, more)
	return stage
}

// shots returns where pictures go: HOSTLER_SHOTS, else a directory that ends with the test.
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

// gitHost is the host of third-party Git servers.
const gitHost = 4

// repository makes a repository on the Git server, and returns its address.
func (s *stage) repository(t *testing.T, name string) string {
	t.Helper()
	host := s.bed.Host(gitHost)
	host.Exec(t, "sh", "-c", `useradd -m -s /usr/bin/git-shell git && install -d -o git -g git -m 700 /home/git/.ssh && git config --system init.defaultBranch main && git config --system --add safe.directory '*' &&
		git config --system user.name 'Ada Author' && git config --system user.email ada@example.com`)
	host.Exec(t, "sh", "-c", fmt.Sprintf("git init -q --bare /home/git/%s.git && git clone -q /home/git/%s.git /root/%s", name, name, name))
	return fmt.Sprintf("ssh://git@%s/home/git/%s.git", host.IP, name)
}

// many puts sites of a server that waits for its line into the database: as many as no test has the time to ask for.
func (s *stage) many(t *testing.T, n int) {
	t.Helper()
	s.panel.SQL(t, `INSERT INTO servers (organization_id, name, slug, type, provider, size, region, status, ssh_port, ssh_user, behind_nat, timezone, is_ready, revoked, public_key, private_key, host_keys, facts, control_addresses, created_at, updated_at)
		SELECT organization_id, 'many', 'many', 'web', provider, size, region, 'connecting', ssh_port, ssh_user, behind_nat, timezone, FALSE, FALSE, public_key, private_key, '', '{}', '', created_at, updated_at FROM servers WHERE id = 2`)
	s.panel.SQL(t, `INSERT INTO sites (organization_id, server_id, name, type, status, unix_user, isolated, web_directory, php_version, wildcards, www_redirect_type, created_at, updated_at)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
		SELECT organization_id, (SELECT id FROM servers WHERE slug = 'many'), 'many-' || i || '.example.com', type, 'installed', unix_user, FALSE, web_directory, php_version, wildcards, www_redirect_type, created_at, updated_at
		FROM sites, n WHERE sites.id = 1`, n)
	s.panel.SQL(t, `INSERT INTO domains (site_id, name, type, status, www_redirect_type, wildcard, first, challenge, created_at, updated_at)
		SELECT id, name, 'primary', 'enabled', 'none', FALSE, TRUE, '', created_at, updated_at FROM sites WHERE name LIKE 'many-%'`)
}

// one returns the number that a query gives.
func (s *stage) one(t *testing.T, query string, args ...any) int {
	return s.panel.Count(t, query, args...)
}

// TestFirstHour walks through a new installation: first account, servers, a balancer, firewall rules, events, a panel that dies,
// all in the browser. With HOSTLER_BROWSER=full it continues with a day's work: deployments, databases, backups, a second person;
// afterwards the screens in light, dark and on a phone without a violation that axe knows, keys instead of a mouse, ten thousand
// sites, and hostile text in every field.
func TestFirstHour(t *testing.T) {
	require(t)
	hosts.Require(t)
	panel.BuildImage(t)
	full := os.Getenv("HOSTLER_BROWSER") == "full"
	count, of := 2, []hosts.Option{hosts.Image(panel.Image)}
	if full {
		panel.BuildDatabaseImage(t)
		count, of = 4, []hosts.Option{hosts.Image(panel.Image, panel.Image, panel.DatabaseImage, panel.Image), hosts.Disk("loop:4G")} // one that may be full
	}
	bed := hosts.Shared(t, count, of...)
	post := smtp.Start(t)
	p, err := panel.Empty(panel.Program(t, "hostler"), bed.Gateway, "--smtp-url", post.URL(), "--smtp-from", "hostler@example.com")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	if err := p.Up(); err != nil {
		t.Fatal(err)
	}
	s := &stage{panel: p, bed: bed, mail: post, db: p.DB(t), count: count, shots: shots(t)}
	s.run(t, "first.mjs", nil)
	if t.Failed() {
		return
	}
	if !full {
		t.Log("not run here: deployments, databases, people, all screens, keys, ten thousand sites and hostile text (make browser)")
		return
	}
	archive := s3.Start(t, "archive")
	s.more = map[string]any{
		"git": map[string]any{"host": gitHost, "url": s.repository(t, "app")},
		"s3":  map[string]any{"endpoint": archive.URL(bed.Gateway), "bucket": "archive", "access": s3.AccessKey, "secret": s3.SecretKey},
	}
	s.run(t, "deploy.mjs", nil)
	s.run(t, "data.mjs", nil)
	s.run(t, "people.mjs", nil)
	if t.Failed() {
		return
	}
	s.more["site"] = s.one(t, "SELECT id FROM sites WHERE name = 'app.example.com'")
	s.more["domain"] = s.one(t, "SELECT id FROM domains WHERE name = 'app.example.com'")
	s.more["deployment"] = s.one(t, "SELECT MIN(id) FROM deployments WHERE status = 'finished'")
	s.more["failed"] = s.one(t, "SELECT MIN(id) FROM deployments WHERE status = 'failed'")
	if name := os.Getenv("HOSTLER_HOLD"); name != "" {
		s.hold(t, name)
		return
	}
	s.run(t, "run.mjs", nil)
	s.run(t, "actions.mjs", nil)
	s.run(t, "later.mjs", nil)
	if t.Failed() {
		return
	}
	s.run(t, "screens.mjs", nil)
	s.run(t, "lists.mjs", nil)
	s.run(t, "keys.mjs", nil)
	s.run(t, "text.mjs", nil)
	const many = 10_000
	s.many(t, many)
	s.run(t, "many.mjs", map[string]any{"many": many})
}
