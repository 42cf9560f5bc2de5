package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// IdempotencyWindow is how long an answer is repeated for its Idempotency-Key.
const IdempotencyWindow = 24 * time.Hour

// abandonedAfter is when a claimed key without an answer is free again: the request ended with the program. No request takes as long.
const abandonedAfter = 10 * time.Minute

// reply is an answer of a changing operation, as stored for its Idempotency-Key.
type reply struct {
	status   int
	body     []byte
	kept     []byte // body with its secrets redacted, for the audit log and the Idempotency-Key
	location string
	event    int64
	media    string // "" is ContentType
}

type storedReply struct {
	// Request is the digest of the request. It is sealed with the answer, because a bare digest allows a short password to be guessed.
	Request  string          `json:"request"`
	Media    string          `json:"media,omitempty"`
	Body     json.RawMessage `json:"body,omitempty"`
	Location string          `json:"location,omitempty"`
	Event    int64           `json:"event,omitempty"`
}

var (
	errConflictingKey = errorOf(http.StatusConflict, "This Idempotency-Key was used for another request.")
	errUnderWay       = errorOf(http.StatusConflict, "A request with this Idempotency-Key is in progress.")
)

// transact runs a changing operation: row, job, event and the stored answer are committed together, or nothing is. If something that the request names was
// deleted since it was loaded, reload loads again what the path names, and run runs once more: it then finds what is there.
func (r *Router) transact(w http.ResponseWriter, req *http.Request, op *Operation, e entry, dryRun bool, wanted string, fields Fields, raw []byte,
	reload func() error, run func(ctx context.Context, tx *db.Tx) (reply, error),
) error {
	key, err := r.idempotencyKey(req, op, dryRun, raw)
	if err != nil {
		return err
	}
	var answer reply
	plan := plan{planner: r.planner, wanted: wanted, dryRun: dryRun}
	decide := func(ctx context.Context, tx *db.Tx) error {
		if key != nil {
			repeated, err := r.claim(ctx, tx, *key)
			if err != nil || repeated != nil {
				if repeated != nil {
					answer = *repeated
				}
				return err
			}
		}
		var err error
		answer, err = plan.holds(ctx, tx, func(ctx context.Context, tx *db.Tx) (reply, error) {
			answer, err := run(ctx, tx)
			if invalid := fields.Err(); invalid != nil {
				return reply{}, invalid
			}
			return answer, err
		})
		if err != nil {
			return err
		}
		if err := e.note(ctx, tx, answer.status, answer.kept); err != nil {
			return err
		}
		if err := r.keepUndo(ctx, tx, e, answer.kept); err != nil {
			return err
		}
		if key != nil {
			return r.keep(ctx, tx, *key, answer)
		}
		return nil
	}
	err = r.db.Tx(req.Context(), decide)
	if db.IsDeadlock(err) {
		err = r.db.Tx(req.Context(), decide)
	}
	if db.IsForeign(err) {
		if err = reload(); err == nil {
			err = r.db.Tx(req.Context(), decide)
		}
	}
	if err == nil && plan.open {
		if err = plan.complete(req.Context()); err == nil && !dryRun {
			err = r.db.Tx(req.Context(), decide)
		}
	}
	if err == nil && dryRun {
		answer, err = plan.answer()
	}
	if err != nil {
		r.refused(req.Context(), e, err)
		return err
	}
	writeReply(w, answer)
	return nil
}

// once runs a changing operation that has no transaction of its own. The key of the request is claimed before it runs, has the answer after success, and is
// given up after an error. If the program ends in between, the outcome is unknown, and the key is refused until the claim is abandoned.
func (r *Router) once(ctx context.Context, key *idempotencyKey, run func(context.Context) (reply, error),
	note func(context.Context, *db.Tx) error,
) (reply, error) {
	var repeated *reply
	if key != nil {
		err := r.db.Tx(ctx, func(ctx context.Context, tx *db.Tx) (err error) {
			repeated, err = r.claim(ctx, tx, *key)
			return err
		})
		switch {
		case err != nil:
			return reply{}, err
		case repeated != nil:
			return *repeated, nil
		}
	}
	answer, err := run(ctx)
	after := context.WithoutCancel(ctx) // what was done is kept, also for a caller who went away
	if err != nil {
		if key == nil {
			return reply{}, err
		}
		released := r.db.Tx(after, func(ctx context.Context, tx *db.Tx) error {
			return tx.DeleteIdempotencyKey(ctx, key.caller, key.route, key.key)
		})
		if released != nil { // the request is answered with its own error; the key stays claimed until it counts as abandoned
			r.log.LogAttrs(ctx, slog.LevelError, "release an Idempotency-Key", slog.String("request_id", requestID(ctx)), slog.Any("error", released))
		}
		return reply{}, err
	}
	return answer, r.db.Tx(after, func(ctx context.Context, tx *db.Tx) error {
		if err := note(ctx, tx); err != nil || key == nil {
			return err
		}
		return r.keep(ctx, tx, *key, answer)
	})
}

func writeReply(w http.ResponseWriter, a reply) {
	if a.location != "" {
		w.Header().Set("Location", a.location)
	}
	if a.event != 0 {
		w.Header().Set("X-Hostler-Event", strconv.FormatInt(a.event, 10))
	}
	if len(a.body) == 0 {
		w.WriteHeader(a.status)
		return
	}
	if a.media != "" {
		writeAs(w, a.media, a.status, a.body)
		return
	}
	writeDocument(w, a.status, a.body)
}

