package practice

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// A MissingError lists what this machine lacks for practice servers.
type MissingError struct{ What []string }

func (e *MissingError) Error() string {
	return "practice servers can't run here: " + strings.Join(e.What, "; ")
}

// Check reports whether practice servers can run on this machine: nil, or a *MissingError that names everything that is missing.
// It ignores programs that apt-get can install.
func Check() error { return checkOnce() }

var checkOnce = sync.OnceValue(func() error {
	if runtime.GOOS != "linux" {
		return &MissingError{[]string{"they need Linux, this is " + runtime.GOOS}}
	}
	if os.Geteuid() != 0 {
		return &MissingError{[]string{fmt.Sprintf("they need root (mounts, namespaces, bridges), this is user %d", os.Geteuid())}}
	}
	var missing []string
	need := func(ok bool, what string) {
		if !ok {
			missing = append(missing, what)
		}
	}
	release := strings.TrimSpace(read("/proc/sys/kernel/osrelease"))
	need(atLeast(release, 5, 14), "Linux 5.14 or newer (cgroup.kill), this is "+release)
	for _, c := range []struct {
		bit  uint
		name string
	}{{21, "CAP_SYS_ADMIN"}, {12, "CAP_NET_ADMIN"}} {
		need(capable(c.bit), "the capability "+c.name+" (a container without it?)")
	}
	for _, fs := range []string{"overlay", "cgroup2"} {
		need(filesystem(fs), "the kernel's filesystem "+fs)
	}
	if home := onOverlay(Home()); home != "" {
		missing = append(missing, home+" is on overlayfs, which can't hold another overlay's disk: set HOSTLER_PRACTICE_HOME to a directory on a real disk or tmpfs")
	}
	if capable(12) && capable(21) {
		missing = append(missing, missingNetwork()...)
	}
	if _, err := exec.LookPath("systemd-nspawn"); err != nil {
		_, apt := exec.LookPath("apt-get")
		need(apt == nil, "systemd-nspawn (no apt-get to install it with)")
	}
	if len(missing) > 0 {
		return &MissingError{missing}
	}
	return nil
})

// missingNetwork tries what the network needs in a temporary network namespace.
func missingNetwork() []string {
	var missing []string
	if _, err := exec.LookPath("ip"); err != nil {
		return nil // installed with the rest; the script reports failures then
	}
	for _, t := range []struct {
		what string
		argv []string
	}{
		{"bridge devices (kernel module bridge)", []string{"ip", "link", "add", "hpcheck", "type", "bridge"}},
		{"veth devices (kernel module veth)", []string{"ip", "link", "add", "hpcheck", "type", "veth", "peer", "name", "hpcheck2"}},
		{"nftables (kernel module nf_tables)", []string{"nft", "add", "table", "inet", "hpcheck"}},
	} {
		if _, err := exec.LookPath(t.argv[0]); err != nil {
			continue
		}
		if out, err := exec.Command("unshare", append([]string{"--net", "--"}, t.argv...)...).CombinedOutput(); err != nil {
			missing = append(missing, t.what+": "+firstLine(out, err))
		}
	}
	return missing
}

// CheckVirtual reports whether virtual practice servers can run on this machine, as Check does for the others.
func CheckVirtual() error {
	if err := Check(); err != nil {
		return err
	}
	var missing []string
	for _, name := range []string{"qemu-system-x86_64", "busybox"} {
		if _, err := exec.LookPath(name); err != nil {
			missing = append(missing, name+" (scripts/need qemu)")
		}
	}
	if runtime.GOARCH != "amd64" {
		missing = append(missing, "an amd64 machine, this is "+runtime.GOARCH)
	}
	if _, err := os.Stat("/dev/net/tun"); err != nil {
		missing = append(missing, "/dev/net/tun")
	}
	if len(missing) > 0 {
		return &MissingError{missing}
	}
	return nil
}

func firstLine(out []byte, err error) string {
	if line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n"); line != "" {
		return line
	}
	return err.Error()
}

func read(path string) string {
	text, _ := os.ReadFile(path)
	return string(text)
}

func atLeast(release string, major, minor int) bool {
	var a, b int
	if _, err := fmt.Sscanf(release, "%d.%d", &a, &b); err != nil {
		return false
	}
	return a > major || a == major && b >= minor
}

func capable(bit uint) bool {
	for line := range strings.Lines(read("/proc/self/status")) {
		if set, ok := strings.CutPrefix(line, "CapEff:"); ok {
			bits, err := strconv.ParseUint(strings.TrimSpace(set), 16, 64)
			return err == nil && bits>>bit&1 == 1
		}
	}
	return false
}

func filesystem(name string) bool {
	known := func() bool {
		for line := range strings.Lines(read("/proc/filesystems")) {
			if f := strings.Fields(line); len(f) > 0 && f[len(f)-1] == name {
				return true
			}
		}
		return false
	}
	if !known() {
		_ = exec.Command("modprobe", name).Run() // checked again afterwards
	}
	return known()
}

// onOverlay returns the existing directory that is or would contain dir, if it is on overlayfs.
func onOverlay(dir string) string {
	for dir != "/" {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	if out, err := exec.Command("stat", "--file-system", "--format=%T", "--", dir).Output(); err == nil && strings.TrimSpace(string(out)) == "overlayfs" {
		return dir
	}
	return ""
}
