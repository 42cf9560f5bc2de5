package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/engine/agent/output"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// own.json has the hash of each own file (wire.File.Own) as the agent last wrote it. Changes by hand are found by it without the panel's plans, each
// minute.
func (a *Agent) ownPath() string { return filepath.Join(a.state, "own.json") }

func (a *Agent) ownFiles() (map[string]string, error) {
	own := map[string]string{}
	err := durable.ReadJSON(a.ownPath(), &own)
	if errors.Is(err, fs.ErrNotExist) {
		return own, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read which files are ours: %w", err)
	}
	return own, nil
}

// recordOwn records Hostler's own files; the hash is "" for a file that no longer is one.
func (a *Agent) recordOwn(files map[string]string) error {
	if len(files) == 0 {
		return nil
	}
	lock, err := os.OpenFile(a.ownPath()+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("record which files are ours: %w", err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("record which files are ours: %w", err)
	}
	own, err := a.ownFiles()
	if err != nil {
		own = map[string]string{} // spoiled; it fills again
	}
	before := maps.Clone(own)
	for path, hash := range files {
		if own[path] = hash; hash == "" {
			delete(own, path)
		}
	}
	if maps.Equal(before, own) {
		return nil
	}
	return durable.WriteJSON(a.ownPath(), own)
}

// ticks is longer than the kernel takes the same time for several writes: a file that was written that recently is hashed again.
const ticks = time.Second

// signature is what changes with each write of a file. The time of its last change can't be set back by a program.
type signature struct {
	inode, size  uint64
	seconds, sub int64
	hash         string
}

// edited are the own files that are not what the agent wrote, in order; nil while a run changes the host, which does not know them by then. A run that
// has just ended gives the lane back a moment after its end was reported.
func (a *Agent) edited() []string {
	var lane *os.File
	for began := time.Now(); ; time.Sleep(laneEvery) {
		var err error
		if lane, err = flock(filepath.Join(a.state, "lanes", hostLane)); err == nil {
			break
		}
		if !errors.Is(err, errLocked) || time.Since(began) > laneWithin {
			return nil
		}
	}
	defer lane.Close()
	own, err := a.ownFiles()
	if err != nil {
		return nil
	}
	a.looking.Lock()
	defer a.looking.Unlock()
	out, seen := []string{}, map[string]signature{}
	for _, path := range slices.Sorted(maps.Keys(own)) {
		now, err := a.sign(path)
		if err == nil && time.Since(time.Unix(now.seconds, now.sub)) > ticks {
			seen[path] = now
		}
		if (err != nil || now.hash != own[path]) && len(out) < wire.MaxEdited {
			out = append(out, path)
		}
	}
	a.seen = seen
	return out
}

// laneWithin is how long looking at own files waits for the lane.
const laneWithin = time.Second

// hostLane is the lane of all that changes the host.
const hostLane = "host"

// sign hashes a file, unless nothing wrote to it since it was hashed before.
func (a *Agent) sign(path string) (signature, error) {
	fd, name, err := a.root.OpenParent(path)
	if err != nil {
		return signature{}, err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return signature{}, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return signature{}, object.ErrKind
	}
	now := signature{inode: st.Ino, size: uint64(st.Size), seconds: st.Ctim.Sec, sub: st.Ctim.Nsec}
	before, known := a.seen[path]
	if now.hash = before.hash; known && now == before {
		return now, nil
	}
	now.hash, err = hashAt(fd, name)
	return now, err
}

// overwrites says in the output of the run what it overwrites that others changed in an own file.
func (x *execution) overwrites(i int, f *wire.File, fd int, name string, is object.State) error {
	if !f.Own() || is.Kind != object.Regular {
		return nil
	}
	hash, err := hashAt(fd, name)
	if err != nil {
		return err
	}
	own, err := x.a.ownFiles()
	if err != nil {
		return err
	}
	ours := own[f.Path] == hash
	if own[f.Path] == "" {
		if ours, err = x.a.written(f.Path, hash); err != nil {
			return err
		}
	}
	if ours {
		return nil
	}
	return x.tellDiff(i, f, fd, name, is, "was changed on the server by hand, and is overwritten.")
}

// tellDiff says what happens to a file, and how it differs from what is written.
func (x *execution) tellDiff(i int, f *wire.File, fd int, name string, is object.State, what string) error {
	text := f.Path + " " + what + "\n"
	if !f.Secret && is.Links == 1 {
		diff, err := (&drift{a: x.a}).diff(f, fd, name)
		if err != nil {
			return err
		}
		text += diff
	}
	x.tells(i, text)
	return nil
}

// tells writes to the output of a step.
func (x *execution) tells(i int, text string) {
	name := ""
	if x.run.Change != nil && i < len(x.run.Change.Steps) {
		name = x.run.Change.Steps[i].Name
	}
	for raw := []byte(output.Clean(text)); len(raw) > 0; {
		n := output.Cut(raw, output.MaxText)
		x.log.Emit(wire.Event{Kind: wire.EventOutput, Index: i, Step: name, Text: string(raw[:n])})
		raw = raw[n:]
	}
}
