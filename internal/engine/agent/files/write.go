package files

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// errInPlace is why a file can't be replaced by a new one without losing something of it.
var errInPlace = errors.New("the file must be written over")

// write writes a text. A file that is there is replaced by a new one with its mode, group and attributes, so that it is at every moment either the old or the
// new one. It is written over only if replacing would separate it from its other names, its owner or its mount.
func (t *tree) write(q wire.FileQuery) (wire.FileReply, error) {
	out := wire.FileReply{Revision: revisionOf(q.Data)}
	p, err := t.resolve(q.Path, true)
	if err != nil {
		return out, err
	}
	if p.self < 0 {
		if q.Revision != "" {
			return out, wrong(wire.FileChanged, "%s was removed meanwhile.", show(p.path))
		}
		if err := p.put(q.Data, nil); err != nil {
			return out, err
		}
		return out, t.done(p, &out)
	}
	f, st, err := p.openFile(unix.O_RDONLY)
	if err != nil {
		return out, err
	}
	defer f.Close()
	old, err := io.ReadAll(io.LimitReader(f, wire.MaxText+1))
	if err != nil {
		return out, fmt.Errorf("read %s: %w", show(p.path), err)
	}
	switch {
	case bytes.Equal(old, q.Data): // also by an earlier delivery of the same request
		return out, t.done(p, &out)
	case q.Revision == "":
		return out, wrong(wire.FileExists, "%s is there already.", show(p.path))
	case len(old) > wire.MaxText || revisionOf(old) != q.Revision:
		return out, wrong(wire.FileChanged, "%s was changed meanwhile.", show(p.path))
	}
	if err = p.put(q.Data, &before{f, st}); errors.Is(err, errInPlace) {
		out.InPlace = true
		err = p.over(old, q.Data)
	}
	if err != nil {
		return out, err
	}
	return out, t.done(p, &out)
}

// done describes a file after it was written.
func (t *tree) done(p *place, out *wire.FileReply) error {
	return inside(p.dir, p.name, func(fd int, st unix.Stat_t) (err error) {
		out.File, err = t.entry(&place{dir: p.dir, name: p.name, self: fd, st: st, path: p.path}, st)
		out.Path = joined(p.path)
		return err
	})
}

// before is the file that a new one replaces.
type before struct {
	f  *os.File
	st unix.Stat_t
}

// alone reports whether a file can be replaced: nothing else is the same file, and a new one has the same owner.
func (b before) alone() bool { return b.st.Nlink == 1 && int(b.st.Uid) == unix.Geteuid() }

// put makes a file with this content, in place of another or of none.
func (p *place) put(content []byte, was *before) error {
	if was != nil && !was.alone() {
		return errInPlace
	}
	temp := ".hostler-" + rand.Text()
	fd, err := unix.Openat(p.dir, temp, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		if was != nil && (errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM)) {
			return errInPlace // the directory takes no new files
		}
		return fmt.Errorf("write %s: %w", show(p.path), err)
	}
	f := os.NewFile(uintptr(fd), temp)
	_, err = f.Write(content)
	if err == nil {
		err = finish(fd, was)
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = p.settle(temp, was)
	}
	if err != nil {
		_ = unix.Unlinkat(p.dir, temp, 0)
		if errors.Is(err, errInPlace) {
			return err
		}
		return fmt.Errorf("write %s: %w", show(p.path), err)
	}
	p.sync()
	return nil
}

// newMode is the mode of a new file: that of the umask which the site's programs have.
const newMode = 0o644

