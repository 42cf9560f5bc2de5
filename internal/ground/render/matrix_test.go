package render

import (
	"bufio"
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/hostlerhq/hostler/internal/ground/value"
	"github.com/hostlerhq/hostler/test/port"
)

// features are those of a site that touch the same request. The first choice of each is the plain one; every pair of choices of two features is tried.
var features = []struct {
	name    string
	choices []string
}{
	{"front", []string{"none", "balancer", "balancer with TLS"}},
	{"certificate", []string{"none", "TLS", "TLS and redirect"}},
	{"password", []string{"none", "whole site"}},
	{"redirect", []string{"none", "rule"}},
	{"www", []string{"none", "from-www"}},
	{"protocol", []string{"HTTP/1.1", "HTTP/2"}},
	{"server of the program", []string{"program", "program and files"}},
	{"response", []string{"whole", "stream", "65 KiB of upload", maintained, fits, tooLarge}},
}

// Answers of a site in maintenance mode, and to bodies about the limit that PHP's upload size sets for nginx.
const (
	maintained = "maintenance page"
	fits       = "3 MiB of upload"
	tooLarge   = "3 MiB and a byte of upload"
)

// pairs returns every set of choices in which at most two differ from the plain one.
func pairs() []map[string]string {
	plain := func() map[string]string {
		m := map[string]string{}
		for _, f := range features {
			m[f.name] = f.choices[0]
		}
		return m
	}
	out := []map[string]string{plain()}
	for i, f := range features {
		for _, a := range f.choices[1:] {
			m := plain()
			m[f.name] = a
			out = append(out, m)
			for _, g := range features[i+1:] {
				for _, b := range g.choices[1:] {
					m := plain()
					m[f.name], m[g.name] = a, b
					out = append(out, m)
				}
			}
		}
	}
	return out
}

// grid is one nginx with a site for each case, and balancers in front of them.
type grid struct {
	t     *testing.T
	dir   string
	files map[string]string
	tls   TLS
	ports map[string]int // of the balancer and the node, plain and TLS
}

// echo is a program that says what it was asked.
func echo(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/stream" {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: 0\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return
	}
	if r.URL.Path == "/down" { // as Laravel does
		w.Header().Set("Retry-After", "60")
		w.Header().Set("Refresh", "15")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "back soon")
		return
	}
	n, _ := io.Copy(io.Discard, r.Body)
	_ = json.NewEncoder(w).Encode(said{
		Proto: r.Header.Get("X-Forwarded-Proto"), Port: r.Header.Get("X-Forwarded-Port"), For: r.Header.Get("X-Forwarded-For"),
		Real: r.Header.Get("X-Real-Ip"), Host: r.Host, Body: n,
	})
}

type said struct {
	Proto, Port, For, Real, Host string
	Body                         int64
}

func (g *grid) selfSigned() {
	g.t.Helper()
	key := sure1[*ecdsa.PrivateKey](g.t)(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	cert := sure1[[]byte](g.t)(x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "grid"}, NotAfter: time.Now().Add(time.Hour),
	}, &x509.Certificate{Subject: pkix.Name{CommonName: "grid"}}, &key.PublicKey, key))
	raw := sure1[[]byte](g.t)(x509.MarshalPKCS8PrivateKey(key))
	write(g.t, g.dir, "cert", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})))
	write(g.t, g.dir, "key", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})))
	g.tls = TLS{
		Certificate: sure1[value.AbsPath](g.t)(value.ParseAbsPath(filepath.Join(g.dir, "cert"))),
		Key:         sure1[value.AbsPath](g.t)(value.ParseAbsPath(filepath.Join(g.dir, "key"))),
	}
}

// here makes a file of a host one of the grid's directory, on the ports of the balancer or the node.
func (g *grid) here(text, host string) string {
	return strings.NewReplacer(
		"listen 80;", fmt.Sprintf("listen 127.0.0.1:%d;", g.ports[host]),
		"listen 443 ssl http2;", fmt.Sprintf("listen 127.0.0.1:%d ssl http2;", g.ports[host+" TLS"]),
		"    listen [::]:80;\n", "", "    listen [::]:443 ssl http2;\n", "",
		"/etc/nginx/", g.dir+"/", "/var/log/nginx/", g.dir+"/log/", "/var/lib/hostler/", g.dir+"/", "/home/", g.dir+"/home/",
	).Replace(text)
}

