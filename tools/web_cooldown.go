package tools

import (
	"sync"
	"time"
)

// DefaultCooldown is the time between two uses of the web by one process.
const DefaultCooldown = 30 * time.Second

// Cooldown keeps the runs of a process from using the web too often. It has no clock of its own: callers pass the time,
// from one clock. It is safe for concurrent use.
type Cooldown struct {
	wait time.Duration

	mu   sync.Mutex
	used bool
	last time.Time
}

// NewCooldown returns a cooldown that is ready. 0 means DefaultCooldown; a negative wait means that it is always ready.
func NewCooldown(wait time.Duration) *Cooldown {
	if wait == 0 {
		wait = DefaultCooldown
	}
	return &Cooldown{wait: wait}
}

// Ready says whether the web may be used at now: nobody used it yet, or the last use is at least the wait ago.
func (c *Cooldown) Ready(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ready(now)
}

func (c *Cooldown) ready(now time.Time) bool { return !c.used || now.Sub(c.last) >= c.wait }

// Use takes the turn at now, if it is Ready, and says whether it did: of several runs at once one gets it.
func (c *Cooldown) Use(now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ready(now) {
		return false
	}
	c.used, c.last = true, now
	return true
}
