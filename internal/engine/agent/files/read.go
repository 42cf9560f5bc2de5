package files

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// named is a name in a directory, and its kind as the directory has it: DT_UNKNOWN on some file systems.
type named struct {
	name string
	kind byte
}

// key orders names: directories first. It is what a page continues after.
func (n named) key() string {
	if n.kind == unix.DT_DIR {
		return "d" + n.name
	}
	return "f" + n.name
}

// openDir opens a directory to read its names.
func openDir(fd int) (int, error) {
	return unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
}

// namesIn returns the names in a directory, at most as many as are allowed: more is an error. fd is O_PATH.
func namesIn(fd int, most int) ([]named, error) {
	dir, err := openDir(fd)
	if err != nil {
		return nil, fmt.Errorf("open directory: %w", err)
	}
	defer unix.Close(dir)
	var out []named
	block := make([]byte, 64<<10)
	for {
		n, err := unix.Getdents(dir, block)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list directory: %w", err)
		}
		if n == 0 {
			return out, nil
		}
		for rest := block[:n]; len(rest) > 0; { // linux_dirent64 of getdents64(2)
			const reclen, kind, name = 16, 18, 19
			size := int(binary.NativeEndian.Uint16(rest[reclen:]))
			text, _, _ := strings.Cut(string(rest[name:size]), "\x00")
			if text != "." && text != ".." {
				out = append(out, named{text, rest[kind]})
			}
			rest = rest[size:]
		}
		if len(out) > most {
			return nil, wrong(wire.FileFailed, "The directory has more than %d entries.", most)
		}
	}
}

