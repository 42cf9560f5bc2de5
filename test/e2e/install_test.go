package e2e_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aead.dev/minisign"

	updates "github.com/hostlerhq/hostler/internal/engine/update"
	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
	"github.com/hostlerhq/hostler/test/pebble"
)

const panelName = "panel.example.com"

// packaged is a panel on a practice host, from the package and by the steps of docs/install.md.
type packaged struct {
	*panel.Panel
	host    *hosts.Host
	ca      *pebble.Authority
	browser *http.Client
	// docs are the steps by the heading that they are below.
	docs     map[string][]string
	releases *releases
	newest   string // the program that was installed last
	deploys  *room  // a site that is deployed from a repository on its own server
}

// steps returns the indented blocks of a document by heading.
func steps(t *testing.T, path string) map[string][]string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out, heading, inside := map[string][]string{}, "", false
	for line := range strings.Lines(string(raw)) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			heading = strings.TrimSpace(title)
		}
		text, block := strings.CutPrefix(line, "    ")
		switch {
		case block && inside:
			out[heading][len(out[heading])-1] += text
		case block:
			out[heading] = append(out[heading], text)
		}
		inside = block
	}
	return out
}

// step runs the documented block that contains a text.
func (i *packaged) step(t *testing.T, heading, part string) string {
	t.Helper()
	return i.host.Exec(t, "sh", "-ec", "cd /root\n"+i.block(t, heading, part))
}

func (i *packaged) block(t *testing.T, heading, part string) string {
	t.Helper()
	for _, text := range i.docs[heading] {
		if strings.Contains(text, part) {
			return text
		}
	}
	t.Fatalf("docs/install.md has no block with %q below %q", part, heading)
	return ""
}

// releases serves signed releases to hosts.
type releases struct {
	dir, url, key string
	private       minisign.PrivateKey
}

func newReleases(t *testing.T, gateway string) *releases {
	t.Helper()
	public, private, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	r := &releases{dir: t.TempDir(), key: public.String(), private: private}
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.FileServer(http.Dir(r.dir)))
	_ = server.Listener.Close()
	server.Listener = l
	server.Start()
	t.Cleanup(server.Close)
	r.url = fmt.Sprintf("http://%s:%d/index.json", gateway, l.Addr().(*net.TCPAddr).Port)
	return r
}

