package tracing

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	sent "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector sends spans as protobuf over HTTP (OpenTelemetry Protocol, "OTLP/HTTP"). The SDK's own client brings gRPC, which HTTP does not need.
type collector struct {
	url    string
	header http.Header
	gzip   bool
	client *http.Client
}

const (
	sendWithin = 10 * time.Second // the default of OTEL_EXPORTER_OTLP_TIMEOUT
	mostAnswer = 64 << 10
	// tries is how often a batch is sent to a collector that says that it will take it later.
	tries      = 4
	firstPause = time.Second
	mostPause  = 30 * time.Second
)

// newCollector returns the client of an address. The variables of the protocol's exporters apply: OTEL_EXPORTER_OTLP_HEADERS, _TIMEOUT, _COMPRESSION and
// _CERTIFICATE, each also with TRACES_ before its last word, which comes first (OpenTelemetry, "Protocol Exporter").
func newCollector(to *url.URL) (*collector, error) {
	c := &collector{url: to.String(), header: http.Header{"Content-Type": {"application/x-protobuf"}}, client: &http.Client{Timeout: sendWithin}}
	for pair := range strings.SplitSeq(variable("HEADERS"), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, found := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !found || err != nil {
			return nil, errors.New("OTEL_EXPORTER_OTLP_HEADERS must look like name=value,other=value, with values as in URLs")
		}
		c.header.Set(strings.TrimSpace(name), value)
	}
	if text := variable("TIMEOUT"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n <= 0 {
			return nil, errors.New("OTEL_EXPORTER_OTLP_TIMEOUT must be a number of milliseconds")
		}
		c.client.Timeout = time.Duration(n) * time.Millisecond
	}
	switch text := variable("COMPRESSION"); text {
	case "", "none":
	case "gzip":
		c.gzip = true
		c.header.Set("Content-Encoding", "gzip")
	default:
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_COMPRESSION must be gzip or none, not %q", text)
	}
	if file := variable("CERTIFICATE"); file != "" {
		pem, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s, which OTEL_EXPORTER_OTLP_CERTIFICATE names, has no certificate", file)
		}
		transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // as net/http documents it
		transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
		c.client.Transport = transport
	}
	return c, nil
}

func variable(name string) string {
	if text := os.Getenv("OTEL_EXPORTER_OTLP_TRACES_" + name); text != "" {
		return text
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_" + name)
}

// Start does nothing: each batch is a request of its own.
func (c *collector) Start(context.Context) error { return nil }

// Stop closes what is open.
func (c *collector) Stop(context.Context) error {
	c.client.CloseIdleConnections()
	return nil
}

// UploadTraces sends a batch, and once more to a collector that is busy: 429, 502, 503 and 504 ask for that (OTLP/HTTP, "Retryable Response Codes"). The
// request is what the protocol calls ExportTraceServiceRequest, whose one field TracesData has under the same number.
func (c *collector) UploadTraces(ctx context.Context, spans []*sent.ResourceSpans) error {
	body, err := proto.Marshal(&sent.TracesData{ResourceSpans: spans})
	if err != nil {
		return fmt.Errorf("write traces: %w", err)
	}
	if c.gzip {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(body); err != nil {
			return fmt.Errorf("pack traces: %w", err)
		}
		if err := w.Close(); err != nil {
			return fmt.Errorf("pack traces: %w", err)
		}
		body = packed.Bytes()
	}
	pause := firstPause
	for n := 1; ; n++ {
		again, after, err := c.send(ctx, body)
		if err == nil || !again || n == tries {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(min(max(pause, after), mostPause)):
		}
		pause *= 2
	}
}

// send makes one request. again reports whether the collector asks for another one, after a time if it says so.
func (c *collector) send(ctx context.Context, body []byte) (again bool, after time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return false, 0, err
	}
	req.Header = c.header.Clone()
	res, err := c.client.Do(req)
	if err != nil {
		return false, 0, err
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, mostAnswer))
	if res.StatusCode/100 == 2 {
		return false, 0, nil
	}
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		again = true
		if seconds, err := strconv.Atoi(res.Header.Get("Retry-After")); err == nil && seconds > 0 {
			after = time.Duration(seconds) * time.Second
		}
	}
	return again, after, fmt.Errorf("the collector answers %s", res.Status)
}
