package deadline_test

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/deadline"
)

func TestSilentPeer(t *testing.T) {
	t.Parallel()
	near, far := net.Pipe() // nothing is buffered: a write waits for a read
	t.Cleanup(func() { _, _ = near.Close(), far.Close() })
	c := &deadline.Conn{Conn: near, ReadWithin: time.Millisecond, WriteWithin: time.Millisecond}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read from a silent peer: %v", err)
	}
	if _, err := c.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("write to a peer that does not read: %v", err)
	}
}

// The zero duration leaves a deadline alone that the owner set, such as that of http.Server for a request's header.
func TestNoLimit(t *testing.T) {
	t.Parallel()
	near, far := net.Pipe()
	t.Cleanup(func() { _, _ = near.Close(), far.Close() })
	c := &deadline.Conn{Conn: near, WriteWithin: time.Minute}
	if err := c.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("read: %v, want the owner's deadline", err)
	}
	if err := c.SetReadDeadline(time.Time{}); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = far.Write([]byte("ab")) }()
	if _, err := io.ReadFull(c, make([]byte, 2)); err != nil {
		t.Errorf("read: %v", err)
	}
}
