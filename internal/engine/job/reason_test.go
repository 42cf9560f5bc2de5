package job

import (
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// A member with view access to servers wants to read the output of a root script in the reason of its failure.
func TestReaderReadsOutputInReason(t *testing.T) {
	t.Parallel()
	failed := wire.Result{State: wire.StateFailed, FailedStep: "script", Reason: "script: exit status 1", ExitCode: 1, Output: "password=geheim\n"}
	for name, run := range map[string]wire.Run{"script": {Script: &wire.Script{}}, "restore": {Restore: &wire.Restore{}}, "backup": {Backup: &wire.Backup{}}} {
		want := "Script: exit status 1."
		if run.Script != nil {
			want = "The script exited with status 1."
		}
		if o := outcomeOf(run, failed, nil); o.reason != want {
			t.Errorf("the reason of a %s is %q", name, o.reason)
		}
	}
	if o := outcomeOf(wire.Run{Change: &wire.Change{}}, failed, nil); !strings.Contains(o.reason, "geheim") {
		t.Errorf("the reason of the service's own program is %q", o.reason)
	}
}
