package clients

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// The dashboard shows a call as a command line by these commands.
func TestDashboardHasTheCommands(t *testing.T) {
	t.Parallel()
	const file = "../../web/src/api/commands.json"
	lines := make([]string, 0, 300)
	for _, c := range dashboardCommands() {
		raw, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, "  "+string(raw))
	}
	want := "[\n" + strings.Join(lines, ",\n") + "\n]\n"
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%s is not made from the commands: go test ./internal/clients -run Dashboard -update (%v)", file, err)
	}
}

// The dashboard knows by the operation of a button or a form who may use it.
func TestDashboardHasThePermissions(t *testing.T) {
	t.Parallel()
	const file = "../../web/src/api/operations.ts"
	var want strings.Builder
	want.WriteString("// What each operation needs, as go test ./internal/clients -run Dashboard -update makes it from the description.\nexport const " +
		"operations = {\n")
	all := dashboardPermissions()
	for _, permissions := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&want, "  '%s': [\n    '%s',\n  ],\n", permissions, strings.Join(all[permissions], "',\n    '"))
	}
	want.WriteString("} as const;\n")
	if *update {
		if err := os.WriteFile(file, []byte(want.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != want.String() {
		t.Errorf("%s is not made from the description: go test ./internal/clients -run Dashboard -update (%v)", file, err)
	}
}
