// Package value holds small immutable values that can only be made by parsing: code that has a Domain, a Port or a Branch has one
// that is safe to write into a configuration file or an argument list. Dangerous input is refused here, once, instead of being
// escaped later in a hundred places.
//
// Every type is a comparable struct without exported fields. ParseX is the only way to a value that is not zero, and String
// returns the normalised text, which ParseX accepts unchanged. The types that columns have (stored.go) are also read from what
// was stored, which may be the text of an older release: Err refuses that. Errors are of type Error: their text addresses the person who
// entered the value and fits a 422 answer.
//
// No type accepts NUL, CR, LF, another control character, a format or separator character outside ASCII (zero width,
// bidirectional, U+2028), invalid UTF-8, or a leading "-", which a program could take for an option. The characters that a shell,
// nginx, nftables, systemd or an ini file could interpret (; $ ` | & < > ( ) { } [ ] " \ * ? ! and blanks, except the blanks
// inside a ServerName and an AbsPath) are refused as well, except ' in an Email and in the expressions of redirects, which have
// their own quoter. The test corpus is in the package corpus.
package value

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error is why a value was rejected, for a person: a whole sentence that names the field.
type Error string

func (e Error) Error() string { return string(e) }

// plain reports whether s is valid UTF-8 of graphic characters only: no control, format, private or separator character except the ASCII blank.
func plain(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r == ' ' {
			continue
		}
		if !unicode.IsGraphic(r) || unicode.IsSpace(r) {
			return false
		}
	}
	return true
}

// ascii reports whether s has only ASCII letters and digits and the characters in also.
func ascii(s, also string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte(also, c) >= 0 {
			continue
		}
		return false
	}
	return true
}

func digits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// shown shortens a refused piece of input for a message.
func shown(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsGraphic(r) {
			return '?'
		}
		return r
	}, s)
	if r := []rune(s); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}

// named returns the name of a refused character for a message.
func named(r rune) string {
	if r == ' ' {
		return "blanks"
	}
	return "“" + string(r) + "”"
}

// unmarshal sets *dst to the result of parse, and leaves it unchanged on an error.
func unmarshal[T any](dst *T, text []byte, parse func(string) (T, error)) error {
	v, err := parse(string(text))
	if err != nil {
		return err
	}
	*dst = v
	return nil
}
