package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// invoke-rc.d and deb-systemd-invoke call policyPath before a service is started; 101 forbids it.
	policyPath = "/usr/sbin/policy-rc.d"
	policyText = "#!/bin/sh\n# Hostler installs packages whose services start once they are configured.\nexit 101\n"
	// repairTimeout limits the configuration of packages after an interruption.
	repairTimeout = 10 * time.Minute
	lockEvery     = 100 * time.Millisecond
	// lockPatience is how many seconds apt itself waits for a lock, without a word. After that it is we who wait, and say for whom.
	lockPatience = "5"
)

// aptLocks are taken by apt and dpkg with fcntl, in this order.
var aptLocks = [...]string{"/var/lib/dpkg/lock-frontend", "/var/lib/dpkg/lock", "/var/lib/apt/lists/lock", "/var/cache/apt/archives/lock"}

// retries makes apt retry a mirror that does not answer for about a minute: it waits 1, 2, 4 … seconds in between (apt.conf(5)).
const retries = "Acquire::Retries=6"

// aptEnv keeps Debian's tools from asking questions.
func aptEnv() map[string]string {
	return map[string]string{
		"DEBIAN_FRONTEND": "noninteractive", "DEBIAN_PRIORITY": "critical", "APT_LISTCHANGES_FRONTEND": "none",
		"NEEDRESTART_SUSPEND": "1", "UCF_FORCE_CONFOLD": "1",
	}
}

func (x *execution) packages(ctx context.Context, i int, name string, p *wire.Packages) (bool, error) {
	names, before, err := x.a.concerned(ctx, p)
	if err != nil || len(names) == 0 && p.Pending == "" {
		return false, err
	}
	if _, err := x.freeApt(ctx, i, name, "", ""); err != nil {
		return false, err
	}
	if interrupted, _ := os.ReadDir(x.a.host("/var/lib/dpkg/updates")); len(interrupted) > 0 {
		if err := x.apt(ctx, i, name, "dpkg", "--configure", "-a"); err != nil {
			return false, err
		}
	}
	var stale error // lists that could not be fetched
	if p.Update || p.Pending != "" {
		stale = x.apt(ctx, i, name, "apt-get", "-q", "-o", retries, "update")
		// One source of others that is gone or not signed fails it, and what is to be installed rarely comes from there.
		if stale != nil && (p.Pending != "" || p.Upgrade || ctx.Err() != nil) {
			return false, stale
		}
	}
	if p.Pending != "" {
		if names, before, err = x.a.outdated(ctx, p.Pending); err != nil || len(names) == 0 {
			return false, err
		}
	}
	if err := x.note(entry{Op: opPackages, Step: i, Policy: p.NoStart}); err != nil {
		return false, err
	}
	if p.NoStart {
		back, err := x.forbidStart(i)
		if err != nil {
			return false, err
		}
		defer back()
	}
	x.a.crash(fmt.Sprintf("packages %d", i))
	argv := append([]string{
		"apt-get", "-q", "-y", "--no-install-recommends", "--fix-broken", "-o", retries, "-o",
		"DPkg::Lock::Timeout=" + lockPatience,
		"-o", "Dpkg::Use-Pty=0", "-o", "Dpkg::Options::=--force-confdef", "-o", "Dpkg::Options::=--force-confold",
	}, verb(p)...)
	argv = append(append(argv, "--"), names...)
	err = x.apt(ctx, i, name, argv...)
	var se *stepError
	if errors.As(err, &se) && strings.Contains(se.output, "dpkg was interrupted") {
		if err = x.apt(ctx, i, name, "dpkg", "--configure", "-a"); err == nil {
			err = x.apt(ctx, i, name, argv...)
		}
	}
	if err != nil {
		// While the policy still keeps services from starting.
		x.repair(i)
		return false, errors.Join(stale, err, x.note(entry{Op: opPackaged, Step: i}))
	}
	if err := x.note(entry{Op: opPackaged, Step: i}); err != nil || !p.Upgrade && p.Pending == "" {
		return true, err
	}
	after, err := x.a.installed(ctx, names)
	return !maps.Equal(before, after), err
}

// outdated returns the packages that have a newer version, and their present ones.
func (a *Agent) outdated(ctx context.Context, which string) (names []string, have map[string]string, err error) {
	found, err := a.pending(ctx)
	if err != nil {
		return nil, nil, err
	}
	if names = found.all; which == wire.PendingSecurity {
		names = found.security
	}
	if len(names) == 0 {
		return nil, nil, nil
	}
	have, err = a.installed(ctx, names)
	return names, have, err
}

// concerned returns the packages that a step is about, and the versions of those of them that are installed.
func (a *Agent) concerned(ctx context.Context, p *wire.Packages) (names []string, have map[string]string, err error) {
	if p.Pending != "" {
		return nil, nil, nil
	}
	if p.Unless != "" {
		if _, err := os.Stat(a.host(p.Unless)); err == nil {
			return nil, nil, nil
		}
	}
	if !p.Upgrade && !p.Remove {
		names, err = a.missing(ctx, p.Names)
		return names, nil, err
	}
	have, err = a.installed(ctx, p.Names)
	return slices.Sorted(maps.Keys(have)), have, err
}

// verb returns what apt-get does with the packages of a step.
func verb(p *wire.Packages) []string {
	switch {
	case p.Remove:
		return []string{"purge"}
	case p.Upgrade, p.Pending != "":
		return []string{"install", "--only-upgrade"}
	}
	return []string{"install"}
}

