package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/engine/agent/program"
	"github.com/hostlerhq/hostler/internal/engine/agent/sizes"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// That the kernel ended a process, or started no more, is otherwise known to it alone: PHP and programs are started again, and people see
// a request that failed for no reason. The kernel counts both for each control group, and its log names the process that it ended; both
// are read with each sample.

const (
	// logKept is how old what was read of the kernel's log may be at most, and logBehind how late a line may be there: so that not all that
	// the kernel ever wrote is looked through each minute.
	logKept, logBehind = time.Hour, 5 * time.Minute
	// maxKills is how many lines of the kernel's log are read in a minute; an output has room for as many.
	maxKills = 100
	// maxTimes is how many times are counted at once.
	maxTimes = 1 << 30
)

// shortageMemory is what is remembered of shortages: the counters of the kernel when they were last read, and what followed from them.
type shortageMemory struct {
	Boot   string                   `json:"boot"`
	Kills  uint64                   `json:"kills"` // of the host
	Late   bool                     `json:"late"`  // the log had not named all of them
	Groups map[string]groupCounters `json:"groups"`
	Read   int64                    `json:"read"` // until when the kernel's log was read, in microseconds
	Found  []wire.Shortage          `json:"found"`
}

type groupCounters struct {
	Kills   uint64 `json:"kills"`
	Refused uint64 `json:"refused"`
	// Unnamed were counted, and the log has not named them yet.
	Unnamed uint64 `json:"unnamed,omitempty"`
}

func (a *Agent) shortagePath() string { return filepath.Join(a.monitorDir(), "shortages") }

func (a *Agent) shortageMemory() (m shortageMemory, first bool, err error) {
	err = durable.ReadJSON(a.shortagePath(), &m)
	if errors.Is(err, fs.ErrNotExist) {
		first, err = true, nil
	}
	return m, first, err
}

// shortages returns those of the last day.
func (a *Agent) shortages() []wire.Shortage {
	m, _, err := a.shortageMemory()
	if err != nil {
		return nil
	}
	return recent(m.Found, a.now())
}

// recent returns the shortages of the last day, the newest first.
func recent(all []wire.Shortage, at time.Time) []wire.Shortage {
	var out []wire.Shortage
	for _, s := range all {
		if at.Sub(time.UnixMicro(s.Last)) < wire.ShortFor {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b wire.Shortage) int { return cmp.Compare(b.Last, a.Last) })
	return out[:min(len(out), wire.MaxShortages)]
}

// lookForShortages finds what fell short since the last time. What happened before the first time is not known. refused is how many
// requests the limits of sites refused since, and full are the sites whose directories are full now.
func (a *Agent) lookForShortages(at time.Time, refused map[int64]uint64, full []sizes.Full) error {
	m, first, err := a.shortageMemory()
	if err != nil { // damaged
		m, first = shortageMemory{}, true
	}
	before := m
	now := shortageMemory{Boot: bootID(), Groups: map[string]groupCounters{}, Read: m.Read}
	now.Kills = counterIn(a.host("/proc/vmstat"), "oom_kill")
	if m.Boot != now.Boot { // the kernel counts from the start
		m.Kills, m.Groups = 0, nil
	}
	found := recent(m.Found, at)
	named, rejected := map[string]uint64{}, map[string]kernelEntry{}
	limited := a.siteSlices()
	if first {
		now.Read = at.UnixMicro()
	} else if now.Kills != m.Kills || m.Late || len(limited) > 0 {
		kills := uint64(0)
		for _, k := range a.kernelLog(m.Read) {
			now.Read = max(now.Read, k.at)
			if !k.killed {
				rejected[k.slice()] = k
				continue
			}
			kills++
			if k.limited != "" && k.slice() == "" { // the limit of something else, such as a container
				continue
			}
			times := 1
			if named[k.slice()] < m.Groups[k.slice()].Unnamed { // it was counted
				times = 0
			}
			named[k.slice()]++
			found = fell(found, k.shortage(), times, k.at)
		}
		if now.Late = !m.Late && kills < since(m.Kills, now.Kills); !now.Late && at.Sub(time.UnixMicro(now.Read)) > logKept {
			now.Read = at.Add(-logBehind).UnixMicro()
		}
	}
	for slice, site := range limited {
		was, known := m.Groups[slice]
		group := filepath.Join(systemSlice, slice)
		is := groupCounters{Kills: a.counter(group, "memory.events", "oom_kill"), Refused: a.refused(slice)}
		if first && !known {
			was = is
		}
		if n := since(was.Kills, is.Kills) + was.Unnamed; n > max(named[slice], was.Unnamed) {
			is.Unnamed = n - max(named[slice], was.Unnamed)
			site.Of = wire.ShortOfMemory
			found = fell(found, site, int(min(is.Unnamed, maxTimes)), at.UnixMicro())
		}
		if n := since(was.Refused, is.Refused); n > 0 {
			site.Of = wire.ShortOfTasks
			site.Process, site.Unit = a.most(group)
			found = fell(found, site, int(min(n, maxTimes)), at.UnixMicro())
			delete(rejected, slice)
		}
		now.Groups[slice] = is
	}
	for _, k := range rejected { // of a unit that ended since, with what it had counted
		if s := k.shortage(); s.Site != 0 {
			found = fell(found, s, 1, k.at)
		}
	}
	for _, site := range slices.Sorted(maps.Keys(refused)) {
		found = fell(found, wire.Shortage{Of: wire.ShortOfConnections, Site: site}, int(min(refused[site], maxTimes)), at.UnixMicro())
	}
	now.Found = recent(stillFull(found, full, at), at)
	if reflect.DeepEqual(before, now) {
		return nil
	}
	return durable.WriteJSON(a.shortagePath(), now)
}

