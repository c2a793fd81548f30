package graphtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kbagent/kbagent/graph"
)

// Store checks that a store keeps the contract of graph.Store. open must return a fresh, empty store each time and close
// it with t.Cleanup.
func Store(t *testing.T, open func(t *testing.T) graph.Store) {
	checks := []struct {
		name string
		run  func(*storeTest)
	}{
		{"A thread that does not exist loads empty", (*storeTest).missing},
		{"Entries come back in order, byte for byte", (*storeTest).entries},
		{"A claim alone does not make a thread", (*storeTest).claimOnly},
		{"A snapshot replaces the older one and shortens the load, not the log", (*storeTest).snapshots},
		{"Pending writes last until an entry settles them", (*storeTest).pending},
		{"A later claim fences the earlier writer off", (*storeTest).fencing},
		{"A fence is never given twice, not even after a deletion", (*storeTest).fenceAfterDelete},
		{"An entry that is not the next one is refused", (*storeTest).sequence},
		{"Of many writers at once exactly one gets each entry", (*storeTest).contention},
		{"A store keeps copies of what it is given", (*storeTest).copies},
		{"Threads are listed in order of their ids", (*storeTest).list},
		{"Thread ids and bytes of any kind are kept apart", (*storeTest).oddIDs},
		{"A deleted thread is gone, and may begin again", (*storeTest).deletion},
		{"A sequence can be left early and ranged over again", (*storeTest).leaving},
		{"A cancelled context changes nothing", (*storeTest).cancelled},
		{"Large entries survive", (*storeTest).large},
	}
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			c.run(&storeTest{T: t, store: open(t)})
		})
	}
}

// storeTest is one check with its store.
type storeTest struct {
	*testing.T
	store graph.Store
}

func (t *storeTest) ok(err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

func (t *storeTest) fails(err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("the error is %v, want %v", err, want)
	}
}

func (t *storeTest) claim(thread string) int64 {
	t.Helper()
	fence, err := t.store.Claim(t.Context(), thread)
	t.ok(err)
	return fence
}

func (t *storeTest) commit(thread string, fence int64, e graph.Entry) {
	t.Helper()
	t.ok(t.tryCommit(t.Context(), thread, fence, e))
}

func (t *storeTest) pend(thread string, fence int64, w graph.PendingWrite) {
	t.Helper()
	t.ok(t.tryPend(t.Context(), thread, fence, w))
}

// tryCommit commits one entry.
func (t *storeTest) tryCommit(ctx context.Context, thread string, fence int64, e graph.Entry) error {
	return t.store.Commit(ctx, thread, fence, []graph.Entry{e})
}

// tryPend saves one pending write.
func (t *storeTest) tryPend(ctx context.Context, thread string, fence int64, w graph.PendingWrite) error {
	return t.store.Pend(ctx, thread, fence, []graph.PendingWrite{w})
}

func (t *storeTest) load(thread string) graph.Record {
	t.Helper()
	rec, err := t.store.Load(t.Context(), thread)
	t.ok(err)
	return rec
}

// log returns the whole log as "seq:data" words.
func (t *storeTest) log(thread string, after int64) string {
	t.Helper()
	var words []string
	for e, err := range t.store.Log(t.Context(), thread, after) {
		t.ok(err)
		words = append(words, fmt.Sprintf("%d:%s", e.Seq, e.Data))
	}
	return strings.Join(words, " ")
}

func (t *storeTest) equal(got, want any) {
	t.Helper()
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		t.Fatalf("got  %s\nwant %s", g, w)
	}
}

// show is a record as a line of text.
func show(r graph.Record) string {
	var b strings.Builder
	fmt.Fprintf(&b, "snapshot %d:%s log", r.SnapshotSeq, r.Snapshot)
	for _, e := range r.Log {
		fmt.Fprintf(&b, " %d:%s", e.Seq, e.Data)
	}
	b.WriteString(" pending")
	for _, w := range r.Pending {
		fmt.Fprintf(&b, " %d/%s:%s", w.Seq, w.Key, w.Data)
	}
	return b.String()
}

func (t *storeTest) missing() {
	t.equal(show(t.load("nobody")), "snapshot 0: log pending")
	t.equal(t.log("nobody", 0), "")
	rec := t.load("nobody")
	t.equal(rec.Seq(), 0)
}

