// Package browser_test tests the dashboard in a real browser, with the real program and real servers. The steps are Node scripts
// beside this file; they call this package for the hosts and the panel.
package browser_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
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

	"github.com/hostlerhq/hostler/internal/ground/cloud"
	"github.com/hostlerhq/hostler/internal/ground/cloud/cloudtest"
	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
	"github.com/hostlerhq/hostler/test/letters"
	"github.com/hostlerhq/hostler/test/pebble"
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
	// clouds are the stand-ins of providers.
	clouds map[string]*cloudtest.Cloud
	// more is additional input for all scripts.
	more map[string]any
	// leads makes DNS lead a name to an address.
	leads func(name, address string)
	// took is what each task took, counted by tasks.mjs.
	took map[string]int
	// end ends a stage that is held.
	end chan struct{}
}

// ServeHTTP answers a script: exec on a host, kill and up of the panel, its links, the mail it sent, an hour that a heartbeat's call is
// late, what a provider has, servers that have measured themselves, a name in DNS, a task that was counted, and a line of output. The
// author of a script has run as well, for a stage that is held.
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
		Count int
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
	case "/leads":
		s.leads(in.Name, s.bed.Host(in.Host).IP)
	case "/took":
		s.took[in.Name] = in.Count
	case "/run":
		answer(s.script(req.Context(), in.Name))
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
	case "/machines": // what an account has at a provider
		raw, err := json.Marshal(s.clouds[in.Name].Machines(in.Match))
		answer(string(raw), err)
	case "/measured":
		answer(s.measured())
	case "/visited":
		answer(s.visited())
	case "/hide": // a document with its sentences in other letters
		doc, err := letters.Document([]byte(in.Match))
		answer(string(doc), err)
	case "/say": // the newest event prints a line
		_, err := s.db.Exec(`INSERT INTO event_outputs (event_id, seq, kind, step, content, created_at)
			VALUES ((SELECT MAX(id) FROM events), (SELECT COUNT(*) + 1 FROM event_outputs), 'stdout', 'said', $1, $2)`, in.Match, time.Now().UnixMicro())
		answer("", err)
	default:
		http.NotFound(w, req)
	}
}

// run runs a script.
func (s *stage) run(t *testing.T, script string) {
	t.Helper()
	out, err := s.script(t.Context(), script)
	t.Logf("%s:\n%s", script, out)
	if err != nil {
		t.Errorf("%s: %v\nthe panel's log:\n%s", script, err, s.panel.Log())
	}
}

// script runs a script with its input as JSON in its environment, and returns what it printed.
func (s *stage) script(ctx context.Context, name string) (string, error) {
	server := httptest.NewServer(s)
	defer server.Close()
	input, err := s.input(server.URL)
	if err == nil && name == "many.mjs" {
		err = s.many()
	}
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return node(ctx, name, input)
}

// node runs a script with its input as JSON, and returns what it printed.
func node(ctx context.Context, name string, input []byte) (string, error) {
	cmd := exec.CommandContext(ctx, "node", filepath.Base(name))
	cmd.Env = append(os.Environ(), "HOSTLER_STAGE="+string(input))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &out, &out, 5*time.Second
	err := cmd.Run()
	return strings.TrimSpace(out.String()), err
}

