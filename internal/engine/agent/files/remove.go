package files

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// maxDepth is how deeply directories that are removed may be nested: each level holds one open.
const maxDepth = 500

// counted is how much there is of something.
type counted struct{ entries, bytes int64 }

func (t *tree) count(q wire.FileQuery) (wire.FileReply, error) {
	var out wire.FileReply
	p, err := t.existing(q.Path, false)
	if err != nil {
		return out, err
	}
	n, err := countAll(p)
	out.Count, out.Bytes, out.Path = n.entries, n.bytes, joined(p.path)
	if err == nil {
		out.File, err = t.entry(p, p.st)
	}
	return out, err
}

func countAll(p *place) (counted, error) {
	var n counted
	return n, n.add(p.self, p.st, 0)
}

// add counts a file, and everything in a directory. fd is O_PATH.
func (n *counted) add(fd int, st unix.Stat_t, depth int) error {
	if n.entries++; n.entries > wire.MaxEntries {
		return wrong(wire.FileFailed, "There are more than %d entries in it.", wire.MaxEntries)
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		n.bytes += st.Size
		return nil
	case unix.S_IFDIR:
	default:
		return nil
	}
	return each(fd, st, depth, n.add)
}

// each calls fn for everything in a directory. What is mounted there, and what is gone meanwhile, are left out; the first is an error.
func each(fd int, dir unix.Stat_t, depth int, fn func(fd int, st unix.Stat_t, depth int) error) error {
	if depth >= maxDepth {
		return wrong(wire.FileFailed, "Its directories are nested more than %d deep.", maxDepth)
	}
	names, err := namesIn(fd, wire.MaxEntries)
	if err != nil {
		return err
	}
	for _, n := range names {
		err := inside(fd, n.name, func(child int, st unix.Stat_t) error {
			if st.Dev != dir.Dev {
				return wrong(wire.FileWrong, "%q in it is mounted from elsewhere.", n.name)
			}
			return fn(child, st, depth+1)
		})
		if err != nil && !errors.Is(err, unix.ENOENT) {
			return err
		}
	}
	return nil
}

// inside opens a name for fn.
func inside(dir int, name string, fn func(fd int, st unix.Stat_t) error) error {
	fd, err := openPath(dir, name)
	if err != nil {
		return fmt.Errorf("look at %q: %w", name, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("look at %q: %w", name, err)
	}
	return fn(fd, st)
}

// remove removes a file, a link, or a directory with everything in it, if there is as much as the caller saw. Links are removed and not followed.
func (t *tree) remove(q wire.FileQuery) error {
	p, err := t.movable(q.Path)
	if err != nil {
		return err
	}
	n, err := countAll(p)
	if err != nil {
		return err
	}
	if n.entries != q.Count {
		return &problem{kind: wire.FileChanged, message: fmt.Sprintf("%s has %d entries now.", show(p.path), n.entries), count: n.entries, bytes: n.bytes}
	}
	r := removal{left: n.entries}
	if err := r.entry(p.dir, p.name, p.st, 0); err != nil {
		return fmt.Errorf("remove %s: %w", show(p.path), err)
	}
	p.sync()
	return nil
}

// removal is what may still be removed: what others add meanwhile is not.
type removal struct{ left int64 }

func (r *removal) entry(dir int, name string, seen unix.Stat_t, depth int) error {
	if r.left--; r.left < 0 {
		return wrong(wire.FileChanged, "Files were added to the directory while it was removed. Some of it is left.")
	}
	if seen.Mode&unix.S_IFMT != unix.S_IFDIR {
		return unix.Unlinkat(dir, name, 0)
	}
	err := inside(dir, name, func(fd int, st unix.Stat_t) error {
		if !same(st, seen) {
			return wrong(wire.FileChanged, "%q was replaced meanwhile.", name)
		}
		return r.within(fd, st, depth)
	})
	if err != nil {
		return err
	}
	err = unix.Unlinkat(dir, name, unix.AT_REMOVEDIR)
	if errors.Is(err, unix.ENOTEMPTY) {
		return wrong(wire.FileChanged, "Files were added to the directory while it was removed. Some of it is left.")
	}
	return err
}

// within removes everything in a directory.
func (r *removal) within(fd int, dir unix.Stat_t, depth int) error {
	if depth >= maxDepth {
		return wrong(wire.FileFailed, "Its directories are nested more than %d deep.", maxDepth)
	}
	names, err := namesIn(fd, wire.MaxEntries)
	if err != nil {
		return err
	}
	for _, n := range names {
		var st unix.Stat_t
		err := unix.Fstatat(fd, n.name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if errors.Is(err, unix.ENOENT) {
			continue
		}
		if err == nil && st.Dev != dir.Dev {
			err = wrong(wire.FileWrong, "%q in it is mounted from elsewhere.", n.name)
		}
		if err == nil {
			err = r.entry(fd, n.name, st, depth+1)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
