package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// schema is a JSON schema in a normal form, in which texts that mean the same are equal: references are resolved,
// allOf is merged, anyOf and type lists become alternatives by JSON type, null is one flag, const is an enum of one.
type schema struct {
	any      bool              // whatever is allowed
	null     bool              // null is allowed
	kinds    map[string][]*alt // alternatives by JSON type
	extends  bool              // marked x-hostler-extension
	original *schema           // what the contract says where a recorded deviation replaced it
}

// alt is one alternative of one JSON type.
type alt struct {
	enum     []string // JSON texts, sorted; nil means any value
	format   string
	pattern  string
	limits   map[string]string // minimum, maxLength … as JSON texts
	items    *schema
	props    map[string]*schema
	required map[string]bool
	free     map[string]bool // a recorded deviation leaves open whether these are required
	extra    *schema         // additionalProperties
	closed   bool            // additionalProperties: false
}

var limitWords = []string{
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minLength", "maxLength", "minItems", "maxItems", "uniqueItems",
}

// reader turns the schemas of one document into normal form.
type reader struct {
	components map[string]any
	refs       map[string]*schema
}

func newReader(doc map[string]any) *reader {
	return &reader{components: object(doc["components"]), refs: map[string]*schema{}}
}

// resolve follows references to their target.
func (r *reader) resolve(raw any) map[string]any {
	m := object(raw)
	for depth := 0; depth < 32; depth++ {
		ref, ok := m["$ref"].(string)
		if !ok {
			return m
		}
		parts := strings.Split(strings.TrimPrefix(ref, "#/components/"), "/")
		if len(parts) != 2 {
			return nil
		}
		m = object(object(r.components[parts[0]])[parts[1]])
	}
	return nil
}

func (r *reader) read(raw any) *schema {
	m, ok := raw.(map[string]any)
	if !ok || len(m) == 0 {
		return &schema{any: true}
	}
	if ref, ok := m["$ref"].(string); ok {
		if rest := meaningful(m, "$ref"); len(rest) > 0 {
			return r.read(map[string]any{"allOf": []any{map[string]any{"$ref": ref}, rest}})
		}
		if s, ok := r.refs[ref]; ok {
			return s
		}
		s := &schema{}
		r.refs[ref] = s // before it is read, so that a schema may refer to itself
		*s = *r.read(r.resolve(m))
		return s
	}
	if _, ok := m["allOf"]; ok {
		return r.read(r.merge(m))
	}
	s := &schema{kinds: map[string][]*alt{}}
	s.extends, _ = m["x-hostler-extension"].(bool)
	if original, ok := m["x-original"]; ok {
		s.original = r.read(original)
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if list, ok := m[word].([]any); ok {
			rest := meaningful(m, word)
			delete(rest, "type") // a type beside anyOf repeats it
			for _, part := range list {
				if len(rest) > 0 {
					part = map[string]any{"allOf": []any{part, rest}}
				}
				s.union(r.read(part))
			}
			return s
		}
	}
	r.readKinds(s, m)
	return s
}

// readKinds reads a schema that has no references or combinations at its top.
func (r *reader) readKinds(s *schema, m map[string]any) {
	values, hasEnum := m["enum"].([]any)
	if c, ok := m["const"]; ok {
		values, hasEnum = []any{c}, true
	}
	types := typesOf(m, values)
	if len(types) == 0 {
		s.any = true
		return
	}
	for _, kind := range types {
		if kind == "null" {
			s.null = !hasEnum || slices.Contains(values, nil)
			continue
		}
		a := &alt{limits: map[string]string{}}
		if hasEnum {
			a.enum = []string{}
			for _, v := range values {
				if v != nil {
					a.enum = append(a.enum, text(v))
				}
			}
			slices.Sort(a.enum)
		}
		a.format, _ = m["format"].(string)
		switch kind {
		case "string":
			a.pattern, _ = m["pattern"].(string)
		case "integer", "number":
			a.format = "" // int64 and the like describe storage, not what is sent
		case "array":
			a.items = r.read(m["items"])
		case "object":
			r.readObject(a, m)
		}
		for _, word := range limitWords {
			if v, ok := m[word]; ok && v != false && limits(word, kind) {
				a.limits[word] = text(v)
			}
		}
		s.kinds[kind] = append(s.kinds[kind], a)
	}
}

func (r *reader) readObject(a *alt, m map[string]any) {
	a.props, a.required, a.free = map[string]*schema{}, set(m["required"]), set(m["x-free-required"])
	for name, p := range object(m["properties"]) {
		a.props[name] = r.read(p)
	}
	switch extra := m["additionalProperties"].(type) {
	case bool:
		a.closed = !extra
	case map[string]any:
		a.extra = r.read(extra)
	}
}

