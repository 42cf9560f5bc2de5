package agent

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// aged makes a file of the host's state age old.
func (b *bed) aged(path string, age time.Duration) {
	b.t.Helper()
	at := time.Now().Add(-age)
	if err := os.Chtimes(filepath.Join(b.a.state, path), at, at); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bed) tidy() {
	b.t.Helper()
	if err := b.a.tidy(); err != nil {
		b.t.Fatal(err)
	}
}

func TestOldRunsAreForgotten(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	old, young := changeRun("old", sh("count", "echo x >> "+b.path("/count"))), changeRun("young", sh("nothing", "true"))
	b.mustRun(old)
	b.mustRun(young)
	b.aged("runs/old/result.json", keepRuns+time.Hour)
	b.aged("runs/young/result.json", keepRuns-time.Hour)
	b.tidy()
	_, err := b.ask(b.a, wire.OpAttach, wire.Attach{ID: "old"}, nil)
	wantCode(t, err, wire.ErrUnknownRun)
	if res := b.attach(b.a, "young", 0, nil); res.State != wire.StateSucceeded {
		t.Fatalf("a run of less than a week is %+v", res)
	}
	_, err = b.ask(b.a, wire.OpRunStart, old, nil)
	wantCode(t, err, wire.ErrRunConflict) // it is never done twice

	// A month later it is completely gone, and its deadline refuses it.
	b.aged("forgotten/old", keepForgotten+time.Hour)
	b.tidy()
	b.wantNone(filepath.Join(stateDir, "forgotten/old"))
	old.Deadline = time.Now().Add(-time.Hour)
	if res, _ := b.run(old); res.State != wire.StateTimedOut {
		t.Fatalf("a run that was done a month ago is %+v", res)
	}
	b.wantFile("/count", "x\n")
}

func TestJournalIsTurned(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.mustRun(changeRun("before", sh("nothing", "true")))
	b.tidy()
	b.wantNone(stateDir + "/journal.old.jsonl")
	// Unparsable lines count as much as others.
	f, err := os.OpenFile(b.a.journalPath(), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(strings.Repeat("-", maxJournal) + "\n")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	b.tidy()
	b.tidy() // the new one is small
	b.mustRun(changeRun("after", sh("nothing", "true")))
	runs, err := b.a.summaries()
	if err != nil || len(runs) != 2 || runs[0].ID != "before" || runs[1].ID != "after" || runs[0].State != wire.StateSucceeded {
		t.Fatal(runs, err)
	}
	if st, err := os.Stat(b.a.journalPath()); err != nil || st.Size() > 1000 {
		t.Fatalf("the journal is as large as before: %v %v", st, err)
	}
}
