package graph

import (
	"bytes"
	"errors"
	"slices"
	"sync"
)

// durability says when what a run writes reaches its store.
type durability int

const (
	syncWrites durability = iota
	asyncWrites
	exitWrites
)

// Sync commits every step before the next one starts: nothing is ever reported as done that is not stored.
// It is the default.
func Sync(o *threadOptions) { o.durability = syncWrites }

// Async commits while the next steps run: in order, and several at a time when the store is slower than the nodes.
// The input and answers are stored before the run starts, and a call returns when everything is stored or has failed to be;
// what its events report meanwhile may not be stored yet. A sub-graph starts when the steps before it are stored.
// A crash loses the last steps, never one from the middle; their nodes run again. A failed save ends the run at its next step.
func Async(o *threadOptions) { o.durability = asyncWrites }

// Exit commits everything at the end of the call, however it ends, all or nothing. A crash loses the call.
// It suits short runs whose nodes have no effects outside. Before a sub-graph runs, what came before it is committed: its
// own thread must never know more than its parent's.
func Exit(o *threadOptions) { o.durability = exitWrites }

// maxQueued is how many writes a run may be ahead of its store under Async.
const maxQueued = 256

// A writeQueue holds what a run has written and its store has not, in order. Errors are kept: what comes after one is
// not written.
type writeQueue struct {
	store   func(ops []queued) error
	mu      sync.Mutex
	changed sync.Cond
	ops     []queued
	writing bool // store is under way
	closed  bool
	err     error
	wg      sync.WaitGroup
}

// queued is one write: an entry or pending writes.
type queued struct {
	what  string
	entry Entry // Seq is 0 for pending writes
	rows  []PendingWrite
}

func newWriteQueue(store func([]queued) error) *writeQueue {
	q := &writeQueue{store: store}
	q.changed.L = &q.mu
	return q
}

// start lets a goroutine write what is added. finish waits for it.
func (q *writeQueue) start() { q.wg.Go(q.drain) }

// add takes a write over; limit > 0 waits until there are fewer. It returns the error of an earlier one.
func (q *writeQueue) add(op queued, limit int) error {
	op.entry.Data, op.entry.Snapshot = bytes.Clone(op.entry.Data), bytes.Clone(op.entry.Snapshot)
	op.rows = slices.Clone(op.rows)
	for i := range op.rows {
		op.rows[i].Data = bytes.Clone(op.rows[i].Data)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for limit > 0 && len(q.ops) >= limit && q.err == nil {
		q.changed.Wait()
	}
	if q.err != nil {
		return q.err
	}
	q.ops = append(q.ops, op)
	q.changed.Broadcast()
	return nil
}

// drain writes until the queue is closed and empty, or a write fails.
func (q *writeQueue) drain() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for len(q.ops) == 0 && !q.closed {
			q.changed.Wait()
		}
		if len(q.ops) == 0 {
			return
		}
		ops := q.ops
		q.ops, q.writing = nil, true
		q.changed.Broadcast()
		q.mu.Unlock()
		err := q.store(ops)
		q.mu.Lock()
		q.writing = false
		q.changed.Broadcast()
		if err != nil {
			q.err, q.ops = err, nil
			return
		}
	}
}

// flush waits until what was added is written, and returns the first error of all.
func (q *writeQueue) flush() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for (len(q.ops) > 0 || q.writing) && q.err == nil {
		q.changed.Wait()
	}
	return q.err
}

// spill writes what there is, in a queue without a goroutine, and returns the first error of all.
func (q *writeQueue) spill() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	ops := q.ops
	if q.ops = nil; len(ops) > 0 && q.err == nil {
		q.err = q.store(ops)
	}
	return q.err
}

// finish writes what is left and returns the first error of all.
func (q *writeQueue) finish() error {
	q.mu.Lock()
	q.closed = true
	q.changed.Broadcast()
	q.mu.Unlock()
	q.wg.Wait()
	return q.spill() // there may have been no goroutine
}

// writeAll stores queued writes: entries that follow one another together, and no pending writes that a later entry settles.
func (s *saver) writeAll(ops []queued) error {
	var entries []Entry
	last := -1
	for i := range ops {
		if ops[i].entry.Seq > 0 {
			entries, last = append(entries, ops[i].entry), i
		}
	}
	if len(entries) > 0 {
		if err := s.store.Commit(s.ctx, s.thread, s.fence, entries); err != nil {
			return &SaveError{Thread: s.thread, Seq: entries[0].Seq, What: ops[last].what, Err: err}
		}
	}
	var rows []PendingWrite
	for i := last + 1; i < len(ops); i++ {
		rows = append(rows, ops[i].rows...)
	}
	if len(rows) > 0 {
		if err := s.store.Pend(s.ctx, s.thread, s.fence, rows); err != nil {
			return &SaveError{Thread: s.thread, Seq: rows[0].Seq, What: ops[len(ops)-1].what, Err: err}
		}
	}
	return nil
}

// overlap lets the writes from here on overlap with the steps, under Async.
func (s *saver) overlap() {
	if s.options.durability == asyncWrites {
		s.queue, s.ahead = newWriteQueue(s.writeAll), maxQueued
		s.queue.start()
	}
}

// holds returns ErrFenced when the run has lost its thread, to a later claim or a deletion. It is safe for concurrent use.
func (s *saver) holds() error {
	if err := s.store.Pend(s.ctx, s.thread, s.fence, nil); err != nil {
		return s.failed("sub-graph", err)
	}
	return nil
}

// settle returns when everything so far is stored. It is safe for concurrent use.
func (s *saver) settle() error {
	switch {
	case s.queue == nil:
		return nil
	case s.ahead == 0:
		return s.queue.spill()
	}
	return s.queue.flush()
}

// close stores what is left at the end of a call whose outcome is err.
func (s *saver) close(err error) error {
	if s.queue == nil {
		return err
	}
	late := s.queue.finish()
	if late == nil || errors.Is(err, late) {
		return err
	}
	return errors.Join(err, late)
}
