package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/dotenv"
	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// The display names of a service's steps.
const (
	stepStart  = "start the program"
	stepSwitch = "send requests to it"
	stepStop   = "stop the previous program"
)

const (
	serviceWithin = time.Minute
	// serviceStarts is how often systemd restarts a program before it is given up.
	serviceStarts = 3
	serviceEvery  = 100 * time.Millisecond
	// drainWithin is how long requests of the previous program can take; what is still open then (a WebSocket) is closed with it.
	drainWithin = 30 * time.Second
	nginxUnit   = "nginx.service"
	nginxLog    = "/var/log/nginx/error.log"
	// journalLines of a program that did not start are reported.
	journalLines = 30
)

// serviceState is what a run did to a service, stored beside the run so that recovery can roll it back.
type serviceState struct {
	// Before is the slot that was live, -1 if no program ran in it; Next is the one of this run, -1 until it is known.
	Before int `json:"before"`
	Next   int `json:"next"`
	// Kept is set once the new one stays, whatever happens.
	Kept bool `json:"kept"`
}

// service is the service of a script's run.
type service struct {
	r     *scriptRun
	s     *wire.Service
	lock  *os.File
	state serviceState
}

func (r *scriptRun) servicePath() string { return filepath.Join(r.x.dir, "service") }

// openService locks the service for this run: other changes of it wait.
func (r *scriptRun) openService(ctx context.Context) (*service, error) {
	if err := os.MkdirAll(r.x.a.host(wire.ServiceDir), 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of services: %w", err)
	}
	v := &service{r: r, s: r.s.Service, state: serviceState{Before: -1, Next: -1}}
	for {
		lock, err := flock(r.x.a.host(v.s.Slots[0].EnvFile) + ".lock")
		if err == nil {
			v.lock = lock
			return v, nil
		}
		if !errors.Is(err, errLocked) {
			return nil, err
		}
		select {
		case <-time.After(laneEvery):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (v *service) close() { v.lock.Close() }

func (v *service) a() *Agent { return v.r.x.a }

func (v *service) slot(i int) wire.Slot { return v.s.Slots[i] }

// systemctl reports its output only when it fails.
func (v *service) systemctl(ctx context.Context, argv ...string) error {
	out := output.New(nil, nil, nil)
	err := v.a().programs.Run(ctx, program.Program{Argv: append([]string{"systemctl"}, argv...), Out: out})
	text, _ := out.Finish()
	if err != nil {
		return fmt.Errorf("systemctl %s: %w: %s", strings.Join(argv, " "), err, strings.TrimSpace(text))
	}
	return nil
}

// show returns a property of a unit, "" if it is unknown.
func (v *service) show(ctx context.Context, unit, property string) string {
	out := output.New(nil, nil, nil)
	err := v.a().programs.Run(ctx, program.Program{
		Argv: []string{"systemctl", "show", "--property=" + property, "--value", "--", unit}, Timeout: probeOnce, Out: out,
	})
	text, _ := out.Finish()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(text)
}

// live returns the slot in nginx's file, 0 if it is unknown, and whether a program runs in it.
func (v *service) live(ctx context.Context) (slot int, runs bool) {
	raw, err := os.ReadFile(v.a().host(v.s.Upstream))
	if err == nil && string(raw) == v.slot(1).Upstream {
		slot = 1
	}
	state := v.show(ctx, v.slot(slot).Unit, "ActiveState")
	return slot, state == "active" || state == "activating" || state == "reloading"
}

// start starts the new program in the free slot, and waits until it answers there.
func (v *service) start(ctx context.Context) error {
	live, runs := v.live(ctx)
	v.state = serviceState{Before: live, Next: 1 - live}
	if !runs {
		v.state = serviceState{Before: -1, Next: live}
	}
	if err := durable.WriteJSON(v.r.servicePath(), v.state); err != nil {
		return err
	}
	v.a().crash("service noted")
	next := v.slot(v.state.Next)
	_ = v.systemctl(ctx, "stop", "--", next.Unit) // a leftover one
	if err := v.writeVariables(ctx, next); err != nil {
		return err
	}
	if err := v.write(v.unitPath(next), next.Text, 0o644); err != nil {
		return err
	}
	if err := v.systemctl(ctx, "daemon-reload"); err != nil {
		return err
	}
	began := now()
	_ = v.systemctl(ctx, "reset-failed", "--", next.Unit)
	err := v.systemctl(ctx, "start", "--", next.Unit)
	if err == nil {
		err = v.answers(ctx, next)
	}
	if err != nil && ctx.Err() == nil {
		v.tellJournal(next.Unit, began)
	}
	v.a().crash("service started")
	return err
}

// answers waits for the program of a slot.
func (v *service) answers(ctx context.Context, slot wire.Slot) error {
	within := v.s.Within
	if within <= 0 {
		within = serviceWithin
	}
	probe := v.s.Health
	probe.Port = slot.Port
	for end, code := now().Add(within), 0; ; {
		answer := v.r.x.askHTTP(ctx, &probe)
		if answer != 0 && (len(probe.Status) == 0 || slices.Contains(probe.Status, answer)) {
			return nil
		}
		if code = answer; ctx.Err() != nil {
			return context.Cause(ctx)
		}
		restarts, _ := strconv.Atoi(v.show(ctx, slot.Unit, "NRestarts"))
		switch {
		case restarts >= serviceStarts, restarts > 0 && now().After(end):
			return &stepError{reason: "the program ended each time that it was started"}
		case now().After(end) && code != 0:
			return &stepError{reason: fmt.Sprintf("the program answers %s with %d", probe.Path, code)}
		case now().After(end):
			return &stepError{reason: fmt.Sprintf("the program does not answer on port %d, which PORT in its environment names, within %s", slot.Port, within)}
		}
		select {
		case <-time.After(serviceEvery):
		case <-ctx.Done():
		}
	}
}

// tellJournal reports the last output of a program since it was started.
func (v *service) tellJournal(unit string, since time.Time) {
	newest := output.New(nil, nil, nil)
	_ = v.a().programs.Run(context.Background(), program.Program{
		Timeout: probeOnce, Out: newest,
		Argv: []string{ // with --since, systemd 252 gives the first lines unless it goes backwards
			"journalctl", "--no-pager", "--quiet", "--output=cat", "--reverse", "--lines=" + strconv.Itoa(journalLines),
			"--since=@" + strconv.FormatInt(since.Unix(), 10), "--unit=" + unit,
		},
	})
	text, _ := newest.Finish()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	slices.Reverse(lines)
	out := output.New(v.r.x.log.Output(0, stepStart), v.r.s.Redact, nil)
	_, _ = io.WriteString(out, strings.Join(lines, "\n")+"\n")
	out.Finish()
}

// makeLive makes nginx send requests to a slot.
func (v *service) makeLive(ctx context.Context, slot int) error {
	before, err := os.ReadFile(v.a().host(v.s.Upstream))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read which program is live: %w", err)
	}
	text := v.slot(slot).Upstream
	if string(before) == text {
		return nil
	}
	release, err := v.hostLane(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := v.write(v.s.Upstream, text, 0o644); err != nil {
		return err
	}
	v.a().crash("service switched")
	err = v.reload(ctx)
	if err != nil && len(before) > 0 && !v.a().cfg.Early {
		err = errors.Join(err, v.write(v.s.Upstream, string(before), 0o644))
	}
	return err
}

// reload reloads nginx, after its settings pass the check.
func (v *service) reload(ctx context.Context) error {
	if v.a().cfg.Early {
		return nil // it does not exist yet
	}
	x := v.r.x
	if _, err := x.execStep(ctx, 0, stepSwitch, &wire.Exec{Argv: []string{"nginx", "-q", "-t"}}); err != nil {
		return err
	}
	from := v.a().sizeOf(nginxLog)
	err := x.replacing(ctx, nginxUnit, func() error {
		_, err := x.execStep(ctx, 0, stepSwitch, &wire.Exec{Argv: []string{"systemctl", "reload-or-restart", nginxUnit}})
		return err
	})
	var failed *stepError
	if line := v.a().lastLine(nginxLog, from); errors.As(err, &failed) && line != "" {
		failed.reason += ": " + line
	}
	return err
}

// hostLane waits until no other run changes nginx's files: a check of half-written files would fail for us. What a dead run left
// there is rolled back first. A run that is itself one that changes the host has the lane already.
func (v *service) hostLane(ctx context.Context) (release func(), err error) {
	if v.r.x.run.Lane == hostLane {
		return func() {}, nil
	}
	path := filepath.Join(v.a().state, "lanes", hostLane)
	for {
		lane, err := flock(path)
		if err == nil {
			const width = 64
			raw := make([]byte, width)
			n, _ := lane.ReadAt(raw, 0)
			if before := strings.TrimSpace(string(raw[:n])); namePattern.MatchString(before) {
				err = v.a().recoverInLane(before)
			}
			if err == nil || errors.Is(err, os.ErrNotExist) {
				return func() { lane.Close() }, nil
			}
			lane.Close()
		}
		if !errors.Is(err, errLocked) {
			return nil, err
		}
		select {
		case <-time.After(laneEvery):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// keep makes the new program stay, also at the next boot, and ends the previous one when its requests are done.
func (v *service) keep() error {
	ctx := context.Background()
	next := v.slot(v.state.Next)
	if err := v.systemctl(ctx, "enable", "--quiet", "--", next.Unit); err != nil {
		return err
	}
	v.state.Kept = true
	if err := durable.WriteJSON(v.r.servicePath(), v.state); err != nil {
		return err
	}
	v.a().crash("service kept")
	old := v.slot(1 - v.state.Next)
	if _, err := os.Stat(v.a().host(v.unitPath(old))); err != nil {
		return nil //nolint:nilerr // there is no older unit
	}
	err := v.systemctl(ctx, "disable", "--quiet", "--", old.Unit)
	if v.state.Before >= 0 {
		for end := now().Add(drainWithin); connected(old.Port) && now().Before(end); {
			time.Sleep(serviceEvery)
		}
	}
	return errors.Join(err, v.systemctl(ctx, "stop", "--", old.Unit))
}

// back makes the previous program live again.
func (v *service) back() error {
	if v.state.Next < 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), backWithin)
	defer cancel()
	next := v.slot(v.state.Next)
	var errs []error
	if v.state.Before >= 0 {
		old := v.slot(v.state.Before)
		errs = append(errs, v.systemctl(ctx, "enable", "--quiet", "--", old.Unit))
		if !v.a().cfg.Early {
			errs = append(errs, v.systemctl(ctx, "start", "--", old.Unit))
		}
		errs = append(errs, v.makeLive(ctx, v.state.Before))
	}
	if _, err := os.Stat(v.a().host(v.unitPath(next))); err == nil {
		errs = append(errs, v.systemctl(ctx, "disable", "--quiet", "--", next.Unit))
		if !v.a().cfg.Early {
			errs = append(errs, v.systemctl(ctx, "stop", "--", next.Unit))
		}
	}
	return errors.Join(errs...)
}

// serve runs everything before a service is kept; the caller keeps it or rolls it back, and closes it.
func (r *scriptRun) serve(ctx context.Context) (*service, string, error) {
	v, err := r.openService(ctx)
	if err != nil {
		return nil, stepStart, err
	}
	told := func(name string, f func() error) error {
		r.x.step(0, name, stepStarted)
		err := f()
		r.x.log.End()
		r.x.step(0, name, map[bool]string{true: stepChanged, false: stepFailed}[err == nil])
		return err
	}
	if err := told(stepStart, func() error { return v.start(ctx) }); err != nil {
		return v, stepStart, err
	}
	return v, stepSwitch, told(stepSwitch, func() error { return v.makeLive(ctx, v.state.Next) })
}

// abandonService ends the service of a run whose process died: it is rolled back, unless it was kept, which is reported.
func (r *scriptRun) abandonService() (kept bool) {
	var state serviceState
	if r.s.Service == nil || durable.ReadJSON(r.servicePath(), &state) != nil {
		return false
	}
	v, err := r.openService(context.Background())
	if err != nil {
		return false
	}
	defer v.close()
	if v.state = state; state.Kept {
		_ = v.keep()
		return true
	}
	r.x.tellBack(v.back())
	return false
}

// tellBack reports what could not be rolled back.
func (x *execution) tellBack(err error) {
	if err != nil {
		x.log.Emit(wire.Event{Kind: wire.EventOutput, Step: stepBack, Text: "put back: " + err.Error() + "\n"})
	}
}

func (v *service) unitPath(s wire.Slot) string { return "/etc/systemd/system/" + s.Unit }

// write replaces a system file.
func (v *service) write(path, text string, mode os.FileMode) error {
	full := v.a().host(path)
	if err := durable.Write(full, []byte(text)); err != nil {
		return err
	}
	return os.Chmod(full, mode)
}

// writeVariables writes the environment of a slot's program where systemd reads it.
func (v *service) writeVariables(ctx context.Context, slot wire.Slot) error {
	vars, problems := v.a().variables(ctx, v.s.Dotenv(), slot.Env, v.r.cred)
	for _, p := range problems {
		v.r.x.log.Emit(wire.Event{Kind: wire.EventOutput, Step: stepStart, Text: p.String() + "\n"})
	}
	return v.write(slot.EnvFile, dotenv.Environment(vars, slot.Env), 0o600)
}

// connected reports whether a connection to a local port is open.
func connected(port int) bool {
	const established = "01"
	suffix := fmt.Sprintf(":%04X", port)
	for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(raw)) {
			// sl local_address rem_address st (Documentation/networking/proc_net_tcp)
			if f := strings.Fields(line); len(f) > 3 && strings.HasSuffix(f[1], suffix) && f[3] == established {
				return true
			}
		}
	}
	return false
}
