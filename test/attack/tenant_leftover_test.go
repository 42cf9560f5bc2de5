package attack_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/hosts"
)

// What the intruder of a site leaves for the time after: in every place where an account can leave something that runs, logs in or is found later.
const leftover = `cd ~
echo '* * * * * touch /tmp/CANARY-cron' | crontab - 2>&1
mkdir -p .ssh && echo 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBLyO0V2X8mP0j0q5Ypm7zVv1cVYb2yV0u3GqGm3T0cF intruder' >.ssh/authorized_keys
for f in .profile .bashrc .bash_login .zshenv .pam_environment .forward .netrc; do echo 'touch /tmp/CANARY-rc' >>$f; done
mkdir -p .config/systemd/user/default.target.wants && printf '[Service]\nExecStart=/bin/sleep 1000\n' >.config/systemd/user/default.target.wants/stay.service
echo 'touch /tmp/CANARY-at' | at now + 1 minute 2>&1
loginctl enable-linger 2>&1
for d in /tmp /var/tmp /dev/shm /run/lock; do echo word >$d/CANARY-file; ln -s /root $d/CANARY-link; done
ipcmk -M 4096 2>&1; ipcmk -Q 2>&1; ipcmk -S 1 2>&1
cp /bin/sh /var/tmp/CANARY-shell; chmod 4755 /var/tmp/CANARY-shell
(setsid nohup sh -c 'trap "" TERM HUP INT; while :; do sleep 1; done' >/dev/null 2>&1 &)
(setsid sh -c 'trap "" TERM; while :; do (sleep 2 &); sleep 0.1; done' >/dev/null 2>&1 &)
id -u`

// "Delete and create again" cleans a hacked site: an intruder leaves what it can, the site is deleted, and a site of the same name and account is made.
func TestTenantStaysAfterDeletion(t *testing.T) {
	drawn(t)
	w := tenantWorld(t)
	h := w.MariaDB
	body := func() map[string]any {
		return map[string]any{"type": "php", "name": "mallory.example.com", "is_isolated": true, "isolated_user": "mallory"}
	}
	settle := func(id string) {
		t.Helper()
		r := w.Settled(t, 3*time.Minute, "/sites/"+id)
		if r.Text("status") != "installed" {
			t.Fatalf("the site is %s: %+v\n%s", r.Text("status"), r.Operation(), w.Output(t, h.Server, r.Operation().EventID))
		}
	}
	site := w.Want(t, http.StatusAccepted, http.MethodPost, h.Path("/sites"), body()).Data
	settle(site.ID)
	mallory := &Tenant{host: h, User: "mallory", Domain: "mallory.example.com", Home: "/home/mallory", Base: "/home/mallory/mallory.example.com", Site: site}
	process := w.Want(t, http.StatusAccepted, http.MethodPost, h.Path("/background-processes"), map[string]any{
		"name": "stay", "command": "touch /tmp/CANARY-process; sleep 3600", "user": "mallory", "processes": 1,
	})
	w.Settled(t, time.Minute, h.Path("/background-processes/"+process.Data.ID))
	out := mallory.run(t, "sh", "-c", leftover)
	uid := strings.TrimSpace(out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:])
	mallory.inPHP(t, "(setsid sleep 3600 >/dev/null 2>&1 &) ; touch /tmp/CANARY-php")

	found := func(who string) string {
		return h.root(t, "sh", "-c", `pgrep -a -u `+uid+`; find / -xdev -uid `+uid+` 2>/dev/null; find /tmp /var/tmp /dev/shm /run -uid `+uid+` 2>/dev/null
ls -d /var/spool/cron/crontabs/`+who+` /var/lib/systemd/linger/`+who+` /var/mail/`+who+` /var/lib/hostler/accounts/`+who+` `+
			`/var/lib/hostler-redis/`+who+` 2>/dev/null
grep -rls `+who+` /etc/cron.d /etc/systemd/system /etc/php /etc/hostler /etc/tmpfiles.d /etc/dbus-1/system.d /etc/passwd /etc/shadow /etc/group 2>/dev/null
for f in shm msg sem; do awk -v u=`+uid+` '$0 ~ " "u" "' /proc/sysvipc/$f; done; true`)
	}
	if got := found("mallory"); !strings.Contains(got, "CANARY-shell") || !strings.Contains(got, "sleep") {
		t.Fatalf("the intruder left nothing:\n%s", got)
	}
	plan := w.Want(t, http.StatusOK, http.MethodDelete, h.Path("/sites/"+site.ID+"?dry_run=true"), nil)
	if raw, err := json.Marshal(plan); err != nil || !strings.Contains(string(raw), "remove the account mallory") {
		t.Errorf("the plan does not say that the account goes: %s %v", raw, err)
	}
	w.Want(t, http.StatusAccepted, http.MethodDelete, h.Path("/sites/"+site.ID), nil)
	w.Gone(t, 5*time.Minute, "/sites/"+site.ID)
	if got := strings.TrimSpace(found("mallory")); got != "" {
		t.Errorf("after the last site was deleted, there is:\n%s", got)
	}
	w.Gone(t, time.Minute, h.Path("/background-processes/"+process.Data.ID))

	again := w.Want(t, http.StatusAccepted, http.MethodPost, h.Path("/sites"), body()).Data
	settle(again.ID)
	if now := strings.TrimSpace(h.root(t, "id", "-u", "mallory")); now == uid {
		t.Errorf("the new account has the id %s of the removed one: %s\n%s", now, h.root(t, "sh", "-c",
			"cat /var/lib/hostler/accounts.jsonl; tail -n3 /etc/passwd; journalctl -q --no-pager | grep -a useradd | tail -n5"),
			w.Output(t, h.Server, w.Get(t, "/sites/"+again.ID).Operation().EventID))
	}
	// Cron has looked at its tables since, and no job of the intruder has run.
	began := h.root(t, "date", "+%s")
	hosts.Eventually(t, 2*time.Minute, "a minute of cron has passed", func() error {
		out := strings.TrimSpace(h.root(t, "sh", "-c", `test $(($(date +%s) - $1)) -gt 65 && echo passed || echo waits`, "sh", strings.TrimSpace(began)))
		if out != "passed" {
			return errors.New(out)
		}
		return nil
	})
	left := h.root(t, "sh", "-c", "find / -xdev -name 'CANARY*' 2>/dev/null; find /tmp /var/tmp /dev/shm /run -name 'CANARY*' 2>/dev/null; true")
	if got := strings.TrimSpace(left); got != "" {
		t.Errorf("of the intruder there is: %s", got)
	}
	w.Want(t, http.StatusAccepted, http.MethodDelete, h.Path("/sites/"+again.ID), nil)
	w.Gone(t, 5*time.Minute, "/sites/"+again.ID)
	w.unharmed(t)
}