// apt runs one of Debian's tools until the run's deadline, and retries if another got the lock first.
func (x *execution) apt(ctx context.Context, i int, name string, argv ...string) error {
	told := ""
	for {
		_, err := x.execStep(ctx, i, name, &wire.Exec{Argv: argv, Env: aptEnv(), Timeout: time.Until(x.until) + time.Second})
		var se *stepError
		if !errors.As(err, &se) || !strings.Contains(se.output, "Could not get lock") || ctx.Err() != nil {
			return err
		}
		if told, err = x.freeApt(ctx, i, name, said(se.output), told); err != nil {
			return err
		}
		select {
		case <-time.After(lockEvery):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// said returns what apt says of who holds a lock, "" if nothing.
func said(output string) string {
	_, rest, ok := strings.Cut(output, "It is held by ")
	if !ok {
		return ""
	}
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSuffix(strings.TrimSpace(line), ".")
}

// freeApt waits until no other package manager runs, and reports it unless told already: an upgrade at night takes many minutes. A lock of another namespace
// of processes has a holder for apt at most, which said it.
func (x *execution) freeApt(ctx context.Context, i int, name, said, told string) (now string, err error) {
	for {
		who, pid := said, 0
		for _, l := range aptLocks {
			if pid = holder(x.a.host(l)); pid != 0 {
				who = processName(pid)
				break
			}
		}
		if who != "" && who != told {
			told = who
			x.log.Emit(wire.Event{
				Kind: wire.EventWaiting, Index: i, Step: name, State: wire.WaitsForPackages,
				Text: "another package manager to end: " + who,
			})
		}
		if pid == 0 {
			return told, nil
		}
		select {
		case <-time.After(lockEvery):
		case <-ctx.Done():
			return told, context.Cause(ctx)
		}
	}
}

// holder returns the process that holds a file's fcntl lock, 0 if none does.
func holder(path string) int {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0
	}
	defer f.Close()
	l := unix.Flock_t{Type: unix.F_WRLCK, Whence: io.SeekStart}
	if err := unix.FcntlFlock(f.Fd(), unix.F_GETLK, &l); err != nil || l.Type == unix.F_UNLCK {
		return 0
	}
	return int(l.Pid)
}

func processName(pid int) string {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	if err != nil {
		return "process " + strconv.Itoa(pid)
	}
	return strings.TrimSpace(string(raw)) + " (process " + strconv.Itoa(pid) + ")"
}

// forbidStart installs the policy that keeps services from starting. The previous one is recorded like any file, so recovery removes it as well.
func (x *execution) forbidStart(i int) (back func(), err error) {
	fd, file, err := x.a.root.OpenParent(policyPath)
	if err != nil {
		return nil, fmt.Errorf("keep services from starting: %w", err)
	}
	defer unix.Close(fd)
	is, err := object.Look(fd, file)
	if err == nil {
		is, err = object.Keep(fd, file, is, snapshotDir(x.dir), i)
	}
	temp := object.TempName()
	if err == nil {
		err = x.note(entry{Op: opObject, Step: i, Path: policyPath, Temp: temp, Before: &is})
	}
	if err == nil {
		err = object.Replace(fd, file, temp, strings.NewReader(policyText), 0o755, x.a.uid, x.a.gid)
	}
	if err != nil {
		return nil, fmt.Errorf("keep services from starting: %w", err)
	}
	return func() { _ = x.a.root.PutBack(policyPath, is, temp, snapshotDir(x.dir)) }, nil
}

// openPackages returns the step of a run whose installation was interrupted, -1 if there is none.
func openPackages(dir string) int {
	open := -1
	_ = durable.ReadLines(journalPath(dir), func(e entry) {
		switch e.Op {
		case opPackages:
			open = e.Step
		case opPackaged:
			open = -1
		}
	})
	return open
}

// repair configures what an installation left half done. Packages are forward-only: those that can't be configured are not
// removed, and the next attempt retries them.
func (x *execution) repair(i int) {
	ctx, cancel := context.WithTimeout(context.Background(), repairTimeout)
	defer cancel()
	_, err := x.freeApt(ctx, i, "", "", "")
	if err == nil {
		out := output.New(x.log.Output(i, ""), nil, nil)
		err = x.a.programs.Run(ctx, program.Program{Argv: []string{"dpkg", "--configure", "-a"}, Env: aptEnv(), Timeout: repairTimeout, Out: out, Run: x.mark()})
		out.Finish()
	}
	if err != nil {
		x.log.Emit(wire.Event{
			Kind: wire.EventWaiting, Index: i, State: wire.WaitsForPackages,
			Text: "packages that were being installed are not configured yet: " + err.Error(),
		})
	}
}

// missing returns the packages that are not installed.
func (a *Agent) missing(ctx context.Context, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	have, err := a.installed(ctx, names)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, n := range names {
		bare, _, _ := strings.Cut(n, ":")
		if have[bare] == "" {
			out = append(out, n)
		}
	}
	return out, nil
}

// installed returns the versions of those packages that are installed; a name can be a dpkg pattern.
func (a *Agent) installed(ctx context.Context, names []string) (map[string]string, error) {
	out := output.New(nil, nil, nil)
	err := a.programs.Run(ctx, program.Program{
		Out: out, Timeout: time.Minute,
		Argv: append([]string{"dpkg-query", "-W", "-f=${Package}\t${db:Status-Status}\t${Version}\n", "--"}, names...),
	})
	text, _ := out.Finish()
	var exit *program.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.Code != 1) { // 1: one of them is unknown
		return nil, fmt.Errorf("ask for packages: %w", err)
	}
	have := map[string]string{}
	for l := range strings.Lines(text) {
		if f := strings.Split(strings.TrimSpace(l), "\t"); len(f) == 3 && f[1] == "installed" {
			have[f[0]] = f[2]
		}
	}
	return have, nil
}
