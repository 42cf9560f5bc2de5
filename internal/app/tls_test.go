package app_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/test/pebble"
	"github.com/hostlerhq/hostler/test/port"
)

// run runs a panel until the test ends, and returns it once it serves.
func run(t *testing.T, c app.Config) *app.App {
	t.Helper()
	a, stop := runUntil(t, c)
	t.Cleanup(stop)
	return a
}

// runUntil runs a panel until stop is called, which waits for its end.
func runUntil(t *testing.T, c app.Config) (a *app.App, stop func()) {
	t.Helper()
	l, err := (&app.App{Config: c}).Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	running, ended := make(chan *app.App, 1), make(chan error, 1)
	go func() {
		ended <- app.Run(ctx, c, l, slog.New(slog.DiscardHandler), func(_ context.Context, a *app.App) error { running <- a; return nil })
	}()
	select {
	case a = <-running:
	case err := <-ended:
		end()
		t.Fatal(err)
	}
	return a, func() {
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// acme returns the settings of a panel whose certificate is Pebble's.
func acme(t *testing.T, a *pebble.Authority, listen, plain int) app.Config {
	t.Helper()
	c := installation(t)
	c.TLSACME, c.ACMEDirectory, c.ACMERoots = true, a.Directory, x509.NewCertPool()
	text, err := os.ReadFile(a.Roots)
	if err != nil {
		t.Fatal(err)
	}
	c.ACMERoots.AppendCertsFromPEM(text)
	c.Listen, c.HTTPListen = "127.0.0.1:"+strconv.Itoa(listen), "127.0.0.1:"+strconv.Itoa(plain)
	c.BaseURL = "https://panel.example.com"
	return c
}

// browser calls one address by any name.
func browser(c app.Config, roots *x509.CertPool) *http.Client {
	dial := func(ctx context.Context, network, at string) (net.Conn, error) {
		to := c.Listen
		if strings.HasSuffix(at, ":80") {
			to = c.HTTPListen
		}
		return (&net.Dialer{}).DialContext(ctx, network, to)
	}
	return &http.Client{
		Transport: &http.Transport{
			DialContext: dial, DisableKeepAlives: true, ForceAttemptHTTP2: true,
			TLSClientConfig: &tls.Config{RootCAs: roots},
		},
		Timeout: 10 * time.Second,
	}
}

// concerns returns what needs attention about the panel itself.
func concerns(t *testing.T, a *app.App) string {
	t.Helper()
	items, err := a.Attention.Panel(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, item := range items {
		out = append(out, item.Kind+": "+item.Text)
	}
	return strings.Join(out, "\n")
}

// A panel with an authority serves HTTPS that clients trust, without a proxy, and leads plain HTTP there.
func TestPanelOverTLS(t *testing.T) {
	t.Parallel()
	listen, plain := port.For(t), port.For(t)
	authority := pebble.Start(t, pebble.Config{HTTPPort: plain, TLSPort: 1})
	c := acme(t, authority, listen, plain)
	a := run(t, c)
	client := browser(c, authority.Trusted(t))
	var res *http.Response
	deadline, tick := time.After(time.Minute), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for res == nil {
		got, err := client.Get("http://panel.example.com/readyz") // follows the redirect
		if err == nil {
			res = got
			break
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("no certificate: %v; %s", err, concerns(t, a))
		}
	}
	_ = res.Body.Close()
	if res.StatusCode != 200 || res.Request.URL.Scheme != "https" || res.ProtoMajor != 2 {
		t.Errorf("it answers %s with %s at %s", res.Status, res.Proto, res.Request.URL)
	}
	if got := res.Header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
		t.Errorf("HSTS is %q", got)
	}
	if got := concerns(t, a); got != "" {
		t.Errorf("attention lists %s", got)
	}
	if got := failures(t.Context(), c); got != "" {
		t.Errorf("the doctor finds %s", got)
	}
	link, err := a.SetupURL(t.Context())
	if err != nil || !strings.HasPrefix(link, "https://panel.example.com/") {
		t.Errorf("the link of the first account is %q, %v", link, err)
	}
}

// A panel whose authority refuses is served all the same, and says so.
func TestPanelWithoutCertificate(t *testing.T) {
	t.Parallel()
	authority := pebble.Start(t, pebble.Config{HTTPPort: 1, TLSPort: 1}) // where nothing answers
	c := acme(t, authority, port.For(t), port.For(t))
	a := run(t, c)
	client := browser(c, nil)
	client.Transport.(*http.Transport).TLSClientConfig.InsecureSkipVerify = true
	res, err := client.Get("https://panel.example.com/readyz")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != 200 {
		t.Errorf("it answers %s", res.Status)
	}
	deadline, tick := time.After(time.Minute), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for concerns(t, a) == "" {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("attention says nothing")
		}
	}
	if got := concerns(t, a); !strings.HasPrefix(got, "panel-certificate: ") || !strings.Contains(got, "could not verify panel.example.com") {
		t.Errorf("attention says %s", got)
	}
	if got := failures(t.Context(), c); !strings.Contains(got, "the panel's certificate is usable") || !strings.Contains(got,
		"could not verify panel.example.com") {
		t.Errorf("the doctor finds %q", got)
	}
}

// Settings of TLS that make no sense end the start with their name.
func TestSettingsOfTLS(t *testing.T) {
	t.Parallel()
	for text, change := range map[string]func(c *app.Config){
		"must be used together":            func(c *app.Config) { c.TLSCertificateFile = "/none" },
		"can't be used together":           func(c *app.Config) { c.TLSCertificateFile, c.TLSACME = "/none", true },
		"http-listen is for panels":        func(c *app.Config) { c.HTTPListen = "127.0.0.1:0" },
		"must begin with https://":         func(c *app.Config) { c.TLSACME, c.BaseURL = true, "http://10.0.0.1" },
		"tls-acme needs a name":            func(c *app.Config) { c.TLSACME, c.BaseURL = true, "https://192.0.2.1" },
		"tls-certificate-file: stat /none": func(c *app.Config) { c.TLSCertificateFile, c.TLSKeyFile = "/none", "/none" },
	} {
		c := app.Config{DataDir: t.TempDir(), Listen: "127.0.0.1:0", BaseURL: "https://panel.example.com"}
		change(&c)
		l, err := (&app.App{Config: c}).Listen(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		err = app.Run(t.Context(), c, l, slog.New(slog.DiscardHandler), func(context.Context, *app.App) error { t.Error("it serves"); return nil })
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("it ends with %v, want %q", err, text)
		}
		if got := failures(t.Context(), c); !strings.Contains(got, text) {
			t.Errorf("the doctor finds %q, want %q", got, text)
		}
	}
}
