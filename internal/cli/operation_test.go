package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"os"
	"reflect"
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
		if found.Example == "" && found.Name() != "whoami" {
			t.Errorf("hostler %s shows no example", strings.Join(words, " "))
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

// Each command made from the description shows lines that it takes itself.
func TestExamplesAreCommandLines(t *testing.T) {
	t.Parallel()
	root := &cobra.Command{Use: "hostler"}
	root.AddCommand(Commands(nil)...)
	root.AddCommand(&cobra.Command{Use: "audit"})
	for _, op := range description.Operations() {
		if description.ByHand[op.ID] != "" || op.Answer == description.Stream || op.Noun == "audit" {
			continue
		}
		for _, line := range op.Examples() {
			var words []string
			for i, part := range strings.Split(line, "'") { // every other part is quoted
				if i%2 == 1 {
					words = append(words, part)
				} else {
					words = append(words, strings.Fields(part)...)
				}
			}
			c, rest, err := root.Find(words[1:])
			if err == nil {
				err = c.ParseFlags(rest)
			}
			if err == nil {
				err = c.ValidateArgs(c.Flags().Args())
			}
			if err != nil || !strings.Contains(c.Example, line) || len(c.Flags().Args()) > 0 && strings.HasPrefix(c.Flags().Args()[0], "-") {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
}
