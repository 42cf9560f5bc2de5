package agent

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/agent/sizes"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

func (a *Agent) sizes() sizes.Host {
	return sizes.Host{Root: a.root, Asked: a.host(wire.SizesDirectory), Memory: a.monitorDir()}
}

// Sizes performs wire.SizesMode.
func (a *Agent) Sizes(args []string, out io.Writer) error {
	switch {
	case len(args) == 0:
		return a.sizes().Apply(func(line string) { fmt.Fprintln(out, line) })
	case len(args) == 1 && args[0] == "measure":
		return a.sizes().Measure()
	}
	return errors.New("usage: sizes [measure]")
}

// fullDirectories returns the sites whose directories hold as much as they may, and has directories measured: by a unit of its own, since
// a sample has half a minute. While that unit runs there can be no other.
func (a *Agent) fullDirectories(at time.Time) ([]sizes.Full, error) {
	full, due, err := a.sizes().Full(at)
	if err != nil || !due || !a.systemd {
		return full, err
	}
	_, err = a.systemctl("systemd-run", "--quiet", "--collect", "--no-block", "--no-ask-password", "--unit="+sizesUnit,
		"--description=Hostler: measure directories", "--property=Nice=19", "--property=IOSchedulingClass=idle", "--property=RuntimeMaxSec=30min",
		"--", wire.AgentLink, wire.SizesMode, "measure")
	if err != nil && a.unitIsActive(sizesUnit) {
		err = nil
	}
	return full, err
}

const sizesUnit = "hostler-sizes.service"

func (a *Agent) unitIsActive(unit string) bool {
	_, err := a.systemctl("systemctl", "is-active", "--quiet", unit)
	return err == nil
}
