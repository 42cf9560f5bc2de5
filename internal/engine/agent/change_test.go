package agent

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

func file(p, content string) wire.Step {
	return wire.Step{Name: "file " + p, File: &wire.File{Path: p, Content: []byte(content), Mode: 0o640}}
}

func sh(name, text string) wire.Step {
	return wire.Step{Name: name, Exec: &wire.Exec{Argv: []string{"/bin/sh", "-c", text}}}
}

func validate(text string) wire.Step {
	return wire.Step{Name: "validate", Validate: &wire.Exec{Argv: []string{"/bin/sh", "-c", text}}}
}

// logs returns an action that writes to the log.
func logs(b *bed, word string) wire.Step {
	to := " >>" + b.path("/log")
	return wire.Step{Name: word, Action: &wire.Action{
		Argv: []string{"/bin/sh", "-c", "echo do-" + word + to},
		Undo: []string{"/bin/sh", "-c", "echo undo-" + word + to},
	}}
}

func TestFileSteps(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	steps := []wire.Step{
		{Name: "dir", Dir: &wire.Dir{Path: "/etc/app", Mode: 0o750}},
		file("/etc/app/conf", "one"),
		{Name: "link", Link: &wire.Link{Path: "/etc/app/current", Target: "conf"}},
		{Name: "once", File: &wire.File{Path: "/etc/app/page", Content: []byte("hello"), Once: true}},
		logs(b, "reload"),
	}
	res, events := b.mustRun(changeRun("r1", steps...))
	if got := states(events); got != "changed changed changed changed changed" || !res.Changed {
		t.Fatal(got)
	}
	b.wantFile("/etc/app/current", "one")
	if st, err := os.Stat(b.path("/etc/app/conf")); err != nil || st.Mode().Perm() != 0o640 {
		t.Fatal(st.Mode(), err)
	}
	b.write("/etc/app/page", "edited")
	res, events = b.mustRun(changeRun("r2", steps...))
	if got := states(events); got != "unchanged unchanged unchanged unchanged unchanged" || res.Changed {
		t.Fatal(got)
	}
	b.wantFile("/etc/app/page", "edited")
	if b.log() != "do-reload" {
		t.Fatal(b.log())
	}
	b.mustRun(changeRun("r3",
		wire.Step{Name: "no link", Link: &wire.Link{Path: "/etc/app/current", Absent: true}},
		wire.Step{Name: "no file", File: &wire.File{Path: "/etc/app/conf", Absent: true}},
		wire.Step{Name: "no page", File: &wire.File{Path: "/etc/app/page", Absent: true}},
		wire.Step{Name: "no dir", Dir: &wire.Dir{Path: "/etc/app", Absent: true}}))
	b.wantNone("/etc/app")
}

func TestKeep(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	conf := func(id, content string) wire.Run {
		return changeRun(id, wire.Step{Name: "conf", File: &wire.File{Path: "/etc/conf", Content: []byte(content), Keep: true}})
	}
	b.mustRun(conf("r1", "one"))
	b.mustRun(conf("r2", "two"))
	b.write("/etc/conf", "mine")
	res, _ := b.run(conf("r3", "three"))
	wantState(t, res, wire.StateFailed)
	if !strings.Contains(res.Reason, "changed on the host") || !res.Restored {
		t.Fatal(res)
	}
	b.wantFile("/etc/conf", "mine")
	b.write("/etc/conf", "one") // an earlier content
	b.mustRun(conf("r4", "three"))
}

