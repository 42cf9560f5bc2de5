package agent

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// A run's limit is counted by the time since the host was booted. All processes of the host share it, and no program can set it: neither a control plane whose
// clock differs nor a correction of the host's own clock, which is usual on a new machine, makes a run end early.

// uptime returns the time since boot, with the time that the host slept (CLOCK_BOOTTIME of clock_gettime(2)).
func uptime() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) // fails only for a clock that the kernel does not have
	return time.Duration(t.Nano())
}

func limitPath(dir string) string { return filepath.Join(dir, "limit") }

// limitOf takes what is left of a run's time out of it, and returns when it is over, since boot. A run without it has an instant only.
func (a *Agent) limitOf(run *wire.Run) time.Duration {
	left := run.Left
	if run.Left = 0; left == 0 {
		left = run.Deadline.Sub(a.now())
	}
	return uptime() + left
}

// limit returns when the time of a claimed run is over, since boot. A run that an older agent claimed has an instant only.
func (a *Agent) limit(run wire.Run) time.Duration {
	raw, err := os.ReadFile(limitPath(a.runDir(run.ID)))
	if err == nil {
		if until, err := strconv.ParseInt(strings.TrimSpace(string(raw)), 10, 64); err == nil {
			return time.Duration(until)
		}
	}
	return a.limitOf(&run)
}
