// Package letters writes the sentences of the API in letters that no program can read as English: messages, errors of fields and reasons of work. A client
// that acts by codes does the same with them as without; one that takes a sentence apart, compares it or changes its first letter does not.
package letters

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
)

// first stands for a among the letters of the phonetic alphabet, which have the width of ours; those for A follow those for z.
const first = 'ɐ'

// Hide writes a sentence in the other letters.
func Hide(sentence string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return first + r - 'a'
		case r >= 'A' && r <= 'Z':
			return first + 26 + r - 'A'
		}
		return r
	}, sentence)
}

// Show reads what Hide wrote, within any text.
func Show(text string) string {
	return strings.Map(func(r rune) rune {
		switch n := r - first; {
		case n >= 0 && n < 26:
			return 'a' + n
		case n >= 26 && n < 52:
			return 'A' + n - 26
		}
		return r
	}, text)
}

// Handler hides the sentences of what next answers.
func Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		req.Header.Del("Accept-Encoding")
		a := &answer{ResponseWriter: w}
		next.ServeHTTP(a, req)
		a.end()
	})
}

// answer holds a JSON document until it is whole, and lets everything else through as it comes.
type answer struct {
	http.ResponseWriter
	status   int
	document *bytes.Buffer
}

func (a *answer) WriteHeader(status int) {
	if a.status != 0 {
		return
	}
	a.status = status
	switch kind, _, _ := mime.ParseMediaType(a.Header().Get("Content-Type")); kind {
	case "application/json", "application/vnd.api+json":
		a.Header().Del("Content-Length")
		a.document = &bytes.Buffer{}
	default:
		a.ResponseWriter.WriteHeader(status)
	}
}

func (a *answer) Write(p []byte) (int, error) {
	if a.WriteHeader(http.StatusOK); a.document != nil {
		return a.document.Write(p)
	}
	return a.ResponseWriter.Write(p)
}

// Unwrap lets streams through as they come.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// Flush is for the reverse proxy.
func (a *answer) Flush() {
	if a.document == nil {
		_ = http.NewResponseController(a.ResponseWriter).Flush()
	}
}

func (a *answer) end() {
	if a.document == nil {
		return
	}
	body := a.document.Bytes()
	if hidden, err := Document(body); err == nil {
		body = hidden
	}
	a.ResponseWriter.WriteHeader(a.status)
	_, _ = a.ResponseWriter.Write(body)
}

// Document hides the sentences of a document: the message and the errors of a refusal, and the reasons of work wherever they are.
func Document(body []byte) ([]byte, error) {
	in := json.NewDecoder(bytes.NewReader(body))
	in.UseNumber()
	var doc any
	if err := in.Decode(&doc); err != nil {
		return nil, err
	}
	if _, err := in.Token(); err != io.EOF {
		return nil, err
	}
	if refusal, is := doc.(map[string]any); is && refusal["data"] == nil {
		hide(refusal, "message")
		within(refusal["errors"], func(fields map[string]any) {
			for name := range fields {
				hide(fields, name)
			}
		})
		within(refusal["codes"], func(code map[string]any) { hide(code, "says") })
	}
	within(doc, func(object map[string]any) {
		if _, is := object["state"]; is { // meta.operation
			hide(object, "reason")
		}
	})
	var out bytes.Buffer
	to := json.NewEncoder(&out)
	to.SetEscapeHTML(false)
	err := to.Encode(doc)
	return out.Bytes(), err
}

// hide hides a member, a text or a list of them.
func hide(object map[string]any, name string) {
	switch v := object[name].(type) {
	case string:
		object[name] = Hide(v)
	case []any:
		for i := range v {
			if text, is := v[i].(string); is {
				v[i] = Hide(text)
			}
		}
	}
}

// within calls f for all objects within a value.
func within(v any, f func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		f(v)
		for _, inner := range v {
			within(inner, f)
		}
	case []any:
		for _, inner := range v {
			within(inner, f)
		}
	}
}
