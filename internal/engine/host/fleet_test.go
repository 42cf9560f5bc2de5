package host_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/host/hosttest"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newFleet makes a Fleet with short retry intervals.
func newFleet(t testing.TB, edit func(*host.Config)) *host.Fleet {
	t.Helper()
	cfg := host.Config{
		Agent:   host.Binaries{"amd64": host.BinaryOf([]byte("the agent for amd64")), "arm64": host.BinaryOf([]byte("the agent for arm64"))},
		Backoff: host.Backoff{Min: time.Millisecond, Max: 10 * time.Millisecond},
	}
	if edit != nil {
		edit(&cfg)
	}
	f := host.New(cfg)
	t.Cleanup(f.Close)
	return f
}

func testContext(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func mustFacts(t *testing.T, f *host.Fleet, target host.Target) {
	t.Helper()
	facts, err := f.Facts(testContext(t), target)
	if err != nil {
		t.Fatalf("facts: %v", err)
	}
	if facts.OS != "debian" {
		t.Fatalf("facts: OS %q", facts.OS)
	}
}

func wantErr(t *testing.T, err, want error, reason string) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
	if !strings.Contains(host.Reason(err), reason) {
		t.Fatalf("reason %q, want it to contain %q", host.Reason(err), reason)
	}
}

func TestOneConnectionForAll(t *testing.T) {
	t.Parallel()
	srv := hosttest.Start(t, hosttest.Options{})
	f := newFleet(t, nil)
	ctx := testContext(t)
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			res, err := f.Run(ctx, srv.Target(1), change(fmt.Sprintf("run-%d", i), 3), nil)
			if err != nil || res.State != wire.StateSucceeded {
				t.Errorf("run %d: %v %v", i, res.State, err)
			}
		})
	}
	wg.Wait()
	if n := srv.Logins(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
	if n := srv.Delivered(); n != 1 {
		t.Errorf("the agent was delivered %d times, want once", n)
	}
	if n := srv.Peak(); n != 1 {
		t.Errorf("%d sessions at once, want 1", n)
	}
}

