// Package client calls Hostler's API: documents in, documents out, errors with their fields.
package client

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

// A Client calls one installation with one token. It is safe for concurrent use.
type Client struct {
	base   string
	token  func(ctx context.Context) (string, error)
	agent  string
	http   *http.Client
	stream *http.Client
}

// New makes a client for the base URL of an installation ("https://panel.example.com"), or of its API, which scripts call with curl.
func New(base, token string) (*Client, error) {
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("the token contains invalid characters")
	}
	return NewFrom(base, func(context.Context) (string, error) { return token, nil })
}

// NewFrom is New with a token that can change: token is called before every request.
func NewFrom(base string, token func(ctx context.Context) (string, error)) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("the URL %q must look like https://panel.example.com", base)
	}
	// The API never redirects: a server that does is not the API, and must not see the token.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{
		base: strings.TrimSuffix(strings.TrimRight(u.String(), "/"), "/api") + "/api", token: token, agent: "hostler-cli",
		http: &http.Client{Timeout: time.Minute, CheckRedirect: stay}, stream: &http.Client{CheckRedirect: stay},
	}, nil
}

// By returns a client that calls itself agent, over a transport that is not the default one unless it is nil.
func (c *Client) By(agent string, transport http.RoundTripper) *Client {
	calls, stream := *c.http, *c.stream
	calls.Transport, stream.Transport = transport, transport
	return &Client{base: c.base, token: c.token, agent: agent, http: &calls, stream: &stream}
}

// Error is an answer with an error status.
type Error struct {
	Status  int                 `json:"-"`
	Message string              `json:"message"`
	Fields  map[string][]string `json:"errors"`
	// Codes are what Fields say, in the same order, for programs.
	Codes map[string][]Problem `json:"codes"`
}

// Code is what is wrong with a field, for programs.
type Code string

// Problem is what is wrong with a field. Codes are in the API's description, as ValidationError.
type Problem struct {
	Code   Code           `json:"code"`
	Params map[string]any `json:"params"`
	// Field and Says are the message, taken apart where it begins with the name of a field.
	Field string `json:"field"`
	Says  string `json:"says"`
}

func (e *Error) Error() string {
	if len(e.Fields) == 0 {
		return e.Message
	}
	var names []string
	for name := range e.Fields {
		names = append(names, name)
	}
	slices.Sort(names)
	lines := []string{}
	for _, name := range names {
		for _, message := range e.Fields[name] {
			lines = append(lines, name+": "+message)
		}
	}
	return strings.Join(lines, "\n")
}

// IsStatus reports whether an error is an answer with this status.
func IsStatus(err error, status int) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == status
}

// Answer is a successful answer.
type Answer struct {
	Status int
	// Event is the id of the event of the accepted work, "" if there is none.
	Event  string
	Header http.Header
	Body   []byte
}

// Path returns the path below /api of what the answer is about, "" where it names nothing.
func (a Answer) Path() string { return below(a.Header.Get("Location")) }

// attempts is the number of attempts of a repeatable request, with pauses that double.
const (
	attempts   = 4
	firstPause = 200 * time.Millisecond
)

// Call makes a request below /api. A POST carries its own Idempotency-Key; reads and POSTs are repeated if the connection broke
// or the installation was briefly unavailable, and take effect only once.
func (c *Client) Call(ctx context.Context, method, path string, body any) (Answer, error) {
	var raw []byte
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return Answer{}, fmt.Errorf("write request: %w", err)
		}
	}
	key := make([]byte, 16)
	_, _ = rand.Read(key) // never fails since Go 1.24
	tries, pause := 1, firstPause
	if method == http.MethodPost || method == http.MethodGet {
		tries = attempts
	}
	for try := 1; ; try++ {
		req, err := c.request(ctx, method, path, bytes.NewReader(raw))
		if err != nil {
			return Answer{}, err
		}
		if body != nil {
			req.Header.Set("Content-Type", "application/json")
		}
		if method == http.MethodPost {
			req.Header.Set("Idempotency-Key", hex.EncodeToString(key))
		}
		answer, err := read(c.http.Do(req))
		if err == nil || try == tries || !IsPassing(err) {
			return answer, c.named(err)
		}
		select {
		case <-ctx.Done():
			return answer, c.named(err)
		case <-time.After(pause):
			pause *= 2
		}
	}
}

// SendFile sends a file as the field of a form with other fields.
func (c *Client) SendFile(ctx context.Context, method, path, field, name string, content []byte, others map[string]string) (Answer, error) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for other, value := range others {
		_ = w.WriteField(other, value) // into memory
	}
	part, err := w.CreateFormFile(field, name)
	if err == nil {
		_, err = part.Write(content)
	}
	if err := errors.Join(err, w.Close()); err != nil {
		return Answer{}, fmt.Errorf("write request: %w", err)
	}
	req, err := c.request(ctx, method, path, &form)
	if err != nil {
		return Answer{}, err
	}
	req.Header.Set("Content-Type", w.FormDataContentType())
	answer, err := read(c.http.Do(req))
	return answer, c.named(err)
}

// Upload sends a file, which is read as it is sent, as the body of a request. The size is that of a file, a buffer or the like, and is not known otherwise. out
// is where an answer is decoded to, unless it is nil.
func (c *Client) Upload(ctx context.Context, method, path string, content io.Reader, out any) (Answer, error) {
	req, err := c.request(ctx, method, path, content)
	if err != nil {
		return Answer{}, err
	}
	if f, is := content.(*os.File); is {
		st, err := f.Stat()
		if err != nil {
			return Answer{}, fmt.Errorf("read the size of %s: %w", f.Name(), err)
		}
		if st.Mode().IsRegular() {
			req.ContentLength = st.Size()
			if st.Size() == 0 { // otherwise it would be unknown
				req.Body = http.NoBody
			}
		}
	}
	req.Header.Set("Content-Type", "application/octet-stream")
	answer, err := read(c.stream.Do(req))
	if err == nil && out != nil {
		err = json.Unmarshal(answer.Body, out)
	}
	return answer, c.named(err)
}

