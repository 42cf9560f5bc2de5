package api

import (
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
)

// checker compares a body with its schema. It knows the rules that schemas of bodies have (internal/app tests that they have no others), and one way in
// which the contract's clients are given more room than JSON Schema gives them: null is an optional field that is omitted.
type checker struct {
	registry huma.Registry
	fields   Fields
}

// validate adds all schema errors to fields, under the contract's names.
func (r *Router) validate(schema *huma.Schema, v any, fields Fields) {
	checker{r.bodies, fields}.check(schema, "", v)
}

// add adds an error of the field at a path. words say what the field must be.
func (c checker) add(path, code string, params map[string]any, words string, args ...any) {
	c.fields.Coded(path, code, params, "The %s field %s.", path, fmt.Sprintf(words, args...))
}

// limit is what a code says of a limit.
func limit(n any) map[string]any { return map[string]any{"limit": n} }

// below returns the path of a part of what is at a path: "balancing.0.port".
func below(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (c checker) check(s *huma.Schema, path string, v any) {
	for s.Ref != "" {
		s = c.registry.SchemaFromRef(s.Ref)
	}
	if s.AnyOf != nil && !slices.ContainsFunc(s.AnyOf, func(one *huma.Schema) bool { return c.accepts(one, v) }) {
		c.add(path, CodeInvalid, nil, "is not valid")
	}
	if s.Nullable && v == nil {
		return
	}
	ok := true
	switch s.Type {
	case "": // a type with a schema of its own: the limits of the field count for each of its forms
		c.limits(s, path, v)
	case huma.TypeBoolean:
		if _, ok = v.(bool); !ok {
			c.add(path, codeBoolean, nil, "must be true or false")
		}
	case huma.TypeInteger, huma.TypeNumber:
		ok = c.number(s, path, v)
	case huma.TypeString:
		ok = c.text(s, path, v)
	case huma.TypeArray:
		ok = c.list(s, path, v)
	case huma.TypeObject:
		ok = c.object(s, path, v)
	}
	if ok && len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
		c.add(path, codeOneOf, map[string]any{"values": s.Enum}, "must be one of %s", named(s.Enum))
	}
}

// limits adds what the limits of a schema without a type refuse. An integer may be a text.
func (c checker) limits(s *huma.Schema, path string, v any) {
	switch v := v.(type) {
	case float64:
		c.bounds(s, path, v)
	case string:
		if n, err := strconv.ParseInt(v, 10, 64); err == nil && (s.Minimum != nil || s.Maximum != nil) {
			c.bounds(s, path, float64(n))
			return
		}
		c.text(s, path, v)
	case []any:
		for i, item := range v {
			c.limits(s, below(path, strconv.Itoa(i)), item)
		}
	case map[string]any:
		for name, item := range v {
			c.name(below(path, name), name)
			c.limits(&huma.Schema{}, below(path, name), item)
		}
	}
}

// name adds an error for a name that can't be stored.
func (c checker) name(path, name string) {
	if !storable(name) {
		c.add(path, codeNUL, nil, "must not contain NUL")
	}
}

// accepts reports whether a value has no errors by a schema.
func (c checker) accepts(s *huma.Schema, v any) bool {
	found := Fields{}
	checker{c.registry, found}.check(s, "", v)
	return len(found) == 0
}

// named lists the values of an enum; null is not mentioned.
func named(enum []any) string {
	var out []string
	for _, e := range enum {
		if e != nil {
			out = append(out, fmt.Sprint(e))
		}
	}
	return strings.Join(out, ", ")
}

// withUnit matches a number with its unit: 100M, 60s.
var withUnit = regexp.MustCompile(`^[0-9]+ ?[A-Za-z]{1,7}$`)

// number reports whether a value is a number, and adds what is wrong with it.
func (c checker) number(s *huma.Schema, path string, v any) bool {
	n, ok := v.(float64)
	switch {
	case s.Type == huma.TypeInteger && (!ok || n != math.Trunc(n)):
		words := "must be an integer"
		if text, ok := v.(string); ok && withUnit.MatchString(text) {
			words += ", without its unit"
		}
		c.add(path, codeInteger, nil, "%s", words)
	case !ok:
		c.add(path, codeNumber, nil, "must be a number")
	}
	if ok {
		c.bounds(s, path, n)
	}
	return ok
}

func (c checker) bounds(s *huma.Schema, path string, n float64) {
	if s.Minimum != nil && n < *s.Minimum {
		c.add(path, codeLeast, limit(*s.Minimum), "must be at least %v", *s.Minimum)
	}
	if s.Maximum != nil && n > *s.Maximum {
		c.add(path, codeMost, limit(*s.Maximum), "must be at most %v", *s.Maximum)
	}
}

// longLine is the most characters of a text that is one line. Scripts, keys and configurations may be longer.
const longLine = 255

