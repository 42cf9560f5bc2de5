package job_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Own files that were changed by hand are overwritten as they are applied before the next change of the server; one that can't be holds up no work, and
// the event says so.
func TestChangeOverwritesOwnFiles(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		refused bool
		said    string
	}{"overwritten": {}, "refused": {true, "could not be overwritten: The disk is broken."}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			_, first := b.add(time.Minute, "1001")
			b.wantEnd(first[0], job.StateSucceeded, "")
			b.fleet.mu.Lock()
			before := len(b.fleet.runs)
			b.fleet.edited = []string{render.FirewallPath, "/etc/nobody-plans-it"}
			b.fleet.mu.Unlock()
			b.tx(func(ctx context.Context, tx *db.Tx) error {
				return tx.SetServerEdited(ctx, b.server.ID, render.FirewallPath)
			})
			b.fleet.say(func(run wire.Run) (wire.Result, error) {
				if text := rulesOf(run); test.refused && !strings.Contains(text, "1002") {
					return wire.Result{ID: run.ID, State: wire.StateFailed, FailedStep: "write", Reason: "the disk is broken"}, nil
				}
				return done(run)
			})
			_, second := b.add(time.Minute, "1002")
			op := b.wantEnd(second[0], job.StateSucceeded, "")
			b.fleet.mu.Lock()
			runs := b.fleet.runs[before:]
			b.fleet.mu.Unlock()
			if len(runs) != 2 || !strings.Contains(rulesOf(runs[0]), "1001") || strings.Contains(rulesOf(runs[0]), "1002") ||
				!strings.Contains(rulesOf(runs[1]), "1002") {
				t.Fatalf("%d runs: %+v", len(runs), runs)
			}
			if runs[0].Change.ConfirmWithin == 0 {
				t.Error("rules that were changed by hand are overwritten without a confirmation")
			}
			if left := b.row().EditedFiles; (left != "") != test.refused {
				t.Errorf("attention names the files %q", left)
			}
			if said := b.output(*op.EventID); !strings.Contains(said, test.said) {
				t.Errorf("the event says %q", said)
			}
		})
	}
}

// A panel that is killed while it overwrites goes on with the work.
func TestOverwritingIsResumed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, first := b.add(time.Minute, "1001")
	b.wantEnd(first[0], job.StateSucceeded, "")
	b.fleet.mu.Lock()
	b.fleet.edited = []string{render.FirewallPath}
	b.fleet.mu.Unlock()
	b.fleet.say(unreachable)
	_, second := b.add(time.Minute, "1002")
	b.until("it is being overwritten", func() bool {
		runs, err := b.db.Read().Ungranted().ListOpenRuns(t.Context(), b.server.ID, "firewall")
		return err == nil && len(runs) == 1
	})
	b.stop()
	b.fleet.mu.Lock()
	b.fleet.edited = nil // the host did it
	b.fleet.mu.Unlock()
	b.fleet.say(done)
	b.start()
	b.wantEnd(second[0], job.StateSucceeded, "")
	b.fleet.mu.Lock()
	defer b.fleet.mu.Unlock()
	if last := b.fleet.runs[len(b.fleet.runs)-1]; !strings.Contains(rulesOf(last), "1002") {
		t.Errorf("the work itself was not done: %s", rulesOf(last))
	}
}

// A repair plans everything that is applied, marked as a repair.
func TestMendIsAllThatIsApplied(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, first := b.add(time.Minute, "1001")
	b.wantEnd(first[0], job.StateSucceeded, "")
	rules := func(text string) wire.Step {
		return wire.Step{Name: "rules", File: &wire.File{Path: render.FirewallPath, Content: []byte(text)}}
	}
	stages, err := b.withSetUp(always(nil,
		job.Stage{Name: "set up", Change: wire.Change{Steps: []wire.Step{
			rules("as at first"),
			{Name: "unit", File: &wire.File{Path: "/etc/unit"}},
		}}}, job.Stage{Name: "nothing"},
	)).Mend(t.Context(), b.row())
	if err != nil || len(stages) != 2 || stages[0].Name != "provision: set up" || stages[1].Name != "firewall" {
		t.Fatalf("%v %+v", err, stages)
	}
	if len(stages[0].Change.Steps) != 1 || !stages[0].Change.Repair || !stages[1].Change.Repair ||
		!strings.Contains(string(stages[1].Change.Steps[0].File.Content), "1001") {
		t.Errorf("%+v", stages)
	}
}

func (b *bench) row() query.Server {
	b.t.Helper()
	row, err := b.db.Read().Ungranted().GetServer(b.t.Context(), b.server.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	return row
}

// rulesOf is the text of the firewall in a run.
func rulesOf(run wire.Run) string {
	for _, s := range run.Change.Steps {
		if s.File != nil && s.File.Path == render.FirewallPath {
			return string(s.File.Content)
		}
	}
	raw, _ := json.Marshal(run)
	return string(raw)
}
