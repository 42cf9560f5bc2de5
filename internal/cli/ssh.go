package cli

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

	"github.com/spf13/cobra"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
	"golang.org/x/crypto/ssh/knownhosts"
)

// sshOptions are how to enter a server from the operator's machine.
type sshOptions struct {
	Target, Identity, Fingerprint string
	Yes                           bool
}

func (o *sshOptions) flags(c *cobra.Command) {
	c.Flags().StringVar(&o.Target, "ssh", "", "run the setup command over SSH as root@10.0.0.5, or as a user with passwordless sudo")
	c.Flags().StringVar(&o.Identity, "identity", "", "private key file for --ssh (default: the SSH agent and the usual files)")
	c.Flags().StringVar(&o.Fingerprint, "host-key-fingerprint", "", "expected host key fingerprint (SHA256:…)")
	c.Flags().BoolVarP(&o.Yes, "yes", "y", false, "accept an unknown host key without asking")
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
			return "", "", 0, usage("invalid port %q in --ssh", p)
		}
	} else if net.ParseIP(strings.Trim(text, "[]")) != nil {
		host = strings.Trim(text, "[]")
	} else if strings.ContainsAny(text, ":[]") {
		return "", "", 0, usage("invalid --ssh %q: expected root@10.0.0.5 or root@10.0.0.5:2222", text)
	}
	if user == "" || host == "" || strings.ContainsAny(user+host, " \t\r\n") {
		return "", "", 0, usage("invalid --ssh %q: expected root@10.0.0.5 or root@10.0.0.5:2222", text)
	}
	return user, host, port, nil
}

// sshConn is a connection to a server.
type sshConn struct {
	client *ssh.Client
	host   string // the address
	port   int
	root   bool
}

func (c *sshConn) close() { _ = c.client.Close() }

const (
	sshDialWithin = 15 * time.Second
	sshRunWithin  = 5 * time.Minute
)

// dial connects, checks the host key, logs in and makes sure that it can become root.
func (o sshOptions) dial(ctx context.Context, s *session) (*sshConn, error) {
	user, name, port, err := parseTarget(o.Target)
	if err != nil {
		return nil, err
	}
	auth, closeAgent, err := o.auth()
	if err != nil {
		return nil, err
	}
	defer closeAgent()
	dialer := net.Dialer{Timeout: sshDialWithin}
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
			refused = o.accept(ctx, s, known, hostname, remote, key)
			_ = conn.SetDeadline(time.Now().Add(sshDialWithin))
			return refused
		},
	}
	_ = conn.SetDeadline(time.Now().Add(sshDialWithin))
	sc, channels, requests, err := ssh.NewClientConn(conn, hostname, config)
	if err != nil {
		_ = conn.Close()
		if refused != nil {
			return nil, refused
		}
		if strings.Contains(err.Error(), "unable to authenticate") { // x/crypto has no type for this
			return nil, exit(CodeForbidden, "%s accepts none of the keys: load one into the SSH agent, or use --identity", o.Target)
		}
		return nil, fmt.Errorf("connect to %s: %w", o.Target, err)
	}
	_ = conn.SetDeadline(time.Time{})
	c := &sshConn{client: ssh.NewClient(sc, channels, requests), port: port}
	if a, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		c.host = a.AddrPort().Addr().Unmap().WithZone("").String()
	}
	if err := c.becomeRoot(ctx, o.Target); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// becomeRoot determines how to run commands as root.
func (c *sshConn) becomeRoot(ctx context.Context, target string) error {
	var out bytes.Buffer
	if err := c.run(ctx, "id -u", nil, &out, io.Discard); err != nil {
		return fmt.Errorf("run a command on %s: %w", target, err)
	}
	if c.root = strings.TrimSpace(out.String()) == "0"; c.root {
		return nil
	}
	if err := c.run(ctx, "sudo -n true", nil, io.Discard, io.Discard); err != nil {
		return exit(CodeForbidden, "the user on %s can't become root: use root or a user with passwordless sudo", target)
	}
	return nil
}

