package value

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// maxIPs is the maximum number of entries of an IPSet: enough for the address lists of the large CDNs, small enough for one rule.
const maxIPs = 1000

// IPSet is a set of IPv4 and IPv6 addresses and subnets, sorted and without duplicates. The zero value is the empty set, which in
// a firewall rule means every address.
type IPSet struct {
	text string
	// odd is set for a stored text that is no such list. It has no entries.
	odd bool
}

// ParseIPSet parses a comma-separated list of addresses and subnets ("203.0.113.7, 2001:db8::/32"); "" is the empty set.
//
// A subnet with host bits ("10.0.0.5/8") is refused with the subnet that was probably meant, because both readings, that host and
// that subnet, are common and only one of them is safe. IPv4 in IPv6 form becomes IPv4; zones are refused.
func ParseIPSet(s string) (IPSet, error) {
	if s == "" {
		return IPSet{}, nil
	}
	if len(s) > maxIPs*50 || strings.Count(s, ",") >= maxIPs {
		return IPSet{}, Error(fmt.Sprintf("The IP address list must not have more than %d entries.", maxIPs))
	}
	return NewIPSet(strings.Split(s, ",")...)
}

// NewIPSet makes an IPSet from single addresses and subnets.
func NewIPSet(items ...string) (IPSet, error) {
	if len(items) > maxIPs {
		return IPSet{}, Error(fmt.Sprintf("The IP address list must not have more than %d entries.", maxIPs))
	}
	prefixes := make([]netip.Prefix, 0, len(items))
	for _, item := range items {
		p, err := parsePrefix(strings.Trim(item, " "))
		if err != nil {
			return IPSet{}, err
		}
		prefixes = append(prefixes, p)
	}
	return ipSet(prefixes), nil
}

func parsePrefix(s string) (netip.Prefix, error) {
	bad := Error("The IP address " + shown(s) + " is not a valid address or subnet." + instead(s))
	if !ascii(s, ".:/") {
		return netip.Prefix{}, bad
	}
	if !strings.Contains(s, "/") {
		a, err := netip.ParseAddr(s)
		if err != nil || a.Zone() != "" {
			return netip.Prefix{}, bad
		}
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(s)
	if err != nil || p.Addr().Is4In6() {
		return netip.Prefix{}, bad
	}
	if m := p.Masked(); m != p {
		return netip.Prefix{}, Error(fmt.Sprintf("The subnet %s has host bits set; write %s for the subnet or %s for the address.", s, m, p.Addr()))
	}
	return p, nil
}

// instead says what to write for forms of other tools, "" for other texts.
func instead(s string) string {
	lower := strings.ToLower(s)
	switch {
	case lower == "any" || lower == "anywhere" || lower == "all" || s == "*":
		return " Leave it empty for all addresses."
	case strings.Contains(s, "-"):
		return " Write a range as a subnet, such as 192.0.2.0/28."
	case strings.HasSuffix(s, "*"):
		return " Write a subnet, such as 192.0.2.0/24."
	}
	if address, mask, ok := strings.Cut(s, "/"); ok {
		a, err := netip.ParseAddr(address)
		m, err2 := netip.ParseAddr(mask)
		if err == nil && err2 == nil && a.Is4() && m.Is4() {
			raw := m.As4()
			if ones, bits := net.IPMask(raw[:]).Size(); bits != 0 {
				if p, err := a.Prefix(ones); err == nil {
					return " Write " + p.String() + "."
				}
			}
		}
	}
	return ""
}

func ipSet(prefixes []netip.Prefix) IPSet {
	slices.SortFunc(prefixes, func(a, b netip.Prefix) int {
		if c := a.Addr().Compare(b.Addr()); c != 0 { // IPv4 first
			return c
		}
		return a.Bits() - b.Bits()
	})
	prefixes = slices.Compact(prefixes)
	texts := make([]string, len(prefixes))
	for i, p := range prefixes {
		texts[i] = prefixText(p)
	}
	return IPSet{text: strings.Join(texts, ",")}
}

func prefixText(p netip.Prefix) string {
	if p.IsSingleIP() {
		return p.Addr().String()
	}
	return p.String()
}

// IsZero reports whether the set is empty.
func (s IPSet) IsZero() bool { return s.text == "" }

// String returns the normalised list, comma-separated without blanks; a single address has no "/32" or "/128".
func (s IPSet) String() string { return s.text }

// List returns the entries as text, never nil.
func (s IPSet) List() []string {
	if s.text == "" || s.odd {
		return []string{}
	}
	return strings.Split(s.text, ",")
}

// Prefixes returns the entries, sorted.
func (s IPSet) Prefixes() []netip.Prefix {
	var out []netip.Prefix
	for _, item := range s.List() {
		p, err := parsePrefix(item)
		if err != nil {
			panic("value: IPSet holds " + item) // every constructor goes through parsePrefix or netip
		}
		out = append(out, p)
	}
	return out
}

// V4 returns the IPv4 entries as text, without those that another entry covers: an interval set of nftables has no overlaps.
func (s IPSet) V4() []string { return s.disjoint(true) }

// V6 returns the IPv6 entries, likewise.
func (s IPSet) V6() []string { return s.disjoint(false) }

func (s IPSet) disjoint(v4 bool) []string {
	var out []string
	var last netip.Prefix
	for _, p := range s.Prefixes() {
		// Sorted by address and then by length, a covering subnet precedes everything that it covers.
		if p.Addr().Is4() != v4 || last.IsValid() && last.Overlaps(p) {
			continue
		}
		last = p
		out = append(out, prefixText(p))
	}
	return out
}

// Contains reports whether an entry covers a. The empty set contains nothing; a rule gives it its meaning.
func (s IPSet) Contains(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return slices.ContainsFunc(s.Prefixes(), func(p netip.Prefix) bool { return p.Contains(a) })
}

// MarshalText returns the form of String.
func (s IPSet) MarshalText() ([]byte, error) { return []byte(s.text), nil }
