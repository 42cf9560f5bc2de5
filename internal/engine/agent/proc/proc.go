// Package proc finds the processes of a run and kills them.
package proc

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Variable is in the environment of a run's processes, to find those that left their process group.
const Variable = "HOSTLER_RUN"

// KillTree kills a process group, all descendants of its leader, and all processes with the run's mark. It repeats until nothing
// is left, since a process may fork meanwhile.
func KillTree(pid int, run string) {
	for range 10 {
		family := descendants(pid)
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		found := false
		for _, p := range family {
			if syscall.Kill(p, syscall.SIGKILL) == nil && p != pid {
				found = true
			}
		}
		if KillMarked(run) {
			found = true
		}
		if !found {
			return
		}
	}
}

// Ended blocks until a process has ended, at most for a time, and reports whether it has: a signal only asks for it. A process that its parent has not
// waited for has ended as well (pidfd_open(2)).
func Ended(pid int, within time.Duration) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return errors.Is(err, unix.ESRCH)
	}
	defer func() { _ = unix.Close(fd) }()
	for end := time.Now().Add(within); ; {
		left := max(0, time.Until(end)).Milliseconds()
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(left)) //nolint:gosec // descriptors are small
		if !errors.Is(err, unix.EINTR) {
			return err == nil && n > 0
		}
	}
}

// KillMarked kills the processes of a run by the mark in their environment, and reports whether there were any.
func KillMarked(run string) bool {
	found := false
	for _, p := range Marked(run) {
		found = syscall.Kill(p, syscall.SIGKILL) == nil || found
	}
	return found
}

// Marked returns the processes of a run, by the mark in their environment, except for this one.
func Marked(run string) []int {
	if run == "" {
		return nil
	}
	var out []int
	mark := []byte(Variable + "=" + run)
	for _, p := range All() {
		if p == os.Getpid() {
			continue
		}
		env, err := os.ReadFile("/proc/" + strconv.Itoa(p) + "/environ")
		if err != nil {
			continue
		}
		for v := range bytes.SplitSeq(env, []byte{0}) {
			if bytes.Equal(v, mark) {
				out = append(out, p)
				break
			}
		}
	}
	return out
}

// NameOf returns the name of a process, "" if there is none.
func NameOf(pid int) string {
	raw, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	return strings.TrimSpace(string(raw))
}

// All returns the ids of all processes.
func All() []int {
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

// Of returns the processes that have a user id, as their real, effective, saved or file system's one. Zombies, which do nothing more, are not among them.
func Of(uid int) []int {
	var out []int
	for _, pid := range All() {
		raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
		if err != nil {
			continue
		}
		is, over := false, false
		for line := range strings.Lines(string(raw)) {
			switch key, value, _ := strings.Cut(line, ":"); key {
			case "Uid":
				is = slices.Contains(strings.Fields(value), strconv.Itoa(uid))
			case "State":
				over = strings.HasPrefix(strings.TrimSpace(value), "Z")
			}
		}
		if is && !over {
			out = append(out, pid)
		}
	}
	return out
}

// ParentOf returns the parent of a process that is not a zombie, 0 if there is no such process.
func ParentOf(pid int) int {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	// The name is in parentheses and may contain any character.
	f := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))
	if len(f) < 2 || f[0] == "Z" {
		return 0
	}
	parent, _ := strconv.Atoi(f[1])
	return parent
}

// descendants returns a process and all that descend from it.
func descendants(pid int) []int {
	children := map[int][]int{}
	for _, p := range All() {
		if parent := ParentOf(p); parent > 0 {
			children[parent] = append(children[parent], p)
		}
	}
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}
