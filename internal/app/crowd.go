package app

import (
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
)

// The most connections at once: of one address, or the network that one customer has with IPv6 (RFC 6177), and of all. Each takes a file descriptor and memory,
// which the work on servers needs as well, and costs whoever opens it next to nothing.
const (
	mostOfNetwork = 500
	mostOfAll     = 16_384
)

// crowd is a listener that closes connections beyond what it may hold. Those of proxies that are trusted, and of this machine, only count as part of all.
type crowd struct {
	net.Listener
	trusted      []netip.Prefix
	network, all int
	// refused counts connections that were closed at once.
	refused *atomic.Int64

	mu   sync.Mutex
	per  map[netip.Prefix]int
	held int
}

func newCrowd(l net.Listener, trusted []netip.Prefix, refused *atomic.Int64) *crowd {
	return &crowd{
		Listener: l, trusted: append([]netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}, trusted...),
		network: mostOfNetwork, all: mostOfAll, refused: refused, per: map[netip.Prefix]int{},
	}
}

// Accept waits for a connection that may be held.
func (l *crowd) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if leave, ok := l.enter(c.RemoteAddr()); ok {
			return &counted{Conn: c, leave: sync.OnceFunc(leave)}, nil
		}
		l.refused.Add(1)
		_ = c.Close()
	}
}

func (l *crowd) enter(from net.Addr) (leave func(), ok bool) {
	var network netip.Prefix // the zero value for who is trusted
	if at, err := netip.ParseAddrPort(from.String()); err == nil {
		a := at.Addr().Unmap().WithZone("")
		if !slices.ContainsFunc(l.trusted, func(p netip.Prefix) bool { return p.Contains(a) }) {
			network, _ = a.Prefix(min(a.BitLen(), 64)) // of an address there is one
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held >= l.all || network.IsValid() && l.per[network] >= l.network {
		return nil, false
	}
	l.held++
	l.per[network]++
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.held--
		if l.per[network]--; l.per[network] == 0 {
			delete(l.per, network)
		}
	}, true
}

// counted is a connection that leaves the crowd when it is closed.
type counted struct {
	net.Conn
	leave func()
}

// Close ends the connection.
func (c *counted) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// CloseWrite ends what is sent, as that of deadline.Conn does.
func (c *counted) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