// bothStreams keeps a program's output and its errors in the order in which they come: SSH copies the two at the same time. It is no more than a writer,
// since a copy to a bytes.Buffer reads into the buffer itself.
type bothStreams struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *bothStreams) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// shell is the command that runs a script on its standard input as root.
func (c *sshConn) shell() string {
	if c.root {
		return "sh -s"
	}
	return "sudo -n sh -s"
}

// bootstrap runs the line as root. It is passed on a shell's standard input, so that its secret is in no process list.
func (c *sshConn) bootstrap(ctx context.Context, s *session, line string) error {
	var out bothStreams
	err := c.run(ctx, c.shell(), strings.NewReader(line+"\n"), &out, &out)
	_, _ = fmt.Fprint(s.err, plain(out.text.String()))
	if err != nil && out.text.Len() > 0 {
		lines := strings.Split(strings.TrimSpace(out.text.String()), "\n")
		return errors.New(strings.TrimPrefix(lines[len(lines)-1], "hostler: "))
	}
	return err
}

func (c *sshConn) run(ctx context.Context, command string, in io.Reader, out, errs io.Writer) error {
	session, err := c.client.NewSession()
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	ctx, cancel := context.WithTimeout(ctx, sshRunWithin)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = c.client.Close() })()
	session.Stdin, session.Stdout, session.Stderr = in, out, errs
	if err := session.Run(command); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("no answer within %s", sshRunWithin)
		}
		return err
	}
	return nil
}

// auth returns the keys: of one file, or those of the agent and the usual files.
func (o sshOptions) auth() (methods []ssh.AuthMethod, done func(), err error) {
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
		return nil, done, exit(CodeForbidden, "no key to log in with: start the SSH agent, or use --identity")
	}
	return []ssh.AuthMethod{ssh.PublicKeys(signers...)}, done, nil
}

func readKey(file string) (ssh.Signer, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, usage("read the key: %s", err)
	}
	signer, err := ssh.ParsePrivateKey(raw)
	var locked *ssh.PassphraseMissingError
	if errors.As(err, &locked) {
		return nil, usage("the key %s has a passphrase: load it into the SSH agent with ssh-add", file)
	}
	if err != nil {
		return nil, usage("the key %s can't be read: %s", file, err)
	}
	return signer, nil
}

// knownHosts returns the check of the person's known_hosts, nil if there are none.
func (o sshOptions) knownHosts() ssh.HostKeyCallback {
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

// accept decides on a host key: by the given fingerprint, by known_hosts, by --yes, or by asking.
func (o sshOptions) accept(ctx context.Context, s *session, known ssh.HostKeyCallback, hostname string, remote net.Addr, key ssh.PublicKey) error {
	got := ssh.FingerprintSHA256(key)
	if o.Fingerprint != "" {
		if got != o.Fingerprint {
			return exit(CodeError, "the host key of %s is %s, not %s", hostname, got, o.Fingerprint)
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
			return exit(CodeError, "the host key %s of %s is revoked in known_hosts", got, hostname)
		case errors.As(err, &unlike) && len(unlike.Want) > 0:
			return exit(CodeError, "the host key of %s is %s, not the one in known_hosts (%s:%d): the connection may be intercepted, or the server was reinstalled",
				hostname, got, unlike.Want[0].Filename, unlike.Want[0].Line)
		}
	}
	_, _ = fmt.Fprintf(s.err, "The host key of %s is %s %s\n", hostname, key.Type(), got)
	if o.Yes {
		return nil
	}
	_, _ = fmt.Fprint(s.err, "Is this the server's key (y/N)? ")
	line, err := s.line(ctx)
	s.newline()
	if err != nil || !slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(line))) {
		return exit(CodeError, "the host key was not accepted; nothing was changed")
	}
	return nil
}
