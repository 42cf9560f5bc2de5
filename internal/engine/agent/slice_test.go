package agent

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

func groupFile(t *testing.T, root, group, name, text string) {
	t.Helper()
	dir := filepath.Join(root, cgroups, group)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Limits below what runs now are refused with numbers; the cache of files counts for nothing, and a host without controllers knows nothing.
func TestLimitsFit(t *testing.T) {
	t.Parallel()
	a, root := &Agent{cfg: Config{Root: t.TempDir()}}, ""
	root = a.cfg.Root
	const slice = "system-hostler_site_7.slice"
	wantFits := func(want string, args ...string) {
		t.Helper()
		err := a.Fits(args, io.Discard)
		if got := ""; err == nil && want != "" || err != nil && (want == "" || !strings.Contains(err.Error(), want)) {
			if err != nil {
				got = err.Error()
			}
			t.Errorf("%v: %q, not %q", args, got, want)
		}
	}
	wantFits("", slice, "64", "32")
	groupFile(t, root, "system.slice/"+slice, "memory.stat", "anon 209715200\nfile 999999999\n")
	groupFile(t, root, "system.slice/"+slice, "pids.current", "40\n")
	wantFits("", slice, "200", "40")
	wantFits("", slice, "0", "0")
	wantFits("uses 200 MB of memory, more than memory_max, 199 MB", slice, "199", "0")
	wantFits("40 processes and threads run for the site, more than tasks_max, 39", slice, "0", "39")
	wantFits("usage", "../../../etc", "1", "1")
	if err := os.Mkdir(filepath.Join(root, "proc"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "proc/meminfo"), []byte("MemTotal:        1024000 kB\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	wantFits("", slice, "20%", "0")
	wantFits("uses 200 MB of memory, more than memory_max_percent, 190 MB", slice, "19%", "0")
	wantFits("usage", slice, "1")
	wantFits("read the limit", slice, "-1", "1")
	for controllers, not := range map[string]string{"cpu memory pids": "", "cpu pids": "limits of memory:", "memory io": "limits of tasks:"} {
		groupFile(t, root, "", "cgroup.controllers", controllers+"\n")
		var said strings.Builder
		if err := a.Fits([]string{slice, "300", "50"}, &said); err != nil || strings.Contains(said.String(), "does not enforce") != (not != "") ||
			!strings.Contains(said.String(), not) {
			t.Errorf("with the controllers %s: %v, %q", controllers, err, said.String())
		}
	}
}

// A failure at a limit says so, which neither "Killed" nor "Resource temporarily unavailable" does (coolify 28, systemd 3211).
func TestFailureAtLimit(t *testing.T) {
	t.Parallel()
	a := &Agent{cfg: Config{Root: t.TempDir()}}
	const group = "/system.slice/system-hostler_build_7.slice/hostler-run-1.service"
	limited := &wire.Script{Slice: "system-hostler_build_7.slice"}
	groupFile(t, a.cfg.Root, group, "memory.events", "low 0\nhigh 3\nmax 5\noom 0\noom_kill 0\n")
	groupFile(t, a.cfg.Root, group, "pids.events", "max 0\n")
	if why := a.ofLimits(limited, group, 3); why != "" {
		t.Errorf("without a limit reached: %s", why)
	}
	groupFile(t, a.cfg.Root, group, "pids.events", "max 2\n")
	if why := a.ofLimits(limited, group, 3); !strings.Contains(why, "no more processes") {
		t.Errorf("without a process: %s", why)
	}
	groupFile(t, a.cfg.Root, group, "pids.events", "max 0\n") // since Linux 6.11, with the limit
	groupFile(t, a.cfg.Root, "/system.slice/system-hostler_build_7.slice", "pids.events", "max 3\n")
	if why := a.ofLimits(limited, group, 3); why != "" {
		t.Errorf("of an earlier run: %s", why)
	}
	if why := a.ofLimits(limited, group, 1); !strings.Contains(why, "no more processes") {
		t.Errorf("without a process, counted at the limit: %s", why)
	}
	groupFile(t, a.cfg.Root, group, "memory.events", "oom 1\noom_kill 1\n")
	if why := a.ofLimits(limited, group, 3); !strings.Contains(why, "memory") {
		t.Errorf("without memory: %s", why)
	}
	if why := a.ofLimits(&wire.Script{}, group, 0); why != "" {
		t.Errorf("of a site without limits: %s", why)
	}
}
