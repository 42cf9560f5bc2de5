package app_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"
)

func indent(t *testing.T, raw []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// contractOperations returns the ids in a description that carry no x-hostler-extension.
func contractOperations(t *testing.T, raw []byte) []string {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Extension   bool   `json:"x-hostler-extension"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, methods := range doc.Paths {
		for _, op := range methods {
			if !op.Extension {
				ids = append(ids, op.OperationID)
			}
		}
	}
	slices.Sort(ids)
	return ids
}
