package job_test

import (
	"testing"
	"time"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/engine/job"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

func anotherKey(wire.Run) (wire.Result, error) {
	return wire.Result{}, &host.HostKeyChangedError{Server: 1, Addr: "10.0.0.1:22", Old: []string{"SHA256:old"}, New: "SHA256:new"}
}

// A host answers with another key while it works, and with its own again later: it was restored from a backup, or its address was taken for a while. What it
// finished in between counts.
func TestHostIsItsOldSelfAgain(t *testing.T) {
	t.Parallel()
	t.Run("in time", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		b.fleet.say(anotherKey)
		rule, accepted := b.add(10*time.Minute, "8080")
		b.until("the key is known to be another one", func() bool { return b.connection() == job.KeyChanged })
		b.until("the work says why it waits", func() bool {
			op, err := b.db.Read().Ungranted().GetOperation(t.Context(), accepted[0].OperationID)
			return err == nil && op.State == job.StateRunning && op.Reason != ""
		})
		b.fleet.say(done)
		b.wantEnd(accepted[0], job.StateSucceeded, "")
		b.wantStatus(rule[0], "installed")
		if got := b.connection(); got != job.Connected {
			t.Errorf("the connection is %s", got)
		}
	})
	t.Run("late", func(t *testing.T) {
		t.Parallel()
		b := newBench(t)
		b.fleet.say(anotherKey)
		_, accepted := b.add(500*time.Millisecond, "8080")
		b.wantEnd(accepted[0], job.StateFailed, "Whether the server did it is not known until it answers.")
		b.fleet.say(done)
		b.until("the host is asked", func() bool {
			op, err := b.db.Read().Ungranted().GetOperation(t.Context(), accepted[0].OperationID)
			return err == nil && op.State == job.StateSucceeded
		})
	})
}

func (b *bench) connection() string {
	b.t.Helper()
	row, err := b.db.Read().Ungranted().GetServer(b.t.Context(), b.server.ID)
	if err != nil || row.ConnectionStatus == nil {
		b.t.Fatalf("the connection is unknown: %v", err)
	}
	return *row.ConnectionStatus
}
