// Package panel runs the real hostler program for tests, on real practice servers: it is started, killed and asked like an operator's.
package panel

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// programs are built once for a test process, into a directory that build returns; built is set once that has begun.
var (
	programs = sync.OnceValues(build)
	built    atomic.Bool
)

// Program returns the path of one of the programs: hostler, hostler-agent or peer.
func Program(t testing.TB, name string) string {
	t.Helper()
	built.Store(true)
	dir, err := programs()
	if err != nil {
		t.Fatalf("build the programs: %v", err)
	}
	return filepath.Join(dir, name)
}

// build makes the programs with the agent inside, without touching the working tree: the overlay puts the agent where it is embedded from.
func build() (string, error) {
	root, err := output("go", "env", "GOMOD")
	if err != nil {
		return "", err
	}
	root = filepath.Dir(root)
	dir, err := os.MkdirTemp("", "hostler-e2e-")
	if err != nil {
		return "", fmt.Errorf("make a directory for programs: %w", err)
	}
	agent, overlay := filepath.Join(dir, "hostler-agent"), filepath.Join(dir, "overlay.json")
	raw, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(root, "internal/engine/agentbin/bin/hostler-agent-amd64.gz"):     agent + ".gz",
		filepath.Join(root, "internal/engine/agentbin/bin/hostler-agent-amd64.sha256"): agent + ".sha256",
		filepath.Join(root, "internal/engine/agentbin/bin/hostler-agent-arm64.sha256"): agent + ".sha256",
		filepath.Join(root, "internal/engine/agentbin/bin/hostler-agent-arm64.gz"):     agent + ".gz", // practice servers are never that
	}})
	if err != nil {
		return "", fmt.Errorf("write the overlay: %w", err)
	}
	if err := os.WriteFile(overlay, raw, 0o600); err != nil {
		return "", fmt.Errorf("write the overlay: %w", err)
	}
	for _, argv := range [][]string{
		{"go", "build", "-trimpath", "-ldflags=-s -w", "-o", agent, "./cmd/hostler-agent"},
		{"sh", "-ec", `sha256sum <"$1" | cut -c1-64 >"$1.sha256"; gzip -1 -k "$1"`, "sh", agent},
		{"go", "build", "-o", filepath.Join(dir, "peer"), "./test/e2e/peer"},
		{"go", "build", "-overlay", overlay, "-o", filepath.Join(dir, "hostler"), "./cmd/hostler"},
	} {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%s: %w\n%s", strings.Join(argv, " "), err, out)
		}
	}
	return dir, nil
}

// Clean removes what was built, if anything; for TestMain.
func Clean() {
	if !built.Load() {
		return
	}
	if dir, err := programs(); err == nil {
		_ = os.RemoveAll(dir)
	}
}

func output(argv ...string) (string, error) {
	out, err := exec.Command(argv[0], argv[1:]...).Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}
