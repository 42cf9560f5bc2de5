package monitor

import (
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Plan writes the list of monitors, which the agent compares with what it measures each minute.
func Plan(v ledger.View) ([]job.Stage, error) {
	monitors, err := Noun.Of(v)
	if err != nil {
		return nil, err
	}
	gone, err := Noun.Gone(v)
	if err != nil {
		return nil, err
	}
	file := wire.File{Path: wire.MonitorFile, Absent: true}
	switch {
	case len(monitors) > 0:
		list := "# " + wire.OwnHead + "\n"
		for _, m := range monitors {
			list += m.Specification.line(m.ID) + "\n"
		}
		file = wire.File{Path: wire.MonitorFile, Mode: 0o600, Content: []byte(list)}
	case len(gone) == 0:
		return nil, nil
	}
	return []job.Stage{{Name: "monitors", Change: wire.Change{Steps: []wire.Step{{Name: "monitors", File: &file}}}}}, nil
}
