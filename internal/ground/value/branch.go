package value

import (
	"strings"
	"unicode"
)

// Branch is the name of a git branch or tag without "refs/heads/": what git-check-ref-format(1) accepts with --branch, at most
// 255 bytes, in characters that can be seen. It may have those that a shell interprets: a script has it in a variable, and whatever stands in that is no
// code. None of them separates words or matches names of files there, since Git allows no blank, "*", "?" and "[".
type Branch struct{ name string }

// ParseBranch applies the ten rules of git-check-ref-format(1). refs/heads/, with which pipelines name branches, is not part of the name.
func ParseBranch(s string) (Branch, error) {
	s = strings.TrimPrefix(s, "refs/heads/")
	bad := Error("The branch must be a valid Git branch name.")
	switch {
	case s == "":
		return Branch{}, Error("The branch is required.")
	case len(s) > 255:
		return Branch{}, Error("The branch must not be longer than 255 characters.")
	case !plain(s), s == "@", s == "HEAD", s[0] == '-',
		strings.Contains(s, ".."), strings.Contains(s, "@{"), strings.HasSuffix(s, "."):
		return Branch{}, bad
	}
	for _, r := range s {
		if unicode.IsSpace(r) || strings.ContainsRune(`~^:?*[\`, r) {
			return Branch{}, Error("The branch must not contain " + named(r) + ".")
		}
	}
	for _, c := range strings.Split(s, "/") {
		if c == "" || c[0] == '.' || strings.HasSuffix(c, ".lock") {
			return Branch{}, bad
		}
	}
	return Branch{s}, nil
}

// String returns the name.
func (b Branch) String() string { return b.name }

// IsZero reports whether b was never parsed.
func (b Branch) IsZero() bool { return b.name == "" }

// MarshalText returns the name.
func (b Branch) MarshalText() ([]byte, error) { return []byte(b.name), nil }

// UnmarshalText calls ParseBranch.
func (b *Branch) UnmarshalText(t []byte) error { return unmarshal(b, t, ParseBranch) }
