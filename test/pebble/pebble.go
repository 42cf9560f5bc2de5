// Package pebble runs Pebble, a certificate authority for tests (RFC 8555), with DNS in which names point where a test sets them.
package pebble

import (
	"bytes"
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/port"
)

const version = "v2.10.1"

// tool returns a program of Pebble, built once from the Go module proxy.
func tool(t *testing.T, name string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "hostler-pebble-"+version)
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	cmd := exec.Command("go", "install", "github.com/letsencrypt/pebble/v2/cmd/"+name+"@"+version)
	cmd.Env, cmd.Dir = append(os.Environ(), "GOBIN="+dir, "GOFLAGS="), t.TempDir()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", name, err, out)
	}
	return path
}

// Config is what tests choose.
type Config struct {
	// Nameserver is asked in place of one for tests, when not "".
	Nameserver string
	// Listen is the address that answers, default 127.0.0.1.
	Listen string
	// HTTPPort is where http-01 challenges are fetched; 80 when 0.
	HTTPPort int
	// TLSPort is where tls-alpn-01 challenges are made; 443 when 0.
	TLSPort int
	// Validity is the life of certificates in whole seconds; 90 days when 0.
	Validity time.Duration
	// Remembers makes the authority reuse valid authorizations of an account, as Let's Encrypt does.
	Remembers bool
}

// Authority is a Pebble that runs.
type Authority struct {
	Directory, Roots string // the directory's URL, and the file of certificates to trust for it
	DNS, manage      string
	remembers        bool
	management       string // Pebble's own management address
	dir              string
	Client           *http.Client
	pebble           *exec.Cmd
	// behind is the configuration of a Pebble that front passes on to.
	behind string
	front  *http.Server
	start  func(name string, env []string, args ...string) *exec.Cmd
}

// Start starts a Pebble, which ends with the test.
func Start(t *testing.T, c Config) *Authority {
	t.Helper()
	listen := cmp.Or(c.Listen, "127.0.0.1")
	var p []string
	for range 5 {
		p = append(p, strconv.Itoa(port.For(t)))
	}
	dir := t.TempDir()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.ParseIP(listen)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IsCA: true,
		BasicConstraintsValid: true,
	}
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
	settings := map[string]any{
		"listenAddress":           listen + ":" + p[0],
		"managementListenAddress": "127.0.0.1:" + p[1],
		"certificate":             certificate,
		"privateKey":              keyFile,
		"httpPort":                cmp.Or(c.HTTPPort, 80),
		"tlsPort":                 cmp.Or(c.TLSPort, 443),
	}
	if c.Validity > 0 {
		settings["profiles"] = map[string]any{"default": map[string]any{"description": "short", "validityPeriod": int(c.Validity / time.Second)}}
	}
	config, err := json.Marshal(map[string]any{"pebble": settings})
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	a := &Authority{
		remembers: c.Remembers, Directory: "https://" + listen + ":" + p[0] + "/dir", Roots: certificate,
		DNS: "127.0.0.1:" + p[2], manage: "http://127.0.0.1:" + p[3],
		Client: &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}},
	}
	written, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	a.dir, a.management = dir, "https://127.0.0.1:"+p[1]
	a.start = func(name string, env []string, args ...string) *exec.Cmd {
		cmd := exec.Command(tool(t, name), args...)
		cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), env...), written, written
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
	if c.Nameserver == "" {
		a.start("pebble-challtestsrv", nil, "-defaultIPv6", "", "-defaultIPv4", "127.0.0.1", "-dnsserver", a.DNS, "-http01", "",
			"-https01", "", "-tlsalpn01", "", "-doh", "", "-management", "127.0.0.1:"+p[3])
	} else {
		a.DNS = c.Nameserver
	}
	write("config.json", config)
	a.behind = strings.Replace(string(config), listen+":"+p[0], listen+":"+p[4], 1)
	t.Cleanup(func() {
		if a.front != nil { // it stays for the tests that follow
			_ = a.front.Close()
		}
		if t.Failed() {
			content, _ := os.ReadFile(written.Name())
			t.Logf("the authority's log:\n%s", content)
		}
	})
	a.Up(t)
	return a
}

// Up starts Pebble, which does not remember its previous runs, and returns when it answers.
func (a *Authority) Up(t *testing.T) {
	t.Helper()
	a.run(t, "config.json")
}