// stillFull replaces what is known of full directories: that is a state, and no event like the other shortages.
func stillFull(all []wire.Shortage, full []sizes.Full, at time.Time) []wire.Shortage {
	first := map[int64]int64{}
	for _, s := range all {
		if s.Of == wire.ShortOfDisk {
			first[s.Site] = s.First
		}
	}
	all = slices.DeleteFunc(all, func(s wire.Shortage) bool { return s.Of == wire.ShortOfDisk })
	for _, f := range full {
		s := wire.Shortage{Of: wire.ShortOfDisk, Site: f.Site, Bytes: f.Bytes, Times: 1, First: at.UnixMicro(), Last: at.UnixMicro()}
		if since, known := first[f.Site]; known {
			s.First = since
		}
		all = append(all, s)
	}
	return all
}

// since returns how much a counter grew, which began again if it is less than it was.
func since(was, is uint64) uint64 {
	if is < was {
		return is
	}
	return is - was
}

// fell adds a shortage to those known: to the one of the same site and kind, whose times then grow.
func fell(all []wire.Shortage, s wire.Shortage, times int, at int64) []wire.Shortage {
	s.Times, s.First, s.Last = times, at, at
	i := slices.IndexFunc(all, func(o wire.Shortage) bool { return o.Of == s.Of && o.Site == s.Site && o.Build == s.Build })
	if i < 0 {
		return append(all, s)
	}
	if s.Process == "" {
		s.Process, s.Unit = all[i].Process, all[i].Unit
	}
	s.Times, s.First, s.Last = all[i].Times+times, all[i].First, max(at, all[i].Last)
	all[i] = s
	return all
}

// siteSlices returns the slices of sites that there are, by their names.
func (a *Agent) siteSlices() map[string]wire.Shortage {
	out := map[string]wire.Shortage{}
	for _, group := range a.groupsIn(systemSlice) {
		name := filepath.Base(group)
		if m := slicePattern.FindStringSubmatch(name); m != nil {
			site, _ := strconv.ParseInt(m[2], 10, 64)
			out[name] = wire.Shortage{Site: site, Build: m[1] == "build"}
		}
	}
	return out
}

// most returns of which process there are most in a slice, and its unit; nothing if there are not as many as its limit allows any longer.
func (a *Agent) most(slice string) (process, unit string) {
	const limit, nearly = 5000, 10 // processes that are looked at; a part of the limit that may be free
	most := a.counter(slice, "pids.max", "")
	if run := a.counter(slice, "pids.current", ""); most == 0 || run < most-most/nearly {
		return "", ""
	}
	type of struct{ process, unit string }
	n := map[of]int{}
	looked := 0
	for _, group := range a.groupsIn(slice) {
		pids, _ := os.ReadFile(a.host(filepath.Join(cgroups, group, "cgroup.procs")))
		for pid := range strings.FieldsSeq(string(pids)) {
			if looked++; looked > limit {
				break
			}
			name, err := os.ReadFile(a.host(filepath.Join("/proc", pid, "comm")))
			if err == nil {
				n[of{printable(strings.TrimSuffix(string(name), "\n")), filepath.Base(group)}]++
			}
		}
	}
	best := of{}
	for o, count := range n {
		if count > n[best] || count == n[best] && o.process < best.process {
			best = o
		}
	}
	return best.process, best.unit
}

