// Package clock is the program's only clock, so that tests can stop it.
package clock

import "time"

// A Clock returns the current time. Now must be in UTC.
type Clock interface{ Now() time.Time }

// System is the machine's clock, truncated to the microseconds that the database stores.
type System struct{}

// Now returns the current time in UTC.
func (System) Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// Fixed is a clock that always returns the same time, for tests.
type Fixed time.Time

// Now returns the fixed time in UTC.
func (f Fixed) Now() time.Time { return time.Time(f).UTC().Truncate(time.Microsecond) }
