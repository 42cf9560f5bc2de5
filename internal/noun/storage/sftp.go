package storage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"net"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/deadline"
	"github.com/hostlerhq/hostler/internal/ground/outbound"
)

// sftpScheme begins the endpoint of a directory on a machine that speaks SFTP: sftp://host:port/directory. The access key is the user, the secret
// key a password or a private key.
const sftpScheme = "sftp"

// overSFTP reports whether a provider keeps its objects there.
func overSFTP(row query.StorageProvider) bool {
	return row.Endpoint != nil && strings.HasPrefix(*row.Endpoint, sftpScheme+"://")
}

// login is what leads to an SFTP server and proves who asks.
type login struct{ addr, user, secret, hostKey string }

func loginOf(row query.StorageProvider, k Keys) (login, string, error) {
	u, err := Endpoint(row)
	if err != nil {
		return login{}, "", err
	}
	port := u.Port()
	if port == "" {
		port = "22"
	}
	l := login{addr: net.JoinHostPort(u.Hostname(), port), user: k.AccessKey, secret: k.SecretKey}
	if row.HostKey != nil {
		l.hostKey = *row.HostKey
	}
	return l, u.Path, nil
}

// isPrivateKey tells a private key from a password.
func isPrivateKey(secret string) bool { return strings.HasPrefix(secret, "-----BEGIN ") }

// cleanHostKey returns a host key as known_hosts has it, its type and the key; names before and words after it are left out.
func cleanHostKey(text string) (string, error) {
	fields := strings.Fields(text)
	if len(text) <= 4096 {
		for i := 0; i < 2 && i+1 < len(fields); i++ { // a line of known_hosts has a name before it
			if key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(fields[i] + " " + fields[i+1])); err == nil {
				return hostKeyText(key), nil
			}
		}
	}
	return "", errors.New("the host_key must look like ssh-ed25519 AAAAC3Nza…")
}

func hostKeyText(key ssh.PublicKey) string {
	return string(bytes.TrimSpace(ssh.MarshalAuthorizedKey(key)))
}

// quiet is how long an SFTP server may say nothing, to a question or between two of them, before the connection is given up.
const quiet = 2 * time.Minute

// line is a connection that is given up when it is quiet for too long, or says more than it is asked for.
type line struct {
	deadline.Conn
	left atomic.Int64 // how many bytes may come
}

const (
	unlimited = math.MaxInt64
	// maxListing is how much of a directory's list is read, which the library holds in memory: OpenSSH writes some 130 bytes for a file.
	maxListing = 4 << 20
)

func (c *line) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.left.Add(-int64(n)) < 0 {
		return 0, tooMany()
	}
	return n, err
}

// session is a connection to an SFTP server, for one caller at a time.
type session struct {
	*sftp.Client
	conn  *ssh.Client
	line  *line
	ended chan struct{}
}

func (s *session) close() { _ = s.conn.Close() }

// connect opens a session. Errors are Problems.
func connect(ctx context.Context, l login, guard outbound.Guard) (*session, error) {
	as := host.Login{User: l.user, Password: l.secret}
	if isPrivateKey(l.secret) {
		signer, err := ssh.ParsePrivateKey([]byte(l.secret))
		if err != nil {
			return nil, &Problem{Reason: "The secret key is not a private key that opens without a passphrase.", Err: err, Lasting: true}
		}
		as.Signer = signer
	}
	var pinned ssh.PublicKey
	if l.hostKey != "" {
		key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(l.hostKey))
		if err != nil {
			return nil, &Problem{Reason: "The host key of the storage can't be read.", Err: err, Lasting: true}
		}
		pinned = key
	}
	nc, err := guard.Dialer().DialContext(ctx, "tcp", l.addr)
	if err != nil {
		return nil, explain(err)
	}
	conn := &line{Conn: deadline.Conn{Conn: nc, ReadWithin: quiet, WriteWithin: quiet}}
	conn.left.Store(unlimited)
	client, err := host.Open(ctx, conn, as, pinned)
	if err != nil {
		return nil, explainLogin(err, pinned != nil)
	}
	begins, cancel := context.WithTimeout(ctx, quiet)
	defer cancel()
	kept := context.AfterFunc(begins, func() { _ = client.Close() })
	files, err := sftp.NewClient(client, sftp.UseConcurrentWrites(true), sftp.MaxConcurrentRequestsPerFile(16))
	if !kept() {
		return nil, &Problem{Reason: lateReason, Err: begins.Err()}
	}
	if err != nil {
		_ = client.Close()
		return nil, &Problem{Reason: "The storage's SSH server does not offer SFTP to this user.", Err: err, Lasting: true}
	}
	s := &session{files, client, conn, make(chan struct{})}
	go func() {
		_ = client.Wait()
		close(s.ended)
	}()
	return s, nil
}

func explainLogin(err error, pinned bool) error {
	var other *host.UnpinnedKeyError
	switch {
	case errors.As(err, &other) && pinned:
		return &Problem{Reason: "The storage shows another host key than the one that was confirmed (" + ssh.FingerprintSHA256(other.Key) +
			"): it was reinstalled, or the connection is intercepted.", Err: err, Lasting: true}
	case errors.As(err, &other):
		return &Problem{Reason: "The storage shows the host key " + hostKeyText(other.Key) + " (" + ssh.FingerprintSHA256(other.Key) +
			"). Compare it with the one of the machine, and send it as host_key.", Err: err, Lasting: true}
	case errors.Is(err, host.ErrNoHostKey):
		return &Problem{Reason: "The storage's host key is too weak.", Err: err, Lasting: true}
	case errors.Is(err, host.ErrAuth):
		return &Problem{Reason: "The storage rejects this user or this secret key.", Err: err, Lasting: true}
	}
	return unreached(err)
}

