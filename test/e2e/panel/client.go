package panel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Operation is the block meta.operation.
type Operation struct {
	ID, State, Action string
	Step, Reason      string
	Attempt           int
	Deadline          time.Time
	EventID           string `json:"event_id"`
}

// Meta is beside a resource or a document.
type Meta struct {
	Operation *Operation
	// Provisioning is how far a server is.
	Provisioning string
	Bootstrap    *struct{ Command string }
	ShownOnce    struct{ Password string } `json:"shown_once"`
	DryRun       bool                      `json:"dry_run"`
	Plan         struct {
		Servers []struct {
			ServerID string `json:"server_id"`
			Files    []struct{ Path, Diff string }
			Packages []string
			Actions  []string
		}
	}
}

// Resource is one resource of an answer.
type Resource struct {
	ID         string
	Type       string
	Attributes map[string]any
	Meta       Meta
}

// Text returns an attribute that is text; "" where it is null.
func (r Resource) Text(name string) string {
	s, _ := r.Attributes[name].(string)
	return s
}

// Operation returns the work behind a resource, zero where there is none.
func (r Resource) Operation() Operation {
	if r.Meta.Operation == nil {
		return Operation{}
	}
	return *r.Meta.Operation
}

// Answer is a response of the API.
type Answer struct {
	Code   int
	Header http.Header
	Body   string
	Data   Resource
	List   []Resource
	Meta   Meta
}

// With returns a client of the same installation with another user's token. Only requests are made with it.
func (p *Panel) With(token string) *Panel { return &Panel{URL: p.URL, Token: token, client: p.client} }

// Elsewhere returns a client of an installation that this process does not run. Only requests are made with it.
func Elsewhere(url, token string, client *http.Client) *Panel {
	return &Panel{URL: url, Token: token, client: client}
}

// Do asks the API. The path is what follows the organization, "/servers/1", or begins with /api/.
func (p *Panel) Do(method, path string, body any) (Answer, error) {
	return p.DoOnce(method, path, "", body)
}

// DoOnce returns Do with an Idempotency-Key, "" for none: asked again with the same one, it is done once.
func (p *Panel) DoOnce(method, path, key string, body any) (Answer, error) {
	var in io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return Answer{}, fmt.Errorf("write a request: %w", err)
		}
		in = bytes.NewReader(raw)
	}
	if !strings.HasPrefix(path, "/api/") {
		path = "/api/orgs/" + Org + path
	}
	req, err := http.NewRequest(method, p.URL+path, in)
	if err != nil {
		return Answer{}, fmt.Errorf("make a request: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+p.Token)
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	return p.answer(req)
}

// Upload sends a file as the body of a PUT.
func (p *Panel) Upload(path string, content io.Reader, size int64) (Answer, error) {
	if size == 0 {
		content = http.NoBody
	}
	req, err := http.NewRequest(http.MethodPut, p.URL+"/api/orgs/"+Org+path, content)
	if err != nil {
		return Answer{}, fmt.Errorf("make a request: %w", err)
	}
	req.ContentLength = size
	req.Header.Set("Authorization", "Bearer "+p.Token)
	req.Header.Set("Content-Type", "application/octet-stream")
	return p.answer(req)
}

// answer sends a request.
func (p *Panel) answer(req *http.Request) (Answer, error) {
	method, path := req.Method, req.URL.Path
	resp, err := p.client.Do(req)
	if err != nil {
		return Answer{}, fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return Answer{}, fmt.Errorf("%s %s: %w", method, path, err)
	}
	a := Answer{Code: resp.StatusCode, Header: resp.Header, Body: string(raw)}
	var doc struct {
		Data json.RawMessage
		Meta Meta
	}
	if len(raw) > 0 && raw[0] == '{' {
		if err := json.Unmarshal(raw, &doc); err != nil {
			return a, fmt.Errorf("%s %s: %w: %s", method, path, err, raw)
		}
		a.Meta = doc.Meta
		if len(doc.Data) > 0 && doc.Data[0] == '[' {
			err = json.Unmarshal(doc.Data, &a.List)
		} else if len(doc.Data) > 0 && doc.Data[0] == '{' {
			err = json.Unmarshal(doc.Data, &a.Data)
		}
	}
	if err != nil {
		err = fmt.Errorf("%s %s: %w: %s", method, path, err, raw)
	}
	return a, err
}

// Want asks the API and ends the test unless the answer has this code.
func (p *Panel) Want(t testing.TB, code int, method, path string, body any) Answer {
	t.Helper()
	a, err := p.Do(method, path, body)
	if err != nil {
		t.Fatal(err)
	}
	if a.Code != code {
		t.Fatalf("%s %s: %d instead of %d: %s", method, path, a.Code, code, a.Body)
	}
	return a
}

// Get returns the resource at a path.
func (p *Panel) Get(t testing.TB, path string) Resource {
	t.Helper()
	return p.Want(t, http.StatusOK, http.MethodGet, path, nil).Data
}

// Until asks for a resource until it is as wanted, and returns it and how long that took. It ends the test when it is not in time.
func (p *Panel) Until(t testing.TB, within time.Duration, path, what string, ok func(Answer) bool) (Answer, time.Duration) {
	t.Helper()
	began := time.Now()
	var last Answer
	for {
		a, err := p.Do(http.MethodGet, path, nil)
		if err == nil {
			if last = a; ok(a) {
				return a, time.Since(began)
			}
		}
		if time.Since(began) > within {
			t.Fatalf("%s is not %s after %v: %v %d %s", path, what, within, err, last.Code, last.Body)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// Status waits until a resource has this status.
func (p *Panel) Status(t testing.TB, within time.Duration, path, status string) Resource {
	t.Helper()
	a, _ := p.Until(t, within, path, status, func(a Answer) bool { return a.Code == http.StatusOK && a.Data.Text("status") == status })
	return a.Data
}

// Settled waits until the work behind a resource has ended and returns the resource as it is then; a resource that is gone has no id.
func (p *Panel) Settled(t testing.TB, within time.Duration, path string) Resource {
	t.Helper()
	a, _ := p.Until(t, within, path, "settled", func(a Answer) bool {
		state := a.Data.Operation().State
		return a.Code == http.StatusNotFound || a.Code == http.StatusOK && state != "pending" && state != "running"
	})
	return a.Data
}

// Gone waits until a path is 404.
func (p *Panel) Gone(t testing.TB, within time.Duration, path string) {
	t.Helper()
	p.Until(t, within, path, "gone", func(a Answer) bool { return a.Code == http.StatusNotFound })
}

// Retry asks to try the work of an event again.
func (p *Panel) Retry(t testing.TB, server Server, op Operation) {
	t.Helper()
	p.Want(t, http.StatusAccepted, http.MethodPost, server.Path("/events/"+op.EventID+"/retry"), nil)
}

// Output returns the output of a server's event.
func (p *Panel) Output(t testing.TB, server Server, event string) string {
	t.Helper()
	return strings.TrimSpace(p.Get(t, server.Path("/events/"+event+"/output")).Text("output"))
}
