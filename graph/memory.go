package graph

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
)

// A MemoryStore keeps threads in memory, for tests and for programs that need no durability.
// It is a full [Store]: it keeps encoded bytes, never the values themselves. It is safe for concurrent use.
type MemoryStore struct {
	mu      sync.Mutex
	fence   int64
	threads map[string]*memoryThread
	kin     map[string]map[string]bool // children by the thread at their top, so that a family is found among many threads
}

type memoryThread struct {
	fence       int64
	entries     []memoryEntry    // ascending; the last one is never dropped
	arena       *strings.Builder // where the next entries go; it hands out memory that need not be cleared
	size        int
	snapshot    []byte
	snapshotSeq int64
	pending     []PendingWrite // sorted by key
}

type memoryEntry struct {
	seq  int64
	data string
}

// last is the number of the last entry.
func (t *memoryThread) last() int64 {
	if n := len(t.entries); n > 0 {
		return t.entries[n-1].seq
	}
	return 0
}

// NewMemoryStore returns an empty store.
func NewMemoryStore() *MemoryStore {
	return &MemoryStore{threads: map[string]*memoryThread{}, kin: map[string]map[string]bool{}}
}

// put adds a thread.
func (m *MemoryStore) put(id string, t *memoryThread) {
	m.threads[id] = t
	if top, _, child := strings.Cut(id, ChildMark); child {
		if m.kin[top] == nil {
			m.kin[top] = map[string]bool{}
		}
		m.kin[top][id] = true
	}
}

// remove forgets a thread.
func (m *MemoryStore) remove(id string) {
	delete(m.threads, id)
	if top, _, child := strings.Cut(id, ChildMark); child {
		if delete(m.kin[top], id); len(m.kin[top]) == 0 {
			delete(m.kin, top)
		}
	}
}

// Claim implements [Store].
func (m *MemoryStore) Claim(ctx context.Context, thread string) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.threads[thread]
	if t == nil {
		t = &memoryThread{}
		m.put(thread, t)
	}
	m.fence++
	t.fence = m.fence
	return t.fence, nil
}

// Load implements [Store].
func (m *MemoryStore) Load(ctx context.Context, thread string) (Record, error) {
	if err := ctx.Err(); err != nil {
		return Record{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var r Record
	t := m.threads[thread]
	if t == nil {
		return r, nil
	}
	r.SnapshotSeq, r.Snapshot = t.snapshotSeq, bytes.Clone(t.snapshot)
	r.Log = t.after(t.snapshotSeq)
	for _, w := range t.pending {
		if w.Seq == t.last()+1 {
			w.Data = bytes.Clone(w.Data)
			r.Pending = append(r.Pending, w)
		}
	}
	return r, nil
}

// Commit implements [Store].
func (m *MemoryStore) Commit(ctx context.Context, thread string, fence int64, entries []Entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.writable(thread, fence)
	if err != nil {
		return err
	}
	for i := range entries {
		if want := t.last() + 1 + int64(i); entries[i].Seq != want {
			return fmt.Errorf("%w: %d instead of %d", ErrSequence, entries[i].Seq, want)
		}
	}
	for i := range entries {
		e := &entries[i]
		t.entries = append(t.entries, memoryEntry{e.Seq, t.keep(e.Data)})
		if e.Snapshot != nil {
			t.snapshot, t.snapshotSeq = bytes.Clone(e.Snapshot), e.Seq
		}
		if e.Settles {
			t.pending = nil
		}
	}
	return nil
}

// Pend implements [Store].
func (m *MemoryStore) Pend(ctx context.Context, thread string, fence int64, writes []PendingWrite) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t, err := m.writable(thread, fence)
	if err != nil {
		return err
	}
	for _, w := range writes {
		if want := t.last() + 1; w.Seq != want {
			return fmt.Errorf("%w: %d instead of %d", ErrSequence, w.Seq, want)
		}
	}
	for _, w := range writes {
		w.Data = bytes.Clone(w.Data)
		i, found := slices.BinarySearchFunc(t.pending, w, func(a, b PendingWrite) int { return cmp.Compare(a.Key, b.Key) })
		if found {
			t.pending[i] = w
		} else {
			t.pending = slices.Insert(t.pending, i, w)
		}
	}
	return nil
}

func (m *MemoryStore) writable(thread string, fence int64) (*memoryThread, error) {
	t := m.threads[thread]
	if t == nil || t.fence != fence {
		return nil, ErrFenced
	}
	return t, nil
}

// keep copies data behind the earlier entries, in blocks that grow with the thread.
func (t *memoryThread) keep(data []byte) string {
	if t.arena == nil || t.arena.Cap()-t.arena.Len() < len(data) {
		t.arena = new(strings.Builder)
		t.arena.Grow(max(len(data), min(max(1<<10, t.size/4), 1<<20)))
	}
	start := t.arena.Len()
	t.arena.Write(data)
	t.size += len(data)
	return t.arena.String()[start:]
}

func (t *memoryThread) after(seq int64) []Entry {
	var log []Entry
	for _, e := range t.entries {
		if e.seq > seq {
			log = append(log, Entry{Seq: e.seq, Data: []byte(e.data)})
		}
	}
	return log
}

// Log implements [Store]. It yields the entries as of the moment when the loop starts.
func (m *MemoryStore) Log(ctx context.Context, thread string, after int64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		m.mu.Lock()
		var log []Entry
		if t := m.threads[thread]; t != nil {
			log = t.after(after)
		}
		m.mu.Unlock()
		for _, e := range log {
			if err := ctx.Err(); err != nil {
				yield(Entry{}, err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Threads implements [Store]. It yields the threads as of the moment when the loop starts.
func (m *MemoryStore) Threads(ctx context.Context) iter.Seq2[ThreadInfo, error] {
	return func(yield func(ThreadInfo, error) bool) {
		m.mu.Lock()
		var list []ThreadInfo
		for id, t := range m.threads {
			if t.last() > 0 && !strings.Contains(id, ChildMark) {
				list = append(list, ThreadInfo{id, t.last()})
			}
		}
		m.mu.Unlock()
		slices.SortFunc(list, func(a, b ThreadInfo) int { return cmp.Compare(a.Thread, b.Thread) })
		for _, info := range list {
			if err := ctx.Err(); err != nil {
				yield(ThreadInfo{}, err)
				return
			}
			if !yield(info, nil) {
				return
			}
		}
	}
}
