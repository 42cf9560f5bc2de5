package e2e_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
	"github.com/hostlerhq/hostler/test/hosts"
)

const pebbleVersion = "v2.10.1"

// pebbleTool is a program of Pebble, an authority for tests, built once from the Go module proxy.
func pebbleTool(t *testing.T, name string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "hostler-pebble-"+pebbleVersion)
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	cmd := exec.Command("go", "install", "github.com/letsencrypt/pebble/v2/cmd/"+name+"@"+pebbleVersion)
	cmd.Env, cmd.Dir = append(os.Environ(), "GOBIN="+dir, "GOFLAGS="), t.TempDir()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", name, err, out)
	}
	return path
}

// authority is a Pebble with DNS of its own, in which names lead where the test says.
type authority struct {
	directory, roots string // what a panel needs
	dns, manage      string
	management       string // where Pebble itself is told things
	dir              string
	client           *http.Client
	pebble           *exec.Cmd
	start            func(name string, env []string, args ...string) *exec.Cmd
}

func ports(t *testing.T, n int) []string {
	t.Helper()
	var out []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
		defer l.Close()
	}
	return out
}

// startAuthority starts a Pebble that asks a nameserver, one for tests where none is given.
func startAuthority(t *testing.T, nameserver string) *authority {
	t.Helper()
	p := ports(t, 4)
	dir := t.TempDir()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	certificate, keyFile := write("cert.pem", text), write("key.pem", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{"listenAddress": "127.0.0.1:" + p[0], "managementListenAddress": "127.0.0.1:" + p[1], "certificate": certificate, "privateKey": keyFile,
		"httpPort": 80, "tlsPort": 443}})
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	a := &authority{directory: "https://127.0.0.1:" + p[0] + "/dir", roots: certificate, dns: "127.0.0.1:" + p[2], manage: "http://127.0.0.1:" + p[3],
		client: &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	a.dir, a.management = dir, "https://127.0.0.1:"+p[1]
	a.start = func(name string, env []string, args ...string) *exec.Cmd {
		cmd := exec.Command(pebbleTool(t, name), args...)
		cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), env...), log, log
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		return cmd
	}
	if nameserver == "" {
		a.start("pebble-challtestsrv", nil, "-defaultIPv6", "", "-defaultIPv4", "127.0.0.1", "-dnsserver", a.dns, "-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", "", "-management", "127.0.0.1:"+p[3])
	} else {
		a.dns = nameserver
	}
	write("config.json", config)
	t.Cleanup(func() {
		if t.Failed() {
			content, _ := os.ReadFile(log.Name())
			t.Logf("the authority's log:\n%s", content)
		}
	})
	a.up(t)
	return a
}

// up starts Pebble, which knows nothing of what it did before, and returns when it answers.
func (a *authority) up(t *testing.T) {
	t.Helper()
	a.pebble = a.start("pebble", []string{"PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0", "PEBBLE_AUTHZREUSE=0"}, "-config", filepath.Join(a.dir, "config.json"), "-dnsserver", a.dns, "-strict")
	for deadline := time.Now().Add(30 * time.Second); ; {
		res, err := a.client.Get(a.directory)
		if err == nil {
			_ = res.Body.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the authority does not answer: %v", err)
		}
	}
	a.manage, _, _ = strings.Cut(a.manage, "|")
	a.root(t, a.management+"/roots/0", a.dir)
}

// down ends Pebble.
func (a *authority) down() {
	_ = a.pebble.Process.Kill()
	_ = a.pebble.Wait()
}

// root keeps the authority's root, which Pebble makes anew at each start.
func (a *authority) root(t *testing.T, url, dir string) {
	t.Helper()
	res, err := a.client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "root.pem"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	a.roots = filepath.Join(dir, "cert.pem")
	a.manage += "|" + filepath.Join(dir, "root.pem")
}

// leads makes a name lead to an address.
func (a *authority) leads(t *testing.T, name, address string) {
	t.Helper()
	url, _, _ := strings.Cut(a.manage, "|")
	body := fmt.Sprintf(`{"host":%q,"addresses":[%q]}`, name+".", address)
	res, err := http.Post(url+"/add-a", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
}

// get asks a host for a name over TLS, trusting the authority alone.
func (a *authority) get(t *testing.T, h *hosts.Host, scheme, name, path string) (*http.Response, *x509.Certificate) {
	t.Helper()
	_, file, _ := strings.Cut(a.manage, "|")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return visit(t, h, pool, scheme, name, path)
}

// visit asks a host for a name as a browser that trusts these roots alone does, and gives the certificate that it saw.
func visit(t *testing.T, h *hosts.Host, pool *x509.CertPool, scheme, name, path string) (*http.Response, *x509.Certificate) {
	t.Helper()
	client := &http.Client{Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, DisableKeepAlives: true, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, _ := net.SplitHostPort(address)
			return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort(h.IP, port))
		}}}
	res, err := client.Get(scheme + "://" + name + path)
	if err != nil {
		t.Fatalf("ask for %s://%s%s: %v", scheme, name, path, err)
	}
	_, _ = io.Copy(io.Discard, res.Body)
	_ = res.Body.Close()
	if res.TLS == nil {
		return res, nil
	}
	return res, res.TLS.PeerCertificates[0]
}

