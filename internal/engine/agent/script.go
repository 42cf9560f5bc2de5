package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/engine/agent/passwd"
	"github.com/hostlerhq/hostler/internal/engine/agent/proc"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/text"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// scriptDir is where scripts are placed while they run: their account can read its own and list nothing. It is not below /run,
// which is often mounted noexec.
const scriptDir = stateDir + "/scripts"

const (
	// binName is the directory of the programs beside a script.
	binName = "bin"
	// backWithin limits the rollback, afterWithin what runs after a success.
	backWithin  = 2 * time.Minute
	afterWithin = 2 * time.Minute
	maxReport   = 64 << 10
	// maxReason is the longest reason that a report gives, in bytes.
	maxReason = 1000
)

// The display names of a script's steps.
const (
	stepBefore = "prepare"
	stepScript = "script"
	stepResult = "check the result"
	stepCheck  = "check"
	stepAfter  = "clean up"
	stepBack   = "put back"
)

// script runs a user's script as a file, under its account, with data only in its environment.
func (x *execution) script(ctx context.Context, res *wire.Result) {
	r, err := x.prepareScript()
	if err != nil {
		x.fail(res, -1, err)
		return
	}
	defer os.RemoveAll(r.dir)
	x.a.crash("script placed")
	refused := x.a.refusedIn(r.s.Slice)
	step, end, err := r.all(ctx)
	if r.v != nil {
		defer r.v.close()
	}
	if err == nil {
		res.State, res.Changed = wire.StateSucceeded, true
		r.keepService()
		if len(r.s.After) > 0 {
			_, _ = r.step(context.Background(), stepAfter, r.s.After, time.Now().Add(afterWithin))
		}
		r.tellLeft()
		res.Report = r.report()
		return
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
		proc.KillMarked(x.mark())
		if x.a.cfg.InUnit {
			killUnit()
		}
	}
	x.fail(res, -1, err)
	if full := x.a.ofDisk(err, end); full != "" && res.State == wire.StateFailed && !strings.HasPrefix(res.Reason, full) {
		res.Reason = full + res.Reason
	}
	if x.a.cfg.InUnit && res.State == wire.StateFailed {
		res.Reason = x.a.ofLimits(r.s, x.a.ownGroup(), refused) + res.Reason
	}
	res.FailedStep, res.Output, res.Changed = step, end, true
	var exit *program.ExitError
	if errors.As(err, &exit) {
		res.ExitCode = exit.Code
	}
	if r.v != nil {
		x.tellBack(r.v.back())
	}
	r.back()
	res.Report = r.report()
	if said := r.reason(res.Report); said != "" && res.State == wire.StateFailed {
		res.Reason = said
	}
}

