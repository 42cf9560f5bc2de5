package value

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tag is a label for finding servers and sites. It never reaches a host.
type Tag struct{ name string }

// ParseTag parses a tag: one line of at most 50 characters.
func ParseTag(s string) (Tag, error) {
	if s == "" || s != strings.TrimSpace(s) || !utf8.ValidString(s) || utf8.RuneCountInString(s) > 50 ||
		strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return Tag{}, Error("A tag must be one line of at most 50 characters.")
	}
	return Tag{s}, nil
}

func (t Tag) String() string { return t.name }
