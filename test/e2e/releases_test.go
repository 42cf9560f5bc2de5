package e2e_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

// A site without a repository gets one, then releases, and returns, without a failed request; a power cut during the switch leaves it served.
func TestSiteGetsReleases(t *testing.T) {
	r := newRoom(t)
	a := r.Want(t, http.StatusAccepted, http.MethodPost, r.server.Path("/sites"), map[string]any{
		"type":          "php",
		"name":          "shop.example.com",
		"is_isolated":   true,
		"isolated_user": "shop",
	})
	site, id := r.server.Path("/sites/"+a.Data.ID), a.Data.ID
	r.installed(t, id)
	const base = "/home/shop/shop.example.com"
	r.server.Host.Exec(t, "runuser", "-u", "shop", "--", "sh", "-c",
		"echo '<?php echo \"by hand\";' > "+base+"/public/index.php && echo a note > "+base+"/public/note.txt")
	repo := r.repository(t, "shop", map[string]string{"public/index.php": "<?php echo 'shop 1';"})
	r.Want(t, http.StatusAccepted, http.MethodPut, site+"/git", map[string]any{"source_control_provider": "custom", "repository": repo, "branch": "main"})
	r.letIn(t, site)
	hosts.Eventually(t, 10*time.Second, "what was put there by hand is served", func() error { // PHP looks at a file that it has compiled every two seconds
		if got := r.serves(t, "shop.example.com", "/"); got != "200 by hand" {
			return fmt.Errorf("with a repository that was not deployed: %q", got)
		}
		return nil
	})
	r.deployed(t, site)
	r.eventually(t, "shop.example.com", "200 shop 1") // as above
	for path, want := range map[string]string{"/": "200 shop 1", "/note.txt": "200 a note"} {
		if got := r.serves(t, "shop.example.com", path); got != want {
			t.Errorf("%s is %q", path, got)
		}
	}
	if kept := r.server.Host.Exec(t, "cat", base+"/.before-git/public/index.php"); !strings.Contains(kept, "by hand") {
		t.Errorf("what was there before is %q", kept)
	}

	// The power goes while files are copied: there are enough of them for that to take a while.
	r.server.Host.Exec(t, "runuser", "-u", "shop", "--", "sh", "-c", "mkdir "+base+"/many && cd "+base+"/many && seq 1 30000 | split -l 1 -a 5 - f")
	a = r.Want(t, http.StatusAccepted, http.MethodPost, site+"/deployments/zero-downtime", nil)
	for end := time.Now().Add(2 * time.Minute); ; { // midway, not at its end
		n, err := r.server.Host.TryExec("sh", "-c", "ls "+base+"/releases/0/many 2>/dev/null | wc -l")
		if err == nil && strings.TrimSpace(n) != "0" {
			break
		}
		if time.Now().After(end) {
			t.Fatal("nothing is copied")
		}
	}
	r.server.Host.Kill(t)
	r.server.Host.Start(t)
	r.eventually(t, "shop.example.com", "200 shop 1")
	stop := pressureOf(t, r.server.Host.IP, "shop.example.com", false, 1)
	s := r.Settled(t, 5*time.Minute, "/sites/"+id)
	if s.Operation().State != "succeeded" || s.Attributes["zero_downtime_deployments"] != true {
		t.Fatalf("%+v %v\n%s", s.Operation(), s.Attributes["zero_downtime_deployments"], r.Output(t, r.server, s.Operation().EventID))
	}
	if live := strings.TrimSpace(r.server.Host.Exec(t, "readlink", base+"/current")); live != "releases/0" {
		t.Errorf("live is %q", live)
	}
	r.commit(t, "shop", "Second", map[string]string{"public/index.php": "<?php echo 'shop 2';"})
	d := r.deployed(t, site)
	if live := strings.TrimSpace(r.server.Host.Exec(t, "readlink", base+"/current")); live != "releases/"+d.ID {
		t.Errorf("live is %q", live)
	}
	if got := r.serves(t, "shop.example.com", "/"); got != "200 shop 2" {
		t.Errorf("a release serves %q", got)
	}

	// The way back.
	r.Want(t, http.StatusAccepted, http.MethodDelete, site+"/deployments/zero-downtime", nil)
	s = r.Settled(t, 5*time.Minute, "/sites/"+id)
	if s.Operation().State != "succeeded" || s.Attributes["zero_downtime_deployments"] != false {
		t.Fatalf("back: %+v\n%s", s.Operation(), r.Output(t, r.server, s.Operation().EventID))
	}
	r.eventually(t, "shop.example.com", "200 shop 2") // what PHP compiled of this path less than two seconds ago it does not look at again
	if y := stop(); len(y.failed) > 0 {
		t.Errorf("%d of %d requests failed, the first: %s", len(y.failed), y.total, y.failed[0])
	} else {
		t.Logf("%d requests meanwhile, none failed", y.total)
	}
	r.commit(t, "shop", "Third", map[string]string{"public/index.php": "<?php echo 'shop 3';"})
	r.deployed(t, site)
	r.eventually(t, "shop.example.com", "200 shop 3")

	// What would not answer as before is refused, and nothing has changed.
	r.server.Host.Exec(t, "runuser", "-u", "shop", "--", "sh", "-c", "rm -rf "+base+"/current && mkdir "+base+"/current")
	r.Want(t, http.StatusAccepted, http.MethodPost, site+"/deployments/zero-downtime", nil)
	s = r.Settled(t, 5*time.Minute, "/sites/"+id)
	if s.Operation().State != "failed" || s.Attributes["zero_downtime_deployments"] != false {
		t.Errorf("with something in its way: %+v", s.Operation())
	}
	if got := r.serves(t, "shop.example.com", "/"); got != "200 shop 3" {
		t.Errorf("after a switch that failed: %q", got)
	}
}

