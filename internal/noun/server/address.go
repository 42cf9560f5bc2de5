package server

import (
	"net/netip"

	"github.com/hostlerhq/hostler/internal/ground/outbound"
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