// add makes the site of a case, and its balancer.
func (g *grid) add(id int64, c map[string]string, program int) {
	t := g.t
	domain := sure1[value.Domain](t)(value.ParseDomain(fmt.Sprintf("s%d.example", id)))
	in := VhostInput{Version: NginxVersion{1, 22, 1}, SiteID: id, Domain: domain, WWW: c["www"], Proxy: &Proxy{Switched: true}}
	if c["server of the program"] == "program and files" {
		in.Proxy.Root = sure1[value.AbsPath](t)(value.ParseAbsPath("/home/forge"))
	}
	if c["certificate"] != "none" {
		in.TLS = &TLS{Certificate: g.tls.Certificate, Key: g.tls.Key, Redirect: c["certificate"] == "TLS and redirect"}
	}
	server := fmt.Sprintf("hostler-conf/%d/server/", id)
	if c["password"] != "none" {
		users := sure1[string](t)(UsersFile([]Credential{{"anna", g.hash()}}))
		g.files[fmt.Sprintf("hostler-conf/%d/users-%d", id, id)] = users
		g.files[fmt.Sprintf("conf.d/45-site-%d-15-check.conf", id)] = sure1[string](t)(NginxCheck(id, strings.Repeat("c", 32)))
		g.files[fmt.Sprintf("conf.d/45-site-%d-20-protection.conf", id)] = sure1[string](t)(NginxProtectionMaps(ProtectionInput{
			SiteID: id, Rules: []Protected{{RuleID: id}},
		}))
		g.files[server+"20-protection.conf"] = NginxProtection(id)
	}
	if c["redirect"] != "none" {
		g.files[server+"10-redirects.conf"] = sure1[string](t)(NginxRedirects(RedirectsInput{Rules: []Redirect{{
			From: sure1[value.RedirectSource](t)(value.ParseRedirectSource("^/old$")),
			To:   sure1[value.RedirectTarget](t)(value.ParseRedirectTarget("$scheme://$host/page")), Permanent: true,
		}}}))
	}
	if c["front"] != "none" {
		in.Balanced = true
		maps, include, err := NginxBalancers(id, []netip.Addr{netip.MustParseAddr("127.0.0.1")})
		if err != nil {
			t.Fatal(err)
		}
		g.files[fmt.Sprintf("conf.d/45-site-%d-10-balancers.conf", id)], g.files[server+"10-balancers.conf"] = maps, include
		front := VhostInput{Version: in.Version, SiteID: 1000 + id, Domain: domain, WWW: WWWNone, Balancer: &Balancer{}}
		if c["front"] == "balancer with TLS" {
			front.TLS = &TLS{Certificate: g.tls.Certificate, Key: g.tls.Key, Redirect: true}
		}
		g.files[fmt.Sprintf("conf.d/40-site-%d.conf", 1000+id)] = sure1[string](t)(NginxUpstream(UpstreamInput{SiteID: 1000 + id, Nodes: []Node{{
			Address: netip.MustParseAddr("127.0.0.1"), Port: sure1[value.Port](t)(value.NewPort(g.ports["node"])),
		}}}))
		g.files[fmt.Sprintf("conf.d/50-site-%d.conf", 1000+id)] = g.here(sure1[string](t)(NginxVhost(front)), "front")
	}
	g.files[fmt.Sprintf("conf.d/40-site-%d.conf", id)] = sure1[string](t)(ServiceUpstream(id, sure1[value.Port](t)(value.NewPort(program))))
	g.files[fmt.Sprintf("conf.d/50-site-%d.conf", id)] = g.here(sure1[string](t)(NginxVhost(in)), "node")
}

var cheap string

// hash returns that of the password geheim.
func (g *grid) hash() string {
	if cheap == "" {
		cheap = string(sure1[[]byte](g.t)(bcrypt.GenerateFromPassword([]byte("geheim"), bcrypt.MinCost)))
	}
	return cheap
}

