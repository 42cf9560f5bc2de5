package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns s with everything visible that a terminal would interpret: text from hosts and people is data. Control characters are written as cat -v
// does, other characters that can't be printed by their code points. Lines and tabs stay.
func Visible(s string) string { return visible(s, "\n\t") }

// VisibleLine is Visible for one line, without surrounding white space.
func VisibleLine(s string) string { return visible(strings.TrimSpace(s), "") }

func visible(s, keep string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case strings.ContainsRune(keep, r) || unicode.IsPrint(r):
			b.WriteRune(r)
		case r < ' ' || r == 0x7f: // as cat -v and terminal manuals write them
			b.WriteString("^" + string(r^0x40))
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
