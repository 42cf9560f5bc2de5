package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mostBytes is what the program may take with what is embedded in the tree; the aim is 60 MB (docs/performance.md). If it grows by tens of megabytes, an
// interface holds a large client, or a template can be executed (docs/decisions/0178-no-templates.md).
const mostBytes = 66_000_000

func TestSizeOfTheProgram(t *testing.T) {
	t.Parallel()
	gcflags, err := os.ReadFile(root + "/scripts/gcflags")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "hostler")
	run(t, []string{"CGO_ENABLED=0", "GOFLAGS=", "GOARCH=amd64", "GOOS=linux"},
		"go", "build", "-trimpath", "-gcflags", strings.TrimSpace(string(gcflags)), "-ldflags", "-s -w", "-o", program, root+"/cmd/hostler")
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > mostBytes {
		t.Errorf("the program has %d bytes, at most %d are allowed", info.Size(), mostBytes)
	}
}
