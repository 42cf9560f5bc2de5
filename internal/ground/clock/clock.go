// Package clock is the one clock of the program, so that tests can hold it.
package clock

import "time"

// Clock tells the time. Now must be in UTC.
type Clock interface{ Now() time.Time }

// System is the machine's clock, cut to the microseconds that the database keeps.
type System struct{}

// Now returns the current time in UTC.
func (System) Now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// Fixed always tells the same time, for tests.
type Fixed time.Time

// Now returns the fixed time in UTC.
func (f Fixed) Now() time.Time { return time.Time(f).UTC().Truncate(time.Microsecond) }
