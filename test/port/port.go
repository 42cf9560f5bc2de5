// Package port gives tests ports that no other test gets. A port that the system chose can be given to any program once it is closed, so that a program
// which starts on it a second time finds it taken now and then.
package port

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
)

// Ports from first to last are below those that systems choose from (ip_local_port_range), and above those that practice servers may not reach.
const first, last = 12_000, 19_999

var (
	mu    sync.Mutex
	next  = first + os.Getpid()%(last-first+1)
	locks []*os.File // held until the process ends
)

// Take returns a port on which nothing listens, and which no other test process is given until this one ends.
func Take() (int, error) {
	dir := filepath.Join(os.TempDir(), "hostler-test-ports")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, fmt.Errorf("reserve a port: %w", err)
	}
	mu.Lock()
	defer mu.Unlock()
	for range last - first + 1 {
		port := next
		if next++; next > last {
			next = first
		}
		lock, err := os.OpenFile(filepath.Join(dir, strconv.Itoa(port)), os.O_CREATE|os.O_RDWR, 0o666)
		if err != nil {
			return 0, fmt.Errorf("reserve a port: %w", err)
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil && free(port) {
			locks = append(locks, lock)
			return port, nil
		}
		_ = lock.Close()
	}
	return 0, errors.New("reserve a port: none is free")
}

func free(port int) bool {
	l, err := net.Listen("tcp", ":"+strconv.Itoa(port))
	if err != nil {
		return false
	}
	return l.Close() == nil
}

// For is Take for a test.
func For(t testing.TB) int {
	t.Helper()
	port, err := Take()
	if err != nil {
		t.Fatal(err)
	}
	return port
}
