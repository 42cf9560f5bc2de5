package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// comparison compares a schema of ours with one of the contract.
type comparison struct {
	request bool
	busy    map[[2]*schema]bool
}

func (c *comparison) schemas(want, got *schema, at string, f *findings) {
	if want.original != nil {
		var asContract, asDeviation findings
		c.bare(want.original, got, at, &asContract)
		c.bare(want, got, at, &asDeviation)
		if len(asContract) > 0 && len(asDeviation) > 0 {
			*f = append(*f, asDeviation...)
		}
		return
	}
	c.bare(want, got, at, f)
}

func (c *comparison) bare(want, got *schema, at string, f *findings) {
	if got == nil {
		f.add(at, "has no schema")
		return
	}
	if want.any {
		return
	}
	pair := [2]*schema{want, got}
	if c.busy[pair] {
		return
	}
	if c.busy == nil {
		c.busy = map[[2]*schema]bool{}
	}
	c.busy[pair] = true
	defer delete(c.busy, pair)
	if want.types() != got.types() {
		f.add(at, "is %s, want %s", got.types(), want.types())
	}
	for _, kind := range sortedKeys(want.kinds) {
		if len(got.kinds[kind]) > 0 {
			c.alternatives(kind, want.kinds[kind], got.kinds[kind], at, f)
		}
	}
}

// alternatives pairs each alternative of the contract with one of ours, and each of ours with one of the contract.
func (c *comparison) alternatives(kind string, want, got []*alt, at string, f *findings) {
	if len(want) == 1 && len(got) == 1 {
		c.alts(kind, want[0], got[0], at, f)
		return
	}
	used := map[*alt]bool{}
	for i, w := range want {
		var best findings
		var partner *alt
		for _, g := range got {
			var found findings
			c.alts(kind, w, g, fmt.Sprintf("%s (alternative %d)", at, i+1), &found)
			if partner == nil || len(found) < len(best) {
				best, partner = found, g
			}
		}
		used[partner] = true
		*f = append(*f, best...)
	}
	for _, g := range got {
		if !used[g] {
			f.add(at, "has %d alternatives, want %d", len(got), len(want))
			break
		}
	}
}

func (c *comparison) alts(kind string, want, got *alt, at string, f *findings) {
	if !slices.Equal(want.enum, got.enum) {
		f.add(at, "allows %s, want %s", values(got.enum), values(want.enum))
	}
	if want.format != got.format && (c.request || want.format != "") {
		f.add(at, "format is %q, want %q", got.format, want.format)
	}
	if want.pattern != got.pattern && (c.request || want.pattern != "") {
		f.add(at, "pattern is %q, want %q", got.pattern, want.pattern)
	}
	if !maps.Equal(want.limits, got.limits) {
		for _, word := range limitWords {
			w, g := want.limits[word], got.limits[word]
			if w != g && (c.request || w != "") {
				f.add(at, "%s is %s, want %s", word, orNone(g), orNone(w))
			}
		}
	}
	switch kind {
	case "array":
		c.schemas(want.items, got.items, at+"[]", f)
	case "object":
		c.objects(want, got, at, f)
	}
}

func (c *comparison) objects(want, got *alt, at string, f *findings) {
	for _, name := range sortedKeys(want.props) {
		where := at + "." + name
		p, ok := got.props[name]
		if !ok {
			if !want.props[name].extends { // an addition of ours need not be everywhere
				f.add(where, "is missing")
			}
			continue
		}
		c.schemas(want.props[name], p, where, f)
		switch {
		case want.required[name] == got.required[name], want.free[name]:
		case !c.request && got.required[name]: // a response may promise more
		default:
			f.add(where, "required is %t, want %t", got.required[name], want.required[name])
		}
	}
	for _, name := range sortedKeys(got.props) {
		switch {
		case want.props[name] != nil, got.props[name].extends && !(c.request && got.required[name]):
		case len(want.props) == 0 && want.extra == nil: // an object that the contract does not describe
		case !c.request && name == "meta" && (want.isResource() || want.props["data"] != nil):
		case !c.request && name == "links" && want.isResource():
		default:
			f.add(at+"."+name, "is not in the contract and not marked x-hostler-extension")
		}
	}
	if c.request && got.closed && !want.closed {
		f.add(at, "refuses properties that it does not know, the contract does not")
	}
	switch {
	case want.extra == nil:
	case got.extra == nil:
		f.add(at, "does not say what its values are")
	default:
		c.schemas(want.extra, got.extra, at+".*", f)
	}
}

func sameSet(f *findings, at, what string, want, got []string) {
	for _, w := range want {
		if !slices.Contains(got, w) {
			f.add(at, "%s %s is missing", what, w)
		}
	}
	for _, g := range got {
		if !slices.Contains(want, g) {
			f.add(at, "%s %s is not in the contract", what, g)
		}
	}
}

func values(enum []string) string {
	if enum == nil {
		return "any value"
	}
	return strings.Join(enum, " ")
}

func orNone(s string) string {
	if s == "" {
		return "not set"
	}
	return s
}