// finish gives a new file the group, mode and attributes of the one that it replaces. Those that the account can't set are a reason to write that one over.
func finish(fd int, was *before) error {
	if was == nil {
		return unix.Fchmod(fd, newMode)
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Gid != was.st.Gid {
		if err := unix.Fchown(fd, -1, int(was.st.Gid)); err != nil {
			return errInPlace
		}
	}
	if err := unix.Fchmod(fd, was.st.Mode&0o7777); err != nil {
		return err
	}
	return copyAttributes(int(was.f.Fd()), fd)
}

// copyAttributes copies what accounts may set: access lists and the attributes of users (xattr(7)).
func copyAttributes(from, to int) error {
	list := make([]byte, 64<<10)
	n, err := unix.Flistxattr(from, list)
	if err != nil {
		return nil //nolint:nilerr // the file system has none
	}
	for name := range strings.SplitSeq(string(list[:n]), "\x00") {
		if name != "system.posix_acl_access" && !strings.HasPrefix(name, "user.") {
			continue
		}
		value := make([]byte, 64<<10)
		n, err := unix.Fgetxattr(from, name, value)
		if err == nil {
			err = unix.Fsetxattr(to, name, value[:n], 0)
		}
		if err != nil {
			return errInPlace
		}
	}
	return nil
}

// settle gives a finished file its name.
func (p *place) settle(temp string, was *before) error {
	if was == nil {
		return renameNew(p.dir, temp, p.dir, p.name, false)
	}
	var now unix.Stat_t
	if err := unix.Fstatat(p.dir, p.name, &now, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	if !same(now, was.st) || now.Mtim != was.st.Mtim || now.Size != was.st.Size {
		return wrong(wire.FileChanged, "%s was changed meanwhile.", show(p.path))
	}
	err := unix.Renameat(p.dir, temp, p.dir, p.name)
	if errors.Is(err, unix.EBUSY) || errors.Is(err, unix.EPERM) { // a mount; the sticky bit of a directory of others
		return errInPlace
	}
	return err
}

// sync makes a new name durable. That it could not be synced does not undo it.
func (p *place) sync() {
	if dir, err := openDir(p.dir); err == nil {
		_ = unix.Fsync(dir)
		unix.Close(dir)
	}
}

// over writes a file over. The space is reserved first; if writing fails all the same, the old content, whose space the file has, is written again.
func (p *place) over(old, content []byte) error {
	f, _, err := p.openFile(unix.O_RDWR)
	if err != nil {
		return err
	}
	defer f.Close()
	fd := int(f.Fd())
	if len(content) > len(old) {
		err = unix.Fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, 0, int64(len(content)))
		if err != nil && !errors.Is(err, unix.EOPNOTSUPP) && !errors.Is(err, unix.ENOSYS) {
			return fmt.Errorf("write %s: %w", show(p.path), err)
		}
	}
	_, err = f.WriteAt(content, 0)
	if err == nil {
		err = f.Truncate(int64(len(content)))
	}
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		_, again := f.WriteAt(old, 0)
		return fmt.Errorf("write %s: %w", show(p.path), errors.Join(err, again, f.Truncate(int64(len(old))), f.Sync()))
	}
	return nil
}

// renameNew renames what must not replace anything.
func renameNew(fromDir int, from string, toDir int, to string, directory bool) error {
	err := unix.Renameat2(fromDir, from, toDir, to, unix.RENAME_NOREPLACE)
	if !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) {
		return err
	}
	if directory { // on a file system without the flag; only an empty directory could be replaced
		return unix.Renameat(fromDir, from, toDir, to)
	}
	if err := unix.Linkat(fromDir, from, toDir, to, 0); err != nil {
		return err
	}
	return unix.Unlinkat(fromDir, from, 0)
}

func (t *tree) make(q wire.FileQuery) (wire.FileReply, error) {
	var out wire.FileReply
	p, err := t.fresh(q.Path)
	if err != nil {
		return out, err
	}
	if err := unix.Mkdirat(p.dir, p.name, 0o755); err != nil {
		return out, fmt.Errorf("create %s: %w", show(p.path), err)
	}
	return out, t.done(p, &out)
}

// fresh resolves a path that must be free.
func (t *tree) fresh(path []byte) (*place, error) {
	p, err := t.resolve(path, false)
	if err == nil && p.self >= 0 {
		err = wrong(wire.FileExists, "%s is there already.", show(p.path))
	}
	return p, err
}

func (t *tree) move(q wire.FileQuery) (wire.FileReply, error) {
	var out wire.FileReply
	from, err := t.movable(q.Path)
	if err != nil {
		return out, err
	}
	to, err := t.fresh(q.To)
	if err != nil {
		p := problemOf(err)
		p.atTo = true
		return out, p
	}
	if from.is(unix.S_IFDIR) && strings.HasPrefix(string(joined(to.path))+"/", string(joined(from.path))+"/") {
		return out, wrong(wire.FileWrong, "%s can't be moved into itself.", show(from.path))
	}
	err = renameNew(from.dir, from.name, to.dir, to.name, from.is(unix.S_IFDIR))
	switch {
	case errors.Is(err, unix.EXDEV):
		return out, wrong(wire.FileWrong, "%s is on another file system than its new place.", show(from.path))
	case err != nil:
		return out, fmt.Errorf("rename %s: %w", show(from.path), err)
	}
	return out, t.done(to, &out)
}

// movable resolves a path to something that can be renamed or removed; a link is itself.
func (t *tree) movable(path []byte) (*place, error) {
	p, err := t.existing(path, false)
	if err == nil && p.dir < 0 {
		err = wrong(wire.FileWrong, "This is the site's directory itself.")
	}
	return p, err
}
