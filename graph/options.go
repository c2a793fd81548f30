package graph

import (
	"fmt"
	"time"
)

// A NodeOption tunes one node.
type NodeOption func(*nodeOptions) error

type nodeOptions struct {
	attempts   int // 0 and 1: no retry
	retryable  func(error) bool
	backoff    time.Duration
	backoffMax time.Duration
	timeout    time.Duration
	deferred   bool
	caching    cacheOptions
}

// Retry runs a failed node again, up to maxAttempts attempts in all (≥ 1). retryable decides by the error of the attempt;
// nil means every error except panics. What a failed attempt returned vanishes. A cancelled run is never retried,
// nor one whose [Budget] is used up.
// Between attempts it waits as [Backoff] says.
func Retry(maxAttempts int, retryable func(error) bool) NodeOption {
	return func(o *nodeOptions) error {
		if maxAttempts < 1 {
			return fmt.Errorf("%w: Retry(%d)", ErrLimit, maxAttempts)
		}
		o.attempts, o.retryable = maxAttempts, retryable
		return nil
	}
}

// Backoff sets the waits between the attempts of [Retry]: a random time between half and all of
// first·2ⁿ⁻¹ after attempt n, where that is capped by limit. Default: 100 ms, at most 10 s. Both must be positive.
func Backoff(first, limit time.Duration) NodeOption {
	return func(o *nodeOptions) error {
		if first <= 0 || limit <= 0 {
			return fmt.Errorf("%w: Backoff(%v, %v)", ErrLimit, first, limit)
		}
		o.backoff, o.backoffMax = first, limit
		return nil
	}
}

// Timeout cancels the context of each attempt after d (> 0). The attempt then fails with [ErrTimeout] once the node
// returns an error; a node that returns none has succeeded. The run waits for the node in any case. Default: none.
func Timeout(d time.Duration) NodeOption {
	return func(o *nodeOptions) error {
		if d <= 0 {
			return fmt.Errorf("%w: Timeout(%v)", ErrLimit, d)
		}
		o.timeout = d
		return nil
	}
}

// Deferred lets a node wait until no other work is left, however often it was reached. All deferred nodes that wait
// then run in one step.
func Deferred() NodeOption {
	return func(o *nodeOptions) error {
		o.deferred = true
		return nil
	}
}

// A ThreadOption tunes a [Thread].
type ThreadOption func(*threadOptions)

type threadOptions struct {
	store       Store
	allowChange bool
	durability  durability
	child       bool // of a sub-graph, whose id holds a ChildMark
}

// WithStore keeps the thread in store. The default is a [MemoryStore] that belongs to the App and dies with it.
func WithStore(store Store) ThreadOption { return func(o *threadOptions) { o.store = store } }

// AllowGraphChange resumes an unfinished run even when the topology of the graph has changed since.
// A node or join that waits and no longer exists is still an [ErrGraphChanged], and so is a join that a node has reached
// which is no source of it any more.
func AllowGraphChange() ThreadOption { return func(o *threadOptions) { o.allowChange = true } }
