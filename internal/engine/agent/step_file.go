package agent

import (
	"bytes"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
	"github.com/hostlerhq/hostler/internal/engine/agent/object"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// errNotOurs is returned if wire.File.Keep found content that we did not write.
var errNotOurs = errors.New("was changed on the host and is kept as it is")

// errNoRecord: likewise, where the agent never wrote to the path as far as it remembers.
var errNoRecord = errors.New("is there, and Hostler has no record that it wrote it; repair the server, or take the file away")

// snapshot notes what stands at a name before it is replaced, and how the replacement is called on its way.
func (x *execution) snapshot(i int, p string, fd int, name string, o object.State) (temp string, err error) {
	o, err = object.Keep(fd, name, o, snapshotDir(x.dir), i)
	if err != nil {
		return "", err
	}
	temp = object.TempName()
	if err := x.note(entry{Op: opObject, Step: i, Path: p, Temp: temp, Before: &o}); err != nil {
		return "", err
	}
	x.a.crash(fmt.Sprintf("step %d noted", i))
	return temp, nil
}

func (x *execution) file(i int, f *wire.File) (bool, error) {
	changed, err := x.writeFile(i, f)
	if err != nil {
		return false, fmt.Errorf("file %s: %w", f.Path, err)
	}
	return changed, nil
}

func (x *execution) writeFile(i int, f *wire.File) (bool, error) {
	fd, name, err := x.a.root.OpenParent(f.Path)
	if err != nil {
		if f.Absent && errors.Is(err, unix.ENOENT) {
			x.owns(f)
			return false, nil
		}
		return false, err
	}
	defer unix.Close(fd)
	is, err := object.Look(fd, name)
	if err != nil {
		return false, err
	}
	if is.Kind == object.Other || is.Kind == object.Dir {
		return false, object.ErrKind
	}
	if f.Once && is.Kind != object.Absent {
		return false, nil
	}
	if f.Absent {
		if x.owns(f); is.Kind == object.Absent {
			return false, nil
		}
		if f.Keep {
			if err := x.ours(f, fd, name, is); err != nil {
				return false, err
			}
		}
		if _, err := x.snapshot(i, f.Path, fd, name, is); err != nil {
			return false, err
		}
		return true, object.Remove(fd, name, 0)
	}
	uid, gid, err := x.a.owner(f.Owner, f.Group)
	if err != nil {
		return false, err
	}
	same, err := object.Same(fd, name, is, f.Content)
	if err != nil {
		return false, err
	}
	if same {
		x.owns(f)
		x.wrote(f.Path, f.Content)
		if is.Mode == mode(f.Mode, 0o644) && is.UID == uid && is.GID == gid {
			return false, nil
		}
	} else if f.Keep && is.Kind != object.Absent {
		if left, err := x.mayKeep(i, f, fd, name, is); left || err != nil {
			return false, err
		}
	} else if err := x.overwrites(i, f, fd, name, is); err != nil {
		return false, err
	}
	temp, err := x.snapshot(i, f.Path, fd, name, is)
	if err != nil {
		return false, err
	}
	if err := object.Replace(fd, name, temp, bytes.NewReader(f.Content), mode(f.Mode, 0o644), uid, gid); err != nil {
		return false, err
	}
	x.owns(f)
	x.wrote(f.Path, f.Content)
	return true, nil
}

// mayKeep reports whether a file of Keep is left as it is, which only a repair does: any other Change fails with what others changed. Without a record
// of the path the author of the file is unknown, and a repair makes it what it should be.
func (x *execution) mayKeep(i int, f *wire.File, fd int, name string, is object.State) (left bool, err error) {
	err = x.ours(f, fd, name, is)
	if !errors.Is(err, errNotOurs) {
		return false, err
	}
	known := false
	if err := durable.ReadLines(x.a.writtenPath(), func(w writing) { known = known || w.Path == f.Path }); err != nil {
		return false, fmt.Errorf("read what was written: %w", err)
	}
	repair := x.run.Change != nil && x.run.Change.Repair
	switch {
	case repair && known:
		return true, x.tellDiff(i, f, fd, name, is, "was changed on the server by hand, and is kept as it is.")
	case repair:
		return false, x.tellDiff(i, f, fd, name, is, "is not what it should be, and is overwritten.")
	case known:
		return false, err
	}
	return false, errNoRecord
}

// ours reports that Hostler wrote a file's content.
func (x *execution) ours(f *wire.File, fd int, name string, is object.State) error {
	if is.Kind != object.Regular {
		return errNotOurs
	}
	hash, err := hashAt(fd, name)
	if err != nil {
		return err
	}
	known, err := x.a.written(f.Path, hash)
	if err != nil {
		return err
	}
	if !known {
		return errNotOurs
	}
	return nil
}

func mode(m, byDefault uint32) uint32 {
	if m == 0 {
		return byDefault
	}
	return m & 0o7777
}

func (x *execution) dirStep(i int, d *wire.Dir) (bool, error) {
	changed, err := x.makeDir(i, d)
	if err != nil && d.Yield && !errors.Is(err, unix.ENOSPC) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("directory %s: %w", d.Path, err)
	}
	return changed, nil
}

