package monitor

import (
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/engine/ledger"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// Plan writes the list of monitors, which the agent compares with what it measures each minute. URLs are not asked by the server.
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
	list := ""
	for _, m := range monitors {
		if m.Specification.Type != typeURL {
			list += m.Specification.line(m.ID) + "\n"
		}
	}
	switch {
	case list != "":
		list = "# " + wire.OwnHead + "\n" + list
		file = wire.File{Path: wire.MonitorFile, Mode: 0o600, Content: []byte(list)}
	case len(gone) == 0:
		return nil, nil
	}
	return []job.Stage{{Name: "monitors", Change: wire.Change{Steps: []wire.Step{{Name: "monitors", File: &file}}}}}, nil
}
