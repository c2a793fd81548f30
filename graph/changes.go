package graph

import (
	"context"
	"iter"
)

// A Change is what led to a checkpoint: the input, the updates of a step, or an edit. It is plain data.
type Change[U any] struct {
	Checkpoint
	// Updates are in the order in which they were applied. A fork has none, and neither has a checkpoint whose updates
	// [Thread.Prune] took: it begins a log with a whole state.
	Updates []NodeUpdate[U]
}

// A NodeUpdate is what one node said.
type NodeUpdate[U any] struct {
	Node   string // "" of an input; of an edit the node that it was made as
	Update U
}

// Changes yields what led to the present state of the thread, oldest first: the checkpoints of its branch with their
// updates. Applying them one after another to the zero state gives the states in between, unless something was pruned. It
// reads the log twice, claims nothing and may be ranged over several times. An error comes last: a [RowError], or that of
// the store.
func (t *Thread[S, U]) Changes(ctx context.Context) iter.Seq2[Change[U], error] {
	return func(yield func(Change[U], error) bool) {
		log, err := t.readLog(ctx, 0)
		if err != nil {
			yield(Change[U]{}, err)
			return
		}
		for e, err := range t.store.Log(ctx, t.id, 0) {
			if err != nil {
				yield(Change[U]{}, t.failed(ctx, "read", err))
				return
			}
			known := log.find(e.Seq)
			if known == nil || !known.Current { // of another branch, or made since
				continue
			}
			c := Change[U]{Checkpoint: known.Checkpoint}
			if c.Updates, err = t.readUpdates(&e); err != nil {
				yield(Change[U]{}, &RowError{t.id, e.Seq, "entry", err})
				return
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

func (t *Thread[S, U]) readUpdates(e *Entry) ([]NodeUpdate[U], error) {
	var s storedEntry
	if err := decode(e.Data, &s); err != nil {
		return nil, err
	}
	return t.updatesOf(&s)
}

// updatesOf are the updates of an entry, in order.
func (t *Thread[S, U]) updatesOf(s *storedEntry) ([]NodeUpdate[U], error) {
	var list []NodeUpdate[U]
	for i := range s.Writes {
		w := &s.Writes[i]
		if w.Update == nil {
			continue
		}
		if err := t.app.settings.versions.writes(s.StateVersion, w); err != nil {
			return nil, err
		}
		updates, err := decodeUpdates[U](w)
		if err != nil {
			return nil, err
		}
		node := w.Node
		if s.Kind == inputEntry {
			node = ""
		}
		for _, u := range updates {
			list = append(list, NodeUpdate[U]{node, u})
		}
	}
	return list, nil
}
