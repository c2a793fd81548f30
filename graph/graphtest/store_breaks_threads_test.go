package graphtest

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/kbagent/kbagent/graph"
)

// brokenThreads break pending writes, claims, lists and deletion.
var brokenThreads = []broken{
	{"pending writes last forever", hook(func(s graph.Store, h *hooked) {
		var all []graph.PendingWrite
		h.pend = func(ctx context.Context, thread string, fence int64, writes []graph.PendingWrite) error {
			all = append(all, writes...)
			return s.Pend(ctx, thread, fence, writes)
		}
		h.load = func(ctx context.Context, thread string) (graph.Record, error) {
			rec, err := s.Load(ctx, thread)
			rec.Pending = all
			return rec, err
		}
	}), []string{
		"Pending writes last until an entry settles them", "Pending writes that no entry settled are not those of the entry that follows",
		"An entry in the middle of a commit settles the pending writes",
	}},

	{"pending writes are saved one by one", hook(func(s graph.Store, h *hooked) {
		h.pend = func(ctx context.Context, thread string, fence int64, writes []graph.PendingWrite) error {
			for i := range writes {
				if err := s.Pend(ctx, thread, fence, writes[i:i+1]); err != nil {
					return err
				}
			}
			return nil
		}
	}), []string{"Several pending writes are saved at once, all or none"}},

	{"keys are made valid text", hook(func(s graph.Store, h *hooked) {
		h.pend = func(ctx context.Context, thread string, fence int64, writes []graph.PendingWrite) error {
			writes = slices.Clone(writes)
			for i := range writes {
				writes[i].Key = strings.ToValidUTF8(writes[i].Key, "?")
			}
			return s.Pend(ctx, thread, fence, writes)
		}
	}), []string{"Keys of pending writes are any bytes, in bytewise order"}},

	{"a claim makes a thread", hook(func(s graph.Store, h *hooked) {
		claimed := []graph.ThreadInfo{}
		h.claim = func(ctx context.Context, thread string) (int64, error) {
			claimed = append(claimed, graph.ThreadInfo{Thread: thread})
			return s.Claim(ctx, thread)
		}
		h.threads = func(context.Context) iter.Seq2[graph.ThreadInfo, error] { return sequence(claimed, nil) }
	}), []string{"A claim alone does not make a thread"}},

	{"fences are ignored", hook(func(s graph.Store, h *hooked) {
		h.commit = func(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
			err := s.Commit(ctx, thread, fence, entries)
			if errors.Is(err, graph.ErrFenced) {
				fence, _ = s.Claim(ctx, thread)
				err = s.Commit(ctx, thread, fence, entries)
			}
			return err
		}
	}), []string{
		"A later claim fences the earlier writer off", "The fence of another thread writes nothing",
		"A fence is never given twice, not even after a deletion", "A claim on the original outlives a copy, one on the target does not",
		"Deletion takes children and leaves threads whose id merely begins alike",
	}},

	{"a pending write needs no fence", hook(func(s graph.Store, h *hooked) {
		h.pend = func(ctx context.Context, thread string, fence int64, writes []graph.PendingWrite) error {
			return ignore(s.Pend(ctx, thread, fence, writes), graph.ErrFenced)
		}
	}), []string{"A later claim fences the earlier writer off", "Several pending writes are saved at once, all or none"}},

	{"every thread counts its own fences", hook(func(s graph.Store, h *hooked) {
		var mu sync.Mutex
		own, inner := map[string]int64{}, map[string]int64{}
		h.claim = func(ctx context.Context, thread string) (int64, error) {
			mu.Lock()
			defer mu.Unlock()
			fence, err := s.Claim(ctx, thread)
			own[thread]++
			inner[thread] = fence
			return own[thread], err
		}
		h.remove = func(ctx context.Context, thread string) error {
			delete(own, thread)
			return s.Delete(ctx, thread)
		}
		h.commit = func(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
			if fence != own[thread] {
				return graph.ErrFenced
			}
			return s.Commit(ctx, thread, inner[thread], entries)
		}
	}), []string{"A fence is never given twice, not even after a deletion", "Claims that are made at once get different fences", "The fence of another thread writes nothing"}},

	{"threads are listed backwards", hook(func(s graph.Store, h *hooked) {
		h.threads = func(ctx context.Context) iter.Seq2[graph.ThreadInfo, error] {
			all, err := list(s.Threads(ctx))
			slices.Reverse(all)
			return sequence(all, err)
		}
	}), []string{"Threads are listed in order of their ids", "Many threads written at once keep their own order", "What is read while others write is sorted and holds what was there before"}},

	{"lists lag an entry behind", hook(func(s graph.Store, h *hooked) {
		h.threads = func(ctx context.Context) iter.Seq2[graph.ThreadInfo, error] {
			all, err := list(s.Threads(ctx))
			for i := range all {
				all[i].Seq--
			}
			return sequence(all, err)
		}
	}), []string{"What is read while others write is sorted and holds what was there before"}},

	{"a deletion does nothing", hook(func(_ graph.Store, h *hooked) {
		h.remove = func(context.Context, string) error { return nil }
	}), []string{"A deleted thread is gone, and may begin again"}},

	{"deleting what is not there is an error", hook(func(s graph.Store, h *hooked) {
		h.remove = func(ctx context.Context, thread string) error {
			if rec, _ := s.Load(ctx, thread); rec.Seq() == 0 {
				return graph.ErrNoThread
			}
			return s.Delete(ctx, thread)
		}
	}), []string{"A deleted thread is gone, and may begin again"}},

	{"a deletion takes all that begins alike", hook(func(s graph.Store, h *hooked) {
		threads := seen(s, h)
		h.remove = func(ctx context.Context, thread string) error {
			for _, id := range threads() {
				if strings.HasPrefix(id, thread) {
					if err := s.Delete(ctx, id); err != nil {
						return err
					}
				}
			}
			return nil
		}
	}), []string{"Deletion takes children and leaves threads whose id merely begins alike"}},

	{"there are no children", renamed(
		func(id string) string { return strings.ReplaceAll(id, graph.ChildMark, "\x1d") },
		func(id string) string { return strings.ReplaceAll(id, "\x1d", graph.ChildMark) },
	), []string{
		"A child is a thread like any other, but is not listed", "Deletion takes children and leaves threads whose id merely begins alike",
		"A copy has log, snapshot, pending writes and children", "A copy never replaces a thread, nor the children of one",
	}},
}
