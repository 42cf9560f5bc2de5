package text_test

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/text"
)

// Nothing that a terminal interprets passes, and nothing is lost.
func TestVisibleText(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"":                      "",
		"über\tone\r\ntwo\n":    "über\tone\ntwo\n",
		"\x1b[2J\x1b]0;title\a": "^[[2J^[]0;title^G",
		"back\b\x7f":            "back^H^?",
		"half\r":                "half^M",
		"\u202egnp.exe":         "\\u202egnp.exe",
		"\U000e0041":            "\\U000e0041",
		"\xff \ufffd":           "\\xff \ufffd",
		"\u0085":                "\\u0085",
	} {
		if got := text.Visible(said); got != want {
			t.Errorf("%q is shown as %q, want %q", said, got, want)
		}
	}
	if got := text.VisibleLine(" a\n\tb "); got != "a^J^Ib" {
		t.Errorf("two lines are shown as %q", got)
	}
}
