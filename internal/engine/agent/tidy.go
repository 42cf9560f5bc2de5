package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// What of ended runs stays on the host, so that nothing on it grows for ever.
const (
	// keepRuns is how long an ended run can be asked for: far longer than a panel is away whose work has not run out of time.
	keepRuns = 7 * 24 * time.Hour
	// keepForgotten is how long a forgotten run is refused by its name. After that its deadline refuses it.
	keepForgotten = 30 * 24 * time.Hour
	// maxJournal is how large the host's journal becomes, in bytes, before a new one is begun; the one before it stays.
	maxJournal = 1 << 20
	tidyEvery  = 6 * time.Hour
)

// tidyAlways tidies while a session goes on, which may be months.
func (a *Agent) tidyAlways(ctx context.Context) {
	again := time.NewTicker(tidyEvery)
	defer again.Stop()
	for {
		_ = a.tidy() // what could not be removed is tried again
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}

func (a *Agent) tidy() error {
	runs, err := olderThan(filepath.Join(a.state, "runs"), "result.json", keepRuns)
	errs := []error{err}
	for _, id := range runs {
		errs = append(errs, a.Forget(id))
	}
	markers, err := olderThan(filepath.Join(a.state, "forgotten"), "", keepForgotten)
	errs = append(errs, err)
	for _, id := range markers {
		errs = append(errs, os.Remove(filepath.Join(a.state, "forgotten", id)))
	}
	return errors.Join(append(errs, a.turnJournal())...)
}

// olderThan returns the names in a directory whose file, or they themselves where file is "", were last written longer ago than that.
func olderThan(dir, file string, age time.Duration) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("tidy: %w", err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if st, err := os.Stat(filepath.Join(dir, e.Name(), file)); err == nil && now().Sub(st.ModTime()) > age {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// turnJournal begins a new journal where the host's has become large. Whoever waits to append to it still does, to the old one, which is read as well.
func (a *Agent) turnJournal() error {
	f, err := os.OpenFile(a.journalPath(), os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("turn the journal: %w", err)
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("turn the journal: %w", err)
	}
	have, err := f.Stat()
	if err != nil {
		return fmt.Errorf("turn the journal: %w", err)
	}
	if at, err := os.Stat(a.journalPath()); err != nil || have.Size() <= maxJournal || !os.SameFile(at, have) { // small, or another session was quicker
		return nil
	}
	if err := os.Rename(a.journalPath(), a.oldJournalPath()); err != nil {
		return fmt.Errorf("turn the journal: %w", err)
	}
	return syncDir(a.state)
}
