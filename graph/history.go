package graph

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"
)

// An Origin says what made a [Checkpoint].
type Origin string

// The origins of checkpoints.
const (
	FromInput Origin = inputEntry // the input of Invoke or Stream was applied
	FromStep  Origin = stepEntry  // a step of a run was committed
	FromEdit  Origin = editEntry  // of [Thread.UpdateState]
	FromFork  Origin = forkEntry  // of [Thread.Fork]
)

// ErrNoCheckpoint reports a sequence number that the thread does not have: not yet, or not any more.
var ErrNoCheckpoint = errors.New("no such checkpoint")

// A Checkpoint is one moment of a thread, without its state: where it stood after an input, a step, an edit or a fork.
// It is plain data.
type Checkpoint struct {
	Seq     int64     `json:"seq"`    // on the thread; grows with time, also over branches
	Parent  int64     `json:"parent"` // the checkpoint that this one follows; of a fork the one that was forked; 0 = none, or pruned
	Origin  Origin    `json:"origin"`
	Run     int64     `json:"run"`             // number of the run on the thread, from 1: each input, edit and fork begins one
	Step    int       `json:"step"`            // committed steps of the run; an edit and a fork count on from their parent
	At      time.Time `json:"at,omitzero"`     // of the commit, by the clock of its writer; nothing is ordered by it
	Nodes   []string  `json:"nodes,omitempty"` // whose updates led here, once per task, in task order; of a fork those of its parent
	Next    []string  `json:"next,omitempty"`  // nodes of the step that follows, once per task, in task order
	Done    bool      `json:"done"`            // nothing follows
	Current bool      `json:"current"`         // the head of the thread goes back to this one: it is on the branch that Resume continues

	// Discarded says that it gave up what came before: an input the unfinished run, an edit or a fork the pending writes
	// and questions of the unfinished step.
	Discarded bool `json:"discarded,omitzero"`
}

// History yields the checkpoints of the thread, newest first, without their states; see [Thread.At]. What [Thread.Prune] took
// is not there, a thread that does not exist has none. It reads the whole log, O(log), before it yields the first one.
// It claims nothing and shows the thread as of the moment when the loop starts. It may be ranged over several times.
// An error comes last: a [RowError], or that of the store.
func (t *Thread[S, U]) History(ctx context.Context) iter.Seq2[Checkpoint, error] {
	return func(yield func(Checkpoint, error) bool) {
		log, err := t.readLog(ctx, 0)
		if err != nil {
			yield(Checkpoint{}, err)
			return
		}
		for _, e := range slices.Backward(log.entries) {
			if !yield(e.Checkpoint, nil) {
				return
			}
		}
	}
}

// At returns the checkpoint seq and the state that the thread had there. It reads the whole log, and folds the entries from
// the last whole state before seq. It claims nothing. It returns [ErrNoCheckpoint] when the thread does not have it,
// [RowError] for a row that cannot be read.
func (t *Thread[S, U]) At(ctx context.Context, seq int64) (Checkpoint, S, error) {
	c, saved, err := t.restoreAt(ctx, seq)
	if err != nil {
		var none S
		return Checkpoint{}, none, err
	}
	return c, saved.state, nil
}

// restoreAt is the thread as it was at seq, without pending writes.
func (t *Thread[S, U]) restoreAt(ctx context.Context, seq int64) (Checkpoint, *restored[S], error) {
	log, err := t.readLog(ctx, seq)
	if err != nil {
		return Checkpoint{}, nil, err
	}
	e := log.find(seq)
	if e == nil {
		return Checkpoint{}, nil, fmt.Errorf("%w: %d on thread %q", ErrNoCheckpoint, seq, t.id)
	}
	saved, err := t.app.restore(t.id, &Record{Log: log.segment})
	return e.Checkpoint, saved, err
}

// threadLog is what a log says about its entries.
type threadLog struct {
	entries []logEntry // ascending
	segment []Entry    // those that have to be folded for the state at one of them, the first one whole
}

// logEntry is an entry without its data.
type logEntry struct {
	Checkpoint
	size  int
	whole bool // it holds a whole state
}

