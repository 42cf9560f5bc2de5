package job_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// line is the connection between the panel and a host in a walk.
type line int

const (
	up         line = iota
	cut             // the host can't be reached
	lostBefore      // the request may have arrived, but did not
	lostAfter       // the host did it, and its answer was lost
	slow            // the host works until it is stopped, or the line is up again
)

// modelHost is a host that stores files and links, refuses what is poisoned, and remembers its runs.
type modelHost struct {
	mu      sync.Mutex
	line    line
	changed chan struct{} // closed when the line changes
	files   map[string]string
	ended   map[string]wire.Result
	starts  map[string]int
	stop    map[string]chan struct{}
	// engine stores the effect of SQL statements, which is not rolled back.
	engine *engine
}

// poisoned is in the mark of everything that the host refuses.
const poisoned = "666"

func newModelHost() *modelHost {
	return &modelHost{
		changed: make(chan struct{}), files: map[string]string{}, ended: map[string]wire.Result{}, starts: map[string]int{},
		stop: map[string]chan struct{}{}, engine: newEngine(),
	}
}

func (h *modelHost) Forget(int64) {}

func (h *modelHost) Edited(context.Context, host.Target) ([]string, error) { return nil, nil }

func (h *modelHost) set(l line) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.line = l
	close(h.changed)
	h.changed = make(chan struct{})
}

var errLine = &host.Error{Kind: host.ErrUnreachable, Reason: "the server does not answer"}

func (h *modelHost) RunConfirmed(ctx context.Context, _ host.Target, run wire.Run, _ host.Check, on func(wire.Event)) (wire.Result, error) {
	h.mu.Lock()
	now := h.line
	h.mu.Unlock()
	if now == cut {
		return wire.Result{}, fmt.Errorf("%w: %w", host.ErrNotSent, errLine)
	}
	on(wire.Event{Kind: host.Sent})
	if now == lostBefore {
		return wire.Result{}, errLine
	}
	result := h.begin(ctx, run, now)
	if now == lostAfter || ctx.Err() != nil {
		return wire.Result{}, errLine
	}
	return result, nil
}

// begin performs the work of a run once, however often it is requested.
func (h *modelHost) begin(ctx context.Context, run wire.Run, l line) wire.Result {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l == slow && h.line == slow {
		if r, ok := h.ended[run.ID]; ok {
			return r
		}
		stop, ok := h.stop[run.ID]
		if !ok {
			stop = make(chan struct{})
			h.stop[run.ID] = stop
		}
		changed := h.changed
		h.mu.Unlock()
		select {
		case <-changed:
		case <-stop:
			h.mu.Lock()
			h.ended[run.ID] = wire.Result{ID: run.ID, State: wire.StateCancelled, Restored: true}
			return h.ended[run.ID]
		case <-ctx.Done():
			h.mu.Lock()
			return wire.Result{}
		}
		h.mu.Lock()
	}
	if r, ok := h.ended[run.ID]; ok {
		return r
	}
	h.starts[run.ID]++
	r := wire.Result{ID: run.ID, State: wire.StateSucceeded, Changed: true}
	if files, refused := h.changedBy(run); refused != "" {
		r = wire.Result{ID: run.ID, State: wire.StateFailed, FailedStep: refused, Reason: "exit 1", Restored: true}
	} else {
		h.files = files
	}
	h.ended[run.ID] = r
	return r
}

// changedBy applies a run to the engine, and returns the files after it, or the name of the refused step.
func (h *modelHost) changedBy(run wire.Run) (files map[string]string, refused string) {
	files = maps.Clone(h.files)
	if run.Change == nil {
		return files, ""
	}
	for _, s := range run.Change.Steps {
		if s.Exec != nil {
			if _, no := h.engine.run(s.Exec); no {
				return nil, s.Name
			}
		}
		if s.Lines != nil {
			if files[s.Lines.Path] = edited(files[s.Lines.Path], s.Lines); strings.Contains(files[s.Lines.Path], poisoned) {
				return nil, s.Name
			}
			continue
		}
		path, content, absent, once := written(s)
		switch {
		case path == "" || once && files[path] != "":
		case absent:
			delete(files, path)
		case strings.Contains(content, poisoned):
			return nil, s.Name
		default:
			files[path] = content
		}
	}
	return files, ""
}

// edited returns a file's lines after a step.
func edited(text string, l *wire.Lines) string {
	var kept []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); !slices.Contains(l.Add, line) &&
			!slices.ContainsFunc(l.Without, func(part string) bool { return strings.Contains(line, part) }) {
			kept = append(kept, line)
		}
	}
	return strings.Join(append(kept, l.Add...), "\n")
}

// written returns what a step leaves at a path; path is empty for a step that leaves nothing there.
func written(s wire.Step) (path, content string, absent, once bool) {
	switch {
	case s.File != nil:
		return s.File.Path, string(s.File.Content), s.File.Absent, s.File.Once
	case s.Link != nil:
		return s.Link.Path, "-> " + s.Link.Target, s.Link.Absent, s.Link.Once
	}
	return "", "", false, false
}

func (h *modelHost) Drift(_ context.Context, _ host.Target, change wire.Change) (wire.Drift, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var d wire.Drift
	for _, s := range change.Steps {
		if s.Lines != nil {
			for _, line := range s.Lines.Add {
				if !strings.Contains(h.files[s.Lines.Path], line) {
					d.Differences = append(d.Differences, wire.Difference{Step: s.Name, What: "lines", Diff: line})
				}
			}
			continue
		}
		path, content, absent, once := written(s)
		got, is := h.files[path]
		if path != "" && (absent && is || !absent && !is || !absent && !once && got != content) {
			d.Differences = append(d.Differences, wire.Difference{Step: s.Name, What: "content", Diff: path + ":\n" + content + "\n--- on the host\n" + got})
		}
	}
	return d, nil
}

// startedTwice is an error where some run was started more than once.
func (h *modelHost) startedTwice() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for id, n := range h.starts {
		if n > 1 {
			return fmt.Errorf("run %s was started %d times", id, n)
		}
	}
	return nil
}

// live returns the marks that some file has in it.
func (h *modelHost) live(marks []string) map[string]bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := strings.Join(slices.Collect(maps.Values(h.files)), "\n") + "\n" + h.engine.has()
	out := map[string]bool{}
	for _, m := range marks {
		out[m] = strings.Contains(all, m)
	}
	return out
}

func (h *modelHost) Cancel(_ context.Context, _ host.Target, id string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.line == cut {
		return errLine
	}
	stop, ok := h.stop[id]
	if !ok {
		return errors.New("no such run")
	}
	select {
	case <-stop:
	default:
		close(stop)
	}
	return nil
}
