package runtimes

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// ErrUsage is returned for arguments that are of another mode.
var ErrUsage = errors.New("no such mode")

// maxKeys is how many bytes of keys are read.
const maxKeys = 1 << 20

// Main performs a mode of the agent.
func (h Host) Main(ctx context.Context, args []string, in io.Reader) error {
	switch {
	case len(args) == 4 && args[0] == wire.RuntimeMode:
		keys, err := io.ReadAll(io.LimitReader(in, maxKeys))
		if err != nil {
			return fmt.Errorf("read keys: %w", err)
		}
		return h.Install(ctx, args[1], args[2], args[3], keys)
	case len(args) > 0 && args[0] == wire.RuntimesMode:
		return h.Keep(args[1:], time.Now())
	case len(args) > 1 && args[0] == wire.RenewMode:
		return Units{Systemctl: Systemctl, Wait: wait, Up: up}.Renew(ctx, args[1:])
	}
	return ErrUsage
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// up is the clock of the service manager (CLOCK_MONOTONIC).
func up() (int64, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 0, fmt.Errorf("read the clock: %w", err)
	}
	return t.Nano() / int64(time.Microsecond), nil
}
