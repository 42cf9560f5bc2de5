package agent

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// What a site's user can put where root works: links, pipes, endless files, pre-existing accounts.

func keyLines(yield bool) wire.Step {
	return wire.Step{
		Name:  "new key",
		Lines: &wire.Lines{Path: "/home/me/.ssh/authorized_keys", Owner: "me", Add: []string{"ssh-ed25519 NEW hostler-server-7"}, Yield: yield},
	}
}

func TestTenantLinksHisKeysToAFileOfRoots(t *testing.T) {
	t.Parallel()
	for name, trick := range map[string]func(b *bed){
		"the file is a link": func(b *bed) {
			b.mkdir("/home/me/.ssh")
			mustDo(b, os.Symlink(b.path("/etc/shadow"), b.path("/home/me/.ssh/authorized_keys")))
		},
		"the directory is a link": func(b *bed) {
			b.write("/etc/authorized_keys", "root's")
			mustDo(b, os.Chown(b.path("/home/me"), 4001, 4001))
			mustDo(b, os.Symlink(b.path("/etc"), b.path("/home/me/.ssh")))
			mustDo(b, os.Lchown(b.path("/home/me/.ssh"), 4001, 4001))
		},
		"the file has a second name": func(b *bed) {
			b.mkdir("/home/me/.ssh")
			mustDo(b, os.Link(b.path("/etc/shadow"), b.path("/home/me/.ssh/authorized_keys")))
		},
		"the file is a pipe": func(b *bed) {
			b.mkdir("/home/me/.ssh")
			mustDo(b, unix.Mkfifo(b.path("/home/me/.ssh/authorized_keys"), 0o600))
		},
		"the file has no end": func(b *bed) {
			b.write("/home/me/.ssh/authorized_keys", "")
			mustDo(b, os.Truncate(b.path("/home/me/.ssh/authorized_keys"), 1<<42))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if os.Getuid() != 0 {
				t.Skip("gives files to another account")
			}
			b := newBed(t)
			b.write("/etc/shadow", "root:secret\n")
			trick(b)
			res, _ := b.run(changeRun("r1", keyLines(false)))
			wantState(t, res, wire.StateFailed)
			b.mustRun(changeRun("r2", keyLines(true)))
			b.wantFile("/etc/shadow", "root:secret\n")
			b.wantNone("/etc/.hostler")
			if name == "the directory is a link" {
				b.wantFile("/etc/authorized_keys", "root's")
			}
		})
	}
}

