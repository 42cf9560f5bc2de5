// Package files works with the files of an account, as that account, below one of its directories. No path leads out of the directory: links are followed one
// component at a time, and one that points elsewhere is an error. Only regular files are opened, and none is written over while it can be replaced.
package files

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/engine/agent/passwd"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	// maxLinks is the maximum number of links in a path, like the kernel's MAXSYMLINKS.
	maxLinks = 40
	// maxName and maxPath are the longest name and path of Linux, in bytes (limits.h).
	maxName = 255
	maxPath = 4096
)

// problem is why something was not done.
type problem struct {
	kind, message string
	count, bytes  int64
	atTo          bool
}

func (p *problem) Error() string { return p.message }

func wrong(kind, format string, args ...any) error {
	return &problem{kind: kind, message: fmt.Sprintf(format, args...)}
}

// tree is a directory that no path leads out of.
type tree struct {
	base  int    // O_PATH
	at    string // the path of the directory on the host
	users passwd.Files
	fds   []int
	names map[string]string
}

// Do does what a query asks for, below a directory of the host. users is where accounts have their names.
func Do(below string, users passwd.Files, q wire.FileQuery) wire.FileReply {
	out, err := do(below, users, q)
	if err == nil {
		return out
	}
	p := problemOf(err)
	return wire.FileReply{Problem: p.kind, Message: p.message, Count: p.count, Bytes: p.bytes, AtTo: p.atTo}
}

func problemOf(err error) *problem {
	var p *problem
	if errors.As(err, &p) {
		return p
	}
	return &problem{kind: kindOf(err), message: err.Error()}
}

func do(below string, users passwd.Files, q wire.FileQuery) (wire.FileReply, error) {
	var out wire.FileReply
	t, err := open(below, users)
	if err != nil {
		return out, err
	}
	defer t.close()
	switch q.Act {
	case wire.FileList:
		return t.list(q)
	case wire.FileStat:
		return t.stat(q)
	case wire.FileRead:
		return t.read(q)
	case wire.FileWrite:
		return t.write(q)
	case wire.FileMake:
		return t.make(q)
	case wire.FileMove:
		return t.move(q)
	case wire.FileCount:
		return t.count(q)
	case wire.FileRemove:
		return out, t.remove(q)
	case wire.FileBegin:
		return t.begin(q)
	case wire.FileAppend:
		return out, t.append(q)
	case wire.FileCommit:
		return t.commit(q)
	case wire.FileAbort:
		return out, t.abort(q)
	}
	return out, fmt.Errorf("nothing is called %q", q.Act)
}

// open opens a directory of an account. The account can replace the directory itself, by a link for example, but none above its home.
func open(below string, users passwd.Files) (*tree, error) {
	home, err := unix.Open(path.Dir(below), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open the site's directory: %w", err)
	}
	defer unix.Close(home)
	base, err := unix.Openat(home, path.Base(below), unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open the site's directory: %w", err)
	}
	var st unix.Stat_t
	if err := unix.Fstat(base, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR {
		unix.Close(base)
		return nil, wrong(wire.FileOutside, "The site's directory is not a directory.")
	}
	return &tree{base: base, at: below, users: users, fds: []int{base}, names: map[string]string{}}, nil
}

func (t *tree) close() {
	for _, fd := range t.fds {
		unix.Close(fd)
	}
}

// place is where a path leads.
type place struct {
	dir  int // O_PATH of the directory that has the name; -1 for the tree's own directory
	name string
	self int // O_PATH, -1 if there is nothing
	st   unix.Stat_t
	path []string // below the tree's directory, after links were followed
}

func (p *place) is(format uint32) bool { return p.self >= 0 && p.st.Mode&unix.S_IFMT == format }

// resolve finds where a path leads. Links on the way are followed, and one at its end if last is set. What is missing at the end is no error.
func (t *tree) resolve(raw []byte, last bool) (*place, error) {
	if len(raw) >= maxPath {
		return nil, wrong(wire.FileWrong, "The path is longer than %d bytes.", maxPath-1)
	}
	w := walk{t: t, todo: strings.Split(string(raw), "/")}
	for len(w.todo) > 0 {
		end, err := w.step(last)
		if err != nil || end != nil {
			return end, err
		}
	}
	return w.here()
}

// walk follows a path. stack has the open directories below the tree's own.
type walk struct {
	t     *tree
	todo  []string
	stack []int
	names []string
	links int
}

func (w *walk) top() int {
	if len(w.stack) == 0 {
		return w.t.base
	}
	return w.stack[len(w.stack)-1]
}

// here returns the directory that the walk is in.
func (w *walk) here() (*place, error) {
	p := &place{dir: -1, self: w.top(), path: w.names}
	if n := len(w.stack); n > 0 {
		p.dir, p.name = w.t.base, w.names[n-1]
		if n > 1 {
			p.dir = w.stack[n-2]
		}
	}
	return p, unix.Fstat(p.self, &p.st)
}

// step follows the next component. It returns the place at the end of the path, nil as long as there is more.
func (w *walk) step(last bool) (*place, error) {
	name := w.todo[0]
	w.todo = w.todo[1:]
	switch name {
	case "", ".":
		return nil, nil
	case "..":
		if len(w.stack) == 0 {
			return nil, wrong(wire.FileOutside, "The path leads out of the site's directory.")
		}
		w.stack, w.names = w.stack[:len(w.stack)-1], w.names[:len(w.names)-1]
		return nil, nil
	}
	if len(name) > maxName {
		return nil, wrong(wire.FileWrong, "A name has at most %d bytes.", maxName)
	}
	p := &place{dir: w.top(), name: name, self: -1, path: append(w.names[:len(w.names):len(w.names)], name)}
	fd, err := openPath(p.dir, name)
	if errors.Is(err, unix.ENOENT) && w.ends() {
		return p, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", show(p.path), err)
	}
	w.t.fds = append(w.t.fds, fd)
	p.self = fd
	if err := unix.Fstat(fd, &p.st); err != nil {
		return nil, fmt.Errorf("look at %s: %w", show(p.path), err)
	}
	switch {
	case p.is(unix.S_IFDIR):
		w.stack, w.names = append(w.stack, fd), p.path
		return nil, nil
	case p.is(unix.S_IFLNK) && (last || !w.ends()):
		return nil, w.follow(p)
	case w.ends():
		return p, nil
	}
	return nil, fmt.Errorf("open %s: %w", show(p.path), unix.ENOTDIR)
}

// ends reports whether nothing is left of the path.
func (w *walk) ends() bool {
	for _, name := range w.todo {
		if name != "" && name != "." {
			return false
		}
	}
	return true
}

// follow continues at the target of a link. One with an absolute target must point into the tree, as those that "php artisan storage:link" makes do.
func (w *walk) follow(p *place) error {
	if w.links++; w.links > maxLinks {
		return wrong(wire.FileWrong, "%s is one of too many links that lead to each other.", show(p.path))
	}
	target, err := readLink(p.self)
	if err != nil {
		return fmt.Errorf("read link %s: %w", show(p.path), err)
	}
	if strings.HasPrefix(target, "/") {
		rest, inside := strings.CutPrefix(target, w.t.at)
		if !inside || rest != "" && !strings.HasPrefix(rest, "/") {
			return wrong(wire.FileOutside, "%s is a link that leads out of the site's directory.", show(p.path))
		}
		w.stack, w.names, target = nil, nil, rest
	}
	w.todo = append(strings.Split(target, "/"), w.todo...)
	return nil
}

// openPath opens one name without following it or opening what it is.
func openPath(dir int, name string) (int, error) {
	const flags = unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat2(dir, name, &unix.OpenHow{
		Flags: flags, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	})
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) { // a kernel before 5.6, or a sandbox; the name has no slash
		return unix.Openat(dir, name, flags, 0)
	}
	return fd, err
}

