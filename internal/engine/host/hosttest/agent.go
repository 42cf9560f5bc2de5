package hosttest

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"reflect"
	"sync"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Result is how a run ended.
type Result = wire.Result

// Agent is an in-memory agent. Its runs outlive sessions and connections, like the real one's.
type Agent struct {
	// Ahead is how far its clock is ahead. It is set before the agent is used.
	Ahead time.Duration

	onRun func(*Run) Result
	ctx   context.Context
	stop  context.CancelFunc
	wg    sync.WaitGroup

	mu     sync.Mutex
	runs   map[string]*Run
	order  []string
	starts map[string]int
	asked  map[wire.Op]int
}

// NewAgent makes an in-memory agent; with nil every step is reported as changed and the run succeeds.
func NewAgent(onRun func(*Run) Result) *Agent {
	if onRun == nil {
		onRun = succeed
	}
	a := &Agent{onRun: onRun, runs: map[string]*Run{}, starts: map[string]int{}, asked: map[wire.Op]int{}}
	a.ctx, a.stop = context.WithCancel(context.Background())
	return a
}

// Starts returns how often the run's work was started.
func (a *Agent) Starts(id string) int { a.mu.Lock(); defer a.mu.Unlock(); return a.starts[id] }

// Asked returns the number of requests of a kind.
func (a *Agent) Asked(op wire.Op) int { a.mu.Lock(); defer a.mu.Unlock(); return a.asked[op] }

// Run is a run in the agent, as its work sees it.
type Run struct {
	wire.Run
	// Left is the time that the control plane gave it.
	Left time.Duration

	agent     *Agent
	cancel    chan struct{}
	confirmed chan struct{}

	// Under agent.mu.
	once      [2]sync.Once
	events    []wire.Event
	result    *Result
	confirmBy *time.Time
	late      bool          // no confirmation came in time
	changed   chan struct{} // closed and replaced at each change
}

// Emit records an event.
func (r *Run) Emit(e wire.Event) {
	r.update(func() {
		e.Seq, e.At = int64(len(r.events)+1), time.Now()
		r.events = append(r.events, e)
	})
}

// Cancelled is closed when the run should end: by a cancel, or with the server.
func (r *Run) Cancelled() <-chan struct{} { return r.cancel }

// AwaitConfirm waits for the confirmation; it returns false if none came in time.
func (r *Run) AwaitConfirm() bool {
	by := time.Now().Add(r.Change.ConfirmWithin)
	r.Emit(wire.Event{Kind: wire.EventWaiting, State: "confirm", Text: by.Format(time.RFC3339Nano)})
	r.update(func() { r.confirmBy = &by })
	defer r.update(func() { r.confirmBy = nil })
	t := time.NewTimer(time.Until(by))
	defer t.Stop()
	select {
	case <-r.confirmed:
		return true
	case <-t.C:
	case <-r.cancel:
	}
	r.update(func() { r.late = true })
	return false
}

func (r *Run) update(fn func()) {
	r.agent.mu.Lock()
	defer r.agent.mu.Unlock()
	fn()
	close(r.changed)
	r.changed = make(chan struct{})
}

func succeed(r *Run) Result {
	if r.Change != nil {
		for i, step := range r.Change.Steps {
			r.Emit(wire.Event{Kind: wire.EventStep, Index: i, Step: step.Name, State: "started"})
			r.Emit(wire.Event{Kind: wire.EventStep, Index: i, Step: step.Name, State: "changed"})
		}
		if r.Change.ConfirmWithin > 0 && !r.AwaitConfirm() {
			return Result{State: wire.StateReverted, Reason: "not confirmed in time", Restored: true}
		}
	}
	return Result{State: wire.StateSucceeded, Changed: true}
}

// Serve serves one agent session, until its input or ctx ends.
func (a *Agent) Serve(ctx context.Context, in io.Reader, out io.Writer) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lines := make(chan []byte)
	go readLines(ctx, in, lines)
	a.serve(ctx, lines, out)
}

func (a *Agent) serve(ctx context.Context, lines <-chan []byte, out io.Writer) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(a.ctx, cancel)()
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	var mu sync.Mutex
	send := func(f wire.Frame) {
		line, err := json.Marshal(f)
		if err != nil {
			panic(err)
		}
		mu.Lock()
		defer mu.Unlock()
		if _, err := out.Write(append(line, '\n')); err != nil {
			cancel()
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case line, ok := <-lines:
			var req wire.Request
			if !ok || json.Unmarshal(line, &req) != nil {
				return
			}
			wg.Go(func() { a.handle(ctx, req, send) })
		}
	}
}

