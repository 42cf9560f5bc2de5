package clock

import (
	"time"

	"golang.org/x/sys/unix"
)

// steady is the time since boot with the time that the machine slept, so that sleep does not look like a clock that was set (clock_gettime(2)).
func steady() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) // fails only for a clock that the kernel does not have
	return time.Duration(t.Nano())
}
