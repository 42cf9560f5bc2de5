package hostler

import (
	"os/exec"
	"strings"
	"testing"
)

// Who imports the client gets none of our requirements.
func TestTheClientNeedsTheStandardLibraryOnly(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		if !strings.HasPrefix(path, "github.com/hostlerhq/hostler/client") {
			t.Errorf("it needs %s", path)
		}
	}
}