// patternWords says what a pattern of the contract asks for.
func patternWords(pattern string) string {
	switch pattern {
	case `^[^\s]+$`:
		return "must have at least one character, and no blanks"
	case `^[a-z][\-a-z0-9_]*$`:
		return "must begin with a lower-case letter and have only lower-case letters, digits, - and _"
	}
	return "must match " + strings.ReplaceAll(pattern, `"`, "")
}

// text reports whether a value is a text, and adds what is wrong with it.
func (c checker) text(s *huma.Schema, path string, v any) bool {
	text, ok := v.(string)
	if !ok {
		c.add(path, codeText, nil, "must be a text")
		return false
	}
	switch {
	case !storable(text):
		c.add(path, codeNUL, nil, "must not contain NUL")
	case s.MaxLength != nil && *s.MaxLength <= longLine && strings.ContainsFunc(strings.TrimSpace(text), unicode.IsControl):
		c.add(path, codeOneLine, nil, "must be one line of text, without control characters")
	}
	n := utf8.RuneCountInString(text)
	if s.MinLength != nil && n < *s.MinLength {
		c.add(path, codeShortest, limit(*s.MinLength), "must have at least %d characters", *s.MinLength)
	}
	if s.MaxLength != nil && n > *s.MaxLength {
		c.add(path, codeLongest, limit(*s.MaxLength), "must have at most %d characters", *s.MaxLength)
	}
	if s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(text) {
		c.add(path, codePattern, map[string]any{"pattern": s.Pattern}, "%s", patternWords(s.Pattern))
	}
	if words := misformed(s.Format, text); words != "" {
		c.add(path, codeFormat, map[string]any{"format": s.Format}, "%s", words)
	}
	return true
}

// uuid matches the form of RFC 9562, section 4.
var uuid = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// misformed says what a text must be to have a format, "" if it has it.
func misformed(format, text string) string {
	switch format {
	case "email":
		if _, err := mail.ParseAddress(text); err != nil {
			return "must be an email address"
		}
	case "uri":
		if _, err := url.Parse(text); err != nil {
			return "must be a URL"
		}
	case "uuid":
		if !uuid.MatchString(text) {
			return "must be a UUID"
		}
	case "date-time":
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return "must be a time such as 2026-01-31T12:00:00Z"
		}
	}
	return ""
}

// list reports whether a value is a list, and adds what is wrong with it and its items.
func (c checker) list(s *huma.Schema, path string, v any) bool {
	items, ok := v.([]any)
	if !ok {
		c.add(path, codeList, nil, "must be a list")
		return false
	}
	if s.MinItems != nil && len(items) < *s.MinItems {
		c.add(path, codeFewest, limit(*s.MinItems), "must have at least %d items", *s.MinItems)
	}
	if s.MaxItems != nil && len(items) > *s.MaxItems {
		c.add(path, codeMostItems, limit(*s.MaxItems), "must have at most %d items", *s.MaxItems)
	}
	if s.UniqueItems && repeats(items) {
		c.add(path, codeDuplicate, nil, "must not hold the same item twice")
	}
	for i, item := range items {
		c.check(s.Items, below(path, strconv.Itoa(i)), item)
	}
	return true
}

// repeats reports whether a list has a text or a number twice. The operation checks objects: it can say what they have in common.
func repeats(items []any) bool {
	seen := map[any]bool{}
	for _, item := range items {
		switch item.(type) {
		case map[string]any, []any:
			continue
		}
		if seen[item] {
			return true
		}
		seen[item] = true
	}
	return false
}

// object reports whether a value is an object, and adds what is wrong with its fields. Unknown ones are ignored.
func (c checker) object(s *huma.Schema, path string, v any) bool {
	fields, ok := v.(map[string]any)
	if !ok {
		c.add(path, codeObject, nil, "must be an object")
		return false
	}
	for name, property := range s.Properties {
		value, sent := fields[name]
		required := slices.Contains(s.Required, name) && !property.ReadOnly
		switch at := below(path, name); {
		case !sent && required:
			if near := nearest(s.Properties, fields, name); near != "" {
				c.fields.Coded(at, CodeRequired, nil, "The %s field is required: %s is not a field.", at, headerName(near))
				break
			}
			c.fields.Coded(at, CodeRequired, nil, "The %s field is required.", at)
		case sent && (value != nil || required):
			c.check(property, at, value)
		}
	}
	if others, ok := s.AdditionalProperties.(*huma.Schema); ok {
		for name, value := range fields {
			if s.Properties[name] == nil {
				c.name(below(path, name), name)
				c.check(others, below(path, name), value)
			}
		}
	}
	return true
}

