package contract

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

// Checker returns a wrapper for transports that checks every response it passes on and reports problems to t. match returns the
// operation of a request, by Match or otherwise; an unknown request passes unchecked. A request with dry_run=true may be answered
// by a plan. Streams are passed on as they come.
func Checker(t testing.TB, match func(*http.Request) (opID string, ok bool), opts ...Option) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		if next == nil {
			next = http.DefaultTransport
		}
		return checker{t, match, opts, next}
	}
}

type checker struct {
	t     testing.TB
	match func(*http.Request) (string, bool)
	opts  []Option
	next  http.RoundTripper
}

func (c checker) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := c.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	opID, ok := c.match(req)
	if !ok || strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		return res, nil
	}
	if req.Method == http.MethodHead {
		if op, found := Find(opID, c.opts...); found && res.StatusCode < 400 && res.StatusCode != op.SuccessCode {
			c.t.Errorf("contract: HEAD %s (%s): status is %d, want %d", req.URL.Path, opID, res.StatusCode, op.SuccessCode)
		}
		return res, nil
	}
	body, err := io.ReadAll(res.Body)
	if closeErr := res.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	var wrong []string
	if res.StatusCode == http.StatusOK && req.Method != http.MethodGet && req.URL.Query().Get("dry_run") == "true" {
		wrong = CheckPlan(res.StatusCode, res.Header, body)
	} else {
		wrong = CheckResponse(opID, res.StatusCode, res.Header, body, c.opts...)
	}
	for _, line := range wrong {
		c.t.Errorf("contract: %s %s (%s) answered %d: %s", req.Method, req.URL.Path, opID, res.StatusCode, line)
	}
	return res, nil
}
