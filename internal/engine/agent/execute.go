package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/engine/agent/proc"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Reasons for a run to end before its work does.
var (
	errCancelled = errors.New("cancelled")
	errDeadline  = errors.New("its time was up")
	errFenced    = errors.New("another owner has taken the lane")
)

const (
	// laneEvery is how often a busy lane is tried, watchEvery how often to check for a cancel from another process.
	laneEvery  = 20 * time.Millisecond
	watchEvery = 50 * time.Millisecond
)

// execution is a run in the process that performs it or rolls it back, which holds its lock.
type execution struct {
	a      *Agent
	run    wire.Run
	until  time.Time // when it is killed; has a monotonic reading
	dir    string
	lock   *os.File
	log    *output.Log
	ctx    context.Context
	stop   context.CancelCauseFunc
	ended  chan struct{}
	writes []writing
	own    map[string]string // hashes of own files by path, "" for what is not one
	checks []wire.Check
}

// take opens a run whose lock is held.
func (a *Agent) take(run wire.Run, until time.Duration, lock *os.File) (*execution, error) {
	dir := a.runDir(run.ID)
	log, err := output.Open(eventsPath(dir))
	if err != nil {
		return nil, err
	}
	x := &execution{a: a, run: run, until: time.Now().Add(until - uptime()), dir: dir, lock: lock, log: log, ended: make(chan struct{})}
	x.ctx, x.stop = context.WithCancelCause(context.Background())
	return x, nil
}

// release releases the run, whether it ended or not.
func (x *execution) release() {
	x.stop(nil)
	close(x.ended)
	x.log.Wake()
	x.log.Close()
	x.lock.Close()
}

// mark returns the marker in the environment of the run's programs. Another root is another host.
func (x *execution) mark() string { return strings.TrimSpace(x.run.ID + " " + x.a.cfg.Root) }

func (x *execution) step(i int, name, state string) {
	x.log.Emit(wire.Event{Kind: wire.EventStep, Index: i, Step: name, State: state})
}

func (x *execution) wait(state, text string) {
	x.log.Emit(wire.Event{Kind: wire.EventWaiting, State: state, Text: text})
}

// checked notes a check that the host answered as it should.
func (x *execution) checked(kind wire.CheckKind, evidence string) {
	if c := (wire.Check{Kind: kind, Evidence: evidence}); len(x.checks) < wire.MaxChecks && !slices.Contains(x.checks, c) {
		x.checks = append(x.checks, c)
	}
}

// execute performs the run, to a recorded end.
func (x *execution) execute() {
	res := wire.Result{ID: x.run.ID, StartedAt: now()}
	ctx, cancel := context.WithDeadlineCause(x.ctx, x.until, errDeadline)
	defer cancel()
	go x.watch(ctx)
	lane, err := x.enter(ctx)
	if err != nil {
		x.fail(&res, -1, err)
		x.unbegun(&res)
		x.finish(res, false)
		return
	}
	defer lane.Close()
	if err := durable.Append(x.a.journalPath(), line{
		ID: x.run.ID, Lane: x.run.Lane, Fence: x.run.Fence, Start: true,
		State: wire.StateRunning, At: res.StartedAt,
	}); err != nil {
		x.fail(&res, -1, err)
		x.unbegun(&res)
		x.finish(res, false)
		return
	}
	x.a.crash("started")
	if x.run.Script != nil {
		x.script(ctx, &res)
		x.finish(res, true)
		return
	}
	switch {
	case x.run.Backup != nil:
		x.backup(ctx, &res)
	case x.run.Restore != nil:
		x.restore(ctx, &res)
	default:
		x.change(ctx, &res)
	}
	x.finish(res, true)
}