// maxIdle is how many sessions of one login are kept for the next use.
const maxIdle = 4

// sessions are the idle ones. They end when they are idle for too long.
type sessions struct {
	mu   sync.Mutex
	idle map[login][]*session
}

func (p *sessions) take(ctx context.Context, l login, guard outbound.Guard) (*session, error) {
	p.mu.Lock()
	for n := len(p.idle[l]); n > 0; n = len(p.idle[l]) {
		s := p.idle[l][n-1]
		p.drop(l, s)
		select {
		case <-s.ended:
		default:
			p.mu.Unlock()
			return s, nil
		}
	}
	p.mu.Unlock()
	s, err := connect(ctx, l, guard)
	if err == nil {
		go p.watch(l, s)
	}
	return s, err
}

// watch drops a session once it has ended.
func (p *sessions) watch(l login, s *session) {
	<-s.ended
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drop(l, s)
}

func (p *sessions) give(l login, s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle[l]) >= maxIdle {
		s.close()
		return
	}
	select {
	case <-s.ended:
		return
	default:
	}
	if p.idle == nil {
		p.idle = map[login][]*session{}
	}
	p.idle[l] = append(p.idle[l], s)
}

// drop takes a session out of the idle ones. Called with the lock.
func (p *sessions) drop(l login, s *session) {
	for i, other := range p.idle[l] {
		if other == s {
			p.idle[l] = append(p.idle[l][:i], p.idle[l][i+1:]...)
			break
		}
	}
	if len(p.idle[l]) == 0 {
		delete(p.idle, l)
	}
}

// elsewhere is a directory of a machine that speaks SFTP. Where links lead on it is that machine's business.
type elsewhere struct {
	*session
	base string // "" is where the login leads to
	done func()
}

func (s *Store) openSFTP(ctx context.Context, l login, base string) (tree, error) {
	one, err := s.sessions.take(ctx, l, s.Guard)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, one.close)
	return &elsewhere{session: one, base: base, done: func() {
		if stop() {
			s.sessions.give(l, one)
		}
	}}, nil
}

func (e *elsewhere) at(name string) string { return path.Join(e.base, name) }

func (e *elsewhere) OpenFile(name string, flag int) (treeFile, error) {
	f, err := e.session.OpenFile(e.at(name), flag)
	if err != nil {
		return nil, err
	}
	if flag&os.O_CREATE != 0 {
		_ = f.Chmod(0o600) // not every server has modes
	}
	return &distant{File: f}, nil
}

// MkdirAll creates directories below the endpoint's, which must exist: without its mount, nothing is written beside it.
func (e *elsewhere) MkdirAll(dir string) error {
	if e.base != "" {
		if info, err := e.session.Stat(e.base); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
			return &Problem{Reason: "The storage does not have the directory named in the endpoint.", Err: err, Lasting: true}
		}
	}
	return e.session.MkdirAll(e.at(dir))
}

func (e *elsewhere) Rename(from, to string) error {
	if _, ok := e.HasExtension("posix-rename@openssh.com"); ok {
		return e.PosixRename(e.at(from), e.at(to))
	}
	if err := e.session.Remove(e.at(to)); err != nil && !errors.Is(err, fs.ErrNotExist) { // the plain one replaces nothing
		return err
	}
	return e.session.Rename(e.at(from), e.at(to))
}

func (e *elsewhere) Remove(name string) error { return e.session.Remove(e.at(name)) }

func (e *elsewhere) Stat(name string) (fs.FileInfo, error) { return e.session.Stat(e.at(name)) }

func (e *elsewhere) ReadDir(dir string) ([]fs.FileInfo, error) {
	e.line.left.Store(maxListing)
	list, err := e.session.ReadDir(e.at(dir))
	if e.line.left.Swap(unlimited) < 0 {
		return nil, tooMany()
	}
	return list, err
}

// Close gives the session back.
func (e *elsewhere) Close() error {
	e.done()
	return nil
}

// distant is a file of another machine: what is read of it is asked for in large pieces.
type distant struct {
	*sftp.File
	ahead []byte
	from  int64
}

const aheadSize = 1 << 20

// ReadAt is for one reader at a time.
func (f *distant) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) {
		at := off + int64(n)
		if at < f.from || at >= f.from+int64(len(f.ahead)) {
			if cap(f.ahead) == 0 {
				f.ahead = make([]byte, aheadSize)
			}
			got, err := f.File.ReadAt(f.ahead[:aheadSize], at)
			f.ahead, f.from = f.ahead[:got], at
			if got == 0 {
				if err == nil {
					err = io.ErrNoProgress
				}
				return n, err
			}
		}
		n += copy(p[n:], f.ahead[at-f.from:])
	}
	return n, nil
}

// Sync makes what was written last, where the server can.
func (f *distant) Sync() error {
	err := f.File.Sync()
	var said *sftp.StatusError
	if errors.As(err, &said) && said.FxCode() == sftp.ErrSSHFxOpUnsupported {
		return nil
	}
	return err
}