func TestSessionLimit(t *testing.T) {
	t.Parallel()
	srv := hosttest.Start(t, hosttest.Options{MaxSessions: 3, UntilFull: true})
	f := newFleet(t, func(c *host.Config) { c.MaxSessions = 3 })
	ctx := testContext(t)
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			if exit, err := f.Command(ctx, srv.Target(1), "true"); err != nil || exit != 0 {
				t.Errorf("command: exit %d, %v", exit, err)
			}
		})
	}
	wg.Wait()
	if n := srv.Peak(); n != 3 {
		t.Errorf("%d sessions at once, want 3", n)
	}
	if n := srv.Logins(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

// Callers that leave while the server opens their session take no place from those that come later.
func TestLeavesWhileASessionOpens(t *testing.T) {
	t.Parallel()
	srv := hosttest.Start(t, hosttest.Options{MaxSessions: 1})
	f := newFleet(t, func(c *host.Config) { c.MaxSessions = 2 })
	mustFacts(t, f, srv.Target(1)) // the agent has the server's only session
	for range 5 {
		ctx, cancel := context.WithTimeout(testContext(t), 5*time.Millisecond) // between the first refusal and the next try
		if _, err := f.Command(ctx, srv.Target(1), "true"); err == nil {
			t.Error("the server opened a second session")
		}
		cancel()
	}
	_, err := f.Command(testContext(t), srv.Target(1), "true")
	wantErr(t, err, host.ErrUnreachable, "refused another session")
}

func TestHostKey(t *testing.T) {
	t.Parallel()
	t.Run("NotPinned", func(t *testing.T) {
		t.Parallel()
		srv := hosttest.Start(t, hosttest.Options{})
		target := srv.Target(1)
		target.HostKeys = nil
		_, err := newFleet(t, nil).Facts(testContext(t), target)
		wantErr(t, err, host.ErrNoHostKey, "no host key")
		if srv.Logins() != 0 {
			t.Error("it was connected to")
		}
	})
	t.Run("Changed", func(t *testing.T) {
		t.Parallel()
		srv := hosttest.Start(t, hosttest.Options{})
		var alarms atomic.Int32
		f := newFleet(t, func(c *host.Config) {
			c.Hooks.KeyChanged = func(*host.HostKeyChangedError) { alarms.Add(1) }
		})
		target := srv.Target(1)
		mustFacts(t, f, target)
		srv.ChangeHostKey()
		srv.DropAll()
		<-srv.Ended

		var changed *host.HostKeyChangedError
		for range 3 { // it stays so while the same key is pinned
			_, err := f.Facts(testContext(t), target)
			wantErr(t, err, host.ErrHostKeyChanged, "the host key of "+srv.Addr+" changed")
			if !errors.As(err, &changed) {
				t.Fatalf("error %T", err)
			}
		}
		if changed.New != ssh.FingerprintSHA256(srv.HostKey()) || changed.Old[0] != ssh.FingerprintSHA256(target.HostKeys[0]) {
			t.Errorf("fingerprints %+v", changed)
		}
		if srv.Logins() != 1 || alarms.Load() != 1 {
			t.Errorf("%d logins and %d alarms, want one each", srv.Logins(), alarms.Load())
		}
		mustFacts(t, f, srv.Target(1)) // the new key was confirmed
		_, err := f.Facts(testContext(t), target)
		wantErr(t, err, host.ErrHostKeyChanged, "")
		f.Forget(1)
		mustFacts(t, f, srv.Target(1))
	})
	t.Run("ChangedAndRestored", func(t *testing.T) {
		t.Parallel()
		srv := hosttest.Start(t, hosttest.Options{})
		f := newFleet(t, func(c *host.Config) { c.AskAgain = time.Millisecond })
		target, key := srv.Target(1), srv.HostSigner()
		srv.ChangeHostKey()
		for range 3 {
			_, err := f.Facts(testContext(t), target)
			wantErr(t, err, host.ErrHostKeyChanged, "changed")
		}
		srv.RestoreHostKey(key)
		for deadline := time.Now().Add(20 * time.Second); ; { // nobody says Forget
			if _, err := f.Facts(testContext(t), target); err == nil {
				break
			} else if time.Now().After(deadline) {
				t.Fatalf("its old self is not taken up again: %v", err)
			}
		}
		mustFacts(t, f, target)
	})
	t.Run("Tried", func(t *testing.T) {
		t.Parallel()
		srv := hosttest.Start(t, hosttest.Options{})
		target := srv.Target(1)
		if err := host.TryLogin(testContext(t), target); err != nil {
			t.Fatal(err)
		}
		stranger := target
		stranger.Signer = hosttest.NewSigner(t)
		wantErr(t, host.TryLogin(testContext(t), stranger), host.ErrAuth, "does not accept Hostler's key")
		srv.ChangeHostKey()
		wantErr(t, host.TryLogin(testContext(t), target), host.ErrHostKeyChanged, "changed")
	})
	t.Run("ChangedInTheMiddleOfARun", func(t *testing.T) {
		t.Parallel()
		release := make(chan struct{})
		srv := hosttest.Start(t, hosttest.Options{OnRun: func(r *hosttest.Run) wire.Result {
			r.Emit(wire.Event{Kind: wire.EventOutput})
			<-release
			return wire.Result{State: wire.StateSucceeded}
		}})
		defer close(release)
		f := newFleet(t, nil)
		_, err := f.Run(testContext(t), srv.Target(1), change("r", 1), func(wire.Event) {
			srv.ChangeHostKey()
			srv.DropAll()
		})
		wantErr(t, err, host.ErrHostKeyChanged, "changed")
	})
	t.Run("Read", func(t *testing.T) {
		t.Parallel()
		srv := hosttest.Start(t, hosttest.Options{})
		keys, err := host.ReadHostKeys(testContext(t), srv.Addr)
		if err != nil || len(keys) != 1 || ssh.FingerprintSHA256(keys[0]) != ssh.FingerprintSHA256(srv.HostKey()) {
			t.Fatalf("keys %v, %v", keys, err)
		}
		if srv.Logins() != 0 {
			t.Error("it logged in")
		}
	})
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	for name, test := range map[string]struct {
		prepare func(*hosttest.Server, *host.Target)
		kind    error
		reason  string
	}{
		"Refused": {func(_ *hosttest.Server, tg *host.Target) { tg.Addr = ln.Addr().String() }, host.ErrUnreachable, "refused the connection"},
		"Silent":  {func(s *hosttest.Server, _ *host.Target) { s.Silent(true) }, host.ErrUnreachable, "did not answer within 100ms"},
		"Closes":  {func(s *hosttest.Server, _ *host.Target) { s.Refuse(true) }, host.ErrUnreachable, "handshake"},
		"WrongKey": {
			func(_ *hosttest.Server, tg *host.Target) { tg.Signer = hosttest.NewSigner(t) }, host.ErrAuth,
			"does not accept Hostler's key for user root",
		},
		"WrongUser": {func(_ *hosttest.Server, tg *host.Target) { tg.User = "other" }, host.ErrAuth, "for user other"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := hosttest.Start(t, hosttest.Options{})
			target := srv.Target(1)
			test.prepare(srv, &target)
			f := newFleet(t, func(c *host.Config) {
				if name == "Silent" {
					c.HandshakeTimeout = 100 * time.Millisecond
				}
			})
			// Before anything was sent, a run fails at once as everything else.
			_, err := f.Run(testContext(t), target, change("r", 1), nil)
			wantErr(t, err, test.kind, test.reason)
			_, err = f.Facts(testContext(t), target)
			wantErr(t, err, test.kind, test.reason)
		})
	}
}

