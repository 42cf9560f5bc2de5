package e2e_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// keeper returns an account of an unmanaged machine that can use only SFTP. It returns its key and the machine's.
func keeper(t *testing.T, s *engineRoom) (private, hostKey, endpoint string) {
	t.Helper()
	h := s.Host.Bed().Host(3)
	secret, line, _, err := host.NewKey("keeper")
	if err != nil {
		t.Fatal(err)
	}
	const drop = "/etc/ssh/sshd_config.d/10-keeper.conf"
	h.Exec(t, "useradd", "--create-home", "--shell", "/usr/sbin/nologin", "keeper")
	t.Cleanup(func() {
		h.Exec(t, "rm", "-f", drop)
		h.Exec(t, "systemctl", "reload", "ssh")
		_, _ = h.TryExec("loginctl", "kill-user", "keeper")
		h.Exec(t, "userdel", "--force", "--remove", "keeper")
	})
	h.Exec(t, "sh", "-c", "echo keeper:geheim-geheim | chpasswd")
	h.Exec(t, "install", "-d", "-o", "keeper", "-m", "700", "/home/keeper/.ssh", "/home/keeper/kept")
	h.WriteFile(t, "/home/keeper/.ssh/authorized_keys", []byte(line+"\n"), 0o644)
	h.WriteFile(t, drop, []byte("Match User keeper\n  PasswordAuthentication yes\n  ForceCommand internal-sftp\n"), 0o644)
	h.Exec(t, "systemctl", "reload", "ssh")
	return string(secret), h.Exec(t, "cat", "/etc/ssh/ssh_host_ed25519_key.pub"), "sftp://" + h.Addr(h.Port) + "/home/keeper/kept"
}

// A directory of another machine's account that may do nothing but SFTP does what a bucket does; the panel passes on what hosts send. Its key
// is shown before anything secret is sent there.
func TestBackupOverSFTP(t *testing.T) {
	databases(t, func(t *testing.T, p *panel.Panel, s *engineRoom) {
		a := newArchive(t, p, s, "faraway")
		fill(t, a, 20)
		private, hostKey, endpoint := keeper(t, s)
		other := s.Host.Bed().Host(3)
		body := map[string]any{
			"name":       "sftp",
			"provider":   "custom",
			"endpoint":   endpoint,
			"bucket":     "far-away",
			"directory":  "some/where",
			"access_key": "keeper",
			"secret_key": private,
		}
		try := func(field, value, refused, says string) {
			t.Helper()
			with := map[string]any{}
			for k, v := range body {
				with[k] = v
			}
			with[field] = value
			answer, err := p.Do(http.MethodPost, "/storage-providers", with)
			if err != nil || answer.Code != http.StatusUnprocessableEntity || !strings.Contains(answer.Body, `"`+refused+`"`) || !strings.Contains(answer.Body, says) {
				t.Errorf("with %s %.40q it is answered %d %s %v", field, value, answer.Code, answer.Body, err)
			}
		}
		fields := strings.Fields(hostKey)
		logins := func() string { // also those of the engine that was tried before
			out, _ := other.TryExec("sh", "-c", "journalctl --sync; journalctl -u ssh -o cat | grep -cE '(Accepted|Failed) .* for keeper'")
			return strings.TrimSpace(out)
		}
		before := logins()
		try("host_key", "", "host_key", fields[1])
		if after := logins(); after != before {
			t.Errorf("before the host key was confirmed somebody logged in or tried to: %s, were %s", after, before)
		}
		body["host_key"] = fields[0] + " " + fields[1]
		try("secret_key", "not the password", "secret_key", "rejects")
		try("endpoint", endpoint+"/away", "endpoint", "does not have the directory")
		stranger, _, _, err := host.NewKey("")
		if err != nil {
			t.Fatal(err)
		}
		try("secret_key", string(stranger), "secret_key", "rejects")
		provider := p.Want(t, http.StatusCreated, http.MethodPost, "/storage-providers", body).Data
		if logins() == before {
			t.Error("logins are not seen")
		}
		// The password opens it as well.
		body["secret_key"] = "geheim-geheim"
		p.Want(t, http.StatusAccepted, http.MethodPut, "/storage-providers/"+provider.ID, body)
		if left := other.Exec(t, "find", "/home/keeper/kept", "-type", "f"); left != "" {
			t.Errorf("the probes left %s", left)
		}

		file := func(key string) string { return "/home/keeper/kept/far-away/" + key }
		o := a.keepsIn(t, provider, func(key string) ([]byte, error) { return other.ReadFile(t, file(key)), nil })

		// The machine is set up again: nothing goes there any more, and no backup is shown as good.
		other.Exec(t, "sh", "-c",
			"cd /etc/ssh && mkdir kept && mv ssh_host_ed25519_key* kept && ssh-keygen -q -t ed25519 -N '' -f ssh_host_ed25519_key && systemctl restart ssh")
		t.Cleanup(func() {
			other.Exec(t, "sh", "-c", "cd /etc/ssh && mv kept/* . && rmdir kept && systemctl restart ssh")
		})
		other.Exec(t, "sh", "-c", "pkill -u keeper; true") // connections that stand are trusted still
		failed := a.run(t)
		if failed.Data.Attributes.Status != "failed" || !strings.Contains(failed.Data.Meta.Backup.Reason, "another host key") {
			t.Errorf("with another host key the backup is %+v %s", failed.Data.Attributes, failed.Data.Meta.Backup.Reason)
		}
		fields = strings.Fields(other.Exec(t, "cat", "/etc/ssh/ssh_host_ed25519_key.pub"))
		body["host_key"] = fields[0] + " " + fields[1]
		p.Want(t, http.StatusAccepted, http.MethodPut, "/storage-providers/"+provider.ID, body)
		removeAt(t, p, a.instance(o.Data.ID))
		if out, err := other.TryExec("test", "!", "-e", file(o.Data.Meta.Backup.Objects[0].Key)); err != nil {
			t.Errorf("after the backup was deleted its file is there: %s", out)
		}
	})
}
