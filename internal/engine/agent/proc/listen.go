package proc

import (
	"os"
	"slices"
	"strconv"
	"strings"
)

// tcpListen is the state of a socket that listens (include/net/tcp_states.h), as /proc/net/tcp prints it (proc_pid_net(5)).
const tcpListen = "0A"

// Listening returns the TCP sockets on which a process listens, by inode: one that is opened again is another. Those that systemd holds for it, which stay
// open when it begins again, are not among them.
func Listening(pid int) []string {
	if pid <= 0 {
		return nil
	}
	own, held := sockets(pid), sockets(1)
	var out []string
	for _, table := range []string{"tcp", "tcp6"} {
		raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/net/" + table)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(raw)) {
			if f := strings.Fields(line); len(f) > 9 && f[3] == tcpListen && slices.Contains(own, f[9]) && !slices.Contains(held, f[9]) {
				out = append(out, f[9])
			}
		}
	}
	return out
}

// sockets returns the inodes of a process's sockets.
func sockets(pid int) []string {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd/"
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, f := range files {
		if to, err := os.Readlink(dir + f.Name()); err == nil && strings.HasPrefix(to, "socket:[") {
			out = append(out, strings.TrimSuffix(strings.TrimPrefix(to, "socket:["), "]"))
		}
	}
	return out
}
