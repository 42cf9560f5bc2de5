package host

import (
	"context"
	"net"

	"golang.org/x/crypto/ssh"
)

// Login is how a user authenticates: with a key, or with a password.
type Login struct {
	User     string
	Signer   ssh.Signer // nil: the password
	Password string
}

// UnpinnedKeyError is the host key that a server presented instead of the pinned one, or without a pinned one. No credentials were sent.
type UnpinnedKeyError struct{ Key ssh.PublicKey }

func (e *UnpinnedKeyError) Error() string {
	return "the server presents a host key that is not the pinned one: " + ssh.FingerprintSHA256(e.Key)
}

// Open logs in at an SSH server other than the managed ones, on a connection that the caller opened, with the same minimum of
// algorithms and the same rule for host keys. pinned may be nil, to obtain the key. Errors: an *UnpinnedKeyError, or an *Error of
// the kinds ErrAuth, ErrNoHostKey (the key is too weak) and ErrUnreachable; nc is closed then.
func Open(ctx context.Context, nc net.Conn, l Login, pinned ssh.PublicKey) (*ssh.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, defaultHandshakeTimeout)
	defer cancel()
	defer context.AfterFunc(ctx, func() { nc.Close() })()
	var keys []ssh.PublicKey
	if pinned != nil {
		keys = append(keys, pinned)
	}
	client, shown, trusted, err := logIn(nc, nc.RemoteAddr().String(), l.User, l.methods(), keys)
	if err == nil {
		return client, nil
	}
	nc.Close()
	switch {
	case shown != nil && strong(shown) != nil:
		return nil, &Error{Kind: ErrNoHostKey, Reason: "the server's host key is too weak", Err: strong(shown)}
	case shown != nil:
		return nil, &UnpinnedKeyError{shown}
	case refused(err, trusted):
		return nil, &Error{Kind: ErrAuth, Reason: "the server refuses the user", Err: err}
	case ctx.Err() != nil:
		return nil, &Error{Kind: ErrUnreachable, Reason: "the SSH server did not answer in time", Err: ctx.Err()}
	}
	return nil, &Error{Kind: ErrUnreachable, Reason: "the SSH handshake failed: " + lossReason(err), Err: err}
}

func (l Login) methods() []ssh.AuthMethod {
	if l.Signer != nil {
		return []ssh.AuthMethod{ssh.PublicKeys(withoutSHA1(l.Signer))}
	}
	// PAM prompts for a password in its own way: any prompt for one hidden answer means that.
	ask := func(_, _ string, questions []string, echos []bool) ([]string, error) {
		if len(questions) == 1 && !echos[0] {
			return []string{l.Password}, nil
		}
		return make([]string, len(questions)), nil
	}
	return []ssh.AuthMethod{ssh.Password(l.Password), ssh.KeyboardInteractive(ask)}
}
