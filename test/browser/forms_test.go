package browser_test

import (
	"encoding/json"
	"os"
	"testing"
)

// TestForms tries every form of the dashboard, as found in its sources, with answers that are made up from the description: what was typed survives a panel
// that stops, a subject that is gone, a session that ends, a change in another tab, going away and back, and a reload. Secrets are never stored.
func TestForms(t *testing.T) {
	t.Parallel()
	if os.Getenv("HOSTLER_BROWSER") != "full" {
		t.Skip("it takes some minutes (make browser)")
	}
	require(t)
	input, err := json.Marshal(map[string]any{"browser": browser, "shots": shots(t)})
	if err != nil {
		t.Fatal(err)
	}
	out, err := node(t.Context(), "forms.mjs", input)
	t.Log(out)
	if err != nil {
		t.Error(err)
	}
}
