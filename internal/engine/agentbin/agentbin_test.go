package agentbin_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/hostlerhq/hostler/internal/engine/agentbin"
)

// Each agent is unpacked as it was built, the second from what it shares with the first.
func TestAgentsAreUnpackedAsBuilt(t *testing.T) {
	t.Parallel()
	agents, err := agentbin.Load()
	if errors.Is(err, agentbin.ErrNotBuilt) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(agents) != 2 {
		t.Errorf("there are agents for %d architectures, want 2", len(agents))
	}
	for arch, agent := range agents {
		program, err := agent.Open()
		if err != nil {
			t.Fatalf("%s: %v", arch, err)
		}
		if sum := sha256.Sum256(program); hex.EncodeToString(sum[:]) != agent.Sum {
			t.Errorf("the agent for %s is not the one that was built", arch)
		}
	}
}
