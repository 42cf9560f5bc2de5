package nginxconf

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestAcceptedConfigurations tests realistic configurations. They are accepted, printed as in the golden files, parsed back as
// the same tree, and accepted by nginx.
func TestAcceptedConfigurations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/accepted/*.conf")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			b := bounds()
			b.Names = append(b.Names, "*.shop.example")
			b.TLS, b.Ours = true, []string{"ssl_certificate /etc/ssl/hostler/7/chain.pem; ssl_certificate_key /etc/ssl/hostler/7/key.pem;"}
			if got := refusals(string(text), b); len(got) > 0 {
				t.Fatalf("refused: %v", got)
			}
			tree, err := Read(string(text))
			if err != nil {
				t.Fatal(err)
			}
			composed := Compose(tree, b)
			golden := strings.TrimSuffix(file, ".conf") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(composed), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), composed); diff != "" {
				t.Error(diff)
			}
			again, err := Read(composed)
			if err != nil {
				t.Fatal(err)
			}
			if back := Compose(Plain(again, b), b); back != composed {
				t.Errorf("what was composed is composed otherwise again:\n%s", cmp.Diff(composed, back))
			}
			dir := t.TempDir()
			main := write(t, dir, composed)
			if out, err := exec.Command(program(t), "-t", "-q", "-p", dir, "-c", main).CombinedOutput(); err != nil {
				t.Errorf("nginx: %v\n%s", err, out)
			}
		})
	}
}

func program(t *testing.T) string {
	t.Helper()
	for _, path := range []string{"/usr/sbin/nginx", "/usr/bin/nginx"} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	t.Skip("nginx is not installed")
	return ""
}

// write creates a configuration whose paths are below dir, with the files of packages and of Hostler, and returns the main file.
func write(t *testing.T, dir, text string) string {
	t.Helper()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put("fastcgi_params", "fastcgi_param REQUEST_URI $request_uri;\n")
	put("snippets/fastcgi-php.conf", "fastcgi_index index.php;\n")
	put("log/none", "")
	put("lib/none", "")
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	chain, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	put("ssl/7/chain.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: chain})))
	put("ssl/7/key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
	here := strings.NewReplacer("listen 80;", "listen unix:"+dir+"/socket;", "listen [::]:80;", "", "listen 443 ssl http2;", "listen unix:"+dir+"/tls ssl http2;",
		"/etc/ssl/hostler/", dir+"/ssl/", "/var/log/nginx/", dir+"/log/", "/var/lib/nginx/", dir+"/lib/", "/home/", dir+"/home/", "/run/php/", dir+"/")
	site := put("site.conf", here.Replace(text))
	return put("nginx.conf", fmt.Sprintf("daemon off;\nmaster_process off;\npid %[1]s/pid;\nerror_log %[1]s/error;\nevents {}\nhttp {\naccess_log "+
		"off;\nclient_body_temp_path %[1]s/a;\nproxy_temp_path %[1]s/b;\n"+
		"fastcgi_temp_path %[1]s/c;\nuwsgi_temp_path %[1]s/d;\nscgi_temp_path %[1]s/e;\nlog_format hostler '$host';\nmap $uri $hostler_users_12 { default "+
		"\"\"; }\nupstream hostler_12 { server 127.0.0.1:3000; }\ninclude %[2]s;\n}\n", dir, site))
}

// serve runs nginx with a text, and returns a function that requests a path without normalizing it.
func serve(t *testing.T, text string, files map[string]string) func(path string) (int, string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "nginx") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for name, content := range files {
		path := dir + name
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if to, ok := strings.CutPrefix(content, "-> "); ok {
			if err := os.Symlink(to, path); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	main := write(t, dir, text)
	var said strings.Builder
	cmd := exec.Command(program(t), "-p", dir, "-c", main)
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		<-ended
	})
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", dir+"/socket")
	}
	for { // until it listens, or has ended
		c, err := dial(context.Background(), "", "")
		if err == nil {
			_ = c.Close()
			break
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("nginx ended: %v\n%s", err, said.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
	client := &http.Client{
		Transport:     &http.Transport{DialContext: dial, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return func(path string) (int, string) {
		t.Helper()
		req, err := http.NewRequest(http.MethodGet, "http://shop.example/", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.URL.Opaque = path
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(body)
	}
}

// TestRewritesDoNotLeadToTheNeighbour sends requests whose path leads out of the root after nginx rewrites it. The same text
// without the additions of Compose shows that nginx then does serve the neighbour.
func TestRewritesDoNotLeadToTheNeighbour(t *testing.T) {
	t.Parallel()
	const text = `server {
listen 80;
server_name shop.example;
root /home/shop/shop.example/public;
location /cut/ {
rewrite ^/cut/(.*)-(.*)$ /$1$2 break;
}
location /var/ {
rewrite ^ $arg_x break;
}
location /err/ {
error_page 404 $arg_x;
return 404;
}
location /files/ {
alias /home/shop/shop.example/files/;
}
location = /try {
try_files /none $arg_x;
}
}
`
	files := map[string]string{
		"/home/shop/shop.example/public/page": "page", "/home/shop/shop.example/files/file": "file",
		"/home/other/other.example/.env": "SECRET",
	}
	if got := refusals(text, bounds()); len(got) > 0 {
		t.Fatalf("the guard has nothing to guard: %v", got)
	}
	tree, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	const out = "/../../../other/other.example/.env"
	attempts := []string{
		"/cut/..-" + strings.TrimPrefix(out, "/.."), "/var/?x=" + out, "/err/?x=" + out, "/try?x=" + out,
		"/err/?x=/files" + out, "/err/?x=/files/" + out[1:],
	}
	open := serve(t, Print(tree), files)
	leaks := 0
	for _, path := range attempts {
		if _, body := open(path); strings.Contains(body, "SECRET") {
			leaks++
		}
	}
	if leaks == 0 {
		t.Error("no attempt leads to the neighbour without the guard: they prove nothing")
	}
	guarded := serve(t, Compose(tree, bounds()), files)
	for _, path := range attempts {
		if status, body := guarded(path); strings.Contains(body, "SECRET") || status < 400 {
			t.Errorf("%s: %d %q", path, status, body)
		}
	}
	for path, want := range map[string]string{
		"/page":               "page",
		"/files/file":         "file",
		"/cut/pa-ge":          "page",
		"/var/?x=/page":       "page",
		"/err/?x=/files/file": "file",
		"/try?x=/page":        "page",
	} {
		if _, body := guarded(path); body != want {
			t.Errorf("%s: %q, want %q", path, body, want)
		}
	}
}

// TestPathsDoNotLeadBesideTheDirectory has nginx append paths without a leading slash to the name of a directory: of shop.example it makes
// shop.example.org, another site of the account. The same text without the guard shows that nginx then does serve it.
func TestPathsDoNotLeadBesideTheDirectory(t *testing.T) {
	t.Parallel()
	const text = `server {
listen 80;
server_name shop.example;
root /home/shop/shop.example;
location /cut/ {
rewrite ^/cut/(.*)$ $1 break;
}
location /var/ {
rewrite ^ $arg_x break;
}
location /again/ {
rewrite ^/again/(.*)$ $1 last;
}
location = /try {
try_files /none $arg_x;
}
location /files/ {
alias /home/shop/shop.example/;
}
}
`
	files := map[string]string{"/home/shop/shop.example/page": "page", "/home/shop/shop.example.org/.env": "SECRET"}
	if got := refusals(text, bounds()); len(got) > 0 {
		t.Fatalf("the guard has nothing to guard: %v", got)
	}
	tree, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	attempts := []string{"/cut/.org/.env", "/var/?x=.org/.env", "/again/.org/.env", "/try?x=.org/.env"}
	open, leaks := serve(t, Print(tree), files), 0
	for _, path := range attempts {
		if _, body := open(path); strings.Contains(body, "SECRET") {
			leaks++
		}
	}
	if leaks == 0 {
		t.Error("no attempt leads beside the directory without the guard: they prove nothing")
	}
	guarded := serve(t, Compose(tree, bounds()), files)
	for _, path := range append(attempts, "/files/.org/.env", "/files.org/.env") {
		if status, body := guarded(path); strings.Contains(body, "SECRET") || status < 400 {
			t.Errorf("%s: %d %q", path, status, body)
		}
	}
	for _, path := range []string{"/page", "/var/?x=/page", "/try?x=/page", "/files/page"} {
		if _, body := guarded(path); body != "page" {
			t.Errorf("%s: %q", path, body)
		}
	}
}

// TestLinksDoNotLeadToTheNeighbour has a link of the site's user to a file of another account, in a server without a directive about links.
func TestLinksDoNotLeadToTheNeighbour(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("files of another account can be made by root only")
	}
	const text = "server {\nlisten 80;\nserver_name shop.example;\nlocation / {\nroot /home/shop/shop.example/public;\n}\n}\n"
	tree, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("SECRET"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(secret, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"/home/shop/shop.example/public/page": "page", "/home/shop/shop.example/public/link": "-> " + secret}
	if _, body := serve(t, Print(tree), files)("/link"); body != "SECRET" {
		t.Errorf("the link leads nowhere without the rule: %q", body)
	}
	held := serve(t, Compose(tree, bounds()), files)
	if status, body := held("/link"); status != http.StatusForbidden {
		t.Errorf("the link leads to %d %q", status, body)
	}
	if _, body := held("/page"); body != "page" {
		t.Errorf("the page is %q", body)
	}
}
