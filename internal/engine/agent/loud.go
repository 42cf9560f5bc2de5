package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// loudLog is the size from which the log of a process is rotated before its day, in bytes: the maxsize of its rotation, which logrotate itself compares once a
// day. Supervisor rotates at the same size.
const loudLog = 50 << 20

// rotateUnit is the unit that rotates logs: a copy of a large one takes longer than the measuring of a minute.
const rotateUnit = "hostler-rotate.service"

// RotateLoud has the logs of processes rotated that have become large, so that a program that prints without end does not fill the disk within its day. A log
// that would not fit on the disk twice, as its rotation needs it, is emptied, which it says.
func (a *Agent) RotateLoud() error {
	logs, err := filepath.Glob(a.host(wire.ProcessLogDirectory) + "/*/*.log")
	if err != nil {
		return err
	}
	rotate := false
	for _, path := range logs {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
			continue // it was deleted
		}
		if err != nil {
			return err
		}
		if info.Size() < loudLog {
			continue
		}
		var disk unix.Statfs_t
		if err := unix.Statfs(path, &disk); err != nil {
			return fmt.Errorf("measure the disk of %s: %w", path, err)
		}
		if uint64(info.Size()) > disk.Bavail*uint64(disk.Bsize)/2 {
			if err := empty(path, info.Size()); err != nil {
				return err
			}
			continue
		}
		rotate = true
	}
	if !rotate || !a.systemd {
		return nil
	}
	if _, err := a.systemctl("systemctl", "is-active", "--quiet", rotateUnit); err == nil {
		return nil // the one of the minute before is not done
	}
	if _, err := a.systemctl("systemd-run", "--quiet", "--collect", "--no-ask-password", "--unit="+rotateUnit,
		"--description=Hostler: rotate large logs of processes",
		"--property=IOSchedulingClass=idle", "--", "logrotate", "/etc/logrotate.d/hostler-processes"); err != nil {
		return fmt.Errorf("rotate logs: %w", err)
	}
	return nil
}

// empty empties the log of a process, which continues to append to it.
func empty(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|unix.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "Hostler emptied this log: it had %d MB, and the disk was nearly full.\n", size>>20)
	return err
}
