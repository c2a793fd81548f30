package graph

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Copy implements [Store].
func (m *MemoryStore) Copy(ctx context.Context, from, to string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if t := m.threads[from]; t == nil || t.last() == 0 {
		return fmt.Errorf("%w: %q", ErrNoThread, from)
	}
	for _, id := range m.family(to) {
		if m.threads[id].last() > 0 {
			return fmt.Errorf("%w: %q", ErrThreadExists, to)
		}
	}
	for _, id := range m.family(from) {
		m.fence++
		m.put(to+strings.TrimPrefix(id, from), m.threads[id].clone(m.fence))
	}
	return nil
}

// clone copies what changes later; entries and writes are never written again.
func (t *memoryThread) clone(fence int64) *memoryThread {
	return &memoryThread{
		fence: fence, entries: slices.Clone(t.entries), size: t.size,
		snapshot: t.snapshot, snapshotSeq: t.snapshotSeq, pending: slices.Clone(t.pending),
	}
}

// family lists a thread, when it exists, and its children.
func (m *MemoryStore) family(thread string) []string {
	var ids []string
	if m.threads[thread] != nil {
		ids = append(ids, thread)
	}
	top, _, _ := strings.Cut(thread, ChildMark)
	for id := range m.kin[top] {
		if strings.HasPrefix(id, thread+ChildMark) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Trim implements [Store].
func (m *MemoryStore) Trim(ctx context.Context, thread string, cut Cut) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.threads[thread]
	if t == nil {
		return fmt.Errorf("%w: %q does not exist", ErrConflict, thread)
	}
	at := slices.IndexFunc(t.entries, func(e memoryEntry) bool { return e.seq == cut.Seq })
	if at < 0 || t.entries[at].data != string(cut.Old) {
		return fmt.Errorf("%w: entry %d of %q", ErrConflict, cut.Seq, thread)
	}
	for _, seq := range cut.Drop {
		if seq <= cut.Seq || seq >= t.last() {
			return fmt.Errorf("%w: entry %d of %q cannot be dropped", ErrConflict, seq, thread)
		}
	}
	kept := []memoryEntry{{cut.Seq, string(cut.New)}}
	for _, e := range t.entries[at+1:] {
		if _, dropped := slices.BinarySearch(cut.Drop, e.seq); !dropped {
			kept = append(kept, memoryEntry{e.seq, strings.Clone(e.data)}) // so that the old blocks can go
		}
	}
	t.entries, t.arena = kept, nil
	if t.snapshotSeq < cut.Seq {
		t.snapshot, t.snapshotSeq = nil, 0
	}
	return nil
}

// Delete implements [Store].
func (m *MemoryStore) Delete(ctx context.Context, thread string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range m.family(thread) {
		m.remove(id)
	}
	return nil
}
