package render

import (
	"errors"
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// ErrConflict is returned if our text and a user's version of an older one changed the same lines.
var ErrConflict = errors.New("what changed in this configuration is also changed in the version that a user wrote: the two must be brought together by hand")

// Merge applies the changes from base to ours to theirs, line by line. It returns ErrConflict if both changed the same place in different ways.
func Merge(base, theirs, ours string) (string, error) {
	if base == ours {
		return theirs, nil
	}
	was, a, b := lines(base), changes(base, theirs), changes(base, ours)
	var out strings.Builder
	at := 0
	copyTo := func(end int) {
		for ; at < end; at++ {
			out.WriteString(was[at])
		}
	}
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].to < b[0].from:
			copyTo(a[0].from)
			out.WriteString(a[0].text)
			at, a = a[0].to, a[1:]
		case len(a) == 0 || b[0].to < a[0].from:
			copyTo(b[0].from)
			out.WriteString(b[0].text)
			at, b = b[0].to, b[1:]
		case a[0] == b[0]:
			copyTo(a[0].from)
			out.WriteString(a[0].text)
			at, a, b = a[0].to, a[1:], b[1:]
		default:
			return "", ErrConflict
		}
	}
	copyTo(len(was))
	return out.String(), nil
}

// Closest returns the text that theirs differs from in the fewest lines, presumably its origin. Among equals it is the first.
func Closest(theirs string, texts ...string) string {
	best, least := "", -1
	for _, text := range texts {
		n := 0
		for _, c := range changes(text, theirs) {
			n += c.to - c.from + len(lines(c.text))
		}
		if least < 0 || n < least {
			best, least = text, n
		}
	}
	return best
}

// lines splits a text into lines with their ends; a missing last one is added.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.SplitAfter(strings.TrimSuffix(text, "\n")+"\n", "\n")[:strings.Count(strings.TrimSuffix(text, "\n"), "\n")+1]
}

// replacement replaces the lines from to to with text.
type replacement struct {
	from, to int
	text     string
}

func changes(base, text string) []replacement {
	of := lines(text)
	var out []replacement
	for _, op := range difflib.NewMatcherWithJunk(lines(base), of, false, nil).GetOpCodes() {
		if op.Tag != 'e' {
			out = append(out, replacement{op.I1, op.I2, strings.Join(of[op.J1:op.J2], "")})
		}
	}
	return out
}
