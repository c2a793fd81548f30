package graph

import (
	"context"
	"iter"
)

// A Store keeps threads. It knows nothing of graphs: entries, snapshots and pending writes are opaque bytes,
// and only thread, sequence and fence are its own business. Implementations are safe for concurrent use and copy
// whatever bytes they keep. Package graphtest holds the conformance suite that every implementation must pass.
//
// A thread is an append-only log of entries with the sequence numbers 1, 2, 3, …, at most one snapshot (of the state as of
// some entry), and the pending writes of the step that is to become the next entry.
// Order comes from the sequence numbers alone, never from a clock.
type Store interface {
	// Claim makes the caller the only writer of the thread and returns a fence that is greater than every fence
	// this store has returned before, for any thread, also one that has been deleted since.
	// A claim alone does not make a thread exist.
	Claim(ctx context.Context, thread string) (fence int64, err error)

	// Load returns the newest snapshot, the entries behind it and the pending writes for the entry that follows, all as of
	// one moment. A thread that does not exist is an empty Record, not an error.
	Load(ctx context.Context, thread string) (Record, error)

	// Commit appends e, replaces the snapshot when e brings one, and drops the pending writes when e settles them, all or
	// nothing. It returns ErrFenced when fence is not that of the last claim or the thread has been deleted since, and
	// ErrSequence when e.Seq is not the next number; both have changed nothing.
	Commit(ctx context.Context, thread string, fence int64, e Entry) error

	// Pend saves what a task of an unfinished step has written; a second write of the same task replaces the first.
	// w.Seq is the number of the entry that the step will become. Errors are those of Commit.
	Pend(ctx context.Context, thread string, fence int64, w PendingWrite) error

	// Log yields all entries of a thread with a number greater than after, oldest first, without snapshots.
	// It ends with the first error. It may be ranged over several times.
	Log(ctx context.Context, thread string, after int64) iter.Seq2[Entry, error]

	// Threads yields all threads that have at least one entry, ordered by id, bytewise. It ends with the first error.
	Threads(ctx context.Context) iter.Seq2[ThreadInfo, error]

	// Delete removes a thread with all that belongs to it. A run that holds a claim gets ErrFenced from then on.
	// Deleting a thread that does not exist is no error.
	Delete(ctx context.Context, thread string) error
}

// An Entry is one committed change of a thread: an input or a step.
type Entry struct {
	Seq      int64  // from 1, without gaps
	Data     []byte // the change
	Snapshot []byte // the state after it; nil = keep the older snapshot
	Settles  bool   // pending writes of the thread are done with: drop them
}

// A PendingWrite is what one finished task of an unfinished step has written.
type PendingWrite struct {
	Seq  int64  // of the entry that the step will become
	Task string // id of the task in its step
	Data []byte
}

// A Record is what is needed to go on with a thread. Its bytes belong to the caller.
type Record struct {
	SnapshotSeq int64          // entry that the snapshot is of; 0 = there is none
	Snapshot    []byte         // nil when there is none
	Log         []Entry        // the entries after SnapshotSeq, oldest first; only Seq and Data are set
	Pending     []PendingWrite // for the entry after the last one, ordered by task id, bytewise
}

// Seq is the number of the last entry, 0 for a thread that does not exist.
func (r *Record) Seq() int64 {
	if n := len(r.Log); n > 0 {
		return r.Log[n-1].Seq
	}
	return r.SnapshotSeq
}

// ThreadInfo is one line of a list of threads.
type ThreadInfo struct {
	Thread string
	Seq    int64 // of its last entry
}