// readLog reads all entries. The segment is that of upTo; 0 = none.
func (t *Thread[S, U]) readLog(ctx context.Context, upTo int64) (*threadLog, error) {
	if err := t.usable(ctx); err != nil {
		return nil, err
	}
	log := &threadLog{}
	for e, err := range t.store.Log(ctx, t.id, 0) {
		if err != nil {
			return nil, t.failed(ctx, "read", err)
		}
		if err := log.add(&e, e.Seq <= upTo); err != nil {
			return nil, &RowError{t.id, e.Seq, "entry", err}
		}
	}
	log.markCurrent()
	return log, nil
}

// add takes the next entry, and its data when that is wanted.
func (l *threadLog) add(e *Entry, wanted bool) error {
	entry, err := readEntry(e)
	if err != nil {
		return err
	}
	if !entry.whole {
		before := int64(0)
		if n := len(l.entries); n > 0 {
			before = l.entries[n-1].Seq
		}
		if e.Seq != before+1 {
			return fmt.Errorf("%w: entry %d is missing", ErrDamaged, before+1)
		}
		entry.Parent = before
	} else if l.find(entry.Parent) == nil {
		entry.Parent = 0 // it was pruned
	}
	l.entries = append(l.entries, entry)
	if wanted {
		if entry.whole {
			l.segment = nil
		}
		l.segment = append(l.segment, *e)
	}
	return nil
}

// find returns the entry seq, nil when there is none.
func (l *threadLog) find(seq int64) *logEntry {
	i, found := slices.BinarySearchFunc(l.entries, seq, func(e logEntry, seq int64) int { return cmp.Compare(e.Seq, seq) })
	if !found {
		return nil
	}
	return &l.entries[i]
}

// branch is the way from the last entry back to the first one that it goes back to, newest first.
func (l *threadLog) branch() []*logEntry {
	if len(l.entries) == 0 {
		return nil
	}
	var way []*logEntry
	for e := &l.entries[len(l.entries)-1]; e != nil; e = l.find(e.Parent) {
		way = append(way, e)
	}
	return way
}

func (l *threadLog) markCurrent() {
	for _, e := range l.branch() {
		e.Current = true
	}
}

// entryHead is what of an entry is read without its updates and its state.
type entryHead struct {
	Version   int      `json:"v"`
	Kind      string   `json:"kind"`
	Run       int64    `json:"run"`
	Step      int      `json:"step"`
	At        int64    `json:"at"`
	Discarded bool     `json:"discarded"`
	From      int64    `json:"from"`
	Was       string   `json:"was"`
	Last      []string `json:"last"`
	Position  Position `json:"position"`
	Writes    []struct {
		Node string `json:"node"`
	} `json:"writes"`
}

// readEntry reads an entry; the parent of one that is not whole is not known here.
func readEntry(e *Entry) (logEntry, error) {
	var h entryHead
	if err := json.Unmarshal(e.Data, &h); err != nil || h.Version != formatVersion {
		if err := decode(e.Data, &h); err != nil { // it says what is wrong, at the price of another look
			return logEntry{}, err
		}
	}
	entry := logEntry{
		Checkpoint: Checkpoint{
			Seq: e.Seq, Parent: h.From, Origin: Origin(h.Kind), Run: h.Run, Step: h.Step,
			Nodes: h.Last, Next: nodesOf(h.Position.Next), Done: h.Position.Done(), Discarded: h.Discarded,
		},
		size: len(e.Data), whole: h.Kind == forkEntry || h.Kind == baseEntry,
	}
	switch h.Kind {
	case inputEntry, stepEntry, editEntry, forkEntry:
	case baseEntry:
		entry.Origin = FromInput // of a sub-graph
		if h.Was != "" {
			entry.Origin = Origin(h.Was)
		}
	default:
		return logEntry{}, fmt.Errorf("%w: kind %q is unknown", ErrDamaged, h.Kind)
	}
	if h.At != 0 {
		entry.At = time.UnixMilli(h.At).UTC()
	}
	if h.Kind != inputEntry {
		for _, w := range h.Writes {
			entry.Nodes = append(entry.Nodes, w.Node)
		}
	}
	return entry, nil
}