// exact removes the names of objects that differ from known ones in nothing but case, and reports whether there were any: encoding/json would take them for
// the known ones, and to the schema they are unknown.
func (c checker) exact(s *huma.Schema, v any) (removed bool) {
	for s.Ref != "" {
		s = c.registry.SchemaFromRef(s.Ref)
	}
	for _, one := range s.AnyOf {
		removed = c.exact(one, v) || removed
	}
	switch v := v.(type) {
	case []any:
		if s.Items == nil {
			return removed
		}
		for _, item := range v {
			removed = c.exact(s.Items, item) || removed
		}
	case map[string]any:
		others, _ := s.AdditionalProperties.(*huma.Schema)
		folded := map[string]bool{}
		for name := range s.Properties {
			folded[fold(name)] = true
		}
		for name, value := range v {
			switch known := s.Properties[name]; {
			case known != nil:
				removed = c.exact(known, value) || removed
			case others != nil:
				removed = c.exact(others, value) || removed
			case folded[fold(name)]:
				delete(v, name)
				removed = true
			}
		}
	}
	return removed
}

// meant returns a value with each part as its schema spells it where it is spelled otherwise, and reports whether there was any. Forms, environments of
// pipelines and YAML know texts only, or numbers where a text is asked for: "2" is an integer, 1 is true, 5432 is a text; and an enum's value counts in any
// case of its letters.
func (c checker) meant(s *huma.Schema, v any) (any, bool) {
	for s.Ref != "" {
		s = c.registry.SchemaFromRef(s.Ref)
	}
	changed := false
	switch v := v.(type) {
	case []any:
		if len(v) == 0 && s.Type == huma.TypeObject { // PHP's empty array
			return map[string]any{}, true
		}
		for i, item := range v {
			if s.Items == nil {
				break
			}
			now, did := c.meant(s.Items, item)
			v[i], changed = now, changed || did
		}
	case map[string]any:
		others, _ := s.AdditionalProperties.(*huma.Schema)
		for name, value := range v {
			known := s.Properties[name]
			if known == nil {
				known = others
			}
			if known == nil {
				continue
			}
			if value == "" && c.chosen(known) && !slices.Contains(s.Required, name) { // answers have it where nothing is chosen
				v[name], changed = nil, true
				continue
			}
			now, did := c.meant(known, value)
			v[name], changed = now, changed || did
		}
	case string, float64:
		if now := spelled(s, v); now != v {
			return now, true
		}
	}
	return v, changed
}

// chosen reports whether a schema lists its values, and the empty text is none of them.
func (c checker) chosen(s *huma.Schema) bool {
	for s.Ref != "" {
		s = c.registry.SchemaFromRef(s.Ref)
	}
	return len(s.Enum) > 0 && !slices.Contains(s.Enum, any(""))
}

// wholeFloat is the largest integer below which a float64 holds all of them.
const wholeFloat = 1 << 53

// decimal matches a number as people write one.
var decimal = regexp.MustCompile(`^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,9})?$`)

const letters = "abcdefghijklmnopqrstuvwxyz"

// dotted matches the version of a program that is named by two numbers.
var dotted = regexp.MustCompile(`^[0-9]\.[0-9]$`)

// spelled returns a text or a number as a schema spells it; the value itself if that is not clear.
func spelled(s *huma.Schema, v any) any {
	text, isText := v.(string)
	number, isNumber := v.(float64)
	switch s.Type {
	case huma.TypeInteger:
		if n, err := strconv.ParseInt(text, 10, 64); isText && err == nil && strconv.FormatInt(n, 10) == text && n > -wholeFloat && n < wholeFloat {
			return float64(n)
		}
	case huma.TypeNumber:
		if decimal.MatchString(text) {
			if f, err := strconv.ParseFloat(text, 64); err == nil {
				return f
			}
		}
	case huma.TypeBoolean:
		switch {
		case isText && (text == "1" || text == "true"), isNumber && number == 1:
			return true
		case isText && (text == "0" || text == "false"), isNumber && number == 0:
			return false
		}
	case huma.TypeString:
		if s.Extensions[SecretExtension] != nil { // a password whose first zeros were lost would be another one
			return v
		}
		if isNumber && len(s.Enum) > 0 {
			if text := strconv.FormatFloat(number, 'f', -1, 64); dotted.MatchString(text) {
				return spelled(s, text)
			}
		}
		if isNumber && number == math.Trunc(number) && math.Abs(number) < wholeFloat {
			return spelled(s, strconv.FormatInt(int64(number), 10))
		}
		if !isText || slices.Contains(s.Enum, v) {
			return v
		}
		for _, one := range s.Enum {
			if known, ok := one.(string); ok && bare(known) == bare(text) {
				return known
			}
		}
		if i := slices.IndexFunc(s.Enum, func(one any) bool {
			return dotted.MatchString(text) && strings.TrimLeft(fmt.Sprint(one), letters) == bare(text)
		}); i >= 0 {
			return s.Enum[i] // a version by its numbers, where the list has them behind the program's name
		}
	}
	return v
}
