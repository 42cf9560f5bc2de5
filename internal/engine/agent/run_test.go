package agent

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// once runs fn at the first output of a run.
func once(fn func()) func(wire.Event) {
	var o sync.Once
	return func(e wire.Event) {
		if e.Kind == wire.EventOutput {
			o.Do(fn)
		}
	}
}

func TestStartTwiceIsOnce(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	run := changeRun("r1", sh("count", "echo x >>"+b.path("/count")))
	other := b.agent(nil)
	var wg sync.WaitGroup
	for i := range 8 {
		a := b.a
		if i%2 == 1 {
			a = other
		}
		wg.Go(func() {
			res, err := b.ask(a, wire.OpRunStart, run, nil)
			if err != nil || res.(wire.Result).State != wire.StateSucceeded {
				t.Error(res, err)
			}
		})
	}
	wg.Wait()
	b.wantFile("/count", "x\n")
	runs, err := b.a.summaries()
	if err != nil || len(runs) != 1 || runs[0].Starts != 1 || runs[0].State != wire.StateSucceeded {
		t.Fatal(runs, err)
	}
	run.Change.Steps[0].Name = "other"
	_, err = b.ask(b.a, wire.OpRunStart, run, nil)
	wantCode(t, err, wire.ErrRunConflict)
	if _, err := b.ask(b.a, wire.OpForget, wire.RunID{ID: "r1"}, nil); err != nil {
		t.Fatal(err)
	}
	_, err = b.ask(b.a, wire.OpAttach, wire.Attach{ID: "r1"}, nil)
	wantCode(t, err, wire.ErrUnknownRun)
	_, err = b.ask(b.a, wire.OpRunStart, run, nil)
	wantCode(t, err, wire.ErrRunConflict)
	if runs, err := b.a.summaries(); err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
}

func TestAttachInTheMiddle(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	other := b.agent(nil)
	gate := b.path("/gate")
	if err := mkfifo(gate); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	run := changeRun("r1", sh("wait", "echo ready; cat "+gate+"; echo done"))
	_, want := b.run(run, once(func() {
		ready := make(chan struct{})
		wg.Go(func() {
			var got []wire.Event
			res := b.attach(other, "r1", 1, func(f wire.Frame) {
				if f.Event != nil {
					if got = append(got, *f.Event); len(got) == 1 {
						close(ready)
					}
				}
			})
			wantState(t, res, wire.StateSucceeded)
			if outputOf(got) != "ready\ndone\n" || got[0].Seq != 2 {
				t.Error(got)
			}
		})
		wg.Go(func() {
			<-ready
			if err := os.WriteFile(gate, nil, 0); err != nil {
				t.Error(err)
			}
		})
	}))
	wg.Wait()
	n := 0
	b.attach(b.a, "r1", 0, func(f wire.Frame) { n++ })
	if n != len(want) {
		t.Fatalf("%d events after the end, want %d", n, len(want))
	}
	_, err := b.ask(b.a, wire.OpAttach, wire.Attach{ID: "nothing"}, nil)
	wantCode(t, err, wire.ErrUnknownRun)
}

func TestFence(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	run := changeRun("r1", validate("true"))
	run.Fence = 7
	b.mustRun(run)
	late := changeRun("r2", file("/etc/a", "late"))
	late.Fence = 6
	_, err := b.ask(b.agent(nil), wire.OpRunStart, late, nil)
	wantCode(t, err, wire.ErrFenced)
	b.wantNone("/etc/a")
	b.mustRun(run) // known: every caller gets its result
	late.Lane = "site-1"
	b.mustRun(late)
}

func TestLaneIsWaitedFor(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	gate := b.path("/gate")
	if err := mkfifo(gate); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	other := b.agent(nil)
	waited := false
	b.run(changeRun("r1", sh("hold", "echo ready; cat "+gate+"; echo 1 >>"+b.path("/order"))), once(func() {
		late := changeRun("late", sh("never", "echo late >>"+b.path("/order")))
		late.Deadline = time.Now().Add(50 * time.Millisecond)
		res, err := b.ask(other, wire.OpRunStart, late, nil)
		if err != nil || res.(wire.Result).State != wire.StateTimedOut || !res.(wire.Result).Restored {
			t.Error(res, err)
		}
		wg.Go(func() {
			res, err := b.ask(other, wire.OpRunStart, changeRun("r2", sh("after", "echo 2 >>"+b.path("/order"))), func(f wire.Frame) {
				if f.Event != nil && f.Event.Kind == wire.EventWaiting && f.Event.State == "lane" {
					waited = true
					if err := os.WriteFile(gate, nil, 0); err != nil {
						t.Error(err)
					}
				}
			})
			if err != nil || res.(wire.Result).State != wire.StateSucceeded {
				t.Error(res, err)
			}
		})
	}))
	wg.Wait()
	b.wantFile("/order", "1\n2\n")
	if !waited {
		t.Fatal("no waiting event")
	}
}

