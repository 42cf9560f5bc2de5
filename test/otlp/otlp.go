// Package otlp gives tests a collector of traces on this machine, which takes OTLP over HTTP and keeps every span.
package otlp

import (
	"bytes"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	sent "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Span is one span as it was received. Ids are in hexadecimal; Parent is "" for a root.
type Span struct {
	Trace, ID, Parent string
	Name              string
	Attributes        map[string]string
	Links             []Link
	Events            []Event
	Failed            bool
}

// Link is what a span links to.
type Link struct{ Trace, Span, State string }

// Event is what happened within a span.
type Event struct {
	Name       string
	Attributes map[string]string
}

// Collector is a running collector.
type Collector struct {
	// URL is its base URL.
	URL string

	mu       sync.Mutex
	requests int
	raw      bytes.Buffer
	spans    []Span
}

// Start collects until the test ends.
func Start(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{}
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, req *http.Request) {
		t.Errorf("the collector was asked for %s %s", req.Method, req.URL)
		http.NotFound(w, req)
	})
	mux.HandleFunc("POST /v1/traces", func(w http.ResponseWriter, req *http.Request) {
		raw, err := io.ReadAll(req.Body)
		var message sent.TracesData
		if err == nil {
			err = proto.Unmarshal(raw, &message)
		}
		if err != nil {
			t.Errorf("the collector can't read what was sent: %v", err)
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		c.take(raw, &message)
		w.Header().Set("Content-Type", "application/x-protobuf")
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	c.URL = server.URL
	return c
}

func (c *Collector) take(raw []byte, message *sent.TracesData) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	c.raw.Write(raw)
	for _, resource := range message.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			for _, s := range scope.Spans {
				c.spans = append(c.spans, spanOf(s))
			}
		}
	}
}

func spanOf(s *sent.Span) Span {
	out := Span{
		Trace: hex.EncodeToString(s.TraceId), ID: hex.EncodeToString(s.SpanId), Parent: hex.EncodeToString(s.ParentSpanId), Name: s.Name,
		Attributes: attributes(s.Attributes), Failed: s.GetStatus().GetCode() == sent.Status_STATUS_CODE_ERROR,
	}
	for _, l := range s.Links {
		out.Links = append(out.Links, Link{hex.EncodeToString(l.TraceId), hex.EncodeToString(l.SpanId), l.TraceState})
	}
	for _, e := range s.Events {
		out.Events = append(out.Events, Event{e.Name, attributes(e.Attributes)})
	}
	return out
}

func attributes(list []*common.KeyValue) map[string]string {
	out := map[string]string{}
	for _, a := range list {
		switch v := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			out[a.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			out[a.Key] = strconv.FormatInt(v.IntValue, 10)
		case *common.AnyValue_BoolValue:
			out[a.Key] = strconv.FormatBool(v.BoolValue)
		default:
			out[a.Key] = a.Value.String()
		}
	}
	return out
}

// Requests returns how often something was sent.
func (c *Collector) Requests() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.requests
}

// Spans returns all that were received.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Named returns the spans of a name.
func (c *Collector) Named(name string) []Span {
	return slices.DeleteFunc(c.Spans(), func(s Span) bool { return s.Name != name })
}

// Contains reports whether a text is anywhere in what was sent.
func (c *Collector) Contains(text string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Contains(c.raw.String(), text)
}
