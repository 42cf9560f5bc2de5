package host

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

const (
	// A line of 2 s round trips, as over a satellite, takes 2 s to connect, or 5 s if a packet is lost, and seven round trips to log in.
	defaultDialTimeout      = 15 * time.Second
	defaultHandshakeTimeout = 10 * time.Second
	// handshakeRounds is how many times HandshakeTimeout a handshake may take in which the other side keeps answering.
	handshakeRounds = 4
	clientVersion   = "SSH-2.0-Hostler"
)

// Target is a server to connect to and its credentials.
type Target struct {
	ServerID int64
	Addr     string // "ip:port"
	User     string // root, or an account with passwordless sudo
	Signer   ssh.Signer
	// HostKeys are the pinned keys; a server without any is refused.
	HostKeys []ssh.PublicKey
	// Arch is amd64 or arm64 if known from facts; it saves a query when the agent is missing.
	Arch string
}

// identity changes with anything that makes an open connection the wrong one for the target.
func (t Target) identity() string {
	pins := fingerprints(t.HostKeys)
	slices.Sort(pins)
	return strings.Join(append(pins, t.Addr, t.User, ssh.FingerprintSHA256(t.Signer.PublicKey())), "|")
}

// check refuses a target that can't be connected to safely, before dialling.
func (t Target) check() error {
	if len(t.HostKeys) == 0 {
		return &Error{Kind: ErrNoHostKey, Server: t.ServerID, Reason: "no host key of this server is known, so it is not connected to"}
	}
	for _, key := range t.HostKeys {
		if err := strong(key); err != nil {
			return &Error{Kind: ErrNoHostKey, Server: t.ServerID, Reason: "the known host key of this server is too weak", Err: err}
		}
	}
	if t.Signer == nil {
		return &Error{Kind: ErrAuth, Server: t.ServerID, Reason: "there is no key to log in with"}
	}
	if t.User == "" {
		return &Error{Kind: ErrAuth, Server: t.ServerID, Reason: "there is no user to log in as"}
	}
	return nil
}

// dial connects and logs in. Every wait is limited.
func (f *Fleet) dial(ctx context.Context, t Target) (*conn, error) {
	start := time.Now()
	c, err := f.handshake(ctx, t)
	if f.cfg.Hooks.Dialled != nil {
		f.cfg.Hooks.Dialled(t.ServerID, time.Since(start), err)
	}
	if err != nil {
		return nil, err
	}
	if !f.spawn(func() { c.fail("", c.client.Wait()) }) || !f.spawn(func() { f.keepAlive(c) }) {
		c.fail("", net.ErrClosed)
		return nil, ErrClosed
	}
	f.cfg.Log.Debug("connected to server", "server", t.ServerID, "addr", t.Addr, "took", time.Since(start))
	return c, nil
}

func (f *Fleet) tcp(ctx context.Context, t Target) (net.Conn, error) {
	dctx, cancel := context.WithTimeout(ctx, f.cfg.DialTimeout)
	defer cancel()
	nc, err := f.cfg.Dial(dctx, "tcp", t.Addr)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &Error{Kind: ErrUnreachable, Server: t.ServerID, Reason: connectReason(t.Addr, err, f.cfg.DialTimeout), Err: err}
	}
	return nc, nil
}

