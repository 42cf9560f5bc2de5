package host

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
)

// minRSABits is the minimum for RSA host keys: NIST SP 800-57 disallows less than 2048.
const minRSABits = 2048

// algorithms returns the minimum of algorithms: nothing with SHA-1, CBC, DSS or a MAC shorter than 256 bits. Every OpenSSH since 6.5 meets it.
func algorithms() ssh.Config {
	return ssh.Config{
		KeyExchanges: []string{
			ssh.KeyExchangeMLKEM768X25519, ssh.KeyExchangeCurve25519,
			ssh.KeyExchangeECDHP256, ssh.KeyExchangeECDHP384, ssh.KeyExchangeECDHP521,
			ssh.KeyExchangeDH16SHA512, ssh.KeyExchangeDH14SHA256,
		},
		Ciphers: []string{
			ssh.CipherAES128GCM, ssh.CipherAES256GCM, ssh.CipherChaCha20Poly1305,
			ssh.CipherAES128CTR, ssh.CipherAES192CTR, ssh.CipherAES256CTR,
		},
		MACs: []string{ssh.HMACSHA256ETM, ssh.HMACSHA512ETM, ssh.HMACSHA256, ssh.HMACSHA512},
	}
}

// hostKeyAlgorithms returns the accepted algorithms, the types of the pinned keys first: a server with several keys then presents
// the pinned one, and one without that type presents another, which is reported as changed.
func hostKeyAlgorithms(pinned []ssh.PublicKey) []string {
	all := []string{
		ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521,
		ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256,
	}
	isPinned := func(algo string) bool {
		return slices.ContainsFunc(pinned, func(k ssh.PublicKey) bool {
			return k.Type() == algo || k.Type() == ssh.KeyAlgoRSA && strings.HasPrefix(algo, "rsa-sha2-")
		})
	}
	slices.SortStableFunc(all, func(a, b string) int {
		switch pa, pb := isPinned(a), isPinned(b); {
		case pa == pb:
			return 0
		case pa:
			return -1
		}
		return 1
	})
	return all
}

// strong refuses RSA keys below the minimum.
func strong(key ssh.PublicKey) error {
	if c, ok := key.(ssh.CryptoPublicKey); ok {
		if r, ok := c.CryptoPublicKey().(*rsa.PublicKey); ok && r.N.BitLen() < minRSABits {
			return fmt.Errorf("RSA host key of %d bits, at least %d are required", r.N.BitLen(), minRSABits)
		}
	}
	return nil
}

func sameKey(a, b ssh.PublicKey) bool { return bytes.Equal(a.Marshal(), b.Marshal()) }

// fingerprints of keys, as ssh-keygen -l shows them.
func fingerprints(keys []ssh.PublicKey) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = ssh.FingerprintSHA256(k)
	}
	return out
}

// NewKey generates an ed25519 key: the private half in OpenSSH's PEM format, the line for authorized_keys, and the fingerprint.
// The comment must be one line.
func NewKey(comment string) (private []byte, authorized, fingerprint string, err error) {
	if strings.ContainsFunc(comment, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return nil, "", "", errors.New("make SSH key: the comment has control characters")
	}
	public, secret, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, "", "", fmt.Errorf("make SSH key: %w", err)
	}
	block, err := ssh.MarshalPrivateKey(secret, comment)
	if err != nil {
		return nil, "", "", fmt.Errorf("make SSH key: %w", err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		return nil, "", "", fmt.Errorf("make SSH key: %w", err)
	}
	authorized = strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
	if comment != "" {
		authorized += " " + comment
	}
	return pem.EncodeToMemory(block), authorized, ssh.FingerprintSHA256(key), nil
}

// errSeen ends the handshake of ReadHostKeys once the key is known.
var errSeen = errors.New("host key seen")

// ReadHostKeys reads the host keys of the server at addr ("ip:port"), one of each kind, without logging in. They are not
// authenticated: show the fingerprints to the person who adds the server, and pin what they confirm.
func ReadHostKeys(ctx context.Context, addr string) ([]ssh.PublicKey, error) {
	var keys []ssh.PublicKey
	var last error
	for _, algos := range [][]string{
		{ssh.KeyAlgoED25519},
		{ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521},
		{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256},
	} {
		key, err := readHostKey(ctx, addr, algos)
		var negotiation *ssh.AlgorithmNegotiationError
		switch {
		case err == nil:
			keys = append(keys, key)
		case errors.As(err, &negotiation):
			last = err // the server has no key of this kind
		default:
			return nil, fmt.Errorf("read host keys of %s: %w", addr, err)
		}
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("read host keys of %s: %w", addr, last)
	}
	return keys, nil
}

// TryLogin logs in to a target over a new connection and runs the command true there. It does not affect a Fleet's connections.
func TryLogin(ctx context.Context, t Target) error {
	f := New(Config{})
	defer f.Close()
	return f.reach(ctx, t, ConfirmLogin)
}

func readHostKey(ctx context.Context, addr string, algos []string) (ssh.PublicKey, error) {
	d := net.Dialer{Timeout: defaultDialTimeout}
	nc, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, &Error{Kind: ErrUnreachable, Reason: connectReason(addr, err, defaultDialTimeout), Err: err}
	}
	defer nc.Close()
	defer context.AfterFunc(ctx, func() { nc.Close() })()
	slow := &patientConn{Conn: nc, wait: defaultHandshakeTimeout, until: time.Now().Add(handshakeRounds * defaultHandshakeTimeout)}
	if err := slow.extend(); err != nil {
		return nil, err
	}
	var seen ssh.PublicKey
	_, _, _, err = ssh.NewClientConn(slow, addr, &ssh.ClientConfig{
		Config:            algorithms(),
		ClientVersion:     clientVersion,
		HostKeyAlgorithms: algos,
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			if err := strong(key); err != nil {
				return err
			}
			seen = key
			return errSeen
		},
	})
	switch {
	case seen != nil:
		return seen, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case timedOut(err):
		return nil, &Error{
			Kind: ErrUnreachable, Err: err,
			Reason: fmt.Sprintf("%s accepted the connection, but no SSH server answered within %s", addr, defaultHandshakeTimeout),
		}
	}
	return nil, err
}
