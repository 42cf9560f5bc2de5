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

// Mode is whether the work is complete when the answer is sent.
type Mode string

// The processing modes of the contract.
const (
	Sync  Mode = "sync"
	Async Mode = "async"
)

// Operation declares an operation: everything that the edge, the description and the tests need to know about it.
type Operation struct {
	// ID is the contract's operation id.
	ID     string
	Method string
	// Path is below the API's root: /orgs/{organization}/servers.
	Path    string
	Tag     string
	Summary string
	// Description adds what a caller can't guess from the names.
	Description string
	Mode        Mode
	// Permissions are what both the caller's role and token must have.
	Permissions []access.Permission
	// Further are permissions that depend on the request; the handler checks them with Call.Require.
	Further []Further
	// Status is the status code of success, default 200.
	Status int
	// Filters, Sorts and Includes are what a list allows; another name is a 400.
	Filters  []Filter
	Sorts    []string
	Includes []Include
	// Included are resource types that included can contain in addition to those of Includes.
	Included []any
	// Whole marks a list with a single page and no links to others.
	Whole bool
	// Numbered marks a whole list that is presented as the only one of numbered pages.
	Numbered bool
	// Meta is a zero value of the document's meta; nil for none.
	Meta any
	// Texts are the path parameters that are texts, beyond those of Config.Texts; the others are ids.
	Texts []string
	// Query lists other parameters of the query.
	Query []Param
	// BodyOptional accepts a request without a body.
	BodyOptional bool
	// ChangesHost adds dry_run=true, which returns the plan and changes nothing.
	ChangesHost bool
	// Before is the path of the operation that shows what this one changes, for the audit log; empty is the operation's own path.
	Before string
	// Shown are the places in the resource's document of fields of the request that have another name there, or are no attributes: meta.tags.
	// Undoing a change needs the value before it of each field that the change set.
	Shown map[string]string
	// Removable is set where removing again what the operation creates loses nothing: that undoes it.
	Removable bool
	// Invalid documents a 422 of an operation without a body.
	Invalid bool
	// Refused documents a 400 for a request that can't be made in the current state.
	Refused bool
	// Conflict documents a 409 in addition to the one of Idempotency-Key.
	Conflict bool
	// Failing documents a 500 for the failure of another service.
	Failing bool
	// Located documents the Location of an operation that creates something elsewhere than below its own path.
	Located bool
	// InQuery marks operations whose resource is named in the query and not in the path: no other operation shows what one changes.
	InQuery bool
	// Noted has a line written into the audit log for each answer of an operation that only shows something.
	Noted bool
	// Receives is the largest file in bytes that the operation takes as its body, which the handler reads; 0 if it takes none.
	Receives int64
	// Begins documents the event of work that an operation begins although its answer is complete.
	Begins bool
	// Public allows anonymous calls: to sign in.
	Public bool
	// Personal is for signed-in people only, not for tokens: it controls the account itself.
	Personal bool
	// RateLimit is the number of requests per minute for this operation, if it is lower than the general limit; CommandRateLimit
	// for operations that run something on a server each time.
	RateLimit int
	// Extension marks an operation that the contract does not have.
	Extension bool
	// Noun and Verb are those of the command that calls the operation, hostler NOUN VERB, where its id says them badly.
	Noun, Verb string
	// Formerly is the command's name in the release before, which is understood without being shown, and removed after the first release with the new one.
	Formerly string
	// Asks is what the command says before an operation that interrupts something or is felt at once, where a question is not expected of its method or its
	// description says less.
	Asks string
	// Actions are the actions of an operation that are commands of their own, or that ask, by the value of the field action.
	Actions map[string]Action
	// Defaults are the values of fields and parameters that the command has unless others are given.
	Defaults map[string]string
	// Example has members of a body that samples send and tests begin with, where its rules ask for more than what is required, or a text has a form. Without
	// a body, it has parameters of the query. "$OTHER_SERVER" is an id that only the caller knows.
	Example map[string]any
}

// ExampleKey is a public key of examples. Its private half was not kept.
const ExampleKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBsujyhqbX27bbNgMmFqhC6qrPIzVmCmfAmFAqZbX2Gp ada@example.com"

func (op *Operation) status() int {
	if op.Status == 0 {
		return http.StatusOK
	}
	return op.Status
}

// changes reports whether the operation changes something. The others read no body.
func (op *Operation) changes() bool { return op.Method != "" && op.Method != http.MethodGet }

