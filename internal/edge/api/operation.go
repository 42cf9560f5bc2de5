package api

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
)

// Mode is whether the work is done when the answer comes.
type Mode string

// The processing modes of the contract.
const (
	Sync  Mode = "sync"
	Async Mode = "async"
)

// Operation declares an operation: all that the edge, the description and the tests need to know of it.
type Operation struct {
	// ID is the contract's operation id.
	ID     string
	Method string
	// Path is below the API's root: /orgs/{organization}/servers.
	Path    string
	Tag     string
	Summary string
	// Description says what a caller can't guess from the names.
	Description string
	Mode        Mode
	// Permissions are what a caller's role and token must both have.
	Permissions []access.Permission
	// Further are permissions that some requests need besides, which only the handler can tell; it asks for them with Call.Require.
	Further []Further
	// Status is the code of success, default 200.
	Status int
	// Filters, Sorts and Includes are what a list allows; another name is 400.
	Filters  []Filter
	Sorts    []string
	Includes []Include
	// Included are resource types that included may hold beside those of Includes.
	Included []any
	// Whole marks a list that has one page only, and no links to others.
	Whole bool
	// Numbered marks a whole list that is told as the first and only one of numbered pages.
	Numbered bool
	// Meta is a zero value of what the document says beside its data; nil for nothing.
	Meta any
	// Texts are the parameters of the path that are texts here, where another path has an id of that name.
	Texts []string
	// Query lists other parameters of the query.
	Query []Param
	// BodyOptional accepts a request without a body.
	BodyOptional bool
	// ChangesHost adds dry_run=true, which answers with the plan and changes nothing.
	ChangesHost bool
	// Before is the path of the operation that shows what this one changes, for the audit log; empty is the operation's own path.
	Before string
	// Invalid documents a 422 of an operation without a body.
	Invalid bool
	// Refused documents a 400 for what can't be asked for as things are.
	Refused bool
	// Conflict documents a 409 beside the one of Idempotency-Key.
	Conflict bool
	// Public lets anybody call: to sign in.
	Public bool
	// Personal is for signed-in people only, not for tokens: it decides about the account itself.
	Personal bool
	// RateLimit is how many requests a minute a caller may make of this operation, where it is less than of all; CommandRateLimit for what runs
	// something on a server each time.
	RateLimit int
	// Extension marks an operation that the contract does not have.
	Extension bool
}

// Further is a permission that an operation needs when something holds: "database_id is given".
type Further struct {
	Permission access.Permission
	When       string
}

func (op Operation) status() int {
	if op.Status == 0 {
		return http.StatusOK
	}
	return op.Status
}

// Filter is a filter[Name] of a list on a column of its table. Text is searched in, ignoring case; other columns must be equal. Commas part alternatives.
type Filter struct {
	Name   string
	Column string
	Text   bool
	// Number makes anything but an integer match nothing.
	Number bool
	// Enum is documented; another value matches nothing.
	Enum []string
	// Where makes the condition, where it is more than one column.
	Where func(values []string) db.Cond
}

// Include is a relationship that include= can bring along. Its Count and Exists forms come by themselves.
type Include struct {
	Name string
	// Resource is a zero Resource of the included type, for the description.
	Resource any
}

// Param is a parameter of the query.
type Param struct {
	Name        string
	Type        string // string, integer, boolean
	Description string
}

// Path is the parameters of a request's path.
type Path struct{ req *http.Request }

// Slug returns a parameter as text; "" for one that no row can have.
func (p Path) Slug(name string) string {
	if text := p.req.PathValue(name); storable(text) {
		return text
	}
	return ""
}