// Certificates are issued, served and renewed on a web server and on a load balancer; what fails changes nothing and says why.
func TestCertificates(t *testing.T) {
	hosts.Require(t)
	panel.BuildImage(t)
	bed := hosts.Shared(t, 2, hosts.Image(panel.Image))
	ca := startAuthority(t, "")
	p, err := panel.New(panel.Program(t, "hostler"), bed.Gateway, "--acme-directory", ca.directory, "--acme-ca-file", ca.roots)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the panel's log:\n%s", p.Log())
		}
		p.Close()
	})
	w := &World{Panel: p, Bed: bed, Servers: []panel.Server{p.Add(t, bed.Host(1), "web"), p.Add(t, bed.Host(2), "loadbalancer")}}
	p.Ready(t, w.Servers...)
	web, lb := w.Server(1), w.Server(2)

	r := site(t, w, web, map[string]any{"name": "shop.example.com", "type": "static-html"})
	at := web.Path("/sites/" + r.ID)
	primary := w.first(t, at+"/domains")

	t.Run("redirects and security rules are served", func(t *testing.T) { w.rules(t, ca, web, at) })

	t.Run("http-01", func(t *testing.T) {
		ca.leads(t, "shop.example.com", web.Host.IP)
		ca.leads(t, "www.shop.example.com", web.Host.IP) // which it answers to later
		w.issued(t, web, primary)
		res, leaf := ca.get(t, web.Host, "https", "shop.example.com", "/")
		if res.StatusCode != 200 || leaf.VerifyHostname("shop.example.com") != nil {
			t.Errorf("HTTPS answers %d with a certificate for %v", res.StatusCode, leaf.DNSNames)
		}
		if res, _ := ca.get(t, web.Host, "http", "shop.example.com", "/x"); res.StatusCode != 301 || res.Header.Get("Location") != "https://shop.example.com/x" {
			t.Errorf("plain HTTP answers %d %s", res.StatusCode, res.Header.Get("Location"))
		}
		if out := web.Host.Exec(t, "find", "/var/lib/hostler/acme-challenge", "-type", "f"); strings.TrimSpace(out) != "" {
			t.Errorf("challenges are left: %s", out)
		}
	})

	t.Run("a configuration that a user writes", func(t *testing.T) { w.configuration(t, ca, web, primary) })

	t.Run("a domain that leads elsewhere", func(t *testing.T) {
		alias := w.Want(t, http.StatusAccepted, http.MethodPost, at+"/domains", map[string]any{"name": "away.example.com", "www_redirect_type": "none", "allow_wildcard_subdomains": false}).Data
		if got := w.Settled(t, time.Minute, at+"/domains/"+alias.ID); got.Text("status") != "enabled" {
			t.Fatalf("the domain is %s: %+v", got.Text("status"), got.Operation())
		}
		c := w.Want(t, http.StatusAccepted, http.MethodPost, at+"/domains/"+alias.ID+"/certificates", map[string]any{"type": "letsencrypt"}).Data
		got := w.Settled(t, 2*time.Minute, at+"/domains/"+alias.ID+"/certificates/"+c.ID)
		if got.Text("status") != "failed" || got.Attributes["active"] != false || !strings.Contains(got.Operation().Reason, "away.example.com") {
			t.Errorf("the certificate is %s: %+v", got.Text("status"), got.Operation())
		}
		t.Logf("the reason: %s", got.Operation().Reason)
		if res, _ := ca.get(t, web.Host, "http", "away.example.com", "/"); res.StatusCode != 200 {
			t.Errorf("the domain answers %d", res.StatusCode)
		}
	})

	t.Run("renewal", func(t *testing.T) {
		_, before := ca.get(t, web.Host, "https", "shop.example.com", "/")
		w.renew(t)
		w.Until(t, time.Minute, primary+"/certificates/active", "renewed", func(a panel.Answer) bool {
			_, now := ca.get(t, web.Host, "https", "shop.example.com", "/")
			return a.Data.Text("status") == "installed" && now.SerialNumber.Cmp(before.SerialNumber) != 0
		})
	})

	t.Run("on a load balancer", func(t *testing.T) {
		b := site(t, w, lb, map[string]any{"domain": "balanced.example.com", "balancing": []any{map[string]any{"server_id": number(web.ID)}}})
		ca.leads(t, "balanced.example.com", lb.Host.IP)
		w.issued(t, lb, w.first(t, lb.Path("/sites/"+b.ID)+"/domains"))
		if _, leaf := ca.get(t, lb.Host, "https", "balanced.example.com", "/"); leaf.VerifyHostname("balanced.example.com") != nil {
			t.Errorf("the balancer's certificate is for %v", leaf.DNSNames)
		}
	})

	t.Run("brought along, signed elsewhere, cloned", func(t *testing.T) { w.kinds(t) })

	t.Run("renewal as the authority wants it", func(t *testing.T) { w.advised(t, ca, web, primary) })

	t.Run("a renewal that fails", func(t *testing.T) {
		_, before := ca.get(t, web.Host, "https", "shop.example.com", "/")
		ca.down()
		w.renew(t)
		a, _ := w.Until(t, 5*time.Minute, primary+"/certificates/active", "failed", func(a panel.Answer) bool { return a.Data.Operation().State == "failed" })
		if a.Data.Text("status") != "installed" || a.Data.Attributes["active"] != true {
			t.Errorf("the certificate is %v", a.Data.Attributes)
		}
		t.Logf("the reason: %s", a.Data.Operation().Reason)
		if _, now := ca.get(t, web.Host, "https", "shop.example.com", "/"); now.SerialNumber.Cmp(before.SerialNumber) != 0 {
			t.Error("another certificate is served")
		}
		// The authority is back, and has forgotten us and all that it issued.
		ca.up(t)
		w.renew(t)
		w.Until(t, 2*time.Minute, primary+"/certificates/active", "renewed", func(a panel.Answer) bool {
			return a.Data.Operation().State == "succeeded" && a.Data.Text("status") == "installed"
		})
		if _, now := ca.get(t, web.Host, "https", "shop.example.com", "/"); now.SerialNumber.Cmp(before.SerialNumber) == 0 {
			t.Error("the same certificate is served")
		}
	})
}

