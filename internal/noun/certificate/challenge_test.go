package certificate

import (
	"context"
	"sync"
	"testing"

	"github.com/mholt/acmez/v3/acme"

	"github.com/hostlerhq/hostler/internal/engine/host"
	"github.com/hostlerhq/hostler/internal/ground/clock"
	"github.com/hostlerhq/hostler/internal/ground/db"
	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// overtaken lets the second run of two enter the lane first, and refuses, as the agent does, one whose fence is lower than one that was seen.
type overtaken struct {
	first, second chan struct{}

	mu   sync.Mutex
	runs int
	seen map[string]int64
}

func (o *overtaken) Run(_ context.Context, _ host.Target, run wire.Run, _ func(wire.Event)) (wire.Result, error) {
	o.mu.Lock()
	o.runs++
	first := o.runs == 1
	o.mu.Unlock()
	if first {
		close(o.first)
		<-o.second
	} else {
		defer close(o.second)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if run.Fence < o.seen[run.Lane] {
		return wire.Result{State: wire.StateFailed, Reason: "another owner has taken the lane"}, nil
	}
	o.seen[run.Lane] = run.Fence
	return wire.Result{State: wire.StateSucceeded}, nil
}

// Challenges of two names, or of two certificates, are put on one server at the same time, and may overtake each other.
func TestChallengesOvertake(t *testing.T) {
	o := &overtaken{first: make(chan struct{}), second: make(chan struct{}), seen: map[string]int64{}}
	s := &served{runner: o, db: &db.DB{Clock: clock.System{}}}
	present := func(token string) {
		if err := s.Present(t.Context(), acme.Challenge{Token: token, KeyAuthorization: token + ".key"}); err != nil {
			t.Errorf("challenge %s: %v", token, err)
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() { present("one") })
	<-o.first
	present("two")
	wg.Wait()
}