// change applies the run's Change, or rolls it back.
func (x *execution) change(ctx context.Context, res *wire.Result) {
	c := &change{x: x, c: x.run.Change}
	confirm := x.run.Change.ConfirmWithin
	if confirm > 0 {
		if err := x.arm(); err != nil {
			x.fail(res, -1, fmt.Errorf("arm the revert: %w", err))
			res.Restored = true
			return
		}
	}
	failed, err := c.run(ctx)
	res.Changed = c.changed
	var apart *partsError
	if (err == nil || errors.As(err, &apart)) && confirm > 0 {
		if refused := x.awaitConfirm(ctx, confirm); refused != nil {
			failed, err, apart = -1, refused, nil
		}
	}
	if err == nil || apart != nil {
		x.a.crash("commit")
		if recorded := x.record(); recorded != nil {
			err = recorded
		} else if apart != nil { // what the other parts did stays
			x.fail(res, failed, err)
			res.Partly = true
			x.disarm()
			return
		}
	}
	if err == nil {
		res.State = wire.StateSucceeded
		return
	}
	x.fail(res, failed, err)
	x.revert(res)
	x.disarm()
}

// revert rolls everything back and records it in the result. The result is recorded first: if this process dies meanwhile, the
// run ends as it would have.
func (x *execution) revert(res *wire.Result) {
	proc.KillMarked(x.mark())
	if x.a.cfg.InUnit {
		killUnit()
	}
	err := x.note(entry{Op: opBack, Result: res})
	if err != nil {
		x.a.spend()
		err = x.note(entry{Op: opBack, Result: res})
	}
	if errors.Is(err, os.ErrNotExist) {
		res.Reason += "; what it changed can't be put back, as the agent's directory was removed in the middle"
		if res.State == wire.StateFailed { // which may be why: it can be done again
			res.State = wire.StateLost
		}
		return
	}
	if err != nil {
		res.Reason += "; " + err.Error()
	}
	x.a.crash("back")
	err = x.putBack(x.run.Change.Steps)
	if errors.Is(err, unix.ENOSPC) {
		x.a.spend()
		err = x.putBack(x.run.Change.Steps)
	}
	if err != nil {
		res.Reason = strings.TrimPrefix(res.Reason+"; not everything could be rolled back: "+err.Error(), "; ")
		return
	}
	res.Restored = true
	x.a.crash("is back")
}

// unbegun completes the result of a run that failed before it changed anything. One whose directory was removed meanwhile can be done again.
func (x *execution) unbegun(res *wire.Result) {
	res.Restored = true
	if _, err := os.Stat(x.dir); errors.Is(err, os.ErrNotExist) && res.State == wire.StateFailed {
		res.State = wire.StateLost
	}
}

// fail fills a result from an error.
func (x *execution) fail(res *wire.Result, step int, err error) {
	res.State, res.Reason = wire.StateFailed, err.Error()
	if step >= 0 && x.run.Change != nil {
		res.FailedStep, res.Index = x.run.Change.Steps[step].Name, step
	}
	switch {
	case errors.Is(err, errCancelled):
		res.State = wire.StateCancelled
	case errors.Is(err, errDeadline):
		res.State = wire.StateTimedOut
	case errors.Is(err, errReverted):
		res.State = wire.StateReverted
	}
	var se *stepError
	if errors.As(err, &se); res.State == wire.StateFailed {
		said := ""
		if se != nil {
			said = se.output
		}
		res.Reason = x.a.ofDisk(err, said) + res.Reason
	}
	if errors.As(err, &se) {
		res.Output, res.ExitCode = output.Tail(se.output, output.ResultSize), se.code
	}
}

