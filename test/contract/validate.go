package contract

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// findings collects what is wrong, each once, in the order found.
type findings []string

func (f *findings) add(at, format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if at != "" {
		line = at + ": " + line
	}
	if !slices.Contains(*f, line) {
		*f = append(*f, line)
	}
}

var timestamp = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$`)

// check reports where a decoded value departs from the schema. It is stricter than JSON schema: an object has no names that its
// schema does not know, and a resource has its attributes.
func (s *schema) check(v any, at string, f *findings) {
	kind := kindOf(v)
	switch {
	case s.any:
		return
	case kind == "null":
		if !s.null {
			f.add(at, "is null, want %s", s.types())
		}
		return
	}
	alts := s.kinds[kind]
	if kind == "integer" && alts == nil {
		alts = s.kinds["number"]
	}
	if len(alts) == 0 {
		f.add(at, "is %s %s, want %s", article(kind), short(v), s.types())
		return
	}
	if m := object(v); m != nil && len(alts) > 1 {
		a := byTypeName(alts, m)
		if a == nil && alts[0].isResource() {
			f.add(at, "has type %s, which does not belong here", short(m["type"]))
			return
		}
		if a != nil {
			alts = []*alt{a}
		}
	}
	var best findings
	for i, a := range alts {
		var found findings
		a.check(v, at, &found)
		if i == 0 || len(found) < len(best) {
			best = found
		}
	}
	for _, line := range best {
		f.add("", "%s", line)
	}
}

func byTypeName(alts []*alt, m map[string]any) *alt {
	for _, a := range alts {
		if t := a.props["type"]; t != nil && len(t.kinds["string"]) == 1 && slices.Contains(t.kinds["string"][0].enum, text(m["type"])) {
			return a
		}
	}
	return nil
}

func (a *alt) check(v any, at string, f *findings) {
	if a.enum != nil && !slices.Contains(a.enum, text(v)) {
		f.add(at, "is %s, which is not among %v", short(v), a.enum)
	}
	switch v := v.(type) {
	case string:
		a.checkString(v, at, f)
	case []any:
		for i, e := range v {
			a.items.check(e, fmt.Sprintf("%s[%d]", at, i), f)
		}
		a.limit("minItems", at, f, func(n float64) bool { return float64(len(v)) >= n })
		a.limit("maxItems", at, f, func(n float64) bool { return float64(len(v)) <= n })
	case map[string]any:
		a.checkObject(v, at, f)
	case interface{ Float64() (float64, error) }:
		n, err := v.Float64()
		if err != nil {
			f.add(at, "is not a number: %v", err)
		}
		a.limit("minimum", at, f, func(min float64) bool { return n >= min })
		a.limit("maximum", at, f, func(max float64) bool { return n <= max })
	}
}

func (a *alt) limit(word, at string, f *findings, holds func(float64) bool) {
	limit, ok := a.limits[word]
	if !ok {
		return
	}
	if n, err := strconv.ParseFloat(limit, 64); err != nil || !holds(n) {
		f.add(at, "breaks %s %s", word, limit)
	}
}

func (a *alt) checkString(v, at string, f *findings) {
	switch a.format {
	case "date-time":
		if _, err := time.Parse(time.RFC3339Nano, v); err != nil || !timestamp.MatchString(v) {
			f.add(at, "is %q, not a UTC time with six decimals such as 2025-07-29T09:00:00.000000Z", v)
		}
	case "uri":
		if u, err := url.Parse(v); err != nil || !u.IsAbs() || u.Host == "" {
			f.add(at, "is %q, not a URI with scheme and host", v)
		}
	}
	if a.pattern != "" {
		if re, err := regexp.Compile(a.pattern); err != nil || !re.MatchString(v) {
			f.add(at, "is %q, which does not match %s", v, a.pattern)
		}
	}
	n := float64(utf8.RuneCountInString(v))
	a.limit("minLength", at, f, func(min float64) bool { return n >= min })
	a.limit("maxLength", at, f, func(max float64) bool { return n <= max })
}

func (a *alt) checkObject(m map[string]any, at string, f *findings) {
	for _, name := range sortedKeys(a.required) {
		if _, ok := m[name]; !ok && !a.free[name] {
			f.add(join(at, name), "is missing")
		}
	}
	if _, ok := m["attributes"]; !ok && a.isResource() && a.props["attributes"] != nil {
		f.add(join(at, "attributes"), "is missing")
	}
	for _, name := range sortedKeys(m) {
		if p := a.props[name]; p != nil {
			p.check(m[name], join(at, name), f)
			continue
		}
		switch {
		case a.extra != nil:
			a.extra.check(m[name], join(at, name), f)
		case len(a.props) == 0 && !a.closed: // an object that the contract does not describe
		case name == "meta" && (a.isResource() || a.props["data"] != nil && at == ""):
			if kindOf(m[name]) != "object" {
				f.add(join(at, name), "is %s, want an object", article(kindOf(m[name])))
			}
		case name == "links" && a.isResource():
			resourceLinks().check(m[name], join(at, name), f)
		default:
			f.add(join(at, name), "is not in the contract")
		}
	}
	if id, ok := m["id"].(string); ok && id == "" && a.props["type"] != nil {
		f.add(join(at, "id"), "is empty")
	}
}

// isResource reports whether an object is a resource object, rather than a mere identifier.
func (a *alt) isResource() bool {
	return a.props["id"] != nil && a.props["type"] != nil && (a.props["attributes"] != nil || a.props["links"] != nil)
}

// resourceLinks returns what the links of a resource look like where the contract lists none for it: any resource may
// have them.
func resourceLinks() *schema {
	return (&reader{}).read(objectOf(map[string]any{"self": linkSchema()}))
}

// anyResource returns a resource of which only the envelope is known.
func anyResource() *schema {
	return (&reader{}).read(objectOf(map[string]any{
		"id": map[string]any{"type": "string"}, "type": map[string]any{"type": "string"},
		"attributes": map[string]any{}, "relationships": map[string]any{},
		"links": objectOf(map[string]any{"self": linkSchema()}, "self"),
	}, "id", "type"))
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

func article(kind string) string {
	switch kind {
	case "integer", "array", "object":
		return "an " + kind
	case "null":
		return kind
	}
	return "a " + kind
}

func short(v any) string {
	s := text(v)
	if len(s) > 60 {
		s = s[:57] + "…"
	}
	return s
}
