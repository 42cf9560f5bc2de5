// Package program runs programs on a host: by their argv, with a fixed environment and a time limit, killed with all that they
// started, and those of people's accounts closed off from others.
package program

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"syscall"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/proc"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// DefaultTimeout is how long a program may take.
	DefaultTimeout = 2 * time.Minute
	// PipeGrace is how long output is read after a program ended, if a leftover process keeps the pipe open.
	PipeGrace = 500 * time.Millisecond
)

// SearchPath is where programs without a slash in their name are, and the PATH of programs.
const SearchPath = wire.SearchPath

// Runner runs programs on a host. The zero value does so as this process, in no enclosure.
type Runner struct {
	// Root is the directory that contains all paths; empty means the host itself.
	Root string
	// Path is where programs are searched; empty means SearchPath.
	Path string
	// Self is this program, which starts those of people's accounts in an enclosure; empty means that there is none.
	Self string
	// Early is set while no service of the host has started.
	Early bool
}

// Program is something to run.
type Program struct {
	Argv    []string
	Env     map[string]string
	Stdin   []byte
	Dir     string        // "/" if it is empty
	Timeout time.Duration // DefaultTimeout if it is zero
	Cred    *syscall.Credential
	Out     io.Writer
	// In and To are pipes for large data; the program owns them, and their creator closes them.
	In, To *os.File
	Run    string // the mark of the run that it is of
	// Mode is a mode of this program that does its work in the enclosure, as the account, instead of another program; Argv is then this program.
	Mode string
	// Within is a program of root that starts it, with its arguments, as the same process.
	Within []string
}

// ErrTimeout is returned if a program exceeds its time limit.
var ErrTimeout = errors.New("took too long")

// ExitError is an unsuccessful exit of a program.
type ExitError struct {
	Name string
	Code int
	What string // "exit status 1", "signal: killed"
}

func (e *ExitError) Error() string { return e.Name + ": " + e.What }

// look finds a program by its absolute path or in the fixed PATH; the session's environment is ignored.
func (r Runner) look(name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	if strings.Contains(name, "/") || name == "" {
		return "", fmt.Errorf("program %q is neither absolute nor a name", name)
	}
	for _, d := range filepath.SplitList(cmp.Or(r.Path, SearchPath)) {
		p := filepath.Join(d, name)
		if st, err := os.Stat(p); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
			return p, nil
		}
	}
	return "", fmt.Errorf("program %s is not installed", name)
}

// CheckArgv refuses arguments that name no program, or that can't be passed to one.
func CheckArgv(argv []string) error {
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

// Run runs a program to its end. When ctx ends, its whole process group is killed, including processes that left the group.
func (r Runner) Run(ctx context.Context, p Program) error {
	if err := CheckArgv(p.Argv); err != nil {
		return err
	}
	path, err := r.look(p.Argv[0])
	if err != nil {
		return err
	}
	env := map[string]string{"PATH": SearchPath, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "HOME": "/root", "USER": "root", "LOGNAME": "root"}
	if r.Root != "" {
		env["PATH"] = r.Path + ":" + SearchPath
	}
	if r.Early {
		// systemctl only changes what is enabled, and does not wait for services that wait for us.
		env["SYSTEMD_OFFLINE"] = "1"
	}
	for k, v := range p.Env {
		if k == "" || strings.ContainsAny(k, "=\x00") || strings.ContainsRune(v, 0) {
			return fmt.Errorf("variable %q is not allowed in an environment", k)
		}
		env[k] = v
	}
	if p.Run != "" {
		env[proc.Variable] = p.Run
	}
	if p.Timeout <= 0 {
		p.Timeout = DefaultTimeout
	}
	tctx, cancel := context.WithTimeoutCause(ctx, p.Timeout, ErrTimeout)
	defer cancel()
	cmd := exec.CommandContext(tctx, path)
	cmd.Args = p.Argv
	cmd.Dir = p.Dir
	if cmd.Dir == "" {
		cmd.Dir = "/"
	}
	for k, v := range env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	sort.Strings(cmd.Env)
	if p.Stdin != nil {
		cmd.Stdin = bytes.NewReader(p.Stdin)
	}
	cmd.Stdout, cmd.Stderr = p.Out, p.Out
	if p.In != nil {
		cmd.Stdin = p.In
	}
	if p.To != nil {
		cmd.Stdout = p.To
	}
	cmd.WaitDelay = PipeGrace
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: p.Cred}
	cmd.Cancel = func() error {
		proc.KillTree(cmd.Process.Pid, p.Run)
		return nil
	}
	if p.Mode != "" && !r.encloses(p.Cred) {
		return fmt.Errorf("%s is not done as this account", p.Mode)
	}
	if r.encloses(p.Cred) {
		if err := r.enclose(cmd, p); err != nil {
			return fmt.Errorf("run %s: %w", p.Argv[0], err)
		}
	}
	if err := r.within(cmd, p.Within); err != nil {
		return fmt.Errorf("run %s: %w", p.Argv[0], err)
	}
	err = cmd.Run()
	name := filepath.Base(p.Argv[0])
	var exit *exec.ExitError
	switch {
	case tctx.Err() != nil && err != nil:
		if cause := context.Cause(tctx); errors.Is(cause, ErrTimeout) {
			return fmt.Errorf("%s %w (%s)", name, ErrTimeout, p.Timeout)
		}
		return fmt.Errorf("%s: %w", name, context.Cause(ctx))
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return nil
	case errors.As(err, &exit):
		return &ExitError{Name: name, Code: exit.ExitCode(), What: exit.String()}
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("program %s is not installed", p.Argv[0])
	}
	return fmt.Errorf("run %s: %w", name, err)
}

// within has another program start a command. Without an enclosure the command is already another account's, which may not.
func (r Runner) within(cmd *exec.Cmd, argv []string) error {
	if len(argv) == 0 || cmd.SysProcAttr.Credential != nil {
		return nil
	}
	path, err := r.look(argv[0])
	if err != nil {
		return err
	}
	cmd.Args = append(append(slices.Clone(argv), cmd.Path), cmd.Args[1:]...)
	cmd.Path = path
	return nil
}