func mustDo(b *bed, err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func TestLinesOfAFileOfOthers(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const p = "/home/me/.ssh/authorized_keys"
	b.write(p, "ssh-ed25519 MINE me@laptop\nssh-ed25519 OLD hostler-server-7\nssh-ed25519 OTHER hostler-server-17")
	b.mustRun(changeRun("r1", keyLines(false)))
	b.wantFile(p, "ssh-ed25519 MINE me@laptop\nssh-ed25519 OLD hostler-server-7\nssh-ed25519 OTHER hostler-server-17\nssh-ed25519 NEW hostler-server-7\n")
	_, events := b.mustRun(changeRun("r2", keyLines(false)))
	if states(events) != "unchanged" {
		t.Fatal(states(events))
	}
	drop := wire.Step{Name: "old keys", Lines: &wire.Lines{Path: p, Owner: "me", Drop: " hostler-server-7", Keep: []string{"NEW"}}}
	res, _ := b.run(changeRun("r3", drop, validate("exit 1")))
	if !res.Restored || !strings.Contains(mustRead(b, p), "OLD") {
		t.Fatal("not put back", res, mustRead(b, p))
	}
	b.mustRun(changeRun("r4", drop))
	b.wantFile(p, "ssh-ed25519 MINE me@laptop\nssh-ed25519 OTHER hostler-server-17\nssh-ed25519 NEW hostler-server-7\n")
}

func TestLinesWithAKeyGo(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const p = "/home/me/.ssh/authorized_keys"
	b.write(p, "ssh-ed25519 MINE me@laptop\nssh-ed25519 GONE hostler-key-4\nfrom=\"10.0.0.1\" ssh-ed25519 GONE by hand\n")
	step := wire.Step{Name: "keys", Lines: &wire.Lines{Path: p, Owner: "me", Without: []string{"GONE"}}}
	drift, err := b.a.Drift(t.Context(), wire.Change{Steps: []wire.Step{step}})
	if err != nil || len(drift.Differences) != 1 {
		t.Fatal("drift does not see the lines", drift, err)
	}
	b.mustRun(changeRun("r1", step))
	b.wantFile(p, "ssh-ed25519 MINE me@laptop\n")
	if drift, err = b.a.Drift(t.Context(), wire.Change{Steps: []wire.Step{step}}); err != nil || len(drift.Differences) != 0 {
		t.Fatal(drift, err)
	}
	if err := os.Remove(b.path(p)); err != nil {
		t.Fatal(err)
	}
	b.mustRun(changeRun("r2", step))
}

// A key that is restricted is in no other line, and its own stays where it is.
func TestLinesOfARestrictedKey(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const p = "/home/me/.ssh/authorized_keys"
	const ours = "restrict ssh-ed25519 BACKUP hostler-key-4"
	b.write(p, "ssh-ed25519 BACKUP by hand\nssh-ed25519 MINE me@laptop\n")
	step := wire.Step{Name: "keys", Lines: &wire.Lines{Path: p, Owner: "me", Add: []string{ours}, Without: []string{"BACKUP"}}}
	b.mustRun(changeRun("r1", step))
	b.wantFile(p, "ssh-ed25519 MINE me@laptop\n"+ours+"\n")
	b.write(p, ours+"\nssh-ed25519 MINE me@laptop\n")
	if drift, err := b.a.Drift(t.Context(), wire.Change{Steps: []wire.Step{step}}); err != nil || len(drift.Differences) != 0 {
		t.Error("its own line is reported", drift, err)
	}
	b.mustRun(changeRun("r2", step))
	b.wantFile(p, ours+"\nssh-ed25519 MINE me@laptop\n")
	b.write(p, ours+"\nssh-ed25519 BACKUP by hand\n")
	if drift, err := b.a.Drift(t.Context(), wire.Change{Steps: []wire.Step{step}}); err != nil || len(drift.Differences) != 1 {
		t.Error("a line without the restriction is not reported", drift, err)
	}
}

func mustRead(b *bed, p string) string {
	raw, err := os.ReadFile(b.path(p))
	if err != nil {
		b.t.Fatal(err)
	}
	return string(raw)
}

// A file of four exabytes costs its owner nothing. Reading it would take root years.
func TestTenantMakesAConfigurationEndless(t *testing.T) {
	t.Parallel()
	for name, trick := range map[string]func(b *bed){
		"sparse": func(b *bed) {
			b.write("/home/me/auth.json", "")
			mustDo(b, os.Truncate(b.path("/home/me/auth.json"), 1<<42))
		},
		"pipe": func(b *bed) { mustDo(b, unix.Mkfifo(b.path("/home/me/auth.json"), 0o600)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			trick(b)
			for id, keep := range map[string]bool{"keep": true, "over": false} {
				step := wire.Step{Name: "credentials", File: &wire.File{Path: "/home/me/auth.json", Content: []byte("{}"), Keep: keep}}
				began := time.Now()
				res, _ := b.run(changeRun(id, step))
				if res.State != wire.StateFailed || time.Since(began) > 20*time.Second {
					t.Errorf("%s: %+v after %s", id, res, time.Since(began))
				}
				if found := b.drift(step); len(found) == 0 || found[0].What != "content" {
					t.Errorf("%s: drift %+v", id, found)
				}
			}
		})
	}
}

func TestForeignAccountBecomesASites(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("gives a home to another account")
	}
	b := newBed(t)
	b.debian()
	b.write("/etc/passwd", mustRead(b, "/etc/passwd")+"debian:x:5000:5000::/home/debian:/bin/bash\n")
	b.write("/etc/group", mustRead(b, "/etc/group")+"debian:x:5000:\ndocker:x:990:\n")
	own := func(name string) wire.Step {
		return wire.Step{Name: "account", User: &wire.User{Name: name, Home: "/home/" + name, Shell: "/bin/bash", Own: true}}
	}
	for name, want := range map[string]string{
		"debian": "account debian: existed on this server before and is not Hostler's; choose another name",
		"web":    "account web: existed on this server before and is not Hostler's; choose another name",
		"docker": "account docker: has the name of a group that existed on this server before; choose another name",
	} {
		res, _ := b.run(changeRun("foreign-"+name, own(name)))
		if res.State != wire.StateFailed || res.Reason != want {
			t.Errorf("%s: %+v", name, res)
		}
	}
	if b.log() != "" {
		t.Fatal("accounts were changed: ", b.log())
	}
	// An account that the agent creates is Hostler's from then on, even if the Change that created it failed.
	res, _ := b.run(changeRun("shop-1", own("shop"), validate("exit 1")))
	wantState(t, res, wire.StateFailed)
	b.mustRun(changeRun("shop-2", own("shop")))
	if found := b.drift(own("debian"), own("shop")); len(found) != 1 || found[0].Path != "debian" {
		t.Errorf("drift: %+v", found)
	}
}