// finish writes the end of a run, which makes its changes permanent.
func (x *execution) finish(res wire.Result, started bool) {
	res.EndedAt = now()
	if res.State == wire.StateSucceeded {
		res.Checks = x.checks
	}
	x.log.End()
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		err := durable.WriteJSON(resultPath(x.dir), res)
		if err == nil {
			break
		}
		if errors.Is(err, os.ErrNotExist) { // somebody removed the run's directory; what asks for the run finds its end again
			err = x.remake()
		}
		if err == nil {
			continue
		}
		// A full disk. Without a result the run has no end, so it is tried again; should we be killed, recovery does it.
		x.a.spend()
		x.wait("disk", "the result can't be written: "+err.Error())
		time.Sleep(pause)
	}
	x.a.crash("result")
	lines := []any{line{ID: res.ID, State: res.State, At: res.EndedAt}}
	if !started {
		lines = []any{line{ID: res.ID, Lane: x.run.Lane, Fence: x.run.Fence, State: res.State, At: res.StartedAt}}
	}
	_ = durable.Append(x.a.journalPath(), lines...)
	if res.State == wire.StateSucceeded || res.Restored || res.Partly || x.run.Change == nil {
		// They contain the previous contents, and nothing will be rolled back from now on.
		_ = os.RemoveAll(snapshotDir(x.dir))
		_ = os.Remove(journalPath(x.dir))
		_ = x.forgetRequest()
	}
}

// remake makes the directory of a run again that was removed under it.
func (x *execution) remake() error {
	if err := x.a.prepare(); err != nil {
		return err
	}
	raw, err := json.Marshal(x.run)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(x.dir, 0o700); err != nil {
		return err
	}
	return durable.Write(requestPath(x.dir), []byte(digest(raw)))
}

// forgetRequest keeps only the part of the request that distinguishes it from others.
func (x *execution) forgetRequest() error {
	raw, err := os.ReadFile(requestPath(x.dir))
	if err != nil {
		return err
	}
	tmp := filepath.Join(x.dir, ".request")
	if err := os.WriteFile(tmp, []byte(digest(raw)), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, requestPath(x.dir))
}

// enter waits for the lane. A lower fence than the host has seen meanwhile is refused.
func (x *execution) enter(ctx context.Context) (*os.File, error) {
	told := false
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		f, err := flock(filepath.Join(x.a.state, "lanes", x.run.Lane))
		if err == nil {
			if seen := x.a.fence(x.run.Lane); x.run.Fence < seen {
				f.Close()
				return nil, fmt.Errorf("%w (fence %d, seen %d)", errFenced, x.run.Fence, seen)
			}
			err = x.clear(f)
			if err == nil {
				return f, nil
			}
			f.Close()
		}
		if !errors.Is(err, errLocked) {
			return nil, err
		}
		if !told {
			told = true
			x.wait("lane", "another run on this server to end")
		}
		select {
		case <-time.After(laneEvery):
		case <-ctx.Done():
		}
	}
}

// clear takes over the lane: the run that had it before is rolled back first, if its process died.
func (x *execution) clear(lane *os.File) error {
	const width = 64 // of a run's id, at most
	raw := make([]byte, width)
	n, _ := lane.ReadAt(raw, 0)
	if before := strings.TrimSpace(string(raw[:n])); before != x.run.ID && namePattern.MatchString(before) {
		if err := x.a.recoverInLane(before); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	// Durable, so that this also applies to the run after a power cut.
	_, err := fmt.Fprintf(io.NewOffsetWriter(lane, 0), "%-*s", width, x.run.ID)
	if err == nil {
		err = unix.Fdatasync(int(lane.Fd()))
	}
	if err != nil {
		return fmt.Errorf("enter lane: %w", err)
	}
	return nil
}

// watch ends the run when another process requests it.
func (x *execution) watch(ctx context.Context) {
	t := time.NewTicker(watchEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if _, err := os.Stat(cancelPath(x.dir)); err == nil {
				x.stop(errCancelled)
				return
			}
		case <-ctx.Done():
			return
		case <-x.ended:
			return
		}
	}
}

// fence returns the highest fencing number seen for a lane.
func (a *Agent) fence(lane string) int64 {
	raw, err := os.ReadFile(filepath.Join(a.state, "fence", lane))
	if err != nil {
		return 0
	}
	n, _ := strconv.ParseInt(strings.TrimSpace(string(raw)), 10, 64)
	return n
}
