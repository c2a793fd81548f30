package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Keep says which checkpoints [Thread.Prune] leaves. One that Last or Younger wants stays, and all between it and the head.
type Keep struct {
	Last    int           // this many of the newest on the present branch (≥ 1); 0 = Younger decides
	Younger time.Duration // those on the present branch that were committed since, by the clock of the context; 0 = Last decides

	// OneBranch removes the checkpoints of other branches. Without it those that are newer than the oldest one kept stay.
	// With Last and Younger 0 nothing else is removed.
	OneBranch bool

	// DryRun removes nothing: the result says what would have been.
	DryRun bool
}

// ErrKeep reports a [Keep] that says nothing, or less than nothing.
var ErrKeep = errors.New("keep what?")

// Pruned is what [Thread.Prune] has removed.
type Pruned struct {
	Entries int   `json:"entries"` // checkpoints
	Bytes   int64 `json:"bytes"`   // of the log, what had to be written for them taken off
}

// Prune removes old checkpoints, with the threads of the sub-graphs that ran in them. It never touches the head, pending writes or open
// questions, and may be called while a run writes the thread. What stays is exactly as it was: the history, the states, what
// [Thread.Fork] makes of them; only parents that have gone are 0. A sub-graph's own checkpoints are not pruned.
//
// It returns [ErrKeep], [ErrConflict] when another Prune or a Delete came between, in which case it may be called again,
// [RowError], and errors of the store.
func (t *Thread[S, U]) Prune(ctx context.Context, keep Keep) (Pruned, error) {
	if keep.Last < 0 || keep.Younger < 0 || keep.Last == 0 && keep.Younger == 0 && !keep.OneBranch {
		return Pruned{}, fmt.Errorf("%w: Last %d, Younger %v, OneBranch %t", ErrKeep, keep.Last, keep.Younger, keep.OneBranch)
	}
	log, err := t.readLog(ctx, 0)
	if err != nil || len(log.entries) == 0 {
		return Pruned{}, err
	}
	cut := log.oldest(keep, clockFrom(ctx).Now())
	gone := log.without(cut.Seq, keep.OneBranch)
	if len(gone) == 0 {
		return Pruned{}, nil
	}
	c, err := t.cut(ctx, cut, gone)
	if err != nil {
		return Pruned{}, err
	}
	done := Pruned{Entries: len(gone), Bytes: int64(len(c.Old) - len(c.New))}
	for _, e := range gone {
		done.Bytes += int64(e.size)
	}
	if keep.DryRun {
		return done, nil
	}
	for _, id := range t.children(log, gone) { // before the log: a crash leaves nothing behind that no entry names
		if err := t.store.Delete(ctx, id); err != nil {
			return Pruned{}, t.failed(ctx, "prune", err)
		}
	}
	if err := t.store.Trim(ctx, t.id, c); err != nil {
		return Pruned{}, t.failed(ctx, "prune", err)
	}
	return done, nil
}

// oldest is the oldest checkpoint of the present branch that stays.
func (l *threadLog) oldest(keep Keep, now time.Time) *logEntry {
	way := l.branch()
	at := 0
	for i, e := range way {
		if keep.Last == 0 && keep.Younger == 0 || i < keep.Last || keep.Younger > 0 && !e.At.Before(now.Add(-keep.Younger)) {
			at = i
		}
	}
	if at == len(way)-1 && !keep.OneBranch {
		return &l.entries[0] // all of it stays, and so does what is older
	}
	return way[at]
}

// without lists the entries that go when cut is the first one that stays.
func (l *threadLog) without(cut int64, oneBranch bool) []*logEntry {
	var gone []*logEntry
	for i := range l.entries {
		if e := &l.entries[i]; e.Seq < cut || oneBranch && e.Seq > cut && !e.Current {
			gone = append(gone, e)
		}
	}
	return gone
}

// cut is what the store is told: the first entry that stays gets the whole state, unless it has that already.
func (t *Thread[S, U]) cut(ctx context.Context, first *logEntry, gone []*logEntry) (Cut, error) {
	log, err := t.readLog(ctx, first.Seq)
	if err != nil {
		return Cut{}, err
	}
	if log.find(first.Seq) == nil {
		return Cut{}, t.failed(ctx, "prune", fmt.Errorf("%w: entry %d", ErrConflict, first.Seq))
	}
	c := Cut{Seq: first.Seq, Old: log.segment[len(log.segment)-1].Data}
	for _, e := range gone {
		if e.Seq > first.Seq {
			c.Drop = append(c.Drop, e.Seq)
		}
	}
	if c.New = c.Old; first.whole || len(c.Drop) == len(gone) {
		return c, nil
	}
	saved, err := t.app.restore(t.id, &Record{Log: log.segment})
	if err != nil {
		return Cut{}, err
	}
	row := storedSnapshot{
		Kind: baseEntry, Run: saved.run, Step: saved.step, Graph: saved.graph, Position: saved.pos, Last: saved.last,
		Was: string(first.Origin), Discarded: first.Discarded,
	}
	if !first.At.IsZero() {
		row.At = first.At.UnixMilli()
	}
	w := newWriter()
	t.app.writeWhole(w, &row, &saved.state)
	c.New = w.buf
	return c, w.err
}

// children lists the threads of the sub-graphs that ran in steps that go, or that began behind one and was given up.
func (t *Thread[S, U]) children(log *threadLog, gone []*logEntry) []string {
	var ids []string
	add := func(run int64, step int, nodes []string) {
		for _, node := range nodes { // their tasks have the same names: no Work node runs a graph
			if i, ok := t.app.plan.index[node]; ok && t.app.nodes[i].sub {
				ids = append(ids, childID(t.id, run, step, node))
			}
		}
	}
	for _, e := range gone {
		if e.Origin == FromStep {
			add(e.Run, e.Step, e.Nodes)
		}
		next := log.find(e.Seq + 1)
		if committed := next != nil && next.Origin == FromStep && next.Run == e.Run && next.Step == e.Step+1; !committed {
			add(e.Run, e.Step+1, e.Next)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
