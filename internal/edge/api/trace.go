package api

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/tracing"
)

// untraced are health checks, which come every few seconds.
var untraced = []string{"/healthz", "/readyz", "/metrics"}

// Traced records a span of each request that a mux answers: its method, its route, the status and id of the answer. A route is a pattern, so that no part of a
// path or query chosen by the caller is recorded. A nil Provider records nothing.
func Traced(p *tracing.Provider, mux *http.ServeMux) http.Handler {
	if p == nil {
		return mux
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if slices.Contains(untraced, req.URL.Path) {
			mux.ServeHTTP(w, req)
			return
		}
		method := req.Method
		if !slices.Contains(methods, method) && method != http.MethodOptions {
			method = "_OTHER"
		}
		ctx, span := p.Request(req.Context(), req.Header, method)
		defer span.End()
		answer := &statusWriter{ResponseWriter: w, status: http.StatusInternalServerError} // of a handler that panics
		req = req.WithContext(ctx)
		defer func() {
			span.SetAttributes(tracing.Status.Int(answer.status))
			if answer.status >= http.StatusInternalServerError {
				tracing.Fail(span)
			}
		}()
		mux.ServeHTTP(answer, req)
		if !answer.written {
			answer.status = http.StatusOK
		}
		if _, route, ok := strings.Cut(" "+req.Pattern, "/"); ok && "/"+route != Root+"/" { // the API names its own
			span.SetName(method + " /" + route)
			span.SetAttributes(tracing.Route.String("/" + route))
		}
	})
}

// traceOperation names the span of a request to the API, whose operation is unknown for a path or method that there is not.
func traceOperation(ctx context.Context, op *Operation, id string) {
	span := tracing.Of(ctx)
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(tracing.RequestID.String(id))
	if op.ID == "" {
		span.SetAttributes(tracing.Route.String(Root + "/"))
		return
	}
	span.SetName(op.Method + " " + Root + op.Path)
	span.SetAttributes(tracing.Route.String(Root+op.Path), tracing.APIOperation.String(op.ID))
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status  int
	written bool
}

// WriteHeader writes the status. The last informational one is not that of the answer.
func (w *statusWriter) WriteHeader(status int) {
	if !w.written && status >= http.StatusOK {
		w.status, w.written = status, true
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(p []byte) (int, error) {
	if !w.written {
		w.status, w.written = http.StatusOK, true
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap returns the writer for http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
