package agent

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// debian gives the bed programs that emulate Debian's, with files as a database.
func (b *bed) debian() {
	b.program("dpkg-query", `for p; do :; done
shift 3
code=0
for p; do if test -e "$root/pkg/$p"; then printf '%s\tinstalled\t1.0\n' "$p"; else code=1; fi; done
exit $code`)
	b.program("apt-get", `echo "apt-get $*" >>"$root/log"
for p; do last=$p; done
test "$last" = update && exit 0
test -e "$root/usr/sbin/policy-rc.d" && echo "no start" >>"$root/log"
test "$last" = broken && { echo "E: no such package"; exit 100; }
test "$last" = crash && { kill -9 $PPID; sleep 100; }
mkdir -p "$root/pkg"; >"$root/pkg/$last"`)
	b.program("dpkg", `echo "dpkg $*" >>"$root/log"; test -e "$root/usr/sbin/policy-rc.d" && echo "no start" >>"$root/log"; exit 0`)
	b.program("useradd", `echo "useradd $*" >>"$root/log"
for p; do name=$p; done
echo "$name:x:5001:5001::/home/$name:/bin/bash" >>"$root/etc/passwd"
echo "$name:x:5001:" >>"$root/etc/group"
sed -i "s/^www-data:x:33:$/www-data:x:33:$name/" "$root/etc/group"
mkdir -p "$root/home/$name"`)
	b.program("usermod", `echo "usermod $*" >>"$root/log"`)
}

func packages(names ...string) wire.Step {
	return wire.Step{Name: "packages", Packages: &wire.Packages{Names: names, Update: true, NoStart: true}}
}

func TestPackages(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.debian()
	_, events := b.mustRun(changeRun("r1", packages("nginx")))
	log := b.log()
	if states(events) != "changed" || !strings.HasPrefix(log, "apt-get -q -o Acquire::Retries=6 update\napt-get -q -y ") ||
		!strings.HasSuffix(log, " install -- nginx\nno start") {
		t.Fatal(log)
	}
	b.wantNone(policyPath)
	_, events = b.mustRun(changeRun("r2", packages("nginx")))
	if states(events) != "unchanged" || b.log() != log {
		t.Fatal(states(events), b.log())
	}
	// Another program's policy is restored afterwards, even after a failure.
	b.write(policyPath, "#!/bin/sh\nexit 0\n")
	res, _ := b.run(changeRun("r3", file("/etc/a", "x"), packages("broken")))
	if res.State != wire.StateFailed || !res.Restored || res.ExitCode != 100 || res.Output != "E: no such package\n" {
		t.Fatalf("%+v", res)
	}
	if !strings.HasSuffix(b.log(), "broken\nno start\ndpkg --configure -a\nno start") {
		t.Fatal(b.log())
	}
	b.wantFile(policyPath, "#!/bin/sh\nexit 0\n")
	b.wantNone("/etc/a")
	for _, name := range []string{"-o", "nginx-", "Nginx", "a b", "../x", "", "x=1", "x/sid"} {
		_, err := b.ask(b.a, wire.OpRunStart, changeRun("bad", packages(name)), nil)
		wantCode(t, err, wire.ErrBadRequest)
	}
}

