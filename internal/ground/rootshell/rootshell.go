// Package rootshell enters a server over SSH from a person's machine, with their keys, their agent and their known_hosts, and runs scripts there as root. The
// control plane's own connections are internal/engine/host.
package rootshell

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"
)

// Why there is no shell, for errors.Is.
var (
	ErrInvalid = errors.New("invalid") // a target or a key file that can't be used
	ErrRefused = errors.New("refused") // the server accepts no key, or the user can't become root
)

// reason is an error with one of the reasons above.
type reason struct {
	why  error
	text string
}

func (r *reason) Error() string { return r.text }
func (r *reason) Unwrap() error { return r.why }

func because(why error, format string, args ...any) error {
	return &reason{why, fmt.Sprintf(format, args...)}
}

// Options are how to enter a server.
type Options struct {
	// Target is [user@]host[:port]. The user is root, or may run sudo without a password.
	Target string
	// Identity is the file of a private key, "" for those of the SSH agent and the usual files.
	Identity string
	// Fingerprint is the only host key to accept (SHA256:…), "" for one that known_hosts has or that Trust accepts.
	Fingerprint string
	// Trust decides about a host key that known_hosts does not have.
	Trust func(ctx context.Context, hostname, kind, fingerprint string) bool
}

// parseTarget parses [user@]host[:port]; an IPv6 address with a port is in brackets.
func parseTarget(text string) (user, host string, port int, err error) {
	user, port = "root", 22
	if i := strings.LastIndexByte(text, '@'); i >= 0 {
		user, text = text[:i], text[i+1:]
	}
	host = text
	if h, p, err := net.SplitHostPort(text); err == nil {
		host = h
		if port, err = strconv.Atoi(p); err != nil || port < 1 || port > 65535 {
			return "", "", 0, because(ErrInvalid, "invalid port %q in --ssh", p)
		}
	} else if net.ParseIP(strings.Trim(text, "[]")) != nil {
		host = strings.Trim(text, "[]")
	} else if strings.ContainsAny(text, ":[]") {
		return "", "", 0, because(ErrInvalid, "invalid --ssh %q: expected root@10.0.0.5 or root@10.0.0.5:2222", text)
	}
	if user == "" || host == "" || strings.ContainsAny(user+host, " \t\r\n") {
		return "", "", 0, because(ErrInvalid, "invalid --ssh %q: expected root@10.0.0.5 or root@10.0.0.5:2222", text)
	}
	return user, host, port, nil
}

// Conn is a connection to a server, on which programs can run as root.
type Conn struct {
	// Host is the address that was connected to, and Port the port.
	Host string
	Port int

	client *ssh.Client
	root   bool
}

// Close ends the connection.
func (c *Conn) Close() { _ = c.client.Close() }

const (
	dialWithin = 15 * time.Second
	runWithin  = 5 * time.Minute
)

// Dial connects, checks the host key, logs in and makes sure that it can become root. Errors that a person can do something about are ErrInvalid or ErrRefused.
func Dial(ctx context.Context, o Options) (*Conn, error) {
	user, name, port, err := parseTarget(o.Target)
	if err != nil {
		return nil, err
	}
	auth, closeAgent, err := o.auth()
	if err != nil {
		return nil, err
	}
	defer closeAgent()
	dialer := net.Dialer{Timeout: dialWithin}
	conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(name, strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", o.Target, err)
	}
	known := o.knownHosts()
	hostname := net.JoinHostPort(name, strconv.Itoa(port))
	var refused error // the handshake's own error does not always contain it
	config := &ssh.ClientConfig{
		User: user, Auth: auth, ClientVersion: "SSH-2.0-Hostler", HostKeyAlgorithms: algorithmsFor(known, hostname, conn.RemoteAddr()),
		HostKeyCallback: func(_ string, remote net.Addr, key ssh.PublicKey) error {
			_ = conn.SetDeadline(time.Time{}) // no deadline for a person's answer
			refused = o.accept(ctx, known, hostname, remote, key)
			_ = conn.SetDeadline(time.Now().Add(dialWithin))
			return refused
		},
	}
	_ = conn.SetDeadline(time.Now().Add(dialWithin))
	sc, channels, requests, err := ssh.NewClientConn(conn, hostname, config)
	if err != nil {
		_ = conn.Close()
		if refused != nil {
			return nil, refused
		}
		if strings.Contains(err.Error(), "unable to authenticate") { // x/crypto has no type for this
			return nil, because(ErrRefused, "%s accepts none of the keys: load one into the SSH agent, or use --identity", o.Target)
		}
		return nil, fmt.Errorf("connect to %s: %w", o.Target, err)
	}
	_ = conn.SetDeadline(time.Time{})
	c := &Conn{client: ssh.NewClient(sc, channels, requests), Port: port}
	if a, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		c.Host = a.AddrPort().Addr().Unmap().WithZone("").String()
	}
	if err := c.becomeRoot(ctx, o.Target); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// becomeRoot determines how to run commands as root.
func (c *Conn) becomeRoot(ctx context.Context, target string) error {
	var out bytes.Buffer
	if err := c.run(ctx, "id -u", nil, &out, io.Discard); err != nil {
		return fmt.Errorf("run a command on %s: %w", target, err)
	}
	if c.root = strings.TrimSpace(out.String()) == "0"; c.root {
		return nil
	}
	if err := c.run(ctx, "sudo -n true", nil, io.Discard, io.Discard); err != nil {
		return because(ErrRefused, "the user on %s can't become root: use root or a user with passwordless sudo", target)
	}
	return nil
}

