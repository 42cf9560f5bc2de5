package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
)

// openTries is the number of tries to open a session when the server refuses: sshd frees the slot of an ended one a moment after we see its end.
const openTries = 5

// conn is one SSH connection to a server. It ends once, through fail, with a reason.
type conn struct {
	target   Target
	identity string
	client   *ssh.Client
	net      *countingConn
	slots    chan struct{} // one per session, so that sshd's MaxSessions is never reached
	used     chan struct{} // a request is being made

	mu      sync.Mutex
	err     *Error // why it ended
	done    chan struct{}
	users   int // callers that hold it
	idle    *time.Timer
	idleFor time.Duration
	retired bool // to be closed when the last user leaves
}

// countingConn records when the server last sent anything.
type countingConn struct {
	net.Conn
	heard atomic.Int64 // UnixNano
}

func (c *countingConn) heardAt() time.Time { return time.Unix(0, c.heard.Load()) }

func (c *countingConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.heard.Store(time.Now().UnixNano())
	}
	return n, err
}

// ping asks the server to answer, and calls answered once it does. It returns false if the fleet is closed. The write blocks while the network is gone; closing
// the connection ends it.
func (f *Fleet) ping(c *conn, answered func()) bool {
	return f.spawn(func() {
		if _, _, err := c.client.SendRequest("keepalive@openssh.com", true, nil); err == nil {
			answered()
		}
	})
}

// keepAlive closes the connection if the server is silent for KeepAliveMissed intervals despite requests, and sooner if a caller
// waits for it: otherwise a request after a long silence would hang on a dead connection for all that time.
func (f *Fleet) keepAlive(c *conn) {
	tick := time.NewTicker(f.cfg.KeepAlive)
	defer tick.Stop()
	prompt := time.NewTimer(time.Hour)
	prompt.Stop()
	defer prompt.Stop()
	// The times of the first and the last request since the last received data; zero if there is none.
	var first, last time.Time
	answered := make(chan struct{}, 1)
	asked := false
	ask := func() {
		asked = asked || f.ping(c, func() { answered <- struct{}{} })
	}
	for {
		select {
		case <-c.done:
			return
		case <-answered:
			asked = false
		case <-c.used:
			last = time.Now()
			if first.IsZero() {
				first = last
				prompt.Reset(f.cfg.HandshakeTimeout / 10)
			}
		case <-prompt.C:
			if heard := c.net.heardAt(); heard.After(first) {
				if first = last; heard.After(last) {
					first = time.Time{}
					continue
				}
			}
			waited := time.Since(first)
			if waited >= f.cfg.HandshakeTimeout {
				c.fail(fmt.Sprintf("the server did not answer within %s", f.cfg.HandshakeTimeout), nil)
				return
			}
			if waited < f.cfg.HandshakeTimeout/10 {
				prompt.Reset(f.cfg.HandshakeTimeout/10 - waited)
				continue
			}
			ask()
			prompt.Reset(f.cfg.HandshakeTimeout - waited)
		case <-tick.C:
			silent := time.Since(c.net.heardAt())
			if asked && silent >= f.cfg.KeepAlive*time.Duration(f.cfg.KeepAliveMissed) {
				c.fail(fmt.Sprintf("the server stopped answering %s ago", silent.Round(time.Second)), nil)
				return
			}
			if silent >= f.cfg.KeepAlive {
				ask()
			}
		}
	}
}

// fail ends the connection. The first reason counts.
func (c *conn) fail(reason string, err error) {
	c.mu.Lock()
	c.end(reason, err)
	c.mu.Unlock()
	c.net.Close()
}

// end marks the connection as ended, under the lock. The caller closes net afterwards: not by client.Close, which would wait to
// write a goodbye to a network that may be gone.
func (c *conn) end(reason string, err error) {
	if c.err != nil {
		return
	}
	if reason == "" {
		reason = lossReason(err)
	}
	c.err = &Error{Kind: ErrUnreachable, Server: c.target.ServerID, Reason: reason, Err: err}
	if c.idle != nil {
		c.idle.Stop()
	}
	close(c.done)
}

