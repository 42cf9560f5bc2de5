// Package clients writes the parts of the clients for Go and TypeScript that follow from the API's description.
package clients

import (
	"fmt"
	"strings"

	"github.com/hostlerhq/hostler/internal/description"
)

// writer writes lines.
type writer struct{ strings.Builder }

func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// width is where comments are wrapped.
const width = 120

// wrapped returns a text as lines that fit.
func wrapped(text string, indent int) []string {
	var out []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && len(line)+1+len(word)+indent > width {
			out = append(out, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}

// noun is the calls of a noun.
type noun struct {
	Name  string
	Calls []description.Call
}

func nouns(f description.Form) []noun {
	var out []noun
	for _, c := range f.Calls {
		if len(out) == 0 || out[len(out)-1].Name != c.Noun {
			out = append(out, noun{Name: c.Noun})
		}
		of := &out[len(out)-1]
		of.Calls = append(of.Calls, c)
	}
	return out
}

// plural returns the name of several of a type.
func plural(name string) string {
	switch {
	case strings.HasSuffix(name, "y"):
		return strings.TrimSuffix(name, "y") + "ies"
	case strings.HasSuffix(name, "s"):
		return name + "es"
	}
	return name + "s"
}

// included returns the types of related resources in all answers, without doubles.
func included(f description.Form) []description.Object {
	wanted := map[string]bool{}
	for _, c := range f.Calls {
		for _, name := range c.Includes {
			wanted[name] = true
		}
	}
	var out []description.Object
	for _, t := range f.Types {
		if wanted[t.Name] && t.JSONAPI != "" {
			out = append(out, t)
		}
	}
	return out
}

// sentence ends a text with a full stop.
func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return text + "."
}