// httpsGit returns a Git server over HTTPS, git's own, at an address that hosts reach; it returns where repositories are and their URL.
func httpsGit(t *testing.T, r *room) (dir, url string) {
	t.Helper()
	dir = t.TempDir()
	gateway := r.server.Host.Bed().Gateway
	l, err := net.Listen("tcp", net.JoinHostPort(gateway, "0"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.ParseIP(gateway)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	execPath, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(&cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(execPath)), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + dir, "GIT_HTTP_EXPORT_ALL=1"},
	})
	s.Listener.Close()
	s.Listener, s.TLS = l, &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	s.StartTLS()
	t.Cleanup(s.Close)
	r.server.Host.WriteFile(t, "/usr/local/share/ca-certificates/git.crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o644)
	r.server.Host.Exec(t, "update-ca-certificates")
	return dir, s.URL
}

// A repository over HTTPS, and everything that can ask for a deployment: the API, the command line, the hook's address, and a signed push.
func TestDeployOverHTTPS(t *testing.T) {
	r := newRoom(t)
	dir, url := httpsGit(t, r)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{
			"-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "init.defaultBranch=main", "-c",
			"safe.directory=*",
		}, args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "--bare", "page.git")
	git("clone", "-q", "page.git", "work")
	n := 0
	commit := func() string {
		t.Helper()
		n++
		text := fmt.Sprintf("page %d", n)
		if err := os.WriteFile(filepath.Join(dir, "work", "index.html"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		git("-C", "work", "add", "-A")
		git("-C", "work", "commit", "-q", "-m", text)
		git("-C", "work", "push", "-q", "origin", "HEAD:main")
		return "200 " + text
	}
	first := commit()
	a := r.Want(t, http.StatusAccepted, http.MethodPost, r.server.Path("/sites"), map[string]any{
		"type":           "static-html",
		"name":           "page.example.com",
		"repository":     url + "/page.git",
		"branch":         "main",
		"push_to_deploy": true,
	})
	site := r.server.Path("/sites/" + a.Data.ID)
	r.installed(t, a.Data.ID)
	serves := func(want string) {
		t.Helper()
		r.Until(t, time.Minute, site+"/deployments/status", "ended", func(a panel.Answer) bool {
			s := a.Data.Text("status")
			return s != "queued" && s != "deploying"
		})
		if got := r.serves(t, "page.example.com", "/"); got != want {
			t.Errorf("it serves %q, want %q", got, want)
		}
	}
	r.deployed(t, site)
	serves(first)

	want := commit()
	cli := exec.Command(panel.Program(t, "hostler"), "deploy", "page.example.com")
	cli.Env = append(os.Environ(), "HOSTLER_URL="+r.URL, "HOSTLER_TOKEN="+r.Token, "HOSTLER_ORG="+panel.Org, "HOME="+t.TempDir())
	out, err := cli.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "page 2") || !strings.Contains(string(out), "finished") {
		t.Errorf("hostler deploy: %v\n%s", err, out)
	}
	serves(want)

	hook := r.Get(t, site+"/deployments/deploy-hook").Text("url")
	call := func(address, body string, header ...string) {
		t.Helper()
		req, err := http.NewRequest(http.MethodPost, address, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusAccepted {
			t.Errorf("%s: %s", address, resp.Status)
		}
	}
	want = commit()
	call(hook, "")
	serves(want)

	want = commit()
	const body = `{"ref":"refs/heads/main","after":"0123456789012345678901234567890123456789"}`
	mac := hmac.New(sha256.New, []byte(hook[strings.LastIndex(hook, "/")+1:]))
	mac.Write([]byte(body))
	call(r.URL+"/push/"+a.Data.ID, body, "X-GitHub-Event", "push", "X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	serves(want)

	// A failing deployment ends the command with a status of its own.
	r.script(t, site, "false\n")
	cli = exec.Command(panel.Program(t, "hostler"), "deploy", "page.example.com")
	cli.Env = append(os.Environ(), "HOSTLER_URL="+r.URL, "HOSTLER_TOKEN="+r.Token, "HOSTLER_ORG="+panel.Org, "HOME="+t.TempDir())
	out, _ = cli.CombinedOutput()
	if cli.ProcessState.ExitCode() != 5 || !strings.Contains(string(out), "failed") {
		t.Errorf("hostler deploy of a broken site ends with %d\n%s", cli.ProcessState.ExitCode(), out)
	}
	serves(want)
}
