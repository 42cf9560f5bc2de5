package agent

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/engine/agent/proc"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/ufw"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// factPackages are those that plans ask for, as dpkg patterns.
var factPackages = [...]string{
	"nginx", "php*-fpm", "php*-cli", "mariadb-server", "mysql-server", "mysql-community-server", "percona-server-server", "postgresql", "redis-server",
	"valkey-server", "memcached",
}

var phpPattern = regexp.MustCompile(`^php[0-9.]*-(fpm|cli)$`)

// Facts returns the facts of the host. Unknown ones are left empty.
func (a *Agent) Facts(ctx context.Context) (wire.Facts, error) {
	if err := a.prepare(); err != nil {
		return wire.Facts{}, err
	}
	release := a.osRelease()
	f := wire.Facts{
		OS: release["ID"], OSVersion: release["VERSION_ID"], OSName: release["PRETTY_NAME"], Arch: runtime.GOARCH, BootID: bootID(),
		CPUs: runtime.NumCPU(), Timezone: a.timezone(), Addresses: addresses(), OpenPorts: a.openPorts(),
		Packages: map[string]string{}, Available: map[string]string{}, Firewalls: []string{}, Memory: a.memory(), Edited: a.edited(),
	}
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		f.Hostname = unix.ByteSliceToString(u.Nodename[:])
	}
	f.MemoryBytes = a.allMemory()
	var st unix.Statfs_t
	if unix.Statfs(a.host("/"), &st) == nil {
		f.DiskBytes = int64(st.Blocks) * st.Bsize
		f.DiskFreeBytes = int64(st.Bavail) * st.Bsize
	}
	f.RebootNeeded = a.rebootNeeded(unix.ByteSliceToString(u.Release[:]))
	f.StaleServices = a.staleServices(ctx)
	f.Updates = a.updates(ctx)
	f.SSHClient, f.SSHPort = sshConnection()
	f.Passwords = a.passwords(ctx)
	if have, err := a.installed(ctx, factPackages[:]); err == nil {
		f.Packages = have
	}
	if candidates, err := a.candidates(ctx); err == nil {
		f.Available = candidates
	}
	if monitors, err := a.monitorMemory(); err == nil {
		f.Monitors = monitors.Changes
	}
	f.Shortages = a.shortages()
	f.Firewalls = a.firewalls(ctx)
	if slices.Contains(f.Firewalls, "ufw") {
		f.UFW = a.ufwRules()
	}
	return f, ctx.Err()
}

// passwords reports whether sshd lets an account log in with a password, here as for a connection from the internet.
func (a *Agent) passwords(ctx context.Context) bool {
	for _, user := range []string{"root", "nobody"} {
		settings, _, err := a.sshdSettings(ctx, "user="+user+",host=host.example.com,addr=192.0.2.1")
		if err != nil {
			return false
		}
		says := map[string]string{}
		for _, s := range settings {
			says[s.name] = strings.ToLower(s.value)
		}
		password := says["passwordauthentication"] == "yes" || says["kbdinteractiveauthentication"] == "yes"
		if password && (user != "root" || says["permitrootlogin"] == "yes") {
			return true
		}
	}
	return false
}

// startSettings are files that a service reads only when it starts, by its unit.
var startSettings = [...]struct{ unit, file string }{
	{"mariadb.service", "/etc/mysql/mariadb.conf.d/90-hostler.cnf"},
	{"mysql.service", "/etc/mysql/mysql.conf.d/zz-hostler.cnf"},
}

// staleServices returns the units that were started before their settings were last written.
func (a *Agent) staleServices(ctx context.Context) []string {
	var out []string
	for _, s := range startSettings {
		written, err := os.Stat(a.host(s.file))
		if err != nil {
			continue
		}
		said := output.New(nil, nil, nil)
		err = a.programs.Run(ctx, program.Program{
			Argv: []string{"systemctl", "show", "--property=ActiveEnterTimestamp", "--value", "--timestamp=unix", "--", s.unit},
			Out:  said, Timeout: probeOnce,
		})
		text, _ := said.Finish()
		started, nerr := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(text), "@"), 10, 64) // empty if it is not running
		if err == nil && nerr == nil && started > 0 && written.ModTime().Unix() > started {
			out = append(out, s.unit)
		}
	}
	return out
}

