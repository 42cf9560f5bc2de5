package host

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// closeGrace is how long a server has to close its side of a session before the whole connection is closed.
	closeGrace = 5 * time.Second
	// writeChunk and writeStall limit the writing of a request: the server must accept this much in that time.
	writeChunk = 256 << 10
	writeStall = time.Minute
	// helloTimeout is how long the agent has to start.
	helloTimeout = 20 * time.Second
)

// session is the resident agent of a server: one SSH session that carries all requests at once.
type session struct {
	conn *conn
	out  chan []byte
	done chan struct{} // closed when the session ended; err is why

	mu      sync.Mutex
	clock   clock
	next    uint64
	streams map[uint64]*stream
	err     error
	busy    bool // a caller was waiting when it ended
	proc    *ssh.Session
}

// startError means that the agent's process ended before its hello.
type startError struct {
	exit   int
	output []byte
}

func (e *startError) Error() string {
	return fmt.Sprintf("exit status %d: %s", e.exit, printable(e.output))
}

// startSession runs command, which must be an agent, and waits for its hello.
func (f *Fleet) startSession(ctx context.Context, c *conn, command string) (*session, error) {
	hctx, cancel := context.WithTimeout(ctx, helloTimeout)
	defer cancel()
	proc, free, err := c.session(hctx)
	if err != nil {
		return nil, err
	}
	stdin, err1 := proc.StdinPipe()
	stdout, err2 := proc.StdoutPipe()
	stderr := &tail{limit: 4 << 10}
	proc.Stderr = stderr
	// Start waits for the server's answer and knows no context.
	giveUp := context.AfterFunc(hctx, func() { c.fail("the server did not start a command in time", nil) })
	err = errors.Join(err1, err2, proc.Start(command))
	giveUp()
	if err != nil {
		go proc.Close()
		free()
		if lost := c.lost(); lost != nil {
			return nil, lost
		}
		return nil, &Error{Kind: ErrAgent, Server: c.target.ServerID, Reason: "the server refuses to run a command", Err: err}
	}
	s := &session{conn: c, proc: proc, out: make(chan []byte), done: make(chan struct{}), streams: map[uint64]*stream{}}
	reader := bufio.NewReaderSize(stdout, 16<<10)
	var noise []byte

	readerDone := make(chan struct{})
	ok := f.spawn(func() {
		defer free()
		defer close(readerDone)
		var err error
		if noise, err = skipNoise(reader); err == nil {
			err = s.read(reader)
		}
		s.kill(s.endReason(err, noise, stderr))
	})
	if !ok {
		c.fail("", net.ErrClosed)
		free()
		return nil, ErrClosed
	}
	f.spawn(func() { s.write(stdin) })
	f.spawn(func() { // a server that does not close its side of a session loses the connection
		<-s.done
		go proc.Close() // it writes, so it ends with the connection at the latest
		select {
		case <-readerDone:
		case <-time.After(closeGrace):
			c.fail("the server did not close a session", nil)
		}
	})

	hello, err := s.hello(hctx, f.cfg.Now)
	if err != nil {
		if ctx.Err() == nil && hctx.Err() != nil {
			err = s.protocolError(fmt.Sprintf("the agent did not say hello within %s", helloTimeout), nil)
		}
		s.kill(err)
		return nil, err
	}
	if hello.Version != wire.Version {
		err := s.protocolError(fmt.Sprintf("the agent speaks version %d of the protocol, not %d", hello.Version, wire.Version), nil)
		s.kill(err)
		return nil, err
	}
	return s, nil
}

// endReason returns why the agent's output ended.
func (s *session) endReason(err error, noise []byte, stderr *tail) error {
	var e *Error
	if errors.As(err, &e) {
		e.Server = s.conn.target.ServerID
		return e
	}
	if lost := s.conn.lost(); lost != nil {
		return lost
	}
	// The output ended: the exit status follows, unless the server misbehaves.
	status := make(chan error, 1)
	go func() { status <- s.proc.Wait() }()
	select {
	case err = <-status:
	case <-s.conn.done:
		return s.conn.lost()
	case <-time.After(closeGrace):
		s.conn.fail("the server did not close a session", nil)
		return s.conn.lost()
	}
	said := stderr.bytes()
	if len(bytes.TrimSpace(said)) == 0 {
		said = noise
	}
	start := &startError{output: said}
	var exit *ssh.ExitError
	switch {
	case errors.As(err, &exit):
		start.exit = exit.ExitStatus()
	case err != nil:
		// No exit status: sshd ended, or killed the process. The connection soon shows which.
		select {
		case <-s.conn.done:
			return s.conn.lost()
		case <-time.After(50 * time.Millisecond):
		}
		return &Error{Kind: ErrAgent, Server: s.conn.target.ServerID, Reason: "the agent ended without a status", Err: err}
	}
	reason := fmt.Sprintf("the agent ended with exit status %d", start.exit)
	if text := printable(said); text != "" {
		reason += ": " + text
	}
	return &Error{Kind: ErrAgent, Server: s.conn.target.ServerID, Reason: reason, Err: start}
}

