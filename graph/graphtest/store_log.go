package graphtest

import (
	"context"
	"fmt"
	"iter"

	"github.com/kbagent/kbagent/graph"
)

func (t *storeTest) missing() {
	t.equal(show(t.load("nobody")), "snapshot 0: log pending")
	t.equal(t.log("nobody", 0), "")
	rec := t.load("nobody")
	t.equal(rec.Seq(), 0)
}

func (t *storeTest) entries() {
	fence := t.claim("a")
	for i := range 5 {
		t.commit("a", fence, entry(int64(i+1), string(rune('a'+i))))
	}
	t.equal(show(t.load("a")), "snapshot 0: log 1:a 2:b 3:c 4:d 5:e pending")
	t.equal(t.log("a", 0), "1:a 2:b 3:c 4:d 5:e")
	t.equal(t.log("a", 3), "4:d 5:e")
	t.equal(t.log("a", 9), "")
}

func (t *storeTest) batch() {
	fence := t.claim("a")
	t.commit("a", fence, withSnapshot(1, "a", "A"), entry(2, "b"), withSnapshot(3, "c", "ABC"), entry(4, "d"))
	t.equal(show(t.load("a")), "snapshot 3:ABC log 4:d pending")
	t.equal(t.log("a", 0), "1:a 2:b 3:c 4:d")
	t.commit("a", fence, entry(5, "e"), entry(6, "f"))
	t.equal(show(t.load("a")), "snapshot 3:ABC log 4:d 5:e 6:f pending")
	t.equal(t.threads(), "a=6")
}

func (t *storeTest) sequence() {
	fence := t.claim("a")
	for _, seq := range []int64{-1, 0, 2, 5} {
		t.fails(t.tryCommit(t.Context(), "a", fence, withSnapshot(seq, "x", "x")), graph.ErrSequence)
	}
	t.commit("a", fence, entry(1, "a"))
	for _, seq := range []int64{0, 1, 3} {
		t.fails(t.tryCommit(t.Context(), "a", fence, graph.Entry{Seq: seq, Data: []byte("x"), Settles: true}), graph.ErrSequence)
		t.fails(t.tryPend(t.Context(), "a", fence, write(seq, "x", "x")), graph.ErrSequence)
	}
	t.equal(show(t.load("a")), "snapshot 0: log 1:a pending")
}

func (t *storeTest) batchWhole() {
	fence := t.fill("a", "a")
	t.pend("a", fence, write(2, "x", "kept"))
	lost := func(seq int64) graph.Entry {
		return graph.Entry{Seq: seq, Data: []byte("lost"), Snapshot: []byte("lost"), Settles: true}
	}
	for _, seqs := range [][]int64{{2, 4}, {2, 2}, {2, 1}, {3, 2}, {3, 4}, {1, 2}, {2, 3, 5}} {
		var entries []graph.Entry
		for _, seq := range seqs {
			entries = append(entries, lost(seq))
		}
		t.fails(t.store.Commit(t.Context(), "a", fence, entries), graph.ErrSequence)
	}
	later := t.claim("a")
	t.fails(t.store.Commit(t.Context(), "a", fence, []graph.Entry{lost(2), lost(3)}), graph.ErrFenced)
	t.equal(show(t.load("a")), "snapshot 0: log 1:a pending 2/x:kept")
	t.commit("a", later, entry(2, "b"), entry(3, "c")) // the numbers of what was refused are free
	t.equal(t.log("a", 0), "1:a 2:b 3:c")
}

func (t *storeTest) snapshots() {
	fence := t.claim("a")
	t.commit("a", fence, entry(1, "a"))
	t.commit("a", fence, withSnapshot(2, "b", "AB"))
	t.equal(show(t.load("a")), "snapshot 2:AB log pending")
	t.commit("a", fence, entry(3, "c"))
	t.equal(show(t.load("a")), "snapshot 2:AB log 3:c pending")
	t.commit("a", fence, withSnapshot(4, "d", "ABCD"))
	t.commit("a", fence, entry(5, "e"))
	t.equal(show(t.load("a")), "snapshot 4:ABCD log 5:e pending")
	t.equal(t.log("a", 0), "1:a 2:b 3:c 4:d 5:e")
	for e, err := range t.store.Log(t.Context(), "a", 0) {
		t.ok(err)
		if e.Snapshot != nil {
			t.Fatalf("the log brings the snapshot of entry %d", e.Seq)
		}
	}
}

func (t *storeTest) leaving() {
	fence := t.fill("a", "a", "b", "c")
	t.fill("b", "a")
	log := t.store.Log(t.Context(), "a", 0)
	threads := t.store.Threads(t.Context())
	var seen []string
	for range 2 {
		for e, err := range log {
			t.ok(err)
			seen = append(seen, fmt.Sprint(e.Seq))
			break
		}
		for info, err := range threads {
			t.ok(err)
			seen = append(seen, info.Thread)
			break
		}
	}
	t.equal(seen, "[1 a 1 a]")
	t.commit("a", fence, entry(4, "d")) // no reader is left in the way
}

func (t *storeTest) cancelled() {
	fence := t.fill("a", "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := t.store.Claim(ctx, "a")
	t.fails(err, context.Canceled)
	_, err = t.store.Load(ctx, "a")
	t.fails(err, context.Canceled)
	t.fails(t.tryCommit(ctx, "a", fence, entry(2, "b")), context.Canceled)
	t.fails(t.tryPend(ctx, "a", fence, write(2, "x", "")), context.Canceled)
	t.fails(t.store.Copy(ctx, "a", "b"), context.Canceled)
	t.fails(t.store.Trim(ctx, "a", graph.Cut{Seq: 1, Old: []byte("a"), New: []byte("b")}), context.Canceled)
	t.fails(t.store.Delete(ctx, "a"), context.Canceled)
	t.fails(lastError(t.store.Log(ctx, "a", 0)), context.Canceled)
	t.fails(lastError(t.store.Threads(ctx)), context.Canceled)
	t.equal(show(t.load("a")), "snapshot 0: log 1:a pending")
	t.equal(t.threads(), "a=1")
	t.commit("a", fence, entry(2, "b")) // the claim was not lost
}

// lastError ranges over a sequence to its end.
func lastError[T any](seq iter.Seq2[T, error]) (last error) {
	for _, err := range seq {
		last = err
	}
	return last
}
