package https

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/test/pebble"
)

const name = "panel.example.com"

func base(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// until waits for a condition.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// A certificate is obtained over TLS alone, renewed before it ends, and kept when the authority is away, which is said.
func TestCertificateIsRenewed(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	authority := pebble.Start(t, pebble.Config{TLSPort: l.Addr().(*net.TCPAddr).Port, Validity: 8 * time.Second})
	roots := x509.NewCertPool()
	text, err := os.ReadFile(authority.Roots)
	if err != nil {
		t.Fatal(err)
	}
	roots.AppendCertsFromPEM(text)
	dir := filepath.Join(t.TempDir(), "tls")
	config := Config{
		Base: base(t, "https://"+name), Clock: clock.System{}, Log: slog.New(slog.DiscardHandler),
		Authority: &Authority{Directory: authority.Directory, Roots: roots, Dir: dir, Retry: 50 * time.Millisecond},
	}
	if err := Examine(config); err == nil || !strings.Contains(err.Error(), "none has been obtained yet") {
		t.Errorf("before the first one: %v", err)
	}
	f, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{TLSConfig: f.TLS(), ReadHeaderTimeout: time.Second, Handler: http.NotFoundHandler(), ErrorLog: log.New(io.Discard, "", 0)}
	served := make(chan struct{})
	go func() { defer close(served); _ = server.ServeTLS(l, "", "") }()
	ctx, end := context.WithCancel(t.Context())
	ran := make(chan struct{})
	go func() { defer close(ran); f.Run(ctx) }()
	t.Cleanup(func() { end(); <-ran; _ = server.Close(); <-served })

	leaf := func(roots *x509.CertPool) *x509.Certificate {
		conn, err := tls.Dial("tcp", l.Addr().String(), &tls.Config{ServerName: name, RootCAs: roots})
		if err != nil {
			return nil
		}
		defer func() { _ = conn.Close() }()
		return conn.ConnectionState().PeerCertificates[0]
	}
	var first *x509.Certificate
	until(t, "a certificate that clients trust", func() bool { first = leaf(authority.Trusted(t)); return first != nil })
	until(t, "another one, while the program runs", func() bool {
		now := leaf(authority.Trusted(t))
		return now != nil && now.SerialNumber.Cmp(first.SerialNumber) != 0
	})
	if got := f.Problem(); got != "" {
		t.Errorf("there is a problem: %s", got)
	}
	again, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}
	if again.ordered.pair == nil || again.ordered.wait() <= 0 {
		t.Error("a program that starts again orders another certificate")
	}

	authority.Down()
	until(t, "it is said that the renewal fails", func() bool { return strings.Contains(f.Problem(), "could not be renewed") })
	if text := f.Problem(); !strings.Contains(text, "can't be reached") {
		t.Errorf("it says %q", text)
	}
	if err := Examine(config); err == nil || !strings.Contains(err.Error(), "could not be renewed") {
		t.Errorf("another program sees %v", err)
	}
	if pair, err := f.source.certificate(); err != nil || pair == f.ordered.selfSigned {
		t.Errorf("the certificate is gone: %v", err)
	}
	authority.Up(t) // which has forgotten the account
	until(t, "it is renewed", func() bool { return f.Problem() == "" })
	until(t, "clients trust it", func() bool { return leaf(authority.Trusted(t)) != nil })
	for _, file := range []string{"", accountFile, certificateFile} {
		if info, err := os.Stat(filepath.Join(f.ordered.store.dir, file)); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%q: %v, %v", file, info, err)
		}
	}
}

// sign makes a certificate, and writes it and its key.
func sign(t *testing.T, dir string, serial int64, life time.Duration, names ...string) (certificateFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), DNSNames: names, NotBefore: time.Now().Add(-60 * day), NotAfter: time.Now().Add(life)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := encodeKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certificateFile, keyFile = filepath.Join(dir, "certificate.pem"), filepath.Join(dir, "key.pem")
	for path, content := range map[string][]byte{certificateFile: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), keyFile: raw} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certificateFile, keyFile
}

const day = 24 * time.Hour

