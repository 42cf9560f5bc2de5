// Package deadline ends connections whose other side stops reading or writing.
package deadline

import (
	"net"
	"time"
)

// Conn is a connection that fails if one read or write takes longer than it may. The zero duration is no limit. Read and Write replace deadlines that were set.
type Conn struct {
	net.Conn
	ReadWithin, WriteWithin time.Duration
}

// Read reads what has arrived, waiting at most ReadWithin for the first byte.
func (c *Conn) Read(p []byte) (int, error) {
	if c.ReadWithin > 0 {
		if err := c.SetReadDeadline(time.Now().Add(c.ReadWithin)); err != nil {
			return 0, err
		}
	}
	return c.Conn.Read(p)
}

// Write sends p within WriteWithin.
func (c *Conn) Write(p []byte) (int, error) {
	if c.WriteWithin > 0 {
		if err := c.SetWriteDeadline(time.Now().Add(c.WriteWithin)); err != nil {
			return 0, err
		}
	}
	return c.Conn.Write(p)
}

// CloseWrite ends what is sent and lets the other side finish: http.Server uses it after an error, so that the client reads the answer instead of a reset.
func (c *Conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
