package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strings"

	"github.com/hostlerhq/hostler/internal/access"
	"github.com/hostlerhq/hostler/internal/db"
	"github.com/hostlerhq/hostler/internal/db/query"
)

const keyConcerned contextKey = 101

// concerned is whom a call is about, where nobody is signed in yet.
type concerned struct{ user int64 }

// Concerns notes whose account a sign-in is about.
func Concerns(ctx context.Context, user int64) {
	if c, ok := ctx.Value(keyConcerned).(*concerned); ok {
		c.user = user
	}
}

// entry is a line of the audit log that is being written.
type entry struct {
	op           Operation
	req          *http.Request
	organization int64
	was          *string
}

// entryOf begins the line of a call. parent is what the path led to, as far as it was loaded.
func (r *Router) entryOf(op Operation, req *http.Request, parent any) entry {
	e := entry{op: op, req: req}
	if in, ok := parent.(interface{ InOrganization() int64 }); ok {
		e.organization = in.InOrganization()
	}
	return e
}

func orNull(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

// row is the line for an answer, or for a refusal.
func (e entry) row(ctx context.Context, status int, message string, body []byte, now int64) query.InsertAuditEntryParams {
	actor, _ := e.req.Context().Value(keyActor).(access.Actor)
	in := query.InsertAuditEntryParams{OrganizationID: orNull(e.organization), UserID: orNull(actor.UserID), Caller: "nobody", Address: ClientAddress(ctx), Operation: e.op.ID,
		Path: e.req.URL.Path, Status: int64(status), Message: message, Was: e.was, CreatedAt: now}
	if actor.UserID != 0 {
		in.Caller = actor.Caller()
	} else if c, ok := ctx.Value(keyConcerned).(*concerned); ok && c.user != 0 {
		in.UserID = &c.user
	}
	in.ResourceType, in.ResourceID, in.Became = attributesOf(body)
	return in
}

// secretName are attributes that are told of, but not what they are.
var secretName = regexp.MustCompile(`(?i)password|secret|token|private|environment|content|code|credential_data`)

// attributesOf takes out of a document what the audit log keeps: which resource it is and its attributes, with secrets left out. What stands in
// meta, where secrets are shown once, is never kept.
func attributesOf(body []byte) (kind, id string, attributes *string) {
	var doc struct {
		Data struct {
			Type       string         `json:"type"`
			ID         string         `json:"id"`
			Attributes map[string]any `json:"attributes"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &doc) != nil || doc.Data.Attributes == nil {
		return doc.Data.Type, doc.Data.ID, nil
	}
	redact(doc.Data.Attributes)
	raw, err := json.Marshal(doc.Data.Attributes)
	if err != nil {
		return doc.Data.Type, doc.Data.ID, nil
	}
	text := string(raw)
	return doc.Data.Type, doc.Data.ID, &text
}

func redact(m map[string]any) {
	for name, v := range m {
		if inner, ok := v.(map[string]any); ok {
			redact(inner)
			continue
		}
		if _, isText := v.(string); isText && secretName.MatchString(name) {
			m[name] = "[redacted]"
		}
	}
}

// before reads what a change is about to change, through the operation that shows it.
func (r *Router) before(op Operation, req *http.Request) *string {
	if op.Method == http.MethodPost || op.Public {
		return nil
	}
	if _, ok := r.byRoute[http.MethodGet+" "+Root+op.Path]; !ok {
		return nil
	}
	actor, _ := req.Context().Value(keyActor).(access.Actor)
	actor.Scopes = access.SetOf(access.All()...) // the log says what was, also where the token may only write
	show := req.Clone(context.WithValue(req.Context(), keyActor, actor))
	show.Method, show.Body, show.URL.RawQuery = http.MethodGet, http.NoBody, ""
	show.Header = http.Header{}
	w := &recorder{header: http.Header{}}
	r.mux.ServeHTTP(w, show)
	if w.status != http.StatusOK {
		return nil
	}
	_, _, attributes := attributesOf(w.body.Bytes())
	return attributes
}

// recorder keeps an answer instead of sending it.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header, WriteHeader and Write make it an http.ResponseWriter.
func (w *recorder) Header() http.Header { return w.header }

// WriteHeader keeps the status.
func (w *recorder) WriteHeader(status int) { w.status = status }

// Write keeps the body.
func (w *recorder) Write(p []byte) (int, error) { return w.body.Write(p) }

// refused notes what somebody was not allowed to do. What nobody may know of is no refusal, and who is unknown is in the web server's log.
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
		r.log.LogAttrs(ctx, slog.LevelError, "a refusal could not be noted", slog.Any("error", err))
	}
}

// note writes the line in the transaction of the change.
func (e entry) note(ctx context.Context, tx *db.Tx, status int, body []byte) error {
	if err := tx.InsertAuditEntry(ctx, e.row(ctx, status, "", body, tx.Micros())); err != nil {
		return fmt.Errorf("note in the audit log: %w", err)
	}
	return nil
}

// Lines registers a GET that answers with JSON lines, as many as there are.
func Lines[P access.Authority](r *Router, op Operation, load Loader[P], h func(ctx context.Context, c Call[P], send func(any) error) error) {
	o := r.operation(op)
	o.Responses["200"] = linesResponse()
	r.openapi.AddOperation(o)
	register(r, op, func(w http.ResponseWriter, req *http.Request) error {
		c, err := prepare(r, op, load, req)
		if err != nil {
			r.refused(req.Context(), r.entryOf(op, req, c.Parent), err)
			return err
		}
		w.Header().Set("Content-Type", LinesType)
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Disposition", `attachment; filename="`+strings.ReplaceAll(op.ID, ".", "-")+`.jsonl"`)
		encode := json.NewEncoder(w)
		return h(req.Context(), c, func(v any) error { return encode.Encode(v) })
	})
}

// LinesType is the media type of JSON lines.
const LinesType = "application/x-ndjson"
