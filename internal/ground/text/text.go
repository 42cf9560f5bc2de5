// Package text makes text from other programs and machines safe to store and to show on a terminal, and reads and writes optional values as text.
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

// Of returns an optional text, "" for nil.
func Of(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Trimmed returns an optional text without surrounding white space, "" for nil.
func Trimmed(s *string) string { return strings.TrimSpace(Of(s)) }

// Flag returns "1" if set is true, and "0" if not, for environment variables of scripts.
func Flag(set bool) string {
	if set {
		return "1"
	}
	return "0"
}
