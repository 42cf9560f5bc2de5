package agent

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/proc"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// loadSlack is how much later than the start of its workers a file has to have changed to count as not loaded: the kernel counts starts in hundredths of a
// second.
const loadSlack = 200 * time.Millisecond

// nginxDirectory contains the settings of nginx, which is reloaded by replacing its workers, so that they are as old as the settings that nginx has loaded,
// by whoever reloaded it. One that crashed is started again with the same settings: the oldest that still accepts connections counts.
const nginxDirectory = "/etc/nginx"

// running compares when programs loaded their settings with when these changed.
func (d *drift) running(ctx context.Context, steps []wire.Step, facts map[string]unitFacts) {
	below := map[string][]string{}
	for _, s := range steps {
		if s.Action == nil || s.Action.Workers == "" {
			continue
		}
		unit := s.Action.Workers
		if unit != nginxUnit {
			below[unit] = append(below[unit], s.Action.Below)
			continue
		}
		if d.compared[nginxUnit] {
			continue
		}
		d.compared[nginxUnit] = true
		pid, _ := strconv.Atoi(facts[nginxUnit]["MainPID"])
		d.outdated(s.Name, nginxUnit, "nginx", d.a.unloaded(ctx, pid))
	}
	for _, s := range steps {
		if s.Action == nil || len(below[s.Action.Workers]) == 0 {
			continue
		}
		unit := s.Action.Workers
		var newer []string
		if f := facts[unit]; f["ActiveState"] == "active" {
			for _, dir := range below[unit] {
				newer = append(newer, d.a.unloadedBy(f[stateChanged], dir)...)
			}
		}
		delete(below, unit)
		slices.Sort(newer)
		d.outdated(s.Name, unit, strings.TrimSuffix(unit, ".service"), slices.Compact(newer))
	}
}

// outdated notes that a program runs with settings from before these files changed. One that differs already is a difference of its own, which the repair
// loads.
func (d *drift) outdated(step, unit, program string, newer []string) {
	if d.told(unit) || len(newer) == 0 {
		return
	}
	d.now = step
	d.add(unit, unitOutdated, "Changed since "+program+" loaded its settings:\n"+strings.Join(newer, "\n")+"\n")
}

// stateChanged is the property of a unit with the time of its last change of state, in microseconds of the monotonic clock. PHP-FPM loads its settings when it
// starts and when it is reloaded, and tells systemd of both (sd_notify(3)), also of a reload by a signal. Its process is the same before and after.
const stateChanged = "StateChangeTimestampMonotonic"

// unloadedBy are the files below a directory that changed since the state of their unit did.
func (a *Agent) unloadedBy(changed, dir string) []string {
	at, err := strconv.ParseInt(changed, 10, 64)
	if err != nil || at <= 0 || dir == "" {
		return nil
	}
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) // fails only for a clock that the kernel does not have
	newer, _ := a.changedSince(dir, time.Now().Add(time.Duration(at)*time.Microsecond-time.Duration(now.Nano())))
	return newer
}

// sshSettings is where sshd reads files before its own settings, the first value of a setting counts (sshd_config(5)).
const sshSettings = "/etc/ssh/sshd_config.d/"

// sshd compares settings of a planned file with those that sshd would use: another file, or one without its Include, can override them. Only those that have
// one word and one value are compared. A repair leaves the files of others alone.
func (d *drift) sshd(ctx context.Context, steps []wire.Step) {
	for _, s := range steps {
		if s.File == nil || s.File.Absent || !strings.HasPrefix(s.File.Path, sshSettings) || d.told(s.File.Path) {
			continue
		}
		if strings.Contains(string(s.File.Content), "\nMatch ") { // what counts for a login, its Jail asks
			continue
		}
		settings, _, err := d.a.sshdSettings(ctx, "")
		if err != nil {
			return // sshd refuses its settings, which the plan's check says
		}
		used := map[string]string{}
		for _, s := range settings {
			used[s.name] = s.value
		}
		diff := ""
		for line := range strings.Lines(string(s.File.Content)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			is, known := used[strings.ToLower(name)]
			switch {
			case !known || !slices.Contains([]string{"yes", "no", "prohibit-password"}, value):
			case is == value, is == "without-password" && value == "prohibit-password": // sshd still prints the old word
			default:
				diff += "-" + name + " " + is + "\n+" + name + " " + value + "\n"
			}
		}
		if diff != "" {
			d.out.Differences = append(d.out.Differences, wire.Difference{Step: s.Name, Path: s.File.Path, What: unitOverridden, Diff: diff, Kept: true})
		}
	}
}

// unloaded are the files of nginx's settings that changed after the nginx with this main process loaded them, by name.
func (a *Agent) unloaded(ctx context.Context, pid int) []string {
	if pid <= 0 {
		return nil
	}
	loaded, ok := workersSince(pid)
	if !ok {
		return nil
	}
	newer, err := a.changedSince(nginxDirectory, loaded)
	if err != nil || len(newer) == 0 {
		return nil
	}
	read := a.nginxFiles(ctx)
	return slices.DeleteFunc(newer, func(f string) bool { return !slices.Contains(read, f) })
}

// changedSince are the files below a directory that changed after a time, by name.
func (a *Agent) changedSince(dir string, loaded time.Time) ([]string, error) {
	now := time.Now()
	changed := func(at unix.Timespec) bool {
		t := time.Unix(at.Unix())
		return t.After(loaded.Add(loadSlack)) && !t.After(now) // a clock that was set back says nothing
	}
	var newer []string
	err := filepath.WalkDir(a.host(dir), func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		var file, link unix.Stat_t
		if unix.Stat(p, &file) == nil && unix.Lstat(p, &link) == nil && (changed(file.Mtim) || changed(link.Mtim)) {
			newer = append(newer, strings.TrimPrefix(p, strings.TrimSuffix(a.cfg.Root, "/")))
		}
		return nil
	})
	return newer, err //nolint:wrapcheck // its callers take it for no answer
}

// nginxFiles are the files that nginx would load, as it names them; none if it refuses them.
func (a *Agent) nginxFiles(ctx context.Context) []string {
	var out bytes.Buffer
	err := a.programs.Run(ctx, program.Program{Argv: []string{"nginx", "-T", "-q"}, Timeout: systemdTime, Out: &out})
	if err != nil {
		return nil
	}
	var files []string
	for line := range strings.Lines(out.String()) {
		if rest, ok := strings.CutPrefix(line, "# configuration file "); ok {
			files = append(files, strings.TrimSuffix(strings.TrimSpace(rest), ":"))
		}
	}
	return files
}

// workersSince returns when the oldest worker of a process started that still accepts connections.
func workersSince(parent int) (since time.Time, ok bool) {
	for _, p := range proc.All() {
		if proc.ParentOf(p) != parent || leaving(p) {
			continue
		}
		if at, err := startOf(p); err == nil && (!ok || at.Before(since)) {
			since, ok = at, true
		}
	}
	return since, ok
}

// startOf returns when a process started (proc_pid_stat(5), the 22nd field, in hundredths of a second since the boot).
func startOf(pid int) (time.Time, error) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return time.Time{}, err
	}
	const afterName = 22 - 3 // the name, the second, ends with the last parenthesis
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
	if len(fields) <= afterName {
		return time.Time{}, os.ErrInvalid
	}
	ticks, err := strconv.ParseInt(fields[afterName], 10, 64)
	if err != nil {
		return time.Time{}, err
	}
	return time.Now().Add(time.Duration(ticks)*time.Second/100 - uptime()), nil
}
