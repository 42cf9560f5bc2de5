package agent

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// On a full disk everything fails with other words: people read of the disk first.
func TestReasonOfAFullDiskBeginsWithTheDisk(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const said = "echo 'tar: ./a: Cannot write: No space left on device' >&2; exit 2"
	res, _ := b.run(changeRun("r1", sh("unpack", said)))
	wantState(t, res, wire.StateFailed)
	wantDisk(t, res.Reason)
	res, _ = b.run(script("s1", said))
	wantState(t, res, wire.StateFailed)
	wantDisk(t, res.Reason)
	wantDisk(t, b.a.ofDisk(fmt.Errorf("write /etc/a: %w", unix.ENOSPC), ""))
	res, _ = b.run(changeRun("r2", sh("other", "exit 2")))
	if strings.Contains(res.Reason, "disk") {
		t.Errorf("the reason is %q", res.Reason)
	}
}

func wantDisk(t *testing.T, reason string) {
	t.Helper()
	if !strings.HasPrefix(reason, "the disk is full: ") && !strings.HasPrefix(reason, "no space is left on the disk") {
		t.Errorf("the reason is %q", reason)
	}
}

func TestHolderOfAptsLockIsNamed(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		"Reading package lists...\nE: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 812 (unattended-upgr)\n" +
			"N: Be aware that\n": "process 812 (unattended-upgr)",
		"E: Could not get lock /var/lib/apt/lists/lock. It is held by process 9 (apt-get)": "process 9 (apt-get)",
		"E: Unable to locate package x": "",
	} {
		if got := said(output); got != want {
			t.Errorf("%q says %q", output, got)
		}
	}
}