func TestIdleClose(t *testing.T) {
	t.Parallel()
	srv := hosttest.Start(t, hosttest.Options{})
	f := newFleet(t, func(c *host.Config) {
		c.IdleClose = time.Millisecond
		c.Hooks.Lost = func(int64, error) { t.Error("closing as idle is no loss") }
	})
	for range 3 {
		mustFacts(t, f, srv.Target(1))
		<-srv.Ended
	}
}

func TestTargetChanges(t *testing.T) {
	t.Parallel()
	a, b := hosttest.Start(t, hosttest.Options{}), hosttest.Start(t, hosttest.Options{})
	f := newFleet(t, nil)
	mustFacts(t, f, a.Target(1))
	mustFacts(t, f, b.Target(1)) // the server moved
	<-a.Ended
	if a.Logins() != 1 || b.Logins() != 1 {
		t.Errorf("logins %d and %d", a.Logins(), b.Logins())
	}
}

func TestClose(t *testing.T) {
	t.Parallel()
	srv := hosttest.Start(t, hosttest.Options{OnRun: func(r *hosttest.Run) wire.Result {
		r.Emit(wire.Event{Kind: wire.EventOutput})
		<-r.Cancelled()
		return wire.Result{State: wire.StateCancelled}
	}})
	f := newFleet(t, nil)
	_, err := f.Run(testContext(t), srv.Target(1), change("r", 1), func(wire.Event) { go f.Close() })
	wantErr(t, err, host.ErrClosed, "")
	_, err = f.Facts(testContext(t), srv.Target(1))
	wantErr(t, err, host.ErrClosed, "")
}

func TestNewKey(t *testing.T) {
	t.Parallel()
	private, authorized, fingerprint, err := host.NewKey("hostler server 12")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.ParsePrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	public, comment, _, _, err := ssh.ParseAuthorizedKey([]byte(authorized))
	if err != nil || comment != "hostler server 12" || public.Type() != ssh.KeyAlgoED25519 {
		t.Fatalf("authorized %q: %v", authorized, err)
	}
	if fp := ssh.FingerprintSHA256(signer.PublicKey()); fp != fingerprint || fp != ssh.FingerprintSHA256(public) {
		t.Errorf("fingerprints differ: %s %s", fp, fingerprint)
	}
	if _, _, _, err := host.NewKey("a\ncommand=\"x\" b"); err == nil {
		t.Error("a comment of two lines was accepted")
	}
}