// rebootNeeded reports whether updates wait for a reboot: packages create a file that the reboot removes (like
// unattended-upgrades and update-notifier do), or a newer kernel than the running one is installed. If the running kernel is not
// in /boot it came from elsewhere, and installed kernels are irrelevant.
func (a *Agent) rebootNeeded(running string) bool {
	if _, err := os.Stat(a.host("/run/reboot-required")); err == nil {
		return true
	}
	version, flavour := kernelVersion(running)
	if _, err := os.Stat(a.host("/boot/vmlinuz-" + running)); err != nil || version == nil {
		return false
	}
	entries, err := os.ReadDir(a.host("/boot"))
	if err != nil {
		return false
	}
	for _, e := range entries {
		name, ok := strings.CutPrefix(e.Name(), "vmlinuz-")
		if other, kind := kernelVersion(name); ok && kind == flavour && slices.Compare(other, version) > 0 {
			return true
		}
	}
	return false
}

var kernelPattern = regexp.MustCompile(`^(\d[\w.+~]*(?:-\d[\w.+~]*)?)-(\D.*)$`)

// kernelVersion returns the numbers of a kernel's release, and its flavour: for example 6.1.0-28 and cloud-amd64. Nil if it has no such name.
func kernelVersion(release string) (version []int, flavour string) {
	m := kernelPattern.FindStringSubmatch(release)
	if m == nil {
		return nil, ""
	}
	for n := range strings.FieldsFuncSeq(m[1], func(r rune) bool { return r < '0' || r > '9' }) {
		number, _ := strconv.Atoi(n)
		version = append(version, number)
	}
	return version, m[2]
}

// osRelease reads os-release(5).
func (a *Agent) osRelease() map[string]string {
	out := map[string]string{}
	raw, err := os.ReadFile(a.host("/etc/os-release"))
	if err != nil {
		return out
	}
	for l := range strings.Lines(string(raw)) {
		k, v, ok := strings.Cut(strings.TrimSpace(l), "=")
		if ok && !strings.HasPrefix(k, "#") {
			out[k] = strings.Trim(v, `"'`)
		}
	}
	return out
}

// allMemory returns how much memory there is, in bytes; 0 if that is not known.
func (a *Agent) allMemory() int64 {
	raw, err := os.ReadFile(a.host("/proc/meminfo"))
	if err != nil {
		return 0
	}
	for l := range strings.Lines(string(raw)) {
		if f := strings.Fields(l); len(f) >= 2 && f[0] == "MemTotal:" {
			kb, _ := strconv.ParseInt(f[1], 10, 64)
			return kb << 10
		}
	}
	return 0
}

func (a *Agent) timezone() string {
	if to, err := os.Readlink(a.host("/etc/localtime")); err == nil {
		if _, zone, ok := strings.Cut(to, "/zoneinfo/"); ok {
			return zone
		}
	}
	if raw, err := os.ReadFile(a.host("/etc/timezone")); err == nil {
		return strings.TrimSpace(string(raw))
	}
	return "UTC"
}

// addresses returns the addresses by which others can reach this host.
func addresses() []string {
	out := []string{}
	all, err := net.InterfaceAddrs()
	if err != nil {
		return out
	}
	for _, one := range all {
		if n, ok := one.(*net.IPNet); ok && n.IP.IsGlobalUnicast() {
			out = append(out, n.IP.String())
		}
	}
	return out
}

// sshConnection returns the peer of this session and the local port. sudo drops the variable, so the nearest ancestor that has it is used.
func sshConnection() (client string, port int) {
	value := os.Getenv("SSH_CONNECTION")
	for pid := os.Getppid(); value == "" && pid > 1; pid = proc.ParentOf(pid) {
		env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
		if err != nil {
			break
		}
		for v := range bytes.SplitSeq(env, []byte{0}) {
			if rest, ok := bytes.CutPrefix(v, []byte("SSH_CONNECTION=")); ok {
				value = string(rest)
			}
		}
	}
	f := strings.Fields(value)
	if len(f) != 4 {
		return "", 0
	}
	port, _ = strconv.Atoi(f[3])
	return f[0], port
}

