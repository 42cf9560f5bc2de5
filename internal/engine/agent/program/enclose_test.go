package program

import (
	"strings"
	"syscall"
	"testing"
)

// An enclosure can't be used to become root, a system account or a path; each is refused before anything is mounted.
func TestEncloseRefuses(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		nil,
		{"1000:1000:", "alice", "/", "/bin/true"},
		{"0:0:", "alice", "/", "/bin/true", "true"},
		{"1000:0:", "alice", "/", "/bin/true", "true"},
		{"33:33:", "alice", "/", "/bin/true", "true"},
		{"1000:1000", "alice", "/", "/bin/true", "true"},
		{"1000:1000:x", "alice", "/", "/bin/true", "true"},
		{"-1:-1:", "alice", "/", "/bin/true", "true"},
		{"1000:1000:", "../alice", "/", "/bin/true", "true"},
		{"1000:1000:", "", "/", "/bin/true", "true"},
	} {
		if err := Enclose(args); err == nil || strings.Contains(err.Error(), "mounts") {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func TestEnclosesAccountsOfPeople(t *testing.T) {
	t.Parallel()
	onHost, below := Runner{Self: "/agent"}, Runner{Self: "/agent", Root: "/tmp/x"}
	for uid, want := range map[uint32]bool{0: false, 33: false, 113: false, 1000: true, 1001: true} {
		if got := onHost.encloses(&syscall.Credential{Uid: uid}); got != want {
			t.Errorf("encloses %d: %v", uid, got)
		}
	}
	if onHost.encloses(nil) || below.encloses(&syscall.Credential{Uid: 1000}) {
		t.Error("root, or another root than the host's, is enclosed")
	}
}
