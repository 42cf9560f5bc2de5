package app

import (
	"encoding/json"
	"os"
	"testing"
)

// No two operations are called alike.
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
	called := map[string]string{}
	for _, methods := range described.Paths {
		for _, op := range methods {
			if op.Command == nil {
				continue
			}
			name := op.Command.Noun + " " + op.Command.Verb
			if other := called[name]; other != "" {
				t.Errorf("%s and %s are both called %s", op.ID, other, name)
			}
			called[name] = op.ID
		}
	}
}
