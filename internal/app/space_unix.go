//go:build unix

package app

import "golang.org/x/sys/unix"

// space returns the space that is free for unprivileged processes on the disk of a directory, and the size of the disk.
func space(dir string) (free, size int64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, 0, err
	}
	return int64(st.Bavail) * int64(st.Bsize), int64(st.Blocks) * int64(st.Bsize), nil
}
