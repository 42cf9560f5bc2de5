package hosts_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/practice"
	"github.com/hostlerhq/hostler/test/hosts"
)

// full skips what takes minutes, unless it is requested.
func full(t *testing.T) {
	t.Helper()
	if os.Getenv("HOSTLER_PRACTICE_FULL") != "1" {
		t.Skipf("skipped %s: HOSTLER_PRACTICE_FULL=1 runs it", t.Name())
	}
	hosts.Require(t)
}

// script runs a shell script on the host, over SSH as root.
func script(t testing.TB, h *hosts.Host, text string) string {
	t.Helper()
	return h.SSH(t, "bash", "-euo", "pipefail", "-c", text)
}

func tcp(h *hosts.Host, port int) error {
	c, err := net.DialTimeout("tcp", h.Addr(port), time.Second)
	if err == nil {
		c.Close()
	}
	return err
}

// TestServices runs what a server of sites runs, on both Debians.
func TestServices(t *testing.T) {
	full(t)
	for _, image := range []string{"full", "full13"} {
		t.Run(image, func(t *testing.T) {
			b := hosts.Up(t, 2, hosts.Image(image), hosts.WaitRunning())
			h := b.Host(1)
			want(t, "systemd", h.SSH(t, "systemctl", "is-system-running"), "running\n")
			t.Run("site with PHP", func(t *testing.T) { site(t, b) })
			t.Run("firewall", func(t *testing.T) { firewall(t, h) })
			t.Run("nftables", func(t *testing.T) {
				script(t, h, `nft add table inet f; nft "add chain inet f in { type filter hook input priority -5; }"
nft add rule inet f in tcp dport 80 reject with tcp reset; ! curl -s localhost:80; nft delete table inet f; curl -s -o /dev/null localhost:80`)
			})
			t.Run("databases", func(t *testing.T) {
				hosts.Eventually(t, 20*time.Second, "MariaDB answers", func() error { _, err := h.TryExec("mariadb", "-e", "select 1"); return err })
				script(t, h, `mariadb -e "create database if not exists shop"; runuser -u postgres -- psql -Atc "select 1"; redis-cli ping`)
			})
			t.Run("supervisor", func(t *testing.T) {
				h.WriteFile(t, "/etc/supervisor/conf.d/w.conf", []byte("[program:w]\ncommand=/bin/sleep 999\nstartsecs=0\n"), 0o644)
				h.SSH(t, "supervisorctl", "update")
				hosts.Eventually(t, 10*time.Second, "the program runs", func() error { return contains(h, "RUNNING", "supervisorctl", "status", "w") })
			})
			t.Run("hardened unit", func(t *testing.T) { hardened(t, h) })
			t.Run("timer", func(t *testing.T) {
				h.SSH(t, "systemd-run", "-q", "--on-active=0.3s", "--timer-property=AccuracySec=50ms", "touch", "/run/tick")
				hosts.Eventually(t, 10*time.Second, "the timer fired", func() error { _, err := h.TryExec("test", "-e", "/run/tick"); return err })
			})
			t.Run("sysctl", func(t *testing.T) {
				script(t, h, `sysctl -w net.ipv4.ip_forward=1; ! sysctl -w vm.swappiness=1`)
			})
			t.Run("package through the cache", func(t *testing.T) {
				script(t, b.Host(2), `apt-get -q update; DEBIAN_FRONTEND=noninteractive apt-get -q install -y jq; jq --version`)
			})
			t.Run("power cut during writes", func(t *testing.T) { powerCut(t, h) })
		})
	}
}

func site(t *testing.T, b *hosts.Bed) {
	h := b.Host(1)
	sock := strings.TrimSpace(h.Exec(t, "sh", "-c", "echo /run/php/php*.*-fpm.sock"))
	h.WriteFile(t, "/etc/nginx/sites-available/app", []byte(`server { listen 8080; root /srv/app; index index.php;
location ~ \.php$ { include snippets/fastcgi-php.conf; fastcgi_pass unix:`+sock+`; } }
`), 0o644)
	h.WriteFile(t, "/srv/app/index.php", []byte("<?php echo PHP_OS, gethostname();"), 0o644)
	script(t, h, `ln -sf ../sites-available/app /etc/nginx/sites-enabled/app; nginx -t; systemctl reload nginx`)
	for _, from := range b.All() {
		hosts.Eventually(t, 10*time.Second, "the site answers "+from.Name, func() error { return contains(from, "Linuxh1", "curl", "-s", "h1:8080") })
	}
}

