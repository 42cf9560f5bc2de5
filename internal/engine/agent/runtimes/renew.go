package runtimes

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Units asks the service manager; Clock waits. They are the host's own but in tests.
type Units struct {
	Systemctl func(ctx context.Context, argv ...string) (string, error)
	Wait      func(ctx context.Context, d time.Duration) error
	// Up is how long the host is up, in microseconds.
	Up func() (int64, error)
}

const (
	// wasSteady is how long a unit has to run to count as one that runs well.
	wasSteady = 5 * time.Second
	// watched is how long one is watched after it was restarted. A program that its runtime can't start ends within it.
	watched    = 5 * time.Second
	watchEvery = 250 * time.Millisecond
)

// state is what a unit does.
type state struct {
	active   bool
	restarts int64
	since    int64 // microseconds since the host started
}

// Renew restarts units. It fails if one that ran well before does not afterwards: one that kept ending before may go on with that.
func (u Units) Renew(ctx context.Context, units []string) error {
	up, err := u.Up()
	if err != nil {
		return err
	}
	var well []string
	for _, unit := range units {
		is, err := u.look(ctx, unit)
		if err != nil {
			return err
		}
		if is.active && up-is.since >= wasSteady.Microseconds() {
			well = append(well, unit)
		}
	}
	if _, err := u.Systemctl(ctx, append([]string{"restart", "--"}, units...)...); err != nil {
		return err
	}
	began := map[string]int64{}
	for _, unit := range well {
		is, err := u.look(ctx, unit)
		if err != nil {
			return err
		}
		began[unit] = is.restarts
	}
	for range int(watched / watchEvery) {
		if err := u.Wait(ctx, watchEvery); err != nil {
			return err
		}
		for _, unit := range well {
			is, err := u.look(ctx, unit)
			if err != nil {
				return err
			}
			if !is.active || is.restarts != began[unit] {
				return fmt.Errorf("%s ran before, and ends now when it is started", unit)
			}
		}
	}
	return nil
}

func (u Units) look(ctx context.Context, unit string) (s state, err error) {
	text, err := u.Systemctl(ctx, "show", "--property=ActiveState,NRestarts,ActiveEnterTimestampMonotonic", "--", unit)
	if err != nil {
		return s, err
	}
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch key {
		case "ActiveState":
			s.active = value == "active"
		case "NRestarts":
			s.restarts, _ = strconv.ParseInt(value, 10, 64)
		case "ActiveEnterTimestampMonotonic":
			s.since, _ = strconv.ParseInt(value, 10, 64)
		}
	}
	return s, nil
}

// Systemctl runs the host's systemctl.
func Systemctl(ctx context.Context, argv ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "systemctl", argv...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("systemctl %s: %w: %s", argv[0], err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}
