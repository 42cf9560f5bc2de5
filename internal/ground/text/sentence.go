package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Capital returns a sentence that begins with a capital letter, if it begins with a word: the letters of an address, a path, an option or a name such as
// php8.4-fpm mean what they are.
func Capital(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if strings.ContainsFunc(strings.TrimRight(first, ".,:;!?"), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' }) {
		return s
	}
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 || r == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(r)) + s[size:]
}

// Sentence returns what another program said as a sentence: with Capital, and with a full stop. "" stays "".
func Sentence(s string) string {
	s = strings.TrimSpace(s)
	if s != "" && !strings.ContainsAny(s[len(s)-1:], ".!?") {
		s += "."
	}
	return Capital(s)
}
