package edge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/noun/account"
	"github.com/hostlerhq/hostler/test/contract"
)

// Client calls as a user; an empty Token is anonymous.
type Client struct {
	Token string
	// Cookie is a session's token; a client with one sends what the dashboard sends.
	Cookie string

	env  *Env
	http *http.Client
}

// As returns a client with a token.
func (e *Env) As(token string) *Client {
	match := func(req *http.Request) (string, bool) {
		if req.Header.Get("If-None-Match") != "" || dry(req) {
			return "", false // a 304 and a plan are no answers of the contract; Try and the tests look themselves
		}
		path, ok := strings.CutPrefix(req.URL.EscapedPath(), api.Root)
		if !ok {
			return "", false
		}
		id, _, ok := contract.Match(req.Method, path, e.options...)
		return id, ok
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 32}
	e.T.Cleanup(transport.CloseIdleConnections)
	return &Client{Token: token, env: e, http: &http.Client{
		Transport:     contract.Checker(e.T, match, e.options...)(transport),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Of returns a client with a fresh token of a user that may do all that the user may.
func (e *Env) Of(user query.User) *Client {
	e.T.Helper()
	token, _ := e.Token(user, Everything(), nil)
	return e.As(token)
}

// TrustProxies makes the App trust X-Forwarded-For from this machine.
func (e *Env) TrustProxies() {
	e.App.Config.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	h := e.App.Handler()
	e.handler.Store(&h)
}

// Session returns a client that is signed in as a user.
func (e *Env) Session(user query.User) *Client {
	e.T.Helper()
	c := e.As("")
	e.Tx(func(ctx context.Context, tx *db.Tx) error {
		token, _, err := account.StartSession(ctx, tx, user.ID, "192.0.2.1", "test")
		c.Cookie = token.Reveal()
		return err
	})
	return c
}

// Answer is a response with its body read.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// Doc is the body as JSON, nil where it is none.
	Doc map[string]any
}

func dry(req *http.Request) bool { return req.URL.Query().Get("dry_run") == "true" }

// checkPlan checks the answer to a dry run against its description: a document of meta alone.
func checkPlan(t testing.TB, a Answer) {
	t.Helper()
	if a.Status != http.StatusOK {
		for _, wrong := range contract.CheckErrorBody(a.Status, a.Body) {
			t.Errorf("a dry run answered %d: %s", a.Status, wrong)
		}
		return
	}
	var doc struct {
		Meta *struct {
			DryRun *bool       `json:"dry_run"`
			Plan   *api.DryRun `json:"plan"`
		} `json:"meta"`
	}
	d := json.NewDecoder(bytes.NewReader(a.Body))
	d.DisallowUnknownFields()
	if err := d.Decode(&doc); err != nil || doc.Meta == nil || doc.Meta.DryRun == nil || doc.Meta.Plan == nil || a.Header.Get("Content-Type") != api.ContentType {
		t.Errorf("a dry run answered %q %s: %v", a.Header.Get("Content-Type"), a.Body, err)
	}
}

// Option changes a request.
type Option func(*http.Request)

// Header sets a header; an empty value takes it away.
func Header(name, value string) Option {
	return func(req *http.Request) {
		if value == "" {
			req.Header.Del(name)
			return
		}
		req.Header.Set(name, value)
	}
}

// Call sends a request for a path below /api. body is nil, a string (sent as it is) or what becomes JSON.
func (c *Client) Call(method, path string, body any, options ...Option) Answer {
	c.env.T.Helper()
	answer, err := c.Try(method, path, body, options...)
	if err != nil {
		c.env.T.Fatalf("%s %s: %v", method, path, err)
	}
	return answer
}

// Try is Call for goroutines other than the test's own.
func (c *Client) Try(method, path string, body any, options ...Option) (Answer, error) {
	req, err := c.request(context.Background(), method, path, body, options...)
	if err != nil {
		return Answer{}, err
	}
	var sent []byte
	if req.GetBody != nil {
		again, err := req.GetBody()
		if err != nil {
			return Answer{}, err
		}
		if sent, err = io.ReadAll(again); err != nil {
			return Answer{}, err
		}
	}
	res, err := c.http.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = res.Body.Close() }()
	a := Answer{Status: res.StatusCode, Header: res.Header}
	if a.Body, err = io.ReadAll(res.Body); err != nil {
		return a, err
	}
	_ = json.Unmarshal(a.Body, &a.Doc)
	c.env.record(req, sent, a)
	if dry(req) {
		checkPlan(c.env.T, a)
	}
	if a.Status >= 500 {
		return a, fmt.Errorf("answered %d: %s\n%s", a.Status, a.Body, c.env.Log)
	}
	return a, nil
}

// Form is a body that is sent as a form. The field file is sent as a file.
type Form map[string]string

func (f Form) encode() (io.Reader, string) {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for name, content := range f {
		make := w.CreateFormField
		if name == "file" {
			make = func(name string) (io.Writer, error) { return w.CreateFormFile(name, "file.csv") }
		}
		part := must(make(name))
		_, _ = io.WriteString(part, content)
	}
	_ = w.Close() // memory does not fail
	return &out, w.FormDataContentType()
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (c *Client) request(ctx context.Context, method, path string, body any, options ...Option) (*http.Request, error) {
	var reader io.Reader
	media := "application/json"
	switch b := body.(type) {
	case Form:
		reader, media = b.encode()
	case nil:
	case string:
		reader = strings.NewReader(b)
	case []byte:
		reader = bytes.NewReader(b)
	default:
		raw, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		reader = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.env.URL+api.Root+path, reader)
	if err != nil {
		return nil, err
	}
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	if c.Cookie != "" {
		req.AddCookie(&http.Cookie{Name: "hostler", Value: c.Cookie})
	}
	if c.Token == "" {
		req.Header.Set(api.CSRFHeader, "1")
		req.Header.Set("Sec-Fetch-Site", "same-origin")
		req.Header.Set("Origin", c.env.URL)
	}
	if reader != nil {
		req.Header.Set("Content-Type", media)
	}
	for _, o := range options {
		o(req)
	}
	return req, nil
}

// Get, Post, Put and Delete are Call.
func (c *Client) Get(path string, options ...Option) Answer {
	c.env.T.Helper()
	return c.Call(http.MethodGet, path, nil, options...)
}

// Post sends a body.
func (c *Client) Post(path string, body any, options ...Option) Answer {
	c.env.T.Helper()
	return c.Call(http.MethodPost, path, body, options...)
}

// Put sends a body.
func (c *Client) Put(path string, body any, options ...Option) Answer {
	c.env.T.Helper()
	return c.Call(http.MethodPut, path, body, options...)
}

// Delete sends no body.
func (c *Client) Delete(path string, options ...Option) Answer {
	c.env.T.Helper()
	return c.Call(http.MethodDelete, path, nil, options...)
}

// Want fails the test unless the status is this one.
func (a Answer) Want(t testing.TB, status int) Answer {
	t.Helper()
	if a.Status != status {
		t.Fatalf("answered %d, want %d: %s", a.Status, status, a.Body)
	}
	return a
}

// At returns the value at a path of keys and indexes, nil where there is none.
func (a Answer) At(keys ...any) any {
	var v any = a.Doc
	for _, key := range keys {
		switch k := key.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[k]
		case int:
			list, _ := v.([]any)
			if k >= len(list) {
				return nil
			}
			v = list[k]
		}
	}
	return v
}

// Text returns At as text.
func (a Answer) Text(keys ...any) string { return fmt.Sprint(a.At(keys...)) }

// ID returns the id of the document's resource.
func (a Answer) ID() string { return a.Text("data", "id") }

// Fields returns the names of the fields that a 422 speaks of, sorted.
func (a Answer) Fields() []string {
	errs, _ := a.At("errors").(map[string]any)
	return slices.Sorted(maps.Keys(errs))
}

// IDs returns the ids of a page, in its order.
func (a Answer) IDs() []string {
	list, _ := a.At("data").([]any)
	out := make([]string, len(list))
	for i := range list {
		out[i] = a.Text("data", i, "id")
	}
	return out
}

// Stream opens a stream of server-sent events; cancel leaves it.
func (c *Client) Stream(path string, options ...Option) (res *http.Response, cancel func()) {
	c.env.T.Helper()
	ctx, stop := context.WithCancel(context.Background())
	req, err := c.request(ctx, http.MethodGet, path, nil, options...)
	if err != nil {
		c.env.T.Fatal(err)
	}
	if res, err = c.http.Do(req); err != nil {
		c.env.T.Fatalf("GET %s: %v", path, err)
	}
	return res, func() {
		stop()
		_ = res.Body.Close()
	}
}
