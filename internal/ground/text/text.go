// Package text makes text from other programs and machines safe to store and to show on a terminal, and has what is often done with text.
package text

import (
	"strings"
	"unicode"
)

// Clean returns s as valid UTF-8 of at most most bytes, without control and format characters, which a terminal would interpret. Line feeds and tabs stay.
func Clean(s string, most int) string {
	s = printable(s, func(r rune) bool { return r == '\n' || r == '\t' })
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}

// Line returns s as one line of valid UTF-8, without control and format characters: words are separated by one space.
func Line(s string) string {
	return strings.Join(strings.Fields(printable(s, unicode.IsSpace)), " ")
}

// printable removes control and format characters that are not kept.
func printable(s string, keep func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if !keep(r) && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}

// Of returns a text that may be missing, "" then.
func Of(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Trimmed returns a text that may be missing without surrounding white space.
func Trimmed(s *string) string { return strings.TrimSpace(Of(s)) }

// Flag returns how a variable of a script says yes and no.
func Flag(set bool) string {
	if set {
		return "1"
	}
	return "0"
}
