// Package api is the HTTP edge: operations, documents, pages, errors, and their description. It is the only importer of Huma,
// whose schemas describe and check bodies. docs/request.md has the order in which a request is checked.
package api

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/secret"
	"github.com/hostlerhq/hostler/internal/ground/tracing"
)

// Root is the path of the API below the base URL.
const Root = "/api"

// Authenticator turns a request's credentials into an actor. ErrUnauthenticated is a 401.
type Authenticator interface {
	Authenticate(ctx context.Context, req *http.Request) (access.Actor, error)
}

// ErrUnauthenticated is returned for a request without valid credentials.
var ErrUnauthenticated = errors.New("unauthenticated")

// Planner returns what a transaction would change on hosts, before it is rolled back.
type Planner interface {
	Plan(ctx context.Context, tx *db.Tx) (DryRun, error)
	// Complete asks hosts for what only they know of a plan, once the transaction is over.
	Complete(ctx context.Context, plan *DryRun) error
	// Keep stores something beside the work that a transaction began.
	Keep(ctx context.Context, tx *db.Tx, kept Kept) error
}

// Kept is what is stored beside work: the plan that it was asked for with, or what would undo it, for Router.Undo.
type Kept struct {
	Plan *DryRun
	Undo []byte
}

// Router holds the operations.
type Router struct {
	mux     *http.ServeMux
	log     *slog.Logger
	db      *db.DB
	box     *secret.Box
	auth    Authenticator
	planner Planner
	room    func() error
	base    *url.URL
	texts   []string
	// bodies are the schemas that bodies of requests are checked with, and values those of Config.
	bodies      huma.Registry
	values      map[string][]string
	ops         []Operation
	byRoute     map[string]*Operation
	readers     map[string]reader  // by the path of the operation that shows
	changers    map[string]changer // by the operation's id
	removers    map[string]changer // by the path of the collection that they remove from
	limiter     *limiter
	forgery     forgery
	orgLimit    OrganizationLimit
	description *description
	secrets     revealer
	// streams is cancelled to end all streams, which otherwise never end.
	streams    context.Context
	endStreams context.CancelFunc
	standing   standing
	// closing registers, before the first request, the 405s below a literal path that a wildcard would treat as an id.
	closing sync.Once
}

// Config is what a Router needs.
type Config struct {
	DB            *db.DB
	Box           *secret.Box
	Log           *slog.Logger
	Authenticator Authenticator
	Planner       Planner
	// BaseURL is the URL that callers use: https://panel.example.com. AuthURL is that of OAuth, default BaseURL.
	BaseURL *url.URL
	AuthURL *url.URL
	// DashboardOrigin is the origin of a dashboard that is served elsewhere: https://dash.example.com. It may be empty.
	DashboardOrigin string
	// RateLimit is the number of requests per minute for a caller, default DefaultRateLimit, at least LeastRateLimit.
	RateLimit int
	// OrganizationLimit returns the limits of organizations; it may be nil.
	OrganizationLimit OrganizationLimit
	// Room returns an error if the disk of the database is full; it may be nil.
	Room func() error
	// Tags are the groups of operations, in the order of the description.
	Tags []string
	// Texts are the path parameters that are texts in every path; the others are ids.
	Texts []string
	// Fields describe the fields whose declarations do not, by name: those of a noun under the name of its package, and those that mean the same in all
	// of them under "". A key Type.field is the field of one type.
	Fields map[string]map[string]string
	// Values are what fields take or show whose declarations do not list it, by Type.field.
	Values map[string][]string
	// Parameters describe the parameters of paths: {server}, or logs/{key} where the segment before it says what it is.
	Parameters map[string]string
	// Commands are how clients call operations.
	Commands Commands
}

// nowhere is the pattern of paths without an operation: the mux is asked once per request.
const nowhere = "/"

// New makes a Router without operations.
func New(c Config) *Router {
	r := &Router{
		orgLimit: c.OrganizationLimit, forgery: newForgery(c.BaseURL, c.DashboardOrigin), mux: http.NewServeMux(), byRoute: map[string]*Operation{},
		readers: map[string]reader{}, changers: map[string]changer{}, removers: map[string]changer{},
		log: c.Log, db: c.DB, box: c.Box, auth: c.Authenticator, planner: c.Planner, room: c.Room, base: c.BaseURL, texts: c.Texts,
		values: c.Values, bodies: newRegistry(), description: &description{config: c, shown: map[string]bool{}},
	}
	if c.RateLimit == 0 {
		c.RateLimit = DefaultRateLimit
	}
	r.limiter = &limiter{most: max(c.RateLimit, LeastRateLimit), now: func() time.Time { return c.DB.Clock.Now() }}
	r.streams, r.endStreams = context.WithCancel(context.Background())
	r.mux.HandleFunc(nowhere, func(w http.ResponseWriter, req *http.Request) { r.writeError(w, req, r.noOperation(req)) })
	return r
}