func firewall(t *testing.T, h *hosts.Host) {
	if err := tcp(h, 8080); err != nil {
		t.Fatalf("before: %v", err)
	}
	script(t, h, `ufw allow 22/tcp; ufw --force enable`)
	if tcp(h, 8080) == nil || tcp(h, 22) != nil {
		t.Error("ufw does not block 8080 and let 22 in")
	}
	h.SSH(t, "ufw", "allow", "8080/tcp")
	if err := tcp(h, 8080); err != nil {
		t.Errorf("ufw does not open: %v", err)
	}
	script(t, h, `ufw delete allow 8080/tcp`)
	h.Reboot(t)
	hosts.Eventually(t, 20*time.Second, "ufw is active after a reboot", func() error { return contains(h, "Status: active", "ufw", "status") })
	if tcp(h, 8080) == nil || tcp(h, 22) != nil {
		t.Error("the rules did not survive the reboot")
	}
	script(t, h, `ufw --force reset`)
}

func hardened(t *testing.T, h *hosts.Host) {
	h.WriteFile(t, "/etc/systemd/system/hard.service", []byte(`[Service]
ExecStart=/bin/sleep 999
DynamicUser=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
NoNewPrivileges=yes
SystemCallFilter=@system-service
RestrictNamespaces=yes
StateDirectory=hard
MemoryMax=50M
`), 0o644)
	script(t, h, `systemctl daemon-reload; systemctl restart hard`)
	hosts.Eventually(t, 10*time.Second, "it runs as a user of its own", func() error {
		pid, err := h.TryExec("systemctl", "show", "-P", "MainPID", "hard")
		if err != nil {
			return err
		}
		user, err := h.TryExec("stat", "-c", "%U", "/proc/"+strings.TrimSpace(pid))
		if err == nil && user != "hard\n" {
			err = fmt.Errorf("it runs as %q", user)
		}
		return err
	})
}

func powerCut(t *testing.T, h *hosts.Host) {
	hosts.Eventually(t, 30*time.Second, "MariaDB answers", func() error { _, err := h.TryExec("mariadb", "-e", "select 1"); return err })
	script(t, h, `mariadb -e "create table shop.t(i int primary key) engine=innodb; insert into shop.t values (1)"
runuser -u postgres -- psql -qc "create table t(i int); insert into t values (1)"
systemd-run -q bash -c 'for i in $(seq 2 5000); do mariadb -e "insert into shop.t values ($i)"; done'`)
	hosts.Eventually(t, 20*time.Second, "writes are going on", func() error {
		n, err := h.TryExec("mariadb", "-Ne", "select count(*) from shop.t")
		if i, _ := strconv.Atoi(strings.TrimSpace(n)); err == nil && i < 10 {
			err = fmt.Errorf("%d rows", i)
		}
		return err
	})
	h.Kill(t)
	wantNoLogin(t, h)
	h.Start(t)
	hosts.Eventually(t, 60*time.Second, "both databases have recovered", func() error {
		n, err := h.TryExec("mariadb", "-Ne", "select count(*) from shop.t")
		if i, _ := strconv.Atoi(strings.TrimSpace(n)); err == nil && i < 10 {
			return fmt.Errorf("MariaDB has %d rows", i)
		}
		_, err2 := h.TryExec("runuser", "-u", "postgres", "--", "psql", "-Atc", "select i from t")
		return errors.Join(err, err2)
	})
}

func TestRebootFromInside(t *testing.T) {
	full(t)
	h := hosts.Shared(t, 2, hosts.Image("base", "base13")).Host(2)
	before := h.SSH(t, "systemctl", "show", "-P", "UserspaceTimestampMonotonic")
	_, _ = h.TrySSH(shortly(t, 10*time.Second), "root", "reboot") // the connection ends with it
	hosts.Eventually(t, 30*time.Second, "it comes back", func() error {
		now, err := h.TrySSH(shortly(t, 5*time.Second), "root", "systemctl", "show", "-P", "UserspaceTimestampMonotonic")
		if err == nil && now == before {
			err = errors.New("it has not gone down yet")
		}
		return err
	})
}

