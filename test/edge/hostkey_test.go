package edge

import (
	"context"
	"net"
	"slices"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"

	"github.com/hostlerhq/hostler/internal/engine/host/hosttest"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/noun/server"
)

// A server whose host keys changed is not logged in to. New keys are confirmed as they are read from the server, and only keys that it has, on a machine that
// accepts Hostler's own key: nothing else changes what is confirmed.
func TestNewHostKeysAreConfirmed(t *testing.T) {
	t.Parallel()
	Worlds(t, func(t *testing.T, w *world) {
		row := must(w.App.DB.Read().Ungranted().GetServer(t.Context(), number(w.mine.server)))
		path := servers + "/" + w.mine.server
		machine := hosttest.Start(t, hosttest.Options{})
		stranger := machine.Signer
		machine.Signer = must((&server.Keys{Box: w.App.Box}).Signer(row))
		line := func(key ssh.PublicKey) string { return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))) }
		former, present := hosttest.NewSigner(t).PublicKey(), machine.HostKey()
		address, port, err := net.SplitHostPort(machine.Addr)
		if err != nil {
			t.Fatal(err)
		}
		w.owner.Get(path+"/host-keys").Want(t, 409) // it was never connected
		w.owner.Put(path+"/host-keys", map[string]any{"host_keys": []string{line(present)}}).Want(t, 409)
		w.Tx(func(ctx context.Context, tx *db.Tx) error {
			_, err := tx.SQL.ExecContext(ctx, "UPDATE servers SET host_keys = $1, ip_address = $2, ssh_port = $3, is_ready = TRUE, status = 'ready', "+
				"connection_status = 'host-key-changed' WHERE id = $4", line(former)+"\n", address, number(port), row.ID)
			return err
		})

		if got := attention(t, w.owner); !slices.Contains(got, "server-host-key-changed "+row.Name) {
			t.Errorf("attention has %v", got)
		}
		a := w.owner.Get(path+"/host-keys").Want(t, 200)
		if a.At("data", "attributes", "changed") != true || a.Text("data", "attributes", "confirmed", 0, "fingerprint") != ssh.FingerprintSHA256(former) ||
			a.Text("data", "attributes", "presented", 0, "fingerprint") != ssh.FingerprintSHA256(present) ||
			a.Text("data", "attributes", "presented", 0, "public_key") != line(present) {
			t.Errorf("the keys are %s", a.Body)
		}
		unchanged := func() {
			t.Helper()
			now := must(w.App.DB.Read().Ungranted().GetServer(t.Context(), row.ID))
			if now.HostKeys != line(former)+"\n" || *now.ConnectionStatus != server.ConnectionKeyChanged {
				t.Errorf("the keys are %q and the connection is %s", now.HostKeys, *now.ConnectionStatus)
			}
		}
		for name, keys := range map[string]any{
			"none": []string{}, "nothing": nil, "no key": []string{"ssh-ed25519 AAAA"}, "a fingerprint": []string{ssh.FingerprintSHA256(present)},
			"twice": []string{line(present), line(present)}, "options": []string{"no-pty " + line(present)}, "two lines": []string{line(present) + "\n" + line(former)},
			"the former key": []string{line(former)}, "one that it does not have": []string{line(present), line(former)},
		} {
			t.Run(name, func(t *testing.T) {
				wantFields(t, w.owner.Put(path+"/host-keys", map[string]any{"host_keys": keys}), "host_keys")
			})
		}
		if machine.Logins() != 0 {
			t.Errorf("%d logins to a machine with other keys", machine.Logins())
		}
		unchanged()

		own := machine.Signer
		machine.Signer = stranger // reinstalled: it does not know Hostler's key
		body := map[string]any{"host_keys": []string{line(present)}}
		if a := w.owner.Put(path+"/host-keys", body).Want(t, 409); !strings.Contains(string(a.Body), "add it as a new server") {
			t.Errorf("a machine that was reinstalled: %s", a.Body)
		}
		unchanged()
		machine.Signer = own

		a = w.owner.Put(path+"/host-keys", body).Want(t, 200)
		if a.At("data", "attributes", "changed") != false || a.Text("data", "attributes", "confirmed", 0, "fingerprint") != ssh.FingerprintSHA256(present) {
			t.Errorf("the keys are %s", a.Body)
		}
		now := must(w.App.DB.Read().Ungranted().GetServer(t.Context(), row.ID))
		if now.HostKeys != line(present)+"\n" || *now.ConnectionStatus != server.ConnectionConnected || now.Facts != row.Facts || now.SSHPort != number(port) {
			t.Errorf("the server is %+v", now)
		}
		if got := attention(t, w.owner); slices.Contains(got, "server-host-key-changed "+row.Name) {
			t.Errorf("attention has %v", got)
		}
		a = w.owner.Get("/orgs/acme/audit?filter[operation]=organizations.servers.host-keys.update&filter[status]=200").Want(t, 200)
		if len(a.IDs()) != 1 || !strings.Contains(string(a.Body), ssh.FingerprintSHA256(present)) {
			t.Errorf("the audit log has %s", a.Body)
		}
		machine.Close()
		w.owner.Get(path+"/host-keys").Want(t, 409)
		w.owner.Put(path+"/host-keys", body).Want(t, 409)
	})
}
