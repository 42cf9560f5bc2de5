package agent

import (
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// The agent's directory is removed under a session: work goes on, the agent is where units look for it, and its memory has another name.
func TestDirectoryRemoved(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	self := b.path("/var/lib/hostler/agent/0123/hostler-agent")
	b.a.cfg.Self = self
	b.mustRun(changeRun("r1", file("/etc/app", "one")))
	before := b.a.memory()
	if before == "" {
		t.Fatal("the memory has no name")
	}
	b.forget()
	b.mustRun(changeRun("r2", file("/etc/app", "two")))
	b.wantFile("/etc/app", "two")
	if st, err := os.Stat(self); err != nil || st.Mode()&0o111 == 0 {
		t.Fatalf("the agent is not back: %v", err)
	}
	if after := b.a.memory(); after == "" || after == before {
		t.Fatalf("the memory is called %q, as the one that was lost", after)
	}
	b.forget()
	if err := b.a.Recover(); err != nil {
		t.Fatal(err)
	}
}

// forget removes the agent's directory. A run that has just ended may still write there, so that rmdir(2) finds a file.
func (b *bed) forget() {
	b.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); ; {
		err := os.RemoveAll(b.path("/var/lib/hostler"))
		if err == nil {
			return
		}
		if !errors.Is(err, syscall.ENOTEMPTY) || time.Now().After(deadline) {
			b.t.Fatal(err)
		}
	}
}

// A run whose directory is removed in the middle is lost, so that it is done again, and does not say that it was put back.
func TestDirectoryRemovedInTheMiddle(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	gone := sh("remove", "rm -rf "+b.path("/var/lib/hostler"))
	res, _ := b.run(changeRun("r1", file("/etc/app", "one"), gone, file("/etc/more", "two")))
	if res.State != wire.StateLost || res.Restored || !strings.Contains(res.Reason, "can't be put back") {
		t.Fatalf("%+v", res)
	}
	b.mustRun(changeRun("r2", file("/etc/more", "two")))
}

const head = "# " + wire.OwnHead + "\n"

// Own files that were changed or removed by hand are named until they are written again, which says how they differed.
func TestOwnFiles(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.mkdir("/etc/cron.d")
	const job, secret, theirs, nginx = "/etc/cron.d/job", "/etc/cron.d/secret", "/etc/cron.d/theirs", "/etc/vhost"
	steps := []wire.Step{file(job, head+"one\n"), file(secret, head+"hidden\n"), file(theirs, "no head\n"), file(nginx, head+"kept\n")}
	steps[1].File.Secret, steps[3].File.Keep = true, true
	b.mustRun(changeRun("r1", steps...))
	want := func(paths ...string) {
		t.Helper()
		got, err := b.ask(b.a, wire.OpEdited, nil, nil)
		if err != nil || !slices.Equal(got.([]string), paths) {
			t.Fatalf("edited %v %v, want %v", got, err, paths)
		}
	}
	want()
	b.write(job, head+"two\n")
	b.write(secret, head+"shown\n")
	b.write(theirs, "changed\n")
	b.write(nginx, head+"changed\n")
	want(job, secret)
	b.check(os.Remove(b.path(secret)))
	want(job, secret)
	_, events := b.mustRun(changeRun("r2", steps[0]))
	if out := outputOf(events); !strings.Contains(out, job+" was changed on the server by hand") || !strings.Contains(out, "-two\n+one\n") {
		t.Fatalf("the event does not say what was overwritten: %q", out)
	}
	b.wantFile(job, head+"one\n")
	want(secret)
	b.write(secret, head+"shown\n")
	if _, events = b.mustRun(changeRun("r3", steps[1])); strings.Contains(outputOf(events), "shown") || !strings.Contains(outputOf(events), secret) {
		t.Fatal(outputOf(events))
	}
	want()
	if _, events = b.mustRun(changeRun("r4", file(job, head+"three\n"))); outputOf(events) != "" { // our own change is none by hand
		t.Fatal(outputOf(events))
	}
	b.mustRun(changeRun("r5", wire.Step{Name: "gone", File: &wire.File{Path: job, Absent: true}}))
	want()
}

// Comparing makes own files that are as planned known: an agent that forgot them looks after them again.
func TestDriftLearnsOwnFiles(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("/etc/job", head)
	b.check(os.Chmod(b.path("/etc/job"), 0o640))
	if d := b.drift(file("/etc/job", head)); len(d) > 0 {
		t.Fatalf("%+v", d)
	}
	b.write("/etc/job", head+"changed\n")
	if got := b.a.edited(); !slices.Equal(got, []string{"/etc/job"}) {
		t.Fatal(got)
	}
}

// A repair makes no directory of data, says so, and goes on with the rest. It writes what it has no record of, and keeps what others changed.
func TestRepair(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	data := wire.Step{Name: "data", Dir: &wire.Dir{Path: "/srv/shop", Mode: 0o755, Data: true}}
	page := file("/srv/shop/index.html", "empty")
	conf := func(text string) wire.Step {
		s := file("/etc/vhost", text)
		s.File.Keep = true
		return s
	}
	repair := func(id string, steps ...wire.Step) (wire.Result, string) {
		t.Helper()
		r := changeRun(id, steps...)
		r.Change.Repair = true
		res, events := b.mustRun(r)
		return res, outputOf(events)
	}
	b.mkdir("/srv")
	if _, out := repair("r1", data, page, file("/etc/app", "one")); !strings.Contains(out, "/srv/shop is missing") {
		t.Fatalf("the event does not report it: %q", out)
	}
	b.wantNone("/srv/shop")
	b.wantFile("/etc/app", "one")
	if d := b.drift(data, page); len(d) != 1 || d[0].Path != "/srv/shop" || !d[0].Kept {
		t.Fatalf("%+v", d)
	}
	b.mustRun(changeRun("r2", data, page)) // other changes make it
	b.wantFile("/srv/shop/index.html", "empty")
	b.check(os.RemoveAll(b.path("/srv/shop")))
	b.mkdir("/srv/shop")
	if _, out := repair("r3", data, page); out != "" {
		t.Fatal(out)
	}
	b.wantFile("/srv/shop/index.html", "empty")

	b.mustRun(changeRun("r4", conf("ours")))
	b.write("/etc/vhost", "theirs")
	if d := b.drift(conf("ours")); len(d) != 1 || !d[0].Kept {
		t.Fatalf("%+v", d)
	}
	if _, out := repair("r5", conf("ours")); !strings.Contains(out, "is kept as it is") {
		t.Fatal(out)
	}
	b.wantFile("/etc/vhost", "theirs")
	b.forget()
	if res, _ := b.run(changeRun("r6", conf("ours"))); res.State != wire.StateFailed || !strings.Contains(res.Reason, "repair the server") {
		t.Fatalf("%+v", res)
	}
	if _, out := repair("r7", conf("ours")); !strings.Contains(out, "-theirs") {
		t.Fatal(out)
	}
	b.wantFile("/etc/vhost", "ours")
}
