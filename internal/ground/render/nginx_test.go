package render

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// certificate returns a self-signed one and its key, as PEM.
func certificate(t *testing.T) (chain, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"a.example"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}))
}

var versionField = regexp.MustCompile(`"Version": "[^"]*"`)

// TestNginxAcceptsAllTogether puts the goldens, rendered for the installed version, on one server. Warnings fail the test: nginx
// only warns about names that conflict.
func TestNginxAcceptsAllTogether(t *testing.T) {
	nginx, apart := tool(t, "nginx"), apart(t)
	said, err := exec.Command(nginx, "-v").CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	version, err := ParseNginxVersion(string(said))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	here := strings.NewReplacer("/etc/nginx/", dir+"/", "/var/log/nginx/", dir+"/log/", "/etc/ssl/hostler/7/", dir+"/")
	chain, key := certificate(t)
	write(t, dir, "chain.pem", chain)
	write(t, dir, "key.pem", key)
	write(t, dir, "log/none", "")
	write(t, dir, "fastcgi_params", "fastcgi_param DOCUMENT_ROOT $document_root;\n")
	write(t, dir, "nginx.conf", "pid "+dir+"/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\ninclude "+dir+"/conf.d/*.conf;\n}\n")
	files := 0
	for i, kind := range []string{"nginx-http", "nginx-upstream", "service-upstream", "nginx-catchall", "nginx-vhost"} {
		inputs, _ := filepath.Glob(filepath.Join("testdata", kind, "*.txt"))
		for _, input := range inputs {
			if kind == "nginx-catchall" && !strings.HasSuffix(input, "/new.txt") || kind == "nginx-http" && !strings.HasSuffix(input, "/all.txt") {
				continue // only one is allowed
			}
			text, err := os.ReadFile(input)
			if err != nil {
				t.Fatal(err)
			}
			in, _, _ := strings.Cut(string(text), dashes)
			out, err := kinds[kind](versionField.ReplaceAllString(in, `"Version": "`+version.String()+`"`))
			if err == nil {
				write(t, dir, "conf.d/"+string(rune('0'+i))+"-"+strings.TrimSuffix(filepath.Base(input), ".txt")+".conf", here.Replace(out))
				files++
			}
		}
	}
	write(t, dir, "hostler-conf/3/server/own.conf", "add_header X-Own yes;\n")
	zone, include, err := NginxConnections(3, 100)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "conf.d/3-connections.conf", zone)
	write(t, dir, "hostler-conf/3/server/05-connections.conf", include)
	t.Logf("nginx %s, %d files", version, files)
	run(t, "all together", append(apart, nginx, "-t", "-p", dir, "-c", dir+"/nginx.conf")...)
}

func TestNginxVersions(t *testing.T) {
	for text, want := range map[string]string{
		"nginx version: nginx/1.18.0 (Ubuntu)\n": "1.18.0", "nginx/1.25.1": "1.25.1", "1.22.1-9+deb12u1": "1.22.1",
		"": "", "x": "", "1": "", "1.2": "", "0.9.1": "", "nginx/-1.2.3": "",
	} {
		got, err := ParseNginxVersion(text)
		if (err != nil) != (want == "") || err == nil && got.String() != want {
			t.Errorf("%q is %s, %v", text, got, err)
		}
	}
	for _, v := range []NginxVersion{{1, 25, 1}, {1, 26, 0}, {2, 0, 0}} {
		if !v.http2Directive() || !v.rejectsHandshake() {
			t.Errorf("%s is newer", v)
		}
	}
	for _, v := range []NginxVersion{{1, 19, 3}, {1, 18, 9}} {
		if v.http2Directive() || v.rejectsHandshake() {
			t.Errorf("%s is older", v)
		}
	}
}
