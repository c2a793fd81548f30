package graphtest

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/graph"
)

// brokenLogs break what Commit, Load and Log promise of entries.
var brokenLogs = []broken{
	{"a missing thread is an error", hook(func(s graph.Store, h *hooked) {
		h.load = func(ctx context.Context, thread string) (graph.Record, error) {
			rec, err := s.Load(ctx, thread)
			if err == nil && rec.Seq() == 0 {
				err = graph.ErrNoThread
			}
			return rec, err
		}
	}), []string{"A thread that does not exist loads empty"}},

	{"no pending writes are always fine", hook(func(s graph.Store, h *hooked) {
		h.pend = func(ctx context.Context, thread string, fence int64, writes []graph.PendingWrite) error {
			if len(writes) == 0 {
				return nil
			}
			return s.Pend(ctx, thread, fence, writes)
		}
	}), []string{"Saving no pending writes says whether the claim stands, and nothing else"}},

	{"the log ignores after", hook(func(s graph.Store, h *hooked) {
		h.log = func(ctx context.Context, thread string, _ int64) iter.Seq2[graph.Entry, error] {
			return s.Log(ctx, thread, 0)
		}
	}), []string{"Entries come back in order, byte for byte"}},

	{"a commit takes entry by entry", hook(func(s graph.Store, h *hooked) {
		h.commit = func(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
			for i := range entries {
				if err := s.Commit(ctx, thread, fence, entries[i:i+1]); err != nil {
					return err
				}
			}
			return nil
		}
	}), []string{"A commit of several entries is all or nothing"}},

	{"a commit takes the last entry only", hook(func(s graph.Store, h *hooked) {
		h.commit = func(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
			return s.Commit(ctx, thread, fence, entries[:1])
		}
	}), []string{"Several entries go in one commit, and the last snapshot of them counts", "An entry in the middle of a commit settles the pending writes"}},

	{"the first snapshot of a commit counts", hook(func(s graph.Store, h *hooked) {
		h.commit = func(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
			entries = slices.Clone(entries)
			for i, found := 0, false; i < len(entries); i++ {
				if found {
					entries[i].Snapshot = nil
				}
				found = found || entries[i].Snapshot != nil
			}
			return s.Commit(ctx, thread, fence, entries)
		}
	}), []string{"Several entries go in one commit, and the last snapshot of them counts"}},

	{"sequence numbers are not checked", hook(func(s graph.Store, h *hooked) {
		h.commit = func(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
			err := s.Commit(ctx, thread, fence, entries)
			for errors.Is(err, graph.ErrSequence) || errors.Is(err, graph.ErrFenced) {
				fence, _ = s.Claim(ctx, thread)
				rec, _ := s.Load(ctx, thread)
				entries = slices.Clone(entries)
				for i := range entries {
					entries[i].Seq = rec.Seq() + int64(i) + 1
				}
				err = s.Commit(ctx, thread, fence, entries)
			}
			return err
		}
	}), []string{"An entry that is not the next one is refused", "Of many writers at once exactly one gets each entry"}},

	{"snapshots are forgotten", hook(func(s graph.Store, h *hooked) {
		h.load = func(ctx context.Context, thread string) (rec graph.Record, err error) {
			rec.Log, err = list(s.Log(ctx, thread, 0))
			return rec, err
		}
	}), []string{"A snapshot replaces the older one and shortens the load, not the log", "A trim removes a snapshot of an earlier entry and no other"}},

	{"a snapshot shortens the log", hook(func(s graph.Store, h *hooked) {
		h.log = func(ctx context.Context, thread string, after int64) iter.Seq2[graph.Entry, error] {
			rec, err := s.Load(ctx, thread)
			return sequence(rec.Log, err)
		}
	}), []string{"A snapshot replaces the older one and shortens the load, not the log"}},

	{"what is loaded is handed out twice", hook(func(s graph.Store, h *hooked) {
		cache := map[string]graph.Record{}
		h.load = func(ctx context.Context, thread string) (graph.Record, error) {
			if rec, ok := cache[thread]; ok {
				return rec, nil
			}
			rec, err := s.Load(ctx, thread)
			cache[thread] = rec
			return rec, err
		}
	}), []string{"A store keeps copies of what it is given and gives copies away"}},

	{"thread ids end at a zero byte", renamed(cutAtNUL, cutAtNUL), []string{"Thread ids and bytes of any kind are kept apart", "Threads are listed in order of their ids"}},
	{"thread ids are compared without case", renamed(strings.ToLower, strings.ToLower), []string{
		"Thread ids and bytes of any kind are kept apart", "Deletion takes children and leaves threads whose id merely begins alike",
	}},

	{"rows end at a megabyte", hook(func(s graph.Store, h *hooked) {
		h.commit = func(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
			entries = slices.Clone(entries)
			for i := range entries {
				entries[i].Data = entries[i].Data[:min(len(entries[i].Data), 1<<20)]
			}
			return s.Commit(ctx, thread, fence, entries)
		}
	}), []string{"Ten megabytes survive as entry, as snapshot and as pending write"}},

	{"sequences can be ranged over once", hook(func(s graph.Store, h *hooked) {
		h.log = func(ctx context.Context, thread string, after int64) iter.Seq2[graph.Entry, error] {
			return once(s.Log(ctx, thread, after))
		}
	}), []string{"A sequence can be left early and ranged over again"}},

	{"contexts are ignored", hook(func(s graph.Store, h *hooked) {
		h.trim = func(ctx context.Context, thread string, cut graph.Cut) error {
			return s.Trim(context.WithoutCancel(ctx), thread, cut)
		}
	}), []string{"A cancelled context changes nothing"}},
}