// What people must know of a certificate is said, in the panel and by the doctor.
func TestProblemsOfFiles(t *testing.T) {
	t.Parallel()
	for text, made := range map[string]struct {
		life time.Duration
		name string
	}{
		"":                                   {90 * day, name},
		"ends on":                            {3 * day, name},
		"ended on":                           {-time.Minute, name},
		"is not valid for panel.example.com": {90 * day, "other.example.com"},
	} {
		certificateFile, keyFile := sign(t, t.TempDir(), 1, made.life, made.name)
		c := Config{CertificateFile: certificateFile, KeyFile: keyFile, Base: base(t, "https://"+name), Clock: clock.System{}}
		f, err := Open(c)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Problem(); !strings.Contains(got, text) || text == "" && got != "" {
			t.Errorf("it says %q, want %q", got, text)
		}
		if err := Examine(c); (err != nil) != (text != "") {
			t.Errorf("%q: the doctor finds %v", text, err)
		}
	}
}

// Files that can't be used are named by their setting. While two do not belong together, the pair before is served.
func TestFilesAreReadAgain(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), t.TempDir()
	certificateFile, keyFile := sign(t, dir, 1, 90*day, name)
	otherCertificate, otherKey := sign(t, other, 2, 90*day, name)
	c := Config{CertificateFile: certificateFile, KeyFile: keyFile, Base: base(t, "https://"+name), Clock: clock.System{}}
	f, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	serial := func() int64 {
		f.source.(*files).looked = time.Time{}
		pair, err := f.source.certificate()
		if err != nil {
			t.Fatal(err)
		}
		return pair.Leaf.SerialNumber.Int64()
	}
	if got := serial(); got != 1 {
		t.Fatalf("it serves %d", got)
	}
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(to, later, later); err != nil {
			t.Fatal(err)
		}
	}
	move(otherCertificate, certificateFile)
	if got, text := serial(), f.Problem(); got != 1 || !strings.Contains(text, "the one before is served") || !strings.Contains(text, "tls-key-file") {
		t.Errorf("with one file replaced, it serves %d and says %q", got, text)
	}
	move(otherKey, keyFile)
	if got, text := serial(), f.Problem(); got != 2 || text != "" {
		t.Errorf("with both replaced, it serves %d and says %q", got, text)
	}

	garbage := filepath.Join(dir, "garbage")
	if err := os.WriteFile(garbage, []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, bad := range map[string]Config{
		"tls-certificate-file " + garbage:         {CertificateFile: garbage, KeyFile: keyFile},
		"tls-key-file " + garbage:                 {CertificateFile: certificateFile, KeyFile: garbage},
		"tls-certificate-file: stat /none":        {CertificateFile: "/none", KeyFile: keyFile},
		"tls-key-file: stat /none":                {CertificateFile: certificateFile, KeyFile: "/none"},
		"tls-certificate-file " + keyFile + " do": {CertificateFile: keyFile, KeyFile: keyFile},
	} {
		bad.Base, bad.Clock = c.Base, c.Clock
		if _, err := Open(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

// Plain HTTP leads to HTTPS at the configured address, whatever the request calls itself, and takes no change.
func TestPlain(t *testing.T) {
	t.Parallel()
	certificateFile, keyFile := sign(t, t.TempDir(), 1, 90*day, name, "auth.example.com")
	f, err := Open(Config{
		CertificateFile: certificateFile, KeyFile: keyFile, Base: base(t, "https://"+name+":8443"),
		Others: []*url.URL{base(t, "https://auth.example.com")}, Clock: clock.System{},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		method, at string
		code       int
		location   string
	}{
		{"GET", "http://panel.example.com/orgs?a=b", 301, "https://panel.example.com:8443/orgs?a=b"},
		{"HEAD", "http://192.0.2.1/", 301, "https://panel.example.com:8443/"},
		{"GET", "http://evil.example.com//evil.example.com/", 301, "https://panel.example.com:8443//evil.example.com/"},
		{"GET", "http://AUTH.example.com:80/oauth/authorize", 301, "https://auth.example.com/oauth/authorize"},
		{"POST", "http://panel.example.com/api/orgs", 403, ""},
	} {
		w := httptest.NewRecorder()
		f.Plain().ServeHTTP(w, httptest.NewRequest(c.method, c.at, http.NoBody))
		if w.Code != c.code || w.Header().Get("Location") != c.location {
			t.Errorf("%s %s is answered %d %q", c.method, c.at, w.Code, w.Header().Get("Location"))
		}
		if w.Header().Get("Strict-Transport-Security") != "" {
			t.Error("HSTS is only valid over TLS (RFC 6797, section 7.2)")
		}
	}
}
