package mcp

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hostlerhq/hostler/internal/edge/access"
)

var update = flag.Bool("update", false, "rewrite testdata")

// mostTokens is what the tools and instructions may take of an assistant's attention, at four bytes a token: JSON and English have between three and five.
const mostTokens = 15_000

// The schemas and annotations of all tools are reviewed as a golden file, and they are short.
func TestToolsAreThoseOfTheGolden(t *testing.T) {
	t.Parallel()
	known := readOperations()
	all := make([]any, 0, 30)
	for _, tool := range allTools() {
		all = append(all, tool.protocol(known))
	}
	got, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", "tools.json")
	if *update {
		if err := os.WriteFile(file, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimSpace(string(want)), string(got)); diff != "" {
		t.Errorf("the tools are others (go test ./internal/mcp -update):\n%s", diff)
	}
	short, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	if tokens := (len(short) + len(instructions)) / 4; tokens > mostTokens {
		t.Errorf("%d tools take about %d tokens, more than %d", len(all), tokens, mostTokens)
	} else {
		t.Logf("%d tools take %d bytes, about %d tokens", len(all), len(short), tokens)
	}
}

// Each operation that an intent names exists, and each argument of a tool is there once.
func TestToolsNameOperations(t *testing.T) {
	t.Parallel()
	known := readOperations()
	seen := map[string]bool{}
	for _, tool := range allTools() {
		if seen[tool.name] {
			t.Errorf("two tools are called %s", tool.name)
		}
		seen[tool.name] = true
		for _, id := range tool.operations {
			if known.byID[id].ID == "" {
				t.Errorf("%s calls %s, which is no operation", tool.name, id)
			}
		}
		names := map[string]bool{}
		for _, a := range tool.arguments {
			if names[a.name] {
				t.Errorf("%s has the argument %s twice", tool.name, a.name)
			}
			names[a.name] = true
		}
	}
}

// unreached are the operations that no tool can call, with the reason that a call of them gives.
var unreached = []string{
	"organizations.events.stream", "organizations.servers.sites.logs.application.stream", "organizations.servers.sites.logs.nginx-access.stream",
	"organizations.servers.sites.logs.nginx-error.stream", // streams: a tool answers once
	"organizations.servers.sites.redirect-rules.import",   // a file
	"organizations.servers.sites.files.upload",            // a file
	"organizations.servers.sites.files.download",          // a file, whose content may be secret
}

// Every operation of the description is reached: search finds it, and call, or plan and apply, call it.
func TestEveryOperationIsReached(t *testing.T) {
	t.Parallel()
	s := &session{known: readOperations(), actor: access.Actor{Scopes: access.SetOf(access.All()...)}, server: &Server{}}
	var beyond []string
	for _, op := range s.known.all {
		if op.beyond() != "" {
			beyond = append(beyond, op.ID)
			if _, err := s.operation(op.ID); err == nil || !strings.Contains(err.Error(), op.beyond()) {
				t.Errorf("%s can't be called, and the refusal does not say why: %v", op.ID, err)
			}
			continue
		}
		if got, err := s.operation(op.ID); err != nil || got.ID != op.ID {
			t.Errorf("%s is not found by its id: %v", op.ID, err)
		}
		out, err := search(t.Context(), s, input{values: map[string]any{"text": op.ID + " " + op.Summary}})
		if raw, _ := json.Marshal(out.data); err != nil || !strings.Contains(string(raw), `"`+op.ID+`"`) {
			t.Errorf("%s is not found by its id and summary: %s", op.ID, raw)
		}
		if _, err := describe(t.Context(), s, input{values: map[string]any{"operation": op.ID}}); err != nil {
			t.Errorf("%s is not described: %v", op.ID, err)
		}
	}
	slices.Sort(beyond)
	want := slices.Clone(unreached)
	slices.Sort(want)
	if diff := cmp.Diff(want, beyond); diff != "" {
		t.Errorf("other operations are beyond reach than those listed with a reason:\n%s", diff)
	}
}
