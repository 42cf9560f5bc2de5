package agent

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

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