func TestExecSteps(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	res, events := b.mustRun(changeRun("r1",
		wire.Step{Name: "skipped", Exec: &wire.Exec{Argv: []string{"false"}, Unless: []string{"true"}}},
		wire.Step{Name: "needed", Exec: &wire.Exec{Argv: []string{"cat"}, Stdin: []byte("from stdin\n"), Unless: []string{"false"}}},
		wire.Step{Name: "secret", Exec: &wire.Exec{Argv: []string{"echo", "hush"}, Secret: true}},
		wire.Step{Name: "env", Exec: &wire.Exec{Argv: []string{"/bin/sh", "-c", "echo $A-$SSH_CONNECTION"}, Env: map[string]string{"A": "b"}}},
	))
	if got := outputOf(events); got != "from stdin\nb-\n" || !res.Changed {
		t.Fatalf("%q", got)
	}
	for name, tc := range map[string]struct {
		exec wire.Exec
		want string
	}{
		"exit":    {wire.Exec{Argv: []string{"/bin/sh", "-c", "echo why; exit 3"}}, "exit status 3"},
		"refuse":  {wire.Exec{Argv: []string{"/bin/sh", "-c", "printf conflict; printf 'ing name'"}, Refuse: []string{"conflicting name"}}, "conflicting name"},
		"timeout": {wire.Exec{Argv: []string{"sleep", "60"}, Timeout: 20 * time.Millisecond}, "took too long"},
		"missing": {wire.Exec{Argv: []string{"no-such-program"}}, "not installed"},
	} {
		res, _ := b.run(changeRun("f-"+name, wire.Step{Name: "x", Validate: &tc.exec}))
		if res.State != wire.StateFailed || !strings.Contains(res.Reason, tc.want) || res.FailedStep != "x" {
			t.Errorf("%s: %+v", name, res)
		}
		if name == "exit" && (res.ExitCode != 3 || res.Output != "why\n") {
			t.Errorf("%+v", res)
		}
	}
}

func TestProbes(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	code := 200
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := os.Stat(b.path("/etc/broken")); err == nil {
			w.WriteHeader(502)
			return
		}
		w.WriteHeader(code)
	}))
	defer srv.Close()
	_, p, _ := net.SplitHostPort(srv.Listener.Addr().String())
	port, _ := strconv.Atoi(p)
	probe := func(p wire.Probe) wire.Step {
		p.Within = 100 * time.Millisecond
		return wire.Step{Name: "probe", Probe: &p}
	}
	same := probe(wire.Probe{HTTP: &wire.HTTPProbe{Port: port, Host: "a.test", Path: "/", SameAsBefore: true}})
	res, _ := b.mustRun(changeRun("r1", same, probe(wire.Probe{TCP: srv.Listener.Addr().String()}),
		probe(wire.Probe{HTTP: &wire.HTTPProbe{Port: port, Host: "a.test", Path: "/", Status: []int{200, 204}}})))
	seen := []wire.Check{
		{Kind: wire.CheckHTTP, Evidence: "http://a.test/ on port " + p + " answers 200, as before the change"},
		{Kind: wire.CheckPort, Evidence: srv.Listener.Addr().String() + " accepts connections"},
		{Kind: wire.CheckHTTP, Evidence: "http://a.test/ on port " + p + " answers 200"},
	}
	if diff := cmp.Diff(seen, res.Checks); diff != "" {
		t.Errorf("what was seen (-want +got):\n%s", diff)
	}
	res, _ = b.run(changeRun("r2", probe(wire.Probe{TCP: srv.Listener.Addr().String()}), file("/etc/broken", "x"), same))
	if len(res.Checks) > 0 {
		t.Errorf("a change that was rolled back has checks: %v", res.Checks)
	}
	wantState(t, res, wire.StateFailed)
	if !strings.Contains(res.Reason, "answers 502, before the change 200") || !res.Restored {
		t.Fatal(res.Reason)
	}
	b.wantNone("/etc/broken")
	// What was an error may be another one; what was none has to be none.
	notWorse := probe(wire.Probe{HTTP: &wire.HTTPProbe{Port: port, Host: "a.test", Path: "/", NotWorse: true}})
	res, _ = b.run(changeRun("r2-worse", file("/etc/broken", "x"), notWorse))
	if !strings.Contains(res.Reason, "answers 502, before the change 200") || !res.Restored {
		t.Fatal(res.Reason)
	}
	code = 301
	b.mustRun(changeRun("r2-another", notWorse))
	code = 404
	b.mustRun(changeRun("r2-as-bad", file("/etc/broken", "x"), notWorse))
	if err := os.Remove(b.path("/etc/broken")); err != nil {
		t.Fatal(err)
	}
	code = 200
	b.program("systemctl", "echo failed; exit 3")
	res, _ = b.run(changeRun("r3", probe(wire.Probe{Unit: "nginx.service"})))
	if !strings.Contains(res.Reason, "unit nginx.service is failed") {
		t.Fatal(res.Reason)
	}
	res, _ = b.run(changeRun("r4", probe(wire.Probe{TCP: "127.0.0.1:1"})))
	wantState(t, res, wire.StateFailed)
	socket := filepath.Join(t.TempDir(), "s")
	res, _ = b.run(changeRun("r5", probe(wire.Probe{Socket: socket, Within: 100 * time.Millisecond})))
	wantState(t, res, wire.StateFailed)
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	b.mustRun(changeRun("r6", probe(wire.Probe{Socket: socket})))
}

