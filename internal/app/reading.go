package app

import (
	"net"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/deadline"
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
	return &deadline.Conn{Conn: c, WriteWithin: l.within}, nil
}