// paged reports whether an operation may answer with one of several pages.
func (op *Operation) paged() bool { return op.Method == http.MethodGet && !op.Whole }

// keyed reports whether an operation honours an Idempotency-Key: those who call before they sign in have no name that a key could belong to.
func (op *Operation) keyed() bool { return op.Method == http.MethodPost && !op.Public }

// Filter is a filter[Name] of a list on a column of its table. Text matches substrings, ignoring case; other columns must be
// equal. Commas separate alternatives.
type Filter struct {
	Name   string
	Column string
	Text   bool
	// Number makes anything but an integer match nothing.
	Number bool
	// Enum is documented; another value matches nothing.
	Enum []string
	// Description is documented, if the name does not say it all.
	Description string
	// Where builds the condition, if it involves more than one column.
	Where func(values []string) db.Cond
}

// Include is a relationship for include=. Its Count and Exists forms are added automatically.
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

// PathValues are the parameters of a request's path.
type PathValues struct{ req *http.Request }

// Slug returns a parameter as text; "" for one that no row can have.
func (p PathValues) Slug(name string) string {
	if text := p.req.PathValue(name); storable(text) {
		return text
	}
	return ""
}

// storable reports whether both databases can store a text and search for it: PostgreSQL accepts neither NUL nor invalid UTF-8.
func storable(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

// ID returns an integer parameter; anything else is not found.
func (p PathValues) ID(name string) (int64, error) {
	text := p.req.PathValue(name)
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id <= 0 || strconv.FormatInt(id, 10) != text {
		return 0, ErrNotFound
	}
	return id, nil
}

// Loader resolves a path's chain of parents for the caller. The caller is allowed to see everything that it returns; the rest is ErrNotFound.
type Loader[P access.Authority] func(ctx context.Context, actor access.Actor, path PathValues) (P, error)

// Self loads nothing: for operations outside of organizations.
func Self(_ context.Context, actor access.Actor, _ PathValues) (access.Actor, error) {
	return actor, nil
}

// Call is a request that was authenticated, loaded and authorized.
type Call[P access.Authority] struct {
	// Parent is what the path led to.
	Parent P
	Path   PathValues
	// List is the list parameters of the query.
	List ListQuery
	// Fields collects errors of the body, beginning with those of the schema. A handler adds its own findings and returns
	// Fields.Err() before it writes anything.
	Fields Fields
	// Query returns the operation's other parameters, "" for absent ones.
	Query func(name string) string
	// Request is the HTTP request, for its headers and cookies.
	Request *http.Request
	// DryRun is set if nothing will be stored: no secrets need to be generated.
	DryRun bool
	// plan is the hash of the plan that the request is held to, "" for any.
	plan  string
	needs *needs
	body  []byte
}

// Over reads the body of a request on top of the current state: omitted fields are unchanged, null clears, and a list is replaced
// whole. now must share no memory with anything that is used again.
func Over[P access.Authority, B any](c Call[P], now B) B {
	if len(c.body) > 0 {
		_ = json.Unmarshal(c.body, &now) // decoding errors are in the call's Fields
	}
	return now
}

// Copied returns a pointer to a copy, for Over to decode into.
func Copied[T any](v *T) *T {
	if v == nil {
		return nil
	}
	return new(*v)
}

// Require checks permissions in addition to those of the operation. The work that the call starts needs them too.
func (c Call[P]) Require(authority access.Authority, permissions ...access.Permission) error {
	if err := authority.Require(permissions...); err != nil {
		return err
	}
	c.needs.add(permissions)
	return nil
}

// Flag returns a parameter of the query that is true or false, false if it is absent.
func (c Call[P]) Flag(name string) (bool, error) {
	switch c.Query(name) {
	case "", "false", "0":
		return false, nil
	case "true", "1":
		return true, nil
	}
	return false, Invalid(name, "The %s must be true or false.", name)
}

// NoBody is the body type of a request without a body.
type NoBody struct{}

// whole runs read, a second time if work on a resource has just ended. A resource and its work are written together but read one
// after the other: the first read may see the row from before the work's end and the work from after it, which contradict each
// other. The second one starts after the end.
func (r *Router) whole(read func() (ended bool, err error)) error {
	ended, err := read()
	if err == nil && ended {
		_, err = read()
	}
	return err
}

// endedLately is longer than a transaction takes from its reading of the clock to its commit, including the skew between replicas.
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
		return work != nil && work.EndedAt != nil && time.Time(*work.EndedAt).After(since)
	})
}

