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

// programs are built once for a test process, into a directory that build returns; built is set once that has begun. Their parts are the agent, and the
// overlay that embeds it.
var (
	parts    = sync.OnceValues(buildParts)
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

// File is a file of the tree that a build finds another one in the place of.
type File struct {
	In   string // in the tree; it need not exist
	From string
}

// Release builds hostler as a release: with a version, the key that newer ones are verified with, and an agent that differs from that of other versions.
func Release(t testing.TB, version, key, to string, files ...File) {
	t.Helper()
	built.Store(true)
	overlay, err := buildAgent(to+".agent", version, "")
	if err == nil && len(files) > 0 {
		overlay, err = withFiles(overlay, to+".overlay", files)
	}
	if err == nil {
		err = inTree("go", "build", "-trimpath", "-overlay", overlay,
			"-ldflags", "-s -w -X main.version="+version+" -X main.releaseKey="+key, "-o", to, "./cmd/hostler")
	}
	if err != nil {
		t.Fatalf("build the release %s: %v", version, err)
	}
}

// Variant builds hostler and its agent with other files, for a program that a test could not bring about otherwise.
func Variant(t testing.TB, to string, files ...File) {
	t.Helper()
	built.Store(true)
	base := to + ".base"
	err := os.WriteFile(base, []byte(`{"Replace":{}}`), 0o600)
	var overlay string
	if err == nil {
		overlay, err = withFiles(base, to+".agent-overlay", files)
	}
	if err == nil {
		overlay, err = buildAgent(to+".agent", "variant", overlay)
	}
	if err == nil {
		overlay, err = withFiles(overlay, to+".overlay", files)
	}
	if err == nil {
		err = inTree("go", "build", "-trimpath", "-overlay", overlay, "-o", to, "./cmd/hostler")
	}
	if err != nil {
		t.Fatalf("build a variant: %v", err)
	}
}

// withFiles writes an overlay with further files.
func withFiles(overlay, to string, files []File) (string, error) {
	var all struct{ Replace map[string]string }
	raw, err := os.ReadFile(overlay)
	if err == nil {
		err = json.Unmarshal(raw, &all)
	}
	if err != nil {
		return "", fmt.Errorf("read the overlay: %w", err)
	}
	root, err := output("go", "env", "GOMOD")
	if err != nil {
		return "", err
	}
	for _, f := range files {
		all.Replace[filepath.Join(filepath.Dir(root), f.In)] = f.From
	}
	if raw, err = json.Marshal(all); err != nil {
		return "", fmt.Errorf("write the overlay: %w", err)
	}
	return to, os.WriteFile(to, raw, 0o600)
}

// build makes the programs with the agent inside.
func build() (string, error) {
	dir, err := parts()
	if err == nil {
		err = inTree("go", "build", "-trimpath", "-o", filepath.Join(dir, "peer"), "./test/e2e/peer")
	}
	if err == nil {
		err = inTree("go", "build", "-trimpath", "-overlay", filepath.Join(dir, "hostler-agent.json"), "-o", filepath.Join(dir, "hostler"), "./cmd/hostler")
	}
	return dir, err
}

// inTree runs a program in the tree.
func inTree(name string, args ...string) error {
	root, err := output("go", "env", "GOMOD")
	if err != nil {
		return err
	}
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = filepath.Dir(root), append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// buildParts makes the agent in a new directory.
func buildParts() (string, error) {
	dir, err := os.MkdirTemp("", "hostler-e2e-")
	if err != nil {
		return "", fmt.Errorf("make a directory for programs: %w", err)
	}
	_, err = buildAgent(filepath.Join(dir, "hostler-agent"), "", "")
	return dir, err
}

// buildAgent makes the agent, without touching the working tree: the overlay that it returns, beside the agent, puts it where it is embedded from. Agents with
// different build ids differ in nothing else. with is an overlay for the agent itself.
func buildAgent(agent, id, with string) (overlay string, err error) {
	root, err := output("go", "env", "GOMOD")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(filepath.Dir(root), "internal/engine/agentbin/bin")
	replace := map[string]string{}
	for _, arch := range []string{"amd64", "arm64"} { // practice servers are never of the second
		for _, suffix := range []string{".zst", ".sha256"} {
			replace[filepath.Join(bin, "hostler-agent-"+arch+suffix)] = agent + suffix
		}
	}
	raw, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", fmt.Errorf("write the overlay: %w", err)
	}
	overlay = agent + ".json"
	if err := os.WriteFile(overlay, raw, 0o600); err != nil {
		return "", fmt.Errorf("write the overlay: %w", err)
	}
	if err := inTree("go", "build", "-trimpath", "-overlay="+with, "-ldflags=-s -w -buildid="+id, "-o", agent, "./cmd/hostler-agent"); err != nil {
		return "", err
	}
	return overlay, inTree("go", "run", "./internal/engine/agentbin/pack", "-fast", agent)
}

// Clean removes what was built, if anything; for TestMain.
func Clean() {
	if !built.Load() {
		return
	}
	if dir, err := parts(); err == nil {
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
