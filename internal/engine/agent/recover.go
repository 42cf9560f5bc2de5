package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/engine/agent/proc"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Recover ends every run whose process died: its changes are rolled back.
func (a *Agent) Recover() error {
	entries, err := os.ReadDir(filepath.Join(a.state, "runs"))
	if err != nil && !errors.Is(err, os.ErrNotExist) { // without the directory there is none
		return fmt.Errorf("list runs: %w", err)
	}
	var errs []error
	for _, e := range entries {
		name := e.Name()
		path := filepath.Join(a.state, "runs", name)
		if strings.HasPrefix(name, ".") {
			removeLeft(path)
			continue
		}
		if _, err := os.Stat(resultPath(path)); err == nil {
			continue
		}
		if err := a.recoverRun(name); err != nil {
			errs = append(errs, fmt.Errorf("recover run %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// leftAfter is how old the directory of a claim is that has no lock and is not just being made.
const leftAfter = time.Hour

// removeLeft removes what an interrupted claim or removal has left. An active claim holds its lock, or is about to make it.
func removeLeft(path string) {
	if strings.HasPrefix(filepath.Base(path), ".gone-") {
		_ = os.RemoveAll(path)
		return
	}
	lock, err := flockExisting(lockPath(path))
	if err == nil {
		defer lock.Close()
	} else if info, failed := os.Stat(path); !errors.Is(err, os.ErrNotExist) || failed != nil || now().Sub(info.ModTime()) < leftAfter {
		return
	}
	_ = os.RemoveAll(path)
}

// recoverRun ends a run if its process died. An active run is left alone.
func (a *Agent) recoverRun(id string) error {
	x, err := a.orphan(id)
	if x == nil || err != nil {
		return err
	}
	defer x.release()
	// A run that died before its work began has nothing to roll back, and does not wait for those in its lane.
	for !x.startedLine().IsZero() {
		lane, err := flock(filepath.Join(a.state, "lanes", x.run.Lane))
		if err == nil {
			defer lane.Close()
			break
		}
		if !errors.Is(err, errLocked) {
			return err
		}
		time.Sleep(laneEvery)
	}
	return x.recover()
}

// recoverInLane is recoverRun for a caller that has the lane. It returns errLocked while another process recovers the run, which
// then waits for the lane.
func (a *Agent) recoverInLane(id string) error {
	if _, err := a.result(id); err == nil {
		return nil
	}
	lock, err := flockExisting(lockPath(a.runDir(id)))
	if err != nil {
		return err
	}
	lock.Close()
	x, err := a.orphan(id)
	if x == nil || err != nil {
		return err
	}
	defer x.release()
	return x.recover()
}

// orphan takes a run without an end and a process; nil if there is nothing to recover.
func (a *Agent) orphan(id string) (*execution, error) {
	if _, err := a.result(id); err == nil {
		return nil, nil
	}
	lock, err := flockExisting(lockPath(a.runDir(id)))
	if errors.Is(err, errLocked) || errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if _, err := a.result(id); err == nil || a.unitLives(id) || a.cfg.Early && openPackages(a.runDir(id)) >= 0 {
		lock.Close()
		return nil, nil
	}
	var run wire.Run
	if err := durable.ReadJSON(requestPath(a.runDir(id)), &run); err != nil {
		lock.Close()
		return nil, err
	}
	if a.cfg.Early && (run.Restore != nil || run.Backup != nil) { // its objects are dropped once the engine is up
		lock.Close()
		return nil, nil
	}
	x, err := a.take(run, a.limit(run), lock)
	if err != nil {
		lock.Close()
		return nil, err
	}
	return x, nil
}

func flockExisting(path string) (*os.File, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	return flock(path)
}

// recover ends a run whose process died. The caller holds the run's lock and its lane; if it dies too, the next one starts over.
func (x *execution) recover() error {
	proc.KillMarked(x.mark())
	var last, back *entry
	_ = durable.ReadLines(journalPath(x.dir), func(e entry) {
		switch e.Op {
		case opWait:
			last = &e
		case opBack:
			back = &e
		}
	})
	started := x.startedLine()
	res := wire.Result{
		ID: x.run.ID, StartedAt: started, State: wire.StateLost, Index: 0,
		Reason: "the agent or the host died in the middle of the run",
	}
	if started.IsZero() {
		res.StartedAt = now()
	}
	switch {
	case back != nil && back.Result != nil:
		res = *back.Result
	case last != nil:
		confirmed, err := x.decide(false)
		if err != nil {
			return err
		}
		if confirmed {
			res.State, res.Reason, res.Changed = wire.StateSucceeded, "", true
			x.adopt()
			if err := x.record(); err != nil {
				return err
			}
			x.disarm()
			x.finish(res, !started.IsZero())
			return nil
		}
		// Reverted means that the time was up. Before that, and after a boot, it is unknown whether a confirmation would have come.
		if !x.a.cfg.Early && last.By != nil && !now().Before(*last.By) {
			res.State, res.Reason, res.Changed = wire.StateReverted, errReverted.Error(), true
		}
	}
	if _, err := os.Stat(cancelPath(x.dir)); err == nil && back == nil && last == nil {
		res.State, res.Reason = wire.StateCancelled, errCancelled.Error()
	}
	if res.State == wire.StateLost && x.run.Detach && time.Now().After(x.until) && os.Getenv("SERVICE_RESULT") == "timeout" {
		res.State, res.Reason = wire.StateTimedOut, errDeadline.Error()
	}
	if x.run.Script != nil {
		x.abandonScript(&res)
	}
	if x.run.Restore != nil || x.run.Backup != nil {
		x.clean()
	}
	if x.run.Change != nil {
		x.revert(&res)
		x.disarm()
	}
	x.finish(res, !started.IsZero())
	return nil
}

// startedLine returns when the run began its work, from the host's journal.
func (x *execution) startedLine() (at time.Time) {
	_ = x.a.lines(func(l line) {
		if l.ID == x.run.ID && l.Start {
			at = l.At
		}
	})
	return at
}

// adopt records as ours the files of a Change that was confirmed while its process was dead.
func (x *execution) adopt() {
	for _, s := range x.run.Change.Steps {
		if s.File != nil && !s.File.Once {
			x.owns(s.File)
		}
		if s.File != nil && !s.File.Absent {
			x.wrote(s.File.Path, s.File.Content)
		}
	}
}
