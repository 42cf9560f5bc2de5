package agent

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
)

// The agent's memory may disappear at any time: its directory is removed, or an image without it is restored. It makes what it needs each time
// that it is about to need it, and its memory has a name, so that the panel notices when it is another one.

// stateDirs are the directories in the agent's own.
var stateDirs = [...]string{"runs", "fence", "lanes", "forgotten"}

func (a *Agent) memoryPath() string { return filepath.Join(a.state, "memory") }

// ensure makes what the agent needs and finds missing. made reports whether anything was.
func (a *Agent) ensure() (made bool, err error) {
	a.making.Lock()
	defer a.making.Unlock()
	if _, err := os.Stat(a.state); errors.Is(err, fs.ErrNotExist) {
		made = true
	}
	if err := os.MkdirAll(a.state, 0o755); err != nil {
		return made, fmt.Errorf("make state directory: %w", err)
	}
	// Not 0700: the accounts of scripts go through it to their own. What it holds is closed.
	if err := os.Chmod(a.state, 0o711); err != nil {
		return made, fmt.Errorf("close state directory: %w", err)
	}
	for _, d := range stateDirs {
		if err := os.MkdirAll(filepath.Join(a.state, d), 0o700); err != nil {
			return made, fmt.Errorf("make state directory: %w", err)
		}
	}
	if _, err := os.Stat(a.memoryPath()); errors.Is(err, fs.ErrNotExist) {
		made = true
		if err := a.newMemory(); err != nil {
			return made, fmt.Errorf("name what the agent remembers: %w", err)
		}
	}
	again, err := a.ensureSelf()
	if err != nil {
		return made, fmt.Errorf("put the agent back: %w", err)
	}
	return made || again, nil
}

// newMemory writes a name that the host did not have before. Of two processes that do so, the first one's stays.
func (a *Agent) newMemory() error {
	raw := make([]byte, 16)
	if _, err := rand.Read(raw); err != nil {
		return err
	}
	temp := a.memoryPath() + "." + rand.Text()
	if err := durable.Write(temp, []byte(hex.EncodeToString(raw))); err != nil {
		return err
	}
	defer os.Remove(temp)
	if err := os.Link(temp, a.memoryPath()); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return durable.SyncDir(a.state)
}

// memory is the name of what the agent remembers, "" where it can't be read.
func (a *Agent) memory() string {
	raw, err := os.ReadFile(a.memoryPath())
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}

// ensureSelf writes the agent's executable again where it is gone: units, cron and the next session start it from there. The kernel keeps the one that
// runs.
func (a *Agent) ensureSelf() (made bool, err error) {
	if !strings.HasPrefix(a.cfg.Self, filepath.Join(a.state, "agent")+"/") {
		return false, nil
	}
	if _, err := os.Stat(a.cfg.Self); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	dir := filepath.Dir(a.cfg.Self)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return false, err
	}
	running, err := os.Open("/proc/self/exe")
	if err != nil {
		return false, err
	}
	defer running.Close()
	temp, err := os.CreateTemp(dir, ".new.*")
	if err != nil {
		return false, err
	}
	defer os.Remove(temp.Name())
	_, err = io.Copy(temp, running)
	err = errors.Join(err, temp.Chmod(0o755), temp.Sync(), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), a.cfg.Self)
	}
	if err == nil {
		err = durable.SyncDir(dir)
	}
	return err == nil, err
}

// prepare is ensure, with what the host needs of the agent at boot and in its cron files, before work that relies on them.
func (a *Agent) prepare() error {
	made, err := a.ensure()
	if err != nil {
		return err
	}
	if _, err := os.Lstat(selfLink); made || a.systemd && errors.Is(err, fs.ErrNotExist) {
		return a.install()
	}
	return nil
}