func (a *Authority) run(t *testing.T, config string) {
	t.Helper()
	reuse := "PEBBLE_AUTHZREUSE=0" // in percent
	if a.remembers {
		reuse = "PEBBLE_AUTHZREUSE=100"
	}
	a.pebble = a.start("pebble", []string{"PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0", reuse}, "-config",
		filepath.Join(a.dir, config), "-dnsserver", a.DNS, "-strict")
	for deadline := time.Now().Add(30 * time.Second); ; {
		res, err := a.Client.Get(a.Directory)
		if err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				break
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("the authority does not answer: %v", err)
		}
	}
	a.keepRoot(t)
}

// Down ends Pebble.
func (a *Authority) Down() {
	_ = a.pebble.Process.Kill()
	_ = a.pebble.Wait()
	if a.front != nil {
		_ = a.front.Close()
		a.front = nil
	}
}

// UpBehind starts Pebble behind a program that changes its answers: tell gets the path and the document of each. One that becomes a problem document (RFC 7807)
// is answered with its status.
func (a *Authority) UpBehind(t *testing.T, tell func(path string, document map[string]any)) {
	t.Helper()
	var config struct {
		Pebble struct{ ListenAddress, Certificate, PrivateKey string }
	}
	if err := json.Unmarshal([]byte(a.behind), &config); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(a.dir, "behind.json"), []byte(a.behind), 0o600); err != nil {
		t.Fatal(err)
	}
	to := &url.URL{Scheme: "https", Host: config.Pebble.ListenAddress}
	proxy := &httputil.ReverseProxy{
		Transport: a.Client.Transport, ErrorLog: log.New(io.Discard, "", 0),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(to)
			r.Out.Host = r.In.Host // which Pebble's addresses have, and requests are signed for
		},
		ModifyResponse: func(res *http.Response) error {
			raw, err := io.ReadAll(res.Body)
			if err != nil {
				return err
			}
			var document map[string]any
			if json.Unmarshal(raw, &document) == nil {
				tell(res.Request.URL.Path, document)
				if status, ok := document["status"].(int); ok {
					res.StatusCode = status
				}
				if raw, err = json.Marshal(document); err != nil {
					return err
				}
			}
			res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
			res.Header.Set("Content-Length", strconv.Itoa(len(raw)))
			return nil
		},
	}
	at, err := url.Parse(a.Directory)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", at.Host)
	if err != nil {
		t.Fatal(err)
	}
	front := &http.Server{Handler: proxy, ReadHeaderTimeout: time.Minute}
	a.front = front
	go func() { _ = front.ServeTLS(listener, config.Pebble.Certificate, config.Pebble.PrivateKey) }()
	a.run(t, "behind.json")
}

// keepRoot writes down the authority's root, which Pebble makes again at each start.
func (a *Authority) keepRoot(t *testing.T) {
	t.Helper()
	res, err := a.Client.Get(a.management + "/roots/0")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(a.rootFile(), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func (a *Authority) rootFile() string { return filepath.Join(a.dir, "root.pem") }

// Advises makes the authority suggest that a certificate is renewed between two times (ARI, RFC 9773).
func (a *Authority) Advises(t *testing.T, leaf *x509.Certificate, start, end time.Time) {
	t.Helper()
	advice, err := json.Marshal(map[string]any{"suggestedWindow": map[string]time.Time{"start": start, "end": end}})
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]string{
		"certificate": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: leaf.Raw})), "ariResponse": string(advice),
	})
	if err != nil {
		t.Fatal(err)
	}
	res, err := a.Client.Post(a.management+"/set-renewal-info/", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("the authority answers %s", res.Status)
	}
}

// Leads makes a name lead to an address.
func (a *Authority) Leads(t *testing.T, name, address string) {
	t.Helper()
	if err := a.Lead(name, address); err != nil {
		t.Fatal(err)
	}
}

// Lead makes a name lead to an address of IPv4 or IPv6.
func (a *Authority) Lead(name, address string) error {
	kinds := []string{"/clear-a", "/add-a"} // which adds to the existing ones
	if strings.Contains(address, ":") {
		kinds = []string{"/clear-aaaa", "/add-aaaa"}
	}
	body := fmt.Sprintf(`{"host":%q,"addresses":[%q]}`, name+".", address)
	for _, what := range kinds {
		res, err := http.Post(a.manage+what, "application/json", strings.NewReader(body))
		if err != nil {
			return err
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("%s of the DNS is answered %s", what, res.Status)
		}
	}
	return nil
}

// Root returns the authority's root in PEM.
func (a *Authority) Root(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(a.rootFile())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Trusted returns the authority's root, which is another one after each of its starts.
func (a *Authority) Trusted(t *testing.T) *x509.CertPool {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(a.Root(t))
	return pool
}
