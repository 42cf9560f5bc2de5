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

	"github.com/hostlerhq/hostler/internal/engine/agent/durable"
)

// Limits on what is kept of ended runs, so that nothing on the host grows forever.
const (
	// keepRuns is how long the result of an ended run is available: far longer than a panel is away while its work still has time.
	keepRuns = 7 * 24 * time.Hour
	// keepForgotten is how long a forgotten run is refused by its name. After that its deadline refuses it.
	keepForgotten = 30 * 24 * time.Hour
	// maxJournal is the size of the host's journal, in bytes, at which a new one is started; the previous one stays.
	maxJournal = 1 << 20
	tidyEvery  = 6 * time.Hour
)

// tidyAlways tidies during a session, which may last months.
func (a *Agent) tidyAlways(ctx context.Context) {
	again := time.NewTicker(tidyEvery)
	defer again.Stop()
	for {
		_ = a.tidy() // a failed removal is retried
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

// olderThan returns the names in a directory whose file, or they themselves if file is "", were last written longer ago than age.
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

// turnJournal starts a new journal if the host's has become large. A process that waits to append to the old one still does; it is read as well.
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
	return durable.SyncDir(a.state)
}
