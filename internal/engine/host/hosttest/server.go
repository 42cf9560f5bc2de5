// Package hosttest is a managed host inside a test: an SSH server that runs the real delivery script in a directory, and either
// an in-memory agent or the real agent's binary, with the faults of real servers and networks.
package hosttest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"net"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/internal/engine/host"
)

// Options of a Server. Zero values mean a root login on amd64 with an agent in memory.
type Options struct {
	User        string // the login account, default root
	Sudo        Sudo   // for other users than root
	Machine     string // what uname -m says, default x86_64
	MaxSessions int    // a connection, default 10 as OpenSSH
	// UntilFull makes the command true end only once MaxSessions sessions of a connection have been open at once.
	UntilFull bool
	Greeting  string // what a login prints before anything else (.bashrc)
	// AgentBinary is the path of a real agent, which is run with --root in the server's directory instead of the one in memory.
	AgentBinary string
	// OnRun is what a run does in the in-memory agent. Default: every step reports started and changed, then success.
	OnRun func(*Run) Result
	// OnFrame is called for every frame that an agent sends, n counting from 1 over all sessions; it injects faults. May be nil.
	OnFrame func(n int) Fault
	// Ahead is how far the clock of the in-memory agent is ahead.
	Ahead time.Duration
}

// Sudo is what sudo does on the host.
type Sudo int

// The kinds of sudo.
const (
	SudoFree Sudo = iota // no password
	SudoPassword
	SudoMissing
)

// Fault is what happens instead of a frame.
type Fault int

// The faults of frames.
const (
	None      Fault = iota
	Kill            // the connection is gone before the frame
	KillInner       // the connection is gone in the middle of the frame
	Garbage         // the connection breaks midway through the frame
	Endless         // output without end and without a newline
	Exit            // the agent ends, the connection stays
)

// Server is the host. It is closed with the test.
type Server struct {
	Addr string
	// NextAddr is the listen address after Move.
	NextAddr string
	Root     string // the directory that is / for the agent
	Agent    *Agent // the agent in memory
	Signer   ssh.Signer
	Ended    chan struct{} // gets a value for each connection that ended

	tb   testing.TB
	opts Options
	ln   net.Listener
	next net.Listener
	wg   sync.WaitGroup
	done chan struct{}

	mu        sync.Mutex
	key       ssh.Signer
	conns     map[*wireConn]struct{}
	closed    bool
	silent    bool
	refuse    bool
	frames    int
	logins    int
	peak      int // the maximum of concurrent sessions on one connection
	full      chan struct{}
	fill      func() // closes full, once
	commands  []string
	delivered int
}

// Start brings up a Server on a loopback port.
func Start(tb testing.TB, opts Options) *Server {
	tb.Helper()
	if opts.User == "" {
		opts.User = "root"
	}
	if opts.Machine == "" {
		opts.Machine = "x86_64"
	}
	if opts.MaxSessions == 0 {
		opts.MaxSessions = 10
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatalf("hosttest: listen: %v", err)
	}
	next, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatalf("hosttest: listen: %v", err)
	}
	s := &Server{
		next: next, NextAddr: next.Addr().String(),
		Addr: ln.Addr().String(), Root: tb.TempDir(), Signer: NewSigner(tb), tb: tb, opts: opts, ln: ln,
		key: NewSigner(tb), conns: map[*wireConn]struct{}{}, done: make(chan struct{}),
		Ended: make(chan struct{}, 1000),
	}
	s.full = make(chan struct{})
	s.fill = sync.OnceFunc(func() { close(s.full) })
	s.Agent = NewAgent(opts.OnRun)
	s.Agent.Ahead = opts.Ahead
	s.wg.Go(func() { s.accept(s.ln) })
	tb.Cleanup(s.Close)
	return s
}

// NewSigner makes a key for a user or a host.
func NewSigner(tb testing.TB) ssh.Signer {
	tb.Helper()
	_, secret, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		tb.Fatalf("hosttest: key: %v", err)
	}
	signer, err := ssh.NewSignerFromKey(secret)
	if err != nil {
		tb.Fatalf("hosttest: key: %v", err)
	}
	return signer
}

// Target returns the target of the server, with its present host key pinned.
func (s *Server) Target(id int64) host.Target {
	return host.Target{ServerID: id, Addr: s.Addr, User: s.opts.User, Signer: s.Signer, HostKeys: []ssh.PublicKey{s.HostKey()}}
}

// HostKey returns the key that the server shows.
func (s *Server) HostKey() ssh.PublicKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.key.PublicKey()
}

// Close ends everything and waits for it.
func (s *Server) Close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	s.mu.Unlock()
	close(s.done)
	s.ln.Close()
	s.next.Close()
	s.DropAll()
	s.Agent.stop()
	s.wg.Wait()
	s.Agent.wg.Wait()
}

