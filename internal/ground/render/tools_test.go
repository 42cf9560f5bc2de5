package render

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tool finds a program of the host. A test that needs a missing one is skipped by name.
func tool(t *testing.T, name string) string {
	t.Helper()
	for _, dir := range []string{"/usr/sbin", "/usr/bin", "/sbin", "/bin"} {
		if path := filepath.Join(dir, name); isFile(path) {
			return path
		}
	}
	t.Skipf("%s is not installed", name)
	return ""
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// write puts a file into dir and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// run fails the test if the program fails or warns.
func run(t *testing.T, about string, args ...string) {
	t.Helper()
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil || strings.Contains(string(out), "warn") {
		t.Errorf("%s: %v: %v\n%s", about, args, err, out)
	}
}

// apart returns the beginning of a command line with a separate network.
func apart(t *testing.T) []string {
	t.Helper()
	args := []string{tool(t, "unshare"), "-n"}
	if os.Geteuid() != 0 {
		args = []string{args[0], "-rn"}
	}
	if exec.Command(args[0], append(args[1:], "true")...).Run() != nil {
		t.Skip("unshare: not allowed to make a network namespace")
	}
	return args
}

func TestFirewallIsAcceptedByNft(t *testing.T) {
	nft, apart := tool(t, "nft"), apart(t)
	for name, text := range goldens(t, "firewall") {
		run(t, name, append(apart, nft, "-c", "-f", write(t, t.TempDir(), "firewall.nft", text))...)
		// Twice in one namespace: the file replaces its own rules.
		path := write(t, t.TempDir(), "firewall.nft", text)
		run(t, name, append(apart, "sh", "-ec", nft+" -f "+path+"; "+nft+" -f "+path+"; test $("+nft+" list tables | wc -l) = 1")...)
	}
}

func TestPoolsAreAcceptedByFPM(t *testing.T) {
	fpm := tool(t, "php-fpm8.2")
	if os.Geteuid() != 0 {
		t.Skip("php-fpm8.2: takes user and group from root only")
	}
	for name, text := range goldens(t, "php-pool") {
		dir := t.TempDir()
		for _, user := range []string{"acme", "forge"} {
			text = strings.NewReplacer("user = "+user+"\n", "user = nobody\n", "group = "+user+"\n", "group = nogroup\n").Replace(text)
		}
		pool := write(t, dir, "pool.conf", text)
		run(t, name, fpm, "-t", "-y", write(t, dir, "fpm.conf", "[global]\nerror_log = "+dir+"/log\ninclude = "+pool+"\n"))
	}
}

func TestUnitsAreAcceptedBySystemd(t *testing.T) {
	analyze := tool(t, "systemd-analyze")
	dir := t.TempDir()
	tool(t, "nft") // the unit names it
	run(t, "units", analyze, "verify", "--man=no", write(t, dir, "hostler-firewall.service", FirewallUnit()))
}

func TestDropinIsAcceptedBySshd(t *testing.T) {
	sshd, keygen, unshare := tool(t, "sshd"), tool(t, "ssh-keygen"), tool(t, "unshare")
	// sshd needs a directory that exists only while its service runs; it gets one in a separate /run.
	own := func(command string) []string {
		return []string{unshare, "-m", "sh", "-ec", "mount -t tmpfs none /run; mkdir -m 755 /run/sshd; " + command}
	}
	if args := own("true"); exec.Command(args[0], args[1:]...).Run() != nil {
		t.Skip("unshare: not allowed to make a mount namespace")
	}
	dir := t.TempDir()
	run(t, "key", keygen, "-q", "-t", "ed25519", "-N", "", "-f", dir+"/key")
	for name, text := range goldens(t, "ssh") {
		// The rest of the file stands for the distribution or cloud-init; ours must win.
		path := write(t, dir, name, text+"HostKey "+dir+"/key\nPasswordAuthentication yes\nPermitRootLogin yes\nKbdInteractiveAuthentication yes\n")
		run(t, name, own(sshd+" -t -f "+path)...)
		args := own(sshd + " -T -f " + path)
		out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
		for _, want := range []string{"passwordauthentication no", "permitrootlogin without-password", "kbdinteractiveauthentication no"} {
			if err != nil || !strings.Contains(string(out), want+"\n") {
				t.Errorf("%s: %v: no %q in\n%s", name, err, want, out)
			}
		}
	}
}

func TestSudoRuleIsReadBySudo(t *testing.T) {
	visudo := tool(t, "visudo")
	for name, text := range goldens(t, "sudo") {
		run(t, name, visudo, "-c", "-f", write(t, t.TempDir(), name, text))
	}
}

func TestUpgradesAreReadByApt(t *testing.T) {
	apt := tool(t, "apt-config")
	before := "Unattended-Upgrade::Allowed-Origins { \"all\"; };\n"
	cmd := exec.Command(apt, "dump")
	cmd.Env = append(os.Environ(), "APT_CONFIG="+write(t, t.TempDir(), "apt.conf", before+UnattendedUpgrades()))
	out, err := cmd.CombinedOutput()
	for _, want := range []string{
		`APT::Periodic::Unattended-Upgrade "7";`, `Unattended-Upgrade::Package-Blacklist:: "^php[0-9]";`,
		"${distro_codename}-security",
	} {
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: no %q in\n%s", err, want, out)
		}
	}
	if strings.Contains(string(out), `Allowed-Origins:: "all"`) {
		t.Error("origins of other files are left")
	}
}
