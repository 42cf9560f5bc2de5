package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/hostlerhq/hostler/internal/edge/access"
)

// Limits of request bodies.
const (
	maxBody  = 1 << 20
	maxDepth = 32
)

type decoded[B any] struct {
	value B
	raw   []byte
}

// prepareBody prepares a call with its body. Schema errors go into the call's Fields and are not returned yet: the handler's
// own findings join them in one answer.
func prepareBody[P access.Authority, B any](
	r *Router, op *Operation, load Loader[P], schema *huma.Schema, w http.ResponseWriter, req *http.Request,
) (Call[P], decoded[B], error) {
	var body decoded[B]
	c, err := prepare(r, op, load, req)
	if err != nil {
		return c, body, err
	}
	sayIgnored(w.Header(), unknownQuery(op, req.URL.Query()))
	body.raw, c.body, err = r.readInto(w, req, schema, c.Fields, &body.value)
	return c, body, err
}

// readInto reads a body into a value, and says in the answer's headers what it ignores. It returns the body, and the text of it that was decoded.
func (r *Router) readInto(w http.ResponseWriter, req *http.Request, schema *huma.Schema, fields Fields, value any) (raw, text []byte, err error) {
	if raw, err = readBody(req); err != nil {
		return raw, nil, err
	}
	if schema == nil {
		sayIgnored(w.Header(), unread(raw))
		return raw, nil, nil
	}
	var plain any = map[string]any{}               // an absent body is an empty one: every required field is reported
	text = bytes.TrimPrefix(raw, []byte("\ufeff")) // clients on Windows begin texts with a byte order mark
	if len(bytes.TrimSpace(text)) > 0 {
		if plain, text, err = parseJSON(text); err != nil {
			return raw, nil, err
		}
		c := checker{registry: r.bodies}
		sayIgnored(w.Header(), c.unknown(schema, "", plain))
		exact, trimmed := c.exact(schema, plain), unblank(plain)
		plain, meant := c.meant(schema, plain)
		if exact || trimmed || meant {
			if text, err = json.Marshal(plain); err != nil {
				return raw, nil, BadRequest("The request body is not valid JSON.")
			}
		}
	}
	r.validate(schema, plain, fields)
	// Decoding continues after a field of the wrong type, which the schema has already reported.
	var typeError *json.UnmarshalTypeError
	if len(text) > 0 {
		if err := json.Unmarshal(text, value); errors.As(err, &typeError) && len(fields) == 0 {
			fields.Add(typeError.Field, "The %s field is out of range.", typeError.Field)
		}
	}
	return raw, text, nil
}

// pasted are fields whose values are names, addresses and paths: what is around one came along when it was copied. Blanks are part of other texts, such as
// scripts and passwords.
var pasted = []string{
	"access_key", "address", "branch", "bucket", "chat", "clone_host", "cron", "directory", "domain", "email", "endpoint", "from", "healthcheck_endpoint", "host",
	"host_key", "ip_address", "isolated_user", "name", "nameserver", "notification_email", "notify", "port", "private_ip_address", "region", "registry",
	"repository",
	"repository_branch", "root_directory", "root_path", "runtime_version", "slug", "stopsignal", "timezone", "to", "token", "topic", "url", "user",
	"web_directory",
}

// unblank takes blanks, and signs that can't be seen, from the ends of the pasted fields of a body, and reports whether there were any. A text of blanks alone
// stays: nothing can mean all, such as every port.
func unblank(plain any) (changed bool) {
	switch plain := plain.(type) {
	case []any:
		for _, v := range plain {
			changed = unblank(v) || changed
		}
	case map[string]any:
		for field, v := range plain {
			given, ok := v.(string)
			if !ok {
				changed = unblank(v) || changed
				continue
			}
			if !slices.Contains(pasted, field) {
				continue
			}
			if kept := strings.TrimFunc(given, unseen); kept != given && kept != "" {
				plain[field], changed = kept, true
			}
		}
	}
	return changed
}

// unseen reports blanks, ends of lines, and the signs of no width that pages and terminals put between words.
func unseen(c rune) bool {
	return unicode.IsSpace(c) || c == '\u200b' || c == '\u2060' || c == '\ufeff'
}

// received is the body of a request that was read to its end, or why it could not be.
type received struct {
	raw []byte
	err error
}

