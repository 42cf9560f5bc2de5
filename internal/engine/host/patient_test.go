package host_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/host/hosttest"
)

// slowLine delivers the answer to what was written after a while, as a line with long round trips does.
type slowLine struct {
	net.Conn
	trip  time.Duration
	asked atomic.Bool
}

func (c *slowLine) Write(p []byte) (int, error) {
	c.asked.Store(true)
	return c.Conn.Write(p)
}

func (c *slowLine) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.asked.Swap(false) {
		<-time.After(c.trip)
	}
	return n, err
}

// A login over a line with long round trips takes longer than a server may be silent.
func TestServerAtTheEndOfASlowLine(t *testing.T) {
	t.Parallel()
	srv := hosttest.Start(t, hosttest.Options{})
	var took time.Duration
	f := newFleet(t, func(c *host.Config) {
		c.HandshakeTimeout = 2 * time.Second
		c.Hooks.Dialled = func(_ int64, d time.Duration, _ error) { took = d }
		c.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			nc, err := (&net.Dialer{}).DialContext(ctx, network, addr)
			return &slowLine{Conn: nc, trip: 400 * time.Millisecond}, err
		}
	})
	mustFacts(t, f, srv.Target(1))
	if took < 2*time.Second {
		t.Skipf("logging in took %s: the handshake has fewer rounds than it had", took)
	}
}
