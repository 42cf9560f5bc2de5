// Package hostler calls the API of a Hostler installation with typed documents. It needs nothing but the standard library.
//
//	c, err := hostler.New("https://panel.example.com", token)
//	for server, err := range c.Servers.List(ctx, "acme", nil) { … }
//	site, response, err := c.Sites.Create(ctx, "acme", "12", hostler.CreateSiteRequest{Type: hostler.CreateSiteTypePHP, Domain: "example.com"})
//	err = response.Wait(ctx, os.Stdout)
//
// The methods and types are generated from the API's description; what they have in common is written here.
package hostler

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/client"
)

// Client calls one installation with one token. Its members are the nouns of the API. It is safe for concurrent use.
type Client struct {
	Nouns
	raw *client.Client
}

// An Option changes a client.
type Option func(*options)

type options struct {
	agent     string
	transport http.RoundTripper
}

// WithUserAgent adds the name of a program and its version ("backup-report/1.2") to the User-Agent of every request.
func WithUserAgent(agent string) Option { return func(o *options) { o.agent = agent + " " + o.agent } }

// WithTransport makes requests over a transport, such as one that trusts a certificate of your own.
func WithTransport(t http.RoundTripper) Option { return func(o *options) { o.transport = t } }

// New makes a client for the base URL of an installation ("https://panel.example.com") and a token.
func New(base, token string, opts ...Option) (*Client, error) {
	raw, err := client.New(base, token)
	if err != nil {
		return nil, err
	}
	o := options{agent: "hostler-go"}
	for _, set := range opts {
		set(&o)
	}
	c := &Client{raw: raw.By(o.agent, o.transport)}
	c.Nouns = newNouns(c)
	return c, nil
}

// Raw returns the client for calls by method and path.
func (c *Client) Raw() *client.Client { return c.raw }

// ID is the id of a resource: digits for most.
type ID string

// Int returns a number, as attributes contain it, as an id.
func Int(n int64) ID { return ID(strconv.FormatInt(n, 10)) }

// Number returns an id as a number, as requests contain the ids of other resources; 0 for the few that are no numbers, which no request takes as one.
func (i ID) Number() int64 {
	n, err := strconv.ParseInt(string(i), 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// Errors, as answers contain them.
type (
	// Error is an answer with an error status.
	Error = client.Error
	// Problem is what is wrong with one field.
	Problem = client.Problem
	// Code is what is wrong with a field.
	Code = client.Code
	// Output is a piece of the output of an event.
	Output = client.Piece
	// Message is a message of a stream of lines.
	Message = client.Message
)

// IsStatus reports whether an error is an answer with this status, such as http.StatusNotFound.
func IsStatus(err error, status int) bool { return client.IsStatus(err, status) }

// Has reports whether an error says this of a field of the request.
func Has(err error, field string, code Code) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	for _, p := range e.Codes[field] {
		if p.Code == code {
			return true
		}
	}
	return false
}

// Nullable is a field of a request that can be left out (the zero value), be null, or have a value.
type Nullable[T any] struct {
	given bool
	value *T
}

// Set returns a value for a field that could be null.
func Set[T any](v T) Nullable[T] { return Nullable[T]{true, &v} }

// Null returns null, which clears a field or asks for its default.
func Null[T any]() Nullable[T] { return Nullable[T]{given: true} }

// IsZero reports whether the field is left out.
func (n Nullable[T]) IsZero() bool { return !n.given }

// Get returns the value, nil if there is none.
func (n Nullable[T]) Get() *T { return n.value }

// MarshalJSON writes the value or null.
func (n Nullable[T]) MarshalJSON() ([]byte, error) { return json.Marshal(n.value) }

// UnmarshalJSON reads the value or null.
func (n *Nullable[T]) UnmarshalJSON(raw []byte) error {
	n.given = true
	return json.Unmarshal(raw, &n.value)
}

// Ref names another resource.
type Ref struct {
	Type string `json:"type"`
	ID   ID     `json:"id"`
}

// ToOne is a relationship to one resource; nil is none.
type ToOne struct {
	Data *Ref `json:"data"`
}

// ToMany is a relationship to several resources.
type ToMany struct {
	Data []Ref `json:"data"`
}

// Response is what comes with a result.
type Response struct {
	Status int
	// Event is the id of the event of the work that was accepted, "" if there is none to wait for.
	Event ID
	// ETag says what the resource is now, Location is the path of what was created.
	ETag, Location string
	// Included are the related resources that were asked for, by their types.
	Included Included

	c            *Client
	organization string
	// server is the path of the server that the work is done on, "" if only the event knows it.
	server string
}

// Page is a page of a list.
type Page[T any] struct {
	Data     []*T
	Included Included
	// Next and Previous are the cursors of the pages beside it, "" for none.
	Next, Previous string
}

type request struct {
	method, path string
	values       []string
	query        url.Values
	body         any
	// file is the field of a form that is the file.
	file, name string
	content    []byte
	// raw is a file that is the whole body.
	raw io.Reader
}

// resolve puts the values into the path and adds the query.
func (r request) resolve() (string, error) {
	path := r.path
	for _, v := range r.values {
		before, rest, _ := strings.Cut(path, "{")
		name, after, _ := strings.Cut(rest, "}")
		if v == "" || v == "." || v == ".." {
			return "", fmt.Errorf("%q is not the %s of a resource", v, name)
		}
		path = before + url.PathEscape(v) + after
	}
	if len(r.query) > 0 {
		path += "?" + r.query.Encode()
	}
	return path, nil
}

// send makes a request and decodes its answer into out.
func send(ctx context.Context, c *Client, r request, out any) (*Response, error) {
	path, err := r.resolve()
	if err != nil {
		return nil, err
	}
	var a client.Answer
	if r.raw != nil {
		if a, err = c.raw.Upload(ctx, r.method, path, r.raw, nil); err != nil {
			return nil, err
		}
	} else if r.file != "" {
		others, err := fields(r.body)
		if err != nil {
			return nil, err
		}
		a, err = c.raw.SendFile(ctx, r.method, path, r.file, r.name, r.content, others)
		if err != nil {
			return nil, err
		}
	} else if a, err = c.raw.Call(ctx, r.method, path, r.body); err != nil {
		return nil, err
	}
	response := &Response{Status: a.Status, Event: ID(a.Event), ETag: a.Header.Get("ETag"), Location: a.Header.Get("Location"), c: c}
	if rest, ok := strings.CutPrefix(path, "/orgs/"); ok {
		response.organization, rest, _ = strings.Cut(rest, "/")
		if rest, ok = strings.CutPrefix(rest, "servers/"); ok && strings.HasPrefix(r.path, "/orgs/{organization}/servers/{server}") {
			server, _, _ := strings.Cut(strings.SplitN(rest, "?", 2)[0], "/")
			response.server = "/orgs/" + response.organization + "/servers/" + server
		}
	}
	if out != nil && len(a.Body) > 0 {
		if err := json.Unmarshal(a.Body, out); err != nil {
			return response, fmt.Errorf("read the answer of %s %s: %w", r.method, path, err)
		}
	}
	return response, nil
}

// fields returns a body as the fields of a form.
func fields(body any) (map[string]string, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("write request: %w", err)
	}
	var all map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("write request: %w", err)
	}
	out := map[string]string{}
	for name, v := range all {
		out[name] = fmt.Sprint(v)
	}
	return out, nil
}

