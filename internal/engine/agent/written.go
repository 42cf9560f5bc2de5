package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// writtenLimit is the size at which written.jsonl is shrunk, writtenEach how many contents per path are then kept.
	writtenLimit = 4 << 20
	writtenEach  = 4
)

// written.jsonl records the hashes of our writes, for wire.File.Keep. Everything that we ever wrote to a path counts as ours,
// since rolling back a Change restores an older version.
type writing struct {
	Path string `json:"path"`
	Hash string `json:"hash"`
}

func (a *Agent) writtenPath() string { return filepath.Join(a.state, "written.jsonl") }

// written reports whether we wrote this content to this path.
func (a *Agent) written(path, hash string) (bool, error) {
	found := false
	err := durable.ReadLines(a.writtenPath(), func(w writing) { found = found || w == writing{path, hash} })
	if err != nil {
		return false, fmt.Errorf("read what was written: %w", err)
	}
	return found, nil
}

// wrote records a File step's content of a path; record makes it durable at the end of the Change.
func (x *execution) wrote(path string, content []byte) {
	x.writes = append(x.writes, writing{path, object.Hash(content)})
}

// unwrote forgets a File step that was rolled back.
func (x *execution) unwrote(f *wire.File) {
	is := writing{f.Path, object.Hash(f.Content)}
	x.writes = slices.DeleteFunc(x.writes, func(w writing) bool { return w == is })
	delete(x.own, f.Path)
}

// owns notes whether a File step's file is one that the agent looks after from now on.
func (x *execution) owns(f *wire.File) {
	if x.own == nil {
		x.own = map[string]string{}
	}
	if x.own[f.Path] = ""; f.Own() {
		x.own[f.Path] = object.Hash(f.Content)
	}
}

// record adds what is not yet known to the file.
func (x *execution) record() error {
	if err := x.a.recordOwn(x.own); err != nil {
		return err
	}
	if len(x.writes) == 0 {
		return nil
	}
	known := map[writing]bool{}
	if err := durable.ReadLines(x.a.writtenPath(), func(w writing) { known[w] = true }); err != nil {
		return fmt.Errorf("read what was written: %w", err)
	}
	var fresh []any
	for _, w := range x.writes {
		if !known[w] {
			known[w] = true
			fresh = append(fresh, w)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	if st, err := os.Stat(x.a.writtenPath()); err == nil && st.Size() > writtenLimit {
		if err := x.a.shrinkWritten(); err != nil {
			return err
		}
	}
	return durable.Append(x.a.writtenPath(), fresh...)
}

// shrinkWritten keeps the latest contents of each path. A line that another process adds in between is lost; its file then counts
// as changed by others, which is safe.
func (a *Agent) shrinkWritten() error {
	var all []writing
	if err := durable.ReadLines(a.writtenPath(), func(w writing) { all = append(all, w) }); err != nil {
		return fmt.Errorf("read what was written: %w", err)
	}
	count := map[string]int{}
	var kept []writing
	for _, w := range slices.Backward(all) {
		if count[w.Path]++; count[w.Path] <= writtenEach {
			kept = append(kept, w)
		}
	}
	slices.Reverse(kept)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	for _, w := range kept {
		if err := enc.Encode(w); err != nil {
			return fmt.Errorf("encode what was written: %w", err)
		}
	}
	return durable.Write(a.writtenPath(), b.Bytes())
}

// hashAt returns the hash of a file that we may have written, "" for one that is larger than any of those. An account can create
// huge files at no cost (sparse ones), so no more than that is read.
func hashAt(fd int, name string) (string, error) {
	return object.InTime(object.ReadWithin, func() (string, error) { return hashOfFile(fd, name) })
}

func hashOfFile(fd int, name string) (string, error) {
	f, err := object.Open(fd, name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, wire.MaxFrame+1))
	if err != nil {
		return "", fmt.Errorf("read: %w", err)
	}
	if n > wire.MaxFrame {
		return "", nil
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
