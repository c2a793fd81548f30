package graph

import (
	"context"
	"errors"
	"sync"
	"time"
)

// leaserOf finds the [Leaser] in a chain of stores, nil when there is none.
func leaserOf(store Store) Leaser {
	for {
		if l, ok := store.(Leaser); ok {
			return l
		}
		u, ok := store.(Unwrapper)
		if !ok {
			return nil
		}
		store = u.Unwrap()
	}
}

// keep renews the claim of a run while it goes on. It returns the context for the run, which ends with [ErrFenced] as soon
// as a renewal finds a later claim, and a function that ends the renewals and releases the claim. That one also stores what
// is left and ends the writer of [Async] when the run did not come to that: a consumer has panicked, a node has ended its goroutine.
func (s *saver) keep(ctx context.Context) (context.Context, func()) {
	leaser := leaserOf(s.store)
	if leaser == nil {
		return ctx, func() { s.close(nil) } //nolint:errcheck // the run reports it, unless its goroutine is unwinding
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		timer := time.NewTicker(max(leaser.Lease()/3, time.Millisecond))
		defer timer.Stop()
		for {
			select {
			case <-stop:
				return
			case <-timer.C:
			}
			// Any other failure is left to the commits: they do not depend on the lease.
			if err := leaser.Renew(s.ctx, s.thread, s.fence); errors.Is(err, ErrFenced) {
				cancel(err)
				return
			}
		}
	})
	return ctx, func() {
		s.close(nil) //nolint:errcheck // as above
		close(stop)
		wg.Wait()
		cancel(nil)
		leaser.Release(s.ctx, s.thread, s.fence) //nolint:errcheck // a claim that cannot be released runs out
	}
}
