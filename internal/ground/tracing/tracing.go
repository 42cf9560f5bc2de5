// Package tracing sends OpenTelemetry traces to a collector. Without an endpoint there is no Provider: contexts carry no span, and everything here does
// nothing.
//
// Attributes are ids, states and names of the program's own, such as a route or the kind of a job. Values of paths and queries, bodies, output and texts of
// errors never become attributes: any of them may contain a secret.
package tracing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// Keys of attributes. Those without the prefix are OpenTelemetry's semantic conventions.
const (
	Method    = attribute.Key("http.request.method")
	Route     = attribute.Key("http.route")
	Status    = attribute.Key("http.response.status_code")
	RequestID = attribute.Key("hostler.request.id")
	// APIOperation is an operation of the API's description, such as organizations.servers.firewall-rules.store.
	APIOperation = attribute.Key("hostler.api.operation")
	DryRun       = attribute.Key("hostler.dry_run")

	JobKind    = attribute.Key("hostler.job.kind")
	JobID      = attribute.Key("hostler.job.id")
	JobAttempt = attribute.Key("hostler.job.attempt")
	JobAgain   = attribute.Key("hostler.job.again")

	ServerID = attribute.Key("hostler.server.id")
	Aspect   = attribute.Key("hostler.aspect")
	Lane     = attribute.Key("hostler.lane")
	// OperationID is accepted work; OperationIDs is set where several operations are one plan.
	OperationID  = attribute.Key("hostler.operation.id")
	OperationIDs = attribute.Key("hostler.operation.ids")
	Action       = attribute.Key("hostler.operation.action")
	Resource     = attribute.Key("hostler.operation.resource")
	State        = attribute.Key("hostler.operation.state")

	RunID       = attribute.Key("hostler.run.id")
	RunStage    = attribute.Key("hostler.run.stage")
	RunState    = attribute.Key("hostler.run.state")
	RunAttached = attribute.Key("hostler.run.attached")
	SessionWarm = attribute.Key("hostler.session.warm")
)

const scope = "github.com/hostlerhq/hostler"

// Provider records spans and sends them in the background. A nil Provider records nothing.
type Provider struct {
	sdk    *sdktrace.TracerProvider
	tracer trace.Tracer
}

// ParseEndpoint returns the URL that traces are sent to, for the base URL of a collector as OTEL_EXPORTER_OTLP_ENDPOINT has it.
func ParseEndpoint(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("otlp-endpoint must look like http://127.0.0.1:4318")
	case u.User != nil:
		return nil, errors.New("otlp-endpoint must contain no credentials: set the variable OTEL_EXPORTER_OTLP_HEADERS")
	}
	return u.JoinPath("v1", "traces"), nil
}

// New returns the provider of an endpoint. The variables of OpenTelemetry's SDK that say how to send and what to sample apply.
func New(ctx context.Context, endpoint, version string, log *slog.Logger) (*Provider, error) {
	u, err := ParseEndpoint(endpoint)
	if err != nil {
		return nil, err
	}
	to, err := newCollector(u)
	if err != nil {
		return nil, err
	}
	exporter, err := otlptrace.New(ctx, to)
	if err != nil {
		return nil, fmt.Errorf("send traces to %s: %w", u, err)
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "hostler"), attribute.String("service.version", version)), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("describe the sender of traces: %w", err)
	}
	p := &Provider{sdk: sdktrace.NewTracerProvider(sdktrace.WithBatcher(&reporter{SpanExporter: exporter, log: log}), sdktrace.WithResource(about))}
	p.tracer = p.sdk.Tracer(scope)
	return p, nil
}

// Flush sends what was recorded so far.
func (p *Provider) Flush(ctx context.Context) error { return p.sdk.ForceFlush(ctx) }

// Shutdown sends what was recorded and ends the provider.
func (p *Provider) Shutdown(ctx context.Context) error {
	if p == nil {
		return nil
	}
	return p.sdk.Shutdown(ctx)
}

// reporter logs that a collector does not take traces, once until it takes them again. The SDK would print a line for each batch.
type reporter struct {
	sdktrace.SpanExporter
	log     *slog.Logger
	failing bool
}

// ExportSpans is not called concurrently, as its interface says.
func (r *reporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := r.SpanExporter.ExportSpans(ctx, spans)
	switch {
	case err != nil && !r.failing:
		r.log.WarnContext(ctx, "traces can't be sent, and are dropped", "error", err)
	case err == nil && r.failing:
		r.log.InfoContext(ctx, "traces are sent again")
	}
	r.failing = err != nil
	return nil
}

// Request starts the span of a request. The trace that the caller names in its headers (W3C Trace Context) becomes a link: whoever sends it decides neither
// what is recorded nor where it belongs.
func (p *Provider) Request(ctx context.Context, header http.Header, method string) (context.Context, trace.Span) {
	options := []trace.SpanStartOption{trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(Method.String(method))}
	return p.tracer.Start(ctx, method, append(options, linkTo(propagation.HeaderCarrier(header))...)...)
}

// Job starts the span of an attempt at a job, whose metadata Metadata returned. The first one continues the trace in which the job was inserted. Each later
// one is a trace of its own with a link to it: a job that waits for a server is attempted every few seconds.
func (p *Provider) Job(ctx context.Context, kind string, metadata []byte, first bool) (context.Context, trace.Span) {
	carrier := propagation.MapCarrier{}
	var m struct {
		Traceparent string `json:"traceparent"`
	}
	if json.Unmarshal(metadata, &m) == nil && m.Traceparent != "" {
		carrier[traceparent] = m.Traceparent
	}
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(JobKind.String(kind))}
	if first {
		ctx = propagation.TraceContext{}.Extract(ctx, carrier)
	} else {
		options = append(append(options, trace.WithNewRoot()), linkTo(carrier)...)
	}
	return p.tracer.Start(ctx, kind, options...)
}

// linkTo links to the span that a carrier names, if it names one. What a caller wrote beside it is left out.
func linkTo(carrier propagation.TextMapCarrier) []trace.SpanStartOption {
	there := trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), carrier))
	if !there.IsValid() {
		return nil
	}
	return []trace.SpanStartOption{trace.WithLinks(trace.Link{SpanContext: there.WithTraceState(trace.TraceState{})})}
}

const traceparent = "traceparent"

// Metadata returns the metadata of a job that is inserted now, nil where no trace is recorded.
func Metadata(ctx context.Context) []byte {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return nil
	}
	carrier := propagation.MapCarrier{}
	propagation.TraceContext{}.Inject(ctx, carrier)
	raw, _ := json.Marshal(map[string]string{traceparent: carrier[traceparent]}) // texts only
	return raw
}

// Start starts a span within the one of ctx. Where none is recorded, it does nothing.
func Start(ctx context.Context, name string, kind trace.SpanKind, attributes ...attribute.KeyValue) (context.Context, trace.Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, noop.Span{}
	}
	return parent.TracerProvider().Tracer(scope).Start(ctx, name, trace.WithSpanKind(kind), trace.WithAttributes(attributes...))
}

// Of returns the span of ctx; where none is recorded, one that does nothing.
func Of(ctx context.Context) trace.Span { return trace.SpanFromContext(ctx) }

// Fail marks a span as failed. The reason is in the log or the event, under an id that the span has.
func Fail(span trace.Span) { span.SetStatus(codes.Error, "") }

// End ends a span, as failed if there was an error.
func End(span trace.Span, err error) {
	if err != nil {
		Fail(span)
	}
	span.End()
}
