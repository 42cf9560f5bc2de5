package hosts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/internal/practice"
)

// sshTimeout bounds connecting and one command over SSH.
const sshTimeout = 60 * time.Second

// A Host is one server of a bed. Methods that take a testing.TB end the test when they fail.
type Host struct {
	practice.Host
	bed *Bed
}

// Bed returns the bed that the host is in.
func (h *Host) Bed() *Bed { return h.bed }

// Addr returns the address of a port of the host, for net.Dial.
func (h *Host) Addr(port int) string { return net.JoinHostPort(h.IP, strconv.Itoa(port)) }

// Exec runs a program in the host as root, not through the network, and returns its output.
func (h *Host) Exec(t testing.TB, argv ...string) string {
	t.Helper()
	out, err := h.TryExec(argv...)
	if err != nil {
		t.Fatalf("%s: %v\n%s", h.Name, err, out)
	}
	return out
}

// TryExec returns Exec for programs that may fail.
func (h *Host) TryExec(argv ...string) (string, error) { return h.TryExecInput(nil, argv...) }

// TryExecInput is TryExec with standard input.
func (h *Host) TryExecInput(stdin io.Reader, argv ...string) (string, error) {
	ctx, cancel := opContext()
	defer cancel()
	return h.TryExecContext(ctx, stdin, argv...)
}

// TryExecContext is TryExecInput for what may take longer than operations on a host usually do.
func (h *Host) TryExecContext(ctx context.Context, stdin io.Reader, argv ...string) (string, error) {
	out, err := h.bed.ExecInput(ctx, h.Index, stdin, argv...)
	return string(out), err
}

// WriteFile writes a file in the host, with its directories.
func (h *Host) WriteFile(t testing.TB, name string, content []byte, mode fs.FileMode) {
	t.Helper()
	h.Exec(t, "mkdir", "-p", "--", path.Dir(name))
	_, err := h.TryExecInput(bytes.NewReader(content), "sh", "-c", `cat >"$1" && chmod "$2" "$1"`, "sh", name, fmt.Sprintf("%o", mode.Perm()))
	if err != nil {
		t.Fatalf("%s: write %s: %v", h.Name, name, err)
	}
}

// ReadFile returns a file of the host.
func (h *Host) ReadFile(t testing.TB, name string) []byte {
	t.Helper()
	return []byte(h.Exec(t, "cat", "--", name))
}

// SSH runs a program over a new SSH connection as root and returns its output.
func (h *Host) SSH(t testing.TB, argv ...string) string {
	t.Helper()
	return h.SSHAs(t, h.bed.User, argv...)
}

// SSHAs returns SSH as another user: "debian" has sudo without a password.
func (h *Host) SSHAs(t testing.TB, user string, argv ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), sshTimeout)
	defer cancel()
	out, err := h.TrySSH(ctx, user, argv...)
	if err != nil {
		t.Fatalf("%s: ssh %s: %v\n%s", h.Name, strings.Join(argv, " "), err, out)
	}
	return out
}

