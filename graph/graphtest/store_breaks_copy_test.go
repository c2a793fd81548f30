package graphtest

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/kbagent/kbagent/graph"
)

// brokenCopies break Copy.
var brokenCopies = []broken{
	{"a copy is the thread itself", hook(func(s graph.Store, h *hooked) {
		alias := map[string]string{}
		name := func(id string) string {
			if from, ok := alias[id]; ok {
				return from
			}
			return id
		}
		*h = *renamed(name, func(id string) string { return id })(s).(*hooked)
		h.copy = func(_ context.Context, from, to string) error {
			alias[to] = from
			return nil
		}
	}), []string{"A copy and its original go separate ways", "A thread without an entry cannot be copied", "A copy has log, snapshot, pending writes and children"}},

	{"a copy is the log, written again", hook(func(s graph.Store, h *hooked) {
		h.copy = func(ctx context.Context, from, to string) error {
			log, err := list(s.Log(ctx, from, 0))
			if err != nil {
				return err
			}
			fence, err := s.Claim(ctx, to)
			if err != nil {
				return err
			}
			return s.Commit(ctx, to, fence, log)
		}
	}), []string{"A copy has log, snapshot, pending writes and children", "A trimmed thread can be copied"}},

	{"a copy takes all that begins alike", hook(func(s graph.Store, h *hooked) {
		threads := seen(s, h)
		h.copy = func(ctx context.Context, from, to string) error {
			for _, id := range threads() {
				if strings.HasPrefix(id, from) {
					if err := ignore(s.Copy(ctx, id, to+strings.TrimPrefix(id, from)), graph.ErrThreadExists); err != nil {
						return err
					}
				}
			}
			return nil
		}
	}), []string{"A copy leaves threads whose id merely begins alike"}},

	{"a copy replaces what is there", hook(func(s graph.Store, h *hooked) {
		h.copy = func(ctx context.Context, from, to string) error {
			if from != to {
				if err := s.Delete(ctx, to); err != nil {
					return err
				}
			}
			return s.Copy(ctx, from, to)
		}
	}), []string{"A copy never replaces a thread, nor the children of one"}},

	{"a copy of nothing is nothing", hook(func(s graph.Store, h *hooked) {
		h.copy = func(ctx context.Context, from, to string) error {
			return ignore(s.Copy(ctx, from, to), graph.ErrNoThread)
		}
	}), []string{"A thread without an entry cannot be copied"}},

	{"a copy takes one thread of the family after the other", hook(copyInTwoMoments), []string{
		"A copy is of one moment, children included, while a writer commits",
	}},
}

// copyInTwoMoments copies the child four commits after its parent.
func copyInTwoMoments(s graph.Store, h *hooked) {
	var mu sync.Mutex
	committed := sync.NewCond(&mu)
	commits := 0
	h.commit = func(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
		defer committed.Broadcast()
		mu.Lock()
		defer mu.Unlock()
		commits++
		return s.Commit(ctx, thread, fence, entries)
	}
	h.copy = func(ctx context.Context, from, to string) error {
		mu.Lock()
		defer mu.Unlock()
		if err := s.Copy(ctx, from, "whole "+to); err != nil { // the parent of now
			return err
		}
		for until := commits + 4; commits < until; {
			committed.Wait()
		}
		if err := s.Copy(ctx, child(from, "x"), child(to, "x")); err != nil { // the child of later
			return err
		}
		if err := s.Delete(ctx, child("whole "+to, "x")); err != nil {
			return err
		}
		return moveThread(ctx, s, "whole "+to, to)
	}
}

// moveThread writes the log of a thread without children to another one that may have some.
func moveThread(ctx context.Context, s graph.Store, from, to string) error {
	log, err := list(s.Log(ctx, from, 0))
	if err != nil {
		return err
	}
	fence, err := s.Claim(ctx, to)
	if err != nil {
		return err
	}
	return errors.Join(s.Commit(ctx, to, fence, log), s.Delete(ctx, from))
}
