package update

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/mod/semver"
)

// Gate is a file in the data directory while an update is undecided. A panel that finds it serves no request and does no work before it is ready; then it
// removes the file, which decides that the update has succeeded. Until then nothing has happened that going back would lose.
type Gate struct{ dir string }

// Attempt is the update that a gate is for.
type Attempt struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Archive is the backup that was made before.
	Archive string `json:"archive"`
}

// mostAttempt is more than a description of an update takes, in bytes.
const mostAttempt = 64 << 10

// GateOf returns the gate of a data directory.
func GateOf(dataDir string) Gate { return Gate{dataDir} }

func (g Gate) path() string { return filepath.Join(g.dir, "update.pending") }

// Attempt returns what is undecided, nil if nothing is.
func (g Gate) Attempt() (*Attempt, error) {
	f, err := os.OpenFile(g.path(), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0) // a pipe of the panel's account delays no one
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // which stands for no attempt
	}
	if err != nil {
		return nil, fmt.Errorf("look for an unfinished update: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a file")
	}
	var a Attempt
	if err == nil {
		err = json.NewDecoder(io.LimitReader(f, mostAttempt)).Decode(&a)
	}
	if err == nil && (!semver.IsValid(a.From) || !semver.IsValid(a.To) || !filepath.IsAbs(a.Archive)) {
		err = errors.New("it does not describe an update")
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", g.path(), err)
	}
	return &a, nil
}

// close makes the file, with the owner of the data directory, and whole: after a power cut it is there with its content, or not at all. It is made by root
// in a directory of another account, so it follows no link and replaces no file.
func (g Gate) close(a Attempt) error {
	info, err := os.Stat(g.dir)
	if err != nil {
		return fmt.Errorf("begin the update: %w", err)
	}
	raw, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("begin the update: %w", err)
	}
	f, err := os.CreateTemp(g.dir, ".update-*")
	if err != nil {
		return fmt.Errorf("begin the update: %w", err)
	}
	_, err = f.Write(raw)
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		err = errors.Join(err, f.Chown(int(stat.Uid), int(stat.Gid)))
	}
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Link(f.Name(), g.path())
	}
	if err = errors.Join(err, os.Remove(f.Name()), syncDir(g.dir)); err != nil {
		return fmt.Errorf("begin the update: %w", err)
	}
	return nil
}

// Open decides the update.
func (g Gate) Open() error {
	err := os.Remove(g.path())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err = errors.Join(err, syncDir(g.dir)); err != nil {
		return fmt.Errorf("end the update: %w", err)
	}
	return nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
