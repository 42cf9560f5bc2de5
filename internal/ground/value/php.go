package value

import "strings"

// PHPVersion is one of the fourteen versions of the contract, identified by its name there ("php84").
type PHPVersion struct{ name string }

// phpVersions pairs the contract's names with the dotted versions of packages and binaries. php5 is what distributions once
// called their only PHP 5, php56-old an early package of 5.6.
func phpVersions() [][2]string {
	return [][2]string{
		{"php5", "5"},
		{"php56-old", "5.6"},
		{"php56", "5.6"},
		{"php70", "7.0"},
		{"php71", "7.1"},
		{"php72", "7.2"},
		{"php73", "7.3"},
		{"php74", "7.4"},
		{"php80", "8.0"},
		{"php81", "8.1"},
		{"php82", "8.2"},
		{"php83", "8.3"},
		{"php84", "8.4"},
		{"php85", "8.5"},
	}
}

// ParsePHPVersion parses the contract's name ("php84") and, as some of its operations use, the dotted form ("8.4"); "5.6" is php56.
func ParsePHPVersion(s string) (PHPVersion, error) {
	for _, v := range phpVersions() {
		if s == v[0] || s == v[1] && v[0] != "php56-old" {
			return PHPVersion{v[0]}, nil
		}
	}
	return PHPVersion{}, Error("The PHP version must be one of " + strings.Join(PHPVersionNames(), ", ") + ".")
}

// PHPVersions returns all versions, oldest first.
func PHPVersions() []PHPVersion {
	var out []PHPVersion
	for _, v := range phpVersions() {
		out = append(out, PHPVersion{v[0]})
	}
	return out
}

// PHPVersionNames returns the contract's names, oldest first.
func PHPVersionNames() []string {
	var out []string
	for _, v := range phpVersions() {
		out = append(out, v[0])
	}
	return out
}

// String returns the contract's name ("php84").
func (v PHPVersion) String() string { return v.name }

// Dotted returns the form in package names and paths ("8.4").
func (v PHPVersion) Dotted() string {
	for _, p := range phpVersions() {
		if p[0] == v.name {
			return p[1]
		}
	}
	return ""
}

// Compare is negative if v is older than w, 0 if they are equal, positive if it is newer.
func (v PHPVersion) Compare(w PHPVersion) int { return v.rank() - w.rank() }

func (v PHPVersion) rank() int {
	for i, p := range phpVersions() {
		if p[0] == v.name {
			return i
		}
	}
	return -1
}

// IsZero reports whether v was never parsed.
func (v PHPVersion) IsZero() bool { return v.name == "" }

// MarshalText returns the contract's name.
func (v PHPVersion) MarshalText() ([]byte, error) { return []byte(v.name), nil }

// UnmarshalText calls ParsePHPVersion.
func (v *PHPVersion) UnmarshalText(b []byte) error { return unmarshal(v, b, ParsePHPVersion) }
