package sealed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/kbagent/kbagent/graph"
)

// A store encrypts what another one keeps.
type store struct {
	inner graph.Store
	keys  *keyring
}

var _ interface {
	graph.Store
	graph.Unwrapper
} = (*store)(nil)

// New returns a store that keeps everything in inner, encrypted with key. What was encrypted with an old key can still be
// read. Every key has [KeySize] bytes; anything else is an error. The keys are not kept and may be cleared afterwards.
// The result is safe for concurrent use and a graph.Unwrapper; closing is the business of inner.
//
// Load and Log of the result return graph.RowError for a row that cannot be opened: with graph.ErrDamaged, also for one that is
// not sealed at all, with graph.ErrNewerFormat, or with [ErrKey]. Trim does so for the entry that it replaces.
func New(inner graph.Store, key []byte, old ...[]byte) (graph.Store, error) {
	if inner == nil {
		return nil, errors.New("sealed: there is no store to encrypt")
	}
	keys, err := newKeyring(key, old)
	if err != nil {
		return nil, err
	}
	return &store{inner: inner, keys: keys}, nil
}

// Unwrap implements graph.Unwrapper.
func (s *store) Unwrap() graph.Store { return s.inner }

// Claim implements graph.Store.
func (s *store) Claim(ctx context.Context, thread string) (int64, error) {
	return s.inner.Claim(ctx, thread)
}

// Load implements graph.Store.
func (s *store) Load(ctx context.Context, thread string) (graph.Record, error) {
	rec, err := s.inner.Load(ctx, thread)
	if err != nil {
		return graph.Record{}, err
	}
	if rec.Snapshot != nil || rec.SnapshotSeq != 0 { // also when one of the two was taken away
		if rec.Snapshot, err = s.keys.open(place{kind: snapshotKind, seq: rec.SnapshotSeq}, rec.Snapshot); err != nil {
			return graph.Record{}, &graph.RowError{Thread: thread, Seq: rec.SnapshotSeq, Row: "snapshot", Err: err}
		}
	}
	for i := range rec.Log {
		if err := s.openEntry(thread, &rec.Log[i]); err != nil {
			return graph.Record{}, err
		}
	}
	if rec.Pending, err = s.openPending(thread, rec.Pending); err != nil {
		return graph.Record{}, err
	}
	return rec, nil
}

// openEntry replaces the data of an entry by what was sealed.
func (s *store) openEntry(thread string, e *graph.Entry) error {
	plain, err := s.keys.open(place{kind: entryKind, seq: e.Seq}, e.Data)
	if err != nil {
		return &graph.RowError{Thread: thread, Seq: e.Seq, Row: "entry", Err: err}
	}
	e.Data = plain
	return nil
}

// Commit implements graph.Store.
func (s *store) Commit(ctx context.Context, thread string, fence int64, entries []graph.Entry) error {
	rows := make([]graph.Entry, len(entries))
	for i := range entries {
		e := &entries[i]
		rows[i] = graph.Entry{Seq: e.Seq, Data: s.keys.seal(place{kind: entryKind, seq: e.Seq}, e.Data), Settles: e.Settles}
		if e.Snapshot != nil {
			rows[i].Snapshot = s.keys.seal(place{kind: snapshotKind, seq: e.Seq}, e.Snapshot)
		}
	}
	return s.inner.Commit(ctx, thread, fence, rows)
}

// Pend implements graph.Store.
func (s *store) Pend(ctx context.Context, thread string, fence int64, writes []graph.PendingWrite) error {
	rows := make([]graph.PendingWrite, len(writes))
	for i := range writes {
		rows[i] = s.sealPending(thread, fence, &writes[i])
	}
	return s.inner.Pend(ctx, thread, fence, rows)
}

// Log implements graph.Store.
func (s *store) Log(ctx context.Context, thread string, after int64) iter.Seq2[graph.Entry, error] {
	return func(yield func(graph.Entry, error) bool) {
		for e, err := range s.inner.Log(ctx, thread, after) {
			if err == nil {
				err = s.openEntry(thread, &e)
			}
			if err != nil {
				yield(graph.Entry{}, err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Threads implements graph.Store.
func (s *store) Threads(ctx context.Context) iter.Seq2[graph.ThreadInfo, error] {
	return s.inner.Threads(ctx)
}

// Copy implements graph.Store.
func (s *store) Copy(ctx context.Context, from, to string) error { return s.inner.Copy(ctx, from, to) }

// Trim implements graph.Store. The inner store compares rows as they are sealed, so the row is read first; when it changes
// between the two, that is a graph.ErrConflict too.
func (s *store) Trim(ctx context.Context, thread string, cut graph.Cut) error {
	row, err := s.row(ctx, thread, cut.Seq)
	if err != nil {
		return err
	}
	e := graph.Entry{Seq: cut.Seq, Data: row}
	if err := s.openEntry(thread, &e); err != nil {
		return err
	}
	if !bytes.Equal(e.Data, cut.Old) {
		return fmt.Errorf("%w: entry %d of %q", graph.ErrConflict, cut.Seq, thread)
	}
	cut.Old, cut.New = row, s.keys.seal(place{kind: entryKind, seq: cut.Seq}, cut.New)
	return s.inner.Trim(ctx, thread, cut)
}

// row is an entry as the inner store has it.
func (s *store) row(ctx context.Context, thread string, seq int64) ([]byte, error) {
	for e, err := range s.inner.Log(ctx, thread, seq-1) {
		switch {
		case err != nil:
			return nil, err
		case e.Seq == seq:
			return e.Data, nil
		}
		if e.Seq > seq {
			break
		}
	}
	return nil, fmt.Errorf("%w: %q has no entry %d", graph.ErrConflict, thread, seq)
}

// Delete implements graph.Store.
func (s *store) Delete(ctx context.Context, thread string) error { return s.inner.Delete(ctx, thread) }
