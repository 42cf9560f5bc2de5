package agent

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// killTree kills a process group, what descends from its leader, and what carries the run's mark. It looks again until
// nothing is left, since a process may fork while the others are looked for.
func killTree(pid int, run string) {
	for range 10 {
		family := descendants(pid)
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		found := false
		for _, p := range family {
			if syscall.Kill(p, syscall.SIGKILL) == nil && p != pid {
				found = true
			}
		}
		if killMarked(run) {
			found = true
		}
		if !found {
			return
		}
	}
}

// killMarked kills the processes of a run by the mark in their environment, and tells whether there were any.
func killMarked(run string) bool {
	if run == "" {
		return false
	}
	found := false
	mark := []byte(runVariable + "=" + run)
	for _, p := range processes() {
		if p == os.Getpid() {
			continue
		}
		env, err := os.ReadFile("/proc/" + strconv.Itoa(p) + "/environ")
		if err != nil {
			continue
		}
		for v := range bytes.SplitSeq(env, []byte{0}) {
			if bytes.Equal(v, mark) {
				found = syscall.Kill(p, syscall.SIGKILL) == nil || found
				break
			}
		}
	}
	return found
}

func processes() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var out []int
	for _, e := range entries {
		if p, err := strconv.Atoi(e.Name()); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// descendants are a process and all that descend from it.
func descendants(pid int) []int {
	children := map[int][]int{}
	for _, p := range processes() {
		raw, err := os.ReadFile("/proc/" + strconv.Itoa(p) + "/stat")
		if err != nil {
			continue
		}
		// The name stands in parentheses and may have any character in it.
		_, rest, ok := strings.Cut(string(raw[bytes.LastIndexByte(raw, ')')+1:]), " ")
		fields := strings.Fields(rest)
		if !ok || len(fields) < 2 || fields[0] == "Z" {
			continue
		}
		if parent, err := strconv.Atoi(fields[1]); err == nil {
			children[parent] = append(children[parent], p)
		}
	}
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}
