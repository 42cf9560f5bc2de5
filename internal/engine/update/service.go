package update

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
)

// Systemd is a panel that systemd runs.
type Systemd struct {
	Unit string
	// restarts is how many times it had been restarted when it was started.
	restarts string
}

// Runs returns an error unless the unit runs a program.
func (s *Systemd) Runs(ctx context.Context, program string) error {
	start, err := s.property(ctx, "ExecStart")
	if err != nil {
		return err
	}
	if !strings.Contains(start, "path="+program+" ") {
		return fmt.Errorf("the service %s does not run %s: run the program that it runs, or name it with --program", s.Unit, program)
	}
	return nil
}

// Active reports whether the service runs.
func (s *Systemd) Active(ctx context.Context) bool {
	state, err := s.property(ctx, "ActiveState")
	return err == nil && state == "active"
}

// Stop ends the service.
func (s *Systemd) Stop(ctx context.Context) error {
	return systemctl(ctx, "stop", s.Unit)
}

// Start starts it.
func (s *Systemd) Start(ctx context.Context) error {
	_ = systemctl(ctx, "reset-failed", s.Unit) // fails for a unit that is not loaded, and starts count since the last one
	if err := systemctl(ctx, "start", s.Unit); err != nil {
		return err
	}
	var err error
	s.restarts, err = s.property(ctx, "NRestarts")
	return err
}

// Failed returns an error once the service has ended, also if systemd has started it again.
func (s *Systemd) Failed(ctx context.Context) error {
	state, err := s.property(ctx, "ActiveState")
	if err != nil {
		return err
	}
	restarts, err := s.property(ctx, "NRestarts")
	if err != nil {
		return err
	}
	if state != "active" || restarts != s.restarts {
		return fmt.Errorf("the service is %s; journalctl -u %s says why", state, s.Unit)
	}
	return nil
}

func (s *Systemd) property(ctx context.Context, name string) (string, error) {
	out, err := exec.CommandContext(ctx, "systemctl", "show", "--property="+name, "--value", s.Unit).Output()
	if err != nil {
		return "", fmt.Errorf("ask systemd for the state of %s: %w", s.Unit, err)
	}
	return strings.TrimSpace(string(out)), nil
}

func systemctl(ctx context.Context, args ...string) error {
	out, err := exec.CommandContext(ctx, "systemctl", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("systemctl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// Account runs a program as the owner of the data directory, so that what it writes there belongs to the panel.
type Account struct {
	Program string
	DataDir string
	// Settings are the flags that name the installation.
	Settings []string
	Out      io.Writer
}

// command returns a command of the program.
func (a Account) command(ctx context.Context, args ...string) (*exec.Cmd, error) {
	info, err := os.Stat(a.DataDir)
	if err != nil {
		return nil, fmt.Errorf("look at the data directory: %w", err)
	}
	cmd := exec.CommandContext(ctx, a.Program, args...)
	cmd.Stdout, cmd.Stderr = a.Out, a.Out
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stat.Uid, Gid: stat.Gid}}
	}
	return cmd, nil
}

// Run runs a command with the settings.
func (a Account) Run(ctx context.Context, args ...string) error {
	cmd, err := a.command(ctx, append(slices.Clone(args), a.Settings...)...)
	if err != nil {
		return err
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", a.Program, strings.Join(args, " "), err)
	}
	return nil
}

// Version returns the version that a program says it has.
func (a Account) Version(ctx context.Context) (string, error) {
	cmd, err := a.command(ctx, "--version")
	if err != nil {
		return "", err
	}
	cmd.Stdout = nil
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("the new program does not run on this machine: %w", err)
	}
	fields := strings.Fields(string(out))
	if len(fields) == 0 {
		return "", errors.New("the new program does not say its version")
	}
	return fields[len(fields)-1], nil
}

// Once is a panel that no service manager runs: it must be stopped. Its program is started until it is ready, and ends.
type Once struct {
	Account Account
	// Served reports whether a panel runs.
	Served func() bool
	// Undecided reports whether an update is.
	Undecided func() bool

	ended chan error
	end   context.CancelFunc
}

// Stop ends the program that was started.
func (o *Once) Stop(context.Context) error {
	if o.end != nil {
		o.end()
		<-o.ended
		o.end = nil
	}
	if o.Served() {
		return errors.New("it runs; stop it first, or name its service with --service")
	}
	return nil
}

// Start runs the program until it is ready, if an update is undecided.
func (o *Once) Start(ctx context.Context) error {
	if !o.Undecided() {
		return nil
	}
	ctx, o.end = context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 2)
	o.ended = ended
	go func() {
		ended <- o.Account.Run(ctx, "serve", "--until-ready")
		close(ended)
	}()
	return nil
}

// Failed returns why the program ended.
func (o *Once) Failed(context.Context) error {
	select {
	case err, first := <-o.ended:
		if err == nil && first {
			err = errors.New("the program ended before it was ready")
		}
		return err
	default:
		return nil
	}
}
