package value

import (
	"path"
	"strings"
	"unicode"
)

// Limits of Linux (limits.h: PATH_MAX with its NUL, NAME_MAX).
const (
	maxPath      = 4095
	maxComponent = 255
)

// AbsPath is an absolute, clean path: no "." or "..", no empty component, no trailing slash, no component that begins with "-",
// or begins or ends with a blank, no character that a shell or a configuration file interprets. Letters of any script, digits,
// blanks and . _ - + @ : , = ~ % # are allowed. The host checks that it exists, and that no link leads elsewhere.
type AbsPath struct{ path string }

// ParseAbsPath cleans doubled and trailing slashes and ".", and refuses "..".
func ParseAbsPath(s string) (AbsPath, error) {
	if s == "" {
		return AbsPath{}, Error("The path is required.")
	}
	if s[0] != '/' {
		return AbsPath{}, Error("The path must be absolute.")
	}
	if err := checkPath(s, "path", func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || strings.ContainsRune("/._-+@:,=~%# ", r)
	}); err != nil {
		return AbsPath{}, err
	}
	return AbsPath{path.Clean(s)}, nil
}

func checkPath(s, field string, allowed func(rune) bool) error {
	if len(s) > maxPath {
		return Error("The " + field + " is too long.")
	}
	if !plain(s) {
		return Error("The " + field + " has characters that are not allowed.")
	}
	for _, r := range s {
		if !allowed(r) {
			return Error("The " + field + " must not contain " + named(r) + ".")
		}
	}
	for _, c := range strings.Split(s, "/") {
		switch {
		case c == "..":
			return Error("The " + field + " must not contain \"..\".")
		case strings.HasPrefix(c, "-"):
			return Error("No part of the " + field + " may begin with a dash.")
		case strings.HasPrefix(c, " ") || strings.HasSuffix(c, " "):
			return Error("No part of the " + field + " may begin or end with a blank.")
		case len(c) > maxComponent:
			return Error("No part of the " + field + " may be longer than 255 characters.")
		}
	}
	return nil
}

// String returns the path.
func (p AbsPath) String() string { return p.path }

// IsZero reports whether p was never parsed.
func (p AbsPath) IsZero() bool { return p.path == "" }

// Join returns the path of r below p.
func (p AbsPath) Join(r RelPath) AbsPath {
	if p.IsZero() {
		return AbsPath{}
	}
	return AbsPath{path.Join(p.path, r.path)}
}

// Within reports whether p is dir or below it, comparing whole components.
func (p AbsPath) Within(dir AbsPath) bool {
	return p == dir || dir.path == "/" || dir.path != "" && strings.HasPrefix(p.path, dir.path+"/")
}

// MarshalText returns the path.
func (p AbsPath) MarshalText() ([]byte, error) { return []byte(p.path), nil }

// UnmarshalText calls ParseAbsPath.
func (p *AbsPath) UnmarshalText(b []byte) error { return unmarshal(p, b, ParseAbsPath) }

// RelPath is a directory below a site's, such as its web directory. As in the contract it is written with a leading slash
// ("/public"; "/" is the site's directory itself). Components consist of letters of any script, digits, ".", "_", "-", "@", "+".
type RelPath struct{ path string }

// ParseRelPath adds a missing leading slash and cleans as ParseAbsPath does.
func ParseRelPath(s string) (RelPath, error) {
	if s == "" {
		return RelPath{}, Error("The directory is required.")
	}
	if slashed := strings.ReplaceAll(s, `\`, "/"); slashed != s {
		if meant, err := ParseRelPath(slashed); err == nil {
			return RelPath{}, Error("The directory is written with slashes: " + meant.path + ".")
		}
	}
	if err := checkPath(s, "directory", func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || strings.ContainsRune("/._-@+", r)
	}); err != nil {
		return RelPath{}, err
	}
	return RelPath{path.Clean("/" + s)}, nil
}

// String returns the path with its leading slash.
func (p RelPath) String() string { return p.path }

// IsZero reports whether p was never parsed.
func (p RelPath) IsZero() bool { return p.path == "" }

// MarshalText returns the path.
func (p RelPath) MarshalText() ([]byte, error) { return []byte(p.path), nil }

// UnmarshalText calls ParseRelPath.
func (p *RelPath) UnmarshalText(b []byte) error { return unmarshal(p, b, ParseRelPath) }
