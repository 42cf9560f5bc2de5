package agent

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Entries of a run's journal. Each is durable before the event that it describes begins.
const (
	opObject   = "object"   // the object at Path is about to be replaced; Before is its previous state
	opAction   = "action"   // the action of Step is about to run
	opPackages = "packages" // packages are about to be installed; Policy is set if services are kept from starting
	opPackaged = "packaged" // they were installed, and the policy is removed
	opWait     = "wait"     // all steps are done; By is the deadline of the confirmation
	opBack     = "back"     // everything is about to be rolled back; Result is the result of the run
)

// entry is one line of a run's journal.
type entry struct {
	Op     string        `json:"op"`
	Step   int           `json:"step"`
	Path   string        `json:"path,omitempty"`
	Units  []string      `json:"units,omitempty"` // of an action: those that it restarts
	Temp   string        `json:"temp,omitempty"`
	Before *object.State `json:"before,omitempty"`
	Policy bool          `json:"policy,omitempty"`
	By     *time.Time    `json:"by,omitempty"`
	Result *wire.Result  `json:"result,omitempty"`
}

func journalPath(dir string) string  { return filepath.Join(dir, "journal.jsonl") }
func snapshotDir(dir string) string  { return filepath.Join(dir, "snapshot") }
func resultPath(dir string) string   { return filepath.Join(dir, "result.json") }
func requestPath(dir string) string  { return filepath.Join(dir, "request.json") }
func eventsPath(dir string) string   { return filepath.Join(dir, "events.jsonl") }
func lockPath(dir string) string     { return filepath.Join(dir, "lock") }
func cancelPath(dir string) string   { return filepath.Join(dir, "cancel") }
func decisionPath(dir string) string { return filepath.Join(dir, "decision") }

// note makes an entry durable.
func (x *execution) note(e entry) error { return durable.Append(journalPath(x.dir), e) }

// line is one line of the host's journal: a run's start, or its end.
type line struct {
	ID    string     `json:"id"`
	Lane  string     `json:"lane,omitempty"`
	Fence int64      `json:"fence,omitempty"`
	Start bool       `json:"start,omitempty"`
	State wire.State `json:"state"`
	At    time.Time  `json:"at"`
}

func (a *Agent) journalPath() string    { return filepath.Join(a.state, "journal.jsonl") }
func (a *Agent) oldJournalPath() string { return filepath.Join(a.state, "journal.old.jsonl") }

// lines calls each for the lines of the host's journal, oldest first.
func (a *Agent) lines(each func(line)) error {
	return errors.Join(durable.ReadLines(a.oldJournalPath(), each), durable.ReadLines(a.journalPath(), each))
}

// summaries reads the host's journal. For a run without an end in it, the result is read, since the end is written last.
func (a *Agent) summaries() ([]wire.RunSummary, error) {
	out := []wire.RunSummary{}
	at := map[string]int{}
	err := a.lines(func(l line) {
		i, known := at[l.ID]
		if !known {
			i = len(out)
			at[l.ID] = i
			out = append(out, wire.RunSummary{ID: l.ID, Lane: l.Lane, Fence: l.Fence, State: l.State, StartedAt: l.At})
		}
		if l.Start {
			out[i].Starts++
		} else {
			out[i].State = l.State
		}
	})
	for i := range out {
		if out[i].State != wire.StateRunning {
			continue
		}
		var res wire.Result
		if durable.ReadJSON(resultPath(a.runDir(out[i].ID)), &res) == nil {
			out[i].State = res.State
		}
	}
	return out, err
}