// EndStreams ends all streams; their clients reconnect.
func (r *Router) EndStreams() { r.endStreams() }

// Operations returns the registered operations, in the order of registration.
func (r *Router) Operations() []Operation { return slices.Clone(r.ops) }

// Links makes the links of a resource at a path below the API's root.
func (r *Router) Links(path string) *SelfLinks { return &SelfLinks{Self: Link{Href: r.absolute(path)}} }

// URL returns the absolute URL of a path below the base URL.
func (r *Router) URL(path string) string { return strings.TrimSuffix(r.base.String(), "/") + path }

func (r *Router) absolute(path string) string {
	if path == "" {
		return ""
	}
	return r.URL(Root + path)
}

func register(r *Router, op *Operation, serve func(w http.ResponseWriter, req *http.Request) error) {
	r.ops = append(r.ops, *op)
	r.byRoute[op.Method+" "+Root+op.Path] = op
	r.mux.HandleFunc(op.Method+" "+Root+op.Path, func(w http.ResponseWriter, req *http.Request) {
		if err := serve(w, withNeeds(req)); err != nil {
			r.writeError(w, req, err)
		}
	})
}

type contextKey int

const (
	keyRequestID contextKey = iota
	keyActor
	keyBody
)

func requestID(ctx context.Context) string {
	id, _ := ctx.Value(keyRequestID).(string)
	return id
}

// ServeHTTP answers everything below Root. An unauthenticated caller learns nothing, not even which paths exist. A path may end with a
// slash.
func (r *Router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	WithoutSlash(http.HandlerFunc(r.serve)).ServeHTTP(w, req)
}

func (r *Router) serve(w http.ResponseWriter, req *http.Request) {
	id := secret.Random(8)
	w.Header().Set("X-Request-Id", id)
	w.Header().Set("Cache-Control", "no-store") // unless an answer overrides it
	ctx := context.WithValue(req.Context(), keyRequestID, id)
	if r.servePublic(w, req) {
		traceOperation(ctx, &Operation{}, id)
		return
	}
	r.closing.Do(r.closeLiterals)
	_, pattern := r.mux.Handler(req)
	op := cmp.Or(r.byRoute[pattern], &Operation{})
	traceOperation(ctx, op, id)
	actor, err := r.caller(ctx, req, op)
	if over := r.limit(w, req, actor, op); over != nil { // refused requests count as well
		err = over
	}
	if err == nil && op.changes() {
		ctx, actor, err = r.receive(ctx, req, op, actor)
	}
	if err != nil {
		r.writeError(w, req.WithContext(ctx), err)
		return
	}
	req = req.WithContext(context.WithValue(ctx, keyActor, actor))
	defer func() {
		if p := recover(); p != nil {
			if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(p)
			}
			r.log.ErrorContext(ctx, "request panicked", "request_id", id, "path", req.URL.Path, "panic", p, "stack", string(debug.Stack()))
			r.writeError(w, req, errorOf(http.StatusInternalServerError, messageServerError))
		}
	}()
	r.mux.ServeHTTP(w, req)
}

// caller returns the authenticated actor; the zero Actor for public operations.
func (r *Router) caller(ctx context.Context, req *http.Request, op *Operation) (access.Actor, error) {
	if op.Public {
		return access.Actor{}, r.forgery.check(req)
	}
	actor, err := r.auth.Authenticate(ctx, req)
	if err == nil && actor.SessionID != 0 {
		err = r.forgery.check(req)
	}
	return actor, err
}

// moment is how long a body may take to arrive before the credentials are checked again: about as long as the requests of a signed-out caller that were
// checked just before may still be at work.
const moment = 50 * time.Millisecond

// receive reads the body of a request. The caller controls how long that takes, and may have been signed out by its end: unless the body was there at once,
// the credentials are checked again after it. What the path leads to, and what the caller may do there, is loaded later.
func (r *Router) receive(ctx context.Context, req *http.Request, op *Operation, actor access.Actor) (context.Context, access.Actor, error) {
	if req.Body == nil || req.Body == http.NoBody || op.Receives > 0 { // a handler that receives a file checks again itself
		return ctx, actor, nil
	}
	began := r.db.Clock.Now()
	body := receive(req)
	took := r.db.Clock.Now().Sub(began) // negative if the clock was set
	quick := took >= 0 && took < moment && req.Header.Get("Expect") == ""
	if !op.Public && !quick {
		var err error
		if actor, err = r.auth.Authenticate(ctx, req); err != nil {
			return ctx, actor, err
		}
	}
	return context.WithValue(ctx, keyBody, body), actor, nil
}

