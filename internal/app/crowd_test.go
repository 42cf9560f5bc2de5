package app

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"
)

// at is a listener whose connections come from an address.
type at struct {
	net.Listener
	from atomic.Pointer[net.TCPAddr]
}

type comes struct {
	net.Conn
	from net.Addr
}

func (c comes) RemoteAddr() net.Addr { return c.from }

func (l *at) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return comes{c, l.from.Load()}, err
}

// Whoever opens connections and keeps them holds some, and not those of others: neither from one address, nor from many of one network, nor in all.
func TestStrangerTakesAllConnections(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") }))
	inner := &at{Listener: server.Listener}
	var refused atomic.Int64
	l := newCrowd(inner, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, &refused)
	l.network, l.all = 3, 12
	server.Listener = l
	server.Start()
	t.Cleanup(server.Close)
	open := func(from string) (net.Conn, bool) {
		t.Helper()
		inner.from.Store(&net.TCPAddr{IP: net.ParseIP(from), Port: 5})
		c, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_ = c.SetDeadline(time.Now().Add(20 * time.Second))
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			return c, false
		}
		_, _ = io.Copy(io.Discard, res.Body)
		return c, res.Body.Close() == nil
	}
	var last net.Conn
	for i, from := range []string{
		"198.51.100.7", "198.51.100.7", "198.51.100.7", "198.51.100.7", // one address
		"2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8::ffff:4", // one network
		"198.51.100.8", "2001:db8:0:1::1", "10.1.2.3", "10.1.2.3", "10.1.2.3", "127.0.0.1", // others, a proxy and this machine
		"198.51.100.9", "127.0.0.1", // more than all
	} {
		want := i != 3 && i != 7 && i < 14
		c, ok := open(from)
		if ok != want {
			t.Errorf("connection %d, from %s: served %t", i, from, ok)
		}
		if i == 2 {
			last = c
		}
	}
	if refused.Load() != 4 {
		t.Errorf("%d were refused", refused.Load())
	}
	_ = last.Close()
	for deadline := time.Now().Add(20 * time.Second); ; {
		if _, ok := open("198.51.100.7"); ok {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("after one was closed none is served")
		}
	}
}
