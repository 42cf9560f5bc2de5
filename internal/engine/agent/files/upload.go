package files

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"regexp"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

const (
	uploadPrefix = ".hostler-upload-"
	// uploadLeft is the age of an unfinished upload that the next one in its directory removes: the panel that sent it has ended.
	uploadLeft = 24 * time.Hour
)

var uploadName = regexp.MustCompile(`^\.hostler-upload-[A-Z2-7]{26}$`)

// begin begins an upload: a file beside the one that it will be. Its space is reserved, so that a full disk is noticed before anything is sent.
func (t *tree) begin(q wire.FileQuery) (wire.FileReply, error) {
	var out wire.FileReply
	p, err := t.uploadable(q)
	if err != nil {
		return out, err
	}
	removeLeft(p.dir)
	out.Upload, out.Path = uploadPrefix+rand.Text(), joined(p.path)
	fd, err := unix.Openat(p.dir, out.Upload, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return out, fmt.Errorf("upload %s: %w", show(p.path), err)
	}
	defer unix.Close(fd)
	if q.Size <= 0 {
		return out, nil
	}
	err = unix.Fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, 0, q.Size)
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG) {
		return out, fmt.Errorf("upload %s: %w", show(p.path), errors.Join(err, unix.Unlinkat(p.dir, out.Upload, 0)))
	}
	return out, nil // other errors: the file system can't reserve
}

// uploadable resolves where an upload goes.
func (t *tree) uploadable(q wire.FileQuery) (*place, error) {
	p, err := t.resolve(q.Path, true)
	switch {
	case err != nil:
		return nil, err
	case p.self < 0:
		return p, nil
	case !p.is(unix.S_IFREG):
		return nil, wrong(wire.FileWrong, "%s is not a file but %s.", show(p.path), spoken(p.st.Mode))
	case !q.Replace:
		return nil, wrong(wire.FileExists, "%s is there already.", show(p.path))
	case p.st.Nlink != 1:
		return nil, wrong(wire.FileWrong, "%s has other names (hard links), which an upload would separate it from. Remove it first.", show(p.path))
	case int(p.st.Uid) != unix.Geteuid():
		return nil, wrong(wire.FileWrong, "%s belongs to %s, which an upload would change. Remove it first.", show(p.path), t.owner(p.st.Uid))
	}
	return p, nil
}

// removeLeft removes the unfinished uploads of a directory that have been there for long.
func removeLeft(dir int) {
	names, err := namesIn(dir, wire.MaxEntries)
	if err != nil {
		return
	}
	for _, n := range names {
		var st unix.Stat_t
		if uploadName.MatchString(n.name) && unix.Fstatat(dir, n.name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG &&
			int(st.Uid) == unix.Geteuid() && time.Since(time.Unix(st.Mtim.Unix())) > uploadLeft {
			_ = unix.Unlinkat(dir, n.name, 0)
		}
	}
}

// upload finds an unfinished upload, and where it goes.
func (t *tree) upload(q wire.FileQuery, fn func(p *place, f *os.File, st unix.Stat_t) error) error {
	if !uploadName.MatchString(q.Upload) {
		return fmt.Errorf("%q is no upload", q.Upload)
	}
	p, err := t.resolve(q.Path, true)
	if err != nil {
		return err
	}
	if p.dir < 0 {
		return wrong(wire.FileChanged, "The directory of the upload was replaced meanwhile.")
	}
	fd, err := unix.Openat(p.dir, q.Upload, unix.O_WRONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return wrong(wire.FileChanged, "The upload was removed meanwhile, or its directory was replaced.")
	}
	if err != nil {
		return fmt.Errorf("open upload: %w", err)
	}
	f := os.NewFile(uintptr(fd), "upload")
	defer f.Close()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("open upload: %w", err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Nlink != 1 || int(st.Uid) != unix.Geteuid() {
		return wrong(wire.FileChanged, "The upload was replaced meanwhile.")
	}
	return fn(p, f, st)
}

// append writes a piece of an upload. The same piece may come twice.
func (t *tree) append(q wire.FileQuery) error {
	return t.upload(q, func(_ *place, f *os.File, st unix.Stat_t) error {
		if st.Size < q.Offset || len(q.Data) > wire.MaxPiece {
			return wrong(wire.FileChanged, "A piece of the upload is missing.")
		}
		if _, err := f.WriteAt(q.Data, q.Offset); err != nil {
			return fmt.Errorf("upload: %w", err)
		}
		return nil
	})
}

// commit gives an upload its name, with the mode and the group of the file that it replaces.
func (t *tree) commit(q wire.FileQuery) (wire.FileReply, error) {
	var out wire.FileReply
	err := t.upload(q, func(_ *place, f *os.File, st unix.Stat_t) error {
		p, err := t.uploadable(q)
		if err != nil {
			return err
		}
		if st.Size != q.Size {
			return wrong(wire.FileChanged, "The upload has %d bytes instead of %d.", st.Size, q.Size)
		}
		mode := uint32(newMode)
		if p.self >= 0 {
			mode = p.st.Mode & 0o7777
			if p.st.Gid != st.Gid {
				_ = unix.Fchown(int(f.Fd()), -1, int(p.st.Gid)) // it stays in the account's group where that is refused
			}
		}
		if err := unix.Fchmod(int(f.Fd()), mode); err != nil {
			return fmt.Errorf("upload: %w", err)
		}
		if err := f.Truncate(q.Size); err != nil { // what was reserved beyond it
			return fmt.Errorf("upload: %w", err)
		}
		if err := f.Sync(); err != nil {
			return fmt.Errorf("upload: %w", err)
		}
		if p.self < 0 {
			err = renameNew(p.dir, q.Upload, p.dir, p.name, false)
		} else {
			err = unix.Renameat(p.dir, q.Upload, p.dir, p.name)
		}
		if err != nil {
			return fmt.Errorf("upload %s: %w", show(p.path), err)
		}
		p.sync()
		return t.done(p, &out)
	})
	return out, err
}

func (t *tree) abort(q wire.FileQuery) error {
	return t.upload(q, func(p *place, _ *os.File, _ unix.Stat_t) error {
		if err := unix.Unlinkat(p.dir, q.Upload, 0); err != nil {
			return fmt.Errorf("remove upload: %w", err)
		}
		return nil
	})
}
