package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// errReverted is returned if no confirmation came in time.
var errReverted = errors.New("not confirmed in time, so it was rolled back")

// confirmEvery is how often the waiting process polls for a decision.
const confirmEvery = 10 * time.Millisecond

// waitConfirm is the state of the event with the deadline of a confirmation.
const waitConfirm = "confirm"

// decided reports whether a Change has been confirmed or reverted.
func (a *Agent) decided(id string) bool {
	_, err := os.Stat(decisionPath(a.runDir(id)))
	return err == nil
}

// Words of a decision.
const (
	decidedConfirm = "confirm"
	decidedRevert  = "revert"
)

// decide settles whether a waiting Change stays: the first call decides. It returns the decision.
func (x *execution) decide(confirm bool) (bool, error) { return x.a.decide(x.run.ID, confirm) }

func (a *Agent) decide(id string, confirm bool) (bool, error) {
	word := decidedRevert
	if confirm {
		word = decidedConfirm
	}
	path := decisionPath(a.runDir(id))
	f, err := os.CreateTemp(a.runDir(id), ".decision-*")
	if err != nil {
		return false, fmt.Errorf("decide on run %s: %w", id, err)
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(word)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Link(f.Name(), path)
	}
	if err == nil || errors.Is(err, os.ErrExist) {
		err = durable.SyncDir(filepath.Dir(path))
	}
	if err != nil {
		return false, fmt.Errorf("decide on run %s: %w", id, err)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		return false, fmt.Errorf("decide on run %s: %w", id, err)
	}
	return strings.TrimSpace(string(raw)) == decidedConfirm, nil
}

// Confirm confirms a waiting Change.
func (a *Agent) Confirm(id string) error {
	if err := a.mustKnow(id); err != nil {
		return err
	}
	if res, err := a.result(id); err == nil {
		if res.State == wire.StateSucceeded {
			return nil
		}
		return refuse(wire.ErrReverted, "run %s was already rolled back", id)
	}
	waits := false
	if err := durable.ReadLines(journalPath(a.runDir(id)), func(e entry) { waits = waits || e.Op == opWait }); err != nil {
		return err
	}
	if !waits {
		return refuse(wire.ErrBadRequest, "run %s does not wait for a confirmation", id)
	}
	kept, err := a.decide(id, true)
	if err != nil {
		return err
	}
	if !kept {
		return refuse(wire.ErrReverted, "run %s is being rolled back", id)
	}
	return a.recoverRun(id) // only if the waiting process died
}

// awaitConfirm waits for the decision, and reverts when the time is up.
func (x *execution) awaitConfirm(ctx context.Context, within time.Duration) error {
	by := now().Add(within)
	if err := x.note(entry{Op: opWait, By: &by}); err != nil {
		return err
	}
	x.a.crash("waiting")
	x.wait(waitConfirm, by.Format(time.RFC3339Nano))
	// The host's clock may be set in between; the timer is unaffected.
	timer := time.NewTimer(within)
	defer timer.Stop()
	t := time.NewTicker(confirmEvery)
	defer t.Stop()
	for {
		kept, err := false, error(nil)
		select {
		case <-t.C:
			if !x.a.decided(x.run.ID) {
				continue
			}
			kept, err = x.decide(false)
		case <-timer.C:
			kept, err = x.decide(false)
		case <-ctx.Done():
			kept, err = x.decide(false)
			if err == nil && !kept {
				err = context.Cause(ctx)
			}
		}
		switch {
		case err != nil:
			return err
		case !kept:
			return errReverted
		}
		x.disarm()
		return nil
	}
}

// waiting returns the deadline of a run's confirmation, nil if it does not wait for one.
func (a *Agent) waiting(id string) (by *time.Time) {
	_ = durable.ReadLines(journalPath(a.runDir(id)), func(e entry) {
		switch e.Op {
		case opWait:
			by = e.By
		case opBack:
			by = nil
		}
	})
	return by
}
