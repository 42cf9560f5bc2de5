package host

import (
	"net"
	"sync"
	"time"
)

// patientConn is a connection during its handshake: each answer gives the other side the same time again, up to a limit for all of it. A line with long round
// trips is not a server that does not answer.
type patientConn struct {
	net.Conn
	wait  time.Duration
	until time.Time

	mu    sync.Mutex
	ended bool
}

func (c *patientConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		if late := c.extend(); err == nil {
			err = late
		}
	}
	return n, err
}

// extend sets a later deadline.
func (c *patientConn) extend() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return nil
	}
	at := time.Now().Add(c.wait)
	if at.After(c.until) {
		at = c.until
	}
	return c.SetDeadline(at)
}

// end ends the handshake: from here on there is no deadline.
func (c *patientConn) end() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	return c.SetDeadline(time.Time{})
}
