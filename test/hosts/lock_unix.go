//go:build unix

package hosts

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/hostlerhq/hostler/internal/practice"
)

// A lock is a bed that belongs to this process: an flock on a file, which the kernel releases when the process dies, however it
// dies. The reaper waits for that lock in a separate process, and takes the bed down.
type lock struct {
	bed    int
	file   *os.File
	reaper *exec.Cmd
}

// acquire takes a free bed of those for tests. The first call of a process also clears away what runs
// left behind whose reaper died too.
func acquire(except map[int]bool) (*lock, error) {
	sweep()
	for bed := practice.FirstTestBed; bed <= practice.MaxBed; bed++ {
		if except[bed] || inUseElsewhere(bed) {
			continue
		}
		l, err := tryLock(bed)
		if err != nil {
			return nil, err
		}
		if l == nil {
			continue
		}
		if err := l.clear(); err != nil {
			l.file.Close()
			return nil, err
		}
		if err := l.watch(); err != nil {
			l.file.Close()
			return nil, err
		}
		return l, nil
	}
	return nil, fmt.Errorf("beds %d to %d are all in use", practice.FirstTestBed, practice.MaxBed)
}

// tryLock returns nil without an error when another process has the bed.
func tryLock(bed int) (*lock, error) {
	path := lockPath(bed)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
	case errors.Is(err, syscall.EWOULDBLOCK):
		f.Close()
		return nil, nil
	case err != nil:
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	// For people who wonder whose bed it is.
	if err := f.Truncate(0); err == nil {
		_, _ = fmt.Fprintf(f, "%d %s\n", os.Getpid(), os.Args[0])
	}
	return &lock{bed: bed, file: f}, nil
}

// lockPath returns the same for every practice home: a bed's number determines an interface and addresses of the machine.
func lockPath(bed int) string {
	return filepath.Join("/run/hostler-practice", fmt.Sprintf("test-bed%d.lock", bed))
}

// inUseElsewhere reports whether the bed's bridge belongs to another practice home.
func inUseElsewhere(bed int) bool {
	alias, err := os.ReadFile(fmt.Sprintf("/sys/class/net/hp%d/ifalias", bed))
	return err == nil && strings.TrimSpace(string(alias)) != practice.Home()
}

func bedExists(bed int) bool {
	_, err := os.Stat(filepath.Join(practice.Home(), "beds", strconv.Itoa(bed)))
	return err == nil
}

// clear takes down what a dead owner left in the bed.
func (l *lock) clear() error {
	if !bedExists(l.bed) {
		return nil
	}
	return l.down()
}

func (l *lock) down() error {
	ctx, cancel := opContext()
	defer cancel()
	cmd, err := practice.Command(ctx, l.bed, "down")
	if err != nil {
		return err
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// watch starts the reaper. It has no pipe of ours (go test would wait for it) and a separate session (Ctrl-C would kill it).
func (l *lock) watch() error {
	ctx, cancel := opContext()
	defer cancel()
	down, err := practice.Command(ctx, l.bed, "down")
	if err != nil {
		return err
	}
	l.reaper = exec.Command("flock", append([]string{l.file.Name()}, down.Args...)...)
	l.reaper.Env = down.Env
	l.reaper.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := l.reaper.Start(); err != nil {
		return fmt.Errorf("start the reaper of bed %d: %w", l.bed, err)
	}
	return nil
}

// abandon gives the bed up as it is: the next run's sweep takes it down.
func (l *lock) abandon() { l.release() }

func (l *lock) release() {
	if l.reaper != nil {
		_ = l.reaper.Process.Kill()
		_ = l.reaper.Wait() // killed
	}
	_ = l.file.Close()
}

// sweep takes down beds whose owner is dead, once a process. Who takes such a bed next tries again
// and hears why it failed.
var sweep = sync.OnceFunc(func() { _ = sweepBeds() })

func sweepBeds() error {
	var errs []error
	for bed := practice.FirstTestBed; bed <= practice.MaxBed; bed++ {
		if !bedExists(bed) || inUseElsewhere(bed) {
			continue
		}
		l, err := tryLock(bed)
		if l != nil {
			err = l.clear()
			l.release()
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