// storable reports whether both databases can keep a text, and search for it: PostgreSQL has neither NUL nor what is not UTF-8.
func storable(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// ID returns a parameter that must be an integer; anything else is not found.
func (p Path) ID(name string) (int64, error) {
	text := p.req.PathValue(name)
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id <= 0 || strconv.FormatInt(id, 10) != text {
		return 0, ErrNotFound
	}
	return id, nil
}

// Loader resolves a path's chain of parents for the caller. Everything it returns the caller may know of; the rest is ErrNotFound.
type Loader[P access.Authority] func(ctx context.Context, actor access.Actor, path Path) (P, error)

// Self loads nothing: for operations outside of organizations.
func Self(_ context.Context, actor access.Actor, _ Path) (access.Actor, error) { return actor, nil }

// Call is a request that was authenticated, loaded and authorized.
type Call[P access.Authority] struct {
	// Parent is what the path led to.
	Parent P
	Path   Path
	// List is what the query asked of a list.
	List ListQuery
	// Fields collects what is wrong with the body; what the schema found is in it already. A handler adds its own findings and
	// returns Fields.Err() before it writes anything.
	Fields Fields
	// Query holds the operation's other parameters, absent ones as "".
	Query func(name string) string
	// Request is what was asked, for its headers and cookies.
	Request *http.Request
	// DryRun is set when nothing will be kept: no secrets need to be made.
	DryRun bool
	needs  *needs
	body   []byte
}

// Over reads the body of a request on top of what holds now: what the body leaves out is unchanged, null clears, and a list is whole. now must share
// no memory with anything that is used again.
func Over[P access.Authority, B any](c Call[P], now B) B {
	if len(c.body) > 0 {
		_ = json.Unmarshal(c.body, &now) // what can't be read stands in the call's Fields
	}
	return now
}

// Copied returns a pointer to a value of its own, for what Over reads into.
func Copied[T any](v *T) *T {
	if v == nil {
		return nil
	}
	return new(*v)
}

// Require asks for permissions beside those of the operation. The work that the call begins needs them too.
func (c Call[P]) Require(authority access.Authority, permissions ...access.Permission) error {
	if err := authority.Require(permissions...); err != nil {
		return err
	}
	c.needs.add(permissions)
	return nil
}

// NoBody stands for a request without a body.
type NoBody struct{}

// whole reads for an answer, a second time where work on a resource ended just before. A resource and the work on it are written together and
// read one after the other: the first reading may hold the row from before the work's end and the work from after it, which contradict each
// other. The second one begins after the end.
func (r *Router) whole(read func() (ended bool, err error)) error {
	ended, err := read()
	if err == nil && ended {
		_, err = read()
	}
	return err
}

// endedLately is longer than a transaction takes from its reading of the clock to its commit, clocks of replicas that differ included.
const endedLately = time.Minute

// justEnded reports whether the work on one of these resources ended a moment ago.
func (r *Router) justEnded(list ...any) bool {
	since := r.db.Clock.Now().Add(-endedLately)
	return slices.ContainsFunc(list, func(data any) bool {
		with, ok := data.(interface{ work() *OperationMeta })
		if !ok {
			return false
		}
		work := with.work()
		return work != nil && work.Ended.After(since)
	})
}

// Show registers an operation that answers with one resource.
func Show[P access.Authority, T any](r *Router, op Operation, load Loader[P], h func(context.Context, Call[P]) (Document[T], error)) {
	describe[NoBody, T](r, op, one)
	register(r, op, func(w http.ResponseWriter, req *http.Request) error {
		var doc Document[T]
		err := r.whole(func() (bool, error) {
			c, err := prepare(r, op, load, req)
			if err != nil {
				r.refused(req.Context(), r.entryOf(op, req, c.Parent), err)
				return false, err
			}
			if doc, err = h(req.Context(), c); err != nil {
				r.refused(req.Context(), r.entryOf(op, req, c.Parent), err)
			}
			return r.justEnded(doc.Data) || r.justEnded(doc.Included...), err
		})
		if err != nil {
			return err
		}
		raw, err := encodeDocument(r.secretsFor(req), doc)
		if err != nil {
			return err
		}
		return writeTagged(w, req, raw)
	})
}

// Index registers an operation that answers with a page of resources.
func Index[P access.Authority, T any](r *Router, op Operation, load Loader[P], h func(context.Context, Call[P]) (Collection[T], error)) {
	describe[NoBody, T](r, op, page)
	register(r, op, func(w http.ResponseWriter, req *http.Request) error {
		var c Call[P]
		var col Collection[T]
		err := r.whole(func() (ended bool, err error) {
			if c, err = prepare(r, op, load, req); err != nil {
				r.refused(req.Context(), r.entryOf(op, req, c.Parent), err)
				return false, err
			}
			if col, err = h(req.Context(), c); err != nil {
				return false, err
			}
			for _, data := range col.Data {
				ended = ended || r.justEnded(data)
			}
			return ended || r.justEnded(col.Included...), nil
		})
		if err != nil {
			return err
		}
		raw, err := encodeCollection(r.secretsFor(req), req, c.List, col)
		if err != nil {
			return err
		}
		writeDocument(w, http.StatusOK, raw)
		return nil
	})
}

// Write registers an operation that changes rows and answers with one resource. The handler runs in one transaction, which also holds the
// answer under the request's Idempotency-Key; an error takes everything back.
func Write[P access.Authority, B, T any](r *Router, op Operation, load Loader[P], h func(context.Context, *db.Tx, Call[P], B) (Document[T], error)) {
	WriteChecked(r, op, load, nil, h)
}

// WriteChecked is Write with a check of the body before the transaction, for what takes long: asking another machine whether it takes what was
// typed. The check adds to Fields; it changes nothing of ours.
func WriteChecked[P access.Authority, B, T any](r *Router, op Operation, load Loader[P], check func(context.Context, Call[P], B) error, h func(context.Context, *db.Tx, Call[P], B) (Document[T], error)) {
	schema := describe[B, T](r, op, one)
	register(r, op, func(w http.ResponseWriter, req *http.Request) error {
		req = withConcerned(req)
		c, body, err := prepareBody[P, B](r, op, load, schema, req)
		e := r.entryOf(op, req, c.Parent)
		if err != nil {
			r.refused(req.Context(), e, err)
			return err
		}
		if check != nil {
			if err := check(req.Context(), c, body.value); err != nil {
				r.refused(req.Context(), e, err)
				return err
			}
		}
		if !c.DryRun {
			e.was = r.before(op, req)
		}
		return r.transact(w, req, op, e, c.DryRun, c.Fields, body.raw, func(ctx context.Context, tx *db.Tx) (reply, error) {
			doc, err := h(ctx, tx, c, body.value)
			if err != nil {
				return reply{}, err
			}
			raw, err := encodeDocument(&r.secrets, doc)
			if err != nil {
				return reply{}, err
			}
			kept, err := encodeDocument(nil, doc)
			return reply{status: op.status(), body: raw, kept: kept, location: r.absolute(doc.Location), event: doc.Event}, err
		})
	})
}

// Remove registers an operation that changes rows and answers without a body.
func Remove[P access.Authority, B any](r *Router, op Operation, load Loader[P], h func(context.Context, *db.Tx, Call[P], B) (Empty, error)) {
	schema := describe[B, NoBody](r, op, nothing)
	register(r, op, func(w http.ResponseWriter, req *http.Request) error {
		req = withConcerned(req)
		c, body, err := prepareBody[P, B](r, op, load, schema, req)
		e := r.entryOf(op, req, c.Parent)
		if err != nil {
			r.refused(req.Context(), e, err)
			return err
		}
		if !c.DryRun {
			e.was = r.before(op, req)
		}
		return r.transact(w, req, op, e, c.DryRun, c.Fields, body.raw, func(ctx context.Context, tx *db.Tx) (reply, error) {
			empty, err := h(ctx, tx, c, body.value)
			return reply{status: op.status(), event: empty.Event}, err
		})
	})
}

// Do registers an operation whose handler opens its own transactions, as it has work that none may wait for: checking a password takes long
// on purpose.
func Do[P access.Authority, B, T any](r *Router, op Operation, load Loader[P], h func(context.Context, Call[P], B) (Document[T], error)) {
	answer := one
	if op.status() == http.StatusNoContent {
		answer = nothing
	}
	schema := describe[B, T](r, op, answer)
	register(r, op, func(w http.ResponseWriter, req *http.Request) error {
		req = withConcerned(req)
		c, body, err := prepareBody[P, B](r, op, load, schema, req)
		e := r.entryOf(op, req, c.Parent)
		if err != nil {
			r.refused(req.Context(), e, err)
			return err
		}
		e.was = r.before(op, req)
		doc, err := h(req.Context(), c, body.value)
		if err != nil {
			r.refused(req.Context(), e, err)
			return err
		}
		err = r.db.Tx(req.Context(), func(ctx context.Context, tx *db.Tx) error { return e.note(ctx, tx, op.status(), nil) })
		if err != nil {
			return err
		}
		for _, cookie := range doc.Cookies {
			http.SetCookie(w, cookie)
		}
		w.Header().Set("Cache-Control", "no-store")
		if answer == nothing {
			w.WriteHeader(op.status())
			return nil
		}
		raw, err := encodeDocument(&r.secrets, doc)
		if err != nil {
			return err
		}
		writeReply(w, reply{status: op.status(), body: raw, location: r.absolute(doc.Location)})
		return nil
	})
}

// Current reads who follows a stream, and what they may know, as it is now: the token's or session's state and scopes, the role, the resource. It fails
// once they may not follow the stream any more.
type Current[P access.Authority] func() (Call[P], error)

// Stream registers a GET that goes on until the client leaves, as server-sent events. Nothing is sent to a follower who has lost the right to it since
// the stream began; a handler that shows some of an organization only asks current what that is.
func Stream[P access.Authority](r *Router, op Operation, load Loader[P], h func(ctx context.Context, current Current[P], lastEventID string, send Send) error) {
	describeStream(r, op)
	register(r, op, func(w http.ResponseWriter, req *http.Request) error {
		c, err := prepare(r, op, load, req)
		if err != nil {
			r.refused(req.Context(), r.entryOf(op, req, c.Parent), err)
			return err
		}
		actor, _ := req.Context().Value(keyActor).(access.Actor)
		leave, err := r.standing.enter(actor.UserID)
		if err != nil {
			return err
		}
		defer leave()
		ctx, cancel := context.WithCancel(req.Context())
		defer cancel()
		defer context.AfterFunc(r.streams, cancel)()
		current := func() (Call[P], error) {
			actor, err := r.auth.Authenticate(ctx, req)
			if err != nil {
				return Call[P]{}, err
			}
			return prepare(r, op, load, req.WithContext(context.WithValue(ctx, keyActor, actor)))
		}
		return serveEvents(w, req, func(send Send) error {
			return h(ctx, current, req.Header.Get("Last-Event-ID"), func(id int64, event string, data any) error {
				if _, err := current(); err != nil {
					return err
				}
				return send(id, event, data)
			})
		})
	})
}
