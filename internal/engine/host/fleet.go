// Package host is the control plane's side of the connection to managed hosts: one kept-alive SSH connection per server with
// pinned host keys, the delivery of the agent, one resident agent session that carries every request, and runs that survive the
// loss of all of these.
//
//	fleet.Run -> session (frames, many requests) -> conn (SSH, keepalive, at most 8 sessions) -> TCP
//
// Each layer is created on demand, once for all waiting callers, and recreated on the next use after it was lost.
package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Config configures a Fleet. Zero values mean the defaults.
type Config struct {
	Agent Binaries
	Log   *slog.Logger // default: discards
	Hooks Hooks

	DialTimeout      time.Duration // for TCP, default 15 s
	HandshakeTimeout time.Duration // for each answer of the handshake and login, default 10 s
	KeepAlive        time.Duration // silence after which a keep-alive is sent, default 15 s
	KeepAliveMissed  int           // unanswered intervals after which the connection is given up, default 3
	AskAgain         time.Duration // a server with a changed host key is asked for its key again after this, default 20 s
	IdleClose        time.Duration // a connection without work is closed after this, default 10 min
	MaxSessions      int           // SSH sessions per connection, default 8: OpenSSH allows 10
	// Now is the clock that deadlines are by and that the clocks of hosts are compared with, default time.Now.
	Now func() time.Time

	Backoff Backoff // between attempts to reconnect in the middle of a run

	// Dial makes TCP connections, default net.Dialer.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
}

// Hooks are called on events, for metrics and alarms. Each may be nil; none may block.
type Hooks struct {
	Dialled    func(server int64, took time.Duration, err error)
	Delivered  func(server int64, bytes int, took time.Duration, err error)
	Lost       func(server int64, err error) // a connection or session that was in use ended
	KeyChanged func(err *HostKeyChangedError)
}

// Fleet manages the connections to all servers. It is safe for concurrent use.
type Fleet struct {
	cfg   Config
	paths map[string]string // of the agent on hosts, by architecture

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	servers map[int64]*server
}

// server is the Fleet's state of one server.
type server struct {
	mu      sync.Mutex
	conn    *conn
	sess    *session
	arch    string
	opening *opening
	changed *HostKeyChangedError // until a new connection shows a pinned key, or other keys are pinned
	asked   time.Time            // when the changed key was last seen
}

// opening is a session being created, for all waiting callers.
type opening struct {
	identity string
	done     chan struct{}
	sess     *session
	err      error
}

// New makes a Fleet. It connects only on demand.
func New(cfg Config) *Fleet {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Dial == nil {
		cfg.Dial = (&net.Dialer{}).DialContext
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	def := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	def(&cfg.DialTimeout, defaultDialTimeout)
	def(&cfg.HandshakeTimeout, defaultHandshakeTimeout)
	def(&cfg.KeepAlive, 15*time.Second)
	def(&cfg.AskAgain, 20*time.Second)
	def(&cfg.IdleClose, 10*time.Minute)
	def(&cfg.Backoff.Min, 100*time.Millisecond)
	def(&cfg.Backoff.Max, 5*time.Second)
	if cfg.KeepAliveMissed <= 0 {
		cfg.KeepAliveMissed = 3
	}
	if cfg.MaxSessions <= 0 {
		cfg.MaxSessions = 8
	}
	f := &Fleet{cfg: cfg, paths: map[string]string{}, servers: map[int64]*server{}}
	for _, arch := range cfg.Agent.architectures() {
		f.paths[arch] = AgentPath(cfg.Agent[arch])
	}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	return f
}

// Close ends all connections and waits until the Fleet's goroutines have ended. Runs continue on their hosts.
func (f *Fleet) Close() {
	f.mu.Lock()
	f.closed = true
	servers := f.servers
	f.servers = map[int64]*server{}
	f.mu.Unlock()
	f.cancel()
	for _, s := range servers {
		s.drop(ErrClosed)
	}
	f.wg.Wait()
}

// spawn runs fn, which Close waits for. It returns false if the Fleet is closed.
func (f *Fleet) spawn(fn func()) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return false
	}
	f.wg.Go(fn)
	return true
}

func (f *Fleet) server(id int64) (*server, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, ErrClosed
	}
	s := f.servers[id]
	if s == nil {
		s = &server{}
		f.servers[id] = s
	}
	return s, nil
}

// Forget closes the connection to a server and forgets its state, including a changed host key. It is called when a server is
// deleted, and when a person confirmed its new key.
func (f *Fleet) Forget(serverID int64) {
	f.mu.Lock()
	s := f.servers[serverID]
	delete(f.servers, serverID)
	f.mu.Unlock()
	if s != nil {
		s.drop(&Error{Kind: ErrUnreachable, Server: serverID, Reason: "the connection was closed on request"})
	}
}