// named adds the destination to a transport error.
func (c *Client) named(err error) error {
	var e *Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // it repeats the method and address
	}
	return fmt.Errorf("call %s: %w", strings.TrimSuffix(c.base, "/api"), err)
}

// IsPassing reports whether another attempt may succeed: the connection broke, or a proxy reports that its upstream is unavailable.
func IsPassing(err error) bool {
	var e *Error
	if !errors.As(err, &e) {
		return !errors.Is(err, context.Canceled)
	}
	return e.Status == http.StatusBadGateway || e.Status == http.StatusServiceUnavailable || e.Status == http.StatusGatewayTimeout ||
		e.Status == http.StatusTooManyRequests
}

func (c *Client) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", c.base, err)
	}
	token, err := c.token(ctx)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.agent)
	if hash, _ := ctx.Value(planKey{}).(string); hash != "" {
		req.Header.Set("X-Hostler-Plan", hash)
	}
	return req, nil
}

type planKey struct{}

// WithPlan returns a context whose requests are done only if their plan is still the one with this hash, as a dry run answers it; else they fail with status
// 409.
func WithPlan(ctx context.Context, hash string) context.Context {
	return context.WithValue(ctx, planKey{}, hash)
}

const maxAnswer = 64 << 20

func read(resp *http.Response, err error) (Answer, error) {
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return Answer{}, fmt.Errorf("read answer: %w", err)
	}
	if resp.StatusCode >= 300 {
		e := &Error{}
		if json.Unmarshal(raw, e) != nil || e.Message == "" {
			e.Message = "the server answered " + resp.Status
			if to := resp.Header.Get("Location"); to != "" {
				e.Message += ", pointing to " + to
			}
		}
		e.Status = resp.StatusCode
		return Answer{}, e
	}
	return Answer{Status: resp.StatusCode, Event: resp.Header.Get("X-Hostler-Event"), Header: resp.Header, Body: raw}, nil
}

// Open returns an answer that may exceed memory and is not a document. The caller closes it.
func (c *Client) Open(ctx context.Context, path string) (io.ReadCloser, error) {
	req, err := c.request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	res, err := c.stream.Do(req)
	if err == nil && res.StatusCode < http.StatusMultipleChoices {
		return res.Body, nil
	}
	_, err = read(res, err)
	return nil, c.named(err)
}

// Post sends a body to a path of the installation beside the API, such as /mcp. The caller closes the answer's body, which may be a stream.
func (c *Client) Post(ctx context.Context, path string, header http.Header, body []byte) (*http.Response, error) {
	req, err := c.request(ctx, http.MethodPost, "", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if req.URL, err = url.Parse(strings.TrimSuffix(c.base, "/api") + path); err != nil {
		return nil, fmt.Errorf("call %s: %w", path, err)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	res, err := c.stream.Do(req)
	if err == nil && res.StatusCode < http.StatusMultipleChoices {
		return res, nil
	}
	_, err = read(res, err)
	return nil, c.named(err)
}

// Do makes a request and decodes the answer into out, unless out is nil.
func (c *Client) Do(ctx context.Context, method, path string, body, out any) error {
	answer, err := c.Call(ctx, method, path, body)
	if err != nil || out == nil || len(answer.Body) == 0 {
		return err
	}
	if err := json.Unmarshal(answer.Body, out); err != nil {
		return fmt.Errorf("read the answer of %s: %w", c.base, err)
	}
	return nil
}

// One makes a request and returns the resource in the answer.
func (c *Client) One(ctx context.Context, method, path string, body any) (Resource, error) {
	var doc struct {
		Data Resource `json:"data"`
	}
	err := c.Do(ctx, method, path, body, &doc)
	return doc.Data, err
}

// Send makes a request and returns the resource in the answer, zero if there is none, and the event of the accepted work.
func (c *Client) Send(ctx context.Context, method, path string, body any) (Resource, Answer, error) {
	var doc struct {
		Data Resource `json:"data"`
	}
	answer, err := c.Call(ctx, method, path, body)
	if err == nil && len(answer.Body) > 0 {
		if err = json.Unmarshal(answer.Body, &doc); err != nil {
			err = fmt.Errorf("read the answer of %s: %w", c.base, err)
		}
	}
	return doc.Data, answer, err
}

// All reads every page of a list.
func (c *Client) All(ctx context.Context, path string) ([]Resource, error) {
	var out []Resource
	err := c.Each(ctx, path, func(r Resource) bool {
		out = append(out, r)
		return true
	})
	return out, err
}

// Each calls f for the resources of a list, page by page, until it returns false.
func (c *Client) Each(ctx context.Context, path string, f func(Resource) bool) error {
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	cursor := ""
	for {
		var page struct {
			Data []Resource `json:"data"`
			Meta struct {
				NextCursor *string `json:"next_cursor"`
			} `json:"meta"`
		}
		if err := c.Do(ctx, http.MethodGet, path+sep+"page[size]=200&page[cursor]="+url.QueryEscape(cursor), nil, &page); err != nil {
			return err
		}
		for _, r := range page.Data {
			if !f(r) {
				return nil
			}
		}
		if page.Meta.NextCursor == nil {
			return nil
		}
		cursor = *page.Meta.NextCursor
	}
}
