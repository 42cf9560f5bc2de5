package value

import (
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// Limits of DNS names in their ASCII form (RFC 1035 section 2.3.4; 255 octets leave 253 characters of text).
const (
	maxDomain = 253
	maxLabel  = 63
)

const errDomain = Error("The domain must be a valid domain name, such as example.com.")

// Domain is a fully qualified host name with at least two labels, in lower case and in the ASCII form of IDNA (RFC 5891,
// mapped for lookup as in UTS 46). It is never an IP address, has no trailing dot and is no wildcard.
type Domain struct{ name string }

// ParseDomain makes a Domain from user input: upper case and Unicode are mapped.
func ParseDomain(s string) (Domain, error) {
	if s == "" {
		return Domain{}, Error("The domain is required.")
	}
	// Longer input cannot have an ASCII form of 253 characters; this check keeps the mapping cheap.
	if len(s) > 4*maxDomain {
		return Domain{}, Error("The domain must not be longer than 253 characters.")
	}
	if !plain(strings.NewReplacer("\u200c", "", "\u200d", "").Replace(s)) { // joiners are legal in some scripts (RFC 5892 A)
		return Domain{}, errDomain
	}
	for _, r := range s {
		// Mapping drops variation selectors and the like: two names that look alike would become one.
		if unicode.Is(unicode.Variation_Selector, r) {
			return Domain{}, errDomain
		}
	}
	if strings.HasPrefix(s, "*.") {
		return Domain{}, Error("The domain must not be a wildcard. Enter it without *. and, where it is a site's, allow its subdomains.")
	}
	profile := idna.New(idna.MapForLookup(), idna.BidiRule(), idna.Transitional(false), idna.StrictDomainName(true))
	name, err := profile.ToASCII(s)
	if err != nil {
		return Domain{}, errDomain
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".") // of the root, as DNS tools print it
	if len(name) > maxDomain {
		return Domain{}, Error("The domain must not be longer than 253 characters.")
	}
	labels := strings.Split(name, ".")
	if len(labels) < 2 {
		return Domain{}, errDomain
	}
	for _, l := range labels {
		if len(l) > maxLabel {
			return Domain{}, Error("Each part of the domain must not be longer than 63 characters.")
		}
		if l == "" || !ascii(l, "-") || l[0] == '-' || l[len(l)-1] == '-' {
			return Domain{}, errDomain
		}
	}
	if last := labels[len(labels)-1]; digits(last) || strings.HasPrefix(last, "0x") { // an IPv4 address (WHATWG URL, "ends in a number")
		return Domain{}, Error("The domain must be a domain name, not an IP address.")
	}
	return Domain{name}, nil
}

// String returns the ASCII form ("xn--mnchen-3ya.example").
func (d Domain) String() string { return d.name }

// IsZero reports whether d was never parsed.
func (d Domain) IsZero() bool { return d.name == "" }

// WithWWW returns d with "www." in front; false if the name would be too long.
func (d Domain) WithWWW() (Domain, bool) {
	if d.name == "" || len(d.name)+4 > maxDomain {
		return Domain{}, false
	}
	return Domain{"www." + d.name}, true
}

// MarshalText returns the ASCII form.
func (d Domain) MarshalText() ([]byte, error) { return []byte(d.name), nil }

// UnmarshalText calls ParseDomain.
func (d *Domain) UnmarshalText(b []byte) error { return unmarshal(d, b, ParseDomain) }

// DomainPattern is a Domain, or "*." and a Domain, as used in certificates and server names.
type DomainPattern struct {
	domain   Domain
	wildcard bool
}

// ParseWildcardDomain accepts what ParseDomain accepts, with an optional leading "*." label.
func ParseWildcardDomain(s string) (DomainPattern, error) {
	rest, wild := strings.CutPrefix(s, "*.")
	d, err := ParseDomain(rest)
	if err != nil {
		return DomainPattern{}, err
	}
	if wild && len(d.name)+2 > maxDomain {
		return DomainPattern{}, Error("The domain must not be longer than 253 characters.")
	}
	return DomainPattern{d, wild}, nil
}

// Pattern returns d as a DomainPattern, with "*." in front if wildcard.
func (d Domain) Pattern(wildcard bool) DomainPattern { return DomainPattern{d, wildcard} }

// Domain returns the name without "*.".
func (p DomainPattern) Domain() Domain { return p.domain }

// Wildcard reports whether the name begins with "*.".
func (p DomainPattern) Wildcard() bool { return p.wildcard }

// IsZero reports whether p was never parsed.
func (p DomainPattern) IsZero() bool { return p.domain.IsZero() }

// String returns the ASCII form, with "*." for a wildcard.
func (p DomainPattern) String() string {
	if p.wildcard {
		return "*." + p.domain.name
	}
	return p.domain.name
}

// MarshalText returns the ASCII form.
func (p DomainPattern) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText calls ParseWildcardDomain.
func (p *DomainPattern) UnmarshalText(b []byte) error { return unmarshal(p, b, ParseWildcardDomain) }

// SameDomain reports whether two texts are one name in the DNS: whatever their case, as Unicode or in its ASCII form (RFC 5890), and with or without the dot
// of the root.
func SameDomain(a, b string) bool { return DomainName(a) == DomainName(b) }

// DomainName returns the name that a text is looked up by in the DNS, and a text that is no domain in lower case.
func DomainName(s string) string {
	if d, err := ParseDomain(strings.TrimSuffix(s, ".")); err == nil {
		return d.String()
	}
	return strings.ToLower(s)
}