func TestCancelKillsGrandchildren(t *testing.T) {
	t.Parallel()
	for _, from := range []string{"same process", "other process"} {
		t.Run(from, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			a := b.a
			if from == "other process" {
				a = b.agent(nil)
			}
			run := changeRun("r1", file("/etc/a", "x"), logs(b, "act"),
				sh("long", "(setsid sleep 1000 & echo $! >"+b.path("/pid")+"; sleep 1000) & echo ready; wait"))
			res, _ := b.run(run, once(func() {
				if _, err := b.ask(a, wire.OpCancel, wire.RunID{ID: "r1"}, nil); err != nil {
					t.Error(err)
				}
			}))
			wantState(t, res, wire.StateCancelled)
			if !res.Restored || res.FailedStep != "long" || b.log() != "do-act\nundo-act" {
				t.Fatalf("%+v %q", res, b.log())
			}
			b.wantNone("/etc/a")
			if _, err := os.Stat(b.path("/pid")); err == nil {
				b.wantDead("/pid")
			}
			if _, err := b.ask(a, wire.OpCancel, wire.RunID{ID: "r1"}, nil); err != nil {
				t.Fatal(err) // again is no error
			}
		})
	}
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	run := changeRun("r1", file("/etc/a", "x"), sh("long", "sleep 1000"))
	run.Deadline = time.Now().Add(150 * time.Millisecond)
	res, _ := b.run(run)
	wantState(t, res, wire.StateTimedOut)
	if !res.Restored {
		t.Fatal(res)
	}
	b.wantNone("/etc/a")
	past := changeRun("r2", file("/etc/a", "x"))
	past.Deadline = time.Now().Add(-time.Second)
	res, events := b.run(past)
	wantState(t, res, wire.StateTimedOut)
	if len(events) != 0 {
		t.Fatal(events)
	}
	s := script("s1", "sleep 1000")
	s.Deadline = time.Now().Add(100 * time.Millisecond)
	res, _ = b.run(s)
	wantState(t, res, wire.StateTimedOut)
}

// Of a run that prints too much, the beginning is kept and the end of each step, where the reason of a failure is, with a line in
// between for the missing bytes.
func TestOutputLimit(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	loud := func(word string, ends int) string {
		return fmt.Sprintf("echo begin %s; head -c %d /dev/zero | tr '\\0' x; echo; echo end %s; exit %d", word, wire.MaxOutput, word, ends)
	}
	res, events := b.run(changeRun("r1", sh("first", loud("first", 0)), sh("second", loud("second", 0)), sh("third", loud("third", 1))))
	wantState(t, res, wire.StateFailed)
	kept := outputOf(events)
	found := regexp.MustCompile(`(?s)^begin first\n(x+)\n\[(\d+) bytes of output are missing here\]\n(x+)\nend third\n$`).FindStringSubmatch(kept)
	if found == nil {
		t.Fatalf("%d bytes were kept: %.100s … %s", len(kept), kept, kept[max(0, len(kept)-300):])
	}
	printed := 3*wire.MaxOutput + len("begin first\nend first\n\nbegin second\nend second\n\nbegin third\n\nend third\n")
	missing, _ := strconv.Atoi(found[2])
	if got := missing + len(kept) - len(wire.Missing(int64(missing))); got != printed || len(kept) > wire.MaxOutput || len(kept) < wire.MaxOutput*8/10 {
		t.Errorf("%d bytes are kept and %d said to be missing, of %d", len(kept), missing, printed)
	}
	waits := 0
	for _, e := range events {
		if len(e.Text) > output.MaxText {
			t.Fatal(len(e.Text))
		}
		if e.State == "truncated" {
			waits++
		}
	}
	if waits != 1 {
		t.Errorf("who follows reads %d times why nothing more comes", waits)
	}
	res, _ = b.run(changeRun("r2", sh("loud", "head -c 300000 /dev/zero | tr '\\0' x; echo end; exit 1")))
	if len(res.Output) != output.ResultSize || !strings.HasSuffix(res.Output, "end\n") {
		t.Fatal(len(res.Output))
	}
}

