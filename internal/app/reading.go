package app

import (
	"net"
	"time"
)

// writeTimeout is the longest that a client may take to receive one piece of an answer. Streams and downloads write many.
const writeTimeout = 60 * time.Second

// readers is a listener for clients that read what they are sent: a connection whose client stops reading is ended, instead of holding a request
// and what it reads from. http.Server.WriteTimeout limits a whole answer, so it can't be set for streams.
type readers struct {
	net.Listener
	within time.Duration
}

// Accept waits for a connection.
func (l readers) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return reader{c, l.within}, nil
}

type reader struct {
	net.Conn
	within time.Duration
}

// Write sends one piece.
func (c reader) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.within)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// CloseWrite ends what is sent and lets the client finish: http.Server uses it after an error, so that the client reads the answer instead of a reset.
func (c reader) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
