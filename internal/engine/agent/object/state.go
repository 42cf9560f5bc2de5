// Package object reads, replaces and restores what exists at the paths of a host: files, links and directories. It never follows a
// link that an account could redirect.
package object

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
)

// InlineLimit is how much content is stored in the journal itself, which saves a file and its fsync.
const InlineLimit = 64 << 10

// snapshotLimit is the largest file that a Change can replace: it is copied before, and a site's user can create a huge one at no cost.
const snapshotLimit = 64 << 20

// Kinds of objects.
const (
	Absent  = "absent"
	Regular = "file"
	Link    = "link"
	Dir     = "dir"
	Other   = "other" // a device, a FIFO, a socket: never touched
)

// State is what exists at a path.
type State struct {
	Kind   string `json:"kind"`
	Mode   uint32 `json:"mode,omitempty"`
	UID    int    `json:"uid,omitempty"`
	GID    int    `json:"gid,omitempty"`
	Size   int64  `json:"size,omitempty"`
	Target string `json:"target,omitempty"`
	// Content is a small file's; a larger one's is in the run's snapshot directory under Snapshot.
	Content  []byte `json:"content,omitempty"`
	Snapshot string `json:"snapshot,omitempty"`
	// Modified is when a file or a link was changed, in nanoseconds. It is put back too: others tell by it whether they have loaded what is there.
	Modified int64 `json:"modified,omitempty"`

	// Links counts the names of a file.
	Links uint64 `json:"-"`
}

// Look returns the object at a name, without its content.
func Look(fd int, name string) (State, error) {
	var st unix.Stat_t
	err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	if errors.Is(err, unix.ENOENT) {
		return State{Kind: Absent}, nil
	}
	if err != nil {
		return State{}, fmt.Errorf("look at it: %w", err)
	}
	o := State{Kind: Other, Mode: st.Mode & 0o7777, UID: int(st.Uid), GID: int(st.Gid), Size: st.Size, Links: uint64(st.Nlink)}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		o.Kind, o.Modified = Regular, st.Mtim.Nano()
	case unix.S_IFDIR:
		o.Kind = Dir
	case unix.S_IFLNK:
		o.Kind, o.Modified = Link, st.Mtim.Nano()
		target := make([]byte, 4096)
		n, err := unix.Readlinkat(fd, name, target)
		if err != nil {
			return State{}, fmt.Errorf("read link: %w", err)
		}
		o.Target = string(target[:n])
	}
	return o, nil
}

// Open opens a regular file for reading; anything that replaced it in between is refused.
func Open(fd int, name string) (*os.File, error) {
	n, err := unix.Openat(fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	f := os.NewFile(uintptr(n), name)
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("open: it %w", ErrKind)
	}
	return f, nil
}

// ReadWithin limits the time to read one file. An account that serves its own file system (fuse(4)) can make readers wait.
const ReadWithin = 30 * time.Second

// ErrSlow is returned for a file that could not be read in time.
var ErrSlow = errors.New("took too long to be read")

// InTime returns what f returns, or ErrSlow: then f continues in the background, so it must change nothing.
func InTime[T any](within time.Duration, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := f()
		done <- result{v, err}
	}()
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.value, r.err
	case <-timer.C:
		var none T
		return none, ErrSlow
	}
}

// Same reports whether a file has this content, reading no more of it than needed.
func Same(fd int, name string, o State, content []byte) (bool, error) {
	if o.Kind != Regular || o.Size != int64(len(content)) {
		return false, nil
	}
	return InTime(ReadWithin, func() (bool, error) { return equalContent(fd, name, content) })
}

