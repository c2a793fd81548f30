package graphtest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/kbagent/kbagent/graph"
)

// brokenTrims break Trim.
var brokenTrims = []broken{
	{"a trim leaves the claim to nobody", hook(func(s graph.Store, h *hooked) {
		h.trim = func(ctx context.Context, thread string, cut graph.Cut) error {
			_, err := s.Claim(ctx, thread)
			return errors.Join(err, s.Trim(ctx, thread, cut))
		}
	}), []string{"A trim keeps claim, pending writes and the numbers that follow", "Trims and commits do not disturb each other"}},

	{"a trim drops the pending writes", hook(func(s graph.Store, h *hooked) {
		trimmed := false
		h.trim = func(ctx context.Context, thread string, cut graph.Cut) error {
			trimmed = true
			return s.Trim(ctx, thread, cut)
		}
		h.load = func(ctx context.Context, thread string) (graph.Record, error) {
			rec, err := s.Load(ctx, thread)
			if trimmed {
				rec.Pending = nil
			}
			return rec, err
		}
	}), []string{"A trim keeps claim, pending writes and the numbers that follow", "A trimmed thread can be copied"}},

	{"a trim does not look at the old data", hook(func(s graph.Store, h *hooked) {
		var mu sync.Mutex
		h.trim = func(ctx context.Context, thread string, cut graph.Cut) error {
			mu.Lock()
			defer mu.Unlock()
			log, err := list(s.Log(ctx, thread, cut.Seq-1))
			if err == nil && len(log) > 0 {
				cut.Old = log[0].Data
			}
			return s.Trim(ctx, thread, cut)
		}
	}), []string{"A trim of a log that is not what the caller read changes nothing", "Of two trims of one entry exactly one comes through"}},

	{"a trim compares as much as is there", hook(func(s graph.Store, h *hooked) {
		h.trim = func(ctx context.Context, thread string, cut graph.Cut) error {
			log, err := list(s.Log(ctx, thread, cut.Seq-1))
			if err == nil && len(log) > 0 && bytes.HasPrefix(cut.Old, log[0].Data) {
				cut.Old = log[0].Data
			}
			return s.Trim(ctx, thread, cut)
		}
	}), []string{"A trim of a log that is not what the caller read changes nothing"}},

	{"a trim drops what it can", hook(func(s graph.Store, h *hooked) {
		h.trim = func(ctx context.Context, thread string, cut graph.Cut) error {
			rec, _ := s.Load(ctx, thread)
			cut.Drop = slices.DeleteFunc(slices.Clone(cut.Drop), func(seq int64) bool { return seq <= cut.Seq || seq >= rec.Seq() })
			return s.Trim(ctx, thread, cut)
		}
	}), []string{"A trim of a log that is not what the caller read changes nothing"}},

	{"a trim drops nothing in the middle", hook(func(s graph.Store, h *hooked) {
		h.trim = func(ctx context.Context, thread string, cut graph.Cut) error {
			cut.Drop = nil
			return s.Trim(ctx, thread, cut)
		}
	}), []string{"A trim drops entries in the middle", "A trim touches no other thread"}},

	{"a trim keeps the data of the first entry", hook(func(s graph.Store, h *hooked) {
		h.trim = func(ctx context.Context, thread string, cut graph.Cut) error {
			cut.New = cut.Old
			return s.Trim(ctx, thread, cut)
		}
	}), []string{"A trim replaces the first entry that stays and removes those before it"}},

	{"a trim takes the children along", hook(func(s graph.Store, h *hooked) {
		threads := seen(s, h)
		h.trim = func(ctx context.Context, thread string, cut graph.Cut) error {
			for _, id := range threads() {
				if strings.HasPrefix(id, thread+graph.ChildMark) {
					if err := s.Trim(ctx, id, cut); err != nil {
						return err
					}
				}
			}
			return s.Trim(ctx, thread, cut)
		}
	}), []string{"A trim touches no other thread"}},
}
