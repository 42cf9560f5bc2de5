package e2e_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/test/hosts"
)

// login logs in to an account of a host and says who it is there.
func login(ctx context.Context, h *hosts.Host, user string, signer ssh.Signer) (string, error) {
	pinned, _, _, _, err := ssh.ParseAuthorizedKey([]byte(h.HostKey))
	if err != nil {
		return "", err
	}
	conn, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, "tcp", h.Addr(h.Port))
	if err != nil {
		return "", err
	}
	defer conn.Close()
	c, chans, reqs, err := ssh.NewClientConn(conn, h.Addr(h.Port), &ssh.ClientConfig{User: user, Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)},
		HostKeyCallback: ssh.FixedHostKey(pinned), HostKeyAlgorithms: []string{pinned.Type()}})
	if err != nil {
		return "", err
	}
	client := ssh.NewClient(c, chans, reqs)
	defer client.Close()
	s, err := client.NewSession()
	if err != nil {
		return "", err
	}
	out, err := s.Output("id -un")
	return strings.TrimSpace(string(out)), err
}

// A key lets its owner in to the account that it was added to, to no other, and not any more once it is deleted.
func TestSSHKeyLogsIn(t *testing.T) {
	w := world(t)
	s := w.Server(2)
	for _, user := range []string{"forge", "root"} {
		_, private, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		signer, err := ssh.NewSignerFromKey(private)
		if err != nil {
			t.Fatal(err)
		}
		if who, err := login(t.Context(), s.Host, user, signer); err == nil {
			t.Fatalf("%s is let in as %s without a key", user, who)
		}
		public := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey())))
		at := s.Path("/ssh-keys")
		key := w.Want(t, http.StatusAccepted, http.MethodPost, at, map[string]any{"name": "laptop", "key": public + " me@laptop", "user": user}).Data
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
