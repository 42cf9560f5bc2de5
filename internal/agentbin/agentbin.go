// Package agentbin holds the agent's programs inside the control plane's.
package agentbin

import (
	"embed"
	"errors"
	"fmt"

	"github.com/hostlerhq/hostler/internal/host"
)

// bin holds a placeholder in the repository, so that a plain go build works; make build puts the programs there.
//
//go:embed bin/*
var bin embed.FS

// ErrNotBuilt is returned where the programs are not there.
var ErrNotBuilt = errors.New("this program was built without the agent for hosts: run make build")

// Load returns the agent for each architecture.
func Load() (host.Binaries, error) {
	out := host.Binaries{}
	for _, arch := range []string{"amd64", "arm64"} {
		raw, err := bin.ReadFile("bin/hostler-agent-" + arch)
		if err != nil {
			return nil, fmt.Errorf("%w (%s is missing)", ErrNotBuilt, arch)
		}
		out[arch] = raw
	}
	return out, nil
}
