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

// Alike is the number by which a packed program names the one that it shares much with, and is unpacked with: the one that the command zstd names none by.
const Alike = 0

// Load returns the agent for each architecture. It is unpacked when a host needs it.
func Load() (host.Binaries, error) {
	out := host.Binaries{}
	for arch, open := range map[string]func() ([]byte, error){"amd64": amd64, "arm64": arm64} {
		sum, err := bin.ReadFile("bin/hostler-agent-" + arch + ".sha256")
		if err != nil {
			return nil, fmt.Errorf("%w (%s is missing)", ErrNotBuilt, arch)
		}
		out[arch] = host.Binary{Sum: strings.TrimSpace(string(sum)), Open: open}
	}
	return out, nil
}

func amd64() ([]byte, error) { return program("amd64") }

func arm64() ([]byte, error) {
	like, err := amd64()
	if err != nil {
		return nil, err
	}
	return program("arm64", zstd.WithDecoderDictRaw(Alike, like))
}

func program(arch string, options ...zstd.DOption) ([]byte, error) {
	packed, err := bin.Open("bin/hostler-agent-" + arch + ".zst")
	if err != nil {
		return nil, fmt.Errorf("unpack the agent: %w", err)
	}
	defer func() { _ = packed.Close() }()
	return Unpack(packed, options...)
}

// Unpack reads a packed program.
func Unpack(packed io.Reader, options ...zstd.DOption) ([]byte, error) {
	r, err := zstd.NewReader(packed, append(options, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))...)
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
