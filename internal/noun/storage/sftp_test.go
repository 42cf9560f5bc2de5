package storage

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/internal/ground/outbound"
)

// sftpServer is an SSH server that does nothing but SFTP, for one user with a password and a key.
type sftpServer struct {
	dir, addr string
	private   string // the user's key
	mu        sync.Mutex
	hostKey   ssh.Signer
	user      ssh.PublicKey
	logins    int
	secrets   int      // attempts to log in
	others    []string // requests for anything but SFTP
	conns     map[net.Conn]bool
	lists     sftp.FileLister // answers in place of the directory, unless nil
	drips     atomic.Bool     // answers never end: they come a byte at a time
}

const sftpUser, sftpPassword = "anna", "geheimes Wort"

func newSigner(t *testing.T) (ssh.Signer, string) {
	t.Helper()
	_, secret, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(secret, "")
	if err != nil {
		t.Fatal(err)
	}
	return signer, string(pem.EncodeToMemory(block))
}

func startSFTP(t *testing.T) *sftpServer {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &sftpServer{dir: t.TempDir(), addr: ln.Addr().String(), conns: map[net.Conn]bool{}}
	s.hostKey, _ = newSigner(t)
	user, private := newSigner(t)
	s.user, s.private = user.PublicKey(), private
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			all.Go(func() { s.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		s.cut()
		all.Wait()
	})
	return s
}

// cut ends all connections.
func (s *sftpServer) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close()
	}
}

func (s *sftpServer) serve(nc net.Conn) {
	s.mu.Lock()
	s.conns[nc] = true
	config := &ssh.ServerConfig{
		PasswordCallback: func(c ssh.ConnMetadata, password []byte) (*ssh.Permissions, error) {
			return s.admit(c.User() == sftpUser && string(password) == sftpPassword)
		},
		PublicKeyCallback: func(c ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			return s.admit(c.User() == sftpUser && string(key.Marshal()) == string(s.user.Marshal()))
		},
	}
	config.AddHostKey(s.hostKey)
	s.mu.Unlock()
	defer func() { _ = nc.Close() }()
	conn, chans, reqs, err := ssh.NewServerConn(nc, config)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.logins++
	s.mu.Unlock()
	go ssh.DiscardRequests(reqs)
	ended := make(chan struct{})
	defer close(ended)
	for open := range chans {
		accepted, reqs, err := open.Accept()
		if err != nil {
			break
		}
		ch := &dripping{accepted, &s.drips, ended}
		go func() {
			for req := range reqs {
				ok := req.Type == "subsystem" && string(req.Payload[4:]) == "sftp"
				if !ok {
					s.mu.Lock()
					s.others = append(s.others, req.Type)
					s.mu.Unlock()
				}
				_ = req.Reply(ok, nil)
				if !ok {
					continue
				}
				go func() {
					if s.lists != nil {
						_ = sftp.NewRequestServer(ch, sftp.Handlers{FileList: s.lists}).Serve()
					} else if files, err := sftp.NewServer(ch, sftp.WithServerWorkingDirectory(s.dir)); err == nil {
						_ = files.Serve()
					}
					_ = ch.Close()
				}()
			}
		}()
	}
	_ = conn.Close()
}

// dripping is a channel whose answers begin, and then come a byte at a time without end.
type dripping struct {
	ssh.Channel
	on    *atomic.Bool
	ended chan struct{}
}

func (d *dripping) Write(p []byte) (int, error) {
	if !d.on.Load() {
		return d.Channel.Write(p)
	}
	next := []byte{0, 3, 0, 0} // the length of a packet that is not complete in a test
	for tick := time.NewTicker(5 * time.Millisecond); ; next = []byte{0} {
		if _, err := d.Channel.Write(next); err != nil {
			return 0, err
		}
		select {
		case <-tick.C:
		case <-d.ended:
			tick.Stop()
			return 0, io.ErrClosedPipe
		}
	}
}

func (s *sftpServer) admit(ok bool) (*ssh.Permissions, error) {
	s.mu.Lock()
	s.secrets++
	s.mu.Unlock()
	if !ok {
		return nil, errors.New("no")
	}
	return nil, nil
}

// bed returns a bucket in the user's directory.
func (s *sftpServer) bed(t *testing.T) *bed {
	t.Helper()
	return newBed(t, "sftp://"+s.addr, Keys{AccessKey: sftpUser, SecretKey: sftpPassword}, new(hostKeyText(s.hostKey.PublicKey())))
}

