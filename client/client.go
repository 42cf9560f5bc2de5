// Package client speaks Hostler's API: documents in, documents out, errors with their fields.
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
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Client calls one installation with one token. It is safe for concurrent use.
type Client struct {
	base  string
	token string
	http  *http.Client
}

// New makes a client for the base URL of an installation ("https://panel.example.com").
func New(base, token string) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("the URL %q must look like https://panel.example.com", base)
	}
	return &Client{base: strings.TrimSuffix(u.String(), "/") + "/api", token: token, http: &http.Client{Timeout: time.Minute}}, nil
}

// Resource is a resource object.
type Resource struct {
	ID         string          `json:"id"`
	Type       string          `json:"type"`
	Attributes json.RawMessage `json:"attributes"`
	Meta       Meta            `json:"meta"`
}

// Meta is what Hostler adds to a resource.
type Meta struct {
	Operation *Operation `json:"operation"`
	Bootstrap *struct {
		Command string `json:"command"`
		Warning string `json:"warning"`
	} `json:"bootstrap"`
	Provisioning string `json:"provisioning"`
	OS           *struct {
		Name string `json:"name"`
	} `json:"os"`
}

// Operation is the newest work on a resource.
type Operation struct {
	ID       string    `json:"id"`
	State    string    `json:"state"`
	Action   string    `json:"action"`
	Step     string    `json:"step"`
	Reason   string    `json:"reason"`
	Attempt  int       `json:"attempt"`
	Deadline time.Time `json:"deadline"`
	EventID  string    `json:"event_id"`
}

// Ended tells whether nothing more will happen by itself.
func (o *Operation) Ended() bool {
	return o == nil || o.State == "succeeded" || o.State == "failed" || o.State == "cancelled"
}

// Attribute is one attribute as text, "" for null.
func (r Resource) Attribute(name string) string {
	var all map[string]any
	if json.Unmarshal(r.Attributes, &all) != nil || all[name] == nil {
		return ""
	}
	return fmt.Sprint(all[name])
}

// Error is an answer that says no.
type Error struct {
	Status  int
	Message string              `json:"message"`
	Fields  map[string][]string `json:"errors"`
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

// IsStatus tells whether an error is an answer with this status.
func IsStatus(err error, status int) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == status
}

// Do makes a request below /api and reads the answer into out, unless out is nil. A POST carries an Idempotency-Key of its own, and is
// repeated with it when the connection broke, so that it happens once.
func (c *Client) Do(ctx context.Context, method, path string, body, out any) error {
	raw := []byte(nil)
	if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return fmt.Errorf("write request: %w", err)
		}
	}
	key := make([]byte, 16)
	_, _ = rand.Read(key) // never fails since Go 1.24
	attempts := 1
	if method == http.MethodPost || method == http.MethodGet {
		attempts = 3
	}
	for attempt := 1; ; attempt++ {
		req, err := c.request(ctx, method, path, bytes.NewReader(raw))
		if err != nil {
			return err
		}
		if body != nil {
			req.Header.Set("Content-Type", "application/json")
		}
		if method == http.MethodPost {
			req.Header.Set("Idempotency-Key", hex.EncodeToString(key))
		}
		resp, err := c.http.Do(req)
		if err != nil {
			if attempt < attempts && ctx.Err() == nil {
				continue
			}
			return fmt.Errorf("call %s: %w", c.base, err)
		}
		return read(resp, out)
	}
}

func (c *Client) request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, body)
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", c.base, err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Accept", "application/json")
	return req, nil
}

func read(resp *http.Response, out any) error {
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	if err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	if resp.StatusCode >= 400 {
		e := &Error{Status: resp.StatusCode}
		if json.Unmarshal(raw, e) != nil || e.Message == "" {
			e.Message = "the server answered " + resp.Status
		}
		return e
	}
	if out == nil || len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	return nil
}

// One reads one resource, or writes and reads the answer.
func (c *Client) One(ctx context.Context, method, path string, body any) (Resource, error) {
	var doc struct {
		Data Resource `json:"data"`
	}
	err := c.Do(ctx, method, path, body, &doc)
	return doc.Data, err
}

// All reads every page of a list.
func (c *Client) All(ctx context.Context, path string) ([]Resource, error) {
	var out []Resource
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
			return nil, err
		}
		out = append(out, page.Data...)
		if page.Meta.NextCursor == nil {
			return out, nil
		}
		cursor = *page.Meta.NextCursor
	}
}

// Piece is a piece of output of an event.
type Piece struct {
	ID      string
	EventID string `json:"event_id"`
	Kind    string `json:"kind"`
	Step    string `json:"step"`
	Content string `json:"content"`
}

// Follow calls f for each piece of output of an organization's events as it comes, from the piece after last on, until ctx ends. It reconnects
// by itself and misses nothing.
func (c *Client) Follow(ctx context.Context, organization, last string, f func(Piece)) error {
	stream := &http.Client{}
	for ctx.Err() == nil {
		req, err := c.request(ctx, http.MethodGet, "/orgs/"+url.PathEscape(organization)+"/events/stream", nil)
		if err != nil {
			return err
		}
		req.Header.Set("Accept", "text/event-stream")
		if last != "" {
			req.Header.Set("Last-Event-ID", last)
		}
		resp, err := stream.Do(req)
		if err == nil && resp.StatusCode >= 400 {
			return read(resp, nil)
		}
		if err == nil {
			last = events(resp.Body, last, f)
			_ = resp.Body.Close()
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
	return nil
}
