package graphtest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/kbagent/kbagent/graph"
)

func (t *storeTest) pending() {
	fence := t.fill("a", "a")
	t.pend("a", fence, write(2, "y", "1"))
	t.pend("a", fence, write(2, "x", "2"))
	t.pend("a", fence, write(2, "y", "3"))
	t.equal(show(t.load("a")), "snapshot 0: log 1:a pending 2/x:2 2/y:3")
	fence = t.claim("a")
	t.equal(show(t.load("a")), "snapshot 0: log 1:a pending 2/x:2 2/y:3")
	t.commit("a", fence, graph.Entry{Seq: 2, Data: []byte("b"), Settles: true})
	t.equal(show(t.load("a")), "snapshot 0: log 1:a 2:b pending")
	t.pend("a", fence, write(3, "y", "4"))
	t.equal(show(t.load("a")), "snapshot 0: log 1:a 2:b pending 3/y:4")
}

func (t *storeTest) unsettled() {
	fence := t.fill("a", "a")
	t.pend("a", fence, write(2, "x", "old"), write(2, "y", "old"))
	t.commit("a", fence, entry(2, "b"))
	t.equal(show(t.load("a")), "snapshot 0: log 1:a 2:b pending")
	t.pend("a", fence, write(3, "y", "new"))
	t.equal(show(t.load("a")), "snapshot 0: log 1:a 2:b pending 3/y:new")
	t.commit("a", fence, graph.Entry{Seq: 3, Data: []byte("c"), Settles: true})
	t.equal(show(t.load("a")), "snapshot 0: log 1:a 2:b 3:c pending")
}

func (t *storeTest) settlesInTheMiddle() {
	fence := t.fill("a", "a")
	t.pend("a", fence, write(2, "x", "1"), write(2, "y", "2"))
	t.commit("a", fence, entry(2, "b"), graph.Entry{Seq: 3, Data: []byte("c"), Settles: true}, entry(4, "d"))
	t.equal(show(t.load("a")), "snapshot 0: log 1:a 2:b 3:c 4:d pending")
	t.pend("a", fence, write(5, "z", "3"))
	t.equal(show(t.load("a")), "snapshot 0: log 1:a 2:b 3:c 4:d pending 5/z:3")
}

func (t *storeTest) pendWhole() {
	fence := t.fill("a", "a")
	t.pend("a", fence, write(2, "m", "1"), write(2, "z", "2"), write(2, "b", "3"))
	const before = "snapshot 0: log 1:a pending 2/b:3 2/m:1 2/z:2"
	t.equal(show(t.load("a")), before)
	t.fails(t.store.Pend(t.Context(), "a", fence, []graph.PendingWrite{write(2, "a", "lost"), write(3, "c", "lost")}), graph.ErrSequence)
	t.fails(t.store.Pend(t.Context(), "a", fence, []graph.PendingWrite{write(2, "b", "lost"), write(1, "c", "lost")}), graph.ErrSequence)
	later := t.claim("a")
	t.fails(t.store.Pend(t.Context(), "a", fence, []graph.PendingWrite{write(2, "b", "lost"), write(2, "c", "lost")}), graph.ErrFenced)
	t.equal(show(t.load("a")), before)
	t.pend("a", later, write(2, "c", "4"), write(2, "m", "5"))
	t.equal(show(t.load("a")), "snapshot 0: log 1:a pending 2/b:3 2/c:4 2/m:5 2/z:2")
}

func (t *storeTest) oddKeys() {
	keys := []string{
		"", "\x00", "\x00\x00", "#", "/", "A", "a", "a\x00b", "a\x1fb", "a#1", "a#10", "a#2", "a/b", "a/b/c", "a_", "ab",
		"z", "\x80", "é", "日本", "\xff", "\xff\xfe",
	}
	slices.Sort(keys)
	fence := t.fill("a", "a")
	var writes []graph.PendingWrite
	for _, i := range rand.New(rand.NewPCG(3, 4)).Perm(len(keys)) {
		writes = append(writes, write(2, keys[i], "old"))
	}
	t.pend("a", fence, writes...)
	for i, key := range keys {
		t.pend("a", fence, write(2, key, fmt.Sprint(i)))
	}
	pending := t.load("a").Pending
	for i, w := range pending {
		t.equal(fmt.Sprintf("%q: %s", w.Key, w.Data), fmt.Sprintf("%q: %d", keys[i], i))
	}
	t.equal(len(pending), len(keys))
}
