package inspect_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/inspect"
)

// run runs look with programs in the place of those that it asks, and returns its findings.
func run(t *testing.T, fakes map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range fakes {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script := strings.Replace(inspect.Functions(), "PATH=", "PATH="+dir+":", 1) +
		"\nset -eu\nfound=$(look 192.0.2.1 '" + inspect.Ports("nginx") + "')\necho \"$found\"\n"
	cmd := exec.Command("sh", "-c", script)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("it ends with %v:\n%s", err, out)
	}
	return string(out)
}

// sshd says that root may log in, and then what a test adds: of several lines the last counts as a list goes on.
const sshd = "port 22\nusepam yes\npubkeyauthentication yes\nstrictmodes no\n"

// What sshd says of a login of root decides, and each refusal says what to do.
func TestLoginOfRoot(t *testing.T) {
	t.Parallel()
	usual := "permitrootlogin without-password\nauthorizedkeysfile .ssh/authorized_keys .ssh/authorized_keys2\n"
	for name, c := range map[string]struct{ says, want string }{
		"may":                     {usual, ""},
		"no root":                 {"permitrootlogin no\nauthorizedkeysfile .ssh/authorized_keys\n", "refused PermitRootLogin|"},
		"others only":             {usual + "allowusers debian\nallowusers deploy\n", "refused AllowUsers|"},
		"among others":            {usual + "allowusers debian\nallowusers ro*\n", ""},
		"from somewhere":          {usual + "allowusers root@192.0.2.*\n", ""},
		"denied":                  {usual + "denyusers r??t\n", "refused DenyUsers|"},
		"groups":                  {usual + "allowgroups sudo wheel\n", "refused AllowGroups|"},
		"its group":               {usual + "allowgroups sudo root\n", ""},
		"keys elsewhere":          {"permitrootlogin yes\nauthorizedkeysfile /etc/ssh/keys/%u\n", "refused AuthorizedKeysFile|"},
		"keys in both":            {"permitrootlogin yes\nauthorizedkeysfile /etc/ssh/keys/%u %h/.ssh/authorized_keys\n", ""},
		"a command":               {usual + "forcecommand internal-sftp\n", "refused ForceCommand|"},
		"two factors":             {usual + "authenticationmethods publickey,password\n", "refused AuthenticationMethods|"},
		"a pattern of file names": {usual + "allowusers *\n", ""},
	} {
		t.Run(name, func(t *testing.T) { finds(t, sshd+c.says, c.want) })
		t.Run(name+", of a newer sshd", func(t *testing.T) { finds(t, capitals.ReplaceAllStringFunc(sshd+c.says, strings.ToUpper), c.want) })
	}
}

// capitals are the letters that a newer sshd prints in upper case; which ones does not matter.
var capitals = regexp.MustCompile(`(?m)^[a-z]+ `)

// finds fails the test unless this is refused of what sshd says.
func finds(t *testing.T, says, want string) {
	t.Helper()
	t.Parallel()
	var of []string
	for line := range strings.Lines(run(t, map[string]string{"sshd": "cat <<'X'\n" + says + "X"})) {
		what, _, _ := strings.Cut(line, "|")
		for _, about := range []string{"PermitRootLogin", "AllowUsers", "DenyUsers", "AllowGroups", "AuthorizedKeysFile", "ForceCommand", "AuthenticationMethods"} {
			if what == "refused "+about {
				of = append(of, what+"|")
			}
		}
	}
	if got := strings.Join(of, " "); got != want {
		t.Errorf("it finds %q, want %q", got, want)
	}
}

// A port counts as taken by a program that Hostler does not run there, once for each, and not by its own.
func TestPorts(t *testing.T) {
	t.Parallel()
	listen := func(by string) string {
		return `echo 'LISTEN 0 511 *:80 *:* users:(("` + by + `",pid=9,fd=6),("` + by + `",pid=8,fd=6))'`
	}
	if got := run(t, map[string]string{"ss": listen("nginx")}); strings.Contains(got, "refused port") {
		t.Errorf("its own nginx is refused:\n%s", got)
	}
	got := run(t, map[string]string{"ss": listen("apache2")})
	if n := strings.Count(got, "refused port 80|port 80 is taken by apache2"); n != 1 {
		t.Errorf("Apache is named %d times:\n%s", n, got)
	}
}

// A server is refused while packages are installed by half, and they are named.
func TestPackages(t *testing.T) {
	t.Parallel()
	half := map[string]string{"dpkg-query": "echo 'ok half-configured half'; echo 'ok installed whole'", "stat": "exit 1"}
	if got := run(t, half); !strings.Contains(got, "refused packages|packages are installed by half: half ") {
		t.Errorf("it finds\n%s", got)
	}
}

// The script for people says what it found and what would happen, and reads the same as the functions.
func TestScript(t *testing.T) {
	t.Parallel()
	script := inspect.Script("nginx")
	if !strings.HasPrefix(script, inspect.Functions()) || !strings.Contains(script, "80:nginx") {
		t.Error("the script has not what the setup command runs")
	}
	if out, err := exec.Command("sh", "-n", "-c", script).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
