package agent

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/engine/agent/proc"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
)

const (
	workersWithin = 20 * time.Second // PHP-FPM lets requests finish for 10 s
	workersEvery  = 5 * time.Millisecond
)

// mainPID returns the main process of a unit, 0 if it does not run.
func (x *execution) mainPID(ctx context.Context, unit string) int {
	pid, err := strconv.Atoi(x.property(ctx, unit, "MainPID"))
	if err != nil || pid <= 0 {
		return 0
	}
	return pid
}

// property returns a property of a unit; "" if systemd does not answer.
func (x *execution) property(ctx context.Context, unit, name string) string {
	out := output.New(nil, nil, nil)
	err := x.a.programs.Run(ctx, program.Program{
		Argv: []string{"systemctl", "show", "--property=" + name, "--value", "--", unit}, Timeout: probeOnce, Out: out, Run: x.mark(),
	})
	text, _ := out.Finish()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(text)
}

// workers returns the worker processes of a unit's main process; none if it does not run.
func (x *execution) workers(ctx context.Context, unit string) (parent int, pids []int) {
	if parent = x.mainPID(ctx, unit); parent == 0 {
		return 0, nil
	}
	for _, p := range proc.All() {
		if proc.ParentOf(p) == parent && !leaving(p) {
			pids = append(pids, p)
		}
	}
	return parent, pids
}

// leaving reports whether an nginx worker no longer accepts connections: its title says so (ngx_process_cycle.c).
func leaving(pid int) bool {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return err != nil || bytes.Contains(raw, []byte("is shutting down"))
}

// replaced waits until none of these workers accepts new work: when the reload command ends, the reload has only been requested.
func (x *execution) replaced(ctx context.Context, unit string, parent int, pids []int) error {
	end := time.Now().Add(workersWithin)
	for _, p := range pids {
		for proc.ParentOf(p) == parent && !leaving(p) {
			if time.Now().After(end) {
				return &stepError{reason: fmt.Sprintf("%s continues with its previous settings", unit)}
			}
			select {
			case <-time.After(workersEvery):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	return nil
}

// replacing runs what has the workers of a unit replaced, and waits until none of the previous ones accepts new work. Without a unit it
// only runs that.
func (x *execution) replacing(ctx context.Context, unit string, run func() error) error {
	if unit == "" {
		return run()
	}
	parent, pids := x.workers(ctx, unit)
	if err := run(); err != nil {
		return err
	}
	return x.replaced(ctx, unit, parent, pids)
}

// ports returns the main process of a unit, and what it listens on; nothing if it does not run.
func (x *execution) ports(ctx context.Context, unit string) (pid int, ports []string) {
	if unit == "" {
		return 0, nil
	}
	pid = x.mainPID(ctx, unit)
	return pid, proc.Listening(pid)
}

// reopened waits until a listener has closed these ports and listens again: sshd begins once more at a reload, and refuses connections meanwhile.
func (x *execution) reopened(ctx context.Context, unit string, pid int, ports []string) error {
	if len(ports) == 0 {
		return nil
	}
	end := time.Now().Add(workersWithin)
	for {
		now := proc.Listening(pid)
		if len(now) > 0 && !slices.ContainsFunc(now, func(port string) bool { return slices.Contains(ports, port) }) {
			return nil
		}
		if time.Now().After(end) {
			return &stepError{reason: fmt.Sprintf("%s does not listen with its new settings", unit)}
		}
		select {
		case <-time.After(workersEvery):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// drained blocks until the workers of a unit that no longer accept connections have ended, at the latest until end: what they still read, such as an upload
// over a slow line, they pass on as their own settings say.
func (x *execution) drained(ctx context.Context, unit string, end time.Time) error {
	parent := x.mainPID(ctx, unit)
	if parent == 0 {
		return context.Cause(ctx)
	}
	last := func(p int) bool { return proc.ParentOf(p) == parent && leaving(p) }
	for slices.ContainsFunc(proc.All(), last) && time.Now().Before(end) {
		select {
		case <-time.After(probeFirst):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// sizeOf returns the offset of the next line of a log.
func (a *Agent) sizeOf(log string) int64 {
	if log == "" {
		return 0
	}
	st, err := os.Stat(a.host(log))
	if err != nil {
		return 0
	}
	return st.Size()
}

// visitor marks a line of nginx's log that concerns a request (ngx_http_log_error): it is not the reason of our failure.
const visitor = ", client: "

// lastLine returns the last line of a log after an offset that concerns the program itself, "" if there is none.
func (a *Agent) lastLine(log string, from int64) string {
	if log == "" {
		return ""
	}
	f, err := os.Open(a.host(log))
	if err != nil {
		return ""
	}
	defer f.Close()
	const most = 4 << 10
	if st, err := f.Stat(); err == nil {
		from = max(from, st.Size()-most)
	}
	raw, err := io.ReadAll(io.NewSectionReader(f, from, most))
	if err != nil {
		return ""
	}
	for _, line := range slices.Backward(strings.Split(strings.TrimSpace(string(raw)), "\n")) {
		if !strings.Contains(line, visitor) {
			return line
		}
	}
	return ""
}
