package graphtest

import (
	"errors"

	"github.com/kbagent/kbagent/graph"
)

// cut is a Cut of words.
func cut(seq int64, before, after string, drop ...int64) graph.Cut {
	return graph.Cut{Seq: seq, Old: []byte(before), New: []byte(after), Drop: drop}
}

// doTrim trims a thread.
func (t *storeTest) doTrim(thread string, c graph.Cut) {
	t.Helper()
	t.ok(t.store.Trim(t.Context(), thread, c))
}

func (t *storeTest) trim() {
	t.fill("a", "a", "b", "c", "d", "e")
	t.doTrim("a", cut(3, "c", "a base that is longer than what it replaces"))
	t.equal(t.log("a", 0), "3:a base that is longer than what it replaces 4:d 5:e")
	t.equal(t.log("a", 3), "4:d 5:e")
	t.equal(show(t.load("a")), "snapshot 0: log 3:a base that is longer than what it replaces 4:d 5:e pending")
	t.doTrim("a", cut(3, "a base that is longer than what it replaces", "")) // again, at the same place
	t.equal(t.log("a", 0), "3: 4:d 5:e")
	t.doTrim("a", cut(3, "", "C"))
	t.doTrim("a", cut(5, "e", "E"))
	t.equal(t.log("a", 0), "5:E")
	t.equal(t.threads(), "a=5")
	t.fill("b", "a", "b")
	t.doTrim("b", cut(1, "a", "a")) // that changes nothing
	t.equal(t.log("b", 0), "1:a 2:b")
}

func (t *storeTest) trimMiddle() {
	fence := t.fill("a", "a", "b", "c", "d", "e", "f", "g")
	t.doTrim("a", cut(2, "b", "B", 3, 5))
	t.equal(t.log("a", 0), "2:B 4:d 6:f 7:g")
	t.equal(t.log("a", 2), "4:d 6:f 7:g")
	t.doTrim("a", cut(2, "B", "BB", 4, 6))
	t.equal(t.log("a", 0), "2:BB 7:g")
	t.commit("a", fence, entry(8, "h"))
	t.doTrim("a", cut(2, "BB", "B", 7))
	t.equal(show(t.load("a")), "snapshot 0: log 2:B 8:h pending")
}

func (t *storeTest) trimSnapshots() {
	for _, id := range []string{"older", "same", "newer", "dropped"} {
		fence := t.claim(id)
		t.commit(id, fence, entry(1, "a"), withSnapshot(2, "b", "AB"), entry(3, "c"), entry(4, "d"))
	}
	t.doTrim("older", cut(3, "c", "base"))
	t.equal(show(t.load("older")), "snapshot 0: log 3:base 4:d pending")
	t.doTrim("same", cut(2, "b", "base"))
	t.equal(show(t.load("same")), "snapshot 2:AB log 3:c 4:d pending")
	t.doTrim("newer", cut(1, "a", "base", 3))
	t.equal(show(t.load("newer")), "snapshot 2:AB log 4:d pending")
	t.doTrim("dropped", cut(1, "a", "base", 2))
	t.equal(show(t.load("dropped")), "snapshot 2:AB log 3:c 4:d pending")
	t.equal(t.log("dropped", 0), "1:base 3:c 4:d")
	fence := t.claim("older") // another one comes in time
	t.commit("older", fence, withSnapshot(5, "e", "ABCDE"))
	t.equal(show(t.load("older")), "snapshot 5:ABCDE log pending")
}

