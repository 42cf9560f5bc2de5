package hosts_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/practice"
	"github.com/hostlerhq/hostler/test/hosts"
)

// What follows runs everywhere hosts run, in seconds. What takes longer is in full_test.go.

func TestIdentityAndLogin(t *testing.T) {
	b := hosts.Shared(t, 2, hosts.Image("base", "base13"))
	h1, h2 := b.Host(1), b.Host(2)

	for _, f := range []string{"/etc/machine-id", "/etc/ssh/ssh_host_ed25519_key.pub", "/etc/hostname"} {
		if a, b := string(h1.ReadFile(t, f)), string(h2.ReadFile(t, f)); a == b {
			t.Errorf("%s is the same on both hosts: %q", f, a)
		}
	}
	want(t, "Debian of h1", strings.Split(h1.SSH(t, "cat", "/etc/debian_version"), ".")[0], "12")
	want(t, "Debian of h2", strings.Split(h2.SSH(t, "cat", "/etc/debian_version"), ".")[0], "13")
	for _, h := range b.All() {
		want(t, "user", h.SSH(t, "id", "-un"), "root\n")
		want(t, "sudo", h.SSHAs(t, "debian", "sudo", "-n", "id", "-u"), "0\n")
		want(t, "argv", h.SSH(t, "printf", "%s|", "it's", "a b", "$HOME", ""), "it's|a b|$HOME||")
		want(t, "authorized keys", h.Exec(t, "grep", "-c", "", "/root/.ssh/authorized_keys"), "1\n")
		if out, err := h.TryExec("sh", "-c", "ls -d /etc/hostler* /var/lib/hostler* /opt/hostler* 2>/dev/null"); err == nil {
			t.Errorf("%s is no plain server: %s", h.Name, out)
		}
	}
	// A host whose key is not the pinned one is refused.
	imposter := *h1
	imposter.HostKey = h2.HostKey
	if _, err := imposter.TrySSH(shortly(t, 5*time.Second), "root", "true"); err == nil {
		t.Error("a wrong host key was accepted")
	}
}

func TestFilesAndNames(t *testing.T) {
	b := hosts.Shared(t, 2, hosts.Image("base", "base13"))
	text := []byte("a\x00b\n'quoted' $HOME")
	b.Host(1).WriteFile(t, "/srv/new/dir/file", text, 0o640)
	want(t, "content", string(b.Host(1).ReadFile(t, "/srv/new/dir/file")), string(text))
	want(t, "mode", b.Host(1).Exec(t, "stat", "-c", "%a", "/srv/new/dir/file"), "640\n")
	b.Host(2).SSH(t, "ping", "-c1", "-W2", "h1")
	b.Host(2).SSH(t, "ping", "-6", "-c1", "-W2", b.Host(1).IP6)
}

func TestNoWayOut(t *testing.T) {
	t.Parallel()
	b := hosts.Shared(t, 2, hosts.Image("base", "base13"))
	h := b.Host(1)

	l, err := net.Listen("tcp", net.JoinHostPort(b.Gateway, "0")) // an ephemeral port is above 10000
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	reach := func(addr string) error {
		host, port, _ := net.SplitHostPort(addr)
		_, err := h.TryExec("timeout", "1", "bash", "-c", `: <>"/dev/tcp/$0/$1"`, host, port)
		return err
	}
	if err := reach(l.Addr().String()); err != nil {
		t.Errorf("a port of this machine above 10000 can't be reached: %v", err)
	}
	low, err := listenBelow(b.Gateway, 10000)
	if err != nil {
		t.Fatal(err)
	}
	defer low.Close()
	for _, addr := range []string{low.Addr().String(), "192.0.2.1:80", "1.1.1.1:443"} {
		if reach(addr) == nil {
			t.Errorf("%s can be reached", addr)
		}
	}
	if out, err := h.TryExec("curl", "-sf", "-m5", "-x", b.Cache, "http://localhost/dists/x"); err == nil {
		t.Errorf("the package cache is a way into this machine: %s", out)
	}
}

func TestKillAndStart(t *testing.T) {
	b := hosts.Shared(t, 2, hosts.Image("base", "base13"))
	h := b.Host(2)
	h.WriteFile(t, "/root/kept", []byte("yes"), 0o600)
	before := h.HostKey
	h.Kill(t)
	wantNoLogin(t, h)
	wantState(t, h, "off")
	h.Start(t)
	want(t, "file after the power cut", h.SSH(t, "cat", "/root/kept"), "yes")
	want(t, "host key", h.HostKey, before)
	wantState(t, h, "running")
}

func TestCutAndHeal(t *testing.T) {
	b := hosts.Shared(t, 2, hosts.Image("base", "base13"))
	h := b.Host(1)
	h.Cut(t)
	wantState(t, h, "running", "cut")
	_, err := net.DialTimeout("tcp", h.Addr(22), 700*time.Millisecond)
	var timeout net.Error
	if !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("a host that is cut off must be silent, not: %v", err)
	}
	// The cable is out also after a power cut.
	h.Kill(t)
	h.Start(t)
	if _, err := net.DialTimeout("tcp", h.Addr(22), 700*time.Millisecond); err == nil {
		t.Error("the cut line came back with the reboot")
	}
	h.Heal(t)
	hosts.Eventually(t, 20*time.Second, "log in after heal", func() error {
		_, err := h.TrySSH(shortly(t, 5*time.Second), "root", "true")
		return err
	})
	wantState(t, h, "running")
}

