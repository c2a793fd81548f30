package graphtest

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/kbagent/kbagent/graph"
)

// A moment is what one thread of a test looks like after n rounds of its writer: entries "1" to "n", a snapshot of an entry
// in most of them, and nothing pending or one write for the next entry.
func checkMoment(rec graph.Record) error {
	seq := rec.SnapshotSeq
	if seq > 0 && string(rec.Snapshot) != fmt.Sprint("s", seq) {
		return fmt.Errorf("the snapshot of entry %d is %s", seq, rec.Snapshot)
	}
	for _, e := range rec.Log {
		if seq++; e.Seq != seq || string(e.Data) != fmt.Sprint(seq) {
			return fmt.Errorf("%d:%s instead of entry %d", e.Seq, e.Data, seq)
		}
	}
	for _, w := range rec.Pending {
		if w.Seq != seq+1 || string(w.Data) != fmt.Sprint("w", seq+1) {
			return fmt.Errorf("pending %d:%s behind entry %d", w.Seq, w.Data, seq)
		}
	}
	return nil
}

// round saves a pending write and commits the entry that it belongs to.
func (t *storeTest) round(thread string, fence, seq int64) error {
	err := t.tryPend(t.Context(), thread, fence, write(seq, "k", fmt.Sprint("w", seq)))
	if err != nil {
		return fmt.Errorf("pend %d: %w", seq, err)
	}
	e := graph.Entry{Seq: seq, Data: fmt.Append(nil, seq), Settles: true}
	if seq%3 == 0 {
		e.Snapshot = fmt.Append(nil, "s", seq)
	}
	if err := t.tryCommit(t.Context(), thread, fence, e); err != nil {
		return fmt.Errorf("commit %d: %w", seq, err)
	}
	return nil
}

// copyMoment copies a thread while its writer works, which gives its child an entry only after the thread itself has it.
func (t *storeTest) copyMoment() {
	const copies = 10
	inner := child("a", "x")
	outerFence, innerFence := t.claim("a"), t.claim(inner)
	seq := int64(0)
	next := func() {
		seq++
		t.ok(errors.Join(t.round("a", outerFence, seq), t.round(inner, innerFence, seq)))
	}
	next()
	for i := range copies {
		done := make(chan error, 1)
		go func() { done <- t.store.Copy(t.Context(), "a", fmt.Sprint("copy", i)) }()
		for copied := false; !copied; {
			next()
			select {
			case err := <-done:
				t.ok(err)
				copied = true
			default:
			}
		}
	}
	for i := range copies {
		id := fmt.Sprint("copy", i)
		outer, inner := t.load(id), t.load(child(id, "x"))
		t.ok(errors.Join(checkMoment(outer), checkMoment(inner)))
		if lead := outer.Seq() - inner.Seq(); lead != 0 && lead != 1 {
			t.Fatalf("%s has %d entries and its child %d", id, outer.Seq(), inner.Seq())
		}
		t.equal(t.log(id, 0), numbered(1, outer.Seq()))
	}
}

// numbered is a log of entries whose data is their number.
func numbered(from, to int64) string {
	var words []string
	for seq := from; seq <= to; seq++ {
		words = append(words, fmt.Sprintf("%d:%d", seq, seq))
	}
	return strings.Join(words, " ")
}

func (t *storeTest) trimRace() {
	const trimmers = 8
	t.fill("a", "old", "b")
	var won atomic.Pointer[string]
	t.atOnce(trimmers, func(i int) error {
		mine := fmt.Sprint("new", i)
		err := t.store.Trim(t.Context(), "a", cut(1, "old", mine))
		if err != nil {
			return ignore(err, graph.ErrConflict)
		}
		if other := won.Swap(&mine); other != nil {
			return fmt.Errorf("%s and %s both replaced the entry", mine, *other)
		}
		return nil
	})
	if won.Load() == nil {
		t.Fatal("nobody came through")
	}
	t.equal(t.log("a", 0), "1:"+*won.Load()+" 2:b")
}

func (t *storeTest) trimWhileWriting() {
	const rounds = 60
	fence := t.claim("a")
	t.ok(t.round("a", fence, 1))
	var done atomic.Bool
	write := func() error {
		defer done.Store(true)
		for seq := int64(2); seq <= rounds; seq++ {
			if err := t.round("a", fence, seq); err != nil {
				return fmt.Errorf("the writer was disturbed: %w", err)
			}
		}
		return nil
	}
	trim := func() error {
		for last := false; !last; {
			last = done.Load() // once more after the writer's end
			if err := t.trimToTwo("a"); err != nil {
				return fmt.Errorf("trim: %w", err)
			}
		}
		return nil
	}
	both := []func() error{write, trim}
	t.atOnce(len(both), func(i int) error { return both[i]() })
	t.equal(t.log("a", 0), numbered(rounds-1, rounds))
	t.ok(t.round("a", fence, rounds+1))
}

// trimToTwo leaves the last two entries that it finds.
func (t *storeTest) trimToTwo(thread string) error {
	var log []graph.Entry
	for e, err := range t.store.Log(t.Context(), thread, 0) {
		if err != nil {
			return err
		}
		if n := len(log); n > 0 && e.Seq != log[n-1].Seq+1 {
			return fmt.Errorf("entry %d follows %d", e.Seq, log[n-1].Seq)
		}
		log = append(log, e)
	}
	if len(log) < 2 {
		return nil
	}
	base := log[len(log)-2]
	return t.store.Trim(t.Context(), thread, graph.Cut{Seq: base.Seq, Old: base.Data, New: base.Data})
}

func (t *storeTest) manyThreads() {
	const writers, each, rounds = 8, 12, 4
	t.atOnce(writers, func(w int) error {
		for i := range each {
			id := fmt.Sprintf("%02d.%d", i, w)
			fence, err := t.store.Claim(t.Context(), id)
			for seq := int64(1); seq <= rounds && err == nil; seq++ {
				err = t.round(id, fence, seq)
			}
			if err != nil {
				return fmt.Errorf("thread %s: %w", id, err)
			}
		}
		return nil
	})
	n := 0
	for info, err := range t.store.Threads(t.Context()) {
		t.ok(err)
		t.equal(info.Thread, fmt.Sprintf("%02d.%d", n/writers, n%writers))
		t.equal(info.Seq, rounds)
		t.equal(t.log(info.Thread, 0), numbered(1, rounds))
		n++
	}
	t.equal(n, writers*each)
}
