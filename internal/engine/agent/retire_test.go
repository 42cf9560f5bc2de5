package agent

import (
	"os"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

func retire(keep bool) wire.Step {
	return wire.Step{Name: "remove account shop", Retire: &wire.Retire{Name: "shop", KeepHome: keep}}
}

func firstOwner() wire.Step {
	return wire.Step{Name: "account", User: &wire.User{Name: "shop", Home: "/home/shop", Shell: "/bin/bash", Own: true, Fresh: true}}
}

// accounts gives the bed useradd and userdel that keep passwd and group as Debian's do.
func (b *bed) accounts() {
	b.t.Helper()
	if os.Getuid() != 0 {
		b.t.Skip("gives files to another account")
	}
	b.debian()
	b.program("useradd", `echo "useradd $*" >>"$root/log"
uid=5001
for p; do test "$last" = --uid && uid=$p; last=$p; done
echo "$last:x:$uid:$uid::/home/$last:/bin/bash" >>"$root/etc/passwd"
echo "$last:x:$uid:" >>"$root/etc/group"
mkdir -p "$root/home/$last"; chown "$uid" "$root/home/$last"`)
	b.program("userdel", `echo "userdel $*" >>"$root/log"
sed -i "/^$2:/d" "$root/etc/passwd" "$root/etc/group"`)
}

// leave is what a tenant can leave on a host for whoever gets its name or its id next.
func (b *bed) leave(uid int) (paths []string) {
	b.t.Helper()
	paths = []string{
		"/var/spool/cron/crontabs/shop", "/var/spool/cron/atjobs/a00001", "/var/spool/postfix/maildrop/1", "/var/lib/systemd/linger/shop", "/var/mail/shop",
		"/home/shop/.ssh/authorized_keys", "/home/shop/.bashrc", "/tmp/shop.sock", "/var/tmp/shop/inside", "/dev/shm/shop", "/run/lock/shop",
		"/var/lib/php/sessions/sess_1", "/var/lib/hostler-redis/shop/dump.rdb", "/var/lib/hostler/accounts/shop/tmp/x", "/etc/tmpfiles.d/hostler-account-shop.conf",
		"/etc/sudoers.d/hostler-shop",
		"/etc/dbus-1/system.d/hostler-account-shop.conf",
	}
	for _, p := range paths {
		b.write(p, "of shop")
		mustDo(b, os.Chown(b.path(p), uid, uid))
	}
	mustDo(b, os.Chown(b.path("/var/tmp/shop"), uid, uid))
	return paths
}

// What the tenant of a deleted site wanted: that its crontab still runs, that its key still logs in, and that the next site of the name is its.
func TestTenantStaysAfterItsLastSite(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.accounts()
	b.mustRun(changeRun("create", firstOwner()))
	left := b.leave(4003)
	b.write("/tmp/of-another", "stays")
	b.write("/var/spool/cron/crontabs/shopper", "stays")
	b.mustRun(changeRun("delete", retire(false)))
	for _, p := range left {
		b.wantNone(p)
	}
	b.wantNone("/home/shop")
	b.wantFile("/tmp/of-another", "stays")
	b.wantFile("/var/spool/cron/crontabs/shopper", "stays")
	if strings.Contains(mustRead(b, "/etc/passwd"), "shop:") {
		t.Error("the account is still there")
	}
	b.mustRun(changeRun("again", retire(false))) // as after a crash
	b.mustRun(changeRun("anew", firstOwner()))
	log := b.log()
	first, second := strings.Index(log, "--uid 4003"), strings.Index(log, "--uid 4004")
	if first < 0 || second < first {
		t.Errorf("the id of the removed account is given out again, or another one:\n%s", log)
	}
}

func TestHomeIsKeptForRootIfAsked(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.accounts()
	b.mustRun(changeRun("create", firstOwner()))
	b.write("/home/shop/work", "of years")
	b.mustRun(changeRun("delete", retire(true)))
	b.wantNone("/home/shop")
	kept, err := os.ReadDir(b.path(wire.KeptHomes))
	if err != nil || len(kept) != 1 || !strings.HasPrefix(kept[0].Name(), "shop-20") {
		t.Fatal(kept, err)
	}
	b.wantFile(wire.KeptHomes+"/"+kept[0].Name()+"/work", "of years")
	if st, err := os.Stat(b.path(wire.KeptHomes)); err != nil || st.Mode().Perm() != 0o700 {
		t.Error(st, err)
	}
}

// A tenant that leads the home, or a directory in it, to files of others has none of them deleted.
func TestTenantHasRootDeleteFilesOfOthers(t *testing.T) {
	t.Parallel()
	for name, trick := range map[string]func(b *bed){
		"a link in the home": func(b *bed) { mustDo(b, os.Symlink(b.path("/srv/others"), b.path("/home/shop/x"))) },
		"the home is a link": func(b *bed) {
			mustDo(b, os.RemoveAll(b.path("/home/shop")))
			mustDo(b, os.Symlink(b.path("/srv/others"), b.path("/home/shop")))
		},
		"a link in /tmp": func(b *bed) {
			b.mkdir("/tmp")
			mustDo(b, os.Symlink(b.path("/srv/others"), b.path("/tmp/x")))
			mustDo(b, os.Lchown(b.path("/tmp/x"), 4003, 4003))
		},
		"a linked cache": func(b *bed) {
			b.mkdir("/var/lib/hostler-redis")
			mustDo(b, os.Symlink(b.path("/srv/others"), b.path("/var/lib/hostler-redis/shop")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.accounts()
			b.mustRun(changeRun("create", firstOwner()))
			b.write("/srv/others/file", "stays")
			trick(b)
			b.mustRun(changeRun("delete", retire(false)))
			b.wantFile("/srv/others/file", "stays")
		})
	}
}

// An account that is not one of ours is never removed.
func TestAccountOfOthersIsNotRemoved(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.accounts()
	before := mustRead(b, "/etc/passwd")
	b.write("/home/web/file", "stays")
	b.mustRun(changeRun("delete", wire.Step{Name: "remove", Retire: &wire.Retire{Name: "web"}}))
	b.wantFile("/home/web/file", "stays")
	if mustRead(b, "/etc/passwd") != before || b.log() != "" {
		t.Error(b.log())
	}
}

// The first site of an account does not take over what an earlier account left, each in a place where it would be used.
func TestSiteTakesOverWhatWasLeft(t *testing.T) {
	t.Parallel()
	for path, content := range map[string]string{
		"/var/spool/cron/crontabs/shop":       "* * * * * sh",
		"/var/lib/systemd/linger/shop":        "on",
		"/var/mail/shop":                      "From: x",
		"/var/lib/hostler-redis/shop/a":       "x",
		"/home/shop/.ssh/authorized_keys":     "ssh-ed25519 INTRUDER",
		"/home/shop/.bashrc":                  "sh",
		"/etc/cron.d/hostler-job-7":           "# comment\n*/5 * * * * shop /bin/sh\n",
		"/etc/systemd/system/old.service":     "[Service]\nUser=shop\nExecStart=/bin/sh\n",
		"/etc/php/8.2/fpm/pool.d/old.conf":    "[old]\nuser = shop\n",
		"/etc/sudoers.d/old":                  "shop ALL=(ALL) NOPASSWD: ALL\n",
		"/etc/sudoers.d/hostler-another":      "another ALL=(root) NOPASSWD: /x\n", // no
		"/etc/cron.d/of-another":              "*/5 * * * * root /usr/bin/shop\n",  // no
		"/etc/systemd/system/another.service": "[Service]\nUser=shopper\n",         // no
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.accounts()
			b.write(path, content)
			res, _ := b.run(changeRun("create", firstOwner()))
			if strings.Contains(path, "another") {
				wantState(t, res, wire.StateSucceeded)
				return
			}
			if res.State != wire.StateFailed || !strings.HasPrefix(res.Reason, "account shop: something of an earlier account with this name is left on the server: ") {
				t.Errorf("%s: %+v", path, res)
			}
			if b.log() != "" {
				t.Error("an account was made: ", b.log())
			}
		})
	}
	b := newBed(t)
	b.accounts()
	b.mustRun(changeRun("old", wire.Step{Name: "account", User: &wire.User{Name: "shop", Home: "/home/shop", Shell: "/bin/bash", Own: true}}))
	b.write("/home/shop/.profile", "sh") // of an account that is still there, from before accounts went with their last sites
	if res, _ := b.run(changeRun("create", firstOwner())); res.State != wire.StateFailed || !strings.Contains(res.Reason, "/home/shop/.profile") {
		t.Errorf("%+v", res)
	}
}
