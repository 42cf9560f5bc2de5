package host

import (
	"context"
	"time"

	"github.com/hostlerhq/hostler/internal/ground/wire"
)

// clock is how the clock of a host compares with ours, as measured by its last hello: as in NTP (RFC 5905, 8), its answer was given in the middle of the
// round trip, give or take half of that.
type clock struct{ ahead, unsure time.Duration }

// ClocksApart is how far the clock of a host may be ahead of ours or behind: certificates, one-time codes and the times of its logs go wrong with more.
const ClocksApart = 30 * time.Second

// hello asks the agent who it is and measures its clock.
func (s *session) hello(ctx context.Context, now func() time.Time) (wire.Hello, error) {
	var hello wire.Hello
	asked, began := now(), time.Now()
	if err := s.call(ctx, wire.OpHello, nil, &hello); err != nil {
		return hello, err
	}
	if half := time.Since(began) / 2; !hello.Time.IsZero() {
		s.mu.Lock()
		s.clock = clock{ahead: hello.Time.Sub(asked.Add(half)), unsure: half}
		s.mu.Unlock()
	}
	return hello, nil
}

// ahead returns how far the host's clock is ahead of ours, or behind if negative; zero unless it is certain that they are further apart than ClocksApart.
func (s *session) ahead() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clock.ahead.Abs()-s.clock.unsure <= ClocksApart {
		return 0
	}
	return s.clock.ahead
}

// minutesAhead is ahead in minutes, for what the host counts by minutes.
func (s *session) minutesAhead() int64 { return int64(s.ahead().Round(time.Minute) / time.Minute) }
