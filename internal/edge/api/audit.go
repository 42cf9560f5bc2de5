package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

const keyLine contextKey = 101

// line is what a handler adds to the audit entry of its call: the account concerned if the caller is not signed in yet, the earlier values, what it is about,
// and the organizations whose logs have it.
type line struct {
	user        int64
	was, became *subject
	// organizations are those that a call changes something in, beside the one that its path names.
	organizations []int64
}

// Changes notes that a call changes something in this organization, which its path does not name: its audit log has a line of the call then, too.
func Changes(ctx context.Context, organization int64) {
	if c, ok := ctx.Value(keyLine).(*line); ok && !slices.Contains(c.organizations, organization) {
		c.organizations = append(c.organizations, organization)
	}
}

// AboutUser records whose account a call without a known caller is about, once there is one: signing up, in or out, a new password.
func AboutUser(ctx context.Context, user int64) {
	if c, ok := ctx.Value(keyLine).(*line); ok {
		c.user = user
	}
}

// Was records what a change is about to remove, if no single operation shows it.
func Was[T any](ctx context.Context, resource T) error {
	c, ok := ctx.Value(keyLine).(*line)
	if !ok {
		return nil
	}
	raw, err := encodeDocument(nil, Document[any]{Data: resource})
	if err == nil {
		was := subjectOf(raw)
		c.was = &was
	}
	return err
}

// About records what a call is about, if that is not its answer: a file of a site, whose content is in no log.
func About(ctx context.Context, kind, id string, attributes map[string]any) {
	if c, ok := ctx.Value(keyLine).(*line); ok {
		c.became = &subject{kind: kind, id: id, attributes: asText(attributes)}
	}
}

// WithLine adds to a context the line that AboutUser writes to and UserOfLine reads.
func WithLine(ctx context.Context) context.Context {
	return context.WithValue(ctx, keyLine, &line{})
}

// UserOfLine returns the user whose account a sign-in was about, zero for none.
func UserOfLine(ctx context.Context) int64 {
	if c, ok := ctx.Value(keyLine).(*line); ok {
		return c.user
	}
	return 0
}

func withLine(req *http.Request) *http.Request {
	return req.WithContext(WithLine(req.Context()))
}

// entry is a line of the audit log that is being written.
type entry struct {
	op           *Operation
	req          *http.Request
	organization int64
	// was is the document of what the call is about before it, and given the body of the call.
	was, given []byte
}

// subject is what a line records of a resource: its identity, and its attributes as JSON.
type subject struct {
	kind, id   string
	attributes *string
}

// entryOf starts the line of a call. parent is what the path led to, as far as it was loaded.
func (r *Router) entryOf(op *Operation, req *http.Request, parent any) entry {
	e := entry{op: op, req: req}
	if in, ok := parent.(interface{ InOrganization() int64 }); ok {
		e.organization = in.InOrganization()
	}
	return e
}

// row returns the line for an answer, or for a refusal.
func (e entry) row(ctx context.Context, status int, message string, body []byte, now int64) query.InsertAuditEntryParams {
	actor, _ := e.req.Context().Value(keyActor).(access.Actor)
	in := query.InsertAuditEntryParams{
		OrganizationID: OrNull(e.organization), UserID: OrNull(actor.UserID), Caller: "nobody", Address: ClientAddress(ctx),
		Operation: e.op.ID,
		Path:      e.req.URL.Path, Status: int64(status), Message: message, CreatedAt: now,
	}
	if actor.UserID != 0 {
		in.Caller = actor.Caller()
	}
	was, became := subjectOf(e.was), subjectOf(body)
	if c, ok := ctx.Value(keyLine).(*line); ok {
		if actor.UserID == 0 && c.user != 0 {
			in.UserID = &c.user
		}
		if c.was != nil {
			was = *c.was
		}
		if c.became != nil {
			became = *c.became
		}
	}
	in.Was, in.Became, in.ResourceType, in.ResourceID = was.attributes, became.attributes, became.kind, became.id
	if became.kind == "" { // it has been deleted
		in.ResourceType, in.ResourceID = was.kind, was.id
	}
	return in
}