// first is the path of the first of a list.
func (w *World) first(t *testing.T, path string) string {
	t.Helper()
	a := w.Want(t, http.StatusOK, http.MethodGet, path, nil)
	var list struct{ Data []struct{ ID string } }
	if err := json.Unmarshal([]byte(a.Body), &list); err != nil || len(list.Data) == 0 {
		t.Fatalf("%s is %s", path, a.Body)
	}
	return path + "/" + list.Data[0].ID
}

func (w *World) issued(t *testing.T, s panel.Server, domain string) {
	t.Helper()
	began := time.Now()
	c := w.Want(t, http.StatusAccepted, http.MethodPost, domain+"/certificates", map[string]any{"type": "letsencrypt"}).Data
	a, _ := w.Until(t, 2*time.Minute, domain+"/certificates/"+c.ID, "installed", func(a panel.Answer) bool {
		return a.Data.Text("status") == "installed" || a.Data.Text("status") == "failed" || a.Data.Operation().State == "failed"
	})
	if a.Data.Text("status") != "installed" || a.Data.Attributes["active"] != true {
		t.Fatalf("the certificate is %v: %+v\n%s", a.Data.Attributes, a.Data.Operation(), w.Output(t, s, a.Data.Operation().EventID))
	}
	t.Logf("issued and served after %v", time.Since(began))
}

// renew makes every renewal due, and the panel look for them.
func (w *World) renew(t *testing.T) {
	t.Helper()
	w.SQL(t, "UPDATE certificates SET renew_at = 1 WHERE renew_at IS NOT NULL")
	w.look(t)
}