// ChangeHostKey makes the server show another key from now on.
func (s *Server) ChangeHostKey() {
	signer := NewSigner(s.tb)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key = signer
}

// RestoreHostKey gives the server a key that it had, as a restored backup does.
func (s *Server) RestoreHostKey(signer ssh.Signer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key = signer
}

// HostSigner returns the server's key with its private part.
func (s *Server) HostSigner() ssh.Signer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.key
}

// Silent makes the server accept new connections and never send a banner.
func (s *Server) Silent(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent = on
}

// Refuse makes the server close new connections at once.
func (s *Server) Refuse(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refuse = on
}

// Move makes the server listen at NextAddr and no longer at Addr, as sshd does when its port is changed.
func (s *Server) Move() {
	s.ln.Close()
	s.wg.Go(func() { s.accept(s.next) })
}

// HalfOpen makes the existing connections swallow everything, like a network that was cut.
func (s *Server) HalfOpen() {
	for _, c := range s.open() {
		c.mute()
	}
}

// DropAll closes all connections.
func (s *Server) DropAll() {
	for _, c := range s.open() {
		c.Close()
	}
}

func (s *Server) open() []*wireConn {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*wireConn
	for c := range s.conns {
		out = append(out, c)
	}
	return out
}

// Logins returns how many connections logged in so far.
func (s *Server) Logins() int { s.mu.Lock(); defer s.mu.Unlock(); return s.logins }

// Peak returns the maximum number of concurrent sessions on one connection.
func (s *Server) Peak() int { s.mu.Lock(); defer s.mu.Unlock(); return s.peak }

// Delivered returns how many times an agent was installed.
func (s *Server) Delivered() int { s.mu.Lock(); defer s.mu.Unlock(); return s.delivered }

// Commands returns what was executed, in order.
func (s *Server) Commands() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.commands...)
}

func (s *Server) accept(ln net.Listener) {
	for {
		nc, err := ln.Accept()
		if err != nil {
			return
		}
		c := &wireConn{Conn: nc, muted: make(chan struct{}), closed: make(chan struct{})}
		s.mu.Lock()
		refuse := s.refuse || s.closed
		if !refuse {
			s.conns[c] = struct{}{}
		}
		s.mu.Unlock()
		if refuse {
			nc.Close()
			continue
		}
		s.wg.Go(func() {
			s.serve(c)
			c.Close()
			s.mu.Lock()
			delete(s.conns, c)
			s.mu.Unlock()
			select {
			case s.Ended <- struct{}{}:
			default:
			}
		})
	}
}

func (s *Server) serve(c *wireConn) {
	s.mu.Lock()
	silent, key := s.silent, s.key
	s.mu.Unlock()
	if silent {
		select {
		case <-s.done:
		case <-c.closed:
		}
		return
	}
	cfg := &ssh.ServerConfig{
		PublicKeyCallback: func(m ssh.ConnMetadata, k ssh.PublicKey) (*ssh.Permissions, error) {
			if m.User() == s.opts.User && bytes.Equal(k.Marshal(), s.Signer.PublicKey().Marshal()) {
				return nil, nil
			}
			return nil, errNoEntry
		},
	}
	cfg.AddHostKey(key)
	sc, chans, reqs, err := ssh.NewServerConn(c, cfg)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.logins++
	s.mu.Unlock()
	s.wg.Go(func() { ssh.DiscardRequests(reqs) })
	var mu sync.Mutex
	open := 0
	for nch := range chans {
		mu.Lock()
		full := open >= s.opts.MaxSessions
		if !full {
			open++
			s.mu.Lock()
			s.peak = max(s.peak, open)
			if open == s.opts.MaxSessions {
				s.fill()
			}
			s.mu.Unlock()
		}
		mu.Unlock()
		if nch.ChannelType() != "session" || full {
			nch.Reject(ssh.ResourceShortage, "no more sessions")
			if !full {
				mu.Lock()
				open--
				mu.Unlock()
			}
			continue
		}
		ch, reqs, err := nch.Accept()
		if err != nil {
			return
		}
		s.wg.Go(func() {
			s.session(c, ch, reqs, sync.OnceFunc(func() {
				mu.Lock()
				open--
				mu.Unlock()
			}))
		})
	}
	sc.Wait()
}

// wireConn is a connection that can go silent.
type wireConn struct {
	net.Conn
	once, closing sync.Once
	muted         chan struct{}
	closed        chan struct{}
}

func (c *wireConn) mute() { c.once.Do(func() { close(c.muted) }) }

func (c *wireConn) Close() error {
	c.closing.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

func (c *wireConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	select {
	case <-c.muted:
		<-c.closed
		return 0, net.ErrClosed
	default:
		return n, err
	}
}

func (c *wireConn) Write(p []byte) (int, error) {
	select {
	case <-c.muted:
		return len(p), nil
	default:
		return c.Conn.Write(p)
	}
}