func (t *storeTest) entries() {
	fence := t.claim("a")
	for i := range 5 {
		t.commit("a", fence, graph.Entry{Seq: int64(i + 1), Data: []byte{byte('a' + i)}})
	}
	t.equal(show(t.load("a")), "snapshot 0: log 1:a 2:b 3:c 4:d 5:e pending")
	t.equal(t.log("a", 0), "1:a 2:b 3:c 4:d 5:e")
	t.equal(t.log("a", 3), "4:d 5:e")
	t.equal(t.log("a", 9), "")
}

func (t *storeTest) claimOnly() {
	t.claim("a")
	t.equal(show(t.load("a")), "snapshot 0: log pending")
	for info, err := range t.store.Threads(t.Context()) {
		t.Fatalf("listed: %v, %v", info, err)
	}
}

func (t *storeTest) snapshots() {
	fence := t.claim("a")
	t.commit("a", fence, graph.Entry{Seq: 1, Data: []byte("a")})
	t.commit("a", fence, graph.Entry{Seq: 2, Data: []byte("b"), Snapshot: []byte("AB")})
	t.equal(show(t.load("a")), "snapshot 2:AB log pending")
	t.commit("a", fence, graph.Entry{Seq: 3, Data: []byte("c")})
	t.equal(show(t.load("a")), "snapshot 2:AB log 3:c pending")
	t.commit("a", fence, graph.Entry{Seq: 4, Data: []byte("d"), Snapshot: []byte("ABCD")})
	t.commit("a", fence, graph.Entry{Seq: 5, Data: []byte("e")})
	t.equal(show(t.load("a")), "snapshot 4:ABCD log 5:e pending")
	t.equal(t.log("a", 0), "1:a 2:b 3:c 4:d 5:e")
}

func (t *storeTest) pending() {
	fence := t.claim("a")
	t.commit("a", fence, graph.Entry{Seq: 1, Data: []byte("a")})
	t.pend("a", fence, graph.PendingWrite{Seq: 2, Key: "y", Data: []byte("1")})
	t.pend("a", fence, graph.PendingWrite{Seq: 2, Key: "x", Data: []byte("2")})
	t.pend("a", fence, graph.PendingWrite{Seq: 2, Key: "y", Data: []byte("3")})
	t.equal(show(t.load("a")), "snapshot 0: log 1:a pending 2/x:2 2/y:3")
	fence = t.claim("a")
	t.equal(show(t.load("a")), "snapshot 0: log 1:a pending 2/x:2 2/y:3")
	t.commit("a", fence, graph.Entry{Seq: 2, Data: []byte("b"), Settles: true})
	t.equal(show(t.load("a")), "snapshot 0: log 1:a 2:b pending")
	t.pend("a", fence, graph.PendingWrite{Seq: 3, Key: "y", Data: []byte("4")})
	t.equal(show(t.load("a")), "snapshot 0: log 1:a 2:b pending 3/y:4")
}

func (t *storeTest) fencing() {
	first := t.claim("a")
	t.commit("a", first, graph.Entry{Seq: 1, Data: []byte("a")})
	second := t.claim("a")
	if second <= first {
		t.Fatalf("the second fence %d is not greater than the first %d", second, first)
	}
	t.fails(t.tryCommit(t.Context(), "a", first, graph.Entry{Seq: 2, Data: []byte("lost"), Snapshot: []byte("lost")}), graph.ErrFenced)
	t.fails(t.tryPend(t.Context(), "a", first, graph.PendingWrite{Seq: 2, Key: "x", Data: []byte("lost")}), graph.ErrFenced)
	t.equal(show(t.load("a")), "snapshot 0: log 1:a pending")
	t.commit("a", second, graph.Entry{Seq: 2, Data: []byte("b")})
	t.fails(t.tryCommit(t.Context(), "never claimed", second, graph.Entry{Seq: 1, Data: []byte("x")}), graph.ErrFenced)
	t.equal(t.log("never claimed", 0), "")
}