// rules tries the rules of a site from outside, one that nginx refuses among them.
func (w *World) rules(t *testing.T, ca *authority, s panel.Server, at string) {
	t.Helper()
	redirect := w.Want(t, http.StatusAccepted, http.MethodPost, at+"/redirect-rules", map[string]any{"from": "^/old$", "to": "/new", "type": "permanent"}).Data
	if got := w.Settled(t, time.Minute, at+"/redirect-rules/"+redirect.ID); got.Text("status") != "installed" {
		t.Fatalf("the redirect is %s: %+v\n%s", got.Text("status"), got.Operation(), w.Output(t, s, got.Operation().EventID))
	}
	if res, _ := ca.get(t, s.Host, "http", "shop.example.com", "/old"); res.StatusCode != 301 || !strings.HasSuffix(res.Header.Get("Location"), "/new") {
		t.Errorf("the redirect answers %d %s", res.StatusCode, res.Header.Get("Location"))
	}
	bad := w.Want(t, http.StatusAccepted, http.MethodPost, at+"/redirect-rules", map[string]any{"from": "^/(?<=a+)b$", "to": "/c", "type": "redirect"}).Data
	w.Gone(t, time.Minute, at+"/redirect-rules/"+bad.ID)
	t.Logf("a redirect that nginx refuses: %s", w.Output(t, s, bad.Operation().EventID))
	rule := w.Want(t, http.StatusAccepted, http.MethodPost, at+"/security-rules", map[string]any{"name": "Admins", "path": "/admin", "credentials": []any{map[string]any{"username": "anna", "password": "geheim"}}}).Data
	if got := w.Settled(t, time.Minute, at+"/security-rules/"+rule.ID); got.Text("status") != "installed" {
		t.Fatalf("the security rule is %s: %+v\n%s", got.Text("status"), got.Operation(), w.Output(t, s, got.Operation().EventID))
	}
	for path, want := range map[string]int{"http://shop.example.com/admin/x": 401, "http://anna:wrong@shop.example.com/admin/x": 401, "http://anna:geheim@shop.example.com/admin/x": 404, "http://shop.example.com/": 200} {
		rest := strings.TrimPrefix(path, "http://")
		name, tail, _ := strings.Cut(rest, "/")
		if res, _ := ca.get(t, s.Host, "http", name, "/"+tail); res.StatusCode != want {
			t.Errorf("%s answers %d, want %d", path, res.StatusCode, want)
		}
	}
	w.Want(t, http.StatusAccepted, http.MethodDelete, at+"/security-rules/"+rule.ID, nil)
	w.Gone(t, time.Minute, at+"/security-rules/"+rule.ID)
	if res, _ := ca.get(t, s.Host, "http", "shop.example.com", "/admin/x"); res.StatusCode != 404 {
		t.Errorf("without the rule /admin answers %d", res.StatusCode)
	}
}

// configuration writes the file of a domain: one that works, one that nginx refuses, and one while somebody changed it by hand.
func (w *World) configuration(t *testing.T, ca *authority, s panel.Server, domain string) {
	t.Helper()
	const header = "X-Own"
	ours := w.Get(t, domain+"/nginx").Text("content")
	put := func(text string) panel.Resource {
		w.Want(t, http.StatusAccepted, http.MethodPut, domain+"/nginx", map[string]any{"config": text})
		return w.Settled(t, time.Minute, domain)
	}
	with := func(line string) string {
		return strings.Replace(ours, "    include /etc/nginx/hostler-conf/", line+"\n    include /etc/nginx/hostler-conf/", 1)
	}
	served := func() string {
		res, _ := ca.get(t, s.Host, "https", "shop.example.com", "/")
		return res.Header.Get(header)
	}
	if got := put(with("    add_header X-Own one;")); got.Operation().State != "succeeded" || served() != "one" {
		t.Fatalf("a good configuration: %+v, the header is %q", got.Operation(), served())
	}
	if got := put(with("    add_header X-Own two; nonsense on;")); got.Operation().State != "failed" || got.Text("status") != "enabled" || !strings.Contains(got.Operation().Reason, "nonsense") || served() != "one" {
		t.Errorf("a bad configuration: %s %+v, the header is %q", got.Text("status"), got.Operation(), served())
	}
	if got := w.Get(t, domain+"/nginx").Text("content"); !strings.Contains(got, "X-Own one") || strings.Contains(got, "nonsense") {
		t.Errorf("after the bad one the configuration is\n%s", got)
	}
	// What changes in ours goes into theirs.
	w.Want(t, http.StatusOK, http.MethodPatch, domain, map[string]any{"www_redirect_type": "from-www"})
	if got := w.Settled(t, time.Minute, domain); got.Operation().State != "succeeded" || served() != "one" {
		t.Errorf("a new policy: %+v, the header is %q", got.Operation(), served())
	}
	if res, _ := ca.get(t, s.Host, "http", "www.shop.example.com", "/"); res.StatusCode != 301 {
		t.Errorf("www answers %d", res.StatusCode)
	}
	file := strings.TrimSpace(s.Host.Exec(t, "grep", "-rl", "X-Own", "/etc/nginx/conf.d"))
	before := s.Host.Exec(t, "cat", file)
	s.Host.WriteFile(t, file, []byte(before+"# by hand\n"), 0o644)
	a := w.Want(t, http.StatusOK, http.MethodGet, domain+"/nginx?drift=true", nil)
	if !strings.Contains(a.Body, "# by hand") {
		t.Errorf("the change by hand is not shown: %s", a.Body)
	}
	if got := put(with("    add_header X-Own three;")); got.Operation().State != "failed" || !strings.Contains(s.Host.Exec(t, "cat", file), "# by hand") {
		t.Errorf("over a change by hand: %+v", got.Operation())
	}
	s.Host.WriteFile(t, file, []byte(before), 0o644)
	if got := put(""); got.Operation().State != "succeeded" || served() != "" {
		t.Errorf("ours again: %+v, the header is %q", got.Operation(), served())
	}
}