// A link belongs to the owner in the step: nginx follows a user's link only to the same user's files. A link of root's is handed over.
func TestLinkHasAnOwner(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("makes links of another account")
	}
	b := newBed(t)
	b.mkdir("/srv")
	b.link("releases/first", "/srv/current", 0)
	step := wire.Step{Name: "link", Link: &wire.Link{Path: "/srv/current", Target: "releases/first", Owner: "web", Group: "web", Once: true}}
	want := b.linkOwner("/srv/current")
	if d := b.drift(step); len(d) != 1 || d[0].What != "owner" {
		t.Errorf("it differs in %+v", d)
	}
	if res, _ := b.run(changeRun("r", step, validate("false"))); !res.Restored || b.linkOwner("/srv/current") != want {
		t.Errorf("after a failure the link is of %s, was of %s: %+v", b.linkOwner("/srv/current"), want, res)
	}
	for run, want := range []string{"changed", "unchanged"} {
		if _, events := b.mustRun(changeRun(fmt.Sprint("r", run), step)); states(events) != want {
			t.Errorf("run %d: %s, want %s", run, states(events), want)
		}
	}
	if got := b.linkOwner("/srv/current"); got != "4001:4001" {
		t.Errorf("the link is of %s", got)
	}
	if d := b.drift(step); len(d) != 0 {
		t.Errorf("it still differs in %+v", d)
	}
}

func (b *bed) linkOwner(p string) string {
	b.t.Helper()
	st, err := os.Lstat(b.path(p))
	if err != nil {
		b.t.Fatal(err)
	}
	is := st.Sys().(*syscall.Stat_t)
	return fmt.Sprintf("%d:%d", is.Uid, is.Gid)
}

// everything returns a Change with each reversible kind, over what is there and what is not.
func everything(b *bed) []wire.Step {
	return []wire.Step{
		file("/etc/there", "new"),
		file("/etc/fresh", "new"),
		file("/etc/large", "new"),
		file("/etc/linked", "new"),
		{Name: "gone", File: &wire.File{Path: "/etc/gone", Absent: true}},
		logs(b, "first"),
		{Name: "make dir", Dir: &wire.Dir{Path: "/etc/made", Mode: 0o755}},
		file("/etc/made/inside", "new"),
		{Name: "dir mode", Dir: &wire.Dir{Path: "/etc/olddir", Mode: 0o700}},
		{Name: "no dir", Dir: &wire.Dir{Path: "/etc/emptydir", Absent: true}},
		{Name: "link", Link: &wire.Link{Path: "/etc/link", Target: "there"}},
		{Name: "no link", Link: &wire.Link{Path: "/etc/oldlink", Absent: true}},
		{Name: "new link", Link: &wire.Link{Path: "/etc/newlink", Target: "there"}},
		file("/etc/there", "newer"),
		logs(b, "second"),
		validate("true"),
	}
}

func (b *bed) before() {
	b.write("/etc/there", "old")
	b.write("/etc/large", strings.Repeat("large", object.InlineLimit))
	b.write("/etc/gone", "was here")
	b.mkdir("/etc/olddir")
	b.mkdir("/etc/emptydir")
	for from, to := range map[string]string{"/etc/link": "gone", "/etc/oldlink": "/nowhere", "/etc/linked": "there"} {
		if err := os.Symlink(to, b.path(from)); err != nil {
			b.t.Fatal(err)
		}
	}
	for p, m := range map[string]os.FileMode{"/etc/there": 0o604, "/etc/gone": 0o600 | os.ModeSetuid, "/etc/emptydir": 0o711} {
		if err := os.Chmod(b.path(p), m); err != nil {
			b.t.Fatal(err)
		}
	}
}

