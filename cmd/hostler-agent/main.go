// Command hostler-agent is the executor that Hostler delivers to a managed host. It is started for a session, or by systemd for
// one run; it is not a daemon and opens no port.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent"
	"github.com/hostlerhq/hostler/internal/engine/agent/files"
	"github.com/hostlerhq/hostler/internal/engine/agent/manager"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/engine/agent/runtimes"
	"github.com/hostlerhq/hostler/internal/engine/agent/sudo"
	"github.com/hostlerhq/hostler/internal/engine/release"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const usage = `usage: hostler-agent [--root DIR] MODE

  session      answer requests on stdin and stdout
  run ID       execute a detached run (inside hostler-run-ID.service)
  recover [ID] roll back what a crash left, manually or, with --early for an ID, at boot before services start
  job ID       run a scheduled job and keep its output (by cron)
  sample       measure the host for its monitors (by hostler-monitor.timer)
  revert ID    roll back a change that was not confirmed (by hostler-confirm-ID.timer)
  runtime ...  install a version of a runtime (by plans; the keys of its publisher are the input)
  runtimes ... remove versions that are neither named nor run (by plans)
  renew UNIT.. restart units, and watch that those that ran well still do (by plans)
  sizes ...    limit the size of directories, or measure them (by plans; by hostler-sizes.service)
  files ...    become an account, and work with a file of its (input and output are JSON)
  login ...    mount the directory of a site for a login, or take it away (by hostler-sftp-NAME.service)
  enclose ...  become an account, and then one of its programs (for scripts and jobs)
`

func main() {
	if done, err := helper(filepath.Base(os.Args[0]), os.Args[1:]); done {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) > 1 && os.Args[1] == program.EncloseMode {
		fmt.Fprintln(os.Stderr, "hostler-agent:", program.Enclose(os.Args[2:]))
		os.Exit(1)
	}
	if len(os.Args) > 1 && os.Args[1] == wire.FilesMode {
		if err := files.Main(os.Args[2:], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "hostler-agent:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "hostler-agent:", err)
		os.Exit(1)
	}
}

// helper runs the program under its other names: for the scripts that it runs, without the agent and without root, and for what accounts may by sudo.
func helper(name string, args []string) (bool, error) {
	switch name {
	case wire.ReleaseProgram:
		if len(args) != 1 {
			return true, errors.New("usage: " + name + " create|activate|checkout|finish|back|adopt|leave")
		}
		site, err := release.FromEnvironment(os.Getenv, os.Stdout)
		if err != nil {
			return true, err
		}
		syscall.Umask(0o022) // whatever the script's is: nginx reads what it releases
		return true, site.Run(args[0])
	case "git":
		return true, release.Git(args, os.Getenv, os.Stdout)
	case "service", "supervisorctl", "sudo":
		return true, sudo.Main(name, args)
	case "bun", "pnpm", "yarn":
		dir, err := os.Getwd()
		if err != nil {
			return true, err
		}
		return true, manager.Run(name, args, dir)
	case wire.SSHProgram:
		return true, release.SSH(args, os.Getenv)
	}
	return false, nil
}

func run(args []string) (err error) {
	flags := flag.NewFlagSet("hostler-agent", flag.ContinueOnError)
	flags.Usage = func() { fmt.Fprint(os.Stderr, usage) }
	root := flags.String("root", "", "directory that contains all paths, for tests")
	ahead := flags.Duration("ahead", 0, "how far the agent's clock is ahead of the host's, for tests")
	if err := flags.Parse(args); err != nil {
		return err
	}
	// The session's connection may break at any time, and its runs continue. The signals are caught rather than ignored, since
	// started programs inherit ignored signals.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGPIPE)
	go func() {
		for range signals {
		}
	}()
	syscall.Umask(0o022) // programs inherit it; our own files get an explicit mode
	if err := openFiles(); err != nil {
		return err
	}
	if host := (runtimes.Host{Root: *root}); slices.Contains([]string{wire.RuntimeMode, wire.RuntimesMode, wire.RenewMode}, flags.Arg(0)) {
		return host.Main(context.Background(), flags.Args(), os.Stdin)
	}
	if flags.Arg(0) == wire.LoginMode {
		return agent.Login(*root, flags.Args()[1:])
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find own executable: %w", err)
	}
	a, err := agent.New(agent.Config{Root: *root, Self: self, InUnit: inUnit(flags.Args()), Early: flags.Arg(1) == "--early", Ahead: *ahead})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	switch mode, id := flags.Arg(0), flags.Arg(1); {
	case mode == "session" && flags.NArg() == 1:
		return a.Serve(context.Background(), os.Stdin, os.Stdout)
	case mode == "recover" && flags.NArg() == 1:
		return a.Recover()
	case mode == "recover" && id == "--early" && flags.NArg() == 2:
		return a.Recover()
	case mode == "recover" && flags.NArg() == 2:
		return a.RecoverRun(id)
	case mode == "run" && flags.NArg() == 2:
		return a.Execute(id)
	case mode == "job" && flags.NArg() == 2:
		return a.Job(context.Background(), id)
	case mode == wire.FitsMode:
		return a.Fits(flags.Args()[1:], os.Stdout)
	case mode == wire.SizesMode:
		return a.Sizes(flags.Args()[1:], os.Stdout)
	case mode == "sample" && flags.NArg() == 1:
		return errors.Join(a.Sample(time.Now().Add(*ahead)), a.RotateLoud())
	case mode == "revert" && flags.NArg() == 2:
		return a.Revert(id)
	}
	fmt.Fprint(os.Stderr, usage)
	return errors.New("no such mode")
}

// openFiles raises the limit of open files to that of services: "nginx -t" opens the logs of all sites, and an sshd login may
// open 1024. Unlike the raise that Go's runtime does, the call of package syscall is inherited by programs.
func openFiles() error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("read the limit of open files: %w", err)
	}
	limit.Cur = min(limit.Max, 65536)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("raise the limit of open files: %w", err)
	}
	return nil
}

// inUnit reports whether this process is, or cleans up, the unit of a detached run; systemd sets SERVICE_RESULT for the latter.
func inUnit(args []string) bool {
	return len(args) == 2 && (args[0] == "run" || args[0] == "recover" && os.Getenv("SERVICE_RESULT") != "")
}
