package graphtest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"

	"github.com/kbagent/kbagent/graph"
)

// calls are all methods of a store, on a thread "a" with the entries a and b, a pending write, and the fence given.
// What each of them changes is to be seen in what the thread shows, or in the copy "b".
var calls = []struct {
	op Op
	do func(ctx context.Context, s graph.Store, fence int64) error
}{
	{Op{1, "Claim", "a"}, func(ctx context.Context, s graph.Store, _ int64) error {
		_, err := s.Claim(ctx, "a")
		return err
	}},
	{Op{1, "Load", "a"}, func(ctx context.Context, s graph.Store, _ int64) error {
		_, err := s.Load(ctx, "a")
		return err
	}},
	{Op{1, "Commit", "a"}, func(ctx context.Context, s graph.Store, fence int64) error {
		return s.Commit(ctx, "a", fence, []graph.Entry{entry(3, "c")})
	}},
	{Op{1, "Pend", "a"}, func(ctx context.Context, s graph.Store, fence int64) error {
		return s.Pend(ctx, "a", fence, []graph.PendingWrite{write(3, "y", "2")})
	}},
	{Op{1, "Log", "a"}, func(ctx context.Context, s graph.Store, _ int64) error { return lastError(s.Log(ctx, "a", 0)) }},
	{Op{1, "Threads", ""}, func(ctx context.Context, s graph.Store, _ int64) error { return lastError(s.Threads(ctx)) }},
	{Op{1, "Copy", "a"}, func(ctx context.Context, s graph.Store, _ int64) error { return s.Copy(ctx, "a", "b") }},
	{Op{1, "Trim", "a"}, func(ctx context.Context, s graph.Store, _ int64) error { return s.Trim(ctx, "a", cut(2, "b", "B")) }},
	{Op{1, "Delete", "a"}, func(ctx context.Context, s graph.Store, _ int64) error { return s.Delete(ctx, "a") }},
}

// opened is a store that calls can be made on, with what it shows.
func opened(t *testing.T) (inner *storeTest, fence int64, shown func() string) {
	t.Helper()
	inner = &storeTest{TB: t, store: graph.NewMemoryStore()}
	fence = inner.fill("a", "a", "b")
	inner.pend("a", fence, write(3, "x", "1"))
	return inner, fence, func() string {
		valid := inner.tryPend(t.Context(), "a", fence, write(3, "x", "1")) == nil // is the claim still the last one?
		return fmt.Sprintln(inner.threads(), inner.log("a", 0), show(inner.load("a")), valid)
	}
}

func TestAFaultBeforeACallChangesNothing(t *testing.T) {
	for _, c := range calls {
		inner, fence, shown := opened(t)
		before := shown()
		f := Faulty(inner.store, func(Op) Verdict { return FailBefore })
		inner.fails(c.do(t.Context(), f, fence), ErrInjected)
		inner.equal(shown(), before)
		inner.equal(f.Ops(), []Op{c.op})
	}
}

func TestAFaultAfterACallHasChangedWhatTheCallChanges(t *testing.T) {
	for _, c := range calls {
		inner, fence, shown := opened(t)
		other, otherFence, otherShown := opened(t)
		f := Faulty(inner.store, func(Op) Verdict { return FailAfter })
		inner.fails(c.do(t.Context(), f, fence), ErrInjected)
		other.ok(c.do(t.Context(), other.store, otherFence))
		inner.equal(shown(), otherShown())
		inner.equal(f.Ops(), []Op{c.op})
	}
}

func TestAnErrorOfTheStoreIsNotHiddenByAFault(t *testing.T) {
	inner, fence, _ := opened(t)
	f := Faulty(inner.store, func(Op) Verdict { return FailAfter })
	inner.fails(f.Commit(t.Context(), "a", fence+1, []graph.Entry{entry(3, "c")}), graph.ErrFenced)
}

func TestACrashedStoreNeverWorksAgain(t *testing.T) {
	inner, fence, _ := opened(t)
	f := CrashAt(inner.store, 2, FailAfter)
	inner.ok(f.Commit(t.Context(), "a", fence, []graph.Entry{entry(3, "c")}))
	for seq := int64(4); seq < 7; seq++ {
		inner.fails(f.Commit(t.Context(), "a", fence, []graph.Entry{entry(seq, "d")}), ErrInjected)
	}
	inner.equal(inner.log("a", 0), "1:a 2:b 3:c 4:d")
	inner.equal(len(f.Ops()), 4)
}

func TestASequenceEndsWithItsFirstError(t *testing.T) {
	broken := errors.New("broken")
	s := hook(func(_ graph.Store, h *hooked) {
		h.log = func(context.Context, string, int64) iter.Seq2[graph.Entry, error] {
			return sequence([]graph.Entry{entry(1, "a")}, broken)
		}
	})(graph.NewMemoryStore())
	for _, verdict := range []Verdict{Pass, FailAfter} {
		var errs []error
		for _, err := range Faulty(s, func(Op) Verdict { return verdict }).Log(t.Context(), "a", 0) {
			errs = append(errs, err)
		}
		if len(errs) != 2 || errs[0] != nil || !errors.Is(errs[1], broken) {
			t.Errorf("verdict %d: the sequence yields the errors %v", verdict, errs)
		}
	}
}

func TestLeavingALoopIsNoFault(t *testing.T) {
	inner, _, _ := opened(t)
	f := Faulty(inner.store, func(Op) Verdict { return FailAfter })
	for e, err := range f.Log(t.Context(), "a", 0) {
		inner.ok(err)
		inner.equal(e.Seq, 1)
		break
	}
	inner.equal(f.Ops(), []Op{{1, "Log", "a"}})
}
