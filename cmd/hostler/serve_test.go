package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"github.com/hostlerhq/hostler/internal/app"
)

// heard is what a command printed; it calls done after the last line.
type heard struct {
	mu   sync.Mutex
	text bytes.Buffer
	last string
	done func()
}

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n, err := h.text.Write(p); err != nil {
		return n, err
	}
	if strings.Contains(h.text.String(), h.last) {
		h.done()
	}
	return len(p), nil
}

var _ io.Writer = (*heard)(nil)

// An installation that sends people to an https address which nothing leads to it says so when it starts, and how to have one that does.
func TestServeWarnsWithoutHTTPS(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		base    string
		proxies []netip.Prefix
		warns   bool
	}{
		"https without TLS":   {"https://panel.example.com", nil, true},
		"https by a proxy":    {"https://panel.example.com", []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, false},
		"http on the machine": {"http://127.0.0.1:8080", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			out := &heard{last: "first account", done: cancel}
			c := app.Config{Listen: "127.0.0.1:0", BaseURL: tt.base, TrustedProxies: tt.proxies}
			c.DataDir = t.TempDir()
			if err := serve(ctx, c, out, slog.New(slog.DiscardHandler)); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(out.text.String(),
				"no proxy is named that has the certificate. For a certificate of Let's Encrypt, add --tls-acme"); got != tt.warns {
				t.Errorf("it warns: %t, want %t\n%s", got, tt.warns, &out.text)
			}
		})
	}
}
