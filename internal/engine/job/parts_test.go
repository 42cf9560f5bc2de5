package job_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// partly is work of parts that end apart.
func partly() job.Aspect {
	var stages []job.Stage
	for i := range manyParts {
		name := fmt.Sprintf("part %c", 'a'+i)
		stages = append(stages, job.Stage{Name: name, Apart: true, Change: wire.Change{Steps: []wire.Step{{Name: name}}}})
	}
	return always(nil, stages...)
}

const manyParts = 12

// partOf returns the name of the part that a run is of, "" for other work.
func partOf(run wire.Run) string {
	if name := run.Change.Steps[0].Name; strings.HasPrefix(name, "part ") {
		return name
	}
	return ""
}

// partB fails while everything else succeeds.
func partB(run wire.Run) (wire.Result, error) {
	if partOf(run) == "part b" {
		return wire.Result{ID: run.ID, State: wire.StateFailed, FailedStep: "check local ports", Reason: "exit 1", Restored: true}, nil
	}
	return done(run)
}

// One broken part does not stop the others. The event says how it ended, and the work fails at its end.
func TestBrokenPartDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fleet.say(partB)
	a := b.begin("parts", 1)
	op := b.wantEnd(a, job.StateFailed, "part b: Step “check local ports”: Exit 1.")
	if b.attempts() != manyParts || op.Step != "part b" {
		t.Errorf("%d parts were made, and the step is %q", b.attempts(), op.Step)
	}
	if said := b.output(a.EventID); !strings.Contains(said, "Failed: part b. Step “check local ports”: Exit 1.") {
		t.Errorf("the event says %q", said)
	}
}

// A panel that is restarted between two parts still knows of those that failed before.
func TestBrokenPartIsKnownAfterARestart(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.fleet.say(func(run wire.Run) (wire.Result, error) {
		if partOf(run) == "part d" {
			return unreachable(run)
		}
		return partB(run)
	})
	a := b.begin("parts", 1)
	b.until("the fourth part is sent", func() bool { return b.attempts() >= 4 })
	b.stop()
	b.fleet.say(done)
	b.start()
	b.wantEnd(a, job.StateFailed, "part b: Step “check local ports”: Exit 1.")
}

// Between two parts of long work, other work of the server is let in.
func TestWorkIsLetInBetweenParts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	release := make(chan struct{})
	b.fleet.say(func(run wire.Run) (wire.Result, error) {
		if partOf(run) == "part a" {
			<-release
		}
		return done(run)
	})
	long := b.begin("parts", 1)
	b.until("the first part is sent", func() bool { return b.attempts() == 1 })
	_, quick := b.add(time.Hour, "8001")
	b.wantWait(quick[0], "Waiting for “Updating a thing” to finish.")
	close(release)
	b.wantEnd(long, job.StateSucceeded, "")
	b.wantEnd(quick[0], job.StateSucceeded, "")
	b.fleet.mu.Lock()
	defer b.fleet.mu.Unlock()
	if last := b.fleet.runs[len(b.fleet.runs)-1]; partOf(last) == "" {
		t.Error("the quick work waited for all parts of the long work")
	}
	for id, n := range b.fleet.starts {
		if n > 2 {
			t.Errorf("run %s was asked for %d times", id, n)
		}
	}
}

// A repair begins with the accounts, which the files of other parts name.
func TestMendBeginsWithAccounts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	user := wire.Step{Name: "account shop", User: &wire.User{Name: "shop"}}
	check := wire.Step{Name: "check local ports", Validate: &wire.Exec{Argv: []string{"nft", "-c"}}}
	stages, err := b.withSetUp(always(nil,
		job.Stage{Name: "local ports", Change: wire.Change{Steps: []wire.Step{check}}}, job.Stage{Name: "sites", Change: wire.Change{Steps: []wire.Step{user, user}}},
	)).Mend(t.Context(), b.row())
	if err != nil || len(stages) < 3 || stages[0].Name != "accounts" || len(stages[0].Change.Steps) != 1 || stages[0].Change.Steps[0].User.Name != "shop" {
		t.Fatalf("%v %+v", err, stages)
	}
	for _, s := range stages {
		if !s.Apart || !s.Change.Repair {
			t.Errorf("%s stops the others if it fails, or is no repair", s.Name)
		}
	}
}