func (t *storeTest) trimGoesOn() {
	fence := t.fill("a", "a", "b", "c")
	t.pend("a", fence, write(4, "x", "1"), write(4, "y", "2"))
	t.doTrim("a", cut(3, "c", "base"))
	t.equal(show(t.load("a")), "snapshot 0: log 3:base pending 4/x:1 4/y:2")
	t.pend("a", fence, write(4, "y", "3"))
	for _, seq := range []int64{1, 2, 3, 5} {
		t.fails(t.tryCommit(t.Context(), "a", fence, entry(seq, "x")), graph.ErrSequence)
	}
	t.equal(show(t.load("a")), "snapshot 0: log 3:base pending 4/x:1 4/y:3")
	t.commit("a", fence, graph.Entry{Seq: 4, Data: []byte("d"), Settles: true})
	t.equal(show(t.load("a")), "snapshot 0: log 3:base 4:d pending")
}

func (t *storeTest) trimConflicts() {
	fence := t.claim("a")
	t.commit("a", fence, entry(1, "a"), withSnapshot(2, "b", "AB"), entry(3, "c"), entry(4, "d"), entry(5, "e"))
	t.pend("a", fence, write(6, "x", "1"))
	t.doTrim("a", cut(2, "b", "B", 4))
	log, rec := t.log("a", 0), show(t.load("a"))
	for what, c := range map[string]graph.Cut{
		"an entry that is gone":           cut(1, "a", "new"),
		"an entry that was dropped":       cut(4, "d", "new"),
		"an entry that is yet to come":    cut(6, "f", "new"),
		"no entry at all":                 cut(0, "", "new"),
		"data of before the last trim":    cut(2, "b", "new"),
		"data that merely begins alike":   cut(3, "cc", "new"),
		"no data":                         cut(3, "", "new"),
		"a drop of the entry that stays":  cut(2, "B", "new", 2),
		"a drop of one before that":       cut(3, "c", "new", 2),
		"a drop of the last one":          cut(2, "B", "new", 3, 5),
		"a drop of one behind the last":   cut(2, "B", "new", 3, 6),
		"a drop of what stays as the one": cut(5, "e", "new", 5),
	} {
		if err := t.store.Trim(t.Context(), "a", c); !errors.Is(err, graph.ErrConflict) {
			t.Fatalf("%s: the error is %v, want %v", what, err, graph.ErrConflict)
		}
		t.equal(t.log("a", 0), log)
		t.equal(show(t.load("a")), rec)
	}
	t.fails(t.store.Trim(t.Context(), "nobody", cut(1, "", "new")), graph.ErrConflict)
	t.claim("claimed")
	t.fails(t.store.Trim(t.Context(), "claimed", cut(1, "", "new")), graph.ErrConflict)
	t.equal(t.threads(), "a=5")
}

func (t *storeTest) trimNeighbours() {
	ids := append([]string{child("a_", "x"), child("a_", "x", "y")}, neighbours...)
	t.fill("a_", "a", "b", "c", "d")
	for _, id := range ids {
		fence := t.claim(id)
		t.commit(id, fence, withSnapshot(1, "a", "A"), entry(2, "b"), entry(3, "c"), entry(4, "d"))
	}
	t.doTrim("a_", cut(2, "b", "B", 3))
	t.equal(t.log("a_", 0), "2:B 4:d")
	for _, id := range ids {
		t.equal(t.log(id, 0), "1:a 2:b 3:c 4:d")
		t.equal(show(t.load(id)), "snapshot 1:A log 2:b 3:c 4:d pending")
	}
}

func (t *storeTest) trimThenCopy() {
	fence := t.fill("a", "a", "b", "c", "d")
	t.pend("a", fence, write(5, "x", "1"))
	t.doTrim("a", cut(2, "b", "B", 3))
	t.ok(t.store.Copy(t.Context(), "a", "b"))
	t.equal(show(t.load("b")), "snapshot 0: log 2:B 4:d pending 5/x:1")
	t.equal(t.log("b", 0), "2:B 4:d")
	other := t.claim("b")
	t.commit("b", other, entry(5, "e"))
	t.doTrim("b", cut(4, "d", "D"))
	t.equal(t.log("b", 0), "4:D 5:e")
	t.equal(t.log("a", 0), "2:B 4:d")
}
