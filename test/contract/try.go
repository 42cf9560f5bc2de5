package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Try is one value that the contract allows in one field of a request.
type Try struct {
	Operation string
	// At is the path of the field; .* is any item of a list.
	At    string
	Value any
	// Free is set if the contract says no more than the type: a sensible value has to be found by whoever sends the request.
	Free bool
	// Refused is why we refuse the value, or empty.
	Refused string
}

func (t Try) String() string { return fmt.Sprintf("%s %s=%.60s", t.Operation, t.At, text(t.Value)) }

// valueDeviation is what a request refuses although the contract's schema allows it.
type valueDeviation struct {
	Operation string `json:"operation"`
	At        string `json:"at"`
	// Values are those that are refused; without them all values of the field are.
	Values []any  `json:"values"`
	Reason string `json:"reason"`
}

func (d valueDeviation) fits(t Try) bool {
	return d.Operation == t.Operation && d.At == t.At && (d.Values == nil || slices.ContainsFunc(d.Values, func(v any) bool { return text(v) == text(t.Value) }))
}

// Tries returns every field of every request with the values that the contract allows: each value of a list of values, null,
// both booleans, the smallest and the largest number, the longest text, a list without items, and a value of the type. What we
// added to the contract is left out. It fails if a deviation of values fits none of them.
func Tries() ([]Try, error) { return load().tries() }

func (b *book) tries() ([]Try, error) {
	var tries []Try
	for _, op := range b.operations {
		if e := b.byID[op.ID]; e.body != nil {
			b.values(op.ID, "", e.body, &tries)
		}
	}
	for _, d := range b.deviations.Values {
		used := 0
		for i := range tries {
			if d.fits(tries[i]) {
				tries[i].Refused = d.Reason
				used++
			}
		}
		if used < max(1, len(d.Values)) || d.Reason == "" {
			return nil, fmt.Errorf("deviation of values at %s %s: the contract does not have all of them, or no reason given", d.Operation, d.At)
		}
	}
	return tries, nil
}

// values adds the values of the field at a path.
func (b *book) values(op, at string, s *schema, tries *[]Try) {
	if s.extends {
		return
	}
	if s.original != nil {
		s = s.original
	}
	add := func(v any, free bool) { *tries = append(*tries, Try{Operation: op, At: at, Value: v, Free: free}) }
	if s.null {
		add(nil, false)
	}
	for _, kind := range slices.Sorted(maps.Keys(s.kinds)) {
		for _, a := range s.kinds[kind] {
			switch {
			case kind == "object":
				for _, name := range slices.Sorted(maps.Keys(a.props)) {
					b.values(op, strings.TrimPrefix(at+"."+name, "."), a.props[name], tries)
				}
			case kind == "array":
				if a.limits["minItems"] == "" {
					add([]any{}, false)
				}
				if all, ok := a.items.words(); ok { // one list has all of them
					add(all, false)
					break
				}
				b.values(op, at+".*", a.items, tries)
			case a.enum != nil:
				for _, v := range a.enumerated() {
					add(v, false)
				}
			default:
				a.scalars(kind, add)
			}
		}
	}
}

// words returns the values of a schema that is nothing but a list of texts.
func (s *schema) words() ([]any, bool) {
	list := s.kinds["string"]
	if len(s.kinds) != 1 || len(list) != 1 || list[0].enum == nil {
		return nil, false
	}
	return list[0].enumerated(), true
}

func (a *alt) enumerated() []any {
	values := make([]any, len(a.enum))
	for i, e := range a.enum {
		if err := json.Unmarshal([]byte(e), &values[i]); err != nil {
			panic(err) // written by us
		}
	}
	return values
}

func (a *alt) scalars(kind string, add func(v any, free bool)) {
	limit := func(word string) (int64, bool) {
		n, err := strconv.ParseInt(a.limits[word], 10, 64)
		return n, err == nil
	}
	switch kind {
	case "boolean":
		add(true, false)
		add(false, false)
	case "integer", "number":
		for _, word := range []string{"minimum", "maximum"} {
			if n, ok := limit(word); ok {
				add(n, false)
			}
		}
		add(int64(7), true)
	case "string":
		switch a.format {
		case "email":
			add("someone@example.com", false)
		case "uri":
			add("https://app.example.com/x", true)
		case "uuid":
			add("5b2a1a52-9d6e-4f0e-8f0a-0a1b2c3d4e5f", false)
		default:
			add("text", true)
			if n, ok := limit("maxLength"); ok {
				add(strings.Repeat("a", int(n)), false)
			}
		}
	}
}
