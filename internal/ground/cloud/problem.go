package cloud

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// Kind is what kind of failure a problem is.
type Kind int

// The kinds of problems.
const (
	// Unavailable is a provider that can't be reached, or does not answer as it should.
	Unavailable Kind = iota
	// Refused is an account that the provider does not accept.
	Refused
	// Forbidden is an account that is not allowed to do this.
	Forbidden
	// Limited is too many calls.
	Limited
	// Missing is what the provider does not have.
	Missing
	// Invalid is a request that the provider refuses.
	Invalid
)

// A Problem is a failure at a provider, with a reason for the user.
type Problem struct {
	Kind   Kind
	Reason string
	// After is how long the provider asked us to wait.
	After time.Duration
}

func (p *Problem) Error() string { return p.Reason }

// Limits of answers.
const (
	maxAnswer  = 8 << 20
	maxAnswers = 4 * maxAnswer // of all pages
	maxRefusal = 64 << 10
	maxCalls   = 2*maxPages + 10
	maxWait    = time.Hour
)

// transport makes the calls of one account, and keeps what went wrong with the last one: the clients of providers each say it in their own way, and some
// lose it.
type transport struct {
	next    http.RoundTripper
	name    string
	account Account

	mu   sync.Mutex
	last *Problem
	// The question that is being asked took so many calls and bytes of answers so far: some clients read pages for as long as there is a next one.
	calls int
	read  int64
}

// begin starts a question, which may take several calls.
func (t *transport) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls, t.read = 0, 0
}

// errTooMuch is returned for answers that are together longer than those of any account.
var errTooMuch = errors.New("the answers are too long")

// call counts a call.
func (t *transport) call() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.calls++; t.calls > maxCalls {
		t.last = nil
		return fmt.Errorf("more than %d calls", maxCalls)
	}
	return nil
}

// take counts what was read.
func (t *transport) take(n int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.read += int64(n); t.read > maxAnswers {
		return errTooMuch
	}
	return nil
}

// RoundTrip makes one call.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.call(); err != nil {
		return nil, err
	}
	if t.account.Provider != AWS { // whose requests are signed
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+t.account.Secret.Reveal())
	}
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		t.keep(&Problem{Reason: t.name + " could not be asked. " + outbound.Explain(err)})
		return nil, fmt.Errorf("call %s: %w", t.name, err)
	}
	if resp.StatusCode/100 == 2 {
		t.keep(nil)
		resp.Body = limited{io.LimitReader(resp.Body, maxAnswer), resp.Body, t}
		return resp, nil
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	_ = resp.Body.Close()
	if err != nil {
		raw = nil // the status says enough
	}
	t.keep(t.problem(resp, raw))
	resp.Body = io.NopCloser(bytes.NewReader(raw))
	return resp, nil
}

type limited struct {
	io.Reader
	io.Closer
	t *transport
}

func (l limited) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if much := l.t.take(n); much != nil {
		return n, much
	}
	return n, err
}

func (t *transport) keep(p *Problem) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = p
}

// explain returns the problem that a client's error stands for.
func (t *transport) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	own := (*Problem)(nil)
	switch {
	case errors.As(err, &own):
		return own
	case t.last != nil:
		return t.last
	case ctx.Err() != nil:
		return &Problem{Reason: t.name + " did not answer in time."}
	default:
		return &Problem{Reason: t.name + " answered what can't be read."}
	}
}

// What providers say in codes that the status does not: that a size is sold out, and that other work on a server has to end first.
var (
	scarce = []string{"InsufficientInstanceCapacity", "resource_unavailable", "placement_error"}
	busy   = []string{"locked", "conflict"}
)

// problem explains an answer.
func (t *transport) problem(resp *http.Response, body []byte) *Problem {
	code, message := said(body, t.account.Key.Reveal(), t.account.Secret.Reveal())
	if message != "" {
		message = " " + message
	}
	p := &Problem{After: wait(resp.Header)}
	status := resp.StatusCode
	switch {
	case slices.Contains(scarce, code):
		p.Kind, p.Reason = Invalid, t.name+" has none of this now."+message
	case slices.Contains(busy, code):
		p.Reason = t.name + " is busy with this." + message
	case status == http.StatusTooManyRequests, code == "RequestLimitExceeded", code == "rate_limit_exceeded", status == http.StatusForbidden && p.After > 0:
		p.Kind, p.Reason = Limited, t.name+" allows no more calls for now."
	case status == http.StatusUnauthorized, code == "AuthFailure":
		p.Kind, p.Reason = Refused, t.name+" does not accept this credential."+message
	case status == http.StatusForbidden:
		p.Kind, p.Reason = Forbidden, t.name+" does not allow this with this credential."+message
	case status == http.StatusNotFound, strings.HasPrefix(code, "InvalidInstanceID"):
		p.Kind, p.Reason = Missing, t.name+" does not have this."+message
	case status/100 == 4 && status != http.StatusRequestTimeout:
		p.Kind, p.Reason = Invalid, t.name+" refused it."+message
	default:
		p.Reason = fmt.Sprintf("%s can't answer now (%d).", t.name, status)
	}
	return p
}

// said returns the code and the message of a refusal, in one short line and without secrets, however the provider puts it.
func said(body []byte, secrets ...string) (code, message string) {
	var m struct {
		Message string          `json:"message"`
		Error   json.RawMessage `json:"error"`
		Errors  []struct {
			Reason string `json:"reason"`
			Field  string `json:"field"`
		} `json:"errors"`
	}
	if json.Unmarshal(body, &m) == nil {
		message = m.Message
		var inner struct{ Code, Message string }
		if json.Unmarshal(m.Error, &inner) == nil {
			code, message = inner.Code, inner.Message
		} else if plain := ""; json.Unmarshal(m.Error, &plain) == nil {
			message = plain
		}
		for _, e := range m.Errors {
			message = strings.TrimSpace(message + " " + e.Field + " " + e.Reason)
		}
	} else {
		var x struct {
			Code    string `xml:"Errors>Error>Code"`
			Message string `xml:"Errors>Error>Message"`
		}
		if xml.Unmarshal(body, &x) == nil {
			code, message = x.Code, x.Message
		}
	}
	for _, hidden := range secrets {
		if hidden != "" { // before the message is cut: a part of a secret is one as well
			message = strings.ReplaceAll(message, hidden, "[redacted]")
		}
	}
	return code, line(message)
}

// most is how long the texts of providers are: names and messages.
const most = 200

// line makes a text of a provider one short line.
func line(s string) string { return text.Line(text.Clean(s, most)) }

// wait returns how long an answer asks us to wait: in seconds, or until a time.
func wait(h http.Header) time.Duration {
	if n, err := strconv.Atoi(h.Get("Retry-After")); err == nil && n > 0 {
		return min(time.Duration(min(n, int(maxWait/time.Second)))*time.Second, maxWait)
	}
	if h.Get("Ratelimit-Remaining") == "0" {
		if at, err := strconv.ParseInt(h.Get("Ratelimit-Reset"), 10, 64); err == nil {
			return max(0, min(time.Until(time.Unix(at, 0)), maxWait))
		}
	}
	return 0
}
