package api

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/hostlerhq/hostler/internal/edge/access"
)

// IntegerText is an integer that some clients send as text.
type IntegerText int64

// UnmarshalJSON accepts 4 and "4".
func (i *IntegerText) UnmarshalJSON(raw []byte) error {
	n, err := strconv.ParseInt(strings.Trim(string(raw), `"`), 10, 64)
	if err != nil {
		return &json.UnmarshalTypeError{Value: "text", Type: reflect.TypeFor[int64]()}
	}
	*i = IntegerText(n)
	return nil
}

// Schema describes both forms.
func (IntegerText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{{Type: huma.TypeInteger}, {Type: huma.TypeString}}}
}

// TextOrList is a text, or a list of texts.
type TextOrList []string

// UnmarshalJSON accepts both forms.
func (t *TextOrList) UnmarshalJSON(raw []byte) error {
	var one string
	if err := json.Unmarshal(raw, &one); err == nil {
		*t = TextOrList{one}
		return nil
	}
	return json.Unmarshal(raw, (*[]string)(t))
}

// Schema describes both forms.
func (TextOrList) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{AnyOf: []*huma.Schema{{Type: huma.TypeString}, {Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeString}}}}
}

// NullTextOrList is a TextOrList or null.
type NullTextOrList struct{ TextOrList }

// UnmarshalJSON accepts all forms.
func (t *NullTextOrList) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		t.TextOrList = nil
		return nil
	}
	return t.TextOrList.UnmarshalJSON(raw)
}

// Schema describes all forms.
func (NullTextOrList) Schema(r huma.Registry) *huma.Schema {
	s := TextOrList{}.Schema(r)
	s.AnyOf[0].Nullable = true // the validator accepts everything for a schema of the type null
	return s
}

// String returns the texts, separated by commas.
func (t TextOrList) String() string { return strings.Join(t, ",") }

// PermissionName is a permission in a body.
type PermissionName string

// Schema describes it as the component Permission.
func (PermissionName) Schema(r huma.Registry) *huma.Schema {
	const name = "Permission"
	if r.Map()[name] == nil {
		s := &huma.Schema{Type: huma.TypeString}
		for _, p := range access.All() {
			s.Enum = append(s.Enum, string(p))
		}
		s.PrecomputeMessages()
		r.Map()[name] = s
	}
	return &huma.Schema{Ref: componentRef + name}
}

// OrNull returns a pointer to v, nil if it is zero.
func OrNull[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// SameOrNil reports whether both are nil, or both point to the same value.
func SameOrNil[T comparable](a, b *T) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// NullText returns the text of a value for a document, null for its zero value.
func NullText[V interface {
	IsZero() bool
	String() string
}](v V) *string {
	if v.IsZero() {
		return nil
	}
	return new(v.String())
}