// Script runs a script of sh as root. It is passed on the shell's standard input, so that a secret in it is in no process list. If out is errs
// too, it has what the script prints in its order.
func (c *Conn) Script(ctx context.Context, script string, out, errs io.Writer) error {
	if out == errs {
		both := &inOrder{to: out}
		out, errs = both, both
	}
	shell := "sh -s"
	if !c.root {
		shell = "sudo -n sh -s"
	}
	return c.run(ctx, shell, strings.NewReader(script), out, errs)
}

func (c *Conn) run(ctx context.Context, command string, in io.Reader, out, errs io.Writer) error {
	session, err := c.client.NewSession()
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	ctx, cancel := context.WithTimeout(ctx, runWithin)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = c.client.Close() })()
	session.Stdin, session.Stdout, session.Stderr = in, out, errs
	if err := session.Run(command); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("no answer within %s", runWithin)
		}
		return err
	}
	return nil
}

// auth returns the keys: of one file, or those of the agent and the usual files.
func (o Options) auth() (methods []ssh.AuthMethod, done func(), err error) {
	done = func() {}
	if o.Identity != "" {
		signer, err := readKey(o.Identity)
		if err != nil {
			return nil, done, err
		}
		return []ssh.AuthMethod{ssh.PublicKeys(signer)}, done, nil
	}
	var signers []ssh.Signer
	if socket := os.Getenv("SSH_AUTH_SOCK"); socket != "" {
		if conn, err := net.Dial("unix", socket); err == nil {
			done = func() { _ = conn.Close() }
			if held, err := agent.NewClient(conn).Signers(); err == nil {
				signers = append(signers, held...)
			}
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
			if signer, err := readKey(filepath.Join(home, ".ssh", name)); err == nil {
				signers = append(signers, signer)
			}
		}
	}
	if len(signers) == 0 {
		return nil, done, because(ErrRefused, "no key to log in with: start the SSH agent, or use --identity")
	}
	return []ssh.AuthMethod{ssh.PublicKeys(signers...)}, done, nil
}

func readKey(file string) (ssh.Signer, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, because(ErrInvalid, "read the key: %s", err)
	}
	signer, err := ssh.ParsePrivateKey(raw)
	var locked *ssh.PassphraseMissingError
	if errors.As(err, &locked) {
		return nil, because(ErrInvalid, "the key %s has a passphrase: load it into the SSH agent with ssh-add", file)
	}
	if err != nil {
		return nil, because(ErrInvalid, "the key %s can't be read: %s", file, err)
	}
	return signer, nil
}

// knownHosts returns the check of the person's known_hosts, nil if there are none.
func (o Options) knownHosts() ssh.HostKeyCallback {
	var files []string
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(home, ".ssh", "known_hosts"))
	}
	files = append(files, "/etc/ssh/ssh_known_hosts")
	files = slices.DeleteFunc(files, func(f string) bool { _, err := os.Stat(f); return err != nil })
	if len(files) == 0 {
		return nil
	}
	check, err := knownhosts.New(files...)
	if err != nil {
		return nil
	}
	return check
}

// algorithmsFor returns the host key algorithms to offer, those of known keys first: a server has several, and presents one.
func algorithmsFor(known ssh.HostKeyCallback, hostname string, remote net.Addr) []string {
	all := []string{ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256}
	if known == nil {
		return all
	}
	var unlike *knownhosts.KeyError
	if err := known(hostname, remote, noKey{}); !errors.As(err, &unlike) {
		return all
	}
	rank := func(algorithm string) int {
		for _, k := range unlike.Want {
			if t := k.Key.Type(); t == algorithm || t == ssh.KeyAlgoRSA && strings.HasPrefix(algorithm, "rsa-sha2-") {
				return 0
			}
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b string) int { return rank(a) - rank(b) })
	return all
}

// noKey matches no key: checking it against known_hosts reveals the known ones.
type noKey struct{}

func (noKey) Type() string                        { return "none" }
func (noKey) Marshal() []byte                     { return []byte("none") }
func (noKey) Verify([]byte, *ssh.Signature) error { return errors.New("no key") }

// accept decides on a host key: by the given fingerprint, by known_hosts, or as Trust says.
func (o Options) accept(ctx context.Context, known ssh.HostKeyCallback, hostname string, remote net.Addr, key ssh.PublicKey) error {
	got := ssh.FingerprintSHA256(key)
	if o.Fingerprint != "" {
		if got != o.Fingerprint {
			return fmt.Errorf("the host key of %s is %s, not %s", hostname, got, o.Fingerprint)
		}
		return nil
	}
	if known != nil {
		err := known(hostname, remote, key)
		var unlike *knownhosts.KeyError
		var revoked *knownhosts.RevokedError
		switch {
		case err == nil:
			return nil
		case errors.As(err, &revoked):
			return fmt.Errorf("the host key %s of %s is revoked in known_hosts", got, hostname)
		case errors.As(err, &unlike) && len(unlike.Want) > 0:
			return fmt.Errorf("the host key of %s is %s, not the one in known_hosts (%s:%d): the connection may be intercepted, or the server was reinstalled",
				hostname, got, unlike.Want[0].Filename, unlike.Want[0].Line)
		}
	}
	if !o.Trust(ctx, hostname, key.Type(), got) {
		return errors.New("the host key was not accepted; nothing was changed")
	}
	return nil
}

// inOrder takes a program's output and its errors in the order in which they come: SSH copies the two at the same time. It is no more than a writer, since a
// copy to a bytes.Buffer reads into the buffer itself.
type inOrder struct {
	mu sync.Mutex
	to io.Writer
}

func (w *inOrder) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}