// readLink returns the target of a link that is open.
func readLink(fd int) (string, error) {
	target := make([]byte, maxPath)
	n, err := unix.Readlinkat(fd, "", target)
	return string(target[:max(n, 0)]), err
}

// openFile opens a regular file for reading or writing. It may have become another kind of file since its place was found: that is an error, and a FIFO does
// not block.
func (p *place) openFile(flags int) (*os.File, unix.Stat_t, error) {
	var st unix.Stat_t
	if !p.is(unix.S_IFREG) {
		return nil, st, wrong(wire.FileWrong, "%s is not a file but %s.", show(p.path), spoken(p.st.Mode))
	}
	fd, err := unix.Openat(p.dir, p.name, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, st, fmt.Errorf("open %s: %w", show(p.path), err)
	}
	if err = unix.Fstat(fd, &st); err == nil && !same(st, p.st) {
		err = wrong(wire.FileChanged, "%s was replaced meanwhile.", show(p.path))
	}
	if err != nil {
		unix.Close(fd)
		return nil, st, err
	}
	return os.NewFile(uintptr(fd), "file"), st, nil
}

func same(a, b unix.Stat_t) bool {
	return a.Dev == b.Dev && a.Ino == b.Ino && a.Mode&unix.S_IFMT == b.Mode&unix.S_IFMT
}

// show returns a path for a message.
func show(path []string) string {
	if len(path) == 0 {
		return "The site's directory"
	}
	return fmt.Sprintf("%q", strings.Join(path, "/"))
}

// kindOf returns the problem that an error of the kernel is.
func kindOf(err error) string {
	for _, k := range []struct {
		kind string
		errs []error
	}{
		{wire.FileMissing, []error{unix.ENOENT, unix.ENOTDIR}},
		{wire.FileDenied, []error{unix.EACCES, unix.EPERM}},
		{wire.FileExists, []error{unix.EEXIST, unix.ENOTEMPTY}},
		{wire.FileFull, []error{unix.ENOSPC, unix.EDQUOT, unix.EFBIG}},
		{wire.FileReadOnly, []error{unix.EROFS}},
		{wire.FileChanged, []error{unix.ELOOP, unix.EISDIR, unix.ESTALE}},
		{wire.FileWrong, []error{unix.ENAMETOOLONG, unix.EILSEQ}},
	} {
		for _, e := range k.errs {
			if errors.Is(err, e) {
				return k.kind
			}
		}
	}
	return wire.FileFailed
}

// kindOfMode returns the kind of a file.
func kindOfMode(mode uint32) string {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return wire.FileKindFile
	case unix.S_IFDIR:
		return wire.FileKindDirectory
	case unix.S_IFLNK:
		return wire.FileKindLink
	}
	return wire.FileKindOther
}

// spoken returns the kind of a file in a sentence.
func spoken(mode uint32) string {
	switch mode & unix.S_IFMT {
	case unix.S_IFDIR:
		return "a directory"
	case unix.S_IFLNK:
		return "a link"
	case unix.S_IFIFO:
		return "a named pipe"
	case unix.S_IFSOCK:
		return "a socket"
	}
	return "a device"
}
