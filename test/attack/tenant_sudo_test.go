package attack_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/test/e2e/panel"
)

// sudoLines are what a program of a site says to sudo and systemd. BOB and ALICE are the ids of the neighbour's background process and of its own.
var sudoLines = []string{
	`sudo -n id`, `sudo -n -u bob id`, `sudo -n -g www-data id`, `sudo -n -s`, `sudo -n -i`, `sudo -n -e /etc/passwd`,
	`sudo -n service ssh stop`, `sudo -n service nginx stop`, `sudo -n service --status-all`, `sudo -n service ../../bin/id reload`,
	`sudo -n service php8.2-fpm "reload x"`, `sudo -n service php8.2-fpm reload extra`, `sudo -n service hostler-process-BOB@1 stop`,
	`sudo -n supervisorctl stop daemon-BOB`, `sudo -n supervisorctl stop daemon-BOB:daemon-BOB_00`, `sudo -n supervisorctl stop daemon-0BOB`,
	`sudo -n supervisorctl stop "daemon-BOB "`, `sudo -n supervisorctl stop "daemon-*"`, `sudo -n supervisorctl stop all`,
	`sudo -n supervisorctl restart daemon-ALICE daemon-BOB`, `sudo -n supervisorctl restart "$(printf 'daemon-ALICE\ndaemon-BOB')"`,
	`sudo -n supervisorctl restart daemon-ALICE:daemon-ALICE_00/../../daemon-BOB`,
	`sudo -n supervisorctl stop hostler-process-BOB@1.service`,
	`sudo -n supervisorctl tail daemon-BOB`, `sudo -n supervisorctl tail daemon-ALICE/../daemon-BOB`,
	`sudo -n supervisorctl tail -99999999999999999999 daemon-BOB`,
	`sudo -n supervisorctl -c /tmp/x stop daemon-BOB`, `sudo -n supervisorctl shutdown`, `sudo -n supervisorctl signal KILL daemon-BOB`,
	`sudo -n SUDO_UID=0 SUDO_USER=root supervisorctl stop daemon-BOB`, `SUDO_UID=0 SUDO_USER=bob sudo -n supervisorctl stop daemon-BOB`,
	`SUDO_UID=0 SUDO_USER=bob /var/lib/hostler/sudo/supervisorctl tail daemon-BOB`, `SUDO_UID=0 /var/lib/hostler/sudo/supervisorctl stop daemon-BOB`,
	`mkdir -p bin; printf '#!/bin/sh\nid\n' >bin/service; cp bin/service bin/supervisorctl; chmod +x bin/*; PATH=$HOME/bin:$PATH sudo -n supervisorctl status`,
	`mkdir -p bin; printf '#!/bin/sh\nid\n' >bin/systemctl; chmod +x bin/*; PATH=$HOME/bin:$PATH sudo -n supervisorctl restart daemon-ALICE`,
	`BASH_ENV=$HOME/bin/service LD_PRELOAD=$HOME/x.so GODEBUG=inittrace=1 sudo -n supervisorctl status`,
	`systemctl stop hostler-process-BOB@1`, `systemctl kill hostler-process-BOB@1`, `systemd-run -q --wait --pipe id`, `pkill -u bob`,
	`cat /var/log/hostler-processes/BOB/*`, `echo x >>/var/log/hostler-processes/ALICE/output.log`, `cat /etc/sudoers.d/hostler-*`,
}

// A program of a site says to sudo whatever it likes: it becomes no other account, and the neighbour's processes and PHP run on and say nothing.
func TestTenantAsksSudo(t *testing.T) {
	w := tenantWorld(t)
	h := w.MariaDB
	process := func(n *Tenant) string {
		made := w.Want(t, http.StatusAccepted, http.MethodPost, h.Path("/background-processes"),
			map[string]any{"name": n.User, "command": "echo " + n.Secret + "; exec sleep 86400", "user": n.User, "processes": 1}).Data
		at := h.Path("/background-processes/" + made.ID)
		w.Until(t, time.Minute, at, "running", func(a panel.Answer) bool { return a.Data.Text("status") == "running" })
		t.Cleanup(func() {
			w.Want(t, http.StatusAccepted, http.MethodDelete, at, nil)
			w.Gone(t, time.Minute, at)
		})
		return made.ID
	}
	alice, bob := process(h.Alice), process(h.Bob)
	state := func() string {
		return h.root(t, "sh", "-c", `systemctl show -p Id,ActiveState,MainPID,StateChangeTimestampMonotonic \
hostler-process-"$1"@1.service "hostler-php*-site-$2.service" nginx.service ssh.service; stat -c '%n %U %G %a' /etc/sudoers.d/*`, "sh", bob, h.Bob.Site.ID)
	}
	before := state()
	for _, line := range tenth(t, sudoLines) {
		line = strings.NewReplacer("BOB", bob, "ALICE", alice).Replace(line)
		out, err := h.Alice.try("sh", "-c", "( "+line+" ) </dev/null 2>&1")
		for word, is := range map[string]string{
			"uid=0": "it is root", "(bob)": "it is bob", h.Bob.Secret: "it reads what the neighbour's process printed", h.RootSecret: "it reads root's secret",
			"NOPASSWD": "it reads rules",
		} {
			if strings.Contains(out, word) {
				t.Errorf("%s: %s: %v %s", line, is, err, out)
			}
		}
		if after := state(); after != before {
			t.Fatalf("%s (%v %s) changed\n%s\nto\n%s", line, err, out, before, after)
		}
	}
	// What it may: its own.
	out := h.Alice.run(t, "sh", "-c", "sudo -n supervisorctl start all; sudo -n supervisorctl status; sudo -n supervisorctl tail daemon-"+alice)
	if !strings.Contains(out, "RUNNING") || !strings.Contains(out, h.Alice.Secret) {
		t.Errorf("its own process: %s", out)
	}
	h.Alice.run(t, "rm", "-rf", "bin")
	w.unharmed(t)
}
