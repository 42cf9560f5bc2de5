package host

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// The kinds of failure for errors.Is. A refusal by the agent is a *wire.Error instead.
var (
	// ErrUnreachable means no connection, or a lost one. A later retry can help.
	ErrUnreachable = errors.New("unreachable")
	// ErrHostKeyChanged means that the server presented another host key than the pinned ones. It is not logged in to until it presents
	// a pinned one again, for which it is asked at intervals, or other keys are pinned. The error is a *HostKeyChangedError.
	ErrHostKeyChanged = errors.New("host key changed")
	// ErrNoHostKey means that the Target pins no host key, so nothing can be trusted.
	ErrNoHostKey = errors.New("no host key pinned")
	// ErrAuth means that the server refused our key, or sudo requires a password.
	ErrAuth = errors.New("authentication refused")
	// ErrAgent means that the agent could not be delivered or started, ended, or violated the protocol.
	ErrAgent = errors.New("agent failed")
	// ErrNotConfirmed means that the check before a confirmation failed, so no confirmation was sent and the host reverts.
	ErrNotConfirmed = errors.New("not confirmed")
	// ErrNotSent means that the host can't have received the run, so it was not started. It comes with one of the others.
	ErrNotSent = errors.New("not sent")
	// ErrClosed means that the Fleet was closed.
	ErrClosed = errors.New("fleet closed")
)

// Error is a failure to reach a server. It has two messages: Reason is for the user, Error adds the cause for the log.
type Error struct {
	Kind   error // one of the kinds above
	Server int64
	Reason string
	Err    error // the cause, may be nil
}

func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("server %d: %s", e.Server, e.Reason)
	}
	return fmt.Sprintf("server %d: %s (%v)", e.Server, e.Reason, e.Err)
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// HostKeyChangedError is ErrHostKeyChanged with the pinned and the presented keys.
type HostKeyChangedError struct {
	Server int64
	Addr   string
	Old    []string // fingerprints of the pinned keys
	New    string   // fingerprint of the key that the server showed
}

func (e *HostKeyChangedError) Error() string {
	return fmt.Sprintf("server %d: %s", e.Server, e.reason())
}

func (e *HostKeyChangedError) reason() string {
	return fmt.Sprintf("the host key of %s changed from %s to %s; the connection may be intercepted, or the server was reinstalled",
		e.Addr, strings.Join(e.Old, " or "), e.New)
}

// Is makes errors.Is(err, ErrHostKeyChanged) work.
func (e *HostKeyChangedError) Is(target error) bool { return target == ErrHostKeyChanged }

// Reason returns the public part of err: a sentence about the server, without causes or internal addresses. It is empty if err did not come from this package
// or from an agent.
func Reason(err error) string {
	var changed *HostKeyChangedError
	if errors.As(err, &changed) {
		return changed.reason()
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Reason
	}
	var refused *wire.Error
	if errors.As(err, &refused) {
		return refused.Message
	}
	return ""
}

// connectReason returns why connecting failed.
func connectReason(addr string, err error, within time.Duration) string {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return addr + " refused the connection: no SSH server listens there, or a firewall rejects it"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "there is no route to " + addr
	case timedOut(err):
		return fmt.Sprintf("%s did not answer within %s", addr, within)
	}
	return addr + " could not be connected to"
}

// lossReason returns why an established connection was lost.
func lossReason(err error) string {
	switch {
	case err == nil, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the server closed the connection"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "the connection was reset"
	case errors.Is(err, net.ErrClosed):
		return "the connection was closed"
	}
	return "the connection was lost"
}

func timedOut(err error) bool {
	var n net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &n) && n.Timeout()
}

// printable returns the start of a server's text, made safe for a message: one line, no control characters, at most 200 bytes.
func printable(b []byte) string {
	s := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(b[:min(len(b), 4<<10)]), ""))
	s = strings.TrimSpace(s)
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "…"
	}
	return s
}

// Answered reports whether an error is the refusal of an agent: the server was reached.
func Answered(err error) bool {
	var refused *wire.Error
	return errors.As(err, &refused)
}
