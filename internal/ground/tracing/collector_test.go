package tracing_test

import (
	"compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	sent "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/hostlerhq/hostler/internal/ground/tracing"
)

// A collector that is busy is asked again, with what the exporters' variables say.
func TestBusyCollectorIsAskedAgain(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20one, x-tenant = seven")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "gzip")
	var asked atomic.Int64
	spans := make(chan int, 2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if asked.Add(1) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if req.Header.Get("Authorization") != "Bearer one" || req.Header.Get("X-Tenant") != "seven" {
			t.Errorf("the headers are %v", req.Header)
		}
		packed, err := gzip.NewReader(req.Body)
		if err != nil {
			t.Error(err)
			return
		}
		raw, err := io.ReadAll(packed)
		var message sent.TracesData
		if err != nil || proto.Unmarshal(raw, &message) != nil || len(message.GetResourceSpans()) != 1 {
			t.Errorf("the message is %v, %v", &message, err)
			return
		}
		spans <- len(message.GetResourceSpans()[0].GetScopeSpans())
	}))
	defer server.Close()
	p := provider(t, server.URL, slog.New(slog.DiscardHandler))
	_, span := p.Request(t.Context(), http.Header{}, http.MethodGet)
	span.End()
	if err := p.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if n := <-spans; n != 1 || asked.Load() != 2 {
		t.Errorf("%d batches arrived after %d requests", n, asked.Load())
	}
}

// Settings that can't be meant are refused at the start, and named.
func TestExporterVariablesAreChecked(t *testing.T) {
	for name, value := range map[string]string{"HEADERS": "no pair", "TIMEOUT": "soon", "COMPRESSION": "zip", "CERTIFICATE": "/nothing/here.pem"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_"+name, value)
			if err := start(t); err == nil || !strings.Contains(err.Error(), "OTEL_EXPORTER_OTLP_"+name) {
				t.Errorf("%s=%s: %v", name, value, err)
			}
		})
	}
}

func start(t *testing.T) error {
	t.Helper()
	_, err := tracing.New(t.Context(), "http://127.0.0.1:4318", "1.2.3", slog.New(slog.DiscardHandler))
	return err
}