func (t *storeTest) fenceAfterDelete() {
	first := t.claim("a")
	t.commit("a", first, graph.Entry{Seq: 1, Data: []byte("a")})
	t.ok(t.store.Delete(t.Context(), "a"))
	t.fails(t.tryCommit(t.Context(), "a", first, graph.Entry{Seq: 2, Data: []byte("b")}), graph.ErrFenced)
	t.fails(t.tryCommit(t.Context(), "a", first, graph.Entry{Seq: 1, Data: []byte("b")}), graph.ErrFenced)
	other := t.claim("b")
	second := t.claim("a")
	if second <= first || other <= first || second == other {
		t.Fatalf("fences %d, %d, %d do not grow", first, other, second)
	}
	t.fails(t.tryCommit(t.Context(), "a", first, graph.Entry{Seq: 1, Data: []byte("b")}), graph.ErrFenced)
	t.equal(t.log("a", 0), "")
}

func (t *storeTest) sequence() {
	fence := t.claim("a")
	for _, seq := range []int64{-1, 0, 2, 5} {
		t.fails(t.tryCommit(t.Context(), "a", fence, graph.Entry{Seq: seq, Data: []byte("x"), Snapshot: []byte("x")}), graph.ErrSequence)
	}
	t.commit("a", fence, graph.Entry{Seq: 1, Data: []byte("a")})
	for _, seq := range []int64{0, 1, 3} {
		t.fails(t.tryCommit(t.Context(), "a", fence, graph.Entry{Seq: seq, Data: []byte("x"), Settles: true}), graph.ErrSequence)
		t.fails(t.tryPend(t.Context(), "a", fence, graph.PendingWrite{Seq: seq, Key: "x"}), graph.ErrSequence)
	}
	t.equal(show(t.load("a")), "snapshot 0: log 1:a pending")
}

func (t *storeTest) contention() {
	const writers, rounds = 8, 20
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		wins []string
	)
	for w := range writers {
		wg.Go(func() {
			for i := range rounds {
				fence, err := t.store.Claim(t.Context(), "a")
				if err != nil {
					t.Errorf("claim: %v", err)
					return
				}
				rec, err := t.store.Load(t.Context(), "a")
				if err != nil {
					t.Errorf("load: %v", err)
					return
				}
				seq := rec.Seq() + 1
				data := fmt.Sprintf("%d.%d", w, i)
				err = t.tryCommit(t.Context(), "a", fence, graph.Entry{Seq: seq, Data: []byte(data)})
				switch {
				case err == nil:
					mu.Lock()
					wins = append(wins, fmt.Sprintf("%d:%s", seq, data))
					mu.Unlock()
				case !errors.Is(err, graph.ErrFenced) && !errors.Is(err, graph.ErrSequence):
					t.Errorf("commit: %v", err)
				}
			}
		})
	}
	wg.Wait()
	logged := strings.Fields(t.log("a", 0))
	slices.Sort(wins)
	sorted := slices.Sorted(slices.Values(logged))
	t.equal(sorted, wins)
	for i, word := range logged {
		if !strings.HasPrefix(word, fmt.Sprintf("%d:", i+1)) {
			t.Fatalf("entry %d of the log is %s", i+1, word)
		}
	}
	if len(wins) == 0 {
		t.Fatal("nobody ever won")
	}
}

func (t *storeTest) copies() {
	fence := t.claim("a")
	data, snapshot, write := []byte("data"), []byte("snapshot"), []byte("write")
	t.commit("a", fence, graph.Entry{Seq: 1, Data: data})
	t.commit("a", fence, graph.Entry{Seq: 2, Data: data, Snapshot: snapshot})
	t.pend("a", fence, graph.PendingWrite{Seq: 3, Key: "x", Data: write})
	for _, b := range [][]byte{data, snapshot, write} {
		clear(b)
	}
	rec := t.load("a")
	t.equal(show(rec), "snapshot 2:snapshot log pending 3/x:write")
	clear(rec.Snapshot)
	clear(rec.Pending[0].Data)
	t.equal(show(t.load("a")), "snapshot 2:snapshot log pending 3/x:write")
	t.equal(t.log("a", 0), "1:data 2:data")
}

func (t *storeTest) list() {
	for i, id := range []string{"b", "a", "é", "a/1", "B"} {
		fence := t.claim(id)
		for seq := range i + 1 {
			t.commit(id, fence, graph.Entry{Seq: int64(seq + 1), Data: []byte("x")})
		}
	}
	var got []string
	for info, err := range t.store.Threads(t.Context()) {
		t.ok(err)
		got = append(got, fmt.Sprintf("%s=%d", info.Thread, info.Seq))
	}
	t.equal(got, "[B=5 a=2 a/1=4 b=1 é=3]")
}

