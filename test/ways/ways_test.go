// Package ways_test lives a site's whole life in each of the ways that there are to Hostler: the command line, the clients for Go and TypeScript, Terraform, an
// assistant, and the dashboard. Each has a panel and a server of its own. Afterwards the same rows are in each panel, and the same files on each server.
package ways_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
	"github.com/hostlerhq/hostler/test/pebble"
	"github.com/hostlerhq/hostler/test/s3"
)

func TestMain(m *testing.M) {
	code := m.Run()
	panel.Clean()
	os.Exit(code)
}

// name is the domain of the site that lives, and bucket is where its backups are stored.
const (
	name   = "life.example.com"
	bucket = "archive"
)

// ways are the ways, and what lives a life in each. The first is what the others are compared with.
var ways = []struct {
	name string
	live func(*testing.T, *life)
}{
	{"command line", live("sh", "command_line.sh")},
	{"Go", liveInGo},
	{"TypeScript", liveInTypeScript},
	{"Terraform", liveInTerraform},
	{"assistant", liveWithAssistant},
	{"dashboard", liveInDashboard},
}

// A site's whole life leads to the same rows and the same files of its server in each way: server, site, database, deployment, certificate, process, schedule,
// backup, restore, roll back, and all of it removed.
func TestSixWays(t *testing.T) {
	if os.Getenv("HOSTLER_E2E") != "full" {
		t.Skip("make e2e")
	}
	panel.BuildTenantImage(t)
	bed := hosts.Shared(t, 2, hosts.Image(panel.TenantImage, panel.Image))
	ca, archive := pebble.Start(t, pebble.Config{}), s3.Start(t, bucket)
	account(t, bed.Host(2))
	var first *life
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			bed.Host(1).Reset(t)
			ca.Leads(t, name, bed.Host(1).IP)
			l := begin(t, bed, ca, archive)
			w.live(t, l)
			if t.Failed() {
				return
			}
			for _, missing := range []string{"made", "gone"} {
				if l.seen[missing] == nil {
					t.Fatalf("%s was never reached", missing)
				}
			}
			if first == nil {
				first = l
				return
			}
			for when := range first.seen {
				for what, want := range first.seen[when] {
					less, more := missing(want, l.seen[when][what]), missing(l.seen[when][what], want)
					if len(less)+len(more) > 0 {
						t.Errorf("%s, %s, only by the %s:\n%s\nonly by this way:\n%s", when, what, ways[0].name, strings.Join(less, "\n"), strings.Join(more, "\n"))
					}
				}
			}
		})
	}
}

// missing are the lines of some that are not among others.
func missing(some, others []string) []string {
	return slices.DeleteFunc(slices.Clone(some), func(line string) bool { return slices.Contains(others, line) })
}

// life is one life: a panel, a server, and what was seen of both.
type life struct {
	t     *testing.T
	panel *panel.Panel
	host  *hosts.Host
	git   *hosts.Host
	// url is where scripts say how far they are.
	url string
	// repository, endpoint, access and secret are settings of a life.
	repository, endpoint, access, secret string
	// seen are rows and files, when everything was made and when all was gone.
	seen map[string]map[string][]string
}

func begin(t *testing.T, bed *hosts.Bed, ca *pebble.Authority, archive *s3.Server) *life {
	t.Helper()
	p, err := panel.New(panel.Program(t, "hostler"), bed.Gateway, "--acme-directory", ca.Directory, "--acme-ca-file", ca.Roots, "--nameserver", ca.DNS)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the panel's log:\n%s", p.Log())
		}
		p.Close()
	})
	l := &life{
		t: t, panel: p, host: bed.Host(1), git: bed.Host(2), repository: repository(t, bed.Host(2)),
		endpoint: archive.URL(bed.Gateway), access: s3.AccessKey, secret: s3.SecretKey, seen: map[string]map[string][]string{},
	}
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	l.url = server.URL
	return l
}

// account makes a host a Git server.
func account(t *testing.T, h *hosts.Host) {
	t.Helper()
	h.ServeGit(t)
}

// repository makes an empty repository on a Git server, in the place of the last one, and returns its address.
func repository(t *testing.T, h *hosts.Host) string {
	t.Helper()
	h.Exec(t, "sh", "-c", "rm -rf /home/git/life.git /root/life && git init -q --bare /home/git/life.git && git clone -q /home/git/life.git /root/life")
	return fmt.Sprintf("ssh://git@%s/home/git/life.git", h.IP)
}

