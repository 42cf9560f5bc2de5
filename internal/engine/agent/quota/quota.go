// Package quota has the kernel limit the size of a directory, where its file system has quotas of projects (ext4, XFS), and measures
// directories.
//
// A project is a number that files carry. A directory passes it on to what is made in it, and the kernel counts, and limits, the blocks
// of all files with one (quotactl(2); ioctl_xfs_fsgetxattr(2), which ext4 has, too). Files keep it where the account that owns them does
// not take it away: a limit is for mistakes, not against the account.
package quota

import (
	"errors"
	"fmt"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// of projects: QCMD(cmd, PRJQUOTA) of quotactl(2)
	ofProjects = 2
	getState   = 0x5805<<8 | ofProjects // Q_XGETQSTAT
	getQuota   = 0x800007<<8 | ofProjects
	setQuota   = 0x800008<<8 | ofProjects
	// enforced is the flag of a state for projects (FS_QUOTA_PDQ_ENFD of linux/dqblk_xfs.h).
	enforced = 1 << 5
	// onlyBlocks says which fields of a limits are set (QIF_BLIMITS of linux/quota.h).
	onlyBlocks = 1
	blockSize  = 1024 // of limits, whatever the file system's is

	getAttributes = 0x801c581f // FS_IOC_FSGETXATTR
	setAttributes = 0x401c5820 // FS_IOC_FSSETXATTR
	passedOn      = 0x200      // FS_XFLAG_PROJINHERIT
)

// state is struct fs_quota_stat of linux/dqblk_xfs.h.
type state struct {
	Version int8
	Flags   uint16
	_       [76]byte
}

// limits is struct if_dqblk of linux/quota.h.
type limits struct {
	Hard, Soft, Used           uint64
	FilesHard, FilesSoft, Many uint64
	BlockTime, FileTime        uint64
	Valid                      uint32
}

// attributes is struct fsxattr of linux/fs.h.
type attributes struct {
	Flags, ExtentSize, Extents, Project, CowExtentSize uint32
	_                                                  [8]byte
}

func quotactl(dir, command int, id uint32, into unsafe.Pointer) error {
	if _, _, errno := unix.Syscall6(unix.SYS_QUOTACTL_FD, uintptr(dir), uintptr(command), uintptr(id), uintptr(into), 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// Enforced reports whether the file system of a directory limits projects.
func Enforced(dir int) bool {
	s := state{Version: 1}
	return quotactl(dir, getState, 0, unsafe.Pointer(&s)) == nil && s.Flags&enforced != 0
}

// Limit has the kernel give a project no more than so many bytes, 0 for as many as there are.
func Limit(dir int, project uint32, bytes uint64) error {
	l := limits{Hard: (bytes + blockSize - 1) / blockSize, Valid: onlyBlocks}
	if err := quotactl(dir, setQuota, project, unsafe.Pointer(&l)); err != nil {
		return fmt.Errorf("set the quota: %w", err)
	}
	return nil
}

// Used returns how many bytes the files of a project have.
func Used(dir int, project uint32) (uint64, error) {
	var l limits
	if err := quotactl(dir, getQuota, project, unsafe.Pointer(&l)); err != nil {
		return 0, fmt.Errorf("read the quota: %w", err)
	}
	return l.Used, nil
}

// ErrLate is returned for a directory with more files than could be looked at in time.
var ErrLate = errors.New("there are too many files to look at in time")

// Size returns how many bytes the files below a directory have on its file system. It follows no links, and counts a file with several
// names once.
func Size(dir int, until time.Time) (uint64, error) {
	w := walk{until: until}
	err := w.below(dir, nil)
	return w.bytes, err
}

// Mark gives a directory, all files below it and what will be made there to a project: the files of its owner, since another account may
// have made names for files of its own there.
func Mark(dir int, project uint32, until time.Time) error {
	var st unix.Stat_t
	if err := unix.Fstat(dir, &st); err != nil {
		return err
	}
	w := walk{until: until, project: project, owner: st.Uid}
	if err := w.below(dir, w.mark); err != nil {
		return err
	}
	return w.mark(dir)
}

type walk struct {
	until          time.Time
	project, owner uint32
	bytes          uint64
	device         uint64
	seen           map[uint64]bool // with several names, by inode
	looked         int
}

// below looks at what is below an open directory. each is called for the files and directories of the account, opened, those below a
// directory first.
func (w *walk) below(dir int, each func(fd int) error) error {
	if w.seen == nil {
		w.seen = map[uint64]bool{}
		var st unix.Stat_t
		if err := unix.Fstat(dir, &st); err != nil {
			return err
		}
		w.device = st.Dev
	}
	own, err := unix.Openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	list := os.NewFile(uintptr(own), "directory")
	defer list.Close()
	for {
		names, err := list.Readdirnames(1000)
		for _, name := range names {
			if err := w.entry(own, name, each); err != nil {
				return err
			}
		}
		if err != nil || len(names) == 0 {
			return nil // at its end, or gone
		}
	}
}

func (w *walk) entry(dir int, name string, each func(fd int) error) error {
	if w.looked++; w.looked%1000 == 0 && time.Now().After(w.until) {
		return ErrLate
	}
	var st unix.Stat_t
	if err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil || st.Dev != w.device {
		return nil // gone since, or of another file system
	}
	kind := st.Mode & unix.S_IFMT
	if st.Nlink > 1 && kind != unix.S_IFDIR {
		if w.seen[st.Ino] {
			return nil
		}
		w.seen[st.Ino] = true
	}
	w.bytes += uint64(st.Blocks) * 512 //nolint:gosec // of a file that exists
	if kind != unix.S_IFDIR && (each == nil || kind != unix.S_IFREG) {
		return nil
	}
	flags := unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC
	if kind == unix.S_IFDIR {
		flags |= unix.O_DIRECTORY
	}
	fd, err := unix.Openat(dir, name, flags, 0)
	if err != nil {
		return nil // gone since, or something else now
	}
	defer unix.Close(fd)
	if kind == unix.S_IFDIR {
		if err := w.below(fd, each); err != nil {
			return err
		}
	}
	if each == nil {
		return nil
	}
	if err := unix.Fstat(fd, &st); err != nil || st.Dev != w.device || st.Uid != w.owner {
		return nil
	}
	return each(fd)
}

func (w *walk) mark(fd int) error {
	var a attributes
	if err := ioctl(fd, getAttributes, &a); err != nil {
		return err
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	next := a
	next.Project = w.project
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		next.Flags |= passedOn
	}
	if next == a {
		return nil
	}
	if err := ioctl(fd, setAttributes, &next); err != nil {
		return fmt.Errorf("give a file to a project: %w", err)
	}
	return nil
}

func ioctl(fd int, request uintptr, a *attributes) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(unsafe.Pointer(a))); errno != 0 {
		return errno
	}
	return nil
}
