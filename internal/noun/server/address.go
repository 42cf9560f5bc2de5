package server

import (
	"net/netip"
	"strings"
	"unicode"

	"github.com/hostlerhq/hostler/internal/ground/outbound"
	"github.com/hostlerhq/hostler/internal/ground/value"
)

// embedding are the networks whose IPv6 addresses embed an IPv4 address, with its offset: IPv4-compatible (RFC 4291), NAT64 (RFC
// 6052 and RFC 8215), 6to4 (RFC 3056). The mapped form is parsed as the IPv4 address that it is.
var embedding = []struct {
	network netip.Prefix
	at      int
}{
	{netip.MustParsePrefix("::/96"), 12},
	{netip.MustParsePrefix("64:ff9b::/96"), 12},
	{netip.MustParsePrefix("64:ff9b:1::/96"), 12},
	{netip.MustParsePrefix("2002::/16"), 2},
}

// parseAddress reads an address that a server can have: one of another machine, public or private. Hostler opens SSH connections to it, so the machine
// that Hostler runs on, its link and the metadata service of its cloud are none, in no spelling, unless local servers are allowed.
func parseAddress(text string, local bool) (netip.Addr, bool) {
	a, err := netip.ParseAddr(text)
	a = a.Unmap()
	if err != nil || a.Zone() != "" || a.IsUnspecified() || a.IsMulticast() || a == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
		return a, false
	}
	return a, local || ofAnotherMachine(a)
}

// addressOf reads the address of a server as people have it: in brackets, as in URLs, and as a network of one address, as in lists of other tools. In words it
// says what to write where there is none.
func addressOf(field, text string, local bool) (a netip.Addr, words string) {
	plain := text
	if inner, ok := strings.CutPrefix(plain, "["); ok && strings.HasSuffix(inner, "]") {
		plain = strings.TrimSuffix(inner, "]")
	}
	if p, err := netip.ParsePrefix(plain); err == nil && p.IsSingleIP() {
		plain = p.Addr().String()
	}
	a, ok := parseAddress(plain, local)
	if ok {
		return a, ""
	}
	at, portErr := netip.ParseAddrPort(text)
	_, netErr := netip.ParsePrefix(text)
	_, nameErr := value.ParseDomain(text)
	switch {
	case portErr == nil:
		words = "must be an address alone: " + at.Addr().String() + ". The port of SSH is the field ssh_port"
	case netErr == nil:
		words = "must be the address of one machine, and not a network"
	case strings.ContainsAny(text, "@/"):
		words = "must be an address alone, such as 203.0.113.10, without a user, a protocol or a path"
	case nameErr == nil && strings.ContainsFunc(text, unicode.IsLetter):
		words = "must be an address, and not a name, which can lead elsewhere tomorrow: enter what " + text + " leads to now"
	default:
		words = "must be an IPv4 or IPv6 address of a machine other than Hostler's"
	}
	return a, "The " + field + " " + words + "."
}

func ofAnotherMachine(a netip.Addr) bool {
	if a.IsLoopback() || (outbound.Guard{AllowPrivate: true}).Check(a) != nil {
		return false
	}
	for _, e := range embedding {
		if e.network.Contains(a) {
			raw := a.As16()
			return ofAnotherMachine(netip.AddrFrom4([4]byte(raw[e.at : e.at+4])))
		}
	}
	return true
}