// lost returns why the connection ended, nil while it lives.
func (c *conn) lost() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		return nil
	}
	return c.err
}

// hold keeps the connection from being closed as idle. It returns false if it is already closed.
func (c *conn) hold() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return false
	}
	c.users++
	if c.idle != nil {
		c.idle.Stop()
		c.idle = nil
	}
	return true
}

// release is the opposite of hold.
func (c *conn) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.users--
	switch {
	case c.users > 0 || c.err != nil:
	case c.retired:
		c.end("", net.ErrClosed)
		c.net.Close()
	default:
		c.idle = time.AfterFunc(c.idleFor, c.closeIfIdle)
	}
}

func (c *conn) closeIfIdle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.users == 0 {
		c.end("the connection was idle", nil)
		c.net.Close()
	}
}

// retire closes the connection when its last user is done: a busy one is never cut.
func (c *conn) retire() {
	if c.hold() {
		c.mu.Lock()
		c.retired = true
		c.mu.Unlock()
		c.release()
	}
}

// session opens an SSH session within the limit; the function must be called when it ended.
func (c *conn) session(ctx context.Context) (*ssh.Session, func(), error) {
	select {
	case c.slots <- struct{}{}:
	case <-c.done:
		return nil, nil, c.lost()
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	free := sync.OnceFunc(func() { <-c.slots })
	type opened struct {
		s   *ssh.Session
		err error
	}
	answer := make(chan opened, 1)
	go func() { // ends with the connection at the latest
		s, err := c.open()
		answer <- opened{s, err}
	}()
	var o opened
	select {
	case o = <-answer:
	case <-ctx.Done():
		go func() { // the server may still open it
			if o := <-answer; o.s != nil {
				o.s.Close()
			}
			free()
		}()
		return nil, nil, ctx.Err()
	}
	if o.err == nil {
		return o.s, free, nil
	}
	free()
	if lost := c.lost(); lost != nil {
		return nil, nil, lost
	}
	return nil, nil, &Error{Kind: ErrUnreachable, Server: c.target.ServerID, Reason: "the SSH server refused another session", Err: o.err}
}

func (c *conn) open() (*ssh.Session, error) {
	for try := 1; ; try++ {
		s, err := c.client.NewSession()
		var refused *ssh.OpenChannelError
		if err == nil || !errors.As(err, &refused) || try == openTries {
			return s, err
		}
		select {
		case <-time.After(time.Duration(try) * 20 * time.Millisecond):
		case <-c.done:
			return nil, err
		}
	}
}

// run executes a fixed command with input and returns at most limit bytes of its output. A command with more output, or that does
// not end with the context, is cut off.
func (c *conn) run(ctx context.Context, command string, input io.Reader, limit int) (out []byte, exit int, err error) {
	s, free, err := c.session(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer free()
	both := &tail{limit: limit}
	s.Stdin, s.Stdout, s.Stderr = input, both, both
	ended := make(chan error, 1)
	go func() { ended <- s.Run(command) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		go s.Close() // it writes, so it ends with the connection at the latest
		select {
		case <-ended:
		case <-time.After(closeGrace): // a server that does not close its side
			c.fail("the server did not end a command", ctx.Err())
			<-ended
		}
		return nil, 0, ctx.Err()
	}
	var status *ssh.ExitError
	switch {
	case err == nil:
		return both.bytes(), 0, nil
	case errors.As(err, &status):
		return both.bytes(), status.ExitStatus(), nil
	}
	if lost := c.lost(); lost != nil {
		return nil, 0, lost
	}
	return nil, 0, &Error{Kind: ErrUnreachable, Server: c.target.ServerID, Reason: lossReason(err), Err: err}
}

// tail keeps the end of what is written to it.
type tail struct {
	mu    sync.Mutex
	limit int
	buf   []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p[max(0, len(p)-t.limit):]...)
	if len(t.buf) > t.limit {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-t.limit:]...)
	}
	return len(p), nil
}

func (t *tail) bytes() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.buf)
}
