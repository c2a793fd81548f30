package graph

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Fork makes the checkpoint seq the present one again: what it appends has the state and the place of seq, and
// [Thread.Resume] goes on from there, another Fork or an [Thread.UpdateState] first if that is wanted. Nothing is taken back:
// the old branch stays in the log, see [Checkpoint.Current]. It returns the new checkpoint.
//
// The branch is a run of its own, so that nothing on it has the id or the idempotency key of something on the old one:
// steps that are replayed ask again what was answered, and run again what [Once] has kept. The pending writes and
// questions of an unfinished step are given up, also when seq is the last checkpoint.
//
// It takes the thread: a run that goes on there fails with [ErrFenced]. It returns [ErrNoCheckpoint] when the thread does
// not have seq, [SaveError], [RowError], and errors of the store.
func (t *Thread[S, U]) Fork(ctx context.Context, seq int64) (Checkpoint, error) {
	_, old, err := t.restoreAt(ctx, seq)
	if err != nil {
		return Checkpoint{}, err
	}
	return t.amend(ctx, FromFork, func(head *restored[S], at int64) (Entry, error) {
		w := newWriter()
		t.app.writeWhole(w, &storedSnapshot{
			Kind: forkEntry, Run: head.run + 1, Step: old.step, Graph: old.graph, Position: old.pos, Last: old.last,
			At: at, From: seq, Discarded: head.unfinished(),
		}, &old.state)
		// The snapshot makes the present state cheap to load; the same row in the log makes the branch independent of
		// the one that it comes from, which may be pruned while this is going on.
		return Entry{Data: w.buf, Snapshot: w.buf}, w.err
	})
}

// Copy copies the thread with all its checkpoints, pending writes, open questions and the threads of its sub-graphs; the copy goes its own way.
// It returns [ErrNoThread] when the thread does not exist, [ErrThreadExists] when to does, [ErrThreadID] for a bad id.
func (t *Thread[S, U]) Copy(ctx context.Context, to string) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	if to == "" || strings.Contains(to, ChildMark) {
		return fmt.Errorf("%w: %q", ErrThreadID, to)
	}
	if to == t.id {
		return fmt.Errorf("%w: %q", ErrThreadExists, to)
	}
	if err := t.store.Copy(ctx, t.id, to); err != nil {
		return t.failed(ctx, "copy", err)
	}
	return nil
}

// Delete removes the thread with all that belongs to it, the threads of its sub-graphs too. A run that goes on there fails with [ErrFenced].
// Deleting a thread that does not exist is no error.
func (t *Thread[S, U]) Delete(ctx context.Context) error {
	if err := t.usable(ctx); err != nil {
		return err
	}
	if err := t.store.Delete(ctx, t.id); err != nil {
		return t.failed(ctx, "delete", err)
	}
	return nil
}

// amend appends one entry outside of a run. make builds it from the head of the thread; it is called once before the
// thread is claimed, so that a mistake takes it from nobody, and again behind the claim.
func (t *Thread[S, U]) amend(ctx context.Context, what Origin, make func(head *restored[S], at int64) (Entry, error)) (Checkpoint, error) {
	now := clockFrom(ctx).Now().UnixMilli()
	head, err := t.load(ctx)
	if err != nil {
		return Checkpoint{}, err
	}
	if _, err := make(head, now); err != nil {
		return Checkpoint{}, err
	}
	fence, err := t.store.Claim(ctx, t.id)
	if err != nil {
		return Checkpoint{}, t.failed(ctx, "claim", err)
	}
	if leaser := leaserOf(t.store); leaser != nil {
		defer leaser.Release(context.WithoutCancel(ctx), t.id, fence) //nolint:errcheck // a claim that cannot be released runs out
	}
	if head, err = t.load(ctx); err != nil {
		return Checkpoint{}, err
	}
	e, err := make(head, now)
	if err != nil {
		return Checkpoint{}, err
	}
	e.Seq, e.Settles = head.seq+1, len(head.pending) > 0
	if err := t.store.Commit(ctx, t.id, fence, []Entry{e}); err != nil {
		return Checkpoint{}, &SaveError{Thread: t.id, Seq: e.Seq, What: string(what), Err: err}
	}
	entry, err := readEntry(&e)
	if err != nil {
		return Checkpoint{}, &RowError{t.id, e.Seq, "entry", err}
	}
	c := entry.Checkpoint
	if c.Current = true; c.Parent == 0 {
		c.Parent = head.seq
	}
	return c, nil
}

// unfinished says whether tasks of the next step have left something that would be lost without it.
func (t *restored[S]) unfinished() bool {
	return slices.ContainsFunc(t.pending, func(p storedPending) bool { return p.Kind != stopNote })
}

// distinct lists names without repetitions, in the order in which they come first.
func distinct(names []string) []string {
	var list []string
	for _, n := range names {
		if !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}
