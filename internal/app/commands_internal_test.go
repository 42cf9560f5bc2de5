package app

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// Each name that does not follow from an id is of an operation, and no two operations are called alike.
func TestCommandsAreNamedOnce(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../edge/api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var described struct {
		Paths map[string]map[string]struct {
			ID      string                       `json:"operationId"`
			Command *struct{ Noun, Verb string } `json:"x-hostler"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(raw, &described); err != nil {
		t.Fatal(err)
	}
	ids, above, called := map[string]bool{}, map[string]bool{}, map[string]string{}
	for _, methods := range described.Paths {
		for _, op := range methods {
			if op.Command == nil {
				continue
			}
			ids[op.ID], above[op.ID[:strings.LastIndexByte(op.ID, '.')+1]] = true, true
			name := op.Command.Noun + " " + op.Command.Verb
			if other := called[name]; other != "" {
				t.Errorf("%s and %s are both called %s", op.ID, other, name)
			}
			called[name] = op.ID
		}
	}
	for id := range commandNames {
		if !ids[id] {
			t.Errorf("commandNames has %s, which is no operation with a command", id)
		}
	}
	for noun := range commandNouns {
		if !above[noun+"."] {
			t.Errorf("commandNouns has %s, above no operation with a command", noun)
		}
	}
}
