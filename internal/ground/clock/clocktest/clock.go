// Package clocktest is a clock for tests.
package clocktest

import (
	"sync"
	"time"
)

// Clock stands still until it is moved. It is safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
	off time.Duration // by which it was put
}

// At returns a clock that shows a time.
func At(now time.Time) *Clock { return &Clock{now: now} }

// Now returns the time that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set makes the clock show a time.
func (c *Clock) Set(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = now
}

// Put sets the clock forward, or back, without any time having passed: it is a clock that was wrong, or is wrong from here on.
func (c *Clock) Put(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.off = c.now.Add(by), c.off+by
}

// Steady returns the time that has passed.
func (c *Clock) Steady() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Duration(c.now.Add(-c.off).UnixNano())
}

// Move lets time pass.
func (c *Clock) Move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
