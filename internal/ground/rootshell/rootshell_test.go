package rootshell_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/hostlerhq/hostler/internal/ground/rootshell"
)

// machine is a server that runs nothing: it says that its user is root or not, and repeats scripts.
type machine struct {
	target, fingerprint string
	key                 ssh.PublicKey
}

// newMachine returns a server that lets a key in. uid is what id -u says, and sudo whether sudo works.
func newMachine(t *testing.T, allowed ssh.PublicKey, uid string, sudo bool) machine {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	host, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if !bytes.Equal(key.Marshal(), allowed.Marshal()) {
			return nil, errors.New("another key")
		}
		return nil, nil
	}}
	config.AddHostKey(host)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	answer := func(command string, ch ssh.Channel) byte {
		switch {
		case command == "id -u":
			fmt.Fprintln(ch, uid)
		case command == "sudo -n true" && !sudo:
			return 1
		case strings.HasSuffix(command, "sh -s"):
			script, _ := io.ReadAll(ch)
			fmt.Fprintf(ch, "%s: %s", command, script)
			fmt.Fprint(ch.Stderr(), "done\n")
		}
		return 0
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go serve(conn, config, answer)
		}
	}()
	return machine{"ada@" + l.Addr().String(), ssh.FingerprintSHA256(host.PublicKey()), host.PublicKey()}
}

func serve(conn net.Conn, config *ssh.ServerConfig, answer func(string, ssh.Channel) byte) {
	_, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for c := range channels {
		ch, requests, err := c.Accept()
		if err != nil {
			return
		}
		go func() {
			for r := range requests {
				_ = r.Reply(r.Type == "exec", nil)
				if r.Type == "exec" {
					status := answer(string(r.Payload[4:]), ch)
					_, _ = ch.SendRequest("exit-status", false, []byte{0, 0, 0, status})
					_ = ch.Close()
				}
			}
		}()
	}
}

// person sets up a home directory with a key, and returns the key. Tests of it are not parallel: HOME is the process's.
func person(t *testing.T) ssh.PublicKey {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("SSH_AUTH_SOCK", "")
	if err := os.Mkdir(filepath.Join(home, ".ssh"), 0o700); err != nil {
		t.Fatal(err)
	}
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(private, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".ssh", "id_ed25519"), pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func never(context.Context, string, string, string) bool { return false }

// A script runs as root: directly, or with sudo. What it prints comes in one stream.
func TestAScriptRunsAsRoot(t *testing.T) {
	key := person(t)
	for uid, want := range map[string]string{"0": "sh -s: echo\n", "1000": "sudo -n sh -s: echo\n"} {
		m := newMachine(t, key, uid, true)
		c, err := rootshell.Dial(t.Context(), rootshell.Options{Target: m.target, Fingerprint: m.fingerprint, Trust: never})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if c.Host != "127.0.0.1" || c.Port == 0 {
			t.Errorf("it is at %s:%d", c.Host, c.Port)
		}
		var out bytes.Buffer
		if err := c.Script(t.Context(), "echo\n", &out, &out); err != nil || !strings.Contains(out.String(), want) || !strings.Contains(out.String(), "done\n") {
			t.Errorf("%v: it prints %q", err, out.String())
		}
	}
}

// A host key is accepted by its fingerprint, by known_hosts, or by a person; another one than the known never.
func TestHostKeys(t *testing.T) {
	key := person(t)
	m, other := newMachine(t, key, "0", true), newMachine(t, key, "0", true)
	known := filepath.Join(os.Getenv("HOME"), ".ssh", "known_hosts")
	dial := func(o rootshell.Options) error {
		o.Target = m.target
		c, err := rootshell.Dial(t.Context(), o)
		if err == nil {
			c.Close()
		}
		return err
	}
	asked := ""
	if err := dial(rootshell.Options{Trust: func(_ context.Context, _, _, f string) bool { asked = f; return true }}); err != nil || asked != m.fingerprint {
		t.Errorf("%v: a person is asked about %q", err, asked)
	}
	if err := dial(rootshell.Options{Trust: never}); err == nil || !strings.Contains(err.Error(), "was not accepted") {
		t.Errorf("a key that a person refuses ends with %v", err)
	}
	if err := dial(rootshell.Options{Fingerprint: other.fingerprint, Trust: never}); err == nil || !strings.Contains(err.Error(), "not "+other.fingerprint) {
		t.Errorf("another fingerprint ends with %v", err)
	}
	address := strings.TrimPrefix(m.target, "ada@")
	write := func(line string) {
		if err := os.WriteFile(known, []byte(line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(knownhosts.Line([]string{address}, m.key))
	if err := dial(rootshell.Options{Trust: never}); err != nil {
		t.Errorf("a known key ends with %v", err)
	}
	write(knownhosts.Line([]string{address}, other.key))
	if err := dial(rootshell.Options{Trust: never}); err == nil || !strings.Contains(err.Error(), "may be intercepted") {
		t.Errorf("a changed key ends with %v", err)
	}
	write("@revoked " + knownhosts.Line([]string{address}, m.key))
	if err := dial(rootshell.Options{Trust: never}); err == nil || !strings.Contains(err.Error(), "is revoked") {
		t.Errorf("a revoked key ends with %v", err)
	}
}

// What a person can do something about says so.
func TestWhyThereIsNoShell(t *testing.T) {
	key := person(t)
	m := newMachine(t, key, "1000", false)
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o    rootshell.Options
		want error
		text string
	}{
		{rootshell.Options{Target: m.target}, rootshell.ErrRefused, "can't become root"},
		{rootshell.Options{Target: newMachine(t, m.key, "0", true).target}, rootshell.ErrRefused, "accepts none of the keys"},
		{rootshell.Options{Target: "root@10.0.0.5:ssh"}, rootshell.ErrInvalid, `invalid port "ssh"`},
		{rootshell.Options{Target: "ro ot@10.0.0.5"}, rootshell.ErrInvalid, "expected root@10.0.0.5"},
		{rootshell.Options{Target: "a:b:c"}, rootshell.ErrInvalid, "expected root@10.0.0.5"},
		{rootshell.Options{Target: m.target, Identity: file}, rootshell.ErrInvalid, "can't be read"},
		{rootshell.Options{Target: m.target, Identity: file + "2"}, rootshell.ErrInvalid, "read the key"},
	} {
		c.o.Trust = func(context.Context, string, string, string) bool { return true }
		if _, err := rootshell.Dial(t.Context(), c.o); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %s", c.o.Target, err, c.text)
		}
	}
}
