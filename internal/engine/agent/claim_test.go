package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// Runs are claimed while other processes start, which remove what interrupted claims have left: none takes a claim that is just being made for one of these.
func TestClaimsBesideRecoveries(t *testing.T) {
	b := newBed(t)
	var ended atomic.Bool
	recovered := make(chan error, 1)
	other := b.agent(nil)
	go func() {
		for !ended.Load() {
			if err := other.Recover(); err != nil {
				recovered <- err
				return
			}
		}
		recovered <- nil
	}()
	for i := range 300 {
		id := fmt.Sprint("r", i)
		lock, err := b.a.claim(id, []byte("{}"), time.Minute)
		if err != nil {
			t.Errorf("claim %d: %v", i, err)
			break
		}
		if _, err := os.Stat(requestPath(b.a.runDir(id))); err != nil {
			t.Errorf("claim %d is not whole: %v", i, err)
		}
		defer lock.Close()
	}
	ended.Store(true)
	if err := <-recovered; err != nil {
		t.Error(err)
	}
}

// What interrupted claims and removals have left is removed, and what is just being made is not.
func TestLeftClaimsAreRemoved(t *testing.T) {
	b := newBed(t)
	runs := filepath.Join(b.a.state, "runs")
	for name, lock := range map[string]bool{".new-left": true, ".new-making": false, ".new-old": false, ".gone-r1": false} {
		if err := os.Mkdir(filepath.Join(runs, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if lock {
			if err := os.WriteFile(lockPath(filepath.Join(runs, name)), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	long := time.Now().Add(-2 * leftAfter)
	if err := os.Chtimes(filepath.Join(runs, ".new-old"), long, long); err != nil {
		t.Fatal(err)
	}
	if err := b.a.Recover(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(runs)
	if err != nil || len(left) != 1 || left[0].Name() != ".new-making" {
		t.Errorf("left are %v, %v", left, err)
	}
}
