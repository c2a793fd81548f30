package graphtest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/kbagent/kbagent/graph"
)

// ErrInjected is the error of every injected fault.
var ErrInjected = errors.New("injected fault")

// An Op is one call of a store.
type Op struct {
	N      int    // number of the call on this store, from 1
	Name   string // the method: "Claim", "Load", "Commit", "Pend", "Log", "Threads", "Copy", "Trim", "Delete"
	Thread string // "" for Threads
}

// A Verdict says what becomes of an Op.
type Verdict int

// The verdicts.
const (
	Pass       Verdict = iota // the call goes through
	FailBefore                // it fails and has changed nothing
	FailAfter                 // it has taken effect, and its reply is lost: the caller sees an error
)

// A FaultyStore passes calls on to another store, except those that are to fail. It is safe for concurrent use.
type FaultyStore struct {
	store  graph.Store
	decide func(Op) Verdict

	mu  sync.Mutex
	ops []Op
}

// Faulty wraps store; decide is asked before every call, one call at a time.
func Faulty(store graph.Store, decide func(Op) Verdict) *FaultyStore {
	return &FaultyStore{store: store, decide: decide}
}

// CrashAt wraps store so that its n-th call (from 1) gets the verdict when and every later one fails before it takes
// effect, as if the process had died there. A test then goes on with the inner store, as the next process would.
func CrashAt(store graph.Store, n int, when Verdict) *FaultyStore {
	return Faulty(store, func(op Op) Verdict {
		switch {
		case op.N < n:
			return Pass
		case op.N == n:
			return when
		default:
			return FailBefore
		}
	})
}

// Ops returns the calls so far, those that failed included.
func (f *FaultyStore) Ops() []Op {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Op(nil), f.ops...)
}

// do makes one call.
func (f *FaultyStore) do(name, thread string, call func() error) error {
	f.mu.Lock()
	op := Op{N: len(f.ops) + 1, Name: name, Thread: thread}
	f.ops = append(f.ops, op)
	verdict := f.decide(op)
	f.mu.Unlock()
	if verdict == FailBefore {
		return fmt.Errorf("%w: call %d, before %s", ErrInjected, op.N, name)
	}
	err := call()
	if err == nil && verdict == FailAfter {
		err = fmt.Errorf("%w: call %d, after %s", ErrInjected, op.N, name)
	}
	return err
}

// Claim implements graph.Store.
func (f *FaultyStore) Claim(ctx context.Context, thread string) (fence int64, err error) {
	err = f.do("Claim", thread, func() (err error) {
		fence, err = f.store.Claim(ctx, thread)
		return err
	})
	return fence, err
}

// Load implements graph.Store.
func (f *FaultyStore) Load(ctx context.Context, thread string) (rec graph.Record, err error) {
	err = f.do("Load", thread, func() (err error) {
		rec, err = f.store.Load(ctx, thread)
		return err
	})
	return rec, err
}

// Commit implements graph.Store.
func (f *FaultyStore) Commit(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
	return f.do("Commit", thread, func() error { return f.store.Commit(ctx, thread, fence, entries) })
}

// Pend implements graph.Store.
func (f *FaultyStore) Pend(ctx context.Context, thread string, fence int64, writes []graph.PendingWrite) error {
	return f.do("Pend", thread, func() error { return f.store.Pend(ctx, thread, fence, writes) })
}

// Delete implements graph.Store.
func (f *FaultyStore) Delete(ctx context.Context, thread string) error {
	return f.do("Delete", thread, func() error { return f.store.Delete(ctx, thread) })
}

// Log implements graph.Store. A fault is yielded as the first or the last element; every loop over the sequence is a call.
func (f *FaultyStore) Log(ctx context.Context, thread string, after int64) iter.Seq2[graph.Entry, error] {
	return faultySeq(f, "Log", thread, f.store.Log(ctx, thread, after))
}

// Threads implements graph.Store. A fault is yielded as the first or the last element; every loop is a call.
func (f *FaultyStore) Threads(ctx context.Context) iter.Seq2[graph.ThreadInfo, error] {
	return faultySeq(f, "Threads", "", f.store.Threads(ctx))
}

func faultySeq[T any](f *FaultyStore, name, thread string, seq iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		stopped := false
		err := f.do(name, thread, func() error {
			for v, err := range seq {
				if err != nil {
					return err
				}
				if !yield(v, nil) {
					stopped = true
					return nil
				}
			}
			return nil
		})
		if err != nil && !stopped {
			var none T
			yield(none, err)
		}
	}
}

// Copy implements graph.Store; the thread of the Op is from.
func (f *FaultyStore) Copy(ctx context.Context, from, to string) error {
	return f.do("Copy", from, func() error { return f.store.Copy(ctx, from, to) })
}

// Trim implements graph.Store.
func (f *FaultyStore) Trim(ctx context.Context, thread string, cut graph.Cut) error {
	return f.do("Trim", thread, func() error { return f.store.Trim(ctx, thread, cut) })
}

// Unwrap implements graph.Unwrapper.
func (f *FaultyStore) Unwrap() graph.Store { return f.store }