// again loads what the path leads to once more, after something that took long, for a caller who may have lost the right to it.
func again[P access.Authority](r *Router, op *Operation, load Loader[P], req *http.Request) (P, error) {
	ctx := req.Context()
	actor, err := r.caller(ctx, req, op)
	if err != nil {
		var none P
		return none, err
	}
	c, err := begin(op, load, req.WithContext(context.WithValue(ctx, keyActor, actor)), nil)
	if err != nil {
		return c.Parent, err
	}
	return c.Parent, c.Parent.Require(op.Permissions...)
}

// reload returns a function that loads the parent of a call again.
func (c *Call[P]) reload(r *Router, op *Operation, load Loader[P], req *http.Request) func() error {
	return func() (err error) {
		c.Parent, err = again(r, op, load, req)
		return err
	}
}

var errPersonal = errorOf(http.StatusForbidden, "This is for the signed-in person, not for a token.")

// Reference is the path of the reference of all operations, below the base URL.
const Reference = "/docs/api/"

var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// closeLiterals adds a 405 where a literal path lacks a method that a wildcard beside it has: GET …/sites/balancer is not a site
// with the id "balancer".
func (r *Router) closeLiterals() {
	none := func(w http.ResponseWriter, req *http.Request) { r.writeError(w, req, r.noOperation(req)) }
	seen := map[string]bool{}
	for _, op := range r.ops {
		path := Root + op.Path
		if seen[path] {
			continue
		}
		seen[path] = true
		example := pathParameter.ReplaceAllString(path, "0")
		for _, method := range methods {
			probe := &http.Request{Method: method, Host: r.base.Host, URL: &url.URL{Path: example}}
			_, pattern := r.mux.Handler(probe)
			if _, caught, _ := strings.Cut(pattern, " "); pattern != nowhere && caught != path {
				r.mux.HandleFunc(method+" "+path, none)
			}
		}
	}
}

// noOperation returns a 405 if the path has other methods, else a 404 that can't be confused with a missing resource.
func (r *Router) noOperation(req *http.Request) error {
	var allowed []string
	for _, method := range methods {
		probe := req.Clone(req.Context())
		probe.Method = method
		_, pattern := r.mux.Handler(probe)
		_, known := r.byRoute[pattern]
		if known || describes(req.URL.Path) && (method == http.MethodGet || method == http.MethodHead) {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		return errorOf(http.StatusNotFound, "There is no operation at this path. All operations are listed at "+r.URL(Reference)+".")
	}
	list := strings.Join(allowed, ", ")
	return &Error{
		Status: http.StatusMethodNotAllowed, Header: http.Header{"Allow": {list}},
		Message: "The " + req.Method + " method is not supported for this path. Supported methods: " + list + ".",
	}
}

// begin loads what the path leads to. What the caller may do there is not asked yet, and lists have their first page.
func begin[P access.Authority](op *Operation, load Loader[P], req *http.Request, query url.Values) (Call[P], error) {
	c := Call[P]{Path: PathValues{req}, Fields: Fields{}, Request: req, Query: query.Get, needs: needsOf(req.Context())}
	c.needs.add(op.Permissions)
	actor, _ := req.Context().Value(keyActor).(access.Actor)
	var err error
	if op.Personal && actor.SessionID == 0 {
		return c, errPersonal
	}
	if c.Parent, err = load(req.Context(), actor, c.Path); err != nil {
		return c, err
	}
	c.List, err = parseList(op, url.Values{})
	return c, err
}

// prepare brings a request as far as its handler: loaded, authorized, its query read.
func prepare[P access.Authority](r *Router, op *Operation, load Loader[P], req *http.Request) (Call[P], error) {
	query, unreadable := url.ParseQuery(req.URL.RawQuery)
	c, err := begin(op, load, req, query)
	if err != nil {
		return c, err
	}
	if err := c.Parent.Require(op.Permissions...); err != nil {
		return c, err
	}
	if unreadable != nil {
		return c, BadRequest("The query string can't be read.")
	}
	if c.List, c.DryRun, err = parseQuery(req.Context(), op, query); err != nil {
		return c, err
	}
	c.plan, err = wantedPlan(req, op)
	return c, err
}

func parseQuery(ctx context.Context, op *Operation, query url.Values) (list ListQuery, dry bool, err error) {
	if list, err = parseList(op, query); err != nil {
		return list, false, err
	}
	if meant := dryRunMeant(query); meant != "" && op.ChangesHost {
		return list, false, BadRequest("%s is not allowed here: use dry_run.", meant)
	}
	switch v := query.Get("dry_run"); {
	case v == "" || v == "false" || v == "0":
		return list, false, nil
	case !op.ChangesHost:
		return list, false, BadRequest("This operation has no dry run.")
	case v == "true" || v == "1":
		tracing.Of(ctx).SetAttributes(tracing.DryRun.Bool(true))
		return list, true, nil
	}
	return list, false, BadRequest("dry_run must be true or false.")
}