// Show registers an operation that answers with one resource.
func Show[P access.Authority, T any](r *Router, of Operation, load Loader[P], h func(context.Context, Call[P]) (Document[T], error)) {
	op := &of
	describe[NoBody, T](r, op, one)
	r.readers[op.Path] = readerOf(op, load, h, func(_ Call[P], doc Document[T]) ([]byte, error) { return encodeDocument(nil, doc.any()) })
	register(r, op, func(w http.ResponseWriter, req *http.Request) error {
		var doc Document[any]
		var parent P
		req = withLine(req)
		err := r.whole(func() (bool, error) {
			c, err := prepare(r, op, load, req)
			if err != nil {
				r.refused(req.Context(), r.entryOf(op, req, c.Parent), err)
				return false, err
			}
			said, err := h(req.Context(), c)
			parent = c.Parent
			if doc = said.any(); err != nil {
				r.refused(req.Context(), r.entryOf(op, req, c.Parent), err)
			}
			return r.justEnded(doc.Data) || r.justEnded(doc.Included...), err
		})
		if err == nil && op.Noted {
			err = r.noted(req.Context(), r.entryOf(op, req, parent))
		}
		if err != nil {
			return err
		}
		raw, err := encodeDocument(&r.secrets, doc)
		if err != nil {
			return err
		}
		return writeTagged(w, req, raw)
	})
}

// Index registers an operation that answers with a page of resources.
func Index[P access.Authority, T any](r *Router, of Operation, load Loader[P], h func(context.Context, Call[P]) (Collection[T], error)) {
	op := &of
	describe[NoBody, T](r, op, page)
	r.readers[op.Path] = readerOf(op, load, h, func(c Call[P], col Collection[T]) ([]byte, error) {
		return encodeCollection(nil, c.Request, c.List, col.any())
	})
	register(r, op, func(w http.ResponseWriter, req *http.Request) error {
		var c Call[P]
		var col Collection[any]
		err := r.whole(func() (ended bool, err error) {
			if c, err = prepare(r, op, load, req); err != nil {
				r.refused(req.Context(), r.entryOf(op, req, c.Parent), err)
				return false, err
			}
			said, err := h(req.Context(), c)
			if err != nil {
				r.refused(req.Context(), r.entryOf(op, req, c.Parent), err)
				return false, err
			}
			col = said.any()
			return r.justEnded(col.Data...) || r.justEnded(col.Included...), nil
		})
		if err != nil {
			return err
		}
		raw, err := encodeCollection(&r.secrets, req, c.List, col)
		if err != nil {
			return err
		}
		writeDocument(w, http.StatusOK, raw)
		return nil
	})
}

// Write registers an operation that changes rows and answers with one resource. The handler runs in one transaction, which also
// stores the answer under the request's Idempotency-Key; an error rolls everything back.
func Write[P access.Authority, B, T any](r *Router, of Operation, load Loader[P], h func(context.Context, *db.Tx, Call[P], B) (Document[T], error)) {
	WriteChecked(r, of, load, nil, h)
}

// WriteChecked is Write with a check of the body before the transaction, for slow checks: asking another machine whether it accepts the input. The check adds
// to Fields; it does not change the database. What the path leads to is loaded again after it.
func WriteChecked[P access.Authority, B, T any](r *Router, of Operation, load Loader[P], check func(context.Context, Call[P], B) error,
	h func(context.Context, *db.Tx, Call[P], B) (Document[T], error),
) {
	op := &of
	schema := describe[B, T](r, op, one)
	changes(r, op, schema, load)
	register(r, op, func(w http.ResponseWriter, req *http.Request) error {
		req = withLine(req)
		c, body, err := prepareBody[P, B](r, op, load, schema, w, req)
		e := r.entryOf(op, req, c.Parent)
		e.given = c.body
		if err != nil {
			r.refused(req.Context(), e, err)
			return err
		}
		if check != nil {
			err := check(req.Context(), c, body.value)
			if err == nil {
				c.Parent, err = again(r, op, load, req)
			}
			if err != nil {
				r.refused(req.Context(), e, err)
				return err
			}
		}
		if !c.DryRun {
			e.was = r.before(op, req)
		}
		return r.transact(w, req, op, e, c.DryRun, c.plan, c.Fields, body.raw, c.reload(r, op, load, req), func(ctx context.Context, tx *db.Tx) (reply, error) {
			doc, err := h(ctx, tx, c, body.value)
			if err != nil {
				return reply{}, err
			}
			return r.answer(op, doc.any())
		})
	})
}

