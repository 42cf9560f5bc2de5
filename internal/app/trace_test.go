package app_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/app"
	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/internal/noun/organization"
	"github.com/hostlerhq/hostler/test/otlp"
	"github.com/hostlerhq/hostler/test/port"
)

// user makes a user with an organization, acme, and returns a token.
func user(t *testing.T, s *app.Store) string {
	t.Helper()
	var token string
	err := s.DB.Tx(t.Context(), func(ctx context.Context, tx *db.Tx) error {
		me, err := account.CreateUser(ctx, tx, "Me", "me@example.com", "correct horse battery staple")
		if err != nil {
			return err
		}
		if _, err := organization.Create(ctx, tx, "Acme", "acme", me.ID); err != nil {
			return err
		}
		made, _, err := account.CreateToken(ctx, tx, me.ID, "test", access.SetOf(access.All()...), nil)
		token = made.Reveal()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func TestRequestsAreTraced(t *testing.T) {
	t.Parallel()
	collector := otlp.Start(t)
	c := installation(t)
	c.Listen, c.OTLPEndpoint, c.Version = "127.0.0.1:"+strconv.Itoa(port.For(t)), collector.URL, "1.2.3"
	c.BaseURL = "http://" + c.Listen
	a, stop := runUntil(t, c)
	token := user(t, a.Store)
	const caller = "0af7651916cd43dd8448eb211c80319c"
	send := func(method, path, body string) http.Header {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, a.BaseURL.String()+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Traceparent", "00-"+caller+"-b7ad6b7169203331-01")
		req.Header.Set("Tracestate", "vendor=hunter2-state")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		return res.Header
	}
	list := send(http.MethodGet, "/api/orgs/acme/servers?filter[name]=hunter2-query", "")
	refused := send(http.MethodPost, "/api/orgs/acme/recipes", `{"name": "hunter2-body"}`)
	send(http.MethodGet, "/api/orgs/hunter2-path/servers", "")
	send(http.MethodGet, "/api/hunter2-nowhere", "")
	send("HUNTER2", "/api/user", "")
	send(http.MethodGet, "/hunter2-page", "")
	send(http.MethodPost, "/deploy/hunter2-hook", "")
	send(http.MethodGet, "/healthz", "")
	stop()

	want := func(name, status, requestID string) {
		t.Helper()
		for _, s := range collector.Named(name) {
			if status != "" && s.Attributes["http.response.status_code"] != status || requestID != "" && s.Attributes["hostler.request.id"] != requestID {
				continue
			}
			if s.Trace == caller || s.Parent != "" || len(s.Links) != 1 || s.Links[0] != (otlp.Link{Trace: caller, Span: "b7ad6b7169203331"}) {
				t.Errorf("%s is not in a trace of its own with a link to its caller's: %+v", name, s)
			}
			return
		}
		t.Errorf("there is no span %s %s %s in %+v", name, status, requestID, collector.Spans())
	}
	want("GET /api/orgs/{organization}/servers", "200", list.Get("X-Request-Id"))
	want("POST /api/orgs/{organization}/recipes", "422", refused.Get("X-Request-Id"))
	want("GET /api/orgs/{organization}/servers", "404", "")
	want("GET", "404", "")
	want("_OTHER", "405", "")
	want("GET /", "", "")
	want("POST /deploy/{token}", "404", "")
	for _, s := range collector.Spans() {
		if strings.Contains(s.Attributes["http.route"], "healthz") {
			t.Errorf("a look at the panel's health is traced: %+v", s)
		}
	}
	for _, secret := range []string{"hunter2", "HUNTER2", token, "me@example.com"} {
		if collector.Contains(secret) {
			t.Errorf("%q was sent to the collector", secret)
		}
	}
	for _, about := range []string{"service.name", "1.2.3"} {
		if !collector.Contains(about) {
			t.Errorf("%q was not sent to the collector", about)
		}
	}
}

// The setting decides, whatever the variables of OpenTelemetry say.
func TestWithoutAnEndpointNothingIsTraced(t *testing.T) {
	collector := otlp.Start(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	c := installation(t)
	c.Listen = "127.0.0.1:" + strconv.Itoa(port.For(t))
	c.BaseURL = "http://" + c.Listen
	a, stop := runUntil(t, c)
	if a.Traces() {
		t.Error("there is a provider of traces")
	}
	res, err := http.Get(a.BaseURL.String() + "/api/user")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	stop()
	if n := collector.Requests(); n != 0 {
		t.Errorf("traces were sent %d times", n)
	}
}

func TestUnusableEndpointIsRefused(t *testing.T) {
	t.Parallel()
	c := installation(t)
	c.BaseURL, c.OTLPEndpoint = "http://127.0.0.1:8080", "127.0.0.1:4318"
	if found := failures(t.Context(), c); !strings.Contains(found, "collector of traces") || !strings.Contains(found, "correct otlp-endpoint") {
		t.Errorf("the doctor finds: %s", found)
	}
	store, err := app.OpenStore(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	if _, err := app.New(c, store, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "otlp-endpoint must look like") {
		t.Errorf("the panel says %v", err)
	}
}
