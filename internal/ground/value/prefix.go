package value

import "unicode/utf8"

// Prefix returns the beginning of a text, at most limit bytes, without a part of a character at its end.
func Prefix(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