// All operations on a bucket work over SFTP too, with a password and with a key, in the user's directory and in another one; no
// shell is requested, and one connection is reused.
func TestSFTP(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(s *sftpServer) (endpoint, secret string){
		"password": func(s *sftpServer) (string, string) { return "sftp://" + s.addr, sftpPassword },
		"key":      func(s *sftpServer) (string, string) { return "sftp://" + s.addr + s.dir, s.private },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startSFTP(t)
			endpoint, secret := of(s)
			d := newBed(t, endpoint, Keys{AccessKey: sftpUser, SecretKey: secret}, new(hostKeyText(s.hostKey.PublicKey())))
			d.keeps(t)
			s.mu.Lock()
			defer s.mu.Unlock()
			if len(s.others) > 0 {
				t.Errorf("the server was asked for %q", s.others)
			}
			if s.logins > 4 {
				t.Errorf("%d logins for one thing after the other", s.logins)
			}
		})
	}
}

// Problems with a storage over SFTP are reported, and nothing secret is sent to a server that was not confirmed.
func TestSFTPRefuses(t *testing.T) {
	t.Parallel()
	s := startSFTP(t)
	other, strange := newSigner(t)
	pinned := hostKeyText(s.hostKey.PublicKey())
	for name, c := range map[string]struct {
		endpoint, secret, hostKey, says string
		reaches                         bool // something secret
	}{
		"no host key":      {"", sftpPassword, "", pinned, false},
		"another host key": {"", sftpPassword, hostKeyText(other.PublicKey()), "another host key", false},
		"wrong password":   {"", "wrong", pinned, "secret key", true},
		"wrong key":        {"", strange, pinned, "secret key", true},
		"no directory":     {s.dir + "/away", sftpPassword, pinned, "named in the endpoint", true},
	} {
		d := newBed(t, "sftp://"+s.addr+c.endpoint, Keys{AccessKey: sftpUser, SecretKey: c.secret}, nil)
		if c.hostKey != "" {
			d.row.HostKey = &c.hostKey
		}
		b, err := d.store.bucket(d.row, Keys{AccessKey: sftpUser, SecretKey: c.secret}, "archive")
		if err != nil {
			t.Fatal(err)
		}
		s.mu.Lock()
		before := s.secrets
		s.mu.Unlock()
		var p *Problem
		if err := b.Probe(t.Context(), ""); !errors.As(err, &p) || !strings.Contains(p.Reason, c.says) || !p.Lasting {
			t.Errorf("%s: %v, want a lasting problem that says %q", name, err, c.says)
		}
		s.mu.Lock()
		if got := s.secrets > before; got != c.reaches {
			t.Errorf("%s: somebody tried to log in: %t, want %t", name, got, c.reaches)
		}
		s.mu.Unlock()
	}
	if _, err := os.Stat(s.dir + "/away"); err == nil {
		t.Error("the directory of the endpoint was made")
	}
	d := s.bed(t)
	d.store.Guard = outbound.Guard{}
	var p *Problem
	if err := d.bucket.Probe(t.Context(), ""); !errors.As(err, &p) || !strings.Contains(p.Reason, "private") {
		t.Errorf("a private address: %v", err)
	}
}

// Connections that end while they are idle are reopened; a server that falls silent blocks a caller no longer than its timeout.
func TestSFTPLoses(t *testing.T) {
	t.Parallel()
	s := startSFTP(t)
	d := s.bed(t)
	if err := d.bucket.Put(t.Context(), "a/x", []byte("content")); err != nil {
		t.Fatal(err)
	}
	d.store.sessions.mu.Lock()
	var idle []*session
	for _, list := range d.store.sessions.idle {
		idle = append(idle, list...)
	}
	d.store.sessions.mu.Unlock()
	if len(idle) != 1 {
		t.Fatalf("%d sessions are kept, want 1", len(idle))
	}
	s.cut()
	<-idle[0].ended
	if raw, err := d.bucket.Get(t.Context(), "a/x", 100); err != nil || string(raw) != "content" {
		t.Errorf("after the connection was lost: %q %v", raw, err)
	}
	// A listener that never answers.
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = mute.Close() }()
	d = newBed(t, "sftp://"+mute.Addr().String(), Keys{AccessKey: sftpUser, SecretKey: sftpPassword}, new(hostKeyText(s.hostKey.PublicKey())))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	var p *Problem
	if err := d.bucket.Put(ctx, "a/x", nil); !errors.As(err, &p) || p.Lasting {
		t.Errorf("a server that says nothing: %v, want a problem that may pass", err)
	}
}

