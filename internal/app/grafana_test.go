package app_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

var (
	metricName = regexp.MustCompile(`\b[a-z]+_[a-z_]+\b`)
	labelNames = regexp.MustCompile(`\{[^}]*\}|by \([^)]*\)|label_values\(|, instance\)`)
)

// Each metric that the dashboard for Grafana shows is one that the panel has.
func TestGrafanaDashboard(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/grafana/hostler.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
		Templating struct {
			List []struct {
				Type  string
				Query any
			}
		}
	}
	if err := json.Unmarshal(raw, &dashboard); err != nil {
		t.Fatal(err)
	}
	c := installation(t)
	c.BaseURL, c.Listen, c.MetricsToken = "http://127.0.0.1:1", "127.0.0.1:0", secret.String("a token")
	inDatabase(
		`INSERT INTO organizations (id, name, slug, created_at, updated_at) VALUES (1, 'a', 'a', 1, 1)`,
		`INSERT INTO operations (organization_id, server_id, aspect, resource_type, resource_id, action, description, request,
			state, step, reason, attempt, cancelled, deadline, created_at, updated_at)
			VALUES (1, 1, 'web', 'sites', 1, 'create', '', '', 'failed', '', '', 0, FALSE, 1, 1, 1)`)(t, &c)
	served := metricsOf(t, c)
	shown := 0
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			for _, name := range metricName.FindAllString(labelNames.ReplaceAllString(target.Expr, " "), -1) {
				shown++
				if !slices.Contains(served, name) {
					t.Errorf("%s shows %s, which the panel does not have: %v", panel.Title, name, served)
				}
			}
		}
	}
	if shown < len(dashboard.Panels) {
		t.Errorf("%d metrics in %d panels", shown, len(dashboard.Panels))
	}
	for _, name := range served {
		if strings.HasPrefix(name, "hostler_") && !strings.Contains(string(raw), name) {
			t.Errorf("nothing shows %s", name)
		}
	}
}

// metricsOf returns the names of an installation's metrics.
func metricsOf(t *testing.T, c app.Config) (out []string) {
	t.Helper()
	a := run(t, c)
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
	req.Header.Set("Authorization", "Bearer a token")
	res := httptest.NewRecorder()
	a.Handler().ServeHTTP(res, req)
	if res.Code != http.StatusOK {
		t.Fatalf("/metrics answers %d %s", res.Code, res.Body)
	}
	for line := range strings.Lines(res.Body.String()) {
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok {
			name, _, _ = strings.Cut(name, " ")
			out = append(out, name)
		}
	}
	return out
}

// Without a token metrics are for programs on this machine, not for those who reach it through a proxy that is there.
func TestMetricsAreForThisMachine(t *testing.T) {
	t.Parallel()
	for _, trusted := range []bool{false, true} {
		c := installation(t)
		c.BaseURL, c.Listen = "http://127.0.0.1:1", "127.0.0.1:0"
		if trusted {
			c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
		}
		h := run(t, c).Handler()
		for name, tt := range map[string]struct {
			from, forwarded string
			code            int
		}{
			"this machine":                       {"127.0.0.1:1234", "", http.StatusOK},
			"this machine over IPv6":             {"[::1]:1234", "", http.StatusOK},
			"another":                            {"198.51.100.7:1234", "", http.StatusForbidden},
			"another through the proxy":          {"127.0.0.1:1234", "198.51.100.7", http.StatusForbidden},
			"another that names this machine":    {"198.51.100.7:1234", "127.0.0.1", http.StatusForbidden},
			"the same through the proxy":         {"127.0.0.1:1234", "127.0.0.1, 198.51.100.7", http.StatusForbidden},
			"this machine's name to the outside": {"127.0.0.1:1234", "127.0.0.1", http.StatusForbidden},
		} {
			req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
			req.RemoteAddr, req.Host = tt.from, "127.0.0.1:8080"
			if tt.forwarded != "" {
				req.Header.Set("X-Forwarded-For", tt.forwarded)
			}
			res := httptest.NewRecorder()
			h.ServeHTTP(res, req)
			if res.Code != tt.code {
				t.Errorf("%s, trusted proxy %t: %d, want %d", name, trusted, res.Code, tt.code)
			}
		}
	}
}
