package graphtest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kbagent/kbagent/graph"
)

func (t *storeTest) claimOnly() {
	t.claim("a")
	t.equal(show(t.load("a")), "snapshot 0: log pending")
	t.equal(t.log("a", 0), "")
	t.equal(t.threads(), "")
}

func (t *storeTest) fencing() {
	first := t.fill("a", "a")
	second := t.claim("a")
	if second <= first {
		t.Fatalf("the second fence %d is not greater than the first %d", second, first)
	}
	t.fails(t.tryCommit(t.Context(), "a", first, withSnapshot(2, "lost", "lost")), graph.ErrFenced)
	t.fails(t.tryPend(t.Context(), "a", first, write(2, "x", "lost")), graph.ErrFenced)
	t.equal(show(t.load("a")), "snapshot 0: log 1:a pending")
	t.commit("a", second, entry(2, "b"))
}

func (t *storeTest) foreignFence() {
	a, b := t.fill("a", "a"), t.fill("b", "b")
	t.fails(t.tryCommit(t.Context(), "a", b, entry(2, "x")), graph.ErrFenced)
	t.fails(t.tryPend(t.Context(), "a", b, write(2, "x", "x")), graph.ErrFenced)
	t.fails(t.tryCommit(t.Context(), "a", b+1, entry(2, "x")), graph.ErrFenced)
	t.fails(t.tryCommit(t.Context(), "a", 0, entry(2, "x")), graph.ErrFenced)
	for _, fence := range []int64{0, b} {
		t.fails(t.tryCommit(t.Context(), "never claimed", fence, entry(1, "x")), graph.ErrFenced)
		t.fails(t.tryPend(t.Context(), "never claimed", fence, write(1, "x", "x")), graph.ErrFenced)
	}
	t.equal(t.threads(), "a=1 b=1")
	t.commit("a", a, entry(2, "b"))
}

func (t *storeTest) checkClaim() {
	check := func(thread string, fence int64) error { return t.store.Pend(t.Context(), thread, fence, nil) }
	first := t.claim("a")
	t.ok(check("a", first))
	t.equal(show(t.load("a")), "snapshot 0: log pending")
	t.commit("a", first, entry(1, "a"))
	t.pend("a", first, write(2, "x", "1"))
	t.ok(check("a", first))
	t.equal(show(t.load("a")), "snapshot 0: log 1:a pending 2/x:1")
	second := t.claim("a")
	t.fails(check("a", first), graph.ErrFenced)
	t.ok(check("a", second))
	t.ok(t.store.Delete(t.Context(), "a"))
	t.fails(check("a", second), graph.ErrFenced)
	t.fails(check("never claimed", second), graph.ErrFenced)
}

func (t *storeTest) fenceAfterDelete() {
	first := t.fill("a", "a")
	t.ok(t.store.Delete(t.Context(), "a"))
	for _, seq := range []int64{1, 2} {
		t.fails(t.tryCommit(t.Context(), "a", first, entry(seq, "b")), graph.ErrFenced)
		t.fails(t.tryPend(t.Context(), "a", first, write(seq, "x", "b")), graph.ErrFenced)
	}
	other := t.claim("b")
	second := t.claim("a")
	if other <= first || second <= other {
		t.Fatalf("fences %d, %d, %d do not grow", first, other, second)
	}
	t.fails(t.tryCommit(t.Context(), "a", first, entry(1, "b")), graph.ErrFenced)
	t.equal(t.log("a", 0), "")
	t.commit("a", second, entry(1, "new"))
}

func (t *storeTest) claimsAtOnce() {
	const claimers, rounds = 8, 10
	fences := make([][]int64, claimers)
	t.atOnce(claimers, func(i int) error {
		for n := range rounds {
			fence, err := t.store.Claim(t.Context(), fmt.Sprint("t", n%3))
			if err != nil {
				return err
			}
			fences[i] = append(fences[i], fence)
		}
		return nil
	})
	for _, own := range fences {
		t.equal(slices.IsSorted(own), true)
	}
	all := slices.Concat(fences...)
	slices.Sort(all)
	t.equal(len(slices.Compact(all)), claimers*rounds)
}

// contention has all writers read the thread and claim it before any of them commits.
func (t *storeTest) contention() {
	const writers, rounds = 8, 10
	t.fill("a", "1")
	for seq := int64(2); seq <= rounds; seq++ {
		fences := make([]int64, writers)
		t.atOnce(writers, func(w int) (err error) {
			rec, err := t.store.Load(t.Context(), "a")
			if err != nil {
				return err
			}
			if rec.Seq() != seq-1 {
				return fmt.Errorf("the last entry is %d instead of %d", rec.Seq(), seq-1)
			}
			fences[w], err = t.store.Claim(t.Context(), "a")
			return err
		})
		var wins atomic.Int32
		t.atOnce(writers, func(w int) error {
			err := t.tryCommit(t.Context(), "a", fences[w], entry(seq, fmt.Sprint(seq)))
			if err == nil {
				wins.Add(1)
			} else if errors.Is(err, graph.ErrFenced) && fences[w] != slices.Max(fences) {
				return nil
			}
			return err
		})
		t.equal(wins.Load(), 1)
		t.equal(t.log("a", 0), numbered(1, seq))
	}
}

// atOnce runs do for 0 to n-1, each on a goroutine of its own, and waits for all.
func (t *storeTest) atOnce(n int, do func(i int) error) {
	t.Helper()
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = do(i) })
	}
	wg.Wait()
	t.ok(errors.Join(errs...))
}