func (f *Fleet) handshake(ctx context.Context, t Target) (*conn, error) {
	nc, err := f.tcp(ctx, t)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { nc.Close() })
	defer stop()
	slow := &patientConn{Conn: nc, wait: f.cfg.HandshakeTimeout, until: time.Now().Add(handshakeRounds * f.cfg.HandshakeTimeout)}
	if err := slow.extend(); err != nil {
		nc.Close()
		return nil, &Error{Kind: ErrUnreachable, Server: t.ServerID, Reason: lossReason(err), Err: err}
	}
	counted := &countingConn{Conn: slow}
	counted.heard.Store(time.Now().UnixNano())

	client, shown, trusted, err := logIn(counted, t.Addr, t.User, []ssh.AuthMethod{ssh.PublicKeys(withoutSHA1(t.Signer))}, t.HostKeys) // no password, ever
	if err != nil {
		nc.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if shown != nil {
			return nil, f.keyChanged(&HostKeyChangedError{Server: t.ServerID, Addr: t.Addr, Old: fingerprints(t.HostKeys), New: ssh.FingerprintSHA256(shown)})
		}
		return nil, f.handshakeError(t, err, trusted)
	}
	if err := slow.end(); err != nil {
		nc.Close()
		return nil, &Error{Kind: ErrUnreachable, Server: t.ServerID, Reason: lossReason(err), Err: err}
	}
	return &conn{
		target: t, identity: t.identity(), client: client, net: counted,
		slots: make(chan struct{}, f.cfg.MaxSessions), used: make(chan struct{}, 1), done: make(chan struct{}), idleFor: f.cfg.IdleClose,
	}, nil
}

// errNotPinned ends a handshake with a server that presents another host key than the pinned ones.
var errNotPinned = errors.New("the host key is not a pinned one")

// logIn makes an SSH client from a connection. trusted reports whether the server presented a pinned key; shown is the other key that it presented.
func logIn(nc net.Conn, addr, user string, auth []ssh.AuthMethod, pinned []ssh.PublicKey) (client *ssh.Client, shown ssh.PublicKey, trusted bool, err error) {
	var other ssh.PublicKey
	var known bool
	sc, chans, reqs, err := ssh.NewClientConn(nc, addr, &ssh.ClientConfig{
		Config: algorithms(), ClientVersion: clientVersion, User: user, Auth: auth, HostKeyAlgorithms: hostKeyAlgorithms(pinned),
		// Called at each key exchange, later ones too.
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			if !slices.ContainsFunc(pinned, func(k ssh.PublicKey) bool { return sameKey(k, key) }) {
				if !known {
					other = key
				}
				return errNotPinned
			}
			known = true
			return nil
		},
	})
	if err != nil {
		return nil, other, known, err
	}
	return ssh.NewClient(sc, chans, reqs), nil, true, nil
}

// refused reports whether a handshake failed because the server rejected the credentials. x/crypto has no type for that.
func refused(err error, trusted bool) bool {
	return trusted && (strings.Contains(err.Error(), "unable to authenticate") || strings.Contains(err.Error(), "ssh: disconnect"))
}

func (f *Fleet) handshakeError(t Target, err error, trusted bool) error {
	var negotiation *ssh.AlgorithmNegotiationError
	switch {
	case refused(err, trusted):
		return &Error{
			Kind: ErrAuth, Server: t.ServerID, Err: err,
			Reason: fmt.Sprintf("%s does not accept Hostler's key for user %s", t.Addr, t.User),
		}
	case errors.As(err, &negotiation):
		return &Error{
			Kind: ErrUnreachable, Server: t.ServerID, Err: err,
			Reason: fmt.Sprintf("the SSH server at %s offers only %s methods that are no longer safe", t.Addr, negotiation.What),
		}
	case timedOut(err):
		return &Error{
			Kind: ErrUnreachable, Server: t.ServerID, Err: err,
			Reason: fmt.Sprintf("%s accepted the connection, but its SSH server did not answer within %s", t.Addr, f.cfg.HandshakeTimeout),
		}
	}
	return &Error{Kind: ErrUnreachable, Server: t.ServerID, Err: err, Reason: "the SSH handshake with " + t.Addr + " failed: " + lossReason(err)}
}

// withoutSHA1 keeps an RSA key from signing with SHA-1.
func withoutSHA1(s ssh.Signer) ssh.Signer {
	as, ok := s.(ssh.AlgorithmSigner)
	if !ok || s.PublicKey().Type() != ssh.KeyAlgoRSA {
		return s
	}
	limited, err := ssh.NewSignerWithAlgorithms(as, []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256})
	if err != nil {
		return s // a certificate or a key with its own list
	}
	return limited
}
