package description

import (
	"cmp"
	"slices"
	"strings"
)

// Does returns what a call with an action does, for its question: reboots, updates the deploy hook of, stops nginx of.
func (o Operation) Does(action string) string {
	if action != "" && o.Action == "" { // the verb says what the action is done to
		return action + "s " + o.Verb + " of"
	}
	does := o.Verb + "s"
	if part, whole := singular(o.Noun), o.kind(); whole != "" && !strings.HasSuffix(o.Path, "}") &&
		!strings.Contains(whole, part) && !strings.Contains(part, whole) {
		does += " the " + part + " of"
	}
	return does
}

// Subject returns the kind of what a call names.
func (o Operation) Subject() string { return cmp.Or(o.kind(), singular(o.Noun)) }

// kind returns the kind of the resource that the last argument names, "" if none does.
func (o Operation) kind() string {
	for _, a := range slices.Backward(o.Arguments) {
		if kind, id := strings.CutSuffix(a.Kind(), " id"); !a.Field || id {
			return kind
		}
	}
	return ""
}

// singular returns a noun of commands as words for one of it.
func singular(noun string) string {
	words := strings.ReplaceAll(noun, "-", " ")
	if one, ok := strings.CutSuffix(words, "sses"); ok {
		return one + "ss"
	}
	if strings.HasSuffix(words, "status") {
		return words
	}
	return strings.TrimSuffix(words, "s")
}