func TestCarrierLoss(t *testing.T) {
	full(t)
	h := hosts.Shared(t, 2, hosts.Image("base", "base13")).Host(1)
	h.CutCarrier(t)
	link := h.Exec(t, "ip", "-br", "link", "show", "eth0")
	if !strings.Contains(link, "DOWN") {
		t.Errorf("the host does not see that its link is down: %s", link)
	}
	wantNoLogin(t, h)
	h.Heal(t)
	h.SSH(t, "true")
}

func TestSlowLine(t *testing.T) {
	full(t)
	b := hosts.Shared(t, 2, hosts.Image("base", "base13"))
	h := b.Host(2)
	defer h.Heal(t)
	ping := func(args ...string) string {
		out, err := h.TryExec(append(append([]string{"ping", "-q"}, args...), b.Gateway)...)
		if err != nil && out == "" {
			t.Fatal(err)
		}
		return out
	}
	number := func(pattern, text string) float64 {
		m := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("no %s in %s", pattern, text)
		}
		f, _ := strconv.ParseFloat(m[1], 64)
		return f
	}
	h.Slow(t, practice.Line{Delay: 80 * time.Millisecond})
	if ms := number(`= ([0-9.]+)/`, ping("-c3")); ms < 158 || ms > 250 {
		t.Errorf("80 ms each way: the fastest round trip took %v ms", ms)
	}
	h.Slow(t, practice.Line{Loss: 20})
	if lost := number(`([0-9.]+)% packet loss`, ping("-c200", "-i0.01", "-W1")); lost < 20 || lost > 55 {
		t.Errorf("20%% loss each way: %v%% of the round trips lost", lost)
	}
	h.Slow(t, practice.Line{KBitSec: 1000})
	start := time.Now()
	h.SSH(t, "head", "-c", "250000", "/dev/urandom")
	if took := time.Since(start); took < 1900*time.Millisecond || took > 8*time.Second {
		t.Errorf("2 Mbit over a line of 1 Mbit/s took %v", took)
	}
	// The line is as bad after a reboot.
	h.Reboot(t)
	wantState(t, h, "running", "slow")
	h.Heal(t)
	wantState(t, h, "running")
	start = time.Now()
	h.SSH(t, "head", "-c", "250000", "/dev/urandom")
	if took := time.Since(start); took > 1900*time.Millisecond {
		t.Errorf("healed, the same took %v", took)
	}
}

func TestRealDisk(t *testing.T) {
	full(t)
	b := hosts.Up(t, 1, hosts.Disk("loop:300M"))
	h := b.Host(1)
	h.Fill(t, 0)
	if _, err := h.TrySSH(shortly(t, 20*time.Second), "root", "dd", "if=/dev/zero", "of=/root/x", "bs=1M", "count=1"); err == nil {
		t.Error("a full disk took more")
	}
	if _, err := h.TrySSH(shortly(t, 60*time.Second), "root", "apt-get", "-q", "install", "-y", "nginx"); err == nil {
		t.Error("apt-get installed on a full disk")
	}
	h.Heal(t)
	h.SSH(t, "sh", "-c", "head -c 1000000 /dev/zero >/root/x && sync /root/x")
	if info, err := os.Stat(b.DiskFile(1)); err != nil || info.Size() != 300<<20 {
		t.Errorf("the file behind the disk: %v, %v", info, err)
	}
	h.Reset(t)
	if _, err := h.TryExec("test", "-e", "/root/x"); err == nil {
		t.Error("reset kept the old disk")
	}
}

// TestMachineReboot does to a bed what a reboot of this machine does: processes, mounts, network and
// cgroups are gone, files stay. Up brings everything back.
func TestMachineReboot(t *testing.T) {
	full(t)
	for _, disk := range []string{"", "loop:300M", "200M"} {
		t.Run("disk="+disk, func(t *testing.T) {
			b := hosts.Up(t, 2, hosts.Disk(disk))
			h := b.Host(1)
			h.WriteFile(t, "/root/kept", []byte("yes"), 0o600)
			h.SSH(t, "sync", "-f", "/root/kept")
			b.Host(2).Cut(t)
			crash(t, b.Number)

			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if list, err := practice.Open(ctx, b.Number); err != nil || len(list.Hosts) != 2 || list.Hosts[0].State != "off" {
				t.Errorf("after the reboot: %+v, %v", list, err)
			}
			again, err := practice.Up(ctx, 2, practice.Options{Bed: b.Number})
			if err != nil {
				t.Fatal(err)
			}
			h.Host.HostKey = again.Hosts[0].HostKey
			if disk == "200M" { // in memory: it is a new server
				h.SSH(t, "test", "!", "-e", "/root/kept")
			} else {
				want(t, "file", h.SSH(t, "cat", "/root/kept"), "yes")
			}
			want(t, "faults", strings.Join(again.Hosts[1].Faults, ","), "")
		})
	}
}

