package host

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// ConfirmKind is what must work before a change is confirmed. The existing connection proves nothing: it outlives the rule or the
// setting that would refuse a new one.
type ConfirmKind int

const (
	// ConfirmReachable: a new TCP connection reads sshd's banner. For firewall changes.
	ConfirmReachable ConfirmKind = iota
	// ConfirmLogin: a new connection logs in and runs a command. For changes to sshd and its keys.
	ConfirmLogin
)

// Check is how a change is confirmed.
type Check struct {
	Kind ConfirmKind
	// Target is the server's target after the change, if it has another port or another key. Nil means the current one.
	Target *Target
}

const (
	// bannerLimit limits what may precede sshd's banner (RFC 4253, 4.2).
	bannerLimit = 8 << 10
	// confirmPause is the pause between attempts: short, as the host waits only for about 30 s.
	confirmPause = 250 * time.Millisecond
)

// Confirm checks that the server can be reached and then tells the host to keep a change. If the check fails it sends nothing and
// returns ErrNotConfirmed with the reason; the host then rolls the change back.
func (f *Fleet) Confirm(ctx context.Context, t Target, id string, kind ConfirmKind) error {
	if err := f.reach(ctx, t, kind); err != nil {
		return fmt.Errorf("confirm run %s: %w: %w", id, ErrNotConfirmed, err)
	}
	return f.call(ctx, t, wire.OpConfirm, wire.RunID{ID: id}, nil)
}

// RunConfirmed is Run for a Change with ConfirmWithin: when the host waits for the confirmation, it makes the check and confirms. If the check fails until the
// time is up, nothing is sent and the host rolls the change back. The result is then wire.StateReverted with the reason of the failed check, and Unheard if the
// existing connection did not answer either. If no check failed, a change that was rolled back is wire.StateLost: it can be retried.
func (f *Fleet) RunConfirmed(ctx context.Context, t Target, run wire.Run, check Check, on func(wire.Event)) (wire.Result, error) {
	if run.Change == nil || run.Change.ConfirmWithin <= 0 {
		return f.Run(ctx, t, run, on)
	}
	w := f.follower(t, run, on)
	then := t
	if check.Target != nil {
		then = *check.Target
		w.targets = append(w.targets, then)
	}
	cctx, cancel := context.WithCancel(ctx)
	var once sync.Once
	var failed error
	var heard bool
	done := make(chan struct{})
	w.waiting = func() {
		once.Do(func() {
			if !f.spawn(func() {
				defer close(done)
				heard, failed = f.confirm(cctx, then, run, check.Kind)
			}) {
				close(done)
			}
		})
	}
	res, err := w.follow(ctx)
	cancel()
	once.Do(func() { close(done) })
	<-done
	if err == nil && res.State == wire.StateReverted {
		var refused *wire.Error
		why := Reason(failed)
		if errors.As(failed, &refused) {
			why = "" // the check passed, but the host no longer waited
		}
		switch {
		case why != "":
			res.Reason, res.Unheard = strings.TrimPrefix(res.Reason+": "+why, ": "), !heard
		case w.cut: // no connection got through while the host waited
			res.Unheard = true
		default: // no connection failed: we were away while it waited, or the waiting process died
			res.State, res.Reason = wire.StateLost, "it was not confirmed in time, so it was rolled back"
		}
	}
	return res, err
}

// confirm repeats the check while the host waits. The host's clock may be wrong, so the time is counted here; it began slightly earlier there, and the host
// refuses a late confirmation. The result heard reports whether the existing connection answered after a check that failed.
func (f *Fleet) confirm(ctx context.Context, t Target, run wire.Run, kind ConfirmKind) (heard bool, _ error) {
	ctx, cancel := context.WithTimeout(ctx, run.Change.ConfirmWithin)
	defer cancel()
	var last error
	for {
		err := f.Confirm(ctx, t, run.ID, kind)
		var refused *wire.Error
		switch {
		case err == nil:
			return heard, nil
		case errors.As(err, &refused), errors.Is(err, ErrHostKeyChanged), errors.Is(err, ErrAuth), errors.Is(err, ErrNoHostKey):
			return heard, err // a retry changes nothing, and sshd penalizes failed logins
		case ctx.Err() == nil:
			last = err
			heard = heard || f.answers(ctx, t.ServerID)
		}
		pause := time.NewTimer(confirmPause)
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			if last == nil {
				last = err
			}
			return heard, last
		}
	}
}

// answers reports whether the existing connection to a server answers now.
func (f *Fleet) answers(ctx context.Context, serverID int64) bool {
	s, err := f.server(serverID)
	if err != nil {
		return false
	}
	s.mu.Lock()
	c := s.conn
	s.mu.Unlock()
	if c == nil || !c.hold() {
		return false
	}
	defer c.release()
	answered := make(chan struct{})
	if !f.ping(c, func() { close(answered) }) {
		return false
	}
	wait := time.NewTimer(f.cfg.HandshakeTimeout / 5)
	defer wait.Stop()
	select {
	case <-answered:
		return true
	case <-wait.C:
	case <-c.done:
	case <-ctx.Done():
	}
	return false
}

// reach makes a new connection to the server, apart from the existing one.
func (f *Fleet) reach(ctx context.Context, t Target, kind ConfirmKind) error {
	if err := t.check(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, f.cfg.DialTimeout+handshakeRounds*f.cfg.HandshakeTimeout)
	defer cancel()
	if kind == ConfirmReachable {
		return f.readBanner(ctx, t)
	}
	c, err := f.handshake(ctx, t)
	if err != nil {
		return err
	}
	defer c.fail("", nil)
	_, exit, err := c.run(ctx, "true", nil, 1<<10)
	switch {
	case err != nil:
		return f.late(c, ctx, err)
	case exit != 0:
		return &Error{Kind: ErrAuth, Server: t.ServerID, Reason: fmt.Sprintf("user %s can log in but not run a command", t.User)}
	}
	return nil
}

func (f *Fleet) readBanner(ctx context.Context, t Target) error {
	nc, err := f.tcp(ctx, t)
	if err != nil {
		return err
	}
	defer nc.Close()
	defer context.AfterFunc(ctx, func() { nc.Close() })()
	if err := nc.SetReadDeadline(time.Now().Add(f.cfg.HandshakeTimeout)); err != nil {
		return &Error{Kind: ErrUnreachable, Server: t.ServerID, Reason: lossReason(err), Err: err}
	}
	r := bufio.NewReaderSize(nc, 512)
	for read := 0; read < bannerLimit; {
		line, err := r.ReadSlice('\n')
		read += len(line)
		if strings.HasPrefix(string(line), "SSH-2.0-") {
			return nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			reason := t.Addr + " accepted the connection and closed it"
			if timedOut(err) {
				reason = t.Addr + " accepted the connection, but no SSH server answered"
			}
			return &Error{Kind: ErrUnreachable, Server: t.ServerID, Reason: reason, Err: err}
		}
	}
	return &Error{Kind: ErrUnreachable, Server: t.ServerID, Reason: "what answers at " + t.Addr + " is not an SSH server"}
}
