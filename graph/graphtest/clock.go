package graphtest

import (
	"context"
	"sync"
	"time"
)

// A Clock is a graph.Clock that stands still until a test moves it. It is safe for concurrent use.
type Clock struct {
	mu      sync.Mutex
	now     time.Time
	waiting map[*waiter]struct{}
	changed chan struct{} // closed and replaced when a waiter comes or goes
}

type waiter struct {
	until time.Time
	done  chan struct{}
}

// NewClock returns a clock that shows now.
func NewClock(now time.Time) *Clock {
	return &Clock{now: now, waiting: map[*waiter]struct{}{}, changed: make(chan struct{})}
}

// Now implements graph.Clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Wait implements graph.Clock: it returns when Advance has moved the clock by d.
func (c *Clock) Wait(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	w := &waiter{c.now.Add(d), make(chan struct{})}
	if d > 0 {
		c.waiting[w] = struct{}{}
		c.tell()
	} else {
		close(w.done)
	}
	c.mu.Unlock()
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.waiting, w)
		c.tell()
		c.mu.Unlock()
		return context.Cause(ctx)
	}
}

// Advance moves the clock by d and wakes those whose time has come.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	for w := range c.waiting {
		if !w.until.After(c.now) {
			delete(c.waiting, w)
			close(w.done)
		}
	}
	c.tell()
}

// Waiting returns when at least n waits are under way, or with the cause of ctx.
func (c *Clock) Waiting(ctx context.Context, n int) error {
	for {
		c.mu.Lock()
		enough, changed := len(c.waiting) >= n, c.changed
		c.mu.Unlock()
		if enough {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (c *Clock) tell() {
	close(c.changed)
	c.changed = make(chan struct{})
}
