package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/hostlerhq/hostler/internal/edge/access"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/text"
)

// Error is an answer that a caller can read. Every other error is answered as "Server error." and logged.
type Error struct {
	Status  int
	Message string
	// Fields contains the failures of a 422 by dotted field name.
	Fields Fields
	Header http.Header
	// Plan is the plan of a request whose wanted one is not up to date.
	Plan *DryRun
}

func (e *Error) Error() string { return e.Message }

// Fields are what is wrong with fields, by dotted name ("balancing.0.port").
type Fields map[string][]Problem

// Add adds a failure of a field.
func (f Fields) Add(field, format string, args ...any) {
	f[field] = append(f[field], problem("", nil, fmt.Sprintf(format, args...)))
}

// Coded is Add of a failure that clients know by a code, with the values that it is about.
func (f Fields) Coded(field, code string, params map[string]any, format string, args ...any) {
	f[field] = append(f[field], problem(code, params, fmt.Sprintf(format, args...)))
}

// texts returns the messages alone, as the contract has them.
func (f Fields) texts() map[string][]string {
	if len(f) == 0 {
		return nil
	}
	out := make(map[string][]string, len(f))
	for name, problems := range f {
		for _, p := range problems {
			out[name] = append(out[name], p.text)
		}
	}
	return out
}

// state is the name of what is wrong with no field, but with the current state.
const state = ""

// State adds that the request is valid, but not in the current state. It is answered, as a 409, once no field is wrong.
func (f Fields) State(format string, args ...any) { f.Add(state, format, args...) }

// Trimmed returns a required text without surrounding white space.
func (f Fields) Trimmed(field, given string) string {
	given = strings.TrimSpace(given)
	if given == "" && len(f[field]) == 0 {
		f.Coded(field, CodeRequired, nil, "The %s field is required.", field)
	}
	return given
}

// Line returns a required text of one line without surrounding white space, of at most so many bytes; 0 for no limit.
func (f Fields) Line(field, given string, most int) string {
	given = strings.TrimSpace(given)
	if len(f[field]) == 0 && (given == "" || most > 0 && len(given) > most || strings.ContainsFunc(given, unicode.IsControl)) {
		f.Coded(field, codeOneLine, nil, "The %s must be one line of text.", field)
	}
	return given
}

// Command returns a command of a shell, of one line and of at most so many bytes.
func (f Fields) Command(field, pasted string, most int) string {
	command := text.Command(pasted)
	if len(f[field]) > 0 {
		return command
	}
	if len(command) > most || strings.ContainsFunc(command, unicode.IsControl) {
		f.Add(field, "The %s must be one line of at most %d bytes.", field, most)
	} else if wrong := text.Miscopied(command); wrong != "" {
		f.Add(field, "The %s %s.", field, wrong)
	}
	return command
}

// Address is one field of where a sealed secret is sent, or of whom it is sent for: as it is, and as a request leaves it.
type Address struct{ Field, Was, Now string }

// SameAddress adds an error to the field of a sealed secret if the request changes the address and doesn't give the secret: it is sent only to the place that
// it was entered for. Callers who may change an address may not know the secret.
func (f Fields) SameAddress(secret string, given bool, parts ...Address) {
	for _, p := range parts {
		if !given && p.Was != p.Now && len(f[secret]) == 0 && len(f[p.Field]) == 0 {
			f.Coded(secret, CodeRequired, nil, "The %s field is required because the %s changes.", secret, p.Field)
		}
	}
}

// Unique reports whether a value of a list is not among those before it, and adds an error if it is.
func Unique[T comparable](f Fields, field string, before []T, value T) bool {
	if !slices.Contains(before, value) {
		return true
	}
	f.Coded(field, codeDuplicate, nil, "The %s field has a duplicate value.", field)
	return false
}

// Err returns a 422 with these fields; a 409 if only the state is in the way; or nil if nothing is.
func (f Fields) Err() error {
	why, stands := f[state]
	if stands && len(f) == 1 {
		return Conflict("%s", why[0].text)
	}
	if len(f) == 0 {
		return nil
	}
	if stands {
		f = maps.Clone(f)
		delete(f, state)
	}
	return &Error{Status: http.StatusUnprocessableEntity, Message: f.summary(), Fields: f}
}

func (f Fields) summary() string {
	names := make([]string, 0, len(f))
	n := 0
	for name, messages := range f {
		names = append(names, name)
		n += len(messages)
	}
	slices.Sort(names)
	first := f[names[0]][0].text
	switch n {
	case 1:
		return first
	case 2:
		return first + " (and 1 more error)"
	default:
		return fmt.Sprintf("%s (and %d more errors)", first, n-1)
	}
}

// Named answers for features.
func errorOf(status int, message string) *Error { return &Error{Status: status, Message: message} }