// drop ends the connection at once.
func (s *server) drop(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sess != nil {
		s.sess.kill(err)
	}
	if s.conn != nil {
		s.conn.fail("", net.ErrClosed)
	}
	s.sess, s.conn = nil, nil
}

// keyChanged stops everything for a server. It is asked for its key again from time to time: one that shows a pinned key is its old self, since it has
// proven that it has the private one.
func (f *Fleet) keyChanged(e *HostKeyChangedError) error {
	f.mu.Lock()
	s := f.servers[e.Server]
	f.mu.Unlock()
	if s == nil {
		return e
	}
	s.mu.Lock()
	first := s.changed == nil
	if first {
		s.changed = e
	}
	s.asked = time.Now()
	s.mu.Unlock()
	s.drop(e)
	if first {
		f.cfg.Log.Error("host key changed", "server", e.Server, "addr", e.Addr, "old", e.Old, "new", e.New)
		if f.cfg.Hooks.KeyChanged != nil {
			f.cfg.Hooks.KeyChanged(e)
		}
	}
	return e
}

// session returns the resident agent session of a server, and creates it if there is none. The caller must release its
// connection. warm reports whether it already existed.
func (f *Fleet) session(ctx context.Context, t Target) (sess *session, warm bool, err error) {
	if err := t.check(); err != nil {
		return nil, false, err
	}
	identity := t.identity()
	for tries := 1; ; tries++ {
		s, err := f.server(t.ServerID)
		if err != nil {
			return nil, false, err
		}
		s.mu.Lock()
		if s.changed != nil && !slices.Equal(s.changed.Old, fingerprints(t.HostKeys)) { // other keys were confirmed
			s.changed = nil
		}
		if s.changed != nil && time.Since(s.asked) < f.cfg.AskAgain {
			defer s.mu.Unlock()
			return nil, false, s.changed
		}
		if s.sess != nil && s.sess.conn.identity == identity && s.sess.ended() == nil && s.sess.conn.hold() {
			defer s.mu.Unlock()
			return s.sess, true, nil
		}
		o := s.opening
		if o == nil {
			o = &opening{identity: identity, done: make(chan struct{})}
			if !f.spawn(func() { f.open(s, t, o) }) {
				s.mu.Unlock()
				return nil, false, ErrClosed
			}
			s.opening = o
		}
		s.mu.Unlock()
		select {
		case <-o.done:
		case <-ctx.Done():
			return nil, false, ctx.Err()
		}
		switch {
		case o.identity != identity: // for another caller's target: wait and open our own
			tries = 0
		case o.err != nil:
			return nil, false, o.err
		case o.sess.conn.hold():
			return o.sess, false, nil
		case tries > 2: // otherwise it was closed as idle before we got it, or lost at once
			return nil, false, o.sess.conn.lost()
		}
	}
}

