package job

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// What a server says of its checks is text: of known kinds, on one line each, without signs that a terminal or a database acts on, and not too long.
func TestChecksOfAServerThatLies(t *testing.T) {
	t.Parallel()
	says := wire.Result{State: wire.StateSucceeded, Checks: []wire.Check{
		{Kind: wire.CheckHTTP, Evidence: "a\x1b[2J\n b\x00"},
		{Kind: "nonsense", Evidence: "x"},
		{Kind: wire.CheckHTTP, Evidence: strings.Repeat("y", 1<<20)},
	}}
	want := []Piece{{Kind: pieceChecked, Step: "http", Content: "a[2J b\n" + strings.Repeat("y", maxEvidence) + "\n"}}
	if diff := cmp.Diff(want, checked(wire.Run{}, says)); diff != "" {
		t.Errorf("what is kept (-want +got):\n%s", diff)
	}
	says.State = wire.StateFailed
	if got := checked(wire.Run{}, says); got != nil {
		t.Errorf("of a run that failed, %v is kept", got)
	}
}
