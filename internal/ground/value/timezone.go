package value

import (
	"strings"
	"time"
	_ "time/tzdata" // so that the same names are known on a machine without a zone database
)

// Timezone is the name of a zone in the IANA database ("Europe/Berlin", "UTC").
type Timezone struct{ name string }

// ParseTimezone looks the name up in the zone database. Its names are case sensitive, but europe/berlin can only be one of them; "Local" and the
// "posix" and "right" trees are refused.
func ParseTimezone(s string) (Timezone, error) {
	bad := Error("The timezone must be a valid time zone, such as Europe/Berlin or UTC.")
	if zone := titled(s); zone != "" {
		s = zone
	}
	if s == "" || len(s) > 64 || !ascii(s, "/_+-") || s == "Local" || strings.HasPrefix(s, "posix") || strings.HasPrefix(s, "right/") {
		return Timezone{}, bad
	}
	for _, c := range strings.Split(s, "/") {
		if c == "" || c[0] < 'A' || c[0] > 'Z' && c[0] < 'a' {
			return Timezone{}, bad
		}
	}
	if _, err := time.LoadLocation(s); err != nil {
		return Timezone{}, bad
	}
	return Timezone{s}, nil
}

// titled returns the zone whose name a text in small letters is, with the capitals that most names have; "" if there is none, or the text has capitals.
func titled(s string) string {
	if s != strings.ToLower(s) || !strings.Contains(s, "/") || !ascii(s, "/_+-") || strings.HasPrefix(s, "posix") || strings.HasPrefix(s, "right/") {
		return ""
	}
	name := []byte(s)
	for i, c := range name {
		if c >= 'a' && c <= 'z' && (i == 0 || strings.IndexByte("/_-", name[i-1]) >= 0) {
			name[i] = c - 'a' + 'A'
		}
	}
	if _, err := time.LoadLocation(string(name)); err != nil {
		return ""
	}
	return string(name)
}

// String returns the name.
func (z Timezone) String() string { return z.name }

// IsZero reports whether z was never parsed.
func (z Timezone) IsZero() bool { return z.name == "" }

// Location returns the zone, UTC for the zero value.
func (z Timezone) Location() *time.Location {
	l, err := time.LoadLocation(z.name)
	if err != nil {
		return time.UTC
	}
	return l
}

// MarshalText returns the name.
func (z Timezone) MarshalText() ([]byte, error) { return []byte(z.name), nil }

// UnmarshalText calls ParseTimezone.
func (z *Timezone) UnmarshalText(b []byte) error { return unmarshal(z, b, ParseTimezone) }