func (t *tree) list(q wire.FileQuery) (wire.FileReply, error) {
	var out wire.FileReply
	p, err := t.existing(q.Path, true)
	if err != nil {
		return out, err
	}
	if !p.is(unix.S_IFDIR) {
		return out, wrong(wire.FileWrong, "%s is not a directory.", show(p.path))
	}
	all, err := namesIn(p.self, wire.MaxEntries)
	if err != nil {
		return out, err
	}
	for i, n := range all {
		if n.kind == unix.DT_UNKNOWN {
			var st unix.Stat_t
			if unix.Fstatat(p.self, n.name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR {
				all[i].kind = unix.DT_DIR
			}
		}
	}
	slices.SortFunc(all, func(a, b named) int { return strings.Compare(a.key(), b.key()) })
	out.Path = joined(p.path)
	if out.File, err = t.entry(p, p.st); err != nil {
		return out, err
	}
	out.Count = int64(len(all))
	from, _ := slices.BinarySearchFunc(all, string(q.After)+"\x00", func(n named, key string) int { return strings.Compare(n.key(), key) })
	if len(q.After) == 0 {
		from = 0
	}
	limit := min(max(q.Limit, 1), wire.MaxFilePage)
	for _, n := range all[from:] {
		if len(out.Entries) == limit {
			break
		}
		out.Next = []byte(n.key())
		e, err := t.entryOf(p, n.name)
		if errors.Is(err, unix.ENOENT) { // removed meanwhile
			continue
		}
		if err != nil {
			return out, err
		}
		out.Entries = append(out.Entries, *e)
	}
	if len(all) == 0 || string(out.Next) == all[len(all)-1].key() {
		out.Next = nil
	}
	return out, nil
}

// existing resolves a path to something that is there.
func (t *tree) existing(path []byte, last bool) (*place, error) {
	p, err := t.resolve(path, last)
	if err == nil && p.self < 0 {
		err = wrong(wire.FileMissing, "%s is not there.", show(p.path))
	}
	return p, err
}

func joined(path []string) []byte { return []byte(strings.Join(path, "/")) }

// entryOf describes a name in a directory.
func (t *tree) entryOf(dir *place, name string) (*wire.FileEntry, error) {
	fd, err := openPath(dir.self, name)
	if err != nil {
		return nil, fmt.Errorf("look at %q: %w", name, err)
	}
	defer unix.Close(fd)
	p := &place{dir: dir.self, name: name, self: fd, path: append(slices.Clone(dir.path), name)}
	if err := unix.Fstat(fd, &p.st); err != nil {
		return nil, fmt.Errorf("look at %q: %w", name, err)
	}
	return t.entry(p, p.st)
}

// entry describes a file. Where a link leads is found as a path is, and no further than a link leads: "outside" says nothing about what is there.
func (t *tree) entry(p *place, st unix.Stat_t) (*wire.FileEntry, error) {
	e := &wire.FileEntry{
		Name: []byte(p.name), Kind: kindOfMode(st.Mode), Size: st.Size, Mode: st.Mode & 0o7777, Owner: t.owner(st.Uid), Group: t.group(st.Gid),
		Modified: st.Mtim.Sec*1_000_000 + st.Mtim.Nsec/1000,
	}
	if e.Kind != wire.FileKindLink {
		return e, nil
	}
	target, err := readLink(p.self)
	if err != nil {
		return nil, fmt.Errorf("read link %s: %w", show(p.path), err)
	}
	e.Target = []byte(target)
	opened := len(t.fds)
	to, err := t.resolve(joined(p.path), true)
	for _, fd := range t.fds[opened:] {
		unix.Close(fd)
	}
	t.fds = t.fds[:opened]
	var not *problem
	switch {
	case errors.As(err, &not) && not.kind == wire.FileOutside:
		e.Leads = wire.FileLeadsOut
	case err != nil || to.self < 0:
		e.Leads = wire.FileLeadsNowhere
	default:
		e.Leads = kindOfMode(to.st.Mode)
	}
	return e, nil
}

// owner returns the name of an account, or its number.
func (t *tree) owner(uid uint32) string {
	return t.called("u", uid, func(id int) (string, bool) {
		acc, found, err := t.users.ByID(id)
		return acc.Name, found && err == nil
	})
}

func (t *tree) group(gid uint32) string {
	return t.called("g", gid, func(id int) (string, bool) {
		name, found, err := t.users.GroupByID(id)
		return name, found && err == nil
	})
}

func (t *tree) called(what string, id uint32, find func(int) (string, bool)) string {
	number := strconv.FormatUint(uint64(id), 10)
	if name, known := t.names[what+number]; known {
		return name
	}
	name, found := find(int(id))
	if !found {
		name = number
	}
	t.names[what+number] = name
	return name
}

// fileID tells a file from others.
func fileID(st unix.Stat_t) string { return fmt.Sprintf("%d-%d", st.Dev, st.Ino) }

// revisionOf identifies the content of a file.
func revisionOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// isText reports whether content can be shown and edited as text.
func isText(content []byte) bool { return utf8.Valid(content) && !slices.Contains(content, 0) }

func (t *tree) stat(q wire.FileQuery) (wire.FileReply, error) {
	var out wire.FileReply
	p, err := t.existing(q.Path, true)
	if err != nil {
		return out, err
	}
	out.Path = joined(p.path)
	if !p.is(unix.S_IFREG) {
		out.File, err = t.entry(p, p.st)
		return out, err
	}
	f, st, err := p.openFile(unix.O_RDONLY)
	if err != nil {
		return out, err
	}
	defer f.Close()
	if out.File, err = t.entry(p, st); err != nil {
		return out, err
	}
	out.Same = fileID(st)
	if st.Size > wire.MaxText {
		return out, nil
	}
	content, err := io.ReadAll(io.LimitReader(f, wire.MaxText+1)) // it may have grown
	if err != nil {
		return out, fmt.Errorf("read %s: %w", show(p.path), err)
	}
	if len(content) > wire.MaxText {
		return out, nil
	}
	out.Revision = revisionOf(content)
	if out.Text = isText(content); out.Text {
		out.Content = content
	}
	return out, nil
}

// read returns a piece of a file: shorter than asked for only at the end of the file.
func (t *tree) read(q wire.FileQuery) (wire.FileReply, error) {
	var out wire.FileReply
	p, err := t.existing(q.Path, true)
	if err != nil {
		return out, err
	}
	f, st, err := p.openFile(unix.O_RDONLY)
	if err != nil {
		return out, err
	}
	defer f.Close()
	out.Same = fileID(st)
	if q.Same != "" && q.Same != out.Same {
		return out, wrong(wire.FileChanged, "%s was replaced meanwhile.", show(p.path))
	}
	block := make([]byte, min(max(q.Size, 0), wire.MaxPiece))
	n, err := f.ReadAt(block, max(q.Offset, 0))
	if err != nil && !errors.Is(err, io.EOF) {
		return out, fmt.Errorf("read %s: %w", show(p.path), err)
	}
	out.Content = block[:n]
	return out, nil
}
