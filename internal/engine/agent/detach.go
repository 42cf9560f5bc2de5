package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// backGrace is how long a detached run can take after its deadline to roll back, before systemd ends it.
	backGrace   = 5 * time.Minute
	systemdTime = 20 * time.Second
)

func unitOf(id string) string        { return "hostler-run-" + id + ".service" }
func confirmUnitOf(id string) string { return "hostler-confirm-" + id }

// systemctl runs one of systemd's programs and returns its output.
func (a *Agent) systemctl(argv ...string) (string, error) {
	out := output.New(nil, nil, nil)
	err := a.programs.Run(context.Background(), program.Program{Argv: argv, Timeout: systemdTime, Out: out})
	text, _ := out.Finish()
	text = strings.TrimSpace(text)
	if err != nil {
		return text, fmt.Errorf("%w: %s", err, text)
	}
	return text, nil
}

// detach hands a claimed run to its own unit. The unit waits for the run's lock, which is held here until the unit exists.
func (a *Agent) detach(x *execution) error {
	defer x.release()
	limit := int(time.Until(x.until)+backGrace) / int(time.Second)
	argv := append([]string{
		"systemd-run", "--quiet", "--collect", "--no-ask-password", "--service-type=exec",
		"--unit=" + unitOf(x.run.ID), "--description=Hostler run " + x.run.ID,
		"--property=RuntimeMaxSec=" + strconv.Itoa(max(limit, 1)), "--property=KillMode=control-group",
		"--property=TimeoutStopSec=10", "--property=ExecStopPost=" + a.cfg.Self + " recover " + x.run.ID,
	}, shareOf(x.run.Script)...)
	err := x.withBus(append(argv, "--", a.cfg.Self, "run", x.run.ID)...)
	if err == nil {
		return nil
	}
	if a.unitLives(x.run.ID) {
		return nil
	}
	x.finish(wire.Result{
		ID: x.run.ID, State: wire.StateFailed, StartedAt: now(), Restored: true,
		Reason: "start the unit of the run: " + err.Error(),
	}, false)
	return nil
}

// shareOf returns the options for what a run's unit may use of the host. A program of its script that runs out of memory is ended, and this one tells.
func shareOf(s *wire.Script) []string {
	if s == nil || !slicePattern.MatchString(s.Slice) {
		return nil
	}
	out := []string{"--slice=" + s.Slice, "--property=OOMPolicy=continue"}
	if s.OpenFiles > 0 {
		out = append(out, "--property=LimitNOFILE="+strconv.FormatInt(s.OpenFiles, 10))
	}
	return out
}

// slicePattern is what slices of sites are called.
var slicePattern = regexp.MustCompile(`^system-hostler_(site|build)_([1-9][0-9]{0,18})\.slice$`)

// unitLives reports whether a detached run's unit exists, even if it has not taken its lock yet. Its stop command does not count.
func (a *Agent) unitLives(id string) bool {
	if !a.systemd || a.cfg.InUnit {
		return false
	}
	var run wire.Run
	if durable.ReadJSON(requestPath(a.runDir(id)), &run) != nil || !run.Detach {
		return false
	}
	state, err := a.systemctl("systemctl", "show", "--property=ActiveState", "--value", unitOf(id))
	return err == nil && (state == "active" || state == "activating" || state == "reloading")
}

// Execute performs a detached run, inside its unit.
func (a *Agent) Execute(id string) error {
	if err := a.mustKnow(id); err != nil {
		return err
	}
	// The process that claimed the run holds its lock until this unit exists.
	lock, err := os.OpenFile(lockPath(a.runDir(id)), os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("open lock of run %s: %w", id, err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		lock.Close()
		return fmt.Errorf("lock run %s: %w", id, err)
	}
	var run wire.Run
	if err := durable.ReadJSON(requestPath(a.runDir(id)), &run); err != nil {
		lock.Close()
		return fmt.Errorf("read run %s: %w", id, err)
	}
	if _, err := a.result(id); err == nil || a.began(id) {
		// It has ended, or another process began it and died: nothing starts twice.
		lock.Close()
		return a.recoverRun(id)
	}
	x, err := a.take(run, a.limit(run), lock)
	if err != nil {
		lock.Close()
		return err
	}
	a.spawn(x)
	a.runs.Wait()
	return nil
}

// began reports whether any process started a run's work.
func (a *Agent) began(id string) bool {
	found := false
	_ = a.lines(func(l line) { found = found || l.ID == id })
	return found
}

// RecoverRun is Recover for one run.
func (a *Agent) RecoverRun(id string) error {
	if err := a.mustKnow(id); err != nil {
		return err
	}
	return a.recoverRun(id)
}

// killUnit kills everything in this process's own unit but the process itself.
func killUnit() {
	raw, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return
	}
	_, group, ok := strings.Cut(strings.TrimSpace(string(raw)), "0::")
	if !ok || !strings.Contains(group, "hostler-run-") {
		return
	}
	for range 10 {
		procs, err := os.ReadFile("/sys/fs/cgroup" + group + "/cgroup.procs")
		if err != nil {
			return
		}
		found := false
		for f := range strings.FieldsSeq(string(procs)) {
			if p, err := strconv.Atoi(f); err == nil && p != os.Getpid() {
				found = true
				_ = syscall.Kill(p, syscall.SIGKILL)
			}
		}
		if !found {
			return
		}
	}
}

// arm makes the host roll the Change back even if this process dies: with a systemd timer, and at boot if the host restarts meanwhile.
func (x *execution) arm() error {
	if !x.a.systemd {
		return nil
	}
	if err := x.a.install(); err != nil {
		return err
	}
	within := x.run.Change.ConfirmWithin
	_, err := x.a.systemctl("systemd-run", "--quiet", "--collect", "--no-ask-password",
		"--unit="+confirmUnitOf(x.run.ID), "--description=Hostler: put back run "+x.run.ID+" unless confirmed",
		"--on-active="+strconv.FormatInt(within.Milliseconds(), 10)+"ms", "--timer-property=AccuracySec=100ms",
		"--", x.a.cfg.Self, "revert", x.run.ID)
	return err
}

// disarm removes the timer. It is harmless if it stays.
func (x *execution) disarm() {
	if x.a.systemd && x.run.Change.ConfirmWithin > 0 {
		_, _ = x.a.systemctl("systemctl", "stop", "--no-block", confirmUnitOf(x.run.ID)+".timer")
	}
}

// Revert rolls back a Change that was not confirmed. While the process that applies it lives, that one does it: its own timer
// begins when the last step is done. This one is for when it died.
func (a *Agent) Revert(id string) error {
	if err := a.mustKnow(id); err != nil {
		return err
	}
	for {
		if _, err := a.result(id); err == nil {
			return nil
		}
		if err := a.recoverRun(id); err != nil {
			return err
		}
		if by := a.waiting(id); by != nil && now().After(by.Add(time.Second)) {
			if _, err := a.decide(id, false); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
		time.Sleep(laneEvery)
	}
}
