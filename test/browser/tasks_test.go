package browser_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "lower the counts of testdata/tasks.tsv to those that were measured")

const tasksFile = "testdata/tasks.tsv"

// mostSteps is how many clicks and keystrokes each of the first eight tasks may take.
const mostSteps, limited = 5, 8

// A task is a row of testdata/tasks.tsv: what people do most often, and how many clicks and keystrokes it takes.
type task struct {
	name  string
	steps int
}

// readTasks returns the rows of a table of tasks.
func readTasks(table []byte) ([]task, error) {
	var out []task
	for i, line := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		name, count, ok := strings.Cut(line, "\t")
		steps, err := strconv.Atoi(count)
		if !ok || err != nil {
			return nil, fmt.Errorf("%s:%d: want a task, a tab and a count, have %q", tasksFile, i+2, line)
		}
		out = append(out, task{name, steps})
	}
	return out, nil
}

// compareTasks returns the table with the counts that fell, and what is wrong: a count that rose, and a task that was not counted.
func compareTasks(want []task, took map[string]int) (lower []task, wrong []string) {
	for _, w := range want {
		n, ok := took[w.name]
		switch {
		case !ok:
			wrong = append(wrong, w.name+" was not counted")
		case n > w.steps:
			wrong = append(wrong, fmt.Sprintf("%s takes %d clicks and keystrokes, and may take %d", w.name, n, w.steps))
		default:
			w.steps = n
		}
		lower = append(lower, w)
	}
	if len(took) > len(want) {
		wrong = append(wrong, fmt.Sprintf("%d tasks were counted, and %s has %d", len(took), tasksFile, len(want)))
	}
	return lower, wrong
}

// tasks compares what tasks.mjs counted with the table, which a change may only lower.
func (s *stage) tasks(t *testing.T) {
	t.Helper()
	table, err := os.ReadFile(tasksFile)
	if err != nil {
		t.Fatal(err)
	}
	want, err := readTasks(table)
	if err != nil {
		t.Fatal(err)
	}
	lower, wrong := compareTasks(want, s.took)
	for _, w := range wrong {
		t.Error(w)
	}
	text := bytes.NewBufferString("task\tclicks and keystrokes\n")
	for _, l := range lower {
		fmt.Fprintf(text, "%s\t%d\n", l.name, l.steps)
	}
	switch {
	case bytes.Equal(text.Bytes(), table):
	case *update:
		if err := os.WriteFile(tasksFile, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	case len(wrong) == 0:
		t.Errorf("tasks take fewer clicks and keystrokes than %s says: run with -update\n%s", tasksFile, text)
	}
}

// The table keeps to its limits, and a comparison with it lowers counts and refuses ones that rose.
func TestTasks(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile(tasksFile)
	if err != nil {
		t.Fatal(err)
	}
	all, err := readTasks(table)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 10 {
		t.Errorf("%s has %d tasks, want 10", tasksFile, len(all))
	}
	for _, task := range all[:min(limited, len(all))] {
		if task.steps > mostSteps {
			t.Errorf("%s takes %d clicks and keystrokes, and may take %d", task.name, task.steps, mostSteps)
		}
	}
	took := map[string]int{}
	for _, task := range all {
		took[task.name] = task.steps
	}
	took[all[0].name]--
	took[all[1].name]++
	delete(took, all[2].name)
	lower, wrong := compareTasks(all, took)
	if len(wrong) != 2 || !strings.HasPrefix(wrong[0], all[1].name+" takes") || wrong[1] != all[2].name+" was not counted" {
		t.Errorf("wrong: %q", wrong)
	}
	if lower[0].steps != all[0].steps-1 || lower[1] != all[1] || lower[2] != all[2] {
		t.Errorf("the lowered table: %v", lower[:3])
	}
}
