package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hostlerhq/hostler/internal/description"
)

var update = flag.Bool("update", false, "rewrite operations.json.gz")

func TestOperationsAreThoseOfTheDescription(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../edge/api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	all, err := description.Read(raw)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		want, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		var packed bytes.Buffer
		w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if _, err := w.Write(want); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("../description/operations.json.gz", packed.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !reflect.DeepEqual(description.Operations(), all) {
		t.Error("operations.json.gz is not made from the description: go test ./internal/cli -run Operations -update")
	}
}

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
		t.Errorf("%s is not made from the commands: go test ./internal/cli -run 'Operations|Dashboard' -update (%v)", file, err)
	}
}

// The dashboard knows by the operation of a button or a form who may use it.
func TestDashboardHasThePermissions(t *testing.T) {
	t.Parallel()
	const file = "../../web/src/api/operations.ts"
	var want strings.Builder
	want.WriteString("// What each operation needs, as go test ./internal/cli -run Dashboard -update makes it from the description.\nexport const operations = {\n")
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
		t.Errorf("%s is not made from the description: go test ./internal/cli -run 'Operations|Dashboard' -update (%v)", file, err)
	}
}

// Each operation that a token can call has one command: one that is made, or one by hand that is named and exists.
func TestEachOperationHasACommand(t *testing.T) {
	t.Parallel()
	root := &cobra.Command{Use: "hostler"}
	root.AddCommand(Commands(nil)...)
	audit := &cobra.Command{Use: "audit"}
	audit.AddCommand(AuditCommands()...)
	root.AddCommand(audit)
	used := map[string]bool{}
	for _, op := range description.Operations() {
		words := strings.Fields(description.ByHand[op.ID])
		if len(words) == 0 {
			words = []string{op.Noun, op.Verb}
		}
		used[op.ID] = true
		found, rest, err := root.Find(words)
		if err != nil || len(rest) > 0 || found.HasSubCommands() {
			t.Errorf("%s: there is no command hostler %s", op.ID, strings.Join(words, " "))
		}
		if found.Short == "" || found.RunE == nil {
			t.Errorf("hostler %s says nothing or does nothing", strings.Join(words, " "))
		}
	}
	for id, command := range description.ByHand {
		if !used[id] {
			t.Errorf("%s (hostler %s) is no operation with a command", id, command)
		}
	}
}

// No two commands, and no two flags of a command, have the same name.
func TestCommandsHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	var each func(path string, c *cobra.Command)
	each = func(path string, c *cobra.Command) {
		names := map[string]bool{}
		for _, sub := range c.Commands() {
			for _, name := range append([]string{sub.Name()}, sub.Aliases...) {
				if names[name] {
					t.Errorf("%s %s is there twice", path, name)
				}
				names[name] = true
			}
			each(path+" "+sub.Name(), sub)
		}
	}
	root := &cobra.Command{Use: "hostler"}
	root.AddCommand(Commands(nil)...)
	each("hostler", root)
}
