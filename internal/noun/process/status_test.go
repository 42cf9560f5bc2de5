package process

import (
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/ledger"
)

func TestStatusSaysWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	running, stopped := Specification{RestartedAt: 2, EmptiedAt: 1}, Specification{RestartedAt: 2, EmptiedAt: 1, Stopped: true}
	for _, c := range []struct {
		name    string
		phase   ledger.Phase
		was, is Specification
		want    string
	}{
		{"creation", ledger.Creating, running, running, "installing"},
		{"failed creation", ledger.Failed, running, running, "fatal"},
		{"applied", ledger.Applied, running, running, ""},
		{"deletion", ledger.Deleting, running, running, "removing"},
		{"restart", ledger.Updating, running, Specification{RestartedAt: 3, EmptiedAt: 1}, "restarting"},
		{"restart of a stopped one", ledger.Updating, stopped, Specification{RestartedAt: 3, EmptiedAt: 1}, "restarting"},
		{"stop", ledger.Updating, running, stopped, "stopping"},
		{"stop of a stopped one", ledger.Updating, stopped, stopped, "stopping"},
		{"start", ledger.Updating, stopped, running, "starting"},
		{"start of one that ended", ledger.Updating, running, running, "starting"},
		{"emptied log", ledger.Updating, running, Specification{RestartedAt: 2, EmptiedAt: 2}, ""},
		{"stop with an emptied log", ledger.Updating, running, Specification{RestartedAt: 2, EmptiedAt: 2, Stopped: true}, "stopping"},
	} {
		row := ledger.Row[Specification]{Phase: c.phase, Specification: c.is, Applied: &c.was}
		if got := status(row); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
