package monitor

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
)

// asks asks some URLs, of which the first is returned.
func asks(t *testing.T, a *Asker, urls ...string) answer {
	t.Helper()
	var rows []query.Monitor
	for _, u := range urls {
		rows = append(rows, query.Monitor{URL: u})
	}
	got, ok := a.ask(t.Context(), rows)[urls[0]]
	if !ok {
		t.Fatalf("%s was not asked", urls[0])
	}
	return got
}

// A URL fails with an error, an invalid certificate, too many redirects or without a server, and not by what its body is.
func TestURLsAreAsked(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("/status/{code}", func(w http.ResponseWriter, req *http.Request) {
		var code int
		_, _ = fmt.Sscan(req.PathValue("code"), &code)
		w.WriteHeader(code)
	})
	mux.HandleFunc("/hops/{n}", func(w http.ResponseWriter, req *http.Request) {
		var n int
		_, _ = fmt.Sscan(req.PathValue("n"), &n)
		if n > 0 {
			http.Redirect(w, req, fmt.Sprintf("/hops/%d", n-1), http.StatusFound)
		}
	})
	mux.HandleFunc("/to", func(w http.ResponseWriter, req *http.Request) {
		http.Redirect(w, req, req.URL.Query().Get("url"), http.StatusFound)
	})
	mux.HandleFunc("/endless", func(w http.ResponseWriter, req *http.Request) {
		asked.Add(1)
		for req.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/welcome", func(w http.ResponseWriter, r *http.Request) { // as many sites greet a visitor of whom they know nothing
		if _, err := r.Cookie("seen"); err != nil {
			http.SetCookie(w, &http.Cookie{Name: "seen", Value: "1", Path: "/"})
			http.Redirect(w, r, "/welcome", http.StatusFound)
		}
	})
	mux.HandleFunc("/headers", func(w http.ResponseWriter, _ *http.Request) {
		for i := range 100 {
			w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("a", 4096))
		}
	})
	mux.HandleFunc("/breaks", func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	})
	plain, secure := httptest.NewServer(mux), httptest.NewUnstartedServer(mux)
	secure.Config.ErrorLog, secure.TLS = nil, &tls.Config{MinVersion: tls.VersionTLS12}
	secure.StartTLS()
	t.Cleanup(plain.Close)
	t.Cleanup(secure.Close)
	gone := httptest.NewServer(mux)
	gone.Close()
	a := &Asker{Guard: outbound.Guard{AllowPrivate: true}}
	to := func(target string) string { return plain.URL + "/to?url=" + url.QueryEscape(target) }
	for url, want := range map[string]string{
		plain.URL + "/status/200":                        "",
		plain.URL + "/status/204":                        "",
		plain.URL + "/status/399":                        "",
		plain.URL + "/status/400":                        "It answered with 400.",
		plain.URL + "/status/401":                        "It answered with 401.",
		plain.URL + "/status/503":                        "It answered with 503.",
		plain.URL + "/hops/5":                            "",
		plain.URL + "/hops/11":                           "It redirects more than 10 times.",
		plain.URL + "/endless":                           "",
		plain.URL + "/headers":                           "The connection failed.",
		plain.URL + "/breaks":                            "It closed the connection without an answer.",
		plain.URL + "/welcome":                           "",
		strings.Replace(plain.URL, "http:", "https:", 1): "It does not speak TLS there; http:// may be right.",
		secure.URL + "/status/200":                       "The certificate is not valid: ",
		gone.URL:                                         "The connection was refused.",
		to(plain.URL + "/status/200"):                    "",
		to(plain.URL + "/status/200#top"):                "",
		to("http://169.254.169.254/latest/meta-data"):    "It redirects to a URL that is not allowed.",
		to("http://user:pass@127.0.0.1/"):                "It redirects to a URL that is not allowed.",
		to("file:///etc/passwd"):                         "It redirects to a URL that is not allowed.",
		to("gopher://127.0.0.1:25/"):                     "It redirects to a URL that is not allowed.",
	} {
		got := asks(t, a, url)
		if want == "" && got.failure != "" || want != "" && !strings.HasPrefix(got.failure, want) || got.silent {
			t.Errorf("%s: %+v, want %q", url, got, want)
		}
	}
	before := asked.Load()
	if asks(t, a, plain.URL+"/endless", plain.URL+"/endless", plain.URL+"/endless"); asked.Load() != before+1 {
		t.Errorf("one URL of three monitors was asked %d times", asked.Load()-before)
	}
}

// Hostler's own network is not asked, whatever name or number leads there, unless its operator allows it.
func TestURLsOfOurOwnAreNotAsked(t *testing.T) {
	t.Parallel()
	reached := false
	own := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(own.Close)
	_, port, err := net.SplitHostPort(own.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]"} { // as if each had been public when it was saved
		if got := asks(t, &Asker{}, "http://"+host+":"+port+"/"); !strings.Contains(got.failure, "private") || got.silent {
			t.Errorf("%s: %+v", host, got)
		}
	}
	if reached {
		t.Error("it was asked")
	}
}

// Silence may be that of our own network; an answer, a refusal and a name that does not exist came from somewhere.
func TestSilence(t *testing.T) {
	t.Parallel()
	dial := func(err error) error {
		return &url.Error{Op: "Get", URL: "http://x/", Err: fmt.Errorf("connect: %w", &net.OpError{Op: "dial", Err: os.NewSyscallError("connect", err)})}
	}
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"a timeout":            {&url.Error{Op: "Get", URL: "http://x/", Err: context.DeadlineExceeded}, true},
		"no route":             {dial(syscall.ENETUNREACH), true},
		"no route to a host":   {dial(syscall.EHOSTUNREACH), true},
		"a dead resolver":      {&net.DNSError{Err: "server misbehaving", IsTemporary: true}, true},
		"a slow resolver":      {&net.DNSError{Err: "i/o timeout", IsTimeout: true}, true},
		"no such name":         {&net.DNSError{Err: "no such host", IsNotFound: true}, false},
		"refused":              {dial(syscall.ECONNREFUSED), false},
		"reset":                {dial(syscall.ECONNRESET), false},
		"an own address":       {dial(outbound.ErrForbidden), false},
		"an own one, too late": {errors.Join(outbound.ErrForbidden, context.DeadlineExceeded), false},
	} {
		if got := silent(c.err); got != c.want {
			t.Errorf("%s is silence: %t", name, got)
		}
	}
}

// Whether there is a network is found out from hosts that do not answer, and from few of them.
func TestOnline(t *testing.T) {
	t.Parallel()
	answers := map[string]answer{"https://up.example.com/": {}, "https://bad.example.com/": {failure: "x"}}
	for i := range 10 {
		answers[fmt.Sprintf("https://silent-%d.example.com/", i)] = answer{failure: "x", silent: true}
		answers[fmt.Sprintf("https://silent-%d.example.com/again", i)] = answer{failure: "x", silent: true}
	}
	for _, want := range []bool{true, false} {
		tried := map[string]int{}
		a := &Asker{Online: func(_ context.Context, host string) bool { tried[host]++; return want }}
		if got := a.online(t.Context(), answers); got != want || len(tried) != map[bool]int{true: 1, false: maxProofs}[want] {
			t.Errorf("online is %t, by %v", got, tried)
		}
		for host, n := range tried {
			if n != 1 || !strings.HasPrefix(host, "silent-") {
				t.Errorf("%s was tried %d times", host, n)
			}
		}
	}
}