// kernelEntry is what the kernel wrote of a shortage: that it ended a process, since a group or the host had no more memory, or that it
// started none.
type kernelEntry struct {
	at      int64
	killed  bool
	limited string // the group that had no more memory, "" for the host
	group   string // of the process
	process string
}

// slice returns the slice of a site whose limit was reached, "" for others.
func (k kernelEntry) slice() string {
	group := k.limited
	if !k.killed { // which group had no more is not told
		group = filepath.Dir(k.group)
	}
	for ; len(group) > 1; group = filepath.Dir(group) { // a unit of the site may have a limit of its own
		if name := filepath.Base(group); slicePattern.MatchString(name) {
			return name
		}
	}
	return ""
}

func (k kernelEntry) shortage() wire.Shortage {
	s := wire.Shortage{Of: wire.ShortOfMemory, Process: k.process, Unit: filepath.Base(k.group)}
	if !k.killed {
		s.Of = wire.ShortOfTasks
	}
	if m := slicePattern.FindStringSubmatch(k.slice()); m != nil {
		s.Site, _ = strconv.ParseInt(m[2], 10, 64)
		s.Build = m[1] == "build"
	}
	return s
}

var (
	// killLine is what the kernel writes when it ended a process (dump_oom_summary of mm/oom_kill.c). The name of a process is its own
	// choice, up to 15 bytes, and may look like the rest of a line.
	killLine = regexp.MustCompile(`^oom-kill:constraint=[A-Z_]+,.*?,(?:oom_memcg=(/[^,]*)|global_oom)` +
		`,task_memcg=(/[^,]*),task=(.{0,60}),pid=[0-9]+,uid=[0-9]+$`)
	// rejectLine is what it writes the first time that it started no process in a group (kernel/cgroup/pids.c).
	rejectLine = regexp.MustCompile(`^cgroup: fork rejected by pids controller in (/.*)$`)
)

// kernelLog returns what the kernel wrote of shortages since a time in microseconds, the oldest first.
func (a *Agent) kernelLog(since int64) []kernelEntry {
	out := output.New(nil, nil, nil)
	_ = a.programs.Run(context.Background(), program.Program{Timeout: time.Minute, Out: out, Argv: []string{ // it fails where no line matches
		"journalctl", "--quiet", "--no-pager", "--reverse", "--output=json", "--output-fields=MESSAGE", "--since=@" + strconv.FormatInt(since/1e6, 10),
		"--grep=^(oom-kill:|cgroup: fork rejected)", "--lines=" + strconv.Itoa(maxKills), "_TRANSPORT=kernel",
	}})
	text, _ := out.Finish()
	var found []kernelEntry
	for line := range strings.Lines(text) {
		if k, ok := parseKernel([]byte(line)); ok && k.at > since {
			found = append(found, k)
		}
	}
	slices.SortFunc(found, func(a, b kernelEntry) int { return cmp.Compare(a.at, b.at) })
	return found
}

// parseKernel reads an entry of the journal as JSON (systemd.journal-fields(7)).
func parseKernel(line []byte) (kernelEntry, bool) {
	var entry struct {
		At      string          `json:"__REALTIME_TIMESTAMP"`
		Message json.RawMessage `json:"MESSAGE"`
	}
	if json.Unmarshal(line, &entry) != nil {
		return kernelEntry{}, false
	}
	at, err := strconv.ParseInt(entry.At, 10, 64)
	var text string
	if json.Unmarshal(entry.Message, &text) != nil { // an array of its bytes, if some of them are no text
		var bytes []int
		if json.Unmarshal(entry.Message, &bytes) != nil {
			return kernelEntry{}, false
		}
		raw := make([]byte, len(bytes))
		for i, b := range bytes {
			raw[i] = byte(b)
		}
		text = string(raw)
	}
	if m := rejectLine.FindStringSubmatch(text); m != nil && err == nil {
		return kernelEntry{at: at, group: m[1]}, true
	}
	m := killLine.FindStringSubmatch(text)
	if err != nil || m == nil {
		return kernelEntry{}, false
	}
	return kernelEntry{at: at, killed: true, limited: m[1], group: m[2], process: printable(m[3])}, true
}

// printable returns the name of a process without what is not shown.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, name)
}
