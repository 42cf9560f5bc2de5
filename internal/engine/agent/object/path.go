package object

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// maxLinks is the maximum number of root's links in a path (like the kernel's MAXSYMLINKS).
const maxLinks = 40

// ErrKind is returned if the object at a path is not a file that we may replace.
var ErrKind = errors.New("is neither a file nor a link")

// CheckPath refuses a path that is not absolute and clean, and what no file of a host is named.
func CheckPath(p string) error {
	switch {
	case !strings.HasPrefix(p, "/") || path.Clean(p) != p || p == "/":
		return fmt.Errorf("path %q is not absolute and clean", p)
	case len(p) > 4000:
		return errors.New("path is too long")
	case strings.ContainsFunc(p, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("path %q has a control character", p)
	}
	return nil
}

// Root is the directory that contains all paths.
type Root struct {
	FD int
	// UID is the owner whose links are followed: root, or in a temporary root the account that runs the test.
	UID int
}

// OpenDir opens a directory on the host for the *at calls. A link is followed only if root made it in a directory of root's; an
// account could redirect any other.
func (r Root) OpenDir(p string) (int, error) {
	rel := strings.TrimPrefix(p, "/")
	if rel == "" {
		rel = "."
	}
	fd, err := unix.Openat2(r.FD, rel, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_BENEATH,
	})
	switch {
	case err == nil:
		return fd, nil
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM), errors.Is(err, unix.EINVAL),
		errors.Is(err, unix.EAGAIN), errors.Is(err, unix.E2BIG):
		return r.Walk(p)
	}
	return -1, fmt.Errorf("open directory %s: %w", p, err)
}

// Walk is OpenDir one component at a time, for kernels before 5.6 and for paths with links of root's.
func (r Root) Walk(p string) (int, error) {
	todo := strings.Split(strings.Trim(p, "/"), "/")
	var stack []int // open directories from the root down; ".." goes back
	defer func() {
		for _, fd := range stack {
			unix.Close(fd)
		}
	}()
	top := func() int {
		if len(stack) == 0 {
			return r.FD
		}
		return stack[len(stack)-1]
	}
	for links := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			if len(stack) > 0 {
				unix.Close(top())
				stack = stack[:len(stack)-1]
			}
			continue
		}
		fd, err := unix.Openat(top(), name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			return -1, fmt.Errorf("open directory %s: %w", p, err)
		}
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			unix.Close(fd)
			return -1, fmt.Errorf("open directory %s: %w", p, err)
		}
		switch st.Mode & unix.S_IFMT {
		case unix.S_IFDIR:
			stack = append(stack, fd)
			continue
		case unix.S_IFLNK:
		default:
			unix.Close(fd)
			return -1, fmt.Errorf("open directory %s: %w", p, unix.ENOTDIR)
		}
		var dir unix.Stat_t
		target := make([]byte, 4096)
		n, err := unix.Readlinkat(fd, "", target)
		unix.Close(fd)
		if err == nil {
			err = unix.Fstatat(top(), "", &dir, unix.AT_EMPTY_PATH)
		}
		if err != nil {
			return -1, fmt.Errorf("open directory %s: %w", p, err)
		}
		if int(st.Uid) != r.UID || int(dir.Uid) != r.UID || dir.Mode&0o022 != 0 {
			return -1, fmt.Errorf("open directory %s: %q is a link that accounts other than root can change", p, name)
		}
		if links++; links > maxLinks {
			return -1, fmt.Errorf("open directory %s: %w", p, unix.ELOOP)
		}
		to := string(target[:n])
		if strings.HasPrefix(to, "/") {
			for _, fd := range stack {
				unix.Close(fd)
			}
			stack = stack[:0]
		}
		todo = append(strings.Split(to, "/"), todo...)
	}
	fd, err := unix.FcntlInt(uintptr(top()), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("open directory %s: %w", p, err)
	}
	return fd, nil
}

// OpenParent opens the parent directory of a path, and returns the name in it.
func (r Root) OpenParent(p string) (int, string, error) {
	if err := CheckPath(p); err != nil {
		return -1, "", err
	}
	fd, err := r.OpenDir(path.Dir(p))
	return fd, path.Base(p), err
}

// syncDir makes renames, creations and removals in a directory durable. fd may be O_PATH.
func syncDir(fd int) error {
	d, err := unix.Openat(fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	defer unix.Close(d)
	if err := unix.Fsync(d); err != nil {
		return fmt.Errorf("sync directory: %w", err)
	}
	return nil
}

// TempName returns the name of a temporary file; the journal has it, so that recovery can remove it after a crash.
func TempName() string { return ".hostler-" + rand.Text() }

// restoreName returns the temporary name of a file that is being restored. It is always the same, and the remains of a killed
// restore are removed first, since nothing else would.
func restoreName(dir int, name string) string {
	sum := sha256.Sum256([]byte("restore\x00" + name))
	temp := ".hostler-" + hex.EncodeToString(sum[:8])
	_ = unix.Unlinkat(dir, temp, 0) // usually there is none
	return temp
}

// Replace replaces a name with a new file by rename. The existing file is never written to, nor are its mode and owner changed:
// it may have other names.
func Replace(dir int, name, tmp string, content io.Reader, mode uint32, uid, gid int) error {
	fd, err := unix.Openat(dir, tmp, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return fmt.Errorf("make file: %w", err)
	}
	f := os.NewFile(uintptr(fd), name)
	_, err = io.Copy(f, content)
	if err == nil {
		err = unix.Fchown(fd, uid, gid)
	}
	if err == nil {
		err = unix.Fchmod(fd, mode) // after the owner: chown clears the set-id bits
	}
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = unix.Renameat(dir, tmp, dir, name)
	}
	if err == nil {
		err = syncDir(dir)
	}
	if err != nil {
		_ = unix.Unlinkat(dir, tmp, 0)
		return fmt.Errorf("replace file: %w", err)
	}
	return nil
}

// Symlink replaces a name with a symbolic link by rename.
func Symlink(dir int, name, tmp, target string, uid, gid int) error {
	if err := unix.Symlinkat(target, dir, tmp); err != nil {
		return fmt.Errorf("make link: %w", err)
	}
	if err := unix.Fchownat(dir, tmp, uid, gid, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		_ = unix.Unlinkat(dir, tmp, 0)
		return fmt.Errorf("give link to its owner: %w", err)
	}
	if err := unix.Renameat(dir, tmp, dir, name); err != nil {
		_ = unix.Unlinkat(dir, tmp, 0)
		return fmt.Errorf("switch link: %w", err)
	}
	return syncDir(dir)
}

// Remove removes a name that may be missing.
func Remove(dir int, name string, flags int) error {
	err := unix.Unlinkat(dir, name, flags)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove: %w", err)
	}
	return syncDir(dir)
}