// A file system that an account serves itself may never answer.
func TestTenantsFileSystemNeverAnswers(t *testing.T) {
	t.Parallel()
	never := make(chan struct{})
	defer close(never)
	if _, err := object.InTime(time.Millisecond, func() (bool, error) { <-never; return true, nil }); !errors.Is(err, object.ErrSlow) {
		t.Error(err)
	}
	if got, err := object.InTime(time.Minute, func() (string, error) { return "read", nil }); got != "read" || err != nil {
		t.Error(got, err)
	}
}

// A link in a home yields to whatever the account has there, and root follows no link of the account: the Change succeeds without it.
func TestLinksInHomesYield(t *testing.T) {
	t.Parallel()
	const target, at = "/var/log/hostler-processes/7/output.log", "/home/me/.forge/daemon-7.log"
	for name, c := range map[string]struct {
		trick func(b *bed)
		want  string
	}{
		"nothing is there": {func(*bed) {}, target},
		"the link is there": {func(b *bed) {
			b.mkdir("/home/me/.forge")
			mustDo(b, os.Symlink(target, b.path(at)))
		}, target},
		"the directory is a link": {func(b *bed) { mustDo(b, os.Symlink(b.path("/etc"), b.path("/home/me/.forge"))) }, ""},
		"the directory is a file": {func(b *bed) { b.write("/home/me/.forge", "mine") }, ""},
		"the file is there":       {func(b *bed) { b.write(at, "mine") }, ""},
		"another link is there": {func(b *bed) {
			b.mkdir("/home/me/.forge")
			mustDo(b, os.Symlink("/dev/null", b.path(at)))
		}, "/dev/null"},
		"there is no home": {func(b *bed) { mustDo(b, os.Remove(b.path("/home/me"))) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if os.Getuid() != 0 {
				t.Skip("gives files to another account")
			}
			b := newBed(t)
			b.mkdir("/home/me")
			b.write("/etc/shadow", "root:secret\n")
			c.trick(b)
			before := b.outside()
			steps := func(absent bool) []wire.Step {
				out := []wire.Step{{Name: "link", Link: &wire.Link{Path: at, Target: target, Owner: "me", Group: "me", Yield: true, Absent: absent}}}
				if !absent {
					out = append([]wire.Step{{Name: "dir", Dir: &wire.Dir{Path: "/home/me/.forge", Mode: 0o755, Owner: "me", Group: "me", Yield: true}}}, out...)
				}
				return out
			}
			if res, _ := b.run(changeRun("r1", steps(false)...)); res.State != wire.StateSucceeded {
				t.Fatalf("%s: %s", res.State, res.Reason)
			}
			if got, _ := os.Readlink(b.path(at)); got != c.want {
				t.Errorf("the link is to %q, not %q", got, c.want)
			}
			if got := differences(t, b, steps(false)); got != "" {
				t.Errorf("drift: %s", got)
			}
			if res, _ := b.run(changeRun("r2", steps(true)...)); res.State != wire.StateSucceeded {
				t.Fatalf("%s: %s", res.State, res.Reason)
			}
			if got, _ := os.Readlink(b.path(at)); got != strings.TrimPrefix(c.want, target) {
				t.Errorf("after its removal the link is to %q", got)
			}
			if c.want != target && !slices.Equal(before, b.outside()) {
				t.Errorf("changed:\n%s\nbefore:\n%s", strings.Join(b.outside(), "\n"), strings.Join(before, "\n"))
			}
		})
	}
}
