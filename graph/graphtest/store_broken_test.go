package graphtest

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/kbagent/kbagent/graph"
)

// A broken store is a memory store that breaks the contract in one way.
type broken struct {
	name  string
	open  func(graph.Store) graph.Store
	fails []string // checks that must notice
}

// A hooked store has other functions in place of some methods.
type hooked struct {
	graph.Store
	claim   func(ctx context.Context, thread string) (int64, error)
	load    func(ctx context.Context, thread string) (graph.Record, error)
	commit  func(ctx context.Context, thread string, fence int64, entries []graph.Entry) error
	pend    func(ctx context.Context, thread string, fence int64, writes []graph.PendingWrite) error
	log     func(ctx context.Context, thread string, after int64) iter.Seq2[graph.Entry, error]
	threads func(ctx context.Context) iter.Seq2[graph.ThreadInfo, error]
	copy    func(ctx context.Context, from, to string) error
	trim    func(ctx context.Context, thread string, cut graph.Cut) error
	remove  func(ctx context.Context, thread string) error
}

// hook returns a function that makes a broken store: break replaces what it likes.
func hook(breakIt func(s graph.Store, h *hooked)) func(graph.Store) graph.Store {
	return func(s graph.Store) graph.Store {
		h := &hooked{
			Store: s, claim: s.Claim, load: s.Load, commit: s.Commit, pend: s.Pend, log: s.Log, threads: s.Threads,
			copy: s.Copy, trim: s.Trim, remove: s.Delete,
		}
		breakIt(s, h)
		return h
	}
}

func (h *hooked) Claim(ctx context.Context, thread string) (int64, error) {
	return h.claim(ctx, thread)
}

func (h *hooked) Load(ctx context.Context, thread string) (graph.Record, error) {
	return h.load(ctx, thread)
}

func (h *hooked) Commit(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
	return h.commit(ctx, thread, fence, entries)
}

func (h *hooked) Pend(ctx context.Context, thread string, fence int64, writes []graph.PendingWrite) error {
	return h.pend(ctx, thread, fence, writes)
}

func (h *hooked) Log(ctx context.Context, thread string, after int64) iter.Seq2[graph.Entry, error] {
	return h.log(ctx, thread, after)
}

func (h *hooked) Threads(ctx context.Context) iter.Seq2[graph.ThreadInfo, error] {
	return h.threads(ctx)
}

func (h *hooked) Copy(ctx context.Context, from, to string) error { return h.copy(ctx, from, to) }

func (h *hooked) Trim(ctx context.Context, thread string, cut graph.Cut) error {
	return h.trim(ctx, thread, cut)
}

func (h *hooked) Delete(ctx context.Context, thread string) error { return h.remove(ctx, thread) }

// renamed makes a store that keeps threads under other names; back is the way back, for lists.
func renamed(there, back func(string) string) func(graph.Store) graph.Store {
	return hook(func(s graph.Store, h *hooked) {
		h.claim = func(ctx context.Context, thread string) (int64, error) { return s.Claim(ctx, there(thread)) }
		h.load = func(ctx context.Context, thread string) (graph.Record, error) { return s.Load(ctx, there(thread)) }
		h.commit = func(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
			return s.Commit(ctx, there(thread), fence, entries)
		}
		h.pend = func(ctx context.Context, thread string, fence int64, writes []graph.PendingWrite) error {
			return s.Pend(ctx, there(thread), fence, writes)
		}
		h.log = func(ctx context.Context, thread string, after int64) iter.Seq2[graph.Entry, error] {
			return s.Log(ctx, there(thread), after)
		}
		h.threads = func(ctx context.Context) iter.Seq2[graph.ThreadInfo, error] {
			return func(yield func(graph.ThreadInfo, error) bool) {
				for info, err := range s.Threads(ctx) {
					if info.Thread = back(info.Thread); !yield(info, err) {
						return
					}
				}
			}
		}
		h.copy = func(ctx context.Context, from, to string) error { return s.Copy(ctx, there(from), there(to)) }
		h.trim = func(ctx context.Context, thread string, cut graph.Cut) error { return s.Trim(ctx, there(thread), cut) }
		h.remove = func(ctx context.Context, thread string) error { return s.Delete(ctx, there(thread)) }
	})
}

// seen calls do before a commit, with the threads that commits have named so far.
func seen(s graph.Store, h *hooked) (threads func() []string) {
	var (
		mu  sync.Mutex
		ids = map[string]bool{}
	)
	h.commit = func(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
		mu.Lock()
		ids[thread] = true
		mu.Unlock()
		return s.Commit(ctx, thread, fence, entries)
	}
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Sorted(maps.Keys(ids))
	}
}

// list is the log of a thread.
func list[T any](seq iter.Seq2[T, error]) (all []T, err error) {
	for v, err := range seq {
		if err != nil {
			return all, err
		}
		all = append(all, v)
	}
	return all, nil
}

// sequence yields a list and then err, if there is one.
func sequence[T any](all []T, err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range all {
			if !yield(v, nil) {
				return
			}
		}
		if err != nil {
			var none T
			yield(none, err)
		}
	}
}

// once makes a sequence that is empty when it is ranged over again.
func once[T any](seq iter.Seq2[T, error]) iter.Seq2[T, error] {
	used := false
	return func(yield func(T, error) bool) {
		if !used {
			used = true
			seq(yield)
		}
	}
}

func cutAtNUL(s string) string {
	before, _, _ := strings.Cut(s, "\x00")
	return before
}
