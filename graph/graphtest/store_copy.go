package graphtest

import (
	"strings"

	"github.com/kbagent/kbagent/graph"
)

func (t *storeTest) copyFamily() {
	fence := t.claim("a")
	t.commit("a", fence, entry(1, "a"), withSnapshot(2, "b", "AB"), entry(3, "c"))
	t.pend("a", fence, write(4, "x", "1"), write(4, "\x00", "2"))
	inner := t.claim(child("a", "x"))
	t.commit(child("a", "x"), inner, withSnapshot(1, "i", "I"))
	t.pend(child("a", "x"), inner, write(2, "k", "3"))
	t.fill(child("a", "x", "y"), "j")
	t.ok(t.store.Copy(t.Context(), "a", "b"))
	for _, id := range []string{"a", "b"} {
		t.equal(show(t.load(id)), "snapshot 2:AB log 3:c pending 4/\x00:2 4/x:1")
		t.equal(t.log(id, 0), "1:a 2:b 3:c")
		t.equal(show(t.load(child(id, "x"))), "snapshot 1:I log pending 2/k:3")
		t.equal(t.log(child(id, "x", "y"), 0), "1:j")
	}
	t.equal(t.threads(), "a=3 b=3")
	t.ok(t.store.Copy(t.Context(), child("a", "x"), "c")) // a child of its own right
	t.equal(show(t.load("c")), "snapshot 1:I log pending 2/k:3")
	t.equal(t.log(child("c", "y"), 0), "1:j")
}

func (t *storeTest) copyNeighbours() {
	t.fill("a_", "1")
	for _, id := range neighbours {
		t.fill(id, "1")
	}
	t.ok(t.store.Copy(t.Context(), "a_", "z"))
	t.equal(t.log("z", 0), "1:1")
	for _, id := range neighbours {
		t.equal(t.log(id, 0), "1:1")
		if rest, ok := strings.CutPrefix(id, "a_"); ok {
			t.equal(t.log("z"+rest, 0), "")
		}
	}
	t.equal(t.log(child("z", "x"), 0), "")
	t.ok(t.store.Copy(t.Context(), "a_", "a_c")) // an id that begins alike is a target like any other
	t.equal(t.log("a_c", 0), "1:1")
}

func (t *storeTest) copyIndependent() {
	a := t.fill("a", "1", "2")
	t.fill(child("a", "x"), "i")
	t.pend("a", a, write(3, "k", "w"))
	t.ok(t.store.Copy(t.Context(), "a", "b"))
	b := t.claim("b")
	t.pend("b", b, write(3, "k", "other"), write(3, "l", "more"))
	t.equal(show(t.load("a")), "snapshot 0: log 1:1 2:2 pending 3/k:w")
	t.commit("b", b, graph.Entry{Seq: 3, Data: []byte("b"), Snapshot: []byte("B"), Settles: true})
	t.equal(show(t.load("a")), "snapshot 0: log 1:1 2:2 pending 3/k:w")
	t.commit("a", a, graph.Entry{Seq: 3, Data: []byte("a"), Settles: true}, entry(4, "a"))
	t.equal(show(t.load("b")), "snapshot 3:B log pending")
	t.ok(t.store.Trim(t.Context(), "a", graph.Cut{Seq: 2, Old: []byte("2"), New: []byte("base")}))
	t.equal(t.log("b", 0), "1:1 2:2 3:b")
	t.ok(t.store.Delete(t.Context(), "a"))
	t.equal(t.log("b", 0), "1:1 2:2 3:b")
	t.equal(t.log(child("b", "x"), 0), "1:i")
	t.commit("b", b, entry(4, "b"))
}

func (t *storeTest) copyMissing() {
	t.claim("claimed")
	for _, from := range []string{"nobody", "claimed"} {
		t.fails(t.store.Copy(t.Context(), from, "b"), graph.ErrNoThread)
	}
	t.fill("a", "1")
	t.ok(t.store.Delete(t.Context(), "a"))
	t.fails(t.store.Copy(t.Context(), "a", "b"), graph.ErrNoThread)
	t.equal(t.threads(), "")
	t.equal(show(t.load("b")), "snapshot 0: log pending")
}

func (t *storeTest) copyOnto() {
	t.fill("a", "1", "2")
	t.fill(child("a", "x"), "i")
	taken := t.fill("taken", "t")
	orphan := t.fill(child("parent", "x"), "o")
	for _, to := range []string{"taken", "parent", "a"} {
		t.fails(t.store.Copy(t.Context(), "a", to), graph.ErrThreadExists)
	}
	t.equal(t.log("a", 0), "1:1 2:2")
	t.equal(t.log("taken", 0), "1:t")
	t.equal(t.log(child("taken", "x"), 0), "")
	t.equal(t.log("parent", 0), "")
	t.equal(t.log(child("parent", "x"), 0), "1:o")
	t.commit("taken", taken, entry(2, "u")) // a copy that was refused takes no claim
	t.commit(child("parent", "x"), orphan, entry(2, "p"))
}

func (t *storeTest) copyClaims() {
	a := t.fill("a", "1")
	to := t.claim("b")
	t.ok(t.store.Copy(t.Context(), "a", "b"))
	for _, fence := range []int64{a, to, 0} {
		t.fails(t.tryCommit(t.Context(), "b", fence, entry(2, "lost")), graph.ErrFenced)
		t.fails(t.tryPend(t.Context(), "b", fence, write(2, "x", "lost")), graph.ErrFenced)
	}
	t.equal(show(t.load("b")), "snapshot 0: log 1:1 pending")
	t.commit("a", a, entry(2, "2"))
	b := t.claim("b")
	if b <= a || b <= to {
		t.Fatalf("fence %d is not greater than %d and %d", b, a, to)
	}
	t.commit("b", b, entry(2, "3"))
	t.commit("a", a, entry(3, "4"))
}
