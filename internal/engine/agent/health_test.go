package agent

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// The health check of a site behind a password, whose path is redirected within the site, is well; one whose redirect goes round is not.
func TestHealthCheckPassesAndFollows(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Header.Get("X-Hostler-Check") != "pass":
			w.WriteHeader(http.StatusUnauthorized)
		case r.Host != "shop.example.com":
			w.WriteHeader(http.StatusMisdirectedRequest)
		case r.URL.Path == "/round":
			http.Redirect(w, r, "/round", http.StatusFound)
		case r.URL.Path != "/up/":
			http.Redirect(w, r, "/up/?"+r.URL.RawQuery, http.StatusMovedPermanently)
		case r.URL.RawQuery != "deep=1":
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(site.Close)
	port, err := strconv.Atoi(site.URL[len("http://127.0.0.1:"):])
	if err != nil {
		t.Fatal(err)
	}
	x := &execution{a: b.a}
	probe := wire.HTTPProbe{Port: port, Host: "shop.example.com", Path: "/up?deep=1", Follow: true, Pass: "/etc/nginx/check"}
	if code := x.askHTTP(t.Context(), &probe); code != http.StatusUnauthorized {
		t.Errorf("without the file of the pass it is answered %d", code)
	}
	b.write(probe.Pass, "pass")
	if code := x.askHTTP(t.Context(), &probe); code != http.StatusOK {
		t.Errorf("with the pass it is answered %d", code)
	}
	probe.Path = "/round"
	if code := x.askHTTP(t.Context(), &probe); code != http.StatusFound {
		t.Errorf("a redirect to itself is answered %d", code)
	}
	probe.Path, probe.Follow = "/up", false
	if code := x.askHTTP(t.Context(), &probe); code != http.StatusMovedPermanently {
		t.Errorf("not followed it is answered %d", code)
	}
}

// A release that is deployed behind its maintenance page is no failure, and any other 503 is one.
func TestHealthCheckOfASiteInMaintenance(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	code := http.StatusServiceUnavailable
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
	t.Cleanup(site.Close)
	port, err := strconv.Atoi(site.URL[len("http://127.0.0.1:"):])
	if err != nil {
		t.Fatal(err)
	}
	b.write("/home/shop/site/storage/framework/other", "")
	b.write("/etc/shadow", "")
	log, err := output.Open(filepath.Join(t.TempDir(), "events"))
	if err != nil {
		t.Fatal(err)
	}
	c := &change{x: &execution{a: b.a, log: log}}
	probe := wire.Probe{HTTP: &wire.HTTPProbe{Port: port, Host: "shop.example.com", Path: "/up", Status: []int{200}, Down: &wire.LogFiles{
		Paths: []string{"/home/shop/site/storage/framework/down"}, Below: "/home/shop/site",
	}}}
	if err := c.ask(t.Context(), 0, &probe); err == nil {
		t.Error("503 is well without a maintenance page")
	}
	down := b.path("/home/shop/site/storage/framework/down")
	if err := os.Symlink(b.path("/etc/shadow"), down); err != nil {
		t.Fatal(err)
	}
	if err := c.ask(t.Context(), 0, &probe); err == nil {
		t.Error("a link out of the site says that root's file exists")
	}
	if err := os.Remove(down); err != nil {
		t.Fatal(err)
	}
	b.write("/home/shop/site/storage/framework/down", "{}")
	if err := c.ask(t.Context(), 0, &probe); err != nil {
		t.Error(err)
	}
	code = http.StatusInternalServerError
	if err := c.ask(t.Context(), 0, &probe); err == nil {
		t.Error("500 is well behind a maintenance page")
	}
}