func (s *session) protocolError(reason string, err error) error {
	return &Error{Kind: ErrAgent, Server: s.conn.target.ServerID, Reason: reason, Err: err}
}

// kill ends the session; all waiting callers get err. The first one counts.
func (s *session) kill(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err, s.busy = err, len(s.streams) > 0
		close(s.done)
	}
}

// ended returns why the session ended, nil while it lives.
func (s *session) ended() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// read passes frames to their requests, until the output ends or can no longer be trusted.
func (s *session) read(r *bufio.Reader) error {
	var buf []byte
	for {
		line, err := readFrame(r, buf)
		if errors.Is(err, errFrameTooLong) {
			return s.protocolError("the agent sent a frame that is too long", err)
		}
		if err != nil {
			return err
		}
		fr, err := decodeFrame(line)
		if err != nil {
			return s.protocolError("the agent sent something that is not a frame", err)
		}
		if buf = line; cap(buf) > 1<<20 {
			buf = nil // a rare large frame is not kept in memory
		}
		s.mu.Lock()
		st, asked := s.streams[fr.ID], fr.ID <= s.next
		if fr.Done {
			delete(s.streams, fr.ID)
		}
		s.mu.Unlock()
		switch {
		case !asked:
			return s.protocolError("the agent answered a request that was never made", nil)
		case st != nil: // otherwise the caller has left
			st.push(fr, len(line)+frameOverhead, s.done)
		}
	}
}

// write sends requests in sequence. A request is never cut, which would end the session.
func (s *session) write(w io.Writer) {
	for {
		var line []byte
		select {
		case line = <-s.out:
		case <-s.done:
			return
		}
		for len(line) > 0 {
			n := min(len(line), writeChunk)
			stall := time.AfterFunc(writeStall, func() {
				s.kill(&Error{Kind: ErrUnreachable, Server: s.conn.target.ServerID, Reason: "the agent stopped reading"})
			})
			_, err := w.Write(line[:n])
			stall.Stop()
			if err != nil {
				return // the reader reports why
			}
			line = line[n:]
		}
	}
}

// request sends one request. sent reports whether the host may have received it.
func (s *session) request(ctx context.Context, op wire.Op, body any) (st *stream, sent bool, err error) {
	req := wire.Request{Op: op}
	if body != nil {
		if req.Body, err = json.Marshal(body); err != nil {
			return nil, false, fmt.Errorf("encode %s: %w", op, err)
		}
	}
	st = &stream{s: s, left: make(chan struct{}), some: make(chan struct{}, 1), room: make(chan struct{}, 1)}
	s.mu.Lock()
	if s.err != nil {
		s.mu.Unlock()
		return nil, false, s.err
	}
	s.next++
	st.id, req.ID = s.next, s.next
	s.streams[st.id] = st
	s.mu.Unlock()

	line, err := json.Marshal(req)
	if err == nil && len(line)+1 > wire.MaxFrame {
		err = fmt.Errorf("request of %d bytes is larger than a frame may be", len(line))
	}
	if err != nil {
		st.close()
		return nil, false, fmt.Errorf("encode %s: %w", op, err)
	}
	select {
	case s.out <- append(line, '\n'):
		signal(s.conn.used)
		return st, true, nil
	case <-s.done:
		err = s.ended()
	case <-ctx.Done():
		err = ctx.Err()
	}
	st.close()
	return nil, false, err
}

// call sends a request that has one answer.
func (s *session) call(ctx context.Context, op wire.Op, body, reply any) error {
	st, _, err := s.request(ctx, op, body)
	if err != nil {
		return err
	}
	defer st.close()
	for {
		fr, _, err := st.receive(ctx)
		if err != nil {
			return err
		}
		if fr.Error != nil {
			return fr.Error
		}
		if !fr.Done {
			continue
		}
		if reply == nil {
			return nil
		}
		if err := decodeReply(fr.Body, reply); err != nil {
			err = s.protocolError(fmt.Sprintf("the agent's answer to %s makes no sense", op), err)
			s.kill(err)
			return err
		}
		return nil
	}
}
