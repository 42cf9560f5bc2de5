package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/engine/agent/sizes"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// kernel is a host whose kernel counts, and whose journal has what it wrote.
type kernel struct {
	*bed
	at      time.Time
	log     strings.Builder
	all     int              // processes that it ended
	refused map[int64]uint64 // requests, by site
	full    []sizes.Full
}

func newKernel(t *testing.T) *kernel {
	t.Helper()
	k := &kernel{bed: newBed(t), at: time.Now().Add(-time.Hour).Truncate(time.Second)}
	k.program("journalctl", `at=$(dirname "$0")/..; echo "$@" >"$at/asked"; cat "$at/kernel.log" 2>/dev/null`)
	k.write("/proc/vmstat", "oom_kill 0\n")
	return k
}

// wrote adds a line to the kernel's log, as MESSAGE of the journal.
func (k *kernel) wrote(message string) {
	fmt.Fprintf(&k.log, "{\"__REALTIME_TIMESTAMP\":\"%d\",\"MESSAGE\":%s}\n", k.at.UnixMicro(), message)
	k.write("kernel.log", k.log.String())
}

// ended has the kernel end a process, for the limit of a group or that of the host.
func (k *kernel) ended(limit, group, task string) {
	k.counts()
	k.wrote(`"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=a.service,mems_allowed=0,` + limit +
		",task_memcg=" + group + ",task=" + task + `,pid=7,uid=1001"`)
}

func (k *kernel) counts() {
	k.all++
	k.write("/proc/vmstat", fmt.Sprintf("pgfault 9\noom_kill %d\n", k.all))
}

