package app_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
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
