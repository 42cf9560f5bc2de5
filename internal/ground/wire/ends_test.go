package wire

import (
	"strings"
	"testing"
)

func TestEnds(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		pieces []string
		want   string
	}{
		"nothing":              {nil, ""},
		"all":                  {[]string{"abc", "def", "gh"}, "abcdefgh"},
		"one byte over":        {[]string{"abcdefghi"}, "abcd" + Missing(1) + "fghi"},
		"bytes, one at a time": {strings.Split("abcdefghijklmnopqrstuvwxyz", ""), "abcd" + Missing(18) + "wxyz"},
		"much":                 {[]string{"abc", strings.Repeat("x", 1000), "wxyz"}, "abcx" + Missing(999) + "wxyz"},
		"half a character":     {[]string{"abc€" + strings.Repeat("x", 10)}, "abc\uFFFD" + Missing(8) + "xxxx"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := Ends{Limit: 8}
			for _, p := range tt.pieces {
				if n, err := e.Write([]byte(p)); n != len(p) || err != nil {
					t.Fatal(n, err)
				}
			}
			if got := e.String(); got != tt.want || got != e.String() {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