// receive reads a body. What is wrong with it is reported in its turn, by readBody or readForm.
func receive(req *http.Request) received {
	raw, err := io.ReadAll(http.MaxBytesReader(nil, req.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return received{err: errorOf(http.StatusRequestEntityTooLarge, "The request body is larger than 1 MiB.")}
	case err != nil:
		return received{err: BadRequest("The request body can't be read.")}
	}
	return received{raw: raw}
}

// receivedOf returns the body of a request; none for one that was sent without.
func receivedOf(req *http.Request) ([]byte, error) {
	body, _ := req.Context().Value(keyBody).(received)
	return body.raw, body.err
}

func readBody(req *http.Request) ([]byte, error) {
	raw, err := receivedOf(req)
	if err != nil || len(raw) == 0 {
		return nil, err
	}
	if ct := req.Header.Get("Content-Type"); ct != "" {
		media, _, err := mime.ParseMediaType(ct)
		if err != nil || (media != "application/json" && media != ContentType) {
			return nil, Invalid("body", "The request body must be application/json.")
		}
	}
	return raw, nil
}

// parseJSON parses a body for the schema, and returns the text to decode: the body itself, or with numbers respelled for the decoder.
func parseJSON(raw []byte) (any, []byte, error) {
	if !utf8.Valid(raw) {
		return nil, nil, BadRequest("The request body is not valid UTF-8.")
	}
	if depth(raw) > maxDepth {
		return nil, nil, BadRequest("The request body is nested too deeply.")
	}
	if !json.Valid(raw) {
		return nil, nil, BadRequest("The request body is not valid JSON.")
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, nil, BadRequest("The request body is not valid JSON.")
	}
	if list, ok := v.([]any); ok && len(list) == 0 { // PHP has one empty array, and its clients send this where they have nothing to say
		return map[string]any{}, []byte("{}"), nil
	}
	fields, ok := v.(map[string]any)
	if !ok {
		return nil, nil, BadRequest("The request body must be a JSON object.")
	}
	if data, ok := fields["data"].(map[string]any); ok && len(fields) == 1 && data["attributes"] != nil {
		return nil, nil, BadRequest("Send the fields as the request body itself: answers have them in data.attributes, requests do not.")
	}
	if name, ok := repeated(json.NewDecoder(bytes.NewReader(raw))); ok {
		return nil, nil, BadRequest("The request body names %q twice.", name)
	}
	respelled := false
	v = plainNumbers(v, &respelled)
	if respelled {
		var err error
		if raw, err = json.Marshal(v); err != nil {
			return nil, nil, BadRequest("The request body is not valid JSON.")
		}
	}
	return v, raw, nil
}

// beyond stands for a number that no field can store; the schema refuses it everywhere.
type beyond struct{}

// plainNumbers converts numbers for the schema check. An integer may be spelled 80.0 or 8e1 (JSON Schema 2020-12, 4.2.2), which
// the decoder does not accept.
func plainNumbers(v any, respelled *bool) any {
	switch v := v.(type) {
	case map[string]any:
		for name, e := range v {
			v[name] = plainNumbers(e, respelled)
		}
	case []any:
		for i, e := range v {
			v[i] = plainNumbers(e, respelled)
		}
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return float64(i)
		}
		f, err := v.Float64()
		switch {
		case err != nil || math.Abs(f) >= 1<<63:
			return beyond{}
		case f == math.Trunc(f):
			*respelled = true
		}
		return f
	}
	return v
}

// repeated returns a name that occurs twice in an object of valid JSON, ignoring case: whoever sends two spellings may mean either.
func repeated(d *json.Decoder) (string, bool) {
	type scope struct {
		names map[string]bool // nil for a list
		value bool            // a name was read, its value comes next
	}
	var open []*scope
	for {
		token, err := d.Token()
		if err != nil {
			return "", false
		}
		var in *scope
		if len(open) > 0 {
			in = open[len(open)-1]
		}
		if name, ok := token.(string); ok && in != nil && in.names != nil && !in.value {
			folded := fold(name)
			if in.names[folded] {
				return name, true
			}
			in.names[folded], in.value = true, true
			continue
		}
		if in != nil {
			in.value = false
		}
		switch token {
		case json.Delim('{'):
			open = append(open, &scope{names: map[string]bool{}})
		case json.Delim('['):
			open = append(open, &scope{})
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
		}
	}
}

// fold maps names to the same text if encoding/json treats them as equal.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		for {
			next := unicode.SimpleFold(r)
			if next <= r {
				return next
			}
			r = next
		}
	}, name)
}

// depth returns how deeply arrays and objects are nested, ignoring strings.
func depth(raw []byte) int {
	deepest, now, quoted := 0, 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

// bodySchema returns the schema that a body is checked with; nil for NoBody. Unknown properties are allowed, as the contract's clients send some.
func (r *Router) bodySchema(t reflect.Type) *huma.Schema {
	if t == reflect.TypeFor[NoBody]() {
		return nil
	}
	s := r.bodies.Schema(t, true, "")
	enumerate(r.values, r.bodies.Map())
	return s
}