func (t *storeTest) oddIDs() {
	ids := []string{"a", "A", "a ", "a%", "a_", "ä", "a\x00b", "日本", strings.Repeat("x", 500), "'; DROP TABLE x; --"}
	for _, id := range ids {
		fence := t.claim(id)
		t.commit(id, fence, graph.Entry{Seq: 1, Data: []byte(id)})
	}
	for _, id := range ids {
		t.equal(t.log(id, 0), "1:"+id)
	}
	fence := t.claim("bytes")
	raw := []byte{0, 1, 255, '\'', '\n'}
	t.commit("bytes", fence, graph.Entry{Seq: 1, Data: raw})
	if rec := t.load("bytes"); !bytes.Equal(rec.Log[0].Data, raw) {
		t.Fatalf("got %v, want %v", rec.Log[0].Data, raw)
	}
}

func (t *storeTest) deletion() {
	t.ok(t.store.Delete(t.Context(), "nobody"))
	for _, id := range []string{"a", "b"} {
		fence := t.claim(id)
		t.commit(id, fence, graph.Entry{Seq: 1, Data: []byte(id), Snapshot: []byte(id)})
		t.pend(id, fence, graph.PendingWrite{Seq: 2, Key: "x", Data: []byte(id)})
	}
	t.ok(t.store.Delete(t.Context(), "a"))
	t.equal(show(t.load("a")), "snapshot 0: log pending")
	t.equal(t.log("a", 0), "")
	t.equal(show(t.load("b")), "snapshot 1:b log pending 2/x:b")
	fence := t.claim("a")
	t.commit("a", fence, graph.Entry{Seq: 1, Data: []byte("new")})
	t.equal(show(t.load("a")), "snapshot 0: log 1:new pending")
}

func (t *storeTest) leaving() {
	fence := t.claim("a")
	for seq := int64(1); seq <= 3; seq++ {
		t.commit("a", fence, graph.Entry{Seq: seq, Data: []byte("x")})
	}
	log := t.store.Log(t.Context(), "a", 0)
	for range 2 {
		for e, err := range log {
			t.ok(err)
			t.equal(e.Seq, 1)
			break
		}
	}
	threads := t.store.Threads(t.Context())
	for range 2 {
		for _, err := range threads {
			t.ok(err)
			break
		}
	}
	t.commit("a", fence, graph.Entry{Seq: 4, Data: []byte("x")}) // no reader is left in the way
}

func (t *storeTest) cancelled() {
	fence := t.claim("a")
	t.commit("a", fence, graph.Entry{Seq: 1, Data: []byte("a")})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := t.store.Claim(ctx, "a")
	t.fails(err, context.Canceled)
	_, err = t.store.Load(ctx, "a")
	t.fails(err, context.Canceled)
	t.fails(t.tryCommit(ctx, "a", fence, graph.Entry{Seq: 2, Data: []byte("b")}), context.Canceled)
	t.fails(t.tryPend(ctx, "a", fence, graph.PendingWrite{Seq: 2, Key: "x"}), context.Canceled)
	t.fails(t.store.Delete(ctx, "a"), context.Canceled)
	for _, err := range t.store.Log(ctx, "a", 0) {
		t.fails(err, context.Canceled)
	}
	t.equal(show(t.load("a")), "snapshot 0: log 1:a pending")
	t.commit("a", fence, graph.Entry{Seq: 2, Data: []byte("b")}) // the claim was not lost
}

func (t *storeTest) large() {
	fence := t.claim("a")
	data := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	t.commit("a", fence, graph.Entry{Seq: 1, Data: data})
	t.commit("a", fence, graph.Entry{Seq: 2, Data: data, Snapshot: data})
	rec := t.load("a")
	if !bytes.Equal(rec.Snapshot, data) || rec.SnapshotSeq != 2 {
		t.Fatalf("a snapshot of %d bytes came back with %d", len(data), len(rec.Snapshot))
	}
	n := 0
	for e, err := range t.store.Log(t.Context(), "a", 0) {
		t.ok(err)
		if !bytes.Equal(e.Data, data) {
			t.Fatalf("entry %d has %d bytes, want %d", e.Seq, len(e.Data), len(data))
		}
		n++
	}
	t.equal(n, 2)
}
