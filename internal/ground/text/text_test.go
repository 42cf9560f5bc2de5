package text_test

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/text"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in    string
		most        int
		clean, line string
	}{
		{"plain", "550 mailbox full", 100, "550 mailbox full", "550 mailbox full"},
		{"lines", "550-mailbox\r\n550\tfull\n", 100, "550-mailbox\n550\tfull\n", "550-mailbox 550 full"},
		{"escape sequence", "a\x1b[31mred\x1b[0m", 100, "a[31mred[0m", "a[31mred[0m"},
		{"right-to-left override", "gpj\u202eexe", 100, "gpjexe", "gpjexe"},
		{"other white space", "a\u00a0\u2028b", 100, "a\u00a0\u2028b", "a b"},
		{"invalid UTF-8", "a\xffb", 100, "a\ufffdb", "a\ufffdb"},
		{"cut at a character", "aéé", 4, "aé", "aéé"},
		{"control character between spaces", "a \x00 b", 100, "a  b", "a b"},
		{"nothing left", "\x00\x07", 100, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := text.Clean(c.in, c.most); got != c.clean {
				t.Errorf("Clean: %q, want %q", got, c.clean)
			}
			if got := text.Line(c.in); got != c.line {
				t.Errorf("Line: %q, want %q", got, c.line)
			}
		})
	}
}
