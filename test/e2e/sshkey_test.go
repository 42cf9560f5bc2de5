package e2e_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/test/hosts"
)

// dial logs in to an account of a host.
func dial(ctx context.Context, h *hosts.Host, user string, signer ssh.Signer) (*ssh.Client, error) {
	pinned, _, _, _, err := ssh.ParseAuthorizedKey([]byte(h.HostKey))
	if err != nil {
		return nil, err
	}
	conn, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, "tcp", h.Addr(h.Port))
	if err != nil {
		return nil, err
	}
	c, chans, reqs, err := ssh.NewClientConn(conn, h.Addr(h.Port), &ssh.ClientConfig{
		User: user, Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)},
		HostKeyCallback: ssh.FixedHostKey(pinned), HostKeyAlgorithms: []string{pinned.Type()},
	})
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return ssh.NewClient(c, chans, reqs), nil
}

// login logs in to an account of a host and says who it is there.
func login(ctx context.Context, h *hosts.Host, user string, signer ssh.Signer) (string, error) {
	client, err := dial(ctx, h, user, signer)
	if err != nil {
		return "", err
	}
	defer client.Close()
	return says(client, "id -un")
}

func says(client *ssh.Client, command string) (string, error) {
	s, err := client.NewSession()
	if err != nil {
		return "", err
	}
	defer s.Close()
	out, err := s.Output(command)
	return strings.TrimSpace(string(out)), err
}

// newPerson makes a key, and returns its public half as people paste it.
func newPerson(t *testing.T) (signer ssh.Signer, public string) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if signer, err = ssh.NewSignerFromKey(private); err != nil {
		t.Fatal(err)
	}
	return signer, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey()))) + " me@laptop"
}

// A key that is removed with its sessions ends what was opened with it, also what was left in the background, and nothing of others.
func TestSSHKeyClosesItsSessions(t *testing.T) {
	w := world(t)
	s := w.Server(2)
	at := s.Path("/ssh-keys")
	open := func(user string) (id string, client *ssh.Client) {
		t.Helper()
		signer, public := newPerson(t)
		id = w.Want(t, http.StatusAccepted, http.MethodPost, at, map[string]any{"name": "laptop", "key": public, "user": user}).Data.ID
		w.Status(t, time.Minute, at+"/"+id, "installed")
		client, err := dial(t.Context(), s.Host, user, signer)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = client.Close() })
		return id, client
	}
	for _, user := range []string{"forge", "root"} {
		stays, colleague := open(user)
		lost, thief := open(user)
		const left = "nohup setsid sleep 98765 >/dev/null 2>&1 & echo $!"
		pid, err := says(thief, left)
		if err != nil {
			t.Fatal(err)
		}
		kept, err := says(colleague, left)
		if err != nil {
			t.Fatal(err)
		}
		w.Want(t, http.StatusAccepted, http.MethodDelete, at+"/"+lost+"?close_sessions=true", nil)
		w.Gone(t, time.Minute, at+"/"+lost)
		if who, err := says(thief, "id -un"); err == nil {
			t.Errorf("%s is still logged in with a key that was removed with its sessions", who)
		}
		if _, err := s.Host.TryExec("kill", "-0", pid); err == nil {
			t.Errorf("a program of %s goes on that was started with a key that was removed with its sessions", user)
		}
		if who, err := says(colleague, "id -un"); err != nil || who != user {
			t.Errorf("the session of another key of %s: %q, %v", user, who, err)
		}
		if _, err := s.Host.TryExec("kill", kept); err != nil {
			t.Errorf("a program of another key of %s was ended: %v", user, err)
		}
		w.Want(t, http.StatusAccepted, http.MethodDelete, at+"/"+stays, nil)
		w.Gone(t, time.Minute, at+"/"+stays)
		if who, err := says(colleague, "id -un"); err != nil || who != user {
			t.Errorf("the session of a key of %s that was removed without: %q, %v", user, who, err)
		}
	}
}

