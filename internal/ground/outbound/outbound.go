// Package outbound guards connections to addresses that users enter: they never reach Hostler's own machine or network, unless
// the operator allows it. The check is made on the address that a connection is opened to, after the name was resolved, so it
// also covers DNS rebinding and redirects.
package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// ErrForbidden is returned for a connection to a forbidden address.
var ErrForbidden = errors.New("this address is private, and connections to private addresses are not allowed")

// errOwn is an ErrForbidden for an address of this machine.
var errOwn = fmt.Errorf("%w: it is one of Hostler's own machine", ErrForbidden)

// A Guard decides which addresses may be connected to.
type Guard struct {
	// Own returns the addresses of this machine, default those of its interfaces. They are read for each connection: an interface can come later.
	Own func() []netip.Addr

	// AllowPrivate permits loopback, private networks and this machine's own addresses, for operators whose storage is in their own network. Link-local
	// addresses, where clouds answer with credentials, stay closed.
	AllowPrivate bool
}

// never is always closed: "this network", link-local with the metadata services of clouds, multicast, reserved.
var never = prefixes("0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "240.0.0.0/4", "::/128", "fe80::/10", "ff00::/8", "fd00:ec2::/32",
	"100.100.100.200/32", "168.63.129.16/32")

// private is closed unless allowed: RFC 6890 and its successors. It includes translated forms of IPv4, whose destination depends on a gateway.
var private = prefixes("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "::1/128", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32",
	"2002::/16", "fc00::/7")

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, text := range list {
		out[i] = netip.MustParsePrefix(text)
	}
	return out
}

// Check returns ErrForbidden for an address that is closed.
func (g Guard) Check(a netip.Addr) error {
	a = a.Unmap().WithZone("")
	if !a.IsValid() {
		return ErrForbidden
	}
	for _, p := range never {
		if p.Contains(a) {
			return ErrForbidden
		}
	}
	if g.AllowPrivate {
		return nil
	}
	for _, p := range private {
		if p.Contains(a) {
			return ErrForbidden
		}
	}
	own := g.Own
	if own == nil {
		own = interfaces
	}
	if slices.Contains(own(), a) { // public, but what listens here may answer its own machine only
		return errOwn
	}
	return nil
}

// interfaces returns the addresses of all interfaces. One that can't be read has none; its private addresses are closed all the same.
func interfaces() []netip.Addr {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	var out []netip.Addr
	for _, a := range all {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			out = append(out, p.Addr().Unmap().WithZone(""))
		}
	}
	return out
}

func (g Guard) control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return ErrForbidden
	}
	return g.Check(at.Addr())
}

const dialTimeout = 5 * time.Second

// Dialer returns a dialer for the connections that the guard allows, for protocols other than HTTP.
func (g Guard) Dialer() *net.Dialer { return &net.Dialer{Timeout: dialTimeout, Control: g.control} }

// Transport returns an HTTP transport for the connections that the guard allows. It ignores proxies of the environment: they
// would be connected to instead of the checked address.
func (g Guard) Transport() *http.Transport {
	dialer := g.Dialer()
	return &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, fmt.Errorf("connect: %w", err)
			}
			return conn, nil
		},
		TLSHandshakeTimeout: dialTimeout, ResponseHeaderTimeout: 30 * time.Second, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 2, ForceAttemptHTTP2: true,
		MaxResponseHeaderBytes: 64 << 10, DisableCompression: true,
	}
}