// publish makes a program the newest release.
func (r *releases) publish(t *testing.T, version string, program []byte) {
	t.Helper()
	sum := sha256.Sum256(program)
	index, err := json.Marshal(updates.Index{Version: version, Programs: map[string]updates.File{
		"linux/amd64": {Name: "program", Size: int64(len(program)), SHA256: hex.EncodeToString(sum[:])},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"program": program, "index.json": index, "index.json.minisig": minisign.Sign(r.private, index)} {
		if err := os.WriteFile(filepath.Join(r.dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// build returns a real release.
func (r *releases) build(t *testing.T, version string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hostler")
	panel.Release(t, version, r.key, path)
	return path
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Install on a fresh host by the documented steps, from the package to the first site, and update with work running.
func TestInstall(t *testing.T) {
	hosts.Require(t)
	panel.BuildImage(t)
	bed := hosts.Up(t, 3, hosts.Image("base", panel.Image, "base"))
	i := &packaged{
		host: bed.Host(1), ca: pebble.Start(t, pebble.Config{Listen: bed.Gateway}), docs: steps(t, "../../docs/install.md"),
		releases: newReleases(t, bed.Gateway),
	}
	i.ca.Leads(t, panelName, i.host.IP)
	first := i.releases.build(t, "v1.0.0")
	bringPackage(t, i.host, first, "1.0.0")
	t.Cleanup(func() {
		if t.Failed() {
			out, _ := i.host.TryExec("journalctl", "--no-pager", "-n", "60", "-u", "hostler")
			t.Logf("the panel's journal:\n%s", out)
		}
	})

	began := time.Now()
	lap := func(what string) { t.Logf("%6.1f s: %s", time.Since(began).Seconds(), what) }
	i.install(t)
	lap("package installed, panel reachable over TLS")
	i.account(t)
	lap("account made")
	server := bed.Host(2)
	server.WriteFile(t, "/usr/local/share/ca-certificates/pebble.crt", i.ca.Root(t), 0o644)
	server.Exec(t, "update-ca-certificates")
	server.Exec(t, "sh", "-c", "echo "+i.host.IP+" "+panelName+" >>/etc/hosts")
	s := i.Add(t, server, "web")
	i.Ready(t, s)
	lap("second host added")
	a := i.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/sites"), map[string]any{"name": "shop.example.com", "type": "php"})
	site := s.Path("/sites/" + a.Data.ID)
	i.Until(t, time.Minute, "/sites/"+a.Data.ID, "installed", func(a panel.Answer) bool { return a.Data.Text("status") == "installed" })
	wantSite(t, server)
	lap("first site served")
	if took := time.Since(began); took > 5*time.Minute {
		t.Errorf("it took %s, more than 5 minutes", took)
	}
	if out := i.host.Exec(t, "runuser", "-u", "hostler-panel", "--", "hostler", "doctor"); strings.Contains(out, "FAIL") {
		t.Errorf("the doctor finds:\n%s", out)
	}

	deployed := i.repository(t, s)
	process, minutes := i.goesOn(t, s, site)
	i.newest = i.releases.build(t, "v1.2.0")
	t.Run("an update that fails", func(t *testing.T) { i.fails(t, server, site) })
	t.Run("an update", func(t *testing.T) { i.succeeds(t, server, site, deployed) })
	t.Run("a move", func(t *testing.T) { i.moves(t, bed.Host(3), server, site) })
	t.Run("uninstalled", func(t *testing.T) { i.uninstalls(t, server, process, minutes) })
}

// repository makes a second site, which is deployed from a repository on its own server, and returns its path.
func (i *packaged) repository(t *testing.T, s panel.Server) string {
	t.Helper()
	i.deploys = &room{Panel: i.Panel, server: s, git: s.Host}
	i.deploys.prepareGit(t)
	url := i.deploys.repository(t, "code", map[string]string{"dist/index.html": "version 0"})
	site := i.deploys.site(t, map[string]any{"type": "static-html", "name": "code.example.com", "repository": url, "branch": "main", "web_directory": "/dist"})
	i.deploys.deployed(t, site)
	return site
}

// deploying commits a version and begins to deploy it: the deployment waits for a file. It returns once that is so, with what ends it and looks at the result.
func (i *packaged) deploying(t *testing.T, site, version string) (end func()) {
	t.Helper()
	file := "/home/forge/" + version
	i.deploys.Panel = i.Panel
	i.deploys.commit(t, "code", version, map[string]string{"dist/index.html": version})
	i.deploys.script(t, site, "$CREATE_RELEASE()\necho before; touch "+file+".began\n"+
		"until test -e "+file+"; do sleep 0.2; done\necho after\n$ACTIVATE_RELEASE()\n")
	d := i.Want(t, http.StatusAccepted, http.MethodPost, site+"/deployments", nil).Data
	hosts.Eventually(t, time.Minute, "the deployment waits", func() error {
		_, err := i.deploys.server.Host.TryExec("test", "-e", file+".began")
		return err
	})
	return func() {
		t.Helper()
		i.deploys.server.Host.Exec(t, "touch", file)
		got := i.Settled(t, 2*time.Minute, site+"/deployments/"+d.ID)
		log := i.deploys.deployLog(t, site, d.ID)
		if got.Text("status") != "finished" || strings.Count(log, "before\n") != 1 || strings.Count(log, "after\n") != 1 {
			t.Errorf("the deployment is %s: %+v\n%s", got.Text("status"), got.Operation(), log)
		}
		if got := i.deploys.serves(t, "code.example.com", "/"); got != "200 "+version {
			t.Errorf("after the deployment it serves %q", got)
		}
	}
}

// goesOn starts a process, and a job of every minute, and returns the unit and the file that the job writes to.
func (i *packaged) goesOn(t *testing.T, s panel.Server, site string) (unit, minutes string) {
	t.Helper()
	minutes = "/home/forge/minutes"
	job := i.Want(t, http.StatusAccepted, http.MethodPost, site+"/scheduled-jobs", map[string]any{
		"name": "minute", "command": "date >>" + minutes, "user": "forge", "frequency": "minutely",
	}).Data
	i.Status(t, time.Minute, site+"/scheduled-jobs/"+job.ID, "installed")
	process := i.Want(t, http.StatusAccepted, http.MethodPost, s.Path("/background-processes"), map[string]any{
		"name": "sleeper", "command": "sleep infinity", "user": "forge", "processes": 1,
	}).Data
	i.Status(t, time.Minute, s.Path("/background-processes/"+process.ID), "running")
	return "hostler-process-" + process.ID + "@1.service", minutes
}

// uninstalls removes the panel by the documented steps. Its server goes on, and left is what the document says.
func (i *packaged) uninstalls(t *testing.T, server *hosts.Host, process, minutes string) {
	i.docs = steps(t, "../../docs/operations.md")
	i.step(t, "Uninstall", "apt-get remove hostler")
	wantExists := func(h *hosts.Host, want bool, paths ...string) {
		t.Helper()
		for _, path := range paths {
			if _, err := h.TryExec("test", "-e", path); (err == nil) != want {
				t.Errorf("%s: there is %s: %t, want %t", h.Name, path, err == nil, want)
			}
		}
	}
	data := []string{"/var/lib/hostler-panel/hostler.db", "/var/lib/hostler-panel/master.key"}
	wantExists(i.host, false, "/usr/bin/hostler", "/usr/lib/systemd/system/hostler.service")
	wantExists(i.host, true, append(data, "/etc/hostler/hostler.yml")...)
	i.step(t, "Uninstall", "apt-get purge hostler")
	wantExists(i.host, false, "/etc/hostler/hostler.yml")
	wantExists(i.host, true, data...)
	i.host.Exec(t, "id", "hostler-panel")
	if out, err := i.host.TryExec("pgrep", "-u", "hostler-panel"); err == nil {
		t.Errorf("processes are left: %s", out)
	}

	wantSite(t, server)
	if got := strings.TrimSpace(server.Exec(t, "systemctl", "is-active", process)); got != "active" {
		t.Errorf("the process is %s", got)
	}
	server.Exec(t, "sh", "-c", ">"+minutes)
	hosts.Eventually(t, 2*time.Minute, "the job runs", func() error {
		_, err := server.TryExec("test", "-s", minutes)
		return err
	})
	wantExists(server, true, "/var/lib/hostler", "/etc/hostler")
	if keys := string(server.ReadFile(t, "/root/.ssh/authorized_keys")); !strings.Contains(keys, "hostler") {
		t.Errorf("the keys are\n%s", keys)
	}
	i.step(t, "Uninstall", "userdel hostler-panel")
	wantExists(i.host, false, "/var/lib/hostler-panel", "/etc/hostler")
}

// bringPackage makes a package and copies it to a host, where apt-get asks nothing.
func bringPackage(t *testing.T, h *hosts.Host, program, version string) {
	t.Helper()
	deb := filepath.Join(t.TempDir(), "hostler_"+version+"_amd64.deb")
	if out, err := exec.Command("../../scripts/deb", program, "amd64", version, deb).CombinedOutput(); err != nil {
		t.Fatalf("make the package: %v\n%s", err, out)
	}
	h.WriteFile(t, "/root/dist/"+filepath.Base(deb), read(t, deb), 0o644)
	h.WriteFile(t, "/etc/apt/apt.conf.d/99yes", []byte(`APT::Get::Assume-Yes "true";`), 0o644)
}

func wantSite(t *testing.T, server *hosts.Host) {
	t.Helper()
	hosts.Eventually(t, 30*time.Second, "the site is served", func() error {
		res, err := newBrowser(t, server.IP, "shop.example.com").Get("http://shop.example.com/")
		if err != nil {
			return err
		}
		_ = res.Body.Close()
		if res.StatusCode != 200 {
			return fmt.Errorf("it answers %s", res.Status)
		}
		return nil
	})
}

// install installs the package, and lets the panel obtain its certificate.
func (i *packaged) install(t *testing.T) {
	t.Helper()
	i.step(t, "The Debian package", "apt-get install")
	settings := i.block(t, "TLS", "tls-acme: true")
	i.host.WriteFile(t, "/etc/hostler/pebble.pem", read(t, i.ca.Roots), 0o644)
	i.host.WriteFile(t, "/root/tls",
		[]byte(settings+"acme-directory: "+i.ca.Directory+"\nacme-ca-file: /etc/hostler/pebble.pem\nupdate-url: "+i.releases.url+"\n"), 0o600)
	i.host.Exec(t, "sh", "-ec", "sed -i /^listen:/d /etc/hostler/hostler.yml; cat /root/tls >>/etc/hostler/hostler.yml")
	i.step(t, "The Debian package", "systemctl restart hostler")
	client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{RootCAs: i.ca.Trusted(t)},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, _ := net.SplitHostPort(address)
			return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort(i.host.IP, port))
		},
	}}
	hosts.Eventually(t, time.Minute, "the panel has a certificate", func() error {
		res, err := client.Get("http://" + panelName + "/readyz") // leads to HTTPS
		if err != nil {
			return err
		}
		_ = res.Body.Close()
		if res.StatusCode != 200 || res.Request.URL.Scheme != "https" {
			return fmt.Errorf("%s answers %s", res.Request.URL, res.Status)
		}
		return nil
	})
	i.Panel, i.browser = panel.Elsewhere("https://"+panelName, "", client), client
}

// account makes the first account with the link in the journal, and a token.
func (i *packaged) account(t *testing.T) {
	t.Helper()
	out := i.step(t, "The Debian package", "grep first")
	_, code, found := strings.Cut(strings.TrimSpace(out), "https://"+panelName+"/setup#")
	if !found {
		t.Fatalf("the journal has no link: %s", out)
	}
	body, err := json.Marshal(map[string]any{"code": code, "name": "Me", "email": "me@example.com", "password": "correct horse battery staple"})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, i.URL+"/api/auth/setup", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Hostler-Csrf", "1") // as the dashboard does
	res, err := i.browser.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("making the first account is answered %s", res.Status)
	}
	i.host.Exec(t, "runuser", "-u", "hostler-panel", "--", "hostler", "org", "create", panel.Org, "--owner", "me@example.com")
	i.Token = strings.TrimSpace(i.step(t, "The Debian package", "token create"))
}

// work starts a command of the site that waits for a file, and returns once it runs, with what ends it.
func (i *packaged) work(t *testing.T, server *hosts.Host, site, name string) (path string, end func()) {
	t.Helper()
	file := "/tmp/" + name
	a := i.Want(t, http.StatusAccepted, http.MethodPost, site+"/commands", map[string]any{
		"command": "touch " + file + ".began; until test -e " + file + "; do sleep 0.2; done; echo done " + name,
	})
	hosts.Eventually(t, time.Minute, "the command runs", func() error {
		_, err := server.TryExec("test", "-e", file+".began")
		return err
	})
	return site + "/commands/" + a.Data.ID, func() { server.Exec(t, "touch", file) }
}

func (i *packaged) wantDone(t *testing.T, path, name string) {
	t.Helper()
	if got := i.Settled(t, time.Minute, path); got.Text("status") != "finished" {
		t.Errorf("the command that ran is %s: %+v", got.Text("status"), got.Operation())
	}
	if out := i.Get(t, path+"/output").Text("output"); !strings.Contains(out, "done "+name) {
		t.Errorf("its output is %q", out)
	}
}

func (i *packaged) wantVersion(t *testing.T, want string) {
	t.Helper()
	if got := i.host.Exec(t, "hostler", "--version"); !strings.Contains(got, want) {
		t.Errorf("the program is %s, want %s", got, want)
	}
	hosts.Eventually(t, 30*time.Second, "the panel answers", func() error {
		a, err := i.Do(http.MethodGet, "/servers", nil)
		if err == nil && a.Code != 200 {
			err = fmt.Errorf("%d %s", a.Code, a.Body)
		}
		return err
	})
	if out := i.host.Exec(t, "runuser", "-u", "hostler-panel", "--", "hostler", "doctor"); strings.Contains(out, "FAIL") {
		t.Errorf("the doctor finds:\n%s", out)
	}
}

// fails updates to a program that writes to the database and never serves: everything goes on as before.
func (i *packaged) fails(t *testing.T, server *hosts.Host, site string) {
	path, end := i.work(t, server, site, "failing")
	i.releases.publish(t, "v1.1.0", []byte(`#!/bin/sh
case $1 in --version) echo hostler version v1.1.0; exit;; esac
echo a long enough pass phrase | /usr/bin/hostler.previous user create --email broken@example.com --password-stdin
exit 1
`))
	out, err := i.host.TryExec("hostler", "update", "--within", "1m")
	if err == nil || !strings.Contains(err.Error(), "everything is as it was before") {
		t.Fatalf("the update: %v\n%s", err, out)
	}
	t.Logf("it says:\n%s", out)
	i.wantVersion(t, "v1.0.0")
	wantSite(t, server)
	end()
	i.wantDone(t, path, "failing")
	if out, err := i.host.TryExec("sh", "-c", "journalctl -u hostler | grep broken@example.com"); err != nil {
		t.Errorf("the new program did not write to the database: %v %s", err, out)
	}
	if out, err := i.host.TryExec("sh", "-c",
		"echo a long enough pass phrase | runuser -u hostler-panel -- hostler user create --email broken@example.com --password-stdin"); err != nil {
		t.Errorf("what the new program wrote is still there: %v %s", err, out)
	}
}

// succeeds updates to a real program with another agent: work that the agent before it began goes on to its end.
func (i *packaged) succeeds(t *testing.T, server *hosts.Host, site, deployed string) {
	agents := func() []string { return strings.Fields(server.Exec(t, "ls", "/var/lib/hostler/agent")) }
	before := agents()
	path, end := i.work(t, server, site, "updating")
	finish := i.deploying(t, deployed, "updated")
	program := read(t, i.newest)
	i.releases.publish(t, "v1.2.0", append(bytes.Clone(program), 0))
	i.releases.tamper(t, program)
	if out, err := i.host.TryExec("hostler", "update"); err == nil || !strings.Contains(err.Error(), "not the one of the signed index") {
		t.Fatalf("a program that was changed: %v\n%s", err, out)
	}
	i.wantVersion(t, "v1.0.0")
	i.releases.publish(t, "v1.2.0", program)
	t.Logf("it says:\n%s", i.step(t, "Update", "hostler update"))
	i.wantVersion(t, "v1.2.0")
	wantSite(t, server)
	end()
	i.wantDone(t, path, "updating")
	finish()
	if now := agents(); len(before) != 1 || len(now) != 2 {
		t.Errorf("the agents on the server were %v, and are %v", before, now)
	}
	if out := i.host.Exec(t, "systemctl", "is-active", "hostler"); strings.TrimSpace(out) != "active" {
		t.Errorf("the service is %s", out)
	}
}

// tamper replaces the program of the newest release.
func (r *releases) tamper(t *testing.T, program []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, "program"), program, 0o600); err != nil {
		t.Fatal(err)
	}
}

