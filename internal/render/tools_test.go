package render

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tool finds a program of the host; tests that ask it are skipped by its name where it is missing.
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

// run fails the test when the program fails, or when it warns.
func run(t *testing.T, about string, args ...string) {
	t.Helper()
	out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
	if err != nil || strings.Contains(string(out), "warn") {
		t.Errorf("%s: %v: %v\n%s", about, args, err, out)
	}
}

// apart is the start of a command line that has a network of its own.
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
		// Twice in one namespace: the file replaces what it made before.
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