// commit makes the repository have this page.
func (l *life) commit(page string) error {
	_, err := l.git.TryExec("sh", "-c", `cd /root/life && mkdir -p public && printf '<?php echo "%s";' "$1" >public/index.php && git add -A &&
		GIT_AUTHOR_DATE=2026-01-01T00:00:00Z GIT_COMMITTER_DATE=2026-01-01T00:00:00Z git commit -q --allow-empty -m "$1" &&
		git push -qf origin HEAD:main && chown -R git:git /home/git/life.git`, "sh", page)
	return err
}

// moments are what the world does with a life, at the moments that its way says have come.
var moments = map[string]func(*life, string) error{
	"connect":   (*life).connect,
	"installed": (*life).trust,
	"deployed":  func(l *life, _ string) error { return errors.Join(l.serves("http", "page one"), l.fill()) },
	"lost":      func(l *life, _ string) error { return l.sql("DELETE FROM shop.people") },
	"restored":  func(l *life, _ string) error { return errors.Join(l.has("Ada"), l.commit("page two")) },
	"newer":     func(l *life, _ string) error { return l.serves("https", "page two") },
	"made":      func(l *life, _ string) error { return errors.Join(l.serves("https", "page one"), l.look("made")) },
	"gone":      func(l *life, _ string) error { return l.look("gone") },
}

// reach is called at each moment, with what a way has to say about it.
func (l *life) reach(moment, said string) error {
	do, is := moments[moment]
	if !is {
		return fmt.Errorf("there is no moment %s", moment)
	}
	began := time.Now()
	if err := do(l, said); err != nil {
		return fmt.Errorf("%s: %w", moment, err)
	}
	l.t.Logf("%s (seen in %.1f s)", moment, time.Since(began).Seconds())
	return nil
}