// minute samples the host, and compares what it then tells, without times of day.
func (k *kernel) minute(what string, want ...wire.Shortage) {
	k.t.Helper()
	k.at = k.at.Add(time.Minute)
	k.mkdir(k.a.monitorDir()[len(k.root):])
	if err := k.a.lookForShortages(k.at, k.refused, k.full); err != nil {
		k.t.Fatal(err)
	}
	got := k.a.shortages()
	for i := range got {
		if got[i].First > got[i].Last || got[i].Last > k.at.UnixMicro() {
			k.t.Errorf("%s: from %d to %d", what, got[i].First, got[i].Last)
		}
		got[i].First, got[i].Last = 0, 0
	}
	if diff := cmp.Diff(want, got); diff != "" {
		k.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
	k.at = k.at.Add(time.Second)
}

const (
	liveOf7  = "/system.slice/system-hostler_site_7.slice"
	buildOf7 = "/system.slice/system-hostler_build_7.slice"
	phpOf7   = "hostler-php8.2-site-7-limited.service"
)

// Which process the kernel ended for which limit is reported for a day: of the site, of its deployments, and of the host.
func TestEndedProcessesAreNamed(t *testing.T) {
	t.Parallel()
	k := newKernel(t)
	group := func(slice string, kills int) {
		groupFile(t, k.root, slice, "memory.events", fmt.Sprintf("low 0\nhigh 3\nmax 9\noom %d\noom_kill %d\n", kills, kills))
	}
	group(liveOf7, 4)
	k.ended("oom_memcg="+liveOf7, liveOf7+"/"+phpOf7, "php-fpm8.2")
	k.minute("what happened before the first look is not told")
	k.minute("nothing happened")

	group(liveOf7, 5)
	k.ended("oom_memcg="+liveOf7, liveOf7+"/"+phpOf7, "php-fpm8.2")
	php := wire.Shortage{Of: "memory", Site: 7, Process: "php-fpm8.2", Unit: phpOf7, Times: 1}
	k.minute("a worker of PHP", php)

	// A build is kept apart from what is live (dokku 1270 and coolify 28 show only "Killed"), also if its slice went with it.
	k.ended("oom_memcg="+buildOf7, buildOf7+"/hostler-run-1.service", "node")
	build := wire.Shortage{Of: "memory", Site: 7, Build: true, Process: "node", Unit: "hostler-run-1.service", Times: 1}
	k.minute("a deployment", build, php)

	// Whose limit it was counts, not where the process ran (containerd 12133, cadvisor 2417).
	k.ended("global_oom", "/system.slice/mariadb.service", "mariadbd")
	k.ended("global_oom", liveOf7+"/"+phpOf7, "php-fpm8.2")
	host := wire.Shortage{Of: "memory", Process: "php-fpm8.2", Unit: phpOf7, Times: 2}
	k.minute("the host has no more", host, build, php)

	// The limit of a container is neither the host's nor a site's; that of a unit of the site is the site's.
	k.ended("oom_memcg=/docker/ab", "/docker/ab", "java")
	k.minute("a container", host, build, php)
	group(liveOf7, 6)
	k.ended("oom_memcg="+liveOf7+"/hog.service", liveOf7+"/hog.service", "python3")
	php.Times, php.Process, php.Unit = 2, "python3", "hog.service"
	k.minute("a unit with a limit of its own", php, host, build)

	group(liveOf7, 9)
	for _, task := range []string{"a", "b", "c,pid=1,uid=0"} { // a program names itself
		k.ended("oom_memcg="+liveOf7, liveOf7+"/x.service", task)
	}
	php.Times, php.Process, php.Unit = 5, "c,pid=1,uid=0", "x.service"
	k.minute("three more", php, host, build)

	k.at = k.at.Add(-time.Hour - wire.ShortFor) // the last look was a day ago
	m, _, err := k.a.shortageMemory()
	if err != nil {
		t.Fatal(err)
	}
	if got := recent(m.Found, time.UnixMicro(m.Found[0].Last).Add(wire.ShortFor)); len(got) != 0 {
		t.Errorf("a day later, %d are told", len(got))
	}
}

// Of the kernel's log the last hour is read, however long ago it wrote of a shortage; before, all since then was looked through each minute.
func TestKernelLogIsReadFromWhereItWasRead(t *testing.T) {
	t.Parallel()
	k := newKernel(t)
	groupFile(t, k.root, liveOf7, "memory.events", "oom_kill 0\n")
	for range 3 {
		k.at = k.at.Add(logKept)
		k.minute("nothing happened")
	}
	asked, err := os.ReadFile(filepath.Join(k.root, "asked"))
	if err != nil {
		t.Fatal(err)
	}
	var since int64
	for arg := range strings.FieldsSeq(string(asked)) {
		if text, ok := strings.CutPrefix(arg, "--since=@"); ok {
			_, _ = fmt.Sscan(text, &since)
		}
	}
	if oldest := k.at.Add(-2 * logKept).Unix(); since < oldest {
		t.Errorf("read from %d, not from after %d", since, oldest)
	}
	k.ended("oom_memcg="+liveOf7, liveOf7+"/"+phpOf7, "php-fpm8.2")
	k.minute("a worker of PHP", wire.Shortage{Of: "memory", Site: 7, Process: "php-fpm8.2", Unit: phpOf7, Times: 1})
}

// What the kernel counts and its log does not name is reported without a name, once, and named if the log is late.
func TestKillsWithoutLog(t *testing.T) {
	t.Parallel()
	k := newKernel(t)
	group := func(kills int) {
		groupFile(t, k.root, liveOf7, "memory.events", fmt.Sprintf("oom 9\noom_kill %d\n", kills))
	}
	group(0)
	k.minute("nothing happened")
	group(2)
	k.counts()
	k.counts()
	k.minute("two that nothing names", wire.Shortage{Of: "memory", Site: 7, Times: 2})
	k.all -= 2 // they were counted
	k.ended("oom_memcg="+liveOf7, liveOf7+"/x.service", "late")
	k.ended("oom_memcg="+liveOf7, liveOf7+"/x.service", "late")
	k.minute("the log is late", wire.Shortage{Of: "memory", Site: 7, Process: "late", Unit: "x.service", Times: 2})
	group(1) // another slice of this name
	k.counts()
	k.minute("it counts from the start", wire.Shortage{Of: "memory", Site: 7, Process: "late", Unit: "x.service", Times: 3})
}

// A site that may start no more processes is reported with the one that it has most of, however Linux counts (buildbuddy 9138: only where
// the process was to be).
func TestRefusedProcessesAreNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, counts string }{
		{"Linux before 6.11", liveOf7 + "/x.service"},
		{"Linux 6.11", liveOf7},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := newKernel(t)
			k.t = t
			groupFile(t, k.root, c.counts, "pids.events", "max 5\n")
			groupFile(t, k.root, liveOf7+"/x.service", "cgroup.procs", "11\n12\n13\n")
			groupFile(t, k.root, liveOf7+"/"+phpOf7, "cgroup.procs", "14\n15\n")
			for pid, name := range map[string]string{"11": "bomb", "12": "bomb", "13": "sh", "14": "php-fpm8.2", "15": "bomb\x1b[2J"} {
				k.write("/proc/"+pid+"/comm", name+"\n")
			}
			groupFile(t, k.root, liveOf7, "pids.max", "64\n")
			groupFile(t, k.root, liveOf7, "pids.current", "20\n")
			k.minute("what happened before the first look is not told")
			groupFile(t, k.root, c.counts, "pids.events", "max 6\n")
			k.minute("it is over, and what is left is not to blame", wire.Shortage{Of: "tasks", Site: 7, Times: 1})
			groupFile(t, k.root, c.counts, "pids.events", "max 80\n")
			groupFile(t, k.root, liveOf7, "pids.current", "62\n")
			k.wrote(`"cgroup: fork rejected by pids controller in ` + liveOf7 + `/x.service"`)
			k.minute("a fork bomb", wire.Shortage{Of: "tasks", Site: 7, Process: "bomb", Unit: "x.service", Times: 75})
			k.minute("it ended", wire.Shortage{Of: "tasks", Site: 7, Process: "bomb", Unit: "x.service", Times: 75})
			k.wrote(`"cgroup: fork rejected by pids controller in ` + buildOf7 + `/hostler-run-1.service"`)
			k.wrote(`"cgroup: fork rejected by pids controller in /user.slice/user-1001.slice"`)
			k.minute("a deployment that is gone with its counters",
				wire.Shortage{Of: "tasks", Site: 7, Build: true, Unit: "hostler-run-1.service", Times: 1},
				wire.Shortage{Of: "tasks", Site: 7, Process: "bomb", Unit: "x.service", Times: 75})
		})
	}
}

