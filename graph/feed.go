package graph

import (
	"context"
	"fmt"
	"sync"
)

// A feed keeps the events of one detached run for those who follow it.
type feed[S, U any] struct {
	key    liveKey
	keep   int // 0 = all
	cancel context.CancelCauseFunc
	ended  chan struct{} // closed when the run's goroutine is done

	mu      sync.Mutex
	first   int64 // Seq of events[0]
	events  []Event[S, U]
	done    bool
	changed chan struct{} // closed when there is more; nil = nobody waits
}

func newFeed[S, U any](key liveKey, keep int) *feed[S, U] {
	return &feed[S, U]{key: key, keep: keep, ended: make(chan struct{}), first: 1}
}

// add takes an event of the run.
func (f *feed[S, U]) add(e Event[S, U], _ error) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.keep > 0 && len(f.events) == f.keep {
		f.events = f.events[1:] // followers may still read what is before
		f.first++
	}
	f.events = append(f.events, e)
	f.done = e.Kind == RunEnd
	if f.changed != nil {
		close(f.changed)
		f.changed = nil
	}
	return true
}

// after returns the events after seq that are there; without any, a channel that is closed when there are,
// or nil when the run has ended.
func (f *feed[S, U]) after(seq int64) (events []Event[S, U], more <-chan struct{}, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := seq - (f.first - 1)
	switch {
	case i < 0:
		return nil, nil, fmt.Errorf("%w: %q, the oldest event is %d", ErrMissed, f.key.thread, f.first)
	case i < int64(len(f.events)):
		return f.events[i:len(f.events):len(f.events)], nil, nil
	case f.done:
		return nil, nil, nil
	}
	if f.changed == nil {
		f.changed = make(chan struct{})
	}
	return nil, f.changed, nil
}

// follow yields the events after seq until the run or ctx ends, or the consumer leaves.
func (f *feed[S, U]) follow(ctx context.Context, seq int64, yield func(Event[S, U], error) bool) {
	seq = max(seq, 0)
	for {
		events, more, err := f.after(seq)
		switch {
		case err != nil:
			yield(Event[S, U]{Thread: f.key.thread}, err)
			return
		case len(events) == 0 && more == nil:
			return
		case len(events) == 0:
			if err := waitFor(ctx, more); err != nil {
				yield(Event[S, U]{Thread: f.key.thread}, err)
				return
			}
		}
		for i := range events {
			if ctx.Err() != nil {
				yield(Event[S, U]{Thread: f.key.thread}, context.Cause(ctx))
				return
			}
			seq = events[i].Seq
			if events[i].Kind == RunEnd {
				yield(events[i], events[i].Err)
				return
			}
			if !yield(events[i], nil) {
				return
			}
		}
	}
}

// call is the number of the run's call, once that is known.
func (f *feed[S, U]) call(ctx context.Context) (int64, error) {
	for {
		f.mu.Lock()
		if n := len(f.events); n > 0 {
			defer f.mu.Unlock()
			return f.events[n-1].Call, nil
		}
		if f.changed == nil {
			f.changed = make(chan struct{})
		}
		more := f.changed
		f.mu.Unlock()
		if err := waitFor(ctx, more); err != nil {
			return 0, err
		}
	}
}

// wait waits for the end of the run.
func (f *feed[S, U]) wait(ctx context.Context) error { return waitFor(ctx, f.ended) }

// waitFor returns nil when done is closed, and the cause of ctx when that ends first.
func waitFor(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
