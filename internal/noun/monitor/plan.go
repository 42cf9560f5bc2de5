package monitor

import (
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	service = "/etc/systemd/system/hostler-monitor.service"
	timer   = "/etc/systemd/system/hostler-monitor.timer"
	wanted  = "/etc/systemd/system/timers.target.wants/hostler-monitor.timer"
	head    = "# " + wire.OwnHead + "\n"
)

// Plan writes the list of monitors, and the timer that has the host measure itself each minute while there are any.
func Plan(v ledger.View) ([]job.Stage, error) {
	monitors, err := Noun.Of(v)
	if err != nil {
		return nil, err
	}
	gone, err := Noun.Gone(v)
	if err != nil {
		return nil, err
	}
	var steps []wire.Step
	switch {
	case len(monitors) > 0:
		steps = measured(monitors)
	case len(gone) > 0:
		steps = unmeasured()
	default:
		return nil, nil
	}
	return []job.Stage{{Name: "monitors", Change: wire.Change{Steps: steps}}}, nil
}

func measured(monitors []ledger.Resource[Specification]) []wire.Step {
	list := head
	for _, m := range monitors {
		list += m.Specification.line(m.ID) + "\n"
	}
	return []wire.Step{
		{Name: "monitors", File: &wire.File{Path: wire.MonitorFile, Mode: 0o600, Content: []byte(list)}},
		{Name: "unit that measures", File: &wire.File{Path: service, Mode: 0o644, Content: []byte(head + strings.TrimSpace(`
[Unit]
Description=Hostler: measure the server for its monitors

[Service]
Type=oneshot
ExecStart=`+wire.AgentLink+` sample
TimeoutStartSec=30s
`) + "\n")}},
		{Name: "timer that measures", File: &wire.File{Path: timer, Mode: 0o644, Content: []byte(head + strings.TrimSpace(`
[Unit]
Description=Hostler: measure the server each minute

[Timer]
OnCalendar=*-*-* *:*:00
AccuracySec=1s

[Install]
WantedBy=timers.target
`) + "\n")}},
		{Name: "timer that measures", Link: &wire.Link{Path: wanted, Target: "../hostler-monitor.timer"}},
		{Name: "read units", Action: &wire.Action{Argv: []string{"systemctl", "daemon-reload"}}},
		{Name: "start the timer", Exec: &wire.Exec{Argv: []string{"systemctl", "restart", "hostler-monitor.timer"},
			Unless: []string{"systemctl", "is-active", "--quiet", "hostler-monitor.timer"}}},
	}
}

func unmeasured() []wire.Step {
	absent := func(path string) wire.Step {
		return wire.Step{Name: "monitors", File: &wire.File{Path: path, Absent: true}}
	}
	return []wire.Step{
		{Name: "stop the timer", Exec: &wire.Exec{Argv: []string{"systemctl", "stop", "hostler-monitor.tim[e]r"}}}, // a pattern, since a name that is not loaded would be an error
		{Name: "monitors", Link: &wire.Link{Path: wanted, Absent: true}}, absent(timer), absent(service), absent(wire.MonitorFile),
		{Name: "read units", Action: &wire.Action{Argv: []string{"systemctl", "daemon-reload"}}},
	}
}