// subjectOf extracts from a document, encoded with its secrets redacted, what the audit log stores: the resource's identity, its
// attributes and its relationships. For a list it stores everything under "data". meta, where secrets are shown once, is never
// stored.
func subjectOf(body []byte) subject {
	var doc struct {
		Data json.RawMessage `json:"data"`
	}
	if len(body) == 0 || json.Unmarshal(body, &doc) != nil {
		return subject{}
	}
	var list []resource
	if json.Unmarshal(doc.Data, &list) == nil && list != nil {
		all := []any{}
		for _, r := range list {
			kept := r.kept()
			kept["id"] = r.ID
			all = append(all, kept)
		}
		return subject{attributes: asText(map[string]any{"data": all})}
	}
	var one resource
	if json.Unmarshal(doc.Data, &one) != nil || one.Attributes == nil {
		return subject{kind: one.Type, id: one.ID}
	}
	return subject{one.Type, one.ID, asText(one.kept())}
}

func asText(m map[string]any) *string {
	raw, err := json.Marshal(m)
	if err != nil {
		return nil
	}
	text := string(raw)
	return &text
}

type resource struct {
	Type          string         `json:"type"`
	ID            string         `json:"id"`
	Attributes    map[string]any `json:"attributes"`
	Relationships map[string]struct {
		Data json.RawMessage `json:"data"`
	} `json:"relationships"`
}

func (r resource) kept() map[string]any {
	out := map[string]any{}
	for name, v := range r.Attributes {
		out[name] = abridged(v)
	}
	type identifier struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	}
	tell := func(i identifier) string {
		if n, err := strconv.Atoi(i.ID); err == nil && i.Type == "permissions" && n >= 1 && n <= len(access.All()) {
			return string(access.All()[n-1]) // the id alone does not show what a role became
		}
		return i.ID
	}
	for name, rel := range r.Relationships {
		if _, taken := out[name]; taken {
			continue
		}
		var one *identifier
		var many []identifier
		if json.Unmarshal(rel.Data, &many) == nil && many != nil {
			ids := []string{}
			for _, i := range many {
				ids = append(ids, tell(i))
			}
			out[name] = ids
		} else if json.Unmarshal(rel.Data, &one) == nil && one != nil {
			out[name] = tell(*one)
		}
	}
	return out
}

// maxKept is the longest text of an attribute that the audit log stores, in bytes.
const maxKept = 4 << 10

// abridged returns an attribute as the audit log stores it: for a long text, such as a script or a configuration, its length and its digest.
func abridged(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			v[name] = abridged(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = abridged(inner)
		}
	case string:
		if len(v) > maxKept {
			sum := sha256.Sum256([]byte(v))
			return fmt.Sprintf("[%d bytes, SHA-256 %s]", len(v), hex.EncodeToString(sum[:]))
		}
	}
	return v
}

// reader reads what an operation shows, with its secrets redacted: nil where there is nothing. The audit log sees what the caller may change
// and not read as well, so nothing asks for the operation's permissions.
type reader func(req *http.Request) []byte

// readerOf reads by the loader and the handler of an operation. encode prints the answer with its secrets redacted.
func readerOf[P access.Authority, T any](op *Operation, load Loader[P], h func(context.Context, Call[P]) (T, error),
	encode func(Call[P], T) ([]byte, error),
) reader {
	return func(req *http.Request) []byte {
		req = withNeeds(req) // of its own: the work that is begun needs what the call was asked for
		c, err := begin(op, load, req, url.Values{})
		if err != nil {
			return nil
		}
		answer, err := h(req.Context(), c)
		if err != nil {
			return nil
		}
		raw, err := encode(c, answer)
		if err != nil {
			return nil
		}
		return raw
	}
}

// before reads what a change is about to change, by the operation that shows it.
func (r *Router) before(op *Operation, req *http.Request) []byte {
	path := op.Path
	if op.Before != "" {
		path = op.Before
	}
	read := r.readers[path]
	if read == nil || op.InQuery || op.Method == http.MethodPost || op.Public {
		return nil
	}
	return read(req)
}