// candidates returns the versions in the host's package sources.
func (a *Agent) candidates(ctx context.Context) (map[string]string, error) {
	names := output.New(nil, nil, nil)
	patterns := []string{"apt-cache", "pkgnames", "--", "php"}
	err := a.programs.Run(ctx, program.Program{Argv: patterns, Out: names, Timeout: time.Minute})
	text, _ := names.Finish()
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	argv := []string{"apt-cache", "policy", "--"}
	for _, p := range factPackages {
		if !strings.Contains(p, "*") {
			argv = append(argv, p)
		}
	}
	for n := range strings.FieldsSeq(text) {
		if phpPattern.MatchString(n) {
			argv = append(argv, n)
		}
	}
	out := output.New(nil, nil, nil)
	err = a.programs.Run(ctx, program.Program{Argv: argv, Out: out, Timeout: time.Minute})
	text, _ = out.Finish()
	if err != nil {
		return nil, fmt.Errorf("ask for candidates: %w", err)
	}
	have := map[string]string{}
	name := ""
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		if !strings.HasPrefix(l, " ") {
			name = strings.TrimSuffix(l, ":")
		} else if v, ok := strings.CutPrefix(strings.TrimSpace(l), "Candidate: "); ok && v != "(none)" {
			have[name] = v
		}
	}
	return have, nil
}

// firewalls returns the active managers of rules other than ours.
func (a *Agent) firewalls(ctx context.Context) []string {
	out := []string{}
	if raw, err := os.ReadFile(a.host("/etc/ufw/ufw.conf")); err == nil && bytes.Contains(raw, []byte("ENABLED=yes")) {
		out = append(out, "ufw")
	}
	for _, unit := range []string{"firewalld", "nftables"} {
		quiet := output.New(nil, nil, nil)
		if a.systemd && a.programs.Run(ctx, program.Program{Argv: []string{"systemctl", "is-active", "--quiet", "--", unit}, Out: quiet, Timeout: probeOnce}) == nil {
			out = append(out, unit)
		}
	}
	return out
}

// maxRules is the maximum number of reported lines of another manager's rules; no handwritten set has more.
const maxRules = 2000

// ufwRules returns ufw's inbound policy, and the lines of its rules in order.
func (a *Agent) ufwRules() []string {
	out := []string{}
	if raw, err := os.ReadFile(a.host("/etc/default/ufw")); err == nil {
		for l := range strings.Lines(string(raw)) {
			if policy, ok := strings.CutPrefix(strings.TrimSpace(l), "DEFAULT_INPUT_POLICY="); ok {
				out = append(out, ufw.PolicyMark+strings.Trim(policy, `"`))
			}
		}
	}
	for _, file := range []string{"/etc/ufw/user.rules", "/etc/ufw/user6.rules"} {
		raw, err := os.ReadFile(a.host(file))
		if err != nil {
			continue
		}
		for l := range strings.Lines(string(raw)) {
			if l = strings.TrimSpace(l); strings.HasPrefix(l, ufw.Mark) && len(out) < maxRules {
				out = append(out, l)
			}
		}
	}
	return out
}

// openPorts returns the TCP ports with a listener that other hosts can reach.
func (a *Agent) openPorts() []int {
	out := []int{}
	for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for l := range strings.Lines(string(raw)) {
			f := strings.Fields(l)
			if len(f) < 4 || f[3] != "0A" { // TCP_LISTEN
				continue
			}
			addr, hexPort, ok := strings.Cut(f[1], ":")
			port, err := strconv.ParseUint(hexPort, 16, 16)
			if !ok || err != nil || loopback(addr) || slices.Contains(out, int(port)) {
				continue
			}
			out = append(out, int(port))
		}
	}
	slices.Sort(out)
	return out
}

// loopback reports whether an address as written in /proc/net/tcp, in words of the host's byte order, is a loopback address.
func loopback(addr string) bool {
	if len(addr) == 8 {
		return strings.HasSuffix(addr, "7F")
	}
	return addr == "00000000000000000000000001000000" || strings.HasPrefix(addr, "0000000000000000FFFF0000") && strings.HasSuffix(addr, "7F")
}
