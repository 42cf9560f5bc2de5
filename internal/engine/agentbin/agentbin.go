// Package agentbin embeds the agent's programs in the control plane's.
package agentbin

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/hostlerhq/hostler/internal/engine/host"
)

// bin contains a placeholder in the repository, so that a plain go build works; make build puts the programs there, compressed:
// uncompressed they would be a quarter of the whole.
//
//go:embed bin/*
var bin embed.FS

// ErrNotBuilt is returned if the programs are missing.
var ErrNotBuilt = errors.New("this program was built without the agent for hosts: run make build")

// Load returns the agent for each architecture. It is unpacked when a host needs it.
func Load() (host.Binaries, error) {
	out := host.Binaries{}
	for _, arch := range []string{"amd64", "arm64"} {
		name := "bin/hostler-agent-" + arch
		sum, err := bin.ReadFile(name + ".sha256")
		if err != nil {
			return nil, fmt.Errorf("%w (%s is missing)", ErrNotBuilt, arch)
		}
		out[arch] = host.Binary{Sum: strings.TrimSpace(string(sum)), Open: func() ([]byte, error) { return unpack(name + ".zst") }}
	}
	return out, nil
}

func unpack(name string) ([]byte, error) {
	packed, err := bin.Open(name)
	if err != nil {
		return nil, fmt.Errorf("unpack the agent: %w", err)
	}
	defer func() { _ = packed.Close() }()
	r, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("unpack the agent: %w", err)
	}
	defer r.Close()
	program, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("unpack the agent: %w", err)
	}
	return program, nil
}