func TestFailureRestores(t *testing.T) {
	t.Parallel()
	for i := range len(everything(&bed{})) + 1 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.before()
			want := b.tree()
			steps := everything(b)
			steps = append(steps[:i:i], append([]wire.Step{validate("echo broken; exit 1")}, steps[i:]...)...)
			res, _ := b.run(changeRun("r1", steps...))
			wantState(t, res, wire.StateFailed)
			if !res.Restored || res.Index != i || res.FailedStep != "validate" || res.Output != "broken\n" {
				t.Fatalf("%+v", res)
			}
			b.wantTree(want)
			log := ""
			switch {
			case i > 14:
				log = "do-first\ndo-second\nundo-first\nundo-second"
			case i > 5:
				log = "do-first\nundo-first"
			}
			if b.log() != log {
				t.Fatalf("log %q, want %q", b.log(), log)
			}
			// Afterwards it works.
			b.mustRun(changeRun("r2", everything(b)...))
			b.wantFile("/etc/there", "newer")
		})
	}
}

// A site's user can create a huge file at no cost; copying it before it is replaced would fill the disk.
// A step with an input that undoes it is undone once if a later one fails or the agent dies, and never if all succeed.
func TestExecIsUndone(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	lock := wire.Step{Name: "lock", Exec: &wire.Exec{
		Argv: []string{"/bin/sh"}, Stdin: []byte("echo lock >>" + b.path("/log")),
		Undo: []byte("echo unlock >>" + b.path("/log")),
	}}
	b.mustRun(changeRun("r1", lock))
	if got := b.log(); got != "lock" {
		t.Fatalf("after success: %s", got)
	}
	res, events := b.run(changeRun("r2", lock, sh("drop", "exit 1"), sh("never", "true")))
	wantState(t, res, wire.StateFailed)
	if got := b.log(); got != "lock\nlock\nunlock" {
		t.Fatalf("after failure: %s", got)
	}
	if got := states(events); got != "changed failed reverted" {
		t.Errorf("steps %s", got)
	}
	b.run(changeRun("r3", sh("before", "exit 1"), lock))
	if got := b.log(); got != "lock\nlock\nunlock" {
		t.Errorf("a step that did not begin was undone: %s", got)
	}
}

func TestHugeFileIsNotReplaced(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("/home/web/.env", "")
	if err := os.Truncate(b.path("/home/web/.env"), 1<<40); err != nil {
		t.Skipf("skipped: the file system has no sparse files: %v", err)
	}
	res, _ := b.run(changeRun("r1", file("/etc/first", "one"), file("/home/web/.env", "small")))
	if res.State != wire.StateFailed || !res.Restored || !strings.Contains(res.Reason, "1099511627776 bytes") {
		t.Fatalf("%+v", res)
	}
	b.wantNone("/etc/first")
}

// A failed action returns the reason in its unit's log, and nothing written there before.
func TestActionTellsTheLog(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.mkdir("/var/log")
	b.write("/var/log/unit.log", "an old trouble\n")
	act := func(script string) wire.Step {
		return wire.Step{
			Name:   "reload",
			Action: &wire.Action{Argv: []string{"/bin/sh", "-c", script}, Undo: []string{"/bin/true"}, Log: "/var/log/unit.log", Always: true},
		}
	}
	res, _ := b.run(changeRun("r1",
		act("printf 'first\\ntoo many open files\\nnot found, client: 192.0.2.1, request: GET /reset?token=x\\n' >>"+b.path("/var/log/unit.log")+"; exit 1")))
	wantState(t, res, wire.StateFailed)
	if !strings.HasSuffix(res.Reason, ": too many open files") {
		t.Errorf("the reason is %q", res.Reason)
	}
	res, _ = b.run(changeRun("r2", act("exit 1")))
	if strings.Contains(res.Reason, "open files") {
		t.Errorf("the reason is %q", res.Reason)
	}
}

// An action for the files of a directory does not run for others: changes of nginx do not delay PHP.
func TestActionForItsFiles(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	reload := logs(b, "reload")
	reload.Action.Below = "/etc/php"
	for i, tt := range []struct{ path, want string }{
		{"/etc/nginx/conf", "changed unchanged"}, {"/etc/php/pool", "changed changed"}, {"/etc/phpx/pool", "changed unchanged"},
	} {
		dir := wire.Step{Name: "dir", Dir: &wire.Dir{Path: filepath.Dir(tt.path), Mode: 0o755}}
		b.mustRun(changeRun(fmt.Sprintf("dir%d", i), dir))
		_, events := b.mustRun(changeRun(fmt.Sprintf("r%d", i), file(tt.path, "one"), reload))
		if got := states(events); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.path, got, tt.want)
		}
	}
}
