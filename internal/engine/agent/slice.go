package agent

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/render"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	cgroups = "/sys/fs/cgroup"
	// systemSlice is the group of the slices of sites.
	systemSlice = "/system.slice"
)

// counter returns a value of a file of a control group with lines of names and numbers (cgroups(7)), 0 for one that is not there: the group is not limited.
func (a *Agent) counter(group, file, name string) uint64 {
	return counterIn(a.host(filepath.Join(cgroups, group, file)), name)
}

func counterIn(path, name string) uint64 {
	f, err := os.Open(path)
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

// refusedIn returns how often no more processes could be started in a slice of a site, as far as Linux counts that in the group whose
// limit was reached. Before 6.11 it did so in the group that the process was to be in (commit 73e75e6fc352).
func (a *Agent) refusedIn(slice string) uint64 {
	return a.counter(filepath.Join(systemSlice, slice), "pids.events", "max")
}

// refused is refusedIn for each Linux.
func (a *Agent) refused(slice string) uint64 {
	var in uint64
	for _, unit := range a.groupsIn(filepath.Join(systemSlice, slice)) {
		in += a.counter(unit, "pids.events", "max")
	}
	return max(in, a.refusedIn(slice))
}

// groupsIn returns the control groups of the units of a slice.
func (a *Agent) groupsIn(slice string) []string {
	entries, err := os.ReadDir(a.host(filepath.Join(cgroups, slice)))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, filepath.Join(slice, e.Name()))
		}
	}
	return out
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

// ofLimits returns the beginning of a reason if a script failed at a limit of its site: what was ended by the kernel can't say why, and
// what could not be started says that something is temporarily unavailable. group is that of the script's run, and refused what refusedIn
// of its slice was before.
func (a *Agent) ofLimits(s *wire.Script, group string, refused uint64) string {
	switch {
	case s.Slice == "" || group == "":
		return ""
	case a.counter(group, "memory.events", "oom_kill") > 0:
		return "a program was ended because the memory that the site's limits allow was used up; "
	case a.counter(group, "pids.events", "max") > 0 || a.refusedIn(s.Slice) > refused:
		return "no more processes could be started, since the site's limits allow no more; "
	}
	return ""
}

// unenforced says which limits the kernel does not enforce here, as in a container whose host keeps the controllers to itself; "" for none.
func (a *Agent) unenforced(memory, tasks bool) string {
	has, _ := os.ReadFile(a.host(filepath.Join(cgroups, "cgroup.controllers")))
	var lacks []string
	for _, limit := range []struct {
		set              bool
		name, controller string
	}{{memory, "memory", "memory"}, {tasks, "tasks", "pids"}} {
		if limit.set && !slices.Contains(strings.Fields(string(has)), limit.controller) {
			lacks = append(lacks, limit.name)
		}
	}
	if len(lacks) == 0 {
		return ""
	}
	return "the kernel of this server does not enforce limits of " + strings.Join(lacks, " and ") + ": they are stored only"
}

// validated is the evidence of a program that found no error in what it was given.
func (a *Agent) validated(argv []string) string {
	const fixed = 5 // the agent, the mode, and its arguments
	if len(argv) != fixed || argv[1] != wire.FitsMode {
		return strings.Join(argv, " ") + " finds no error"
	}
	none := func(limit string) bool { return strings.TrimSuffix(limit, "%") == "0" }
	if said := a.unenforced(!none(argv[3]), !none(argv[4])); said != "" {
		return said
	}
	return "what runs for the site fits its limits"
}

// Fits performs wire.FitsMode: it fails if what runs in a slice uses more than it may. The kernel would end programs to make it fit. It
// tells w of a limit that the kernel does not enforce here, as in a container whose host keeps the controllers to itself.
func (a *Agent) Fits(args []string, w io.Writer) error {
	const fixed = 3
	if len(args) != fixed || !slicePattern.MatchString(args[0]) {
		return errors.New("usage: fits SLICE MEGABYTES|PERCENT% TASKS, with 0 for no limit")
	}
	group := filepath.Join(systemSlice, args[0])
	percent, ofAll := strings.CutSuffix(args[1], "%")
	most, err := strconv.ParseUint(percent, 10, 32)
	if err != nil {
		return fmt.Errorf("read the limit of memory: %w", err)
	}
	tasks, err := strconv.ParseUint(args[2], 10, 32)
	if err != nil {
		return fmt.Errorf("read the limit of tasks: %w", err)
	}
	if said := a.unenforced(most > 0, tasks > 0); said != "" {
		_, _ = fmt.Fprintln(w, said)
	}
	const mega = 1 << 20
	bytes, name := most*mega, "memory_max"
	if ofAll {
		bytes, name = uint64(a.allMemory())*most/100, "memory_max_percent"
	}
	if used := a.counter(group, "memory.stat", "anon"); bytes > 0 && used > bytes { // the cache of files can be given back
		return fmt.Errorf("what runs for the site uses %d MB of memory, more than %s, %d MB: programs would be ended", used/mega, name, bytes/mega)
	}
	if run := a.counter(group, "pids.current", ""); tasks > 0 && run > tasks {
		return fmt.Errorf("%d processes and threads run for the site, more than tasks_max, %d: none could be started", run, tasks)
	}
	return nil
}

// usage is what a site with limits uses: memory, processors since the sample before, tasks.
type usage struct {
	processors uint64 // microseconds that they have worked for it
	counts     [wire.SiteMetrics - wire.SiteMemory]uint32
}

// unmeasured are the counts of a site without limits.
var unmeasured = [...]uint32{wire.SiteUnknown, wire.SiteUnknown, wire.SiteUnknown}

// usageOf returns what a site uses, by the counters of its slice. How much of the processors that is follows from the sample before.
func (a *Agent) usageOf(site int64) usage {
	u := usage{counts: unmeasured}
	group := filepath.Join(systemSlice, render.SiteSlice(site))
	if _, err := os.Stat(a.host(filepath.Join(cgroups, group, "memory.current"))); err != nil {
		return u
	}
	u.processors = a.counter(group, "cpu.stat", "usage_usec")
	u.counts[wire.SiteMemory-wire.SiteMemory] = entryOf(a.counter(group, "memory.current", "") >> 20)
	u.counts[wire.SiteTasks-wire.SiteMemory] = entryOf(a.counter(group, "pids.current", ""))
	return u
}

// since says how much of the processors a site used since they had worked for it for so long, some minutes ago. A counter that began
// again says nothing.
func (u *usage) since(was uint64, minutes int64) {
	if minutes > 0 && was > 0 && u.processors >= was {
		u.counts[wire.SiteCPU-wire.SiteMemory] = entryOf((u.processors - was) * 100 / uint64(minutes*time.Minute.Microseconds()))
	}
}

// entryOf returns a number as a ring has room for it.
func entryOf(n uint64) uint32 { return uint32(min(n, wire.SiteUnknown-1)) }
