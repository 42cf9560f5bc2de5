package render

import (
	"errors"
	"testing"
)

func TestMerge(t *testing.T) {
	t.Parallel()
	const base = "a\nb\nc\nd\ne\n"
	for name, tt := range map[string]struct {
		theirs, ours, want string
	}{
		"nothing of ours":   {"a\nB\nc\nd\ne\n", base, "a\nB\nc\nd\ne\n"},
		"nothing of theirs": {base, "a\nb\nc\nD\ne\n", "a\nb\nc\nD\ne\n"},
		"both":              {"a\nB\nc\nd\ne\n", "a\nb\nc\nd\nE\nf\n", "a\nB\nc\nd\nE\nf\n"},
		"ours before":       {"a\nb\nc\nd\ne\nf\n", "x\na\nb\nc\nd\ne\n", "x\na\nb\nc\nd\ne\nf\n"},
		"the same":          {"a\nX\nc\nd\ne\n", "a\nX\nc\nd\ne\n", "a\nX\nc\nd\ne\n"},
		"deleted":           {"a\nb\nd\ne\n", "a\nb\nc\nd\n", "a\nb\nd\n"},
		"one line":          {"a\nX\nc\nd\ne\n", "a\nY\nc\nd\ne\n", ""},
		"one place":         {"a\nb\nx\nc\nd\ne\n", "a\nb\ny\nc\nd\ne\n", ""},
		"beside":            {"a\nX\nc\nd\ne\n", "a\nb\nY\nd\ne\n", ""},
	} {
		got, err := Merge(base, tt.theirs, tt.ours)
		if got != tt.want || errors.Is(err, ErrConflict) != (tt.want == "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestClosest(t *testing.T) {
	t.Parallel()
	plain, tls := "a\nb\nc\n", "a\nb\ns1\ns2\nc\n"
	for theirs, want := range map[string]string{"a\nb\nmine\nc\n": plain, "a\nb\nmine\ns1\ns2\nc\n": tls, "a\nb\nc\n": plain, "all\nanew\n": plain} {
		if got := Closest(theirs, plain, tls); got != want {
			t.Errorf("%q was made from %q, want %q", theirs, got, want)
		}
	}
}
