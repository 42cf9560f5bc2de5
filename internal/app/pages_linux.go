package app

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// releasePages has the kernel forget which pages of the program's file are mapped. Starting touches most of the program, and serving a part of it: what is
// needed is mapped again when it is used, from the kernel's cache of the file. Mappings that were written to, such as relocations, stay.
func releasePages() {
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer f.Close()
	type mapping struct{ from, to uintptr }
	var found []mapping
	var m mapping
	ours := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		switch {
		case len(fields) >= 5 && strings.Contains(fields[0], "-"): // address, permissions, offset, device, inode, path (proc_pid_maps(5))
			from, to, _ := strings.Cut(fields[0], "-")
			a, errA := strconv.ParseUint(from, 16, 64)
			b, errB := strconv.ParseUint(to, 16, 64)
			m = mapping{uintptr(a), uintptr(b)}
			ours = errA == nil && errB == nil && len(fields) > 5 && fields[5] == self && !strings.Contains(fields[1], "w")
		case ours && len(fields) == 3 && fields[0] == "Anonymous:" && fields[1] == "0":
			found = append(found, m)
		}
	}
	for _, m := range found {
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, m.from, m.to-m.from, unix.MADV_DONTNEED) // the pages stay where it fails
	}
}