// Lines of the kernel as they are: of cgroups below a container's (gpud 70), with a name that is no text, of another kind, and none at all.
// Of requests the log of nginx says how many a limit refused; the kernel has nothing to add.
func TestRefusedRequestsAreCounted(t *testing.T) {
	k := newKernel(t)
	k.minute("nothing yet")
	k.refused = map[int64]uint64{12: 3, 14: 1 << 40}
	k.minute("two sites", wire.Shortage{Of: wire.ShortOfConnections, Site: 12, Times: 3},
		wire.Shortage{Of: wire.ShortOfConnections, Site: 14, Times: maxTimes})
	k.refused = map[int64]uint64{12: 4}
	k.minute("one of them once more", wire.Shortage{Of: wire.ShortOfConnections, Site: 12, Times: 7},
		wire.Shortage{Of: wire.ShortOfConnections, Site: 14, Times: maxTimes})
	k.refused = nil
	k.at = k.at.Add(wire.ShortFor)
	k.minute("a day later")
}

// A full directory is reported for as long as it is full.
func TestFullDirectoriesAreNamed(t *testing.T) {
	k := newKernel(t)
	k.minute("nothing yet")
	k.full = []sizes.Full{{Site: 12, Bytes: 1 << 20}, {Site: 13, Bytes: 1}}
	k.minute("two", wire.Shortage{Of: wire.ShortOfDisk, Site: 12, Bytes: 1 << 20, Times: 1},
		wire.Shortage{Of: wire.ShortOfDisk, Site: 13, Bytes: 1, Times: 1})
	k.full = []sizes.Full{{Site: 12, Bytes: 2 << 20}}
	k.minute("one of them still", wire.Shortage{Of: wire.ShortOfDisk, Site: 12, Bytes: 2 << 20, Times: 1})
	k.full = nil
	k.minute("none")
}

func TestKernelLines(t *testing.T) {
	t.Parallel()
	const begins = `"oom-kill:constraint=CONSTRAINT_MEMCG,`
	const rest = `,task_memcg=/a.slice/b.service,task=`
	for _, c := range []struct{ name, message, want string }{
		{
			"several nodes, below a container",
			begins + `nodemask=0-1,3,cpuset=b.scope,mems_allowed=0-1,oom_memcg=/lxc.payload.x/system.slice/system-hostler_site_9.slice` +
				rest + `(pool) 2,pid=46,uid=0"`,
			"system-hostler_site_9.slice (pool) 2",
		},
		{
			"as Linux 6.18 wrote it, for a group above that of the process",
			begins + `nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/group/system-hostler_site_7.slice` +
				`,task_memcg=/group/system-hostler_site_7.slice/x.service,task=python3,pid=21650,uid=0"`,
			"system-hostler_site_7.slice python3",
		},
		{"not ours", begins + `nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/docker/ab` + rest + `x,pid=1,uid=0"`, " x"},
		{"no text", bytesOf("oom-kill:constraint=C,x,global_oom,task_memcg=/,task=\xff,pid=1,uid=0"), " ?"},
		{"of before Linux 5", `"Memory cgroup out of memory: Kill process 4015 (python) score 1923 or sacrifice child"`, "none"},
		{"cut off", `"oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,task_memcg=/a,task=x"`, "none"},
		{"no message", `null`, "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k, ok := parseKernel([]byte(`{"__REALTIME_TIMESTAMP":"1800000000000000","MESSAGE":` + c.message + `}`))
			got := "none"
			if ok {
				got = k.slice() + " " + k.process
			}
			if got != c.want {
				t.Errorf("it is %q, not %q", got, c.want)
			}
		})
	}
}

// bytesOf is how the journal has a text that is not UTF-8.
func bytesOf(text string) string {
	return strings.ReplaceAll(fmt.Sprint([]byte(text)), " ", ",")
}