// start runs nginx until the test ends.
func (g *grid) start() {
	t := g.t
	for name, text := range g.files {
		write(t, g.dir, name, g.here(text, "node"))
	}
	write(t, g.dir, "conf.d/"+filepath.Base(NginxHTTPPath), NginxHTTP(NginxVersion{1, 22, 1}))
	write(t, g.dir, "conf.d/"+filepath.Base(PHPLimitsNginxPath), PHPLimits{MaxUploadMB: 2}.Nginx())
	write(t, g.dir, "log/none", "")
	main := write(t, g.dir, "nginx.conf",
		"daemon off;\nmaster_process off;\npid "+g.dir+"/pid;\nerror_log "+g.dir+"/error;\nevents { worker_connections 512; }\nhttp {\nmap_hash_max_size 65536;\n"+
			"variables_hash_max_size 16384;\naccess_log off;\nclient_body_temp_path "+g.dir+"/a;\nproxy_temp_path "+g.dir+"/b;\nfastcgi_temp_path "+g.dir+"/c;\n"+
			"uwsgi_temp_path "+g.dir+"/d;\nscgi_temp_path "+g.dir+"/e;\ninclude "+g.dir+"/conf.d/*.conf;\n}\n")
	cmd := exec.Command(tool(t, "nginx"), "-p", g.dir, "-c", main)
	said := &strings.Builder{}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		if t.Failed() {
			log, _ := os.ReadFile(g.dir + "/error")
			t.Logf("nginx said %.3000s%.3000s", said.String(), log)
		}
	})
	for {
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", g.ports["node"]))
		if err == nil {
			_ = c.Close()
			return
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("nginx ended: %v\n%s", err, said.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// client visits a case as its visitors do: from 127.0.0.7, which no balancer has.
func (g *grid) client(c map[string]string) *http.Client {
	host := "node"
	if c["front"] != "none" {
		host = "front"
	}
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 7)}}
	tr := &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			port := g.ports[host]
			if strings.HasSuffix(address, ":443") || strings.HasSuffix(address, fmt.Sprintf(":%d", g.ports[host+" TLS"])) {
				port = g.ports[host+" TLS"]
			}
			return dialer.DialContext(ctx, network, fmt.Sprintf("127.0.0.1:%d", port))
		},
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: c["protocol"] == "HTTP/2",
	}
	g.t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, CheckRedirect: func(req *http.Request, before []*http.Request) error {
		if len(before) > 5 {
			return errors.New("it is redirected again and again")
		}
		req.Header.Set("Authorization", before[0].Header.Get("Authorization")) // a person would type the password again
		return nil
	}}
}

// Every pair of a site's features that touch the same request is tried through a real nginx, with a balancer in front and without.
func TestPairsOfFeaturesAreServed(t *testing.T) {
	program := httptest.NewServer(http.HandlerFunc(echo))
	t.Cleanup(program.Close)
	dir, err := os.MkdirTemp("", "grid")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	g := &grid{t: t, dir: dir, files: map[string]string{}, ports: map[string]int{}}
	for _, name := range []string{"node", "node TLS", "front", "front TLS"} {
		g.ports[name] = port.For(t)
	}
	g.selfSigned()
	cases := pairs()
	for i, c := range cases {
		g.add(int64(i+1), c, program.Listener.Addr().(*net.TCPAddr).Port)
	}
	g.start()
	t.Logf("%d cases", len(cases))
	for i, c := range cases {
		var about []string
		for _, f := range features {
			if c[f.name] != f.choices[0] {
				about = append(about, f.name+" "+c[f.name])
			}
		}
		t.Run(strings.Join(about, ", "), func(t *testing.T) { g.visit(t, int64(i+1), c) })
	}
}

