package graphtest

import (
	"slices"
	"strings"

	"github.com/kbagent/kbagent/graph"
)

func (t *storeTest) list() {
	for i, id := range []string{"b", "a", "é", "a/1", "B", "a\x00"} {
		t.fill(id, strings.Split("xxxxxx"[:i+1], "")...)
	}
	t.equal(t.threads(), "B=5 a=2 a\x00=6 a/1=4 b=1 é=3")
	t.ok(t.store.Delete(t.Context(), "a/1"))
	t.equal(t.threads(), "B=5 a=2 a\x00=6 b=1 é=3")
}

func (t *storeTest) deletion() {
	t.ok(t.store.Delete(t.Context(), "nobody"))
	for _, id := range []string{"a", "b"} {
		fence := t.claim(id)
		t.commit(id, fence, withSnapshot(1, id, id))
		t.pend(id, fence, write(2, "x", id))
	}
	t.ok(t.store.Delete(t.Context(), "a"))
	t.equal(show(t.load("a")), "snapshot 0: log pending")
	t.equal(t.log("a", 0), "")
	t.equal(show(t.load("b")), "snapshot 1:b log pending 2/x:b")
	t.equal(t.threads(), "b=1")
	fence := t.claim("a")
	t.commit("a", fence, entry(1, "new"))
	t.equal(show(t.load("a")), "snapshot 0: log 1:new pending")
	t.ok(t.store.Delete(t.Context(), "a"))
	t.ok(t.store.Delete(t.Context(), "a"))
}

// child is the id of a child.
func child(thread string, names ...string) string {
	for _, name := range names {
		thread += graph.ChildMark + name
	}
	return thread
}

// neighbours are ids that begin like "a_", or match it as a pattern of some database, and are no children of it.
var neighbours = []string{
	"a", "a_b", "a_\x1e", "a_\x20", "a_/x", "A_", "ab", child("ab", "x"), child("A_", "x"), child("a", "x"), child("aa_", "x"), "a_\x1e" + child("", "x"),
}

func (t *storeTest) children() {
	inner := child("a", "x", "y")
	parent := t.fill("a", "a")
	fence := t.fill(inner, "i", "j")
	t.fill(child("orphan", "x"), "o")
	t.equal(t.threads(), "a=1")
	t.commit("a", parent, entry(2, "b")) // the claim on the child was not one on the parent
	t.commit(inner, fence, entry(3, "k"))
	t.equal(t.log("a", 0), "1:a 2:b")
	t.equal(t.log(inner, 0), "1:i 2:j 3:k")
	t.ok(t.store.Trim(t.Context(), inner, graph.Cut{Seq: 2, Old: []byte("j"), New: []byte("J")}))
	t.equal(t.log(inner, 0), "2:J 3:k")
	t.ok(t.store.Delete(t.Context(), inner))
	t.equal(t.log(inner, 0), "")
	t.equal(t.log("a", 0), "1:a 2:b")
}

func (t *storeTest) deleteFamily() {
	family := []string{"a_", child("a_", "x"), child("a_", "x", "y"), child("a_", "\xff")}
	fences := map[string]int64{}
	for _, id := range slices.Concat(family, neighbours) {
		fences[id] = t.fill(id, "1")
		t.pend(id, fences[id], write(2, "k", "w"))
	}
	t.ok(t.store.Delete(t.Context(), "a_"))
	for _, id := range family {
		t.equal(show(t.load(id)), "snapshot 0: log pending")
		t.fails(t.tryCommit(t.Context(), id, fences[id], entry(2, "2")), graph.ErrFenced)
	}
	for _, id := range neighbours {
		t.equal(show(t.load(id)), "snapshot 0: log 1:1 pending 2/k:w")
		t.commit(id, fences[id], entry(2, "2"))
	}
}
