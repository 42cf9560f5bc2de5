package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/hostlerhq/hostler/internal/host/wire"
)

// scriptDir is where scripts stand while they run: their account can read its own and list nothing. It is not below /run,
// which is often mounted noexec.
const scriptDir = stateDir + "/scripts"

// script runs a user's script as a file, under its account, with data in its environment only.
func (x *execution) script(ctx context.Context, res *wire.Result) {
	s := x.run.Script
	x.step(0, "", stepStarted)
	end, err := x.runScript(ctx, s)
	x.log.end(0, "")
	if err == nil {
		res.State, res.Changed = wire.StateSucceeded, true
		x.step(0, "", stepChanged)
		return
	}
	x.step(0, "", stepFailed)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
		killMarked(x.mark())
		if x.a.cfg.InUnit {
			killUnit()
		}
	}
	x.fail(res, -1, err)
	res.Output, res.Changed = end, true
	var exit *exitError
	if errors.As(err, &exit) {
		res.ExitCode = exit.code
	}
}

func (x *execution) runScript(ctx context.Context, s *wire.Script) (string, error) {
	acc := account{name: "root", home: "/root", shell: "/bin/sh", uid: x.a.uid, gid: x.a.gid}
	var cred *syscall.Credential
	if s.User != "root" {
		found, is, err := x.a.lookAccount(s.User)
		if err != nil {
			return "", err
		}
		if !is {
			return "", fmt.Errorf("there is no account %q", s.User)
		}
		acc = found
		groups, err := x.a.groupsOf(s.User)
		if err != nil {
			return "", err
		}
		cred = &syscall.Credential{Uid: uint32(acc.uid), Gid: uint32(acc.gid), Groups: groups}
	}
	path, err := x.placeScript(s, acc)
	if err != nil {
		return "", fmt.Errorf("place script: %w", err)
	}
	defer os.RemoveAll(filepath.Dir(path))
	x.a.crash("script placed")
	env := map[string]string{"HOME": acc.home, "USER": acc.name, "LOGNAME": acc.name, "SHELL": acc.shell}
	for k, v := range s.Env {
		env[k] = v
	}
	out := newOutput(x.log.outputEvents(0, ""), s.Redact, nil)
	// A file without a first line that names its interpreter is a shell's, as it is for execvp.
	argv := []string{path}
	if len(s.Content) < 2 || s.Content[:2] != "#!" {
		argv = []string{"/bin/sh", path}
	}
	err = x.a.exec(ctx, program{argv: argv, env: env, dir: x.a.host(s.Dir), timeout: time.Until(x.run.Deadline) + time.Second,
		cred: cred, out: out, run: x.mark()})
	end, _ := out.finish()
	return end, err
}

// placeScript writes the script for its account alone, in a directory whose name nobody guesses.
func (x *execution) placeScript(s *wire.Script, acc account) (string, error) {
	base := x.a.host(scriptDir)
	if err := os.MkdirAll(base, 0o711); err != nil {
		return "", err
	}
	if err := os.Chmod(base, 0o711); err != nil {
		return "", err
	}
	dir := filepath.Join(base, x.run.ID)
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "script")
	err := os.WriteFile(path, []byte(s.Content), 0o700)
	if err == nil {
		err = os.Chmod(path, 0o700)
	}
	if err == nil {
		err = os.Chown(path, acc.uid, acc.gid)
	}
	if err == nil {
		err = os.Chown(dir, acc.uid, acc.gid)
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return path, nil
}