func TestPackagesKilledInTheMiddle(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.debian()
	run := changeRun("r1", packages("crash"))
	if _, alive := b.process(1000, &run); alive {
		t.Fatal("the agent survived")
	}
	if _, err := os.Stat(b.path(policyPath)); err != nil {
		t.Fatal("the policy is not there:", err)
	}
	early, err := New(Config{Root: b.root, Path: b.bin + ":" + program.SearchPath, Early: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := early.Recover(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.log(), "configure") {
		t.Fatal("packages were configured before services can start")
	}
	if err := early.Close(); err != nil {
		t.Fatal(err)
	}
	wantState(t, b.attach(b.a, "r1", 0, nil), wire.StateLost)
	if !strings.HasSuffix(b.log(), "dpkg --configure -a\nno start") {
		t.Fatal(b.log())
	}
	b.wantNone(policyPath)
}

func TestUser(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("gives a home to another account")
	}
	b := newBed(t)
	b.debian()
	u := wire.User{Name: "shop", Home: "/home/shop", Shell: "/bin/bash", Groups: []string{"www-data"}}
	step := wire.Step{Name: "user", User: &u}
	_, events := b.mustRun(changeRun("r1", step))
	if got := b.log(); states(events) != "changed" ||
		got != "useradd --groups www-data --home-dir /home/shop --shell /bin/bash --user-group --create-home -- shop" {
		t.Fatal(got)
	}
	_, events = b.mustRun(changeRun("r2", step))
	if states(events) != "unchanged" {
		t.Fatal(states(events), b.log())
	}
	u.Groups, u.Shell = append(u.Groups, "extra"), "/bin/sh"
	b.mustRun(changeRun("r3", step))
	if got := b.log(); !strings.HasSuffix(got, "\nusermod --append --groups extra --shell /bin/sh -- shop") {
		t.Fatal(got)
	}
	// An account that was put into a group with access to others' files is removed from it, and one whose primary group that is, is refused.
	b.program("gpasswd", `echo "gpasswd $*" >>"$root/log"; sed -i "s/^www-data:.*/www-data:x:33:/" "$root/etc/group"`)
	leave := wire.Step{Name: "leave", User: &wire.User{Name: "shop", Without: []string{"www-data"}}}
	b.write("/etc/group", "root:x:0:\nwww-data:x:33:shop\n")
	if drift := b.drift(leave); len(drift) != 1 || drift[0].What != "user" {
		t.Fatal(drift)
	}
	b.mustRun(changeRun("r4", leave))
	if got := b.log(); !strings.HasSuffix(got, "\ngpasswd --delete shop www-data") {
		t.Fatal(got)
	}
	if drift := b.drift(leave); len(drift) != 0 {
		t.Fatal(drift)
	}
	b.write("/etc/passwd", "root:x:0:0::/root:/bin/sh\nshop:x:4000:33::/home/shop:/bin/sh\n")
	if res, _ := b.ask(b.a, wire.OpRunStart, changeRun("r5", leave), nil); res.(wire.Result).State != wire.StateFailed ||
		!strings.Contains(res.(wire.Result).Reason, "its primary group is www-data") {
		t.Fatal(res)
	}
	for i, name := range []string{"root", "-u", "a:b", "a\nb", "a/b", ""} {
		u := wire.User{Name: name, Home: "/home/x", Shell: "/bin/sh"}
		res, err := b.ask(b.a, wire.OpRunStart, changeRun(fmt.Sprintf("bad-%d", i), wire.Step{Name: "u", User: &u}), nil)
		if err == nil && res.(wire.Result).State != wire.StateFailed {
			t.Fatalf("account %q was taken: %+v", name, res)
		}
	}
}

func TestDrift(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.before()
	b.debian()
	b.program("systemctl", "exit 3")
	b.write("/etc/secret", "old")
	before := b.tree()
	var got []string
	steps := append(everything(b), packages("nginx"), wire.Step{Name: "unit", Probe: &wire.Probe{Unit: "nginx"}},
		wire.Step{Name: "secret", File: &wire.File{Path: "/etc/secret", Content: []byte("hush"), Secret: true}},
		wire.Step{Name: "user", User: &wire.User{Name: "shop", Home: "/home/shop"}})
	for _, d := range b.drift(steps...) {
		got = append(got, d.Path+" "+d.What)
		if d.Path == "/etc/there" && d.What == "content" && !strings.HasPrefix(d.Diff,
			"--- /etc/there (host)\n+++ /etc/there (planned)\n@@ -1 +1 @@\n-old\n\\ No newline at end of file\n+new") {
			t.Errorf("%q", d.Diff)
		}
		if d.Step == "secret" && d.Diff != "" {
			t.Error("a secret is in a diff")
		}
	}
	b.wantTree(before)
	want := "/etc/there content,/etc/there mode,/etc/fresh missing,/etc/large content,/etc/large mode,/etc/linked content,/etc/gone present," +
		"/etc/made missing,/etc/made/inside missing,/etc/olddir mode,/etc/emptydir present,/etc/link target,/etc/oldlink present,/etc/newlink missing," +
		"/etc/there content,nginx package,/etc/secret content,shop user,nginx inactive"
	if have := strings.Join(got, ","); have != want {
		t.Fatalf("differences:\n%s\nwant:\n%s", have, want)
	}
	b.mustRun(changeRun("r1", everything(b)...))
	steps = everything(b)
	if left := b.drift(steps[1:]...); len(left) != 0 {
		t.Fatal(left)
	}
}

// drift returns how the host differs from steps.
func (b *bed) drift(steps ...wire.Step) []wire.Difference {
	b.t.Helper()
	res, err := b.ask(b.a, wire.OpDrift, wire.Change{Steps: steps}, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return res.(wire.Drift).Differences
}

func TestFacts(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("/etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nID=debian\nVERSION_ID=\"12\"\n")
	b.write("/etc/timezone", "Europe/Berlin\n")
	b.write("/proc/meminfo", "MemTotal:        1024000 kB\n")
	b.write("/etc/ufw/ufw.conf", "ENABLED=yes\n")
	b.program("apt-get", "exit 0") // what this machine's says takes as long as it has packages
	b.program("dpkg-query", `printf 'nginx\tinstalled\t1.22\nphp8.2-fpm\tconfig-files\t8.2\n'; exit 1`)
	b.program("apt-cache", `case $1 in pkgnames) printf 'php8.2-fpm\nphp-foo-cli\n';; policy) shift 2; for p; do printf '%s:\n  Installed: (none)\n `+
		` Candidate: 2-%s\n' "$p" "$p"; done;; esac`)
	res, err := b.ask(b.a, wire.OpFacts, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := res.(wire.Facts)
	if f.OS != "debian" || f.OSVersion != "12" || f.Timezone != "Europe/Berlin" || len(f.Packages) != 1 || f.Packages["nginx"] != "1.22" ||
		f.Available["php8.2-fpm"] != "2-php8.2-fpm" || f.Available["php-foo-cli"] != "" || f.CPUs < 1 || f.MemoryBytes == 0 || f.DiskBytes == 0 ||
		len(f.Firewalls) != 1 || f.Firewalls[0] != "ufw" {
		t.Fatalf("%+v", f)
	}
}

// An engine that was not restarted since its settings were written runs without them, including those that isolate tenants.
func TestStaleServices(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		systemctl string
		want      string
	}{
		"started before": {"echo @1000", "mariadb.service"},
		"started since":  {"date +@%s -d tomorrow", ""},
		"stopped":        {"echo", ""},
		"unknown":        {"exit 1", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.write("/etc/mysql/mariadb.conf.d/90-hostler.cnf", "loose-skip-symbolic-links\n")
			b.program("systemctl", c.systemctl)
			if got := strings.Join(b.a.staleServices(t.Context()), " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Whether people can log in with a password is asked of sshd, for root and for others.
func TestPasswordLogins(t *testing.T) {
	t.Parallel()
	const no = "passwordauthentication no\nkbdinteractiveauthentication no\npermitrootlogin without-password\n"
	for name, c := range map[string]struct {
		others, root string
		fails        bool
		want         bool
	}{
		"keys only":            {others: no, root: no},
		"passwords":            {others: strings.Replace(no, "passwordauthentication no", "passwordauthentication yes", 1), root: no, want: true},
		"through PAM":          {others: strings.Replace(no, "kbdinteractiveauthentication no", "kbdinteractiveauthentication yes", 1), root: no, want: true},
		"root only":            {others: no, root: "passwordauthentication yes\npermitrootlogin yes\n", want: true},
		"names with capitals":  {others: "PasswordAuthentication yes\n", root: no, want: true},
		"not for root":         {others: no, root: "passwordauthentication yes\npermitrootlogin without-password\n"},
		"sshd does not answer": {others: "passwordauthentication yes\n", fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			code := "0"
			if c.fails {
				code = "255"
			}
			b.program("sshd", "case $3 in user=root,*) printf '"+c.root+"';; *) printf '"+c.others+"';; esac; exit "+code)
			if got := b.a.passwords(t.Context()); got != c.want {
				t.Errorf("passwords are accepted: %v, want %v", got, c.want)
			}
		})
	}
}

func TestRebootNeeded(t *testing.T) {
	t.Parallel()
	const running = "6.1.0-28-cloud-amd64"
	for name, c := range map[string]struct {
		files []string
		want  bool
	}{
		"nothing is installed":             {nil, false},
		"the newest one runs":              {[]string{"/boot/vmlinuz-6.1.0-28-cloud-amd64", "/boot/vmlinuz-6.1.0-9-cloud-amd64"}, false},
		"a newer one is installed":         {[]string{"/boot/vmlinuz-6.1.0-28-cloud-amd64", "/boot/vmlinuz-6.1.0-31-cloud-amd64"}, true},
		"a backport of it is installed":    {[]string{"/boot/vmlinuz-6.1.0-28-cloud-amd64", "/boot/vmlinuz-6.12.9+bpo-cloud-amd64"}, true},
		"another flavour is newer":         {[]string{"/boot/vmlinuz-6.1.0-28-cloud-amd64", "/boot/vmlinuz-6.1.0-31-amd64"}, false},
		"the running one is not installed": {[]string{"/boot/vmlinuz-6.12.48+deb13-cloud-amd64"}, false},
		"a package asks for it":            {[]string{"/run/reboot-required"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			for _, file := range c.files {
				b.write(file, "")
			}
			if got := b.a.rebootNeeded(running); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
