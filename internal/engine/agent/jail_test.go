package agent

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// A login has the ids of its account, its own root as home and no password; it is changed as little as possible, and removed without its account.
func TestLogin(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("/etc/shadow", "")
	b.program("useradd", `echo "useradd $*" >>"$root/log"; echo "designer:x:4001:4001::/var/lib/hostler-sftp/designer:/usr/sbin/nologin" >>"$root/etc/passwd"
echo "designer:*:20000:0:99999:7:::" >>"$root/etc/shadow"`)
	b.program("usermod", `echo "usermod $*" >>"$root/log"; echo "designer:*:20000:0:99999:7::22281:" >"$root/etc/shadow"`)
	b.program("userdel", `echo "userdel $*" >>"$root/log"; sed -i /^designer:/d "$root/etc/passwd" "$root/etc/shadow"`)
	step := func(l wire.Login) wire.Step { return wire.Step{Name: "login", Login: &l} }
	n := 0
	want := func(l wire.Login, lines ...string) {
		t.Helper()
		n++
		drift := b.drift(step(l))
		_ = os.Remove(b.path("/log"))
		_, events := b.mustRun(changeRun(fmt.Sprintf("r%d", n), step(l)))
		got := ""
		if len(lines) > 0 {
			got = b.log()
		}
		if got != strings.Join(lines, "\n") || (states(events) == "changed") != (len(lines) > 0) || (len(drift) == 1) != (len(lines) > 0) {
			t.Errorf("%+v: %s, drift %v: %s", l, states(events), drift, got)
		}
	}
	const add = "useradd --system --non-unique --uid 4001 --gid 4001 --home-dir /var/lib/hostler-sftp/designer --no-create-home --no-log-init " +
		"--shell /usr/sbin/nologin --password * --comment SFTP user of web -- designer"
	plain := wire.Login{Name: "designer", Account: "web"}
	want(plain, add)
	want(plain)
	ends := plain
	ends.Until = "2031-01-01"
	want(ends, "usermod --expiredate 2031-01-02 -- designer")
	want(ends)
	// The account was made once more, with other ids.
	b.write("/etc/passwd", "web:x:4009:4009::/home/web:/bin/sh\ndesigner:x:4001:4001::/var/lib/hostler-sftp/designer:/usr/sbin/nologin\n")
	want(plain, "userdel --force -- designer", strings.ReplaceAll(add, "4001", "4009"))
	want(wire.Login{Name: "designer", Absent: true}, "userdel --force -- designer")
	want(wire.Login{Name: "designer", Absent: true})
	// An account of others is not removed.
	b.write("/etc/passwd", "web:x:4001:4001::/home/web:/bin/sh\ndesigner:x:4007:4007::/home/designer:/bin/sh\n")
	want(wire.Login{Name: "designer", Absent: true})
}

// What is no login, and what a login must not be.
func TestLoginRefused(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("/etc/passwd", "root:x:0:0::/root:/bin/sh\nweb:x:4001:4001::/home/web:/bin/sh\n"+
		"staffed:x:4002:50::/home/staffed:/bin/sh\nshop:x:4003:4003::/home/shop:/bin/sh\n")
	for i, c := range []struct {
		login wire.Login
		why   string
	}{
		{wire.Login{Name: "shop", Account: "web"}, "is not Hostler's"},
		{wire.Login{Name: "www-data", Account: "web"}, "has the name of a group"},
		{wire.Login{Name: "designer", Account: "root"}, "is one of the system"},
		{wire.Login{Name: "designer", Account: "staffed"}, "is one of the system"},
		{wire.Login{Name: "designer", Account: "gone"}, "there is no account gone"},
		{wire.Login{Name: "designer", Account: "designer"}, "is not the name of an account"},
		{wire.Login{Name: "-x", Account: "web"}, "is not the name of a login"},
		{wire.Login{Name: "designer", Account: "web", Until: "1"}, "is not a day"},
	} {
		res, err := b.ask(b.a, wire.OpRunStart, changeRun(fmt.Sprintf("r%d", i), wire.Step{Name: "login", Login: &c.login}), nil)
		if said := fmt.Sprint(err, res); !strings.Contains(said, c.why) {
			t.Errorf("%+v: %s", c.login, said)
		}
	}
	for _, j := range []wire.Jail{
		{Login: "../x", Account: "web", Directory: "/home/web/a"},
		{Login: "designer", Account: "web", Directory: "/home/web"},
		{Login: "designer", Account: "web", Directory: "/home/web/a/b"},
		{Login: "designer", Account: "web", Directory: "/home/web/../root"},
		{Login: "designer", Account: "web", Directory: "/home/shop/a"},
	} {
		if checkJail(&j) == nil {
			t.Errorf("%+v is taken", j)
		}
	}
	for _, args := range [][]string{nil, {"open"}, {"open", "designer", "web", "/etc"}, {"close", "../x"}, {"close"}, {"remove", "designer"}} {
		if Login(b.root, args) == nil {
			t.Errorf("%q is taken", args)
		}
	}
}