// refused records a denied request. An answer of 404 is no refusal, and requests without a known caller are in the web server's log only.
func (r *Router) refused(ctx context.Context, e entry, err error) {
	public, _ := publicError(err)
	noteworthy := public.Status == http.StatusForbidden || e.op.Public && (public.Status == http.StatusUnauthorized || public.Status == http.StatusTooManyRequests)
	if !noteworthy {
		return
	}
	err = r.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) error {
		return tx.InsertAuditEntry(ctx, e.row(ctx, public.Status, public.Message, nil, tx.Micros()))
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		r.log.LogAttrs(ctx, slog.LevelError, "a refusal could not be recorded", slog.Any("error", err))
	}
}

// note writes the line in the transaction of the change.
func (e entry) note(ctx context.Context, tx *db.Tx, status int, body []byte) error {
	var organizations []int64
	if c, ok := ctx.Value(keyLine).(*line); ok {
		organizations = c.organizations
	}
	if e.organization != 0 || len(organizations) == 0 {
		organizations = append([]int64{e.organization}, organizations...)
	}
	for _, e.organization = range organizations {
		if err := tx.InsertAuditEntry(ctx, e.row(ctx, status, "", body, tx.Micros())); err != nil {
			return fmt.Errorf("note in the audit log: %w", err)
		}
	}
	return nil
}

// Note is a line about something other than an operation: signing in to authorize a program, and what programs do with it.
type Note struct {
	Operation, Path string
	Status          int
	// Message is why it was refused.
	Message string
	UserID  int64
	// OrganizationID is 0 outside of organizations.
	OrganizationID int64
	// Caller is empty for an anonymous caller.
	Caller   string
	Kind, ID string
	// After is the result, without secrets.
	After map[string]any
}

// Keep writes the line in the transaction of its subject.
func (n Note) Keep(ctx context.Context, tx *db.Tx) error {
	in := query.InsertAuditEntryParams{
		OrganizationID: OrNull(n.OrganizationID), UserID: OrNull(n.UserID), Caller: n.Caller, Address: ClientAddress(ctx), Operation: n.Operation, Path: n.Path,
		Status: int64(n.Status), Message: n.Message,
		ResourceType: n.Kind, ResourceID: n.ID, CreatedAt: tx.Micros(),
	}
	if n.Caller == "" {
		in.Caller = "nobody"
	}
	if n.After != nil {
		in.Became = asText(n.After)
	}
	if err := tx.InsertAuditEntry(ctx, in); err != nil {
		return fmt.Errorf("write the audit log: %w", err)
	}
	return nil
}

// Lines registers a GET that answers with any number of JSON lines.
func Lines[P access.Authority](r *Router, of Operation, load Loader[P], h func(ctx context.Context, c Call[P], send func(any) error) error) {
	op := &of
	r.describeText(op, "JSON lines.", LinesType)
	register(r, op, func(w http.ResponseWriter, req *http.Request) error {
		c, err := prepare(r, op, load, req)
		if err != nil {
			r.refused(req.Context(), r.entryOf(op, req, c.Parent), err)
			return err
		}
		w.Header().Set("Content-Type", LinesType)
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Disposition", `attachment; filename="`+strings.ReplaceAll(op.ID, ".", "-")+`.jsonl"`)
		return r.lines(w, req, func(send func(any) error) error { return h(req.Context(), c, send) })
	})
}

// lines writes what h sends, a line each. An error after the first line can't be answered: the connection is cut, so that a part is never taken for the whole.
func (r *Router) lines(w http.ResponseWriter, req *http.Request, h func(send func(any) error) error) error {
	encode, sent := json.NewEncoder(w), false
	err := h(func(v any) error {
		sent = true
		return encode.Encode(v)
	})
	if err == nil || !sent {
		return err
	}
	if req.Context().Err() == nil { // a client that disconnected is not our failure
		r.log.ErrorContext(req.Context(), "lines ended early", "request_id", requestID(req.Context()), "path", req.URL.Path, "error", err)
	}
	panic(http.ErrAbortHandler)
}

// LinesType is the media type of JSON lines.
const LinesType = "application/x-ndjson"
