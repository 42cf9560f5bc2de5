package agent

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// reserveSize is the space that is reserved so that a run can end on a full disk.
const reserveSize = 256 << 10

// reserve reserves space, if there is any.
func (a *Agent) reserve() {
	path := filepath.Join(a.state, "reserve")
	if st, err := os.Stat(path); err == nil && st.Size() == reserveSize {
		return
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	if unix.Fallocate(int(f.Fd()), 0, 0, reserveSize) != nil {
		_ = os.Remove(path)
	}
}

// spend frees the reserved space after an error that may be due to a full disk.
func (a *Agent) spend() { _ = os.Remove(filepath.Join(a.state, "reserve")) }
