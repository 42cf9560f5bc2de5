package app_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/engine/host"
)

// smallDisk returns an installation on a separate disk of 80 MB.
func smallDisk(t *testing.T) app.Config {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=80m,mode=0700"); err != nil {
		t.Skipf("a disk of its own takes root: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	c := app.Config{DataDir: filepath.Join(dir, "data"), BaseURL: "http://127.0.0.1:1"}
	c.Agents = host.Binaries{"amd64": {Sum: "none", Open: func() ([]byte, error) { return nil, nil }}}
	store, err := app.OpenStore(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return c
}

// fill uses up all space of a disk, and returns a function that frees it.
func fill(t *testing.T, c app.Config) (empty func()) {
	t.Helper()
	path := filepath.Join(filepath.Dir(c.DataDir), "other")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for piece := make([]byte, 64<<10); err == nil; {
		_, err = f.Write(piece)
	}
	return func() { _ = os.Remove(path) }
}

// serve runs a panel until the test ends.
func serve(t *testing.T, c app.Config) (url string, started *atomic.Bool, running chan *app.App) {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	started, running = &atomic.Bool{}, make(chan *app.App, 1)
	go func() {
		ended <- app.Run(ctx, c, l, slog.New(slog.DiscardHandler), func(_ context.Context, a *app.App) error {
			started.Store(true)
			running <- a
			return nil
		})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the panel ended with %v", err)
		}
	})
	return "http://" + l.Addr().String(), started, running
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	res, err := http.Get(url)
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

// signIn sends a request that stores something whatever it says: a failed attempt is counted.
func signIn(t *testing.T, url string) (int, http.Header, string) {
	t.Helper()
	body := `{"email":"a@example.com","password":"` + strings.Repeat("x", 1000) + `"}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/api/auth/login", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(api.CSRFHeader, "1")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, string(answer)
}

// wantReady polls until the panel reports its state correctly: nothing announces that a disk is full or has space again, and an answer is cached for a second.
func wantReady(t *testing.T, url string, code int, text string) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		got, body := get(t, url+"/readyz")
		if got == code && strings.Contains(body, text) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("/readyz answers %d %q, want %d with %q", got, body, code, text)
		}
	}
}

// A panel whose disk fills up reports that it is not ready, and to attention; it is ready again once there is space.
func TestReadyMeansThatItCanWrite(t *testing.T) {
	t.Parallel()
	c := smallDisk(t)
	url, _, running := serve(t, c)
	wantReady(t, url, 200, "ok")
	app := <-running
	panel := func() string {
		return concerns(t, app)
	}
	if got := panel(); got != "" {
		t.Errorf("attention says of a disk with space: %q", got)
	}
	empty := fill(t, c)
	if got := panel(); !strings.Contains(got, "of the panel's data directory") {
		t.Errorf("attention says of a full disk: %q", got)
	}
	wantReady(t, url, 503, "the disk of the data directory is full")
	if code, header, body := signIn(t, url); code != 503 || header.Get("Retry-After") == "" || !strings.Contains(body, "disk of the panel's database is full") {
		t.Errorf("a request that stores something is answered with %d %v %s", code, header, body)
	}
	if code, _ := get(t, url+"/healthz"); code != 200 {
		t.Errorf("/healthz answers %d: a restart mends nothing", code)
	}
	if got := failures(t.Context(), c); !strings.Contains(got, "the disk of the data directory is full") {
		t.Errorf("the doctor finds %q", got)
	}
	empty()
	wantReady(t, url, 200, "ok")
	if got := panel(); got != "" {
		t.Errorf("attention says of a disk with space again: %q", got)
	}
}

// A panel that is started on a full disk starts far enough to report that, does not report that it serves before it does, and
// continues when there is space.
func TestStartsOnAFullDisk(t *testing.T) {
	t.Parallel()
	c := smallDisk(t)
	empty := fill(t, c)
	url, started, running := serve(t, c)
	wantReady(t, url, 503, "the disk of the data directory is full")
	if code, body := get(t, url+"/api/user"); !started.Load() && (code != 503 || !strings.Contains(body, "full")) {
		t.Errorf("the API answers %d %q", code, body)
	}
	empty()
	wantReady(t, url, 200, "ok")
	<-running
	if code, _ := get(t, url+"/api/user"); code != 401 {
		t.Errorf("the API answers %d", code)
	}
}