// A key lets its owner in to the account that it was added to, to no other, and not any more once it is deleted.
func TestSSHKeyLogsIn(t *testing.T) {
	w := world(t)
	s := w.Server(2)
	for _, user := range []string{"forge", "root"} {
		signer, public := newPerson(t)
		if who, err := login(t.Context(), s.Host, user, signer); err == nil {
			t.Fatalf("%s is let in as %s without a key", user, who)
		}
		at := s.Path("/ssh-keys")
		key := w.Want(t, http.StatusAccepted, http.MethodPost, at, map[string]any{"name": "laptop", "key": public, "user": user}).Data
		w.Status(t, time.Minute, at+"/"+key.ID, "installed")
		if who, err := login(t.Context(), s.Host, user, signer); err != nil || who != user {
			t.Fatalf("the key of %s logs in as %q: %v", user, who, err)
		}
		if user == "forge" {
			if who, err := login(t.Context(), s.Host, "root", signer); err == nil {
				t.Errorf("the key of forge logs in as %s", who)
			}
		}
		w.Want(t, http.StatusAccepted, http.MethodDelete, at+"/"+key.ID, nil)
		w.Gone(t, time.Minute, at+"/"+key.ID)
		if who, err := login(t.Context(), s.Host, user, signer); err == nil {
			t.Errorf("%s is let in as %s by a key that was deleted", user, who)
		}
	}
}

// A restricted key logs in from where it may, without what it may not have, and until it expires. A line without restrictions that was there before is gone,
// and the key added again without options is free.
func TestSSHKeyIsRestricted(t *testing.T) {
	w := world(t)
	s := w.Server(2)
	at := s.Path("/ssh-keys")
	signer, public := newPerson(t)
	add := func(options string) (remove func()) {
		t.Helper()
		key := w.Want(t, http.StatusAccepted, http.MethodPost, at, map[string]any{"name": "backup", "key": public, "options": options}).Data
		w.Status(t, time.Minute, at+"/"+key.ID, "installed")
		return func() {
			w.Want(t, http.StatusAccepted, http.MethodDelete, at+"/"+key.ID, nil)
			w.Gone(t, time.Minute, at+"/"+key.ID)
		}
	}
	// tries returns whether the key is let in, and there has a terminal and a forwarded port.
	tries := func() (in, terminal, forwarded bool) {
		t.Helper()
		client, err := dial(t.Context(), s.Host, "forge", signer)
		if err != nil {
			return false, false, false
		}
		defer client.Close()
		session, err := client.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		terminal = session.RequestPty("xterm", 24, 80, nil) == nil
		if c, err := client.Dial("tcp", "127.0.0.1:22"); err == nil {
			forwarded = true
			_ = c.Close()
		}
		return true, terminal, forwarded
	}
	s.Host.Exec(t, "sh", "-c",
		"echo '"+public+"' >> /home/forge/.ssh/authorized_keys && chown forge: /home/forge/.ssh/authorized_keys && chmod 600 /home/forge/.ssh/authorized_keys")
	if in, _, _ := tries(); !in {
		t.Fatal("a line by hand does not let in")
	}
	remove := add(`from="192.0.2.1"`)
	if in, _, _ := tries(); in {
		t.Error("a key logs in from an address that is not in its from")
	}
	remove()
	remove = add(`restrict,from="` + w.Bed.Gateway + `",expiry-time="20370101Z"`)
	if in, terminal, forwarded := tries(); !in || terminal || forwarded {
		t.Errorf("with restrict, a key is let in: %t, has a terminal: %t, a forwarded port: %t", in, terminal, forwarded)
	}
	remove()
	remove = add("")
	if in, terminal, forwarded := tries(); !in || !terminal || !forwarded {
		t.Errorf("without options, a key is let in: %t, has a terminal: %t, a forwarded port: %t", in, terminal, forwarded)
	}
	remove()
	ends := time.Now().Add(15 * time.Second)
	remove = add(`expiry-time="` + ends.UTC().Format("20060102150405Z") + `"`)
	if in, _, _ := tries(); !in && time.Now().Before(ends) {
		t.Error("a key is not let in before it expires")
	}
	hosts.Eventually(t, time.Minute, "a key is refused that has expired", func() error {
		if in, _, _ := tries(); in {
			return errors.New("it is let in")
		}
		return nil
	})
	remove()
}
