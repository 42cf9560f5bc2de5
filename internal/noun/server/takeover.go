package server

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/ufw"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// otherFirewalls refuses a machine on which something else manages rules, unless it is ufw, its rules are to be taken over, and can be.
func otherFirewalls(s Setup) error {
	others := s.Facts.Firewalls
	switch {
	case len(others) == 0:
		return nil
	case !s.Server.TakeOver:
		return fmt.Errorf("%s is active on the server; disable it first, so that the two do not conflict, or let Hostler take over the rules of ufw "+
			"(take_over)", strings.Join(others, " and "))
	case !slices.Equal(others, []string{"ufw"}):
		return fmt.Errorf("%s is active on the server; only rules of ufw can be taken over", strings.Join(others, " and "))
	case len(s.Facts.UFW) == 0:
		return errors.New("the rules of ufw could not be read")
	}
	_, err := ufw.Parse(s.Facts.UFW)
	return err
}

// otherFirewall makes ufw give way, long after the same rules are in force as Hostler's: at no moment is the server open. It is the last stage, since
// it is not planned any more once it is done.
func otherFirewall(s Setup) (job.Stage, error) {
	if len(s.Facts.Firewalls) == 0 {
		return job.Stage{}, nil
	}
	return job.Stage{Name: "ufw gives way", Detach: true, Within: settingsWithin, Change: wire.Change{Steps: []wire.Step{
		{Name: "disable ufw", Exec: &wire.Exec{Argv: []string{"ufw", "--force", "disable"}, Unless: []string{"grep", "-qx", "ENABLED=no", "/etc/ufw/ufw.conf"}}},
	}}}, nil
}
