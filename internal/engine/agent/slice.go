package agent

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const cgroups = "/sys/fs/cgroup"

// counter returns a value of a file of a control group with lines of names and numbers (cgroups(7)), 0 for one that is not there: the group is not limited.
func (a *Agent) counter(group, file, name string) uint64 {
	f, err := os.Open(a.host(filepath.Join(cgroups, group, file)))
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) == 1 && name == "" || len(fields) == 2 && fields[0] == name {
			n, _ := strconv.ParseUint(fields[len(fields)-1], 10, 64)
			return n
		}
	}
	return 0
}

// ownGroup returns the control group of this process, "" if it is not known.
func (a *Agent) ownGroup() string {
	raw, _ := os.ReadFile(a.host("/proc/self/cgroup"))
	for line := range strings.Lines(string(raw)) {
		if group, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			return group
		}
	}
	return ""
}

// ofLimits returns the beginning of a reason if a script failed at a limit of its site: what was ended by the kernel can't say why, and what could not be
// started says that something is temporarily unavailable. group is that of the script's run.
func (a *Agent) ofLimits(s *wire.Script, group string) string {
	switch {
	case s.Slice == "" || group == "":
		return ""
	case a.counter(group, "memory.events", "oom_kill") > 0:
		return "a program was ended because the memory that the site's limits allow was used up; "
	case a.counter(group, "pids.events", "max") > 0:
		return "no more processes could be started, since the site's limits allow no more; "
	}
	return ""
}

// Fits performs wire.FitsMode: it fails if what runs in a slice uses more than it may. The kernel would end programs to make it fit.
func (a *Agent) Fits(args []string) error {
	const fixed = 3
	if len(args) != fixed || !slicePattern.MatchString(args[0]) {
		return errors.New("usage: fits SLICE MEGABYTES TASKS, with 0 for no limit")
	}
	group := "/system.slice/" + args[0]
	megabytes, err := strconv.ParseUint(args[1], 10, 32)
	if err != nil {
		return fmt.Errorf("read the limit of memory: %w", err)
	}
	tasks, err := strconv.ParseUint(args[2], 10, 32)
	if err != nil {
		return fmt.Errorf("read the limit of tasks: %w", err)
	}
	const mega = 1 << 20
	if used := a.counter(group, "memory.stat", "anon"); megabytes > 0 && used > megabytes*mega { // the cache of files can be given back
		return fmt.Errorf("what runs for the site uses %d MB of memory, more than memory_max, %d MB: programs would be ended", used/mega, megabytes)
	}
	if run := a.counter(group, "pids.current", ""); tasks > 0 && run > tasks {
		return fmt.Errorf("%d processes and threads run for the site, more than tasks_max, %d: none could be started", run, tasks)
	}
	return nil
}
