package e2e_test

import (
	"bytes"
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
	// behind is the configuration of a Pebble that front passes on to.
	behind string
	front  *http.Server
	start  func(name string, env []string, args ...string) *exec.Cmd
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
	p := ports(t, 5)
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
	written, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	a.dir, a.management = dir, "https://127.0.0.1:"+p[1]
	a.start = func(name string, env []string, args ...string) *exec.Cmd {
		cmd := exec.Command(pebbleTool(t, name), args...)
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
	if nameserver == "" {
		a.start("pebble-challtestsrv", nil, "-defaultIPv6", "", "-defaultIPv4", "127.0.0.1", "-dnsserver", a.dns, "-http01", "", "-https01", "", "-tlsalpn01", "", "-doh", "", "-management", "127.0.0.1:"+p[3])
	} else {
		a.dns = nameserver
	}
	write("config.json", config)
	a.behind = strings.Replace(string(config), "127.0.0.1:"+p[0], "127.0.0.1:"+p[4], 1)
	t.Cleanup(func() {
		if a.front != nil { // it stays for the tests that follow the one that asked for it
			_ = a.front.Close()
		}
		if t.Failed() {
			content, _ := os.ReadFile(written.Name())
			t.Logf("the authority's log:\n%s", content)
		}
	})
	a.up(t)
	return a
}

// up starts Pebble, which knows nothing of what it did before, and returns when it answers.
func (a *authority) up(t *testing.T) {
	t.Helper()
	a.run(t, "config.json")
}

func (a *authority) run(t *testing.T, config string) {
	t.Helper()
	a.pebble = a.start("pebble", []string{"PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0", "PEBBLE_AUTHZREUSE=0"}, "-config", filepath.Join(a.dir, config), "-dnsserver", a.dns, "-strict")
	for deadline := time.Now().Add(30 * time.Second); ; {
		res, err := a.client.Get(a.directory)
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

// down ends Pebble.
func (a *authority) down() {
	_ = a.pebble.Process.Kill()
	_ = a.pebble.Wait()
	if a.front != nil {
		_ = a.front.Close()
		a.front = nil
	}
}

// upBehind starts Pebble behind a program that changes what it answers: tell gets the path and the document of each of its answers.
func (a *authority) upBehind(t *testing.T, tell func(path string, document map[string]any)) {
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
	proxy := &httputil.ReverseProxy{Transport: a.client.Transport, ErrorLog: log.New(io.Discard, "", 0),
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
				if raw, err = json.Marshal(document); err != nil {
					return err
				}
			}
			res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
			res.Header.Set("Content-Length", strconv.Itoa(len(raw)))
			return nil
		}}
	at, err := url.Parse(a.directory)
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

// keepRoot writes down the authority's root, which Pebble makes anew at each start.
func (a *authority) keepRoot(t *testing.T) {
	t.Helper()
	res, err := a.client.Get(a.management + "/roots/0")
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

func (a *authority) rootFile() string { return filepath.Join(a.dir, "root.pem") }

// leads makes a name lead to an address.
func (a *authority) leads(t *testing.T, name, address string) {
	t.Helper()
	body := fmt.Sprintf(`{"host":%q,"addresses":[%q]}`, name+".", address)
	for _, what := range []string{"/clear-a", "/add-a"} { // which adds to those that are there
		res, err := http.Post(a.manage+what, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Fatalf("%s of the DNS is answered %s", what, res.Status)
		}
	}
}

// get asks a host for a name over TLS, trusting the authority alone.
func (a *authority) get(t *testing.T, h *hosts.Host, scheme, name, path string) (*http.Response, *x509.Certificate) {
	t.Helper()
	return visit(t, h, a.trusted(t), scheme, name, path)
}

// trusted is the authority's root, which is another one after each of its starts.
func (a *authority) trusted(t *testing.T) *x509.CertPool {
	t.Helper()
	text, err := os.ReadFile(a.rootFile())
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return pool
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