// merge turns allOf into one schema. Where parts disagree, the later one wins: the contract's generator appends what
// it learned from comments to what it learned from rules.
func (r *reader) merge(m map[string]any) map[string]any {
	merged := map[string]any{}
	parts, _ := m["allOf"].([]any)
	for _, part := range append(slices.Clone(parts), any(meaningful(m, "allOf"))) {
		p := r.resolve(part)
		if _, ok := p["allOf"]; ok {
			p = r.merge(p)
		}
		mergeInto(merged, p)
	}
	return merged
}

func mergeInto(into, from map[string]any) {
	for word, v := range from {
		switch word {
		case "properties":
			props := maps.Clone(object(into[word]))
			if props == nil {
				props = map[string]any{}
			}
			for name, p := range object(v) {
				old, isOld := props[name].(map[string]any)
				now, isNew := p.(map[string]any)
				if isOld && isNew && old["type"] == "object" && now["type"] == "object" {
					both := maps.Clone(old)
					mergeInto(both, now)
					props[name] = both
					continue
				}
				props[name] = p
			}
			into[word] = props
		case "required":
			old, _ := into[word].([]any)
			add, _ := v.([]any)
			into[word] = append(slices.Clone(old), add...)
		default:
			into[word] = v
		}
	}
}

// union adds the alternatives of o. A string that may be anything swallows a string that may be some things, and two
// lists of values become one.
func (s *schema) union(o *schema) {
	s.any = s.any || o.any
	s.null = s.null || o.null
	for kind, alts := range o.kinds {
	next:
		for _, a := range alts {
			for i, b := range s.kinds[kind] {
				switch {
				case a.plain() && kind != "object" && kind != "array":
					s.kinds[kind] = []*alt{a}
					continue next
				case b.plain() && kind != "object" && kind != "array":
					continue next
				case a.onlyEnum() && b.onlyEnum():
					both := append(slices.Clone(b.enum), a.enum...)
					slices.Sort(both)
					s.kinds[kind][i] = &alt{enum: slices.Compact(both), limits: map[string]string{}}
					continue next
				}
			}
			s.kinds[kind] = append(slices.Clone(s.kinds[kind]), a)
		}
	}
}

func (a *alt) plain() bool {
	return a.enum == nil && a.format == "" && a.pattern == "" && len(a.limits) == 0
}

func (a *alt) onlyEnum() bool {
	return a.enum != nil && a.format == "" && a.pattern == "" && len(a.limits) == 0 && a.props == nil && a.items == nil
}

// object returns the only object alternative, or nil.
func (s *schema) object() *alt {
	if s == nil || len(s.kinds["object"]) != 1 {
		return nil
	}
	return s.kinds["object"][0]
}

// prop returns the schema of a property of the only object alternative, or nil.
func (s *schema) prop(name string) *schema {
	if a := s.object(); a != nil {
		return a.props[name]
	}
	return nil
}

// types names what JSON types are allowed, for messages.
func (s *schema) types() string {
	if s.any {
		return "anything"
	}
	names := slices.Sorted(maps.Keys(s.kinds))
	if s.null {
		names = append(names, "null")
	}
	return strings.Join(names, " or ")
}

// meaningful returns m without one word and without those that are for people or for other readers.
func meaningful(m map[string]any, without string) map[string]any {
	rest := map[string]any{}
	for word, v := range m {
		switch word {
		case without, "description", "title", "example", "examples", "default", "deprecated", "readOnly", "writeOnly", "$schema", "$comment":
			continue
		}
		if strings.HasPrefix(word, "x-") && word != "x-hostler-extension" {
			continue
		}
		rest[word] = v
	}
	return rest
}

func typesOf(m map[string]any, values []any) []string {
	switch t := m["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var types []string
		for _, v := range t {
			types = append(types, fmt.Sprint(v))
		}
		return types
	}
	var types []string
	for _, v := range values { // no type, but values that tell it
		if k := kindOf(v); !slices.Contains(types, k) {
			types = append(types, k)
		}
	}
	if len(types) == 0 && (m["properties"] != nil || m["required"] != nil) {
		return []string{"object"}
	}
	return types
}

func limits(word, kind string) bool {
	switch word {
	case "minLength", "maxLength":
		return kind == "string"
	case "minItems", "maxItems", "uniqueItems":
		return kind == "array"
	default:
		return kind == "integer" || kind == "number"
	}
}

// kindOf returns the JSON type of a decoded value.
func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	case float64:
		return "number"
	case []any:
		return "array"
	default:
		return "object"
	}
}

func object(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

func set(v any) map[string]bool {
	m := map[string]bool{}
	list, _ := v.([]any)
	for _, e := range list {
		m[fmt.Sprint(e)] = true
	}
	return m
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

func decode(data []byte) (any, error) {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("read JSON: %w", err)
	}
	if d.More() {
		return nil, fmt.Errorf("read JSON: more than one value")
	}
	return v, nil
}
