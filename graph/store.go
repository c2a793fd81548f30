package graph

import (
	"context"
	"iter"
	"time"
)

// A Store keeps threads. It knows nothing of graphs: entries, snapshots and pending writes are opaque bytes,
// and only thread, sequence and fence are its own business. Implementations are safe for concurrent use and copy
// whatever bytes they keep. Package graphtest holds the conformance suite that every implementation must pass.
//
// A thread is an append-only log of entries with the sequence numbers 1, 2, 3, …, at most one snapshot (of the state as of
// some entry), and the pending writes of the step that is to become the next entry. Only [Store.Trim] makes a log shorter.
// Order comes from the sequence numbers alone, never from a clock.
//
// A thread whose id is that of another one, [ChildMark] and more belongs to that other one, as do the children of children:
// Copy and Delete take it along, Threads leaves it out. Everything else treats it like any thread.
type Store interface {
	// Claim makes the caller the only writer of the thread and returns a fence that is greater than every fence
	// this store has returned before, for any thread, also one that has been deleted since.
	// A claim alone does not make a thread exist.
	Claim(ctx context.Context, thread string) (fence int64, err error)

	// Load returns the newest snapshot, the entries behind it and the pending writes for the entry that follows, all as of
	// one moment. A thread that does not exist is an empty Record, not an error.
	Load(ctx context.Context, thread string) (Record, error)

	// Commit appends entries, at least one, in their order: for each it appends the entry, replaces the snapshot when it
	// brings one, and drops the pending writes when it settles them. It is all or nothing. It returns ErrFenced when fence
	// is not that of the last claim or the thread has been deleted since, and ErrSequence when the numbers do not continue
	// the log; both have changed nothing.
	Commit(ctx context.Context, thread string, fence int64, entries []Entry) error

	// Pend saves what tasks of an unfinished step have written so far, all or nothing; a second write with the same key
	// replaces the first. All have the Seq of the entry that the step will become. Errors are those of Commit.
	// Without writes it only says whether the claim still stands.
	Pend(ctx context.Context, thread string, fence int64, writes []PendingWrite) error

	// Log yields all entries of a thread with a number greater than after, oldest first, without snapshots.
	// It ends with the first error. It may be ranged over several times.
	Log(ctx context.Context, thread string, after int64) iter.Seq2[Entry, error]

	// Threads yields all threads that have at least one entry and are nobody's child, ordered by id, bytewise.
	// It ends with the first error. It may be ranged over several times.
	Threads(ctx context.Context) iter.Seq2[ThreadInfo, error]

	// Copy makes to a copy of from with its log, snapshot, pending writes and children, as of one moment and all or nothing.
	// It returns ErrNoThread when from has no entry, and ErrThreadExists when to has one, or a child with one.
	// A claim on from says nothing about to; one on to is lost.
	Copy(ctx context.Context, from, to string) error

	// Trim shortens a log; what stays keeps its number. It needs no claim and may be called while a run writes the thread.
	// It returns ErrConflict, and has changed nothing, when the thread does not have the entry cut.Seq with the data
	// cut.Old any more, or when an entry that is to be dropped does not lie between that one and the last one.
	// A snapshot of an entry before cut.Seq goes with it.
	Trim(ctx context.Context, thread string, cut Cut) error

	// Delete removes a thread with all that belongs to it, its children too. A run that holds a claim gets ErrFenced from
	// then on. Deleting a thread that does not exist is no error.
	Delete(ctx context.Context, thread string) error
}

// ChildMark stands between the id of a thread and that of a child; no id that a user gives may contain it.
const ChildMark = "\x1f"

// A Leaser is a [Store] whose claims run out unless they are renewed, so that threads of a process that died can be told
// from those of one that works. A run renews its claim at a third of the lease and releases it at its end.
// A claim that has run out still writes until another one is made: safety comes from the fence alone.
type Leaser interface {
	// Lease is the time that a claim or a renewal lasts (> 0).
	Lease() time.Duration
	// Renew makes the claim last for another Lease. It returns ErrFenced when there has been a later claim.
	Renew(ctx context.Context, thread string, fence int64) error
	// Release says that the run has come to rest: it ended, failed, or waits for an answer. The fence stays valid.
	// It does nothing when there has been a later claim.
	Release(ctx context.Context, thread string, fence int64) error
}

// An Unwrapper is a [Store] around another one. What is no part of Store, such as [Leaser], is looked for along the chain.
type Unwrapper interface{ Unwrap() Store }

// An Entry is one committed change of a thread: an input, a step, a fork, ….
type Entry struct {
	Seq      int64  // from 1, without gaps
	Data     []byte // the change
	Snapshot []byte // the state after it; nil = keep the older snapshot
	Settles  bool   // pending writes of the thread are done with: drop them
}

// A PendingWrite is what a task of an unfinished step has written, or one thing that it has noted on its way.
type PendingWrite struct {
	Seq  int64  // of the entry that the step will become
	Key  string // tells the writes of the step apart; any bytes
	Data []byte
}

// A Cut says what [Store.Trim] removes.
type Cut struct {
	Seq  int64   // the first entry that stays (≥ 1): all before it go
	Old  []byte  // its data now
	New  []byte  // its data from now on
	Drop []int64 // entries after Seq and before the last one that go as well, in ascending order
}

// A Record is what is needed to go on with a thread. Its bytes belong to the caller.
type Record struct {
	SnapshotSeq int64          // entry that the snapshot is of; 0 = there is none
	Snapshot    []byte         // nil when there is none
	Log         []Entry        // the entries after SnapshotSeq, oldest first; only Seq and Data are set
	Pending     []PendingWrite // for the entry after the last one, ordered by key, bytewise
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
