package practice

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLineArgs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		line Line
		want string
	}{
		{"nothing", Line{}, ""},
		{"delay in ms", Line{Delay: 80 * time.Millisecond}, "-d 80"},
		{"fractions", Line{Delay: 1500 * time.Microsecond, Loss: 0.5}, "-d 1.5 -l 0.5"},
		{"all", Line{Delay: 2 * time.Second, Jitter: time.Millisecond, Loss: 20, KBitSec: 1000}, "-d 2000 -j 1 -l 20 -r 1000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, strings.Join(c.line.args(), " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestKernelVersion(t *testing.T) {
	t.Parallel()
	for release, want := range map[string]bool{
		"5.13.19": false, "5.14.0-70.el9": true, "6.1.0-18-amd64": true, "4.19.0": false, "10.0": true, "": false,
	} {
		if got := atLeast(release, 5, 14); got != want {
			t.Errorf("%q is at least 5.14: %v, want %v", release, got, want)
		}
	}
}

func TestUnpackIsVersioned(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	main, err := unpack(home)
	if err != nil {
		t.Fatal(err)
	}
	again, err := unpack(home)
	if err != nil || again != main {
		t.Fatalf("the second time: %q, %v; want %q", again, err, main)
	}
	for _, name := range []string{"hosts", "slowlink.py", "pkgcache.py"} {
		info, err := os.Stat(filepath.Join(filepath.Dir(main), name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o111 == 0 {
			t.Errorf("%s is not executable", name)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(home, "scripts", ".new-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	err := error(&ExitError{Args: []string{"cut", "3"}, Code: 1, Stderr: "practice: no host 3 in bed 14\n"})
	if diff := cmp.Diff("practice: cut 3: no host 3 in bed 14", err.Error()); diff != "" {
		t.Error(diff)
	}
	if errors.Is(err, ErrBedInUse) {
		t.Error("every failure means that the bed is in use")
	}
	if !errors.Is(&ExitError{Code: inUseStatus}, ErrBedInUse) {
		t.Error("the status for a bed in use is not recognized")
	}
	missing := &MissingError{[]string{"a", "b"}}
	if diff := cmp.Diff("practice servers can't run here: a; b", missing.Error()); diff != "" {
		t.Error(diff)
	}
}

// TestScriptRefuses runs the script with everything that it must refuse before it touches anything.
func TestScriptRefuses(t *testing.T) {
	if err := Check(); err != nil {
		t.Skipf("skipped %s: %v", t.Name(), err)
	}
	t.Setenv("HOSTLER_PRACTICE_HOME", t.TempDir())
	for _, c := range []struct {
		bed  int
		args string
		want string
	}{
		{201, "list", "no such bed: 201"},
		{19, "frobnicate", "unknown command frobnicate"},
		{19, "up 0", "not a number of hosts: 0"},
		{19, "up 241", "not a number of hosts: 241"},
		{19, "up 1 --disk 5;reboot", "not a disk"},
		{19, "up 1 --wait forever", "--wait ssh, running or none"},
		{19, "up 1 --image ../etc", "not a name: ../etc"},
		{19, "cut 241", "no such host: 241"},
		{19, "cut 1", "no host 1 in bed 19"},
		{19, "slow 1 -d 5", "no host 1 in bed 19"},
		{19, "kill", "which host?"},
		{19, "image x $(id)", "not a package: $(id)"},
	} {
		t.Run(c.args, func(t *testing.T) {
			_, err := run(t.Context(), c.bed, nil, nil, strings.Fields(c.args)...)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// The package cache stays as long as any bed was used since this machine started, wherever that bed is in the list.
func TestCacheStaysWithOtherBeds(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skipf("skipped %s: no bash", t.Name())
	}
	script, err := unpack(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	// A real file has one line. A long one fills the pipe between two programs, and the first is then killed by the end of the second.
	long := strings.Repeat("another boot\n", 100_000)
	for name, test := range map[string]struct {
		beds []string
		want string
	}{
		"none":              {nil, "removed"},
		"all before a boot": {[]string{"another boot\n", long}, "removed"},
		"the first":         {[]string{"this boot\n", long, long}, ""},
		"the last":          {[]string{long, long, "this boot\n"}, ""},
		"a part of a line":  {[]string{"not this boot\n"}, "removed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			for i, text := range test.beds {
				dir := filepath.Join(home, "beds", strconv.Itoa(i))
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, "used"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			const run = `set -euo pipefail
eval "$(sed -n '/^last_down() {/,/^}/p' "$1")"
cg2() { :; }; sys_down() { :; }; cg_rm() { :; }; apt_down() { echo removed; }
BOOT="this boot" HP_HOME=$2 _CG2=/nothing
last_down`
			out, err := exec.CommandContext(t.Context(), bash, "-c", run, "bash", script, home).CombinedOutput()
			if got := strings.TrimSpace(string(out)); err != nil || got != test.want {
				t.Errorf("the cache is %q, %v; want %q", got, err, test.want)
			}
		})
	}
}
