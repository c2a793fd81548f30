package graph

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"time"
)

// A Clock tells the time to a run: the times in the log, the waits between attempts, the expiry of questions and of
// cached results. Deadlines of contexts ([Timeout], [StepTimeout], [WallTime]) go by the system's clock.
// It must be safe for concurrent use. Package graphtest has one that a test moves by hand.
type Clock interface {
	Now() time.Time
	// Wait returns nil after d, and the cause of ctx when that ends first.
	Wait(ctx context.Context, d time.Duration) error
}

type clockKey struct{}

// WithClock returns a context whose runs go by clock.
func WithClock(ctx context.Context, clock Clock) context.Context {
	return context.WithValue(ctx, clockKey{}, clock)
}

// Now is the time by the clock of the context, the system's without one.
func Now(ctx context.Context) time.Time { return clockFrom(ctx).Now() }

func clockFrom(ctx context.Context) Clock {
	if c, ok := ctx.Value(clockKey{}).(Clock); ok {
		return c
	}
	return systemClock{}
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

type seedKey struct{}

// WithSeed returns a context whose runs draw their randomness from seed, so that a run in memory can be repeated.
func WithSeed(ctx context.Context, seed uint64) context.Context {
	return context.WithValue(ctx, seedKey{}, seed)
}

// Rand returns a source of random numbers for a task. Each call starts it anew, at a point that is given by the seed of
// the context, or else the thread, and by run, step and task: a task that runs again after a crash draws the same numbers.
// Its attempts within one run share the point too. Outside of a task, and in [App.Invoke] without [WithSeed], nothing fixes the point.
// The result is not safe for concurrent use.
func Rand(ctx context.Context) *rand.Rand {
	c, ok := ctx.Value(taskKey{}).(*taskContext)
	if !ok {
		return rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	return c.random(0)
}

// random is a source for a task; purpose tells the sources of one task apart.
func (c *taskContext) random(purpose uint64) *rand.Rand {
	seed, ok := c.Value(seedKey{}).(uint64)
	if !ok && c.shared.label() == "" {
		return rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	h := fnv.New64a()
	for _, part := range []string{c.shared.label(), strconv.FormatInt(c.shared.run, 10), strconv.Itoa(c.shared.first + int(c.step)), c.task()} {
		h.Write([]byte(part)) // never fails
		h.Write([]byte{0})
	}
	return rand.New(rand.NewPCG(seed^purpose, h.Sum64()))
}
