package agent

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/proc"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
	"github.com/hostlerhq/hostler/test/edge/mariatest"
	"github.com/hostlerhq/hostler/test/edge/pgtest"
)

// Environment variables of a process that will be killed.
const (
	crashRoot = "HOSTLER_TEST_ROOT"
	crashAt   = "HOSTLER_TEST_CRASH"
	crashRun  = "HOSTLER_TEST_RUN" // a run to start; none: recover
)

func TestMain(m *testing.M) {
	if root := os.Getenv(crashRoot); root != "" {
		if err := crashing(root); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	pgtest.Main(m, mariatest.Stop)
}

// crashing kills this process at the point whose number is in the environment.
func crashing(root string) error {
	left, err := strconv.Atoi(os.Getenv(crashAt))
	if err != nil {
		return err
	}
	a, err := New(Config{Root: root, Path: root + "/bin:" + program.SearchPath, Crash: func(point string) {
		if left--; left < 0 {
			fmt.Println(point)
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}})
	if err != nil {
		return err
	}
	if raw := os.Getenv(crashRun); raw != "" {
		var run wire.Run
		if err := json.Unmarshal([]byte(raw), &run); err != nil {
			return err
		}
		if err := a.Start(run); err != nil {
			return err
		}
		return a.Close()
	}
	if err := a.Recover(); err != nil {
		return err
	}
	return a.Close()
}

// process runs a part of the agent in a process that is killed at a point; alive reports whether it completed before.
func (b *bed) process(at int, run *wire.Run) (point string, alive bool) {
	b.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crashRoot+"="+b.root, crashAt+"="+strconv.Itoa(at))
	if run != nil {
		raw, err := json.Marshal(run)
		if err != nil {
			b.t.Fatal(err)
		}
		cmd.Env = append(cmd.Env, crashRun+"="+string(raw))
	}
	out, err := cmd.CombinedOutput()
	if err == nil {
		return "", true
	}
	if st, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || st.Signal() != syscall.SIGKILL {
		b.t.Fatalf("process: %v: %s", err, out)
	}
	return strings.TrimSpace(string(out)), false
}

// wantRecovered checks that an interrupted run has a result, and that the host matches it.
func (b *bed) wantRecovered(id, point string, before, after map[string]string) {
	b.t.Helper()
	a := b.agent(nil)
	if err := a.Recover(); err != nil {
		b.t.Fatalf("recover after %s: %v", point, err)
	}
	res := b.attach(a, id, 0, nil)
	switch {
	case res.State == wire.StateSucceeded:
		b.wantTree(after)
	case res.Restored && res.State != wire.StateRunning:
		b.wantTree(before)
	default:
		b.t.Fatalf("after %s: %+v", point, res)
	}
	runs, err := a.summaries()
	if err != nil || len(runs) != 1 || runs[0].Starts > 1 || runs[0].State != res.State {
		b.t.Fatalf("after %s: journal %+v %v, result %s", point, runs, err, res.State)
	}
}

func TestCrashAtEveryPoint(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]wire.Step{"succeeds": validate("true"), "fails": validate("false")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			points := 0
			for n := 0; ; n++ {
				b := newBed(t)
				b.before()
				before := b.tree()
				run := changeRun("r1", append(everything(b), end)...)
				point, alive := b.process(n, &run)
				after := b.tree()
				if alive {
					if points = n; points < 40 {
						t.Fatalf("only %d points", points)
					}
					b.wantRecovered("r1", "the end", before, after)
					return
				}
				// Recovery dies too, at one of its own points, twice before it succeeds.
				if n%2 == 1 {
					b.process(n%7, nil)
					b.process(n%3, nil)
				}
				b.wantRecovered("r1", point, before, after)
				if res := b.attach(b.a, "r1", 0, nil); name == "fails" && res.State == wire.StateSucceeded {
					t.Fatalf("after %s the run succeeded", point)
				}
				// The next run is unaffected.
				b.mustRun(changeRun("r2", everything(b)...))
			}
		})
	}
}

func TestCrashInEveryPointOfRecovery(t *testing.T) {
	t.Parallel()
	for n := 0; ; n++ {
		b := newBed(t)
		b.before()
		before := b.tree()
		run := changeRun("r1", append(everything(b), sh("die", "kill -9 $PPID"))...)
		if _, alive := b.process(1000, &run); alive {
			t.Fatal("the agent survived")
		}
		point, alive := b.process(n, nil)
		b.wantRecovered("r1", point, before, nil)
		if alive {
			if n < 15 {
				t.Fatalf("only %d points", n)
			}
			return
		}
	}
}

func TestLostRunIsPutBackByNextInLane(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.write("/etc/a", "old")
	run := changeRun("r1", file("/etc/a", "new"), sh("die", "kill -9 $PPID"))
	if _, alive := b.process(1000, &run); alive {
		t.Fatal("the agent survived")
	}
	b.wantFile("/etc/a", "new")
	b.mustRun(changeRun("r2", validate("grep -q old "+b.path("/etc/a"))))
	res := b.attach(b.a, "r1", 0, nil)
	wantState(t, res, wire.StateLost)
	if !res.Restored {
		t.Fatal(res)
	}
}

func TestAttachToLostRun(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	run := changeRun("r1", file("/etc/a", "new"), sh("die", "echo last words; kill -9 $PPID"))
	if _, alive := b.process(1000, &run); alive {
		t.Fatal("the agent survived")
	}
	res := b.attach(b.a, "r1", 0, nil)
	wantState(t, res, wire.StateLost)
	b.wantNone("/etc/a")
	if again, err := b.ask(b.a, wire.OpRunStart, run, nil); err != nil || again.(wire.Result).State != wire.StateLost {
		t.Fatal(again, err)
	}
}

func TestChildrenOfLostRunAreKilled(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	run := changeRun("r1", sh("die", "setsid sleep 1000 & echo $! >"+b.path("/pid")+"; kill -9 $PPID; sleep 1000"))
	if _, alive := b.process(1000, &run); alive {
		t.Fatal("the agent survived")
	}
	wantState(t, b.attach(b.a, "r1", 0, nil), wire.StateLost)
	b.wantDead("/pid")
}

// wantDead checks that the process whose id is in a file has ended, or only waits to be reaped.
func (b *bed) wantDead(p string) {
	b.t.Helper()
	raw, err := os.ReadFile(b.path(p))
	if err != nil {
		b.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		b.t.Fatal(err)
	}
	for end := time.Now().Add(5 * time.Second); proc.ParentOf(pid) != 0; {
		if time.Now().After(end) {
			b.t.Fatalf("process %d lives", pid)
		}
	}
}