// A server that sends a byte now and then is neither quiet nor done. Each call ends all the same, and says why.
func TestSFTPTakesForever(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"from the beginning", "once it is logged in"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			s := startSFTP(t)
			d := s.bed(t)
			if when == "once it is logged in" {
				if err := d.bucket.Put(t.Context(), "x/1", []byte("x")); err != nil {
					t.Fatal(err)
				}
			}
			s.drips.Store(true)
			d.bucket.place.(*files).within = 100 * time.Millisecond
			for call, do := range calls(t, d.bucket) {
				if call == "probe" || call == "probe keys" { // they are of those below
					continue
				}
				var p *Problem
				if err := do(); !errors.As(err, &p) || p.Lasting || p.Reason != lateReason {
					t.Errorf("%s: %v", call, err)
				}
			}
		})
	}
}

// endless lists files, or directories, without end, however often it is asked.
type endless struct {
	info   fs.FileInfo
	listed *atomic.Int64
}

func (e endless) Filelist(req *sftp.Request) (sftp.ListerAt, error) {
	if req.Method == "Stat" {
		return once{e}, nil
	}
	return e, nil
}

func (e endless) ListAt(list []fs.FileInfo, _ int64) (int, error) {
	for i := range list {
		list[i] = e.info
	}
	e.listed.Add(int64(len(list)))
	return len(list), nil
}

// once lists one.
type once struct{ endless }

func (o once) ListAt(list []fs.FileInfo, at int64) (int, error) {
	if at > 0 {
		return 0, io.EOF
	}
	list[0] = o.info
	return 1, io.EOF
}

// A server that lists without end, files or directories in directories, occupies neither the memory nor a job.
func TestSFTPListsWithoutEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, file} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		s := startSFTP(t)
		listed := new(atomic.Int64)
		s.lists = endless{info, listed}
		d := s.bed(t)
		if err := d.bucket.Ask(t.Context()); err != nil || listed.Load() > 0 {
			t.Errorf("%s: asking whether the keys are accepted: %v, and %d files were listed", path, err, listed.Load())
		}
		var p *Problem
		if _, err := d.bucket.List(t.Context(), "a/"); !errors.As(err, &p) || !p.Lasting || !strings.Contains(p.Reason, "more files") {
			t.Errorf("%s: %v", path, err)
		}
		if n := listed.Load(); n > 4*maxListed {
			t.Errorf("%s: %d files were listed", path, n)
		}
	}
}

// A large object is read and written correctly, whatever piece of it is requested.
func TestSFTPLarge(t *testing.T) {
	t.Parallel()
	s := startSFTP(t)
	d := s.bed(t)
	content := make([]byte, 3<<20+17)
	_, _ = rand.Read(content)
	if err := d.bucket.Put(t.Context(), "a/x", content); err != nil {
		t.Fatal(err)
	}
	address, err := d.bucket.SignGet(t.Context(), "a/x", time.Hour, "")
	if err != nil {
		t.Fatal(err)
	}
	if code, body := ask(t, http.MethodGet, address, ""); code != http.StatusOK || body != string(content) {
		t.Errorf("the object is answered %d, %d bytes of %d", code, len(body), len(content))
	}
	info, err := os.Stat(filepath.Join(s.dir, "archive", "a", "x"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the object's file is %v %v", info, err)
	}
}

func TestCleanHostKey(t *testing.T) {
	t.Parallel()
	signer, _ := newSigner(t)
	key := hostKeyText(signer.PublicKey())
	for _, text := range []string{key, " " + key + " a comment\n", "my-box.example.com " + key} {
		if got, err := cleanHostKey(text); err != nil || got != key {
			t.Errorf("%q: %q %v", text, got, err)
		}
	}
	for _, bad := range []string{"", "ssh-ed25519", "ssh-ed25519 !!!", "SHA256:abc", strings.Repeat("x", 5000), "@revoked box " + key} {
		if got, err := cleanHostKey(bad); err == nil {
			t.Errorf("%q was taken as %q", bad, got)
		}
	}
}
