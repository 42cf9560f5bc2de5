package agent

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

func refuse(code, format string, args ...any) error {
	return &wire.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Start starts a run, unless its id is known: then the run must be the same one, or it is refused.
func (a *Agent) Start(run wire.Run) error {
	if err := checkRun(&run); err != nil {
		return refuse(wire.ErrBadRequest, "%s", err)
	}
	if err := a.prepare(); err != nil {
		return err
	}
	run.Deadline = run.Deadline.UTC().Round(0)
	until := a.limitOf(&run)
	request, err := json.Marshal(run)
	if err != nil {
		return fmt.Errorf("encode run: %w", err)
	}
	if known, err := a.known(run.ID, request); known || err != nil {
		return err
	}
	if err := a.raiseFence(run.Lane, run.Fence); err != nil {
		return err
	}
	lock, err := a.claim(run.ID, request, until)
	if errors.Is(err, os.ErrExist) {
		_, err := a.known(run.ID, request)
		return err
	}
	if err != nil {
		return fmt.Errorf("claim run %s: %w", run.ID, err)
	}
	a.crash("claimed")
	a.reserve()
	x, err := a.take(run, until, lock)
	if err != nil {
		lock.Close()
		return err
	}
	if run.Detach && a.systemd {
		return a.detach(x)
	}
	a.spawn(x)
	return nil
}

// spawn executes a run in this process.
func (a *Agent) spawn(x *execution) {
	a.mu.Lock()
	a.live[x.run.ID] = x
	a.mu.Unlock()
	a.runs.Go(func() {
		defer func() {
			a.mu.Lock()
			delete(a.live, x.run.ID)
			a.mu.Unlock()
			x.release()
		}()
		x.execute()
	})
}

// known reports whether the host already has this run. One that was forgotten never starts again either.
func (a *Agent) known(id string, request []byte) (bool, error) {
	have, err := os.ReadFile(requestPath(a.runDir(id)))
	switch {
	case err == nil && (bytes.Equal(have, request) || string(have) == digest(request)):
		return true, nil
	case err == nil:
		return true, refuse(wire.ErrRunConflict, "run %s is known with different content", id)
	case !errors.Is(err, os.ErrNotExist):
		return false, fmt.Errorf("read run %s: %w", id, err)
	}
	if _, err := os.Stat(filepath.Join(a.state, "forgotten", id)); err == nil {
		return true, refuse(wire.ErrRunConflict, "run %s ended and was forgotten", id)
	}
	return false, nil
}

// digest replaces a request once its run ended: it may contain secrets that are no longer needed.
func digest(request []byte) string { return "sha256:" + object.Hash(request) }

// claim creates the run's directory with all its contents by one rename, already locked: it is never seen incomplete, and only one caller gets it.
func (a *Agent) claim(id string, request []byte, until time.Duration) (*os.File, error) {
	for attempt := 1; ; attempt++ {
		tmp, err := os.MkdirTemp(filepath.Join(a.state, "runs"), ".new-*")
		if err != nil {
			return nil, err
		}
		lock, err := a.claimIn(tmp, id, request, until)
		_ = os.RemoveAll(tmp)
		// Another process that recovers runs can take a directory whose lock is not held yet for one that was left, and remove it.
		if attempt == claimAttempts || !errors.Is(err, errLocked) && !errors.Is(err, os.ErrNotExist) {
			return lock, err
		}
	}
}

// claimAttempts is how often a claim starts over: another process recovers only when it starts.
const claimAttempts = 10

// claimIn makes a claim in a new directory.
func (a *Agent) claimIn(tmp, id string, request []byte, until time.Duration) (*os.File, error) {
	lock, err := flock(lockPath(tmp))
	if err != nil {
		return nil, err
	}
	err = errors.Join(durable.Write(requestPath(tmp), request), durable.Write(limitPath(tmp), strconv.AppendInt(nil, int64(until), 10)))
	if err == nil {
		// A directory that is not empty is never replaced, and a run's never is empty.
		err = os.Rename(tmp, a.runDir(id))
	}
	if err == nil {
		err = durable.SyncDir(filepath.Dir(tmp))
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	return lock, nil
}

// raiseFence refuses a lower number than the host has seen for the lane and records a higher one.
func (a *Agent) raiseFence(lane string, fence int64) error {
	path := filepath.Join(a.state, "fence", lane)
	f, err := os.OpenFile(filepath.Join(a.state, "fence.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("fence lane %s: %w", lane, err)
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("fence lane %s: %w", lane, err)
	}
	seen := a.fence(lane)
	switch {
	case fence < seen:
		return refuse(wire.ErrFenced, "lane %s has another owner: fence %d, seen %d", lane, fence, seen)
	case fence > seen:
		return durable.Write(path, strconv.AppendInt(nil, fence, 10))
	}
	return nil
}

// Cancel requests the end of a run. The run ends only with its result.
func (a *Agent) Cancel(id string) error {
	if err := a.mustKnow(id); err != nil {
		return err
	}
	a.mu.Lock()
	x := a.live[id]
	a.mu.Unlock()
	if err := os.WriteFile(cancelPath(a.runDir(id)), nil, 0o600); err != nil {
		return fmt.Errorf("cancel run %s: %w", id, err)
	}
	if x != nil {
		x.stop(errCancelled)
		return nil
	}
	if _, err := a.result(id); err == nil {
		return nil
	}
	return a.recoverRun(id)
}

// Forget deletes the directory of a run that ended.
func (a *Agent) Forget(id string) error {
	if err := a.mustKnow(id); err != nil {
		return err
	}
	if _, err := a.result(id); err != nil {
		return refuse(wire.ErrBadRequest, "run %s has not ended", id)
	}
	if err := durable.Write(filepath.Join(a.state, "forgotten", id), nil); err != nil {
		return fmt.Errorf("forget run %s: %w", id, err)
	}
	// By a rename first, so that a crash leaves no directory with half a run in it.
	gone := filepath.Join(a.state, "runs", ".gone-"+id)
	if err := os.Rename(a.runDir(id), gone); err != nil {
		return fmt.Errorf("forget run %s: %w", id, err)
	}
	if err := os.RemoveAll(gone); err != nil {
		return fmt.Errorf("forget run %s: %w", id, err)
	}
	return durable.SyncDir(filepath.Join(a.state, "runs"))
}

func (a *Agent) mustKnow(id string) error {
	if err := checkName("run id", id); err != nil {
		return refuse(wire.ErrBadRequest, "%s", err)
	}
	if _, err := os.Stat(requestPath(a.runDir(id))); err != nil {
		return refuse(wire.ErrUnknownRun, "there is no run %s", id)
	}
	return nil
}

// result returns the result of a run; os.ErrNotExist if it has not ended.
func (a *Agent) result(id string) (wire.Result, error) {
	var res wire.Result
	err := durable.ReadJSON(resultPath(a.runDir(id)), &res)
	return res, err
}
