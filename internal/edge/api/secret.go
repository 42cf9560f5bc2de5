package api

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/hostlerhq/hostler/internal/ground/secret"
)

// Secret is a secret in a request or in an answer. Only the answer to the caller who requested it shows the text: wherever else
// the value is printed, logged or marshalled, as in the audit log and in answers stored for an Idempotency-Key, it is [redacted].
type Secret struct {
	text  string
	shown bool
}

// SecretOf marks a text as a secret.
func SecretOf(text string) Secret { return Secret{text: text} }

// SecretsOf marks texts as secrets.
func SecretsOf(texts []string) []Secret {
	out := make([]Secret, len(texts))
	for i, text := range texts {
		out[i].text = text
	}
	return out
}

// NullSecretOf marks a text that may be missing.
func NullSecretOf(text *string) *Secret {
	if text == nil {
		return nil
	}
	return &Secret{text: *text}
}

// Reveal returns the text.
func (s Secret) Reveal() string { return s.text }

// RevealNull returns the text, nil if there is none.
func (s *Secret) RevealNull() *string {
	if s == nil {
		return nil
	}
	return &s.text
}

// IsZero reports whether the secret is empty, for omitzero.
func (s Secret) IsZero() bool { return s.text == "" }

// redacted returns the redacted form; an empty secret has nothing to hide.
func (s Secret) redacted() secret.String { return secret.String(s.text) }

func (s Secret) String() string       { return s.redacted().String() }
func (s Secret) GoString() string     { return s.redacted().GoString() }
func (s Secret) LogValue() slog.Value { return s.redacted().LogValue() }

// Format prints [redacted] for every verb.
func (s Secret) Format(f fmt.State, verb rune) { s.redacted().Format(f, verb) }

// MarshalJSON prints the text in an answer to the caller, and [redacted] anywhere else. An empty text hides nothing.
func (s Secret) MarshalJSON() ([]byte, error) {
	if s.shown || s.text == "" {
		return json.Marshal(s.text)
	}
	return json.Marshal(s.redacted())
}

// UnmarshalJSON reads the text of a request.
func (s *Secret) UnmarshalJSON(raw []byte) error { return json.Unmarshal(raw, &s.text) }

// SecretExtension marks the secrets of the description.
const SecretExtension = "x-hostler-secret"

// Schema describes the text and marks it.
func (Secret) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: map[string]any{SecretExtension: true}}
}

// revealer shows the secrets of answers. It knows which types can contain some, and encodes all others unchanged.
type revealer struct{ holds sync.Map } // reflect.Type: bool

// shown returns v with its secrets shown: a copy, if it has any. A nil revealer shows none.
func (r *revealer) shown(v any) any {
	if r == nil {
		return v
	}
	value := reflect.ValueOf(v)
	if !value.IsValid() || !r.canHold(value.Type(), nil) {
		return v
	}
	return r.copy(value).Interface()
}

var typeOfSecret = reflect.TypeFor[Secret]()

// canHold reports whether a value of a type can contain a Secret. Any value can be behind an interface.
func (r *revealer) canHold(t reflect.Type, within []reflect.Type) bool {
	if t == typeOfSecret {
		return true
	}
	if known, ok := r.holds.Load(t); ok {
		return known.(bool)
	}
	for _, outer := range within { // a recursive type contains what its other fields contain
		if outer == t {
			return false
		}
	}
	inner, can := append(within[:len(within):len(within)], t), false
	switch t.Kind() {
	case reflect.Interface:
		can = true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		can = r.canHold(t.Elem(), inner)
	case reflect.Struct:
		for i := range t.NumField() {
			can = can || t.Field(i).IsExported() && r.canHold(t.Field(i).Type, inner)
		}
	default:
	}
	if len(within) == 0 || can { // a negative result within a cycle may be due to the cycle
		r.holds.Store(t, can)
	}
	return can
}

func (r *revealer) copy(v reflect.Value) reflect.Value {
	t := v.Type()
	if t == typeOfSecret {
		return reflect.ValueOf(Secret{text: v.Interface().(Secret).text, shown: true})
	}
	if !r.canHold(t, nil) {
		return v
	}
	out := reflect.New(t).Elem()
	out.Set(v)
	switch t.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(r.copy(v.Elem()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(t.Elem()))
			out.Elem().Set(r.copy(v.Elem()))
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(t, v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(r.copy(v.Index(i)))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			out.Index(i).Set(r.copy(v.Index(i)))
		}
	case reflect.Map:
		if !v.IsNil() {
			out.Set(reflect.MakeMapWithSize(t, v.Len()))
			for _, key := range v.MapKeys() {
				out.SetMapIndex(key, r.copy(v.MapIndex(key)))
			}
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				out.Field(i).Set(r.copy(v.Field(i)))
			}
		}
	default:
	}
	return out
}