func (a *Agent) handle(ctx context.Context, req wire.Request, send func(wire.Frame)) {
	a.mu.Lock()
	a.asked[req.Op]++
	a.mu.Unlock()
	refuse := func(code, message string) {
		send(wire.Frame{ID: req.ID, Error: &wire.Error{Code: code, Message: message}, Done: true})
	}
	reply := func(body any) {
		raw, err := json.Marshal(body)
		if err != nil {
			panic(err)
		}
		send(wire.Frame{ID: req.ID, Body: raw, Done: true})
	}
	var id wire.RunID
	var attach wire.Attach
	switch req.Op {
	case wire.OpHello:
		reply(wire.Hello{Version: wire.Version, BootID: "memory", PID: os.Getpid(), Time: time.Now().Add(a.Ahead)})
		return
	case wire.OpFacts:
		reply(wire.Facts{OS: "debian", OSVersion: "12", Arch: "amd64", BootID: "memory"})
		return
	case wire.OpSamples: // one for each minute
		var q wire.SampleQuery
		out := []wire.Sample{}
		if json.Unmarshal(req.Body, &q) == nil {
			for m := max(q.After, 0) + 1; m <= time.Now().Add(a.Ahead).Unix()/60 && len(out) < 100; m++ {
				out = append(out, wire.Sample{Minute: m})
			}
		}
		reply(out)
		return
	case wire.OpDrift:
		reply(wire.Drift{})
		return
	case wire.OpRuns:
		reply(a.journal())
		return
	case wire.OpRunStart:
		var run wire.Run
		if json.Unmarshal(req.Body, &run) != nil || run.ID == "" {
			refuse(wire.ErrBadRequest, "bad run")
			return
		}
		r, ok := a.start(run)
		if !ok {
			refuse(wire.ErrRunConflict, "run "+run.ID+" is known with different content")
			return
		}
		r.stream(ctx, req.ID, 0, send)
		return
	case wire.OpAttach:
		if json.Unmarshal(req.Body, &attach) != nil {
			refuse(wire.ErrBadRequest, "bad attach")
			return
		}
		id.ID = attach.ID
	default:
		if json.Unmarshal(req.Body, &id) != nil {
			refuse(wire.ErrBadRequest, "bad body")
			return
		}
	}
	a.mu.Lock()
	r := a.runs[id.ID]
	a.mu.Unlock()
	if r == nil {
		refuse(wire.ErrUnknownRun, "no run "+id.ID)
		return
	}
	switch req.Op {
	case wire.OpAttach:
		r.stream(ctx, req.ID, attach.After, send)
		return
	case wire.OpCancel:
		r.once[0].Do(func() { close(r.cancel) })
	case wire.OpConfirm:
		a.mu.Lock()
		late := r.late
		a.mu.Unlock()
		if late {
			refuse(wire.ErrReverted, "the change was already rolled back")
			return
		}
		r.once[1].Do(func() { close(r.confirmed) })
	case wire.OpForget:
		a.mu.Lock()
		delete(a.runs, id.ID)
		a.mu.Unlock()
	}
	send(wire.Frame{ID: req.ID, Done: true})
}

func (a *Agent) start(run wire.Run) (*Run, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	left := run.Left
	run.Left = 0 // not part of what the run is
	if r := a.runs[run.ID]; r != nil {
		return r, reflect.DeepEqual(r.Run, run)
	}
	r := &Run{Run: run, Left: left, agent: a, cancel: make(chan struct{}), confirmed: make(chan struct{}), changed: make(chan struct{})}
	a.runs[run.ID] = r
	a.order = append(a.order, run.ID)
	a.starts[run.ID]++
	started := time.Now()
	a.wg.Go(func() {
		stop := context.AfterFunc(a.ctx, func() { r.once[0].Do(func() { close(r.cancel) }) })
		defer stop()
		res := a.onRun(r)
		res.ID, res.StartedAt, res.EndedAt = run.ID, started, time.Now()
		r.update(func() { r.result = &res })
	})
	return r, true
}

func (a *Agent) journal() []wire.RunSummary {
	a.mu.Lock()
	defer a.mu.Unlock()
	out := []wire.RunSummary{}
	for _, id := range a.order {
		s := wire.RunSummary{ID: id, Starts: a.starts[id], State: wire.StateRunning}
		if r := a.runs[id]; r != nil && r.result != nil {
			s.State = r.result.State
		}
		out = append(out, s)
	}
	return out
}

// stream sends the events of the run after one, until it ended.
func (r *Run) stream(ctx context.Context, id uint64, after int64, send func(wire.Frame)) {
	told := false
	for {
		r.agent.mu.Lock()
		var events []wire.Event
		if after < int64(len(r.events)) {
			events = append(events, r.events[after:]...)
		}
		result, by, changed := r.result, r.confirmBy, r.changed
		r.agent.mu.Unlock()
		for _, e := range events {
			if ctx.Err() != nil {
				return
			}
			send(wire.Frame{ID: id, Event: &e})
			after = e.Seq
		}
		var body *Result
		switch {
		case result != nil:
			body = result
		case by != nil && !told:
			body, told = &Result{ID: r.ID, State: wire.StateRunning, ConfirmBy: by}, true
		}
		if body != nil {
			raw, err := json.Marshal(body)
			if err != nil {
				panic(err)
			}
			send(wire.Frame{ID: id, Body: raw, Done: result != nil})
		}
		if result != nil {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}
