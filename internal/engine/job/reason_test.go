package job

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/internal/edge/api"
	"github.com/hostlerhq/hostler/internal/ground/db/query"
)

// The guide lists each code of a reason with what it says.
func TestGuideListsTheCodesOfReasons(t *testing.T) {
	codes := Codes()
	var want strings.Builder
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		says, about, _ := strings.Cut(strings.TrimSuffix(codes[code], "}"), " {")
		fmt.Fprintf(&want, "| `%s` | %s | %s |\n", code, says, about)
	}
	guide, err := os.ReadFile("../../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(guide), want.String()) {
		t.Errorf("docs/api.md lacks, or has otherwise:\n%s", want.String())
	}
}

func TestReasonOfAPassedDeadlineKeepsTheLastOne(t *testing.T) {
	r := passed(query.Operation{Reason: "No route.", ReasonCode: "server_unreachable"}, true)
	if r.Code != codeInDoubt || r.params() != `{"last_code":"server_unreachable"}` {
		t.Errorf("%+v", r)
	}
	again, ok := late(query.Operation{Reason: r.Text, ReasonCode: string(r.Code)}, "It failed.")
	if want := "The deadline passed. Last: No route. It failed."; !ok || again.Text != want {
		t.Errorf("%v %q, want %q", ok, again.Text, want)
	}
	if _, ok := late(query.Operation{Reason: "Cancelled.", ReasonCode: "cancelled"}, "It failed."); ok {
		t.Error("work that was cancelled is not in doubt")
	}
}

func TestScriptStatusIsThatOfTheScript(t *testing.T) {
	for name, c := range map[string]struct {
		reason Reason
		want   int
	}{
		"a script":      {about(codeScript, "The script exited with status 7.", "status", 7), 7},
		"other words":   {about(codeScript, "Das Skript endete mit 1.", "status", 1), 1},
		"another cause": {about(codeStep, "It exited with status 1.", "status", 1), 0},
		"no status":     {because(codeScript, "It failed."), 0},
	} {
		m := &api.OperationMeta{ReasonCode: string(c.reason.Code), ReasonParams: paramsOf(c.reason.params())}
		if got := ScriptStatus(m); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	if got := ScriptStatus(nil); got != 0 {
		t.Errorf("no operation: %d", got)
	}
}