func equalContent(fd int, name string, content []byte) (bool, error) {
	f, err := Open(fd, name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	have, err := io.ReadAll(io.LimitReader(f, int64(len(content))+1))
	if err != nil {
		return false, fmt.Errorf("read: %w", err)
	}
	return bytes.Equal(have, content), nil
}

// Keep adds the content to an State, so that it can be restored.
func Keep(fd int, name string, o State, snapshots string, step int) (State, error) {
	return InTime(4*ReadWithin, func() (State, error) { return keepContent(fd, name, o, snapshots, step) })
}

func keepContent(fd int, name string, o State, snapshots string, step int) (State, error) {
	switch o.Kind {
	case Other:
		return o, ErrKind
	case Regular:
	default:
		return o, nil
	}
	if o.Size > snapshotLimit {
		return o, fmt.Errorf("the existing file has %d bytes; more than %d are not replaced", o.Size, snapshotLimit)
	}
	f, err := Open(fd, name)
	if err != nil {
		return o, err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, InlineLimit+1))
	if err != nil {
		return o, fmt.Errorf("read: %w", err)
	}
	if len(head) <= InlineLimit {
		o.Content = head
		return o, nil
	}
	if err := os.MkdirAll(snapshots, 0o700); err != nil {
		return o, fmt.Errorf("make snapshot directory: %w", err)
	}
	o.Snapshot = strconv.Itoa(step)
	to, err := os.OpenFile(filepath.Join(snapshots, o.Snapshot), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return o, fmt.Errorf("make snapshot: %w", err)
	}
	_, err = io.Copy(to, io.LimitReader(io.MultiReader(bytes.NewReader(head), f), snapshotLimit))
	if err == nil {
		err = to.Sync()
	}
	if cerr := to.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = durable.SyncDir(snapshots)
	}
	if err == nil {
		err = durable.SyncDir(filepath.Dir(snapshots))
	}
	if err != nil {
		return o, fmt.Errorf("make snapshot: %w", err)
	}
	return o, nil
}

// PutBack restores the object at a name. It is idempotent.
func (r Root) PutBack(p string, o State, tmp, snapshots string) error {
	fd, name, err := r.OpenParent(p)
	if err != nil {
		if o.Kind == Absent && errors.Is(err, unix.ENOENT) {
			return nil
		}
		return err
	}
	defer unix.Close(fd)
	if tmp != "" {
		if err := unix.Unlinkat(fd, tmp, 0); err != nil && !errors.Is(err, unix.ENOENT) {
			return fmt.Errorf("remove the temporary file: %w", err)
		}
	}
	is, err := Look(fd, name)
	if err != nil {
		return err
	}
	if is.Kind == Dir && o.Kind != Dir {
		err := Remove(fd, name, unix.AT_REMOVEDIR)
		if errors.Is(err, unix.ENOTEMPTY) && o.Kind == Absent {
			return nil // a directory is restored only while it is empty
		}
		if err != nil {
			return err
		}
		is = State{Kind: Absent}
	}
	switch o.Kind {
	case Absent:
		return Remove(fd, name, 0)
	case Link:
		if is.Kind == Link && is.Target == o.Target && is.UID == o.UID && is.GID == o.GID {
			return nil
		}
		return modified(fd, name, o, Symlink(fd, name, restoreName(fd, name), o.Target, o.UID, o.GID))
	case Dir:
		return MakeDir(fd, name, is, o.Mode, o.UID, o.GID)
	}
	if o.Snapshot == "" {
		if same, err := Same(fd, name, is, o.Content); err != nil {
			return err
		} else if same && is.Mode == o.Mode && is.UID == o.UID && is.GID == o.GID {
			return nil
		}
		return modified(fd, name, o, Replace(fd, name, restoreName(fd, name), bytes.NewReader(o.Content), o.Mode, o.UID, o.GID))
	}
	f, err := os.Open(filepath.Join(snapshots, o.Snapshot))
	if err != nil {
		return fmt.Errorf("open snapshot: %w", err)
	}
	defer f.Close()
	return modified(fd, name, o, Replace(fd, name, restoreName(fd, name), f, o.Mode, o.UID, o.GID))
}

// modified gives what was put back the time of its last change.
func modified(fd int, name string, o State, err error) error {
	if err != nil || o.Modified == 0 { // a journal of an earlier release has none
		return err
	}
	times := []unix.Timespec{{Nsec: unix.UTIME_OMIT}, unix.NsecToTimespec(o.Modified)}
	if err := unix.UtimesNanoAt(fd, name, times, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return fmt.Errorf("put back when it was changed: %w", err)
	}
	return nil
}

// MakeDir creates a directory or sets the mode and owner of the existing one.
func MakeDir(fd int, name string, is State, mode uint32, uid, gid int) error {
	if is.Kind == Absent {
		if err := unix.Mkdirat(fd, name, 0o700); err != nil {
			return fmt.Errorf("make directory: %w", err)
		}
	}
	d, err := unix.Openat(fd, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open directory: %w", err)
	}
	defer unix.Close(d)
	if err := unix.Fchown(d, uid, gid); err != nil {
		return fmt.Errorf("give directory its owner: %w", err)
	}
	if err := unix.Fchmod(d, mode); err != nil {
		return fmt.Errorf("give directory its mode: %w", err)
	}
	if err := unix.Fsync(d); err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	return syncDir(fd)
}

// Hash returns the SHA-256 of a content, in hex.
func Hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