// ServeHTTP is reach for scripts: POST /deployed.
func (l *life) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	said, err := io.ReadAll(req.Body)
	if err == nil {
		err = l.reach(strings.TrimPrefix(req.URL.Path, "/"), string(said))
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// connect runs the setup command that is somewhere in the text on the server, and waits until it is set up.
func (l *life) connect(said string) error {
	lines := slices.DeleteFunc(strings.Split(said, "\n"), func(line string) bool { return !strings.Contains(line, "HOSTLER_SECRET=") })
	if len(lines) != 1 {
		return fmt.Errorf("no setup command in %q", said)
	}
	if out, err := l.host.TryExec("sh", "-c", strings.TrimSpace(lines[0])); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	l.panel.Ready(l.t, panel.Server{ID: "1", Host: l.host})
	return nil
}

var deployKey = regexp.MustCompile(`ssh-ed25519 [A-Za-z0-9+/=]+`)

// trust lets the site's deploy key, which is somewhere in the text, read the repository.
func (l *life) trust(said string) error {
	key := deployKey.FindString(said)
	if key == "" {
		return fmt.Errorf("no deploy key in %q", said)
	}
	if _, err := l.git.TryExec("sh", "-c", `printf '%s\n' "$1" >/home/git/.ssh/authorized_keys && chown git:git /home/git/.ssh/authorized_keys`, "sh",
		key); err != nil {
		return err
	}
	return l.commit("page one")
}

// serves expects a page of the site.
func (l *life) serves(scheme, page string) error {
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(200 * time.Millisecond) { // OPcache looks at files every other second
		out, err := l.host.TryExec("curl", "-sSk", "--resolve", name+":80:127.0.0.1", "--resolve", name+":443:127.0.0.1", scheme+"://"+name+"/")
		if err == nil && out == page {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s serves %q, %w", scheme, out, err)
		}
	}
}

func (l *life) sql(statement string) error {
	out, err := l.host.TryExec("mariadb", "-N", "-e", statement)
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func (l *life) fill() error {
	return l.sql("CREATE TABLE shop.people (id INT PRIMARY KEY, name VARCHAR(50)); INSERT INTO shop.people VALUES (1, 'Ada')")
}

func (l *life) has(person string) error {
	out, err := l.host.TryExec("mariadb", "-N", "-e", "SELECT name FROM shop.people")
	if err == nil && strings.TrimSpace(out) != person {
		err = fmt.Errorf("in the database are %q", out)
	}
	return err
}

// environment has the settings of a program.
func (l *life) environment(more ...string) []string {
	return append(append(os.Environ(), "HOSTLER_URL="+l.panel.URL, "HOSTLER_TOKEN="+l.panel.Token, "HOSTLER_ORG="+panel.Org, "MOMENT="+l.url,
		"SERVER_IP="+l.host.IP, "SERVER_PORT="+strconv.Itoa(l.host.Port), "REPOSITORY="+l.repository, "ENDPOINT="+l.endpoint, "BUCKET="+bucket,
		"ACCESS_KEY="+l.access,
		"SECRET_KEY="+l.secret, "PATH="+filepath.Dir(panel.Program(l.t, "hostler"))+":"+os.Getenv("PATH"), "XDG_CONFIG_HOME="+l.t.TempDir()), more...)
}

// run runs a program that lives a life.
func (l *life) run(dir string, env []string, argv ...string) {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(l.t.Context(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, env, 5*time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		l.t.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, out.String())
	}
}

// live is a life that a script lives.
func live(program, script string) func(*testing.T, *life) {
	return func(_ *testing.T, l *life) { l.run(".", l.environment(), program, script) }
}

func require(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skip(program + " is not installed")
	}
}

func liveInTypeScript(t *testing.T, l *life) {
	require(t, "node")
	compiler, err := filepath.Abs("../../web/node_modules/typescript/bin/tsc")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(compiler); err != nil {
		t.Skip("the compiler is not here: npm ci in web/")
	}
	dir := t.TempDir()
	l.run(".", os.Environ(), "node", compiler, "-p", "../../clients/typescript", "--outDir", filepath.Join(dir, "client"))
	for name, text := range map[string]string{
		"package.json": `{"type": "module"}`,
		"tsconfig.json": `{"compilerOptions": {"target": "ES2022", "lib": ["ES2022", "DOM"], "module": "NodeNext", "moduleResolution": "NodeNext", ` +
			`"types": [], "strict": true}, "include": ["life.ts"]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("life.ts")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "life.ts"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	l.run(dir, os.Environ(), "node", compiler, "-p", dir)
	settings, err := json.Marshal(map[string]any{
		"url": l.panel.URL, "token": l.panel.Token, "moment": l.url, "ip": l.host.IP, "port": l.host.Port, "repository": l.repository,
		"endpoint": l.endpoint, "bucket": bucket, "access": l.access, "secret": l.secret,
	})
	if err != nil {
		t.Fatal(err)
	}
	l.run(dir, append(os.Environ(), "LIFE="+string(settings)), "node", "life.js")
}

// Terraform has what stays. What is done once is done with the command line: deploying, backing up, restoring, rolling back.
func liveInTerraform(t *testing.T, l *life) {
	program, err := exec.LookPath("terraform")
	if err != nil {
		if program, err = exec.LookPath("tofu"); err != nil {
			t.Skip("neither terraform nor tofu is installed")
		}
	}
	dir := t.TempDir()
	l.run("../../terraform", os.Environ(), "go", "build", "-o", filepath.Join(dir, "terraform-provider-hostler"), ".")
	text, err := os.ReadFile("life.tf")
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "main.tf"), text, 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir,
			"settings"), fmt.Appendf(nil, "provider_installation {\n  dev_overrides { \"hostlerhq/hostler\" = %q }\n  direct {}\n}\n", dir), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("terraform.sh")
	if err != nil {
		t.Fatal(err)
	}
	l.run(dir, l.environment("TERRAFORM="+program, "TF_CLI_CONFIG_FILE="+filepath.Join(dir, "settings"), "CHECKPOINT_DISABLE=1", "TF_IN_AUTOMATION=1"),
		"sh", script)
}

func liveInDashboard(t *testing.T, l *life) {
	require(t, "node")
	const browser = "/usr/bin/chromium"
	for _, name := range []string{browser, "../../web/node_modules/playwright-core", "../../web/dist/index.html"} {
		if _, err := os.Stat(name); err != nil {
			t.Skipf("no browser, or no dashboard: %v", err)
		}
	}
	settings, err := json.Marshal(map[string]any{
		"stage": l.url, "url": l.panel.URL, "browser": browser, "shots": os.Getenv("HOSTLER_SHOTS"), "ip": l.host.IP, "port": l.host.Port, "git": l.repository,
		"endpoint": l.endpoint, "bucket": bucket, "access": l.access, "secret": l.secret,
	})
	if err != nil {
		t.Fatal(err)
	}
	l.run(".", append(os.Environ(), "HOSTLER_STAGE="+string(settings)), "node", "dashboard.mjs")
}