func crash(t *testing.T, bed int) {
	t.Helper()
	kill := func(dir string) {
		for _, f := range glob(t, dir+"/cgroup.kill") {
			if err := os.WriteFile(f, []byte("1"), 0); err != nil {
				t.Fatal(err)
			}
		}
	}
	// The supervisors first, so that they can't clean up.
	for _, f := range glob(t, fmt.Sprintf("%s/beds/%d/h*/pid", practice.Home(), bed)) {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		p, _ := os.FindProcess(pid)
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	groups := append(glob(t, fmt.Sprintf("/sys/fs/cgroup/hostler-practice/%d-h*", bed)), glob(t, fmt.Sprintf("/sys/fs/cgroup/*/hostler-practice/%d-h*", bed))...)
	for _, dir := range groups {
		kill(dir)
	}
	hosts.Eventually(t, 20*time.Second, "everything is dead", func() error {
		for _, dir := range groups {
			_ = exec.Command("find", dir, "-depth", "-type", "d", "-delete").Run() // checked by looking
			if _, err := os.Stat(dir); err == nil {
				return errors.New(dir + " is populated")
			}
		}
		return nil
	})
	for _, name := range []string{"root", "disk"} {
		for _, dir := range glob(t, fmt.Sprintf("%s/beds/%d/h*/%s", practice.Home(), bed, name)) {
			_ = exec.Command("umount", dir).Run() // not every disk is a mount
		}
	}
	for _, argv := range [][]string{
		{"nft", "delete", "table", "inet", fmt.Sprintf("hp%d", bed)},
		{"ip", "netns", "del", fmt.Sprintf("hp%d-h1", bed)},
		{"ip", "netns", "del", fmt.Sprintf("hp%d-h2", bed)},
		{"ip", "link", "del", fmt.Sprintf("hp%d", bed)},
	} {
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", argv, err, out)
		}
	}
	used := filepath.Join(practice.Home(), "beds", strconv.Itoa(bed), "used")
	if err := os.WriteFile(used, []byte("00000000-another-boot\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestDownLeavesNothing looks everywhere that a bed leaves traces while it is up.
func TestDownLeavesNothing(t *testing.T) {
	full(t)
	var bed int
	t.Run("up", func(t *testing.T) {
		b := hosts.Up(t, 2, hosts.Disk("loop:300M"))
		bed = b.Number
		b.Host(1).Slow(t, practice.Line{Delay: time.Millisecond})
		b.Host(2).Freeze(t)
		if left := traces(t, bed); len(left) < 5 {
			t.Fatalf("this test looks in the wrong places: %v", left)
		}
	})
	if left := traces(t, bed); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func traces(t *testing.T, bed int) []string {
	t.Helper()
	var found []string
	name := regexp.MustCompile(fmt.Sprintf(`\bs?hp%d(h\d+)?\b|\bhp%d-h\d+|/beds/%d/|hostler-practice/%d-`, bed, bed, bed, bed))
	for _, argv := range [][]string{
		{"ip", "-o", "link"},
		{"ip", "netns"},
		{"cat", "/proc/self/mounts"},
		{"losetup", "-a"},
		{"nft", "list", "tables"},
		{"find", "/sys/fs/cgroup", "-path", "*hostler-practice/*", "-type", "d"},
		{"pgrep", "-af", fmt.Sprintf("machine=hp%d-", bed)},
		{"find", practice.Home() + "/beds", "-maxdepth", "2"},
	} {
		out, _ := exec.Command(argv[0], argv[1:]...).Output() // pgrep and find say "none" with a status
		for line := range strings.Lines(string(out)) {
			if name.MatchString(line) {
				found = append(found, argv[0]+": "+strings.TrimSpace(line))
			}
		}
	}
	return found
}

func contains(h *hosts.Host, part string, argv ...string) error {
	out, err := h.TryExec(argv...)
	if !strings.Contains(out, part) {
		return fmt.Errorf("no %q in %q (%v)", part, out, err)
	}
	return nil
}
