package graphtest

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/kbagent/kbagent/graph"
)

func (t *storeTest) copies() {
	fence := t.claim("a")
	data, snapshot, pending := []byte("data"), []byte("snapshot"), []byte("write")
	t.commit("a", fence, graph.Entry{Seq: 1, Data: data, Snapshot: snapshot}, graph.Entry{Seq: 2, Data: data})
	t.pend("a", fence, graph.PendingWrite{Seq: 3, Key: "x", Data: pending})
	for _, b := range [][]byte{data, snapshot, pending} {
		clear(b)
	}
	const want = "snapshot 1:snapshot log 2:data pending 3/x:write"
	rec := t.load("a")
	t.equal(show(rec), want)
	for _, b := range [][]byte{rec.Snapshot, rec.Log[0].Data, rec.Pending[0].Data} {
		clear(b)
	}
	for e, err := range t.store.Log(t.Context(), "a", 0) {
		t.ok(err)
		clear(e.Data)
	}
	t.equal(show(t.load("a")), want)
	t.equal(t.log("a", 0), "1:data 2:data")
	base := []byte("base")
	t.ok(t.store.Trim(t.Context(), "a", graph.Cut{Seq: 2, Old: []byte("data"), New: base}))
	clear(base)
	t.equal(t.log("a", 0), "2:base")
}

func (t *storeTest) oddIDs() {
	ids := []string{"a", "A", "a ", "a%", "a_", "ä", "a\x00b", "日本", strings.Repeat("x", 500), "'; DROP TABLE x; --"}
	for _, id := range ids {
		t.fill(id, id)
	}
	for _, id := range ids {
		t.equal(t.log(id, 0), "1:"+id)
	}
	slices.Sort(ids)
	t.equal(t.threads(), strings.Join(ids, "=1 ")+"=1")
	raw := make([]byte, 256)
	for i := range raw {
		raw[i] = byte(i)
	}
	fence := t.fill("bytes", "")
	t.commit("bytes", fence, graph.Entry{Seq: 2, Data: raw, Snapshot: raw}, graph.Entry{Seq: 3, Data: raw})
	t.pend("bytes", fence, graph.PendingWrite{Seq: 4, Key: "x", Data: raw}, graph.PendingWrite{Seq: 4, Key: "y"})
	rec := t.load("bytes")
	for _, got := range [][]byte{rec.Snapshot, rec.Log[0].Data, rec.Pending[0].Data} {
		if !bytes.Equal(got, raw) {
			t.Fatalf("got %v, want %v", got, raw)
		}
	}
	t.equal(len(rec.Pending[1].Data), 0)
	t.equal(strings.HasPrefix(t.log("bytes", 0), "1: 2:"), true)
}

func (t *storeTest) large() {
	const size = 10 << 20
	data := make([]byte, size)
	rnd := rand.New(rand.NewPCG(1, 2)) // so that nothing compresses it
	for i := 0; i < size; i += 8 {
		binary.LittleEndian.PutUint64(data[i:], rnd.Uint64())
	}
	same := func(what string, got []byte) {
		t.Helper()
		if !bytes.Equal(got, data) {
			t.Fatalf("%s of %d bytes came back with %d, or others", what, size, len(got))
		}
	}
	fence := t.claim("a")
	t.commit("a", fence, graph.Entry{Seq: 1, Data: data, Snapshot: data}, graph.Entry{Seq: 2, Data: data})
	t.pend("a", fence, graph.PendingWrite{Seq: 3, Key: "x", Data: data})
	rec := t.load("a")
	same("a snapshot", rec.Snapshot)
	same("an entry", rec.Log[0].Data)
	same("a pending write", rec.Pending[0].Data)
	n := 0
	for e, err := range t.store.Log(t.Context(), "a", 0) {
		t.ok(err)
		same("an entry of the log", e.Data)
		n++
	}
	t.equal(n, 2)
	t.ok(t.store.Trim(t.Context(), "a", graph.Cut{Seq: 2, Old: data, New: []byte("small")}))
	t.equal(t.log("a", 0), "2:small")
}