func (r *Router) answer(op *Operation, doc Document[any]) (reply, error) {
	raw, err := encodeDocument(&r.secrets, doc)
	if err != nil {
		return reply{}, err
	}
	if op.Method != http.MethodPost { // a Location is the address of what was created
		doc.Location = ""
	}
	kept, err := encodeDocument(nil, doc)
	return reply{status: op.status(), body: raw, kept: kept, location: r.absolute(doc.Location), event: doc.Event}, err
}

// WriteEmpty registers an operation that changes rows and answers without a body: it removes, or starts work that has no document.
func WriteEmpty[P access.Authority, B any](r *Router, of Operation, load Loader[P], h func(context.Context, *db.Tx, Call[P], B) (Empty, error)) {
	op := &of
	schema := describe[B, NoBody](r, op, nothing)
	removes(r, op, load)
	register(r, op, func(w http.ResponseWriter, req *http.Request) error {
		req = withLine(req)
		c, body, err := prepareBody[P, B](r, op, load, schema, w, req)
		e := r.entryOf(op, req, c.Parent)
		if err != nil {
			r.refused(req.Context(), e, err)
			return err
		}
		if !c.DryRun {
			e.was = r.before(op, req)
		}
		return r.transact(w, req, op, e, c.DryRun, c.plan, c.Fields, body.raw, c.reload(r, op, load, req), func(ctx context.Context, tx *db.Tx) (reply, error) {
			empty, err := h(ctx, tx, c, body.value)
			return reply{status: op.status(), event: empty.Event}, err
		})
	})
}

// Do registers an operation whose handler opens its own transactions, because part of its work must not block others: checking a
// password is slow on purpose, and so are other machines. Its Idempotency-Key, which public operations do not have, is
// claimed before, and has the answer after it.
func Do[P access.Authority, B, T any](r *Router, of Operation, load Loader[P], h func(context.Context, Call[P], B) (Document[T], error)) {
	op := &of
	answer := one
	if op.status() == http.StatusNoContent {
		answer = nothing
	}
	schema := describe[B, T](r, op, answer)
	register(r, op, func(w http.ResponseWriter, req *http.Request) error {
		req = withLine(req)
		c, body, err := prepareBody[P, B](r, op, load, schema, w, req)
		e := r.entryOf(op, req, c.Parent)
		if err != nil {
			r.refused(req.Context(), e, err)
			return err
		}
		key, err := r.idempotencyKey(req, op, false, body.raw)
		if err != nil {
			return err
		}
		e.was = r.before(op, req)
		var cookies []*http.Cookie
		said, err := r.once(req.Context(), key, func(ctx context.Context) (reply, error) {
			doc, err := h(ctx, c, body.value)
			cookies = doc.Cookies
			if err != nil || answer == nothing {
				return reply{status: op.status()}, err
			}
			return r.answer(op, doc.any())
		}, func(ctx context.Context, tx *db.Tx) error { return e.note(ctx, tx, op.status(), nil) })
		if err != nil {
			r.refused(req.Context(), e, err)
			return err
		}
		for _, cookie := range cookies {
			http.SetCookie(w, cookie)
		}
		w.Header().Set("Cache-Control", "no-store")
		writeReply(w, said)
		return nil
	})
}

// Current returns the present state of a stream's caller: the token's or session's state and scopes, the role, the resource. It
// fails once the caller is no longer allowed to follow the stream.
type Current[P access.Authority] func() (Call[P], error)

// Stream registers a GET that continues until the client disconnects, as server-sent events. Nothing is sent to a caller who has
// lost the right to it since the stream began; a handler that shows only part of an organization calls current to determine that
// part.
func Stream[P access.Authority](r *Router, of Operation, load Loader[P], h func(ctx context.Context, current Current[P], lastEventID string, send Send) error) {
	op := &of
	r.describeText(op, "A stream of server-sent events.", "text/event-stream")
	register(r, op, func(w http.ResponseWriter, req *http.Request) error {
		c, err := prepare(r, op, load, req)
		if err != nil {
			r.refused(req.Context(), r.entryOf(op, req, c.Parent), err)
			return err
		}
		leave, err := r.enter(req)
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
