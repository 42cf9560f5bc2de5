package practice

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/port"
)

// repository is an upstream that counts its requests and gives configured answers.
type repository struct {
	*httptest.Server
	asked  atomic.Int32
	answer atomic.Pointer[http.HandlerFunc]
}

func (r *repository) says(f http.HandlerFunc) { r.answer.Store(&f) }

func (r *repository) text(s string) {
	r.says(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, s) })
}

// mustCache starts the package cache in front of a separate repository.
func mustCache(t *testing.T) (*repository, *http.Client) {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skipf("skipped %s: no python3", t.Name())
	}
	script, err := unpack(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	up := new(repository)
	up.text("")
	up.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		up.asked.Add(1)
		(*up.answer.Load())(w, r)
	}))
	t.Cleanup(up.Close)

	port := strconv.Itoa(port.For(t))
	cmd := exec.Command("python3", filepath.Join(filepath.Dir(script), "pkgcache.py"), "127.0.0.1", port, t.TempDir(), "--allow", "127.0.0.1")
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			fmt.Println("pkgcache:", s.Text())
		}
	}()
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			c.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the cache does not start")
		}
	}
	proxy := &url.URL{Scheme: "http", Host: "127.0.0.1:" + port}
	// Go's client bypasses proxies for loopback addresses unless the proxy is fixed.
	return up, &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}, Timeout: 20 * time.Second}
}

func get(c *http.Client, url string) (int, string, error) {
	r, err := c.Get(url)
	if err != nil {
		return 0, "", err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	return r.StatusCode, string(body), err
}

func wantGet(t *testing.T, c *http.Client, url string, status int, part string) {
	t.Helper()
	code, body, err := get(c, url)
	if err != nil || code != status || !strings.Contains(body, part) {
		t.Errorf("%s: %d %q %v, want %d %q", url, code, body, err, status, part)
	}
}

func TestCacheKeepsPackagesNotIndices(t *testing.T) {
	t.Parallel()
	up, c := mustCache(t)
	deb, index := up.URL+"/debian/pool/main/a/a_1_amd64.deb", up.URL+"/debian/dists/trixie/InRelease"
	for n, path := range []string{deb, index} {
		up.text("one")
		wantGet(t, c, path, 200, "one")
		up.text("two")
		wantGet(t, c, path, 200, []string{"one", "two"}[n])
	}
	if n := up.asked.Load(); n != 3 {
		t.Errorf("asked %d times, want 3", n)
	}
}

func TestCacheAnswersOffline(t *testing.T) {
	t.Parallel()
	up, c := mustCache(t)
	index := up.URL + "/debian/dists/trixie/InRelease"
	up.text("one")
	wantGet(t, c, index, 200, "one")
	up.says(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
	wantGet(t, c, index, 200, "one")
	wantGet(t, c, up.URL+"/debian/dists/other/InRelease", 502, "upstream")
	up.Close()
	wantGet(t, c, index, 200, "one")
	wantGet(t, c, up.URL+"/debian/pool/new.deb", 502, "upstream")
}

func TestCacheDoesNotKeepErrors(t *testing.T) {
	t.Parallel()
	up, c := mustCache(t)
	deb := up.URL + "/debian/pool/a.deb"
	up.says(http.NotFound)
	wantGet(t, c, deb, 404, "not found")
	up.says(func(w http.ResponseWriter, _ *http.Request) { // a connection that breaks midway
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half")
	})
	if code, body, err := get(c, deb); err == nil {
		t.Errorf("half a package was taken for a whole one: %d %q", code, body)
	}
	up.text("whole")
	wantGet(t, c, deb, 200, "whole")
	up.text("other")
	wantGet(t, c, deb, 200, "whole")
}

func TestCacheDownloadsOnce(t *testing.T) {
	t.Parallel()
	up, c := mustCache(t)
	body := strings.Repeat("0123456789abcdef", 1<<16)
	up.text(body)
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if code, got, err := get(c, up.URL+"/debian/pool/big.deb"); err != nil || code != 200 || got != body {
				t.Errorf("%d, %d bytes, %v", code, len(got), err)
			}
		})
	}
	all.Wait()
	if n := up.asked.Load(); n != 1 {
		t.Errorf("downloaded %d times", n)
	}
}

func TestCacheIsNoWayOut(t *testing.T) {
	t.Parallel()
	up, c := mustCache(t)
	wantGet(t, c, "http://localhost/debian/dists/trixie/InRelease", 403, "repositories only")
	wantGet(t, c, up.URL+"/secrets", 403, "repositories only")
	up.says(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://localhost:1/debian/pool/a.deb", http.StatusFound)
	})
	wantGet(t, c, up.URL+"/debian/pool/a.deb", 502, "redirected to localhost")
	if _, _, err := get(c, strings.Replace(up.URL, "http:", "https:", 1)+"/debian/dists/x"); err == nil {
		t.Error("CONNECT is allowed")
	}
	if n := up.asked.Load(); n != 1 {
		t.Errorf("upstream was asked %d times, want 1", n)
	}
}