func TestFreezeAndThaw(t *testing.T) {
	b := hosts.Shared(t, 2, hosts.Image("base", "base13"))
	h := b.Host(2)
	h.Freeze(t)
	wantState(t, h, "frozen")
	c, err := net.DialTimeout("tcp", h.Addr(22), 3*time.Second)
	if err != nil {
		t.Fatalf("the kernel of a frozen host still accepts: %v", err)
	}
	defer c.Close()
	if err := c.SetReadDeadline(time.Now().Add(700 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(c).ReadString('\n'); err == nil {
		t.Errorf("a frozen host answered %q", line)
	}
	h.Thaw(t)
	h.SSH(t, "true")
}

func TestDiskFull(t *testing.T) {
	b := hosts.Up(t, 1, hosts.Disk("200M"))
	h := b.Host(1)
	want(t, "size", strings.TrimSpace(lastLine(h.Exec(t, "df", "--output=size", "-m", "/"))), "200")
	h.Fill(t, 0)
	wantState(t, h, "running", "full")
	if out, err := h.TrySSH(shortly(t, 10*time.Second), "root", "dd", "if=/dev/zero", "of=/root/x", "bs=1M", "count=1"); err == nil ||
		!strings.Contains(out, "No space left") {
		t.Errorf("write to a full disk: %v, %s", err, out)
	}
	h.Heal(t)
	h.SSH(t, "dd", "if=/dev/zero", "of=/root/x", "bs=1M", "count=1")
	wantState(t, h, "running")
}

func TestFreshIsAlone(t *testing.T) {
	b := hosts.Shared(t, 1, hosts.Fresh())
	b.Host(1).Exec(t, "touch", "/root/dirt")
	number, key := b.Number, b.Host(1).HostKey
	t.Run("another bed while it is taken", func(t *testing.T) {
		if other := hosts.Shared(t, 1); other.Number == number {
			t.Errorf("bed %d was given to two tests", number)
		}
	})
	t.Run("a new disk", func(t *testing.T) {
		b.Host(1).Reset(t)
		if _, err := b.Host(1).TryExec("test", "-e", "/root/dirt"); err == nil {
			t.Error("the old disk is still there")
		}
		if b.Host(1).HostKey == key {
			t.Error("the host key did not change")
		}
		b.Host(1).SSH(t, "true")
	})
}

// TestCrashedRunIsCleaned kills a test process that has a bed. Its reaper takes the bed down; when
// that was killed as well, the next Up does.
func TestCrashedRunIsCleaned(t *testing.T) {
	hosts.Require(t)
	if os.Getenv("HOSTLER_TEST_CRASH") != "" {
		b := hosts.Up(t, 1)
		fmt.Printf("bed %d\n", b.Number)
		select {} // until it is killed
	}
	for _, reaper := range []bool{true, false} {
		t.Run(fmt.Sprintf("reaper=%v", reaper), func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestCrashedRunIsCleaned$", "-test.timeout=2m")
			cmd.Env = append(os.Environ(), "HOSTLER_TEST_CRASH=1")
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = cmd.Wait() }()
			defer func() { _ = cmd.Process.Kill() }()
			bed := 0
			for lines := bufio.NewScanner(out); bed == 0 && lines.Scan(); {
				_, _ = fmt.Sscanf(lines.Text(), "bed %d", &bed)
			}
			if bed == 0 {
				t.Fatal("the other process did not bring a bed up")
			}
			if !reaper {
				killReaper(t, cmd.Process.Pid)
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // killed
			if !reaper {
				if !bedExists(bed) {
					t.Fatal("the bed went away by itself: this test tests nothing")
				}
				if err := hosts.SweepNow(); err != nil {
					t.Fatal(err)
				}
			}
			hosts.Eventually(t, 20*time.Second, "the bed is gone", func() error {
				if bedExists(bed) {
					return fmt.Errorf("bed %d is still there", bed)
				}
				return nil
			})
		})
	}
}

func killReaper(t *testing.T, parent int) {
	t.Helper()
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", parent, parent))
	if err != nil || len(strings.Fields(string(children))) == 0 {
		// forked from another thread
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
		for _, f := range tasks {
			text, _ := os.ReadFile(f)
			children = append(children, text...)
		}
	}
	for _, f := range strings.Fields(string(children)) {
		pid, _ := strconv.Atoi(f)
		if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); strings.TrimSpace(string(name)) == "flock" {
			p, err := os.FindProcess(pid)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Kill(); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("no reaper among the children of %d: %q", parent, children)
}

func bedExists(bed int) bool {
	_, err := os.Stat(filepath.Join(practice.Home(), "beds", strconv.Itoa(bed)))
	return err == nil
}

func want(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func wantState(t testing.TB, h *hosts.Host, state string, faults ...string) {
	t.Helper()
	ctx := shortly(t, 20*time.Second)
	b, err := practice.Open(ctx, h.Bed().Number)
	if err != nil {
		t.Fatal(err)
	}
	now, err := b.Host(h.Index)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "state of "+h.Name, now.State+" "+strings.Join(now.Faults, ","), state+" "+strings.Join(faults, ","))
}

func wantNoLogin(t testing.TB, h *hosts.Host) {
	t.Helper()
	if out, err := h.TrySSH(shortly(t, time.Second), "root", "true"); err == nil {
		t.Errorf("%s lets us in: %s", h.Name, out)
	}
}

func shortly(t testing.TB, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

func listenBelow(ip string, port int) (net.Listener, error) {
	var err error
	for p := port - 1; p > port-100; p-- {
		var l net.Listener
		if l, err = net.Listen("tcp", net.JoinHostPort(ip, strconv.Itoa(p))); err == nil {
			return l, nil
		}
	}
	return nil, err
}