// tellLeft says which programs the script left running, which end with the unit of the run.
func (r *scriptRun) tellLeft() {
	if !r.x.a.cfg.InUnit {
		return
	}
	var names []string
	for _, pid := range proc.Marked(r.x.mark()) {
		if name := text.Line(proc.NameOf(pid)); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	slices.Sort(names)
	begin := ""
	if r.open {
		begin = "\n"
	}
	r.x.log.Emit(wire.Event{Kind: wire.EventOutput, Step: stepScript, Text: begin + "Ended what the script left running: " + strings.Join(names, ", ") +
		". What has to go on running is a background process of the server.\n"})
}

// reason returns the failure that the release program wrote to the report, or "" if there is none.
func (r *scriptRun) reason(report map[string]string) string {
	said := report[wire.ReportReason]
	for _, secret := range r.s.Redact {
		if secret != "" {
			said = strings.ReplaceAll(said, secret, "[redacted]")
		}
	}
	return text.Clean(text.Line(said), maxReason)
}

// keepService finishes a service after success: a failure now is reported, and changes nothing.
func (r *scriptRun) keepService() {
	if r.v == nil {
		return
	}
	r.x.step(0, stepStop, stepStarted)
	if err := r.v.keep(); err != nil {
		r.x.log.Emit(wire.Event{Kind: wire.EventOutput, Step: stepStop, Text: err.Error() + "\n"})
	}
	r.x.step(0, stepStop, stepChanged)
}

// abandonScript ends the script of a run whose process died: what it began is rolled back, if it was placed at all.
func (x *execution) abandonScript(res *wire.Result) {
	dir := x.a.host(filepath.Join(scriptDir, x.run.ID))
	defer os.RemoveAll(dir)
	if _, err := os.Lstat(dir); err != nil {
		return
	}
	acc, cred, err := x.scriptAccount(x.run.Script.User)
	if err != nil {
		return
	}
	r := &scriptRun{x: x, s: x.run.Script, dir: dir, acc: acc, cred: cred}
	if r.abandonService() { // its program is live: the run was complete except for its record
		res.State, res.Reason, res.Changed = wire.StateSucceeded, "", true
		res.Report = r.report()
		return
	}
	r.back()
	res.Report = r.report()
}

// scriptRun is a placed script.
type scriptRun struct {
	x    *execution
	s    *wire.Script
	dir  string
	acc  passwd.Account
	cred *syscall.Credential
	v    *service // once it was begun
	open bool     // what was printed last has no line end
}

func (x *execution) prepareScript() (*scriptRun, error) {
	acc, cred, err := x.scriptAccount(x.run.Script.User)
	if err != nil {
		return nil, err
	}
	r := &scriptRun{x: x, s: x.run.Script, acc: acc, cred: cred}
	if err := r.place(); err != nil {
		return nil, fmt.Errorf("place script: %w", err)
	}
	return r, nil
}

func (x *execution) scriptAccount(user string) (passwd.Account, *syscall.Credential, error) {
	return x.a.accountOf(user)
}

// all runs everything before the script, the script and the checks; the first failure ends it.
func (r *scriptRun) all(ctx context.Context) (step, end string, err error) {
	// The context ends the run at its deadline; a program's own limit is only a safety net.
	limit := r.x.until.Add(time.Second)
	if len(r.s.Before) > 0 {
		if end, err := r.step(ctx, stepBefore, r.s.Before, limit); err != nil {
			return stepBefore, end, err
		}
	}
	// A file without an interpreter line is run by a shell, like execvp does.
	path := filepath.Join(r.dir, "script")
	argv := []string{path}
	if len(r.s.Content) < 2 || r.s.Content[:2] != "#!" {
		argv = []string{"/bin/sh", path}
	}
	if end, err := r.stepWith(ctx, stepScript, argv, r.scriptEnv(ctx), limit); err != nil {
		return stepScript, end, err
	}
	if len(r.s.Verify) > 0 {
		if end, err := r.step(ctx, stepResult, r.s.Verify, limit); err != nil {
			return stepResult, end, err
		}
	}
	if r.s.Service != nil {
		var step string
		if r.v, step, err = r.serve(ctx); err != nil {
			return step, "", err
		}
	}
	for _, p := range r.s.Check {
		if err := r.check(ctx, &p); err != nil {
			return stepCheck, "", err
		}
	}
	return "", "", nil
}

// scriptEnv returns the environment of the script itself, with the variables of its .env.
func (r *scriptRun) scriptEnv(ctx context.Context) map[string]string {
	env := r.env()
	vars, problems := r.x.a.variables(ctx, r.s.Variables, env, r.cred)
	for _, p := range problems {
		r.x.log.Emit(wire.Event{Kind: wire.EventOutput, Step: stepScript, Text: p.String() + "\n"})
	}
	maps.Copy(env, vars)
	return env
}

func (r *scriptRun) step(ctx context.Context, name string, argv []string, limit time.Time) (end string, err error) {
	return r.stepWith(ctx, name, argv, r.env(), limit)
}

// stepWith runs one program of the script's account and reports it as a step of the run.
func (r *scriptRun) stepWith(ctx context.Context, name string, argv []string, env map[string]string, limit time.Time) (end string, err error) {
	r.x.step(0, name, stepStarted)
	show := r.x.log.Output(0, name)
	out := output.New(func(text string) {
		if r.open && text != "" {
			text = "\n" + text
			r.open = false
		}
		show(text)
	}, r.s.Redact, nil)
	// A name is looked up beside the script first.
	if !strings.Contains(argv[0], "/") {
		if _, err := os.Lstat(filepath.Join(r.dir, binName, argv[0])); err == nil {
			argv = append([]string{filepath.Join(r.dir, binName, argv[0])}, argv[1:]...)
		}
	}
	err = r.x.a.programs.Run(ctx, program.Program{
		Argv: argv, Env: env, Dir: r.x.a.host(r.s.Dir), Timeout: max(time.Until(limit), time.Second),
		Cred: r.cred, Out: out, Run: r.x.mark(),
	})
	end, _ = out.Finish()
	r.open = r.open || end != "" && !strings.HasSuffix(end, "\n")
	r.x.log.End()
	state := stepChanged
	switch {
	case err != nil:
		state = stepFailed
	case name == stepResult: // it only looks
		state = stepUnchanged
	}
	r.x.step(0, name, state)
	return end, err
}

func (r *scriptRun) env() map[string]string {
	env := map[string]string{
		"HOME": r.acc.Home, "USER": r.acc.Name, "LOGNAME": r.acc.Name, "SHELL": r.acc.Shell,
		"PATH": filepath.Join(r.dir, binName) + ":" + r.x.a.cfg.Path,
	}
	for k, v := range r.s.Env {
		env[k] = v
	}
	env[wire.RunDirVariable] = r.dir
	return env
}

// check performs a probe and reports the answer.
func (r *scriptRun) check(ctx context.Context, p *wire.Probe) error {
	r.x.step(0, stepCheck, stepStarted)
	c := &change{x: r.x}
	err := c.probe(ctx, 0, wire.Step{Name: stepCheck, Probe: p})
	r.x.step(0, stepCheck, map[bool]string{true: stepUnchanged, false: stepFailed}[err == nil])
	return err
}

// back rolls back what was begun. The run's own context is over.
func (r *scriptRun) back() {
	if len(r.s.Back) == 0 {
		return
	}
	_, _ = r.step(context.Background(), stepBack, r.s.Back, time.Now().Add(backWithin))
}

// report returns what the script left in its report file. The directory belongs to its account: only a small regular file of that account is read.
func (r *scriptRun) report() map[string]string {
	fd, err := unix.Open(filepath.Join(r.dir, wire.ReportFile), unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), wire.ReportFile)
	defer f.Close()
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || int(st.Uid) != r.acc.UID || st.Nlink != 1 {
		return nil
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxReport+1))
	var out map[string]string
	if err != nil || len(raw) > maxReport || json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return out
}

