package agent

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// nearlyNothing is how much may be free on a file system that is full: programs that need more have failed.
const nearlyNothing = 4 << 20

// noSpace is how programs print ENOSPC and EDQUOT (errno(3)).
var noSpace = [...]string{"No space left on device", "Disk quota exceeded"}

// ofDisk returns the beginning of a reason if no space is left: what failed for want of it says everything but that.
func (a *Agent) ofDisk(err error, said string) string {
	wants := errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT)
	for _, text := range noSpace {
		wants = wants || strings.Contains(said, text) || strings.Contains(err.Error(), text)
	}
	if !wants {
		return ""
	}
	for _, path := range [...]string{"/", "/var", "/home", "/tmp", stateDir} {
		var st unix.Statfs_t
		switch err := unix.Statfs(a.host(path), &st); {
		case err != nil:
		case st.Files > 0 && st.Ffree == 0:
			return fmt.Sprintf("the disk is full: no inodes are free on the file system of %s; ", path)
		case st.Bavail*uint64(st.Bsize) < nearlyNothing: //nolint:gosec // a block size is positive
			return fmt.Sprintf("the disk is full: %d kB are free on the file system of %s; ", st.Bavail*uint64(st.Bsize)/1000, path) //nolint:gosec // likewise
		}
	}
	return "no space is left on the disk, or of the account's quota; "
}
