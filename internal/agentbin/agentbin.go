// Package agentbin holds the agent's programs inside the control plane's.
package agentbin

import (
	"bytes"
	"compress/gzip"
	"embed"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/hostlerhq/hostler/internal/host"
)

// bin holds a placeholder in the repository, so that a plain go build works; make build puts the programs there, compressed: they are a quarter of the
// whole otherwise.
//
//go:embed bin/*
var bin embed.FS

// ErrNotBuilt is returned where the programs are not there.
var ErrNotBuilt = errors.New("this program was built without the agent for hosts: run make build")

// Load returns the agent for each architecture.
func Load() (host.Binaries, error) {
	archs := []string{"amd64", "arm64"}
	programs, errs := make([][]byte, len(archs)), make([]error, len(archs))
	var wg sync.WaitGroup
	for i, arch := range archs {
		wg.Go(func() { programs[i], errs[i] = load(arch) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	out := host.Binaries{}
	for i, arch := range archs {
		out[arch] = programs[i]
	}
	return out, nil
}

func load(arch string) ([]byte, error) {
	packed, err := bin.ReadFile("bin/hostler-agent-" + arch + ".gz")
	if err != nil {
		return nil, fmt.Errorf("%w (%s is missing)", ErrNotBuilt, arch)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack the agent for %s: %w", arch, err)
	}
	program, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("unpack the agent for %s: %w", arch, err)
	}
	return program, nil
}