func writeDocument(w http.ResponseWriter, status int, raw []byte) {
	writeAs(w, ContentType, status, raw)
}

func writeAs(w http.ResponseWriter, media string, status int, raw []byte) {
	w.Header().Set("Content-Type", media)
	w.Header().Set("Content-Length", strconv.Itoa(len(raw)))
	w.WriteHeader(status)
	_, _ = w.Write(raw)
}

// writeTagged answers a read of one resource with an ETag, or with 304 if the caller already has it (RFC 9110, 13.1.2).
func writeTagged(w http.ResponseWriter, req *http.Request, raw []byte) error {
	sum := sha256.Sum256(raw)
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "private, no-cache")
	for candidate := range strings.SplitSeq(req.Header.Get("If-None-Match"), ",") {
		if c := strings.TrimPrefix(strings.TrimSpace(candidate), "W/"); c == tag || c == "*" {
			w.WriteHeader(http.StatusNotModified)
			return nil
		}
	}
	writeDocument(w, http.StatusOK, raw)
	return nil
}

type idempotencyKey struct{ caller, route, key, hash string }

func (k idempotencyKey) place() secret.Place {
	return secret.Place{Table: "idempotency_keys", Row: k.caller + " " + k.route + " " + k.key, Column: "response"}
}

func (r *Router) idempotencyKey(req *http.Request, op *Operation, dryRun bool, raw []byte) (*idempotencyKey, error) {
	key := req.Header.Get("Idempotency-Key")
	if key == "" || !op.keyed() || dryRun {
		return nil, nil
	}
	if len(key) > 255 || strings.ContainsFunc(key, func(c rune) bool { return c < ' ' || c > '~' }) {
		return nil, BadRequest("The Idempotency-Key must be at most 255 printable ASCII characters.")
	}
	actor, _ := req.Context().Value(keyActor).(access.Actor)
	sum := sha256.Sum256(append([]byte(req.URL.RawQuery+"\n"), raw...))
	return &idempotencyKey{actor.Caller(), req.URL.Path, key, hex.EncodeToString(sum[:])}, nil
}

// claim takes the key, or returns the answer that was given for it. On PostgreSQL a concurrent duplicate waits here for the first
// to commit; on SQLite writing transactions are serialized anyway.
func (r *Router) claim(ctx context.Context, tx *db.Tx, k idempotencyKey) (*reply, error) {
	n, err := tx.ClaimIdempotencyKey(ctx, k.caller, k.route, k.key, tx.Micros())
	if err != nil {
		return nil, fmt.Errorf("claim idempotency key: %w", err)
	}
	if n == 1 {
		return nil, nil
	}
	row, err := tx.Ungranted().GetIdempotencyKey(ctx, k.caller, k.route, k.key)
	if errors.Is(err, db.ErrNotFound) {
		return nil, errUnderWay
	}
	if err != nil {
		return nil, fmt.Errorf("read idempotency key: %w", err)
	}
	window := IdempotencyWindow
	if row.Status == 0 {
		window = abandonedAfter
	}
	if row.CreatedAt < tx.Now.Add(-window).UnixMicro() {
		if err := tx.DeleteIdempotencyKey(ctx, k.caller, k.route, k.key); err != nil {
			return nil, fmt.Errorf("drop old idempotency key: %w", err)
		}
		return r.claim(ctx, tx, k)
	}
	if row.Status == 0 {
		return nil, errUnderWay
	}
	plain, err := r.box.Open(k.place(), row.Response)
	if err != nil {
		return nil, err
	}
	var stored storedReply
	if err := json.Unmarshal(plain, &stored); err != nil {
		return nil, fmt.Errorf("read kept answer: %w", err)
	}
	if stored.Request != k.hash {
		return nil, errConflictingKey
	}
	return &reply{status: int(row.Status), body: stored.Body, location: stored.Location, event: stored.Event, media: stored.Media}, nil
}

func (r *Router) keep(ctx context.Context, tx *db.Tx, k idempotencyKey, a reply) error {
	body, err := withoutSecrets(a)
	if err != nil {
		return err
	}
	plain, err := json.Marshal(storedReply{Request: k.hash, Body: body, Location: a.location, Event: a.event, Media: a.media})
	if err != nil {
		return fmt.Errorf("keep answer: %w", err)
	}
	sealed, err := r.box.Seal(k.place(), plain)
	if err != nil {
		return err
	}
	return tx.FinishIdempotencyKey(ctx, query.FinishIdempotencyKeyParams{
		Caller: k.caller, Route: k.route, IdempotencyKey: k.key,
		Status: int64(a.status), Response: sealed,
	})
}

// withoutSecrets returns an answer for repetition. Its secrets stay redacted: the caller may have lost the right to them since,
// and another operation shows those that are shown more than once. What is shown only once is omitted. Either case sets
// meta.secret_shown.
func withoutSecrets(a reply) ([]byte, error) {
	if bytes.Equal(a.kept, a.body) {
		return a.body, nil
	}
	var doc map[string]any
	if err := json.Unmarshal(a.kept, &doc); err != nil {
		return nil, fmt.Errorf("keep answer: %w", err)
	}
	data, ok := doc["data"].(map[string]any)
	if !ok {
		return a.kept, nil
	}
	meta, ok := data["meta"].(map[string]any)
	if !ok {
		meta = map[string]any{}
		data["meta"] = meta
	}
	delete(meta, "bootstrap")
	delete(meta, "shown_once")
	meta["secret_shown"] = true
	return json.Marshal(doc)
}