// place writes the script and its files for its account alone, in a directory with an unpredictable name.
func (r *scriptRun) place() (err error) {
	base := r.x.a.host(scriptDir)
	if err := os.MkdirAll(base, 0o711); err != nil {
		return err
	}
	if err := os.Chmod(base, 0o711); err != nil {
		return err
	}
	r.dir = filepath.Join(base, r.x.run.ID)
	if err := os.RemoveAll(r.dir); err != nil {
		return err
	}
	if err := os.Mkdir(r.dir, 0o700); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(r.dir))
		}
	}()
	if err := r.placeFile("script", []byte(r.s.Content), 0o700); err != nil {
		return err
	}
	for name, content := range r.s.Files {
		if err := r.placeFile(name, content, 0o600); err != nil {
			return err
		}
	}
	if err := r.placePrograms(); err != nil {
		return err
	}
	return os.Chown(r.dir, r.acc.UID, r.acc.GID) // last: until then only root can change anything in it
}

// placeFile writes a file of the script. Meanwhile no process is started: a child of another run would hold it open for writing until it executes its own
// program, and the kernel does not run such a file (execve(2), ETXTBSY).
func (r *scriptRun) placeFile(name string, content []byte, mode os.FileMode) error {
	path := filepath.Join(r.dir, name)
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, content, mode)
	syscall.ForkLock.RUnlock()
	if err != nil {
		return err
	}
	if err := os.Chmod(path, mode); err != nil {
		return err
	}
	return os.Chown(path, r.acc.UID, r.acc.GID)
}

// placePrograms creates the links that the script finds first in its PATH: the agent under the names of its helpers, and the requested ones.
func (r *scriptRun) placePrograms() error {
	bin := filepath.Join(r.dir, binName)
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	links := map[string]string{}
	if self := r.x.a.cfg.Self; self != "" {
		for _, name := range append([]string{wire.ReleaseProgram, wire.SSHProgram, "supervisorctl", "sudo"}, wire.PackageManagers()...) {
			links[name] = self
		}
	}
	for name, target := range r.s.Programs {
		links[name] = target
	}
	names := make([]string, 0, len(links))
	for name := range links {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := os.Symlink(links[name], filepath.Join(bin, name)); err != nil {
			return err
		}
	}
	return nil
}