// Mounts are found below the root of a login alone, also with signs that the kernel escapes.
func TestMountsIn(t *testing.T) {
	t.Parallel()
	const raw = `30 1 0:26 / / rw - ext4 /dev/vda rw
31 30 0:26 /home/a/b /var/lib/hostler-sftp/designer/home/a/b rw,nosuid shared:1 - ext4 /dev/vda rw
32 30 0:26 /home/a/b /var/lib/hostler-sftp/designer2/home/a/b rw - ext4 /dev/vda rw
33 31 0:26 /x /var/lib/hostler-sftp/designer/home/a/b/with\040space rw - ext4 /dev/vda rw
34 30 0:26 / /var/lib/hostler-sftp/designer rw - ext4 /dev/vda rw
broken
`
	want := []string{"/var/lib/hostler-sftp/designer/home/a/b", "/var/lib/hostler-sftp/designer/home/a/b/with space"}
	if diff := cmp.Diff(want, mountsIn([]byte(raw), wire.LoginRoot("designer"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A login is let in only if sshd confines it: settings of others come first, or sshd reads none of Hostler's.
func TestSettingsInForce(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	j := wire.Jail{
		Login: "designer", Account: "web", Directory: "/home/web/site",
		Settings: []string{"chrootdirectory /var/lib/hostler-sftp/designer", "permittty no", "subsystem sftp "},
	}
	for name, c := range map[string]struct{ says, diff string }{
		"as planned":          {"permittty no\nchrootdirectory /var/lib/hostler-sftp/designer\nsubsystem other /x\nsubsystem sftp internal-sftp", ""},
		"names with capitals": {"PermitTTY no\nChrootDirectory /var/lib/hostler-sftp/designer\nSubsystem sftp internal-sftp", ""},
		"overridden": {"permittty no\nchrootdirectory /srv\nsubsystem sftp /usr/lib/openssh/sftp-server",
			"-chrootdirectory /srv\n+chrootdirectory /var/lib/hostler-sftp/designer\n"},
		"no subsystem": {"permittty no\nchrootdirectory /var/lib/hostler-sftp/designer", "+subsystem sftp \n"},
	} {
		b.program("sshd", "echo \"$*\" >>\"$root/log\"\ncat <<'END'\n"+c.says+"\nEND")
		diff, err := b.a.settingsOf(t.Context(), &j)
		if err != nil || diff != c.diff {
			t.Errorf("%s: %q, %v", name, diff, err)
		}
		res, _ := b.ask(b.a, wire.OpRunStart, changeRun("jail-"+strings.ReplaceAll(name, " ", "-"), wire.Step{Name: "jail", Jail: &j}), nil)
		r, _ := res.(wire.Result)
		if (r.State == wire.StateSucceeded) != (c.diff == "") || c.diff != "" && !strings.Contains(r.Reason, "sshd would not confine designer") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if log := b.log(); !strings.HasPrefix(log, "-T -C user=designer,host=client.invalid,addr=192.0.2.1,laddr=192.0.2.2,lport=22") {
		t.Errorf("sshd is asked with %s", log)
	}
}