// BadRequest returns a 400: the request can't be read, or uses a name that this operation does not know.
func BadRequest(format string, args ...any) error {
	return errorOf(http.StatusBadRequest, fmt.Sprintf(format, args...))
}

// Conflict returns a 409: the request is valid, but not in the current state.
func Conflict(format string, args ...any) error {
	return errorOf(http.StatusConflict, fmt.Sprintf(format, args...))
}

// Taken returns a 422 on a field whose value something else has.
func Taken(field, format string, args ...any) error {
	f := Fields{}
	f.Coded(field, CodeTaken, nil, format, args...)
	return f.Err()
}

// Invalid returns a 422 on one field.
func Invalid(field, format string, args ...any) error {
	f := Fields{}
	f.Add(field, format, args...)
	return f.Err()
}

// ErrNotFound is the only 404: hidden and missing things get identical answers.
var ErrNotFound = access.ErrNotFound

const (
	messageNotFound        = "Not found."
	messageUnauthenticated = "Unauthenticated."
	messageServerError     = "Server error."
)

// publicError maps a handler's error to what the caller can read.
func publicError(err error) (public *Error, internal bool) {
	var e *Error
	var denied *access.Denied
	switch {
	case failed(err):
		return errorOf(http.StatusInternalServerError, messageServerError), true
	case errors.As(err, &e):
		return e, false
	case errors.As(err, &denied):
		return errorOf(http.StatusForbidden, denied.Error()), false
	case errors.Is(err, ErrUnauthenticated):
		return &Error{Status: http.StatusUnauthorized, Message: messageUnauthenticated, Header: http.Header{"Www-Authenticate": {"Bearer"}}}, false
	case errors.Is(err, access.ErrNotFound), errors.Is(err, db.ErrNotFound):
		return errorOf(http.StatusNotFound, messageNotFound), false
	case errors.Is(err, db.ErrCursor):
		return errorOf(http.StatusBadRequest, "The page[cursor] is not valid for this list."), false
	default:
		return errorOf(http.StatusInternalServerError, messageServerError), true
	}
}

// unavailable returns a 503 for an error that is not about the request: nothing was stored, and the same request can be sent again once its reason has
// passed. Other errors get the answer that they have.
func (r *Router) unavailable(otherwise *Error, err error) *Error {
	full, certain := db.NoRoom(err)
	switch {
	case full && (certain || r.room != nil && r.room() != nil):
		return &Error{
			Status:  http.StatusServiceUnavailable,
			Message: "The disk of the panel's database is full, so nothing was stored. Free space on it, then send the request again.",
			Header:  http.Header{"Retry-After": {"60"}},
		}
	case db.IsBusy(err):
		return &Error{
			Status: http.StatusServiceUnavailable, Message: "The panel's database is busy, so nothing was stored. Send the request again.",
			Header: http.Header{"Retry-After": {"2"}},
		}
	}
	return otherwise
}

// failed reports whether a failure of ours is joined to an error. It is then the answer, whatever it is joined with: errors.As would find a refusal
// first, and the failure would never be logged.
func failed(err error) bool {
	switch e := err.(type) { //nolint:errorlint // the tree is walked here
	case *Error:
		return false
	case interface{ Unwrap() []error }:
		return slices.ContainsFunc(e.Unwrap(), func(err error) bool {
			_, internal := publicError(err)
			return internal
		})
	case interface{ Unwrap() error }:
		return failed(e.Unwrap())
	}
	return false
}

type errorBody struct {
	Message string              `json:"message"`
	Errors  map[string][]string `json:"errors,omitempty"`
	// Codes are beside Errors: the same failures in the same order.
	Codes Fields `json:"codes,omitempty"`
	// Plan is what the request would do now, where it asked for another plan.
	Plan *DryRun `json:"plan,omitempty"`
}

func (r *Router) writeError(w http.ResponseWriter, req *http.Request, err error) {
	e, internal := publicError(err)
	if internal {
		e = r.unavailable(e, err)
	}
	if internal && req.Context().Err() == nil { // a client that disconnected is not our failure
		r.log.LogAttrs(req.Context(), slog.LevelError, "request failed",
			slog.String("request_id", requestID(req.Context())), slog.String("method", req.Method), slog.String("path", req.URL.Path), slog.Any("error", err))
	}
	for name, values := range e.Header {
		w.Header()[name] = values
	}
	body := errorBody{Message: e.Message, Errors: e.Fields.texts(), Codes: e.Fields, Plan: e.Plan}
	raw, _ := json.Marshal(body) // strings only
	w.Header().Set("Content-Type", "application/json")
	w.Header().Del("Location")
	if e.Status != http.StatusUnprocessableEntity { // the request was refused before its fields counted
		w.Header().Del(IgnoredHeader)
	}
	w.WriteHeader(e.Status)
	_, _ = w.Write(raw)
}