// visit requests a site as a browser does and compares what its program received.
func (g *grid) visit(t *testing.T, id int64, c map[string]string) {
	host, client := fmt.Sprintf("s%d.example", id), g.client(c)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	https := c["front"] == "balancer with TLS" || c["front"] == "none" && c["certificate"] != "none"
	method, path, body := http.MethodGet, "/page", ""
	switch {
	case c["response"] == "stream":
		path = "/stream"
	case c["response"] == maintained:
		path = "/down"
	case c["response"] != "whole":
		size := map[string]int{fits: 3 << 20, tooLarge: 3<<20 + 1}[c["response"]]
		method, body = http.MethodPost, strings.Repeat("x", cmp.Or(size, 65<<10))
	case c["redirect"] != "none":
		path = "/old"
	}
	scheme := "http"
	if https && method == http.MethodPost || https && c["certificate"] == "TLS" {
		scheme = "https" // a redirect would make it a GET; without a redirect a visitor chooses
	}
	name := host
	if c["www"] != "none" && c["front"] == "none" && c["certificate"] == "none" && body == "" {
		name = "www." + host
	}
	req := sure1[*http.Request](t)(http.NewRequestWithContext(ctx, method, scheme+"://"+name+path, strings.NewReader(body)))
	req.Header.Set("X-Forwarded-For", "6.6.6.6")
	req.Header.Set("X-Forwarded-Proto", "gopher")
	req.Header.Set("X-Forwarded-Port", "1")
	if c["password"] != "none" {
		req.SetBasicAuth("anna", "geheim")
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	switch c["response"] {
	case maintained:
		said, _ := io.ReadAll(res.Body)
		if res.StatusCode != http.StatusServiceUnavailable || string(said) != "back soon" || res.Header.Get("Retry-After") != "60" ||
			res.Header.Get("Refresh") != "15" {
			t.Errorf("the maintenance page is %d %q %v", res.StatusCode, said, res.Header)
		}
		return
	case tooLarge:
		if res.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s is answered %d", res.Request.URL, res.StatusCode)
		}
		g.refusesBody(t, id)
		return
	}
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s is answered %d", res.Request.URL, res.StatusCode)
	}
	if c["response"] == "stream" {
		if line, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil || line != "data: 0\n" {
			t.Fatalf("the stream says %q, %v", line, err)
		}
		return
	}
	var got said
	if err := json.NewDecoder(res.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	last, on := "http", "front"
	if c["front"] == "none" {
		on = "node"
	}
	if res.Request.URL.Scheme == "https" {
		last, on = "https", on+" TLS"
	}
	if https != (last == "https") && !(c["front"] == "none" && c["certificate"] == "TLS") {
		t.Errorf("it ended at %s", res.Request.URL)
	}
	if want := (said{Proto: last, Port: fmt.Sprint(g.ports[on]), For: "127.0.0.7", Real: "127.0.0.7", Host: host, Body: int64(len(body))}); got != want {
		t.Errorf("the program was told %+v, want %+v", got, want)
	}
}

// refusesBody fails the test unless the log of the site says that a body was too large, and that of its balancer does not: what a person raises is the site's.
func (g *grid) refusesBody(t *testing.T, id int64) {
	t.Helper()
	const words = "client intended to send too large body"
	log, err := os.ReadFile(fmt.Sprintf("%s/log/hostler-%d-error.log", g.dir, id))
	if err != nil || !strings.Contains(string(log), words) {
		t.Errorf("the log of the site says %q, %v", log, err)
	}
	if log, _ := os.ReadFile(fmt.Sprintf("%s/log/hostler-%d-error.log", g.dir, 1000+id)); strings.Contains(string(log), words) {
		t.Errorf("the balancer refused the body: %s", log)
	}
}

// What a visitor says of the balancers in front of a site is not believed.
func TestVisitorIsNoBalancer(t *testing.T) {
	program := httptest.NewServer(http.HandlerFunc(echo))
	t.Cleanup(program.Close)
	dir, err := os.MkdirTemp("", "grid")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	g := &grid{t: t, dir: dir, files: map[string]string{}, ports: map[string]int{}}
	for _, name := range []string{"node", "node TLS", "front", "front TLS"} {
		g.ports[name] = port.For(t)
	}
	g.selfSigned()
	c := map[string]string{"front": "balancer", "certificate": "TLS and redirect", "password": "none", "redirect": "none", "www": "none", "protocol": "HTTP/1.1"}
	g.add(1, c, program.Listener.Addr().(*net.TCPAddr).Port)
	g.start()
	direct := g.client(map[string]string{"front": "none"})
	direct.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for _, scheme := range []string{"http", "https"} {
		req := sure1[*http.Request](t)(http.NewRequest(http.MethodGet, scheme+"://s1.example/", nil))
		req.Header.Set("X-Forwarded-For", "6.6.6.6")
		req.Header.Set("X-Forwarded-Proto", "https")
		req.Header.Set("X-Forwarded-Port", "1")
		res := sure1[*http.Response](t)(direct.Do(req))
		var got said
		_ = json.NewDecoder(res.Body).Decode(&got)
		_ = res.Body.Close()
		if scheme == "http" {
			if res.StatusCode != http.StatusMovedPermanently || res.Header.Get("Location") != "https://s1.example/" {
				t.Errorf("plain HTTP is answered %d %s", res.StatusCode, res.Header.Get("Location"))
			}
			continue
		}
		if want := (said{Proto: "https", Port: fmt.Sprint(g.ports["node TLS"]), For: "127.0.0.7", Real: "127.0.0.7", Host: "s1.example"}); got != want {
			t.Errorf("the program was told %+v, want %+v", got, want)
		}
	}
}
