package tracing_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"go.opentelemetry.io/otel/trace"

	"github.com/hostlerhq/hostler/internal/ground/tracing"
	"github.com/hostlerhq/hostler/test/otlp"
)

func TestParseEndpoint(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"http://127.0.0.1:4318":             "http://127.0.0.1:4318/v1/traces",
		"https://collector.example.com/in/": "https://collector.example.com/in/v1/traces",
		"collector.example.com:4318":        "",
		"grpc://127.0.0.1:4317":             "",
		"http://":                           "",
		"http://127.0.0.1:4318?token=one":   "",
		"http://me:one@127.0.0.1:4318":      "",
	} {
		u, err := tracing.ParseEndpoint(text)
		if got := ""; err == nil {
			if got = u.String(); got != want {
				t.Errorf("%s: %s", text, got)
			}
		} else if want != "" || strings.Contains(err.Error(), "one") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func provider(t *testing.T, endpoint string, log *slog.Logger) *tracing.Provider {
	t.Helper()
	p, err := tracing.New(t.Context(), endpoint, "1.2.3", log)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A job that waits for its server is attempted every few seconds: only its first attempt continues the request's trace.
func TestFirstAttemptContinuesTheTrace(t *testing.T) {
	t.Parallel()
	c := otlp.Start(t)
	p := provider(t, c.URL, slog.New(slog.DiscardHandler))
	ctx, request := p.Request(t.Context(), http.Header{}, http.MethodPost)
	metadata := tracing.Metadata(ctx)
	request.End()
	for _, first := range []bool{true, false} {
		_, span := p.Job(context.Background(), "server.converge", metadata, first)
		span.End()
	}
	if err := p.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	requests, jobs := c.Named(http.MethodPost), c.Named("server.converge")
	if len(requests) != 1 || len(jobs) != 2 {
		t.Fatalf("there are %+v", c.Spans())
	}
	if jobs[0].Trace != requests[0].Trace || jobs[0].Parent != requests[0].ID {
		t.Errorf("the request is %+v, its job is %+v", requests[0], jobs[0])
	}
	if again := jobs[1]; again.Trace == requests[0].Trace || again.Parent != "" || len(again.Links) != 1 || again.Links[0].Span != requests[0].ID {
		t.Errorf("the request is %+v, the second attempt at its job is %+v", requests[0], again)
	}
}

// Without a provider there is nothing to carry on, and a job is inserted as ever.
func TestNothingIsRecordedWithoutAProvider(t *testing.T) {
	t.Parallel()
	ctx, span := tracing.Start(t.Context(), "run", trace.SpanKindClient, tracing.ServerID.Int64(1))
	if ctx != t.Context() || span.IsRecording() || tracing.Metadata(ctx) != nil {
		t.Errorf("a span is recorded: %v", span.SpanContext())
	}
	span.End()
	if err := (*tracing.Provider)(nil).Shutdown(ctx); err != nil {
		t.Error(err)
	}
}

// A collector that refuses traces is named once, not for each batch.
func TestRefusingCollectorIsLoggedOnce(t *testing.T) {
	t.Parallel()
	var refuses atomic.Bool
	refuses.Store(true)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if refuses.Load() {
			http.Error(w, "no", http.StatusUnauthorized)
		}
	}))
	defer server.Close()
	var log bytes.Buffer
	p := provider(t, server.URL, slog.New(slog.NewTextHandler(&log, nil)))
	defer func() { _ = p.Shutdown(context.Background()) }()
	send := func() {
		t.Helper()
		_, span := p.Request(t.Context(), http.Header{}, http.MethodGet)
		span.End()
		if err := p.Flush(t.Context()); err != nil {
			t.Error(err)
		}
	}
	send()
	send()
	refuses.Store(false)
	send()
	send()
	if text := log.String(); strings.Count(text, "can't be sent") != 1 || strings.Count(text, "sent again") != 1 {
		t.Errorf("the log is:\n%s", text)
	}
}