// hold keeps the stage for the author of a script: name gets the input of scripts, until /end is requested.
func (s *stage) hold(t *testing.T, name string) {
	t.Helper()
	server := httptest.NewServer(s)
	defer server.Close()
	s.end = make(chan struct{})
	input, err := s.input(server.URL)
	if err == nil {
		err = os.WriteFile(name, input, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	<-s.end
}

// input returns the input of a script: where things are, and the ids of what earlier scripts created, 0 before.
func (s *stage) input(url string) ([]byte, error) {
	in := map[string]any{"stage": url, "url": s.panel.URL, "token": s.panel.Token, "browser": browser,
		"shots": s.shots, "many": sites, "letters": os.Getenv("HOSTLER_BROWSER_LETTERS") != ""}
	for name, query := range map[string]string{
		"site":       "SELECT id FROM sites WHERE name = 'app.example.com'",
		"domain":     "SELECT id FROM domains WHERE name = 'app.example.com'",
		"deployment": "SELECT MIN(id) FROM deployments WHERE status = 'finished'",
		"php":        "SELECT MIN(id) FROM php_versions WHERE server_id = 2",
		"failed":     "SELECT MIN(id) FROM deployments WHERE status = 'failed'",
	} {
		var id sql.NullInt64
		if err := s.db.QueryRow(query).Scan(&id); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return nil, fmt.Errorf("find the %s of scripts: %w", name, err)
		}
		in[name] = id.Int64
	}
	if s.bed != nil {
		var list []map[string]any
		for i := 1; i <= s.count; i++ {
			h := s.bed.Host(i)
			list = append(list, map[string]any{"index": i, "name": h.Name, "ip": h.IP, "port": h.Port})
		}
		in["hosts"] = list
	}
	maps.Copy(in, s.more)
	return json.Marshal(in)
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

// repository makes a repository on a Git server, and returns its address.
func (s *stage) repository(t *testing.T, on int, name string) string {
	t.Helper()
	host := s.bed.Host(on)
	host.ServeGit(t)
	host.Exec(t, "sh", "-c", fmt.Sprintf("git init -q --bare /home/git/%s.git && git clone -q /home/git/%s.git /root/%s", name, name, name))
	return fmt.Sprintf("ssh://git@%s/home/git/%s.git", host.IP, name)
}

// sites is the length of a long list.
const sites = 10_000

// many inserts sites of a server that awaits its setup: as many as no test has the time to create.
func (s *stage) many() error {
	for _, insert := range []string{
		`INSERT INTO servers (organization_id, name, slug, type, provider, size, region, status, ssh_port, ssh_user, behind_nat, timezone, is_ready, revoked,
			public_key, private_key, host_keys, facts, control_addresses, created_at, updated_at)
		SELECT organization_id, 'many', 'many', 'web', provider, size, region, 'connecting', ssh_port, ssh_user, behind_nat, timezone, FALSE, FALSE,
			public_key, private_key, '', '{}', '', created_at, updated_at FROM servers WHERE id = 2`,
		fmt.Sprintf(`INSERT INTO sites (organization_id, server_id, name, type, status, unix_user, isolated, web_directory, php_version,
			wildcards, www_redirect_type, created_at, updated_at)
		WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
		SELECT organization_id, (SELECT id FROM servers WHERE slug = 'many'), 'many-' || i || '.example.com', type, 'installed',
			unix_user, FALSE, web_directory, php_version, wildcards, www_redirect_type, created_at, updated_at
		FROM sites, n WHERE sites.id = 1`, sites),
		`INSERT INTO domains (site_id, name, type, status, www_redirect_type, wildcard, first, challenge, created_at, updated_at)
		SELECT id, name, 'primary', 'enabled', 'none', FALSE, TRUE, '', created_at, updated_at FROM sites WHERE name LIKE 'many-%'`,
	} {
		if _, err := s.db.Exec(insert); err != nil {
			return fmt.Errorf("insert %d sites: %w", sites, err)
		}
	}
	return nil
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
	amazon := cloudtest.New(cloud.AWS)
	t.Cleanup(amazon.Close)
	flags := []string{"--smtp-url", post.URL(), "--smtp-from", "hostler@example.com", "--cloud-endpoint", cloud.AWS + "=" + amazon.URL}
	var ca *pebble.Authority
	if full {
		ca = pebble.Start(t, pebble.Config{})
		flags = append(flags, "--acme-directory", ca.Directory, "--acme-ca-file", ca.Roots, "--nameserver", ca.DNS)
	}
	p, err := panel.Empty(panel.Program(t, "hostler"), bed.Gateway, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	if err := p.Up(); err != nil {
		t.Fatal(err)
	}
	s := &stage{panel: p, bed: bed, mail: post, db: p.DB(t), count: count, shots: shots(t)}
	if !full {
		s.run(t, "first.mjs")
		t.Log("not run here: deployments, databases, people, all screens, keys, ten thousand sites and hostile text (make browser)")
		return
	}
	s.leads, s.took = func(name, address string) { ca.Leads(t, name, address) }, map[string]int{}
	archive := s3.Start(t, "archive")
	s.more = map[string]any{
		"git": map[string]any{"host": gitHost, "url": s.repository(t, gitHost, "app")},
		"s3":  map[string]any{"endpoint": archive.URL(bed.Gateway), "bucket": "archive", "access": s3.AccessKey, "secret": s3.SecretKey},
	}
	if name := os.Getenv("HOSTLER_HOLD"); name != "" {
		s.hold(t, name)
		return
	}
	for _, script := range day {
		if s.run(t, script); t.Failed() {
			return
		}
	}
	if os.Getenv("HOSTLER_PICTURES") != "" {
		s.run(t, "pictures.mjs")
		return
	}
	for _, script := range whole {
		s.run(t, script)
	}
	s.tasks(t)
}

// day and whole are the scripts of make browser. Each of day needs what those before it created; those of whole need all of day.
var (
	day   = []string{"first.mjs", "deploy.mjs", "data.mjs", "people.mjs", "run.mjs", "actions.mjs", "server.mjs", "viewer.mjs", "later.mjs", "bulk.mjs"}
	whole = []string{"tasks.mjs", "measure.mjs", "screens.mjs", "lists.mjs", "keys.mjs", "text.mjs", "many.mjs"}
)
