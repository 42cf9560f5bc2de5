package app_test

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"aead.dev/minisign"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/engine/host"
	updates "github.com/hostlerhq/hostler/internal/engine/update"
)

// index serves a signed index of a release, and counts requests for it.
func index(t *testing.T, version string) (url, key string, asked *atomic.Int32) {
	t.Helper()
	public, private, err := minisign.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(updates.Index{Version: version, Changes: "https://example.com/changes", Expires: time.Now().Add(24 * time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	asked = &atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if strings.HasSuffix(req.URL.Path, ".minisig") {
			_, _ = w.Write(minisign.Sign(private, raw))
			return
		}
		asked.Add(1)
		_, _ = w.Write(raw)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/index.json", public.String(), asked
}

// A newer release is looked for once a day, however often the panel starts, and listed; an older one and the same are not.
func TestNewerReleaseNeedsAttention(t *testing.T) {
	t.Parallel()
	c := installation(t)
	c.BaseURL, c.Listen, c.Version, c.UpdateCheck = "http://127.0.0.1:1", "127.0.0.1:0", "v1.2.0", true
	c.Agents = host.Binaries{"amd64": {Sum: "none", Open: func() ([]byte, error) { return nil, nil }}}
	var asked *atomic.Int32
	c.UpdateURL, c.ReleaseKey, asked = index(t, "v1.3.0")
	t.Run("a day", func(t *testing.T) {
		a := run(t, c)
		deadline, tick := time.After(time.Minute), time.NewTicker(20*time.Millisecond)
		defer tick.Stop()
		for concerns(t, a) == "" {
			select {
			case <-tick.C:
			case <-deadline:
				t.Fatal("attention lists nothing")
			}
		}
		want := "panel-update: Hostler v1.3.0 is available, and this is v1.2.0. To install it, run on the panel's machine: hostler update. " +
			"What has changed: https://example.com/changes"
		if got := concerns(t, a); got != want {
			t.Errorf("attention lists %q", got)
		}
	})
	for name, change := range map[string]func(c *app.Config){
		"after an update": func(c *app.Config) { c.Version = "v1.3.0" },
		"turned off":      func(c *app.Config) { c.UpdateCheck = false },
		"no release":      func(c *app.Config) { c.ReleaseKey = "" },
	} {
		t.Run(name, func(t *testing.T) {
			c := c
			change(&c)
			a := run(t, c)
			watch := &updates.Watch{DB: a.DB, Source: c.Releases(), Log: a.Log}
			if err := watch.Look(t.Context()); err != nil { // as the job does
				t.Fatal(err)
			}
			if got := concerns(t, a); got != "" {
				t.Errorf("attention lists %q", got)
			}
		})
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("the source was asked %d times on one day", n)
	}
}