func (x *execution) makeDir(i int, d *wire.Dir) (bool, error) {
	fd, name, err := x.a.root.OpenParent(d.Path)
	if err != nil {
		if d.Absent && errors.Is(err, unix.ENOENT) {
			return false, nil
		}
		return false, err
	}
	defer unix.Close(fd)
	is, err := object.Look(fd, name)
	if err != nil {
		return false, err
	}
	if is.Kind != object.Absent && d.Yield {
		return false, nil
	}
	if is.Kind != object.Dir && is.Kind != object.Absent {
		return false, unix.ENOTDIR
	}
	if d.Absent {
		if is.Kind == object.Absent {
			return false, nil
		}
		if _, err := x.snapshot(i, d.Path, fd, name, is); err != nil {
			return false, err
		}
		err := object.Remove(fd, name, unix.AT_REMOVEDIR)
		if errors.Is(err, unix.ENOTEMPTY) {
			return false, nil // its contents are not ours
		}
		return err == nil, err
	}
	uid, gid, err := x.a.owner(d.Owner, d.Group)
	if err != nil {
		return false, err
	}
	want := mode(d.Mode, 0o755)
	if is.Kind == object.Dir && is.Mode == want && is.UID == uid && is.GID == gid {
		return false, nil
	}
	if _, err := x.snapshot(i, d.Path, fd, name, is); err != nil {
		return false, err
	}
	return true, object.MakeDir(fd, name, is, want, uid, gid)
}

func (x *execution) link(i int, l *wire.Link) (bool, error) {
	changed, err := x.makeLink(i, l)
	if err != nil && l.Yield && !errors.Is(err, unix.ENOSPC) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("link %s: %w", l.Path, err)
	}
	return changed, nil
}

func (x *execution) makeLink(i int, l *wire.Link) (bool, error) {
	fd, name, err := x.a.root.OpenParent(l.Path)
	if err != nil {
		if l.Absent && errors.Is(err, unix.ENOENT) {
			return false, nil
		}
		return false, err
	}
	defer unix.Close(fd)
	is, err := object.Look(fd, name)
	switch {
	case err != nil:
		return false, err
	case is.Kind == object.Absent && l.Absent:
		return false, nil
	case is.Kind != object.Absent && (l.Once || l.Yield) && (is.Kind != object.Link || is.Target != l.Target):
		return false, nil
	case is.Kind != object.Link && is.Kind != object.Absent:
		return false, errors.New("exists and is not a link")
	}
	uid, gid, err := x.a.owner(l.Owner, l.Group)
	if err != nil {
		return false, err
	}
	if !l.Absent && is.Kind == object.Link && is.Target == l.Target && is.UID == uid && is.GID == gid {
		return false, nil
	}
	temp, err := x.snapshot(i, l.Path, fd, name, is)
	if err != nil {
		return false, err
	}
	if l.Absent {
		return true, object.Remove(fd, name, 0)
	}
	return true, object.Symlink(fd, name, temp, l.Target, uid, gid)
}