func TestScript(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := script("s1", "#!/bin/sh\necho \"$A\" $HOME $(id -un) $(pwd)\necho hunt''er2\n")
	s.Script.Env = map[string]string{"A": "$(touch /tmp/canary) hunter2"}
	s.Script.Redact = []string{"hunter2"}
	s.Script.Dir = "/etc"
	_, events := b.mustRun(s)
	out := outputOf(events)
	if strings.Contains(out, "hunter2") || !strings.HasPrefix(out, "$(touch /tmp/canary) [redacted] /root ") ||
		!strings.HasSuffix(out, b.path("/etc")+"\n[redacted]\n") {
		t.Fatalf("%q", out)
	}
	res, _ := b.run(script("s2", "echo no shebang; exit 4"))
	if res.State != wire.StateFailed || res.ExitCode != 4 || res.Output != "no shebang\n" {
		t.Fatalf("%+v", res)
	}
	if entries, err := os.ReadDir(b.path(scriptDir)); err != nil || len(entries) != 0 {
		t.Fatal(entries, err)
	}
	bad := script("s3", "true")
	bad.Script.User = "nobody-here"
	res, _ = b.run(bad)
	wantState(t, res, wire.StateFailed)
	bad = script("s4", "true")
	bad.Script.User = "-x"
	_, err := b.ask(b.a, wire.OpRunStart, bad, nil)
	wantCode(t, err, wire.ErrBadRequest)
}

// What looks at a script's result fails the run, and its reason is the run's.
func TestResultOfScriptIsLookedAt(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	s := script("s1", "#!/bin/sh\necho hunter2 is built\n")
	s.Script.Redact = []string{"hunter2"}
	s.Script.Verify = []string{"/bin/sh", "-c", `printf '{"reason": "Nothing is in hunter2\\u001b[0m."}' >"$HOSTLER_RUN_DIRECTORY/report"; exit 1`}
	s.Script.After = []string{"/bin/false"}
	res, _ := b.run(s)
	if res.State != wire.StateFailed || res.FailedStep != stepResult || res.Reason != "Nothing is in [redacted][0m." {
		t.Errorf("%+v", res)
	}
	s = script("s2", "true")
	s.Script.Verify = []string{"/bin/true"}
	b.mustRun(s)
}

func TestScriptRunsAsItsAccount(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can be another account")
	}
	b := newBed(t)
	for _, p := range []string{"", "/var", "/var/lib"} {
		if err := os.Chmod(b.path(p), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := script("s1", "id -u; id -g; id -G; cat "+b.path(stateDir+"/journal.jsonl")+" 2>&1 || true\n")
	s.Script.User = "web"
	b.write("/etc/group", "root:x:0:\nweb:x:4001:\nextra:x:4002:web\n")
	res, events := b.run(s)
	if strings.Contains(res.Reason, "permission denied") {
		t.Skip("the temporary directory is closed to other accounts")
	}
	if out := outputOf(events); !strings.HasPrefix(out, "4001\n4001\n4001 4002\n") || !strings.Contains(out, "Permission denied") {
		t.Fatalf("%q %+v", out, res)
	}
}

// TestEndedRunKeepsNoSecrets checks that what was written is in its file and nowhere else.
func TestEndedRunKeepsNoSecrets(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("/etc/key", "hunter1")
	run := changeRun("r1", wire.Step{Name: "key", File: &wire.File{Path: "/etc/key", Content: []byte("hunter2"), Secret: true}})
	b.mustRun(run)
	b.a.runs.Wait()
	for _, secret := range []string{"hunter1", "hunter2", "aHVudGVyM"} {
		err := filepath.WalkDir(b.path(stateDir), func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			raw, err := os.ReadFile(p)
			if strings.Contains(string(raw), secret) {
				t.Errorf("%s has a secret", p)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	b.mustRun(run) // known all the same
	run.Fence = 2
	_, err := b.ask(b.a, wire.OpRunStart, run, nil)
	wantCode(t, err, wire.ErrRunConflict)
}