// open creates a session, on the existing connection if it is the right one.
func (f *Fleet) open(s *server, t Target, o *opening) {
	s.mu.Lock()
	c, arch, changed := s.conn, s.arch, s.changed
	s.mu.Unlock()
	if arch == "" {
		arch = t.Arch
	}
	// The connection is held meanwhile, so that it is not closed as idle, and for a while after.
	var err error
	if c == nil || c.identity != o.identity || !c.hold() {
		if c != nil {
			c.retire()
		}
		if c, err = f.dial(f.ctx, t); err == nil && !c.hold() {
			err, c = c.lost(), nil
		}
	}
	if err == nil {
		o.sess, arch, err = f.startAgent(f.ctx, c, arch)
	}
	if f.ctx.Err() != nil && err != nil {
		err = ErrClosed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	defer close(o.done)
	o.err, s.opening = err, nil
	if c != nil && changed != nil && s.changed == changed { // it showed a pinned key
		s.changed = nil
		f.cfg.Log.Info("host key is the known one again", "server", t.ServerID, "addr", t.Addr)
	}
	if c == nil {
		return
	}
	defer c.release()
	// Forget, Close or a changed key may have come in between.
	if known, _ := f.server(t.ServerID); known != s || s.changed != nil {
		c.retire()
		switch {
		case s.changed != nil:
			o.err = s.changed
		case o.err == nil:
			o.err = &Error{Kind: ErrUnreachable, Server: t.ServerID, Reason: "the connection was closed on request"}
		}
		return
	}
	s.conn = c
	if o.err == nil {
		s.sess, s.arch = o.sess, arch
		f.spawn(func() { f.watch(s, o.sess) })
	}
}

// watch reports the loss of a session.
func (f *Fleet) watch(s *server, sess *session) {
	<-sess.done
	err := sess.ended()
	c := sess.conn
	s.mu.Lock()
	if s.sess == sess {
		s.sess = nil
	}
	if s.conn == c && c.lost() != nil {
		s.conn = nil
	}
	s.mu.Unlock()
	if f.ctx.Err() != nil {
		return
	}
	if !sess.busy {
		f.cfg.Log.Debug("connection ended", "server", c.target.ServerID, "err", err)
		return
	}
	f.cfg.Log.Warn("connection lost", "server", c.target.ServerID, "err", err)
	if f.cfg.Hooks.Lost != nil {
		f.cfg.Hooks.Lost(c.target.ServerID, err)
	}
}

// call makes a repeatable request: it retries once if an existing connection turns out to be dead.
func (f *Fleet) call(ctx context.Context, t Target, op wire.Op, body, reply any) error {
	return f.with(ctx, t, op, func(sess *session) error { return sess.call(ctx, op, body, reply) })
}

func (f *Fleet) with(ctx context.Context, t Target, op wire.Op, ask func(*session) error) error {
	for again := true; ; again = false {
		sess, warm, err := f.session(ctx, t)
		if err == nil {
			err = ask(sess)
			sess.conn.release()
		}
		if err == nil {
			return nil
		}
		if again && warm && ctx.Err() == nil && (errors.Is(err, ErrUnreachable) || errors.Is(err, ErrAgent)) {
			continue
		}
		return fmt.Errorf("%s on server %d: %w", op, t.ServerID, err)
	}
}

// Facts returns the host's facts, and how far its clock is ahead of ours.
func (f *Fleet) Facts(ctx context.Context, t Target) (wire.Facts, error) {
	var out wire.Facts
	err := f.with(ctx, t, wire.OpFacts, func(sess *session) error {
		if _, err := sess.hello(ctx, f.cfg.Now); err != nil { // the clock may have been set since the session began
			return err
		}
		err := sess.call(ctx, wire.OpFacts, nil, &out)
		out.ClockAhead = sess.ahead()
		return err
	})
	return out, err
}

// Drift compares a Change with the host and changes nothing.
func (f *Fleet) Drift(ctx context.Context, t Target, change wire.Change) (wire.Drift, error) {
	var out wire.Drift
	err := f.call(ctx, t, wire.OpDrift, change, &out)
	return out, err
}

// Log reads a part of a log.
func (f *Fleet) Log(ctx context.Context, t Target, q wire.LogQuery) (wire.LogPage, error) {
	var out wire.LogPage
	err := f.call(ctx, t, wire.OpLog, q, &out)
	return out, err
}

// Read reads a small file of an account.
func (f *Fleet) Read(ctx context.Context, t Target, q wire.ReadQuery) (wire.ReadFile, error) {
	var out wire.ReadFile
	err := f.call(ctx, t, wire.OpRead, q, &out)
	return out, err
}

// Files works with a file of an account. What changes something is repeatable by what it says the file must be before.
func (f *Fleet) Files(ctx context.Context, t Target, q wire.FileQuery) (wire.FileReply, error) {
	var out wire.FileReply
	err := f.call(ctx, t, wire.OpFiles, q, &out)
	return out, err
}

// Units returns the state of systemd units; a name can contain "*".
func (f *Fleet) Units(ctx context.Context, t Target, names []string) ([]wire.UnitState, error) {
	var out []wire.UnitState
	err := f.call(ctx, t, wire.OpUnits, names, &out)
	return out, err
}

// Samples returns what the host measured after a minute since 1970, the oldest first. The minutes are those of our clock.
func (f *Fleet) Samples(ctx context.Context, t Target, after int64) ([]wire.Sample, error) {
	var out []wire.Sample
	err := f.with(ctx, t, wire.OpSamples, func(sess *session) error {
		ahead := sess.minutesAhead()
		err := sess.call(ctx, wire.OpSamples, wire.SampleQuery{After: after + ahead}, &out)
		for i := range out {
			out[i].Minute -= ahead
		}
		return err
	})
	return out, err
}

// SiteSamples returns the request counts of the host's sites after a minute since 1970, oldest first for each site. The minutes are those of our clock.
func (f *Fleet) SiteSamples(ctx context.Context, t Target, after int64) ([]wire.SiteSample, error) {
	var out []wire.SiteSample
	err := f.with(ctx, t, wire.OpSites, func(sess *session) error {
		ahead := sess.minutesAhead()
		err := sess.call(ctx, wire.OpSites, wire.SampleQuery{After: after + ahead}, &out)
		for i := range out {
			out[i].Minute -= ahead
		}
		return err
	})
	return out, err
}

// Edited returns the paths of Hostler's own files that differ from what the agent wrote; nil while a run changes the host.
func (f *Fleet) Edited(ctx context.Context, t Target) ([]string, error) {
	var out []string
	err := f.call(ctx, t, wire.OpEdited, nil, &out)
	return out, err
}

// Runs lists the host's journal.
func (f *Fleet) Runs(ctx context.Context, t Target) ([]wire.RunSummary, error) {
	var out []wire.RunSummary
	err := f.call(ctx, t, wire.OpRuns, nil, &out)
	return out, err
}
