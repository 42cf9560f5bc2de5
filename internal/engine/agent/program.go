package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/proc"
)

const (
	defaultTimeout = 2 * time.Minute
	// pipeGrace is how long output is read after a program ended, if a leftover process keeps the pipe open.
	pipeGrace = 500 * time.Millisecond
)

// program is something to run.
type program struct {
	argv    []string
	env     map[string]string
	stdin   []byte
	dir     string
	timeout time.Duration
	cred    *syscall.Credential
	out     io.Writer
	// in and to are pipes for large data; the program owns them, and their creator closes them.
	in, to *os.File
	run    string // the mark of the run that it is of
}

// errTimeout is returned if a program exceeds its time limit.
var errTimeout = errors.New("took too long")

// exitError is an unsuccessful exit of a program.
type exitError struct {
	name string
	code int
	what string // "exit status 1", "signal: killed"
}

func (e *exitError) Error() string { return e.name + ": " + e.what }

// lookProgram finds a program by its absolute path or in the fixed PATH; the session's environment is ignored.
func (a *Agent) lookProgram(name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	if strings.Contains(name, "/") || name == "" {
		return "", fmt.Errorf("program %q is neither absolute nor a name", name)
	}
	for _, d := range filepath.SplitList(a.cfg.Path) {
		p := filepath.Join(d, name)
		if st, err := os.Stat(p); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
			return p, nil
		}
	}
	return "", fmt.Errorf("program %s is not installed", name)
}

func checkArgv(argv []string) error {
	if len(argv) == 0 || argv[0] == "" {
		return errors.New("no program is named")
	}
	for _, s := range argv {
		if strings.ContainsRune(s, 0) {
			return fmt.Errorf("an argument of %s has a NUL", argv[0])
		}
	}
	return nil
}

// exec runs a program to its end. When ctx ends, its whole process group is killed, including processes that left the group.
func (a *Agent) exec(ctx context.Context, p program) error {
	if err := checkArgv(p.argv); err != nil {
		return err
	}
	path, err := a.lookProgram(p.argv[0])
	if err != nil {
		return err
	}
	env := map[string]string{"PATH": programPath, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "HOME": "/root", "USER": "root", "LOGNAME": "root"}
	if a.cfg.Root != "" {
		env["PATH"] = a.cfg.Path + ":" + programPath
	}
	if a.cfg.Early {
		// systemctl only changes what is enabled, and does not wait for services that wait for us.
		env["SYSTEMD_OFFLINE"] = "1"
	}
	for k, v := range p.env {
		if k == "" || strings.ContainsAny(k, "=\x00") || strings.ContainsRune(v, 0) {
			return fmt.Errorf("variable %q is not allowed in an environment", k)
		}
		env[k] = v
	}
	if p.run != "" {
		env[proc.Variable] = p.run
	}
	if p.timeout <= 0 {
		p.timeout = defaultTimeout
	}
	tctx, cancel := context.WithTimeoutCause(ctx, p.timeout, errTimeout)
	defer cancel()
	cmd := exec.CommandContext(tctx, path)
	cmd.Args = p.argv
	cmd.Dir = p.dir
	if cmd.Dir == "" {
		cmd.Dir = "/"
	}
	for k, v := range env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	sort.Strings(cmd.Env)
	if p.stdin != nil {
		cmd.Stdin = bytes.NewReader(p.stdin)
	}
	cmd.Stdout, cmd.Stderr = p.out, p.out
	if p.in != nil {
		cmd.Stdin = p.in
	}
	if p.to != nil {
		cmd.Stdout = p.to
	}
	cmd.WaitDelay = pipeGrace
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: p.cred}
	cmd.Cancel = func() error {
		proc.KillTree(cmd.Process.Pid, p.run)
		return nil
	}
	if a.encloses(p.cred) {
		if err := a.enclose(cmd, p); err != nil {
			return fmt.Errorf("run %s: %w", p.argv[0], err)
		}
	}
	err = cmd.Run()
	name := filepath.Base(p.argv[0])
	var exit *exec.ExitError
	switch {
	case tctx.Err() != nil && err != nil:
		if cause := context.Cause(tctx); errors.Is(cause, errTimeout) {
			return fmt.Errorf("%s %w (%s)", name, errTimeout, p.timeout)
		}
		return fmt.Errorf("%s: %w", name, context.Cause(ctx))
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return nil
	case errors.As(err, &exit):
		return &exitError{name: name, code: exit.ExitCode(), what: exit.String()}
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("program %s is not installed", p.argv[0])
	}
	return fmt.Errorf("run %s: %w", name, err)
}