func one[T any](ctx context.Context, c *Client, r request) (*T, *Response, error) {
	var document struct {
		Data     *T       `json:"data"`
		Included Included `json:"included"`
	}
	response, err := send(ctx, c, r, &document)
	if err != nil {
		return nil, response, err
	}
	response.Included = document.Included
	return document.Data, response, nil
}

// plain returns an answer that is no document of resources.
func plain(ctx context.Context, c *Client, r request) (json.RawMessage, *Response, error) {
	var answer json.RawMessage
	response, err := send(ctx, c, r, &answer)
	return answer, response, err
}

func several[T any](ctx context.Context, c *Client, r request) ([]*T, *Response, error) {
	var document struct {
		Data     []*T     `json:"data"`
		Included Included `json:"included"`
	}
	response, err := send(ctx, c, r, &document)
	if err != nil {
		return nil, response, err
	}
	response.Included = document.Included
	return document.Data, response, nil
}

// planned asks what a call would do.
func planned(ctx context.Context, c *Client, r request) (*DryRun, error) {
	if r.query == nil {
		r.query = url.Values{}
	}
	r.query.Set("dry_run", "true")
	var document struct {
		Meta struct {
			Plan *DryRun `json:"plan"`
		} `json:"meta"`
	}
	_, err := send(ctx, c, r, &document)
	return document.Meta.Plan, err
}

// largestPage is how much is asked for at once unless the options say it.
const largestPage = "200"

func pages[T any](ctx context.Context, c *Client, r request) iter.Seq2[*Page[T], error] {
	return func(yield func(*Page[T], error) bool) {
		query := url.Values{}
		for name, v := range r.query {
			query[name] = v
		}
		if query.Get("page[size]") == "" {
			query.Set("page[size]", largestPage)
		}
		r := r
		r.query = query
		for {
			var document struct {
				Data     []*T     `json:"data"`
				Included Included `json:"included"`
				Meta     struct {
					Next     *string `json:"next_cursor"`
					Previous *string `json:"prev_cursor"`
				} `json:"meta"`
			}
			if _, err := send(ctx, c, r, &document); err != nil {
				yield(nil, err)
				return
			}
			page := &Page[T]{Data: document.Data, Included: document.Included}
			if document.Meta.Previous != nil {
				page.Previous = *document.Meta.Previous
			}
			if document.Meta.Next != nil {
				page.Next = *document.Meta.Next
			}
			if !yield(page, nil) || page.Next == "" {
				return
			}
			query.Set("page[cursor]", page.Next)
		}
	}
}

func each[T any](pages iter.Seq2[*Page[T], error]) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for page, err := range pages {
			if err != nil {
				yield(nil, err)
				return
			}
			for _, one := range page.Data {
				if !yield(one, nil) {
					return
				}
			}
		}
	}
}

// Collect returns all that a list yields, or the error that ended it.
func Collect[T any](list iter.Seq2[T, error]) ([]T, error) {
	var out []T
	for one, err := range list {
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

func open(ctx context.Context, c *Client, r request) (io.ReadCloser, error) {
	path, err := r.resolve()
	if err != nil {
		return nil, err
	}
	return c.raw.Open(ctx, path)
}

// follow yields the messages of a stream until ctx ends or the loop is left. It reconnects.
func follow(ctx context.Context, c *Client, r request) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		path, err := r.resolve()
		if err == nil {
			err = c.raw.Stream(ctx, path, "", func(m Message) bool { return yield(m, nil) })
		}
		if err != nil {
			yield(Message{}, err)
		}
	}
}

// parameter adds a parameter to a query unless it is the zero value.
func parameter(q url.Values, name string, v any) {
	switch of := reflect.ValueOf(v); {
	case of.IsZero():
	case of.Kind() == reflect.Slice:
		var all []string
		for i := range of.Len() {
			all = append(all, fmt.Sprint(of.Index(i).Interface()))
		}
		q.Set(name, strings.Join(all, ","))
	default:
		q.Set(name, fmt.Sprint(v))
	}
}