// TrySSH returns SSHAs for what may fail; ctx bounds connection and command. The output is both of the
// program's streams.
func (h *Host) TrySSH(ctx context.Context, user string, argv ...string) (string, error) {
	c, err := h.TryDial(ctx, user)
	if err != nil {
		return "", err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	s, err := c.NewSession()
	if err != nil {
		return "", errors.Join(ctx.Err(), err)
	}
	defer s.Close()
	out, err := s.CombinedOutput(quote(argv))
	if err != nil {
		err = errors.Join(ctx.Err(), err)
	}
	return string(out), err
}

// Dial connects over SSH as root, with the host's key pinned; the connection ends with the test.
func (h *Host) Dial(t testing.TB) *ssh.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), sshTimeout)
	defer cancel()
	c, err := h.TryDial(ctx, h.bed.User)
	if err != nil {
		t.Fatalf("%s: dial: %v", h.Name, err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TryDial returns Dial for what may fail; the caller closes the connection.
func (h *Host) TryDial(ctx context.Context, user string) (*ssh.Client, error) {
	key, err := os.ReadFile(h.bed.Key)
	if err != nil {
		return nil, err
	}
	signer, err := ssh.ParsePrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", h.bed.Key, err)
	}
	pinned, _, _, _, err := ssh.ParseAuthorizedKey([]byte(h.HostKey))
	if err != nil {
		return nil, fmt.Errorf("parse the host key of %s: %w", h.Name, err)
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", h.Addr(h.Port))
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	c, chans, reqs, err := ssh.NewClientConn(conn, h.Addr(h.Port), &ssh.ClientConfig{
		User:              user,
		Auth:              []ssh.AuthMethod{ssh.PublicKeys(signer)},
		HostKeyCallback:   ssh.FixedHostKey(pinned),
		HostKeyAlgorithms: []string{pinned.Type()},
	})
	if err != nil {
		conn.Close()
		return nil, errors.Join(ctx.Err(), err)
	}
	return ssh.NewClient(c, chans, reqs), nil
}

// quote makes one line for the remote shell that gives the program exactly argv.
func quote(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
	return strings.Join(words, " ")
}

// Kill pulls the plug. Start boots it again with the same disk.
func (h *Host) Kill(t testing.TB) { t.Helper(); h.do(t, "kill", (*practice.Bed).Kill) }

// Start boots a host that is off and waits for sshd.
func (h *Host) Start(t testing.TB) { t.Helper(); h.do(t, "start", (*practice.Bed).Start) }

// Stop shuts it down cleanly.
func (h *Host) Stop(t testing.TB) { t.Helper(); h.do(t, "stop", (*practice.Bed).Stop) }

// Reboot is Stop and Start.
func (h *Host) Reboot(t testing.TB) { t.Helper(); h.do(t, "reboot", (*practice.Bed).Reboot) }

// Freeze hangs it: connections stay open, no answers.
func (h *Host) Freeze(t testing.TB) { t.Helper(); h.do(t, "freeze", (*practice.Bed).Freeze) }

// Thaw ends Freeze.
func (h *Host) Thaw(t testing.TB) { t.Helper(); h.do(t, "thaw", (*practice.Bed).Thaw) }

// Heal undoes Freeze, Cut, Slow and Fill.
func (h *Host) Heal(t testing.TB) { t.Helper(); h.do(t, "heal", (*practice.Bed).Heal) }

// Cut takes it off the network; packets vanish.
func (h *Host) Cut(t testing.TB) {
	t.Helper()
	h.do(t, "cut", func(b *practice.Bed, ctx context.Context, i ...int) error { return b.Cut(ctx, i[0]) })
}

// CutCarrier is Cut, and the host sees its link go down.
func (h *Host) CutCarrier(t testing.TB) {
	t.Helper()
	h.do(t, "cut carrier", func(b *practice.Bed, ctx context.Context, i ...int) error { return b.CutCarrier(ctx, i[0]) })
}

// Slow gives it a bad line.
func (h *Host) Slow(t testing.TB, l practice.Line) {
	t.Helper()
	h.do(t, "slow", func(b *practice.Bed, ctx context.Context, i ...int) error { return b.Slow(ctx, i[0], l) })
}

// Fill leaves freeKB kilobytes on its disk, which must be separate (Disk).
func (h *Host) Fill(t testing.TB, freeKB int) {
	t.Helper()
	h.do(t, "fill", func(b *practice.Bed, ctx context.Context, i ...int) error { return b.Fill(ctx, i[0], freeKB) })
}

// Reset throws its disk away and boots it fresh, with a new host key.
func (h *Host) Reset(t testing.TB) {
	t.Helper()
	h.do(t, "reset", (*practice.Bed).Reset)
	now, err := h.bed.Bed.Host(h.Index)
	if err != nil {
		t.Fatal(err)
	}
	h.Host = now
}

func (h *Host) do(t testing.TB, what string, f func(*practice.Bed, context.Context, ...int) error) {
	t.Helper()
	ctx, cancel := opContext()
	defer cancel()
	if err := f(h.bed.Bed, ctx, h.Index); err != nil {
		t.Fatalf("%s %s: %v", what, h.Name, err)
	}
}

// Eventually polls until check returns nil, and fails the test with its last error after the deadline.
func Eventually(t testing.TB, within time.Duration, what string, check func() error) {
	t.Helper()
	deadline := time.Now().Add(within)
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within %v: %v", what, within, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// ServeGit makes the host a Git server: the account git, which keys let in, and an author for commits that are made on it.
func (h *Host) ServeGit(t testing.TB) {
	t.Helper()
	h.Exec(t, "sh", "-c", `useradd -m -s /usr/bin/git-shell git && install -d -o git -g git -m 700 /home/git/.ssh &&
		git config --system init.defaultBranch main && git config --system --add safe.directory '*' &&
		git config --system user.name 'Ada Author' && git config --system user.email ada@example.com`)
}
