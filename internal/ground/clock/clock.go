// Package clock is the program's only clock, so that tests can stop it.
package clock

import "time"

// A Clock returns the current time. Now must be in UTC.
type Clock interface{ Now() time.Time }

// System is the machine's clock, truncated to the microseconds that the database stores.
type System struct{}

// Now returns the current time in UTC.
func (System) Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// Steady returns the time since an instant before the program began.
func (System) Steady() time.Duration { return steady() }

// Fixed is a clock that always returns the same time, for tests.
type Fixed time.Time

// Now returns the fixed time in UTC.
func (f Fixed) Now() time.Time { return time.Time(f).UTC().Truncate(time.Microsecond) }

// Steady returns the time that has passed since some instant, whatever a clock was set to meanwhile. A clock that can't tell has never been set.
func Steady(c Clock) time.Duration {
	if s, ok := c.(interface{ Steady() time.Duration }); ok {
		return s.Steady()
	}
	return time.Duration(c.Now().UnixNano())
}

// Setting finds out when a clock is set. It is not safe for concurrent use.
type Setting struct {
	Clock Clock
	now   time.Time
	at    time.Duration
}

// Set returns by how much the clock was set since the last call: zero for less than least, which a clock that is adjusted slowly never exceeds.
func (s *Setting) Set(least time.Duration) time.Duration {
	now, at := s.Clock.Now(), Steady(s.Clock)
	by := now.Sub(s.now) - (at - s.at)
	first := s.now.IsZero()
	s.now, s.at = now, at
	if first || by.Abs() < least {
		return 0
	}
	return by
}
