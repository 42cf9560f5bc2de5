package main

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A program that the agent runs gets a higher limit of open files than the agent's login.
func TestOpenFiles(t *testing.T) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	low := syscall.Rlimit{Cur: 256, Max: limit.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	if err := openFiles(); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("sh", "-c", "ulimit -Sn").Output()
	if err != nil {
		t.Fatal(err)
	}
	if n, err := strconv.ParseUint(strings.TrimSpace(string(out)), 10, 64); err != nil || n != min(limit.Max, 65536) {
		t.Errorf("a program may open %s files, want %d", strings.TrimSpace(string(out)), min(limit.Max, 65536))
	}
}