// moves loses the panel's machine with work running, and restores it on another one by the runbook.
func (i *packaged) moves(t *testing.T, to, server *hosts.Host, site string) {
	path, end := i.work(t, server, site, "moving")
	const archive = "/var/lib/hostler-panel/panel.tar.zst"
	i.host.Exec(t, "runuser", "-u", "hostler-panel", "--", "hostler", "backup", archive)
	for name, from := range map[string]string{
		"/root/panel.tar.zst": archive, "/root/master.key": "/var/lib/hostler-panel/master.key",
		"/root/hostler.yml": "/etc/hostler/hostler.yml", "/etc/hostler/pebble.pem": "/etc/hostler/pebble.pem",
	} {
		to.WriteFile(t, name, i.host.ReadFile(t, from), 0o644)
	}
	i.host.Kill(t)

	began := time.Now()
	bringPackage(t, to, i.newest, "1.2.0")
	i.host, i.docs = to, steps(t, "../../docs/install.md")
	i.step(t, "The Debian package", "apt-get install")
	to.Exec(t, "sh", "-ec", "systemctl stop hostler; cat /root/hostler.yml >/etc/hostler/hostler.yml")
	i.docs = steps(t, "../../docs/operations.md")
	i.step(t, "Runbooks", "install -m 0600 -o hostler-panel")
	to.Exec(t, "install", "-m", "0600", "-o", "hostler-panel", "/root/panel.tar.zst", archive)
	to.Exec(t, "runuser", "-u", "hostler-panel", "--", "hostler", "restore", archive)
	i.ca.Leads(t, panelName, to.IP)
	server.Exec(t, "sed", "-i", "s/^[0-9.]* "+panelName+"/"+to.IP+" "+panelName+"/", "/etc/hosts")
	to.Exec(t, "systemctl", "start", "hostler")
	i.wantVersion(t, "v1.2.0") // over TLS, with a new certificate
	t.Logf("moved within %.1f s", time.Since(began).Seconds())
	end()
	i.wantDone(t, path, "moving")
	wantSite(t, server)
	path, end = i.work(t, server, site, "moved")
	end()
	i.wantDone(t, path, "moved")
}
