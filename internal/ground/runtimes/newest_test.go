package runtimes

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A newer release of a line is known once the mirror has told it, which it is asked once an hour; what it does not answer changes nothing.
func TestNewestOfALine(t *testing.T) {
	t.Parallel()
	var offers atomic.Value
	var asked atomic.Int64
	offers.Store("22.12.0")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if is := offers.Load().(string); is != "" && r.URL.Path == "/latest-v22.x/SHASUMS256.txt" {
			_, _ = w.Write([]byte(strings.Repeat("0", 64) + "  node-v" + is + "-linux-x64.tar.gz\n"))
			return
		}
		http.Error(w, "busy", http.StatusServiceUnavailable)
	}))
	defer s.Close()
	mirrors, err := NewMirrors(map[string]string{"node": s.URL}, nil, s.Client().Transport)
	if err != nil {
		t.Fatal(err)
	}
	n := &Newest{Mirrors: mirrors}
	want := func(name, version, newest string) {
		t.Helper()
		if got := n.Of(name, version); got != newest {
			t.Errorf("the newest for %s %s is %q, not %q", name, version, got, newest)
		}
	}
	now := time.Now()
	n.Ask(t.Context(), now)
	if asked.Load() != 0 {
		t.Error("a mirror is asked although nothing runs of it")
	}
	want("node", "22.11.0", "")
	n.Ask(t.Context(), now)
	want("node", "22.11.0", "22.12.0")
	want("node", "22.12.0", "")
	want("node", "22.13.0", "") // installed from another mirror
	want("node", "22", "")
	want("bun", "1.3.2", "") // has no lines
	want("python", "3.12.1", "")
	offers.Store("22.13.0")
	n.Ask(t.Context(), now.Add(59*time.Minute))
	want("node", "22.11.0", "22.12.0")
	n.Ask(t.Context(), now.Add(time.Hour))
	want("node", "22.11.0", "22.13.0")
	offers.Store("")
	n.Ask(t.Context(), now.Add(2*time.Hour))
	want("node", "22.11.0", "22.13.0")
	if got := asked.Load(); got != 3 {
		t.Errorf("the mirror was asked %d times", got)
	}
	if (*Newest)(nil).Of("node", "22.11.0") != "" {
		t.Error("something is known without a mirror")
	}
}
