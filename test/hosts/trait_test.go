package hosts_test

import (
	"os"
	"strings"
	"testing"

	"github.com/hostlerhq/hostler/test/hosts"
)

// Each trait has one name and one row in the documentation, which was written when it was run, and says what the trait says; no row is of a trait that is gone.
func TestTraitsAreInTheDocumentation(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docs/servers.md")
	if err != nil {
		t.Fatal(err)
	}
	_, _, rows, err := hosts.Rows(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string]hosts.Trait{}
	for _, trait := range hosts.Traits() {
		cells, ok := rows[trait.Name]
		delete(rows, trait.Name)
		switch {
		case !ok:
			t.Errorf("%q has no row: run it with -update", trait.Name)
		case trait.Refused != "" && (!strings.HasPrefix(cells, "refused: ") || !strings.Contains(cells, trait.Refused)):
			t.Errorf("%q is to be refused with %q, and its row is %s", trait.Name, trait.Refused, cells)
		case trait.Refused == "" && strings.Contains(cells, "refused"):
			t.Errorf("%q is to work, and its row is %s", trait.Name, cells)
		}
		if trait.Source == "" || strings.ContainsAny(trait.Name, ",|") {
			t.Errorf("%q has no source, or a name that can't be in a list or a table", trait.Name)
		}
		if first, ok := groups[trait.Group()]; ok && (trait.Refused != "" || first.Refused != "" || first.Image != trait.Image) {
			t.Errorf("%q can't share a host with %q: it is refused, or has another image", trait.Name, first.Name)
		}
		groups[trait.Group()] = trait
	}
	for name := range rows {
		t.Errorf("the row %q is of no trait", name)
	}
}
