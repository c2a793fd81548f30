package graph

import (
	"encoding/json"
	"fmt"
	"slices"
)

// restored is a thread as its store has it.
type restored[S any] struct {
	exists   bool
	state    S
	pos      Position
	run      int64
	step     int
	graph    string // fingerprint on record
	seq      int64
	logged   int // bytes of the entries since the snapshot
	snapshot int // bytes of the snapshot
	pending  []storedPending
	last     []string // nodes of the step or edit that led here; nil after an input
	open     []*note  // see notes
	versions *stateVersions
}

// notes are the notes among the pending writes, the same ones each time.
func (t *restored[S]) notes() []*note {
	if t.open == nil {
		for i := range t.pending {
			if t.pending[i].Kind != pendingRow {
				t.open = append(t.open, t.pending[i].note())
			}
		}
	}
	return t.open
}

// finished says whether a pending write holds the result of a task: the questions that it has left open wait for nobody.
func (t *restored[S]) finished(task string) bool {
	return slices.ContainsFunc(t.pending, func(p storedPending) bool { return p.Kind == pendingRow && p.Task == task })
}

// interrupts lists the open questions of the unfinished step, in task order.
func (t *restored[S]) interrupts(p *Planner) []Interrupt {
	var js journals
	js.run, js.step = t.run, t.step+1
	js.restore(t.notes())
	p.resolve(&t.pos)
	var list []Interrupt
	for i := range t.pos.Next {
		if j := js.lookup(t.pos.Next[i].ID()); j != nil && !t.finished(j.task) {
			list = append(list, j.interrupts()...)
		}
	}
	return list
}

// restore folds a record into the state of its thread.
func (a *App[S, U]) restore(thread string, rec *Record) (*restored[S], error) {
	t := &restored[S]{exists: rec.Seq() > 0, versions: a.settings.versions}
	if rec.SnapshotSeq > 0 {
		if err := t.readSnapshot(rec); err != nil {
			return nil, &RowError{thread, rec.SnapshotSeq, "snapshot", err}
		}
	}
	for i := range rec.Log {
		e := &rec.Log[i]
		if err := replay[S, U](t, e); err != nil {
			return nil, &RowError{thread, e.Seq, "entry", err}
		}
	}
	for _, w := range rec.Pending {
		var p storedPending
		if err := decode(w.Data, &p); err != nil {
			return nil, &RowError{thread, w.Seq, "pending write " + w.Key, err}
		}
		if err := t.versions.writes(p.StateVersion, &p.storedWrite); err != nil {
			return nil, &RowError{thread, w.Seq, "pending write " + w.Key, err}
		}
		t.pending = append(t.pending, p)
	}
	return t, nil
}

func (t *restored[S]) readSnapshot(rec *Record) error {
	var s storedSnapshot
	if err := decode(rec.Snapshot, &s); err != nil {
		return err
	}
	state, err := t.versions.state(s.StateVersion, s.State)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(state, &t.state); err != nil {
		return fmt.Errorf("%w: state: %w", ErrDamaged, err)
	}
	t.pos, t.run, t.step, t.graph, t.last = s.Position, s.Run, s.Step, s.Graph, s.Last
	t.seq, t.snapshot = rec.SnapshotSeq, len(rec.Snapshot)
	return nil
}

// replay folds the entry that follows t.
func replay[S Reducer[S, U], U any](t *restored[S], e *Entry) error {
	var s storedEntry
	if err := decode(e.Data, &s); err != nil {
		return err
	}
	switch {
	case s.Kind == forkEntry, s.Kind == baseEntry && t.seq == 0: // the log before it was trimmed, or it belongs to a sub-graph
		return t.readBase(e)
	case e.Seq != t.seq+1:
		return fmt.Errorf("%w: entry %d is missing", ErrDamaged, t.seq+1)
	case s.Kind != inputEntry && s.Kind != stepEntry && s.Kind != editEntry:
		return fmt.Errorf("%w: kind %q cannot stand here", ErrDamaged, s.Kind)
	}
	t.last = nil
	for i := range s.Writes {
		w := &s.Writes[i]
		if s.Kind != inputEntry {
			t.last = append(t.last, w.Node)
		}
		if err := t.versions.writes(s.StateVersion, w); err != nil {
			return err
		}
		if err := foldWrite[S, U](t, w); err != nil {
			return err
		}
	}
	if s.Graph != "" {
		t.graph = s.Graph
	}
	t.pos, t.run, t.step, t.seq = s.Position, s.Run, s.Step, e.Seq
	t.logged += len(e.Data)
	return nil
}

// readBase takes the whole state from an entry that holds one.
func (t *restored[S]) readBase(e *Entry) error {
	size := t.snapshot
	t.state = *new(S) // decoding fills in, it does not replace
	err := t.readSnapshot(&Record{SnapshotSeq: e.Seq, Snapshot: e.Data})
	t.logged, t.snapshot = len(e.Data), size
	return err
}

// foldWrite applies what one task has written.
func foldWrite[S Reducer[S, U], U any](t *restored[S], w *storedWrite) error {
	if w.Update == nil { // its handler followed
		return nil
	}
	updates, err := decodeUpdates[U](w)
	if err != nil {
		return err
	}
	for _, u := range updates {
		next, err := applyTo(t.state, u)
		if err != nil {
			return fmt.Errorf("%w: the update of %s does not apply any more: %w", ErrDamaged, w.Task, err)
		}
		t.state = next
	}
	return nil
}

// decodeUpdates reads the updates of a write, of which there is at least one.
func decodeUpdates[U any](w *storedWrite) ([]U, error) {
	updates := make([]U, 1+len(w.More))
	for i := range updates {
		data := w.Update
		if i > 0 {
			data = w.More[i-1]
		}
		if err := json.Unmarshal(data, &updates[i]); err != nil {
			return nil, fmt.Errorf("%w: update of %s: %w", ErrDamaged, w.Task, err)
		}
	}
	return updates, nil
}

// applyTo is Apply with a panic as an error.
func applyTo[S Reducer[S, U], U any](s S, u U) (next S, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicError(p)
		}
	}()
	return s.Apply(u)
}

// adopt takes the pending writes of the step that is about to run again, so that their tasks are finished.
// Writes that the step cannot be folded with are left out: their tasks run again.
func (r *run[S, U]) adopt() error {
	pending := r.pending
	if r.pending = nil; len(pending) == 0 {
		return nil
	}
	for _, p := range pending {
		for i := range r.pos.Next {
			t, res := &r.pos.Next[i], &r.results[i]
			if p.Kind != pendingRow || t.ID() != p.Task {
				continue
			}
			if err := r.app.plan.valid(t.at-1, &p.Outcome); err != nil {
				continue // the graph has changed, and the resume was allowed nevertheless
			}
			if err := adoptWrite(res, &p); err != nil {
				return &RowError{r.save.thread, r.save.seq + 1, "pending write " + p.Task, err}
			}
			r.outcomes[i] = p.Outcome
		}
	}
	r.dropConflicts()
	return nil
}

// adoptWrite takes the result of a task from its pending write.
func adoptWrite[U any](res *result[U], p *storedPending) error {
	res.done, res.attempt, res.failed, res.waiting = true, p.Attempt, p.Update == nil, false
	if res.failed {
		return nil
	}
	updates, err := decodeUpdates[U](&p.storedWrite)
	if err != nil {
		return err
	}
	res.update, res.more = updates[0], updates[1:]
	w := newWriter()
	writeUpdates(w, &res.update, res.more)
	res.encoded = w.buf
	return w.err
}

// dropConflicts forgets adopted writes that stopped the step: of each pair that set the same value both,
// and those that Apply refused.
func (r *run[S, U]) dropConflicts() {
	for {
		c := r.app.conflict(r.pos.Next, r.results, r.step+1)
		if c == nil {
			break
		}
		for i := range r.results {
			if id := r.pos.Next[i].ID(); id == c.First || id == c.Second {
				r.results[i] = result[U]{}
			}
		}
	}
	state := *r.state
	for i := range r.results {
		if !r.results[i].done {
			continue
		}
		next, err := r.tryFold(&state, i)
		if err != nil {
			r.results[i] = result[U]{}
			continue
		}
		state = next
	}
}

// tryFold is foldTask with a panic as an error.
func (r *run[S, U]) tryFold(from *S, i int) (next S, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicError(p)
		}
	}()
	if r.results[i].failed {
		return *from, nil
	}
	err = r.foldTask(&next, from, i)
	return next, err
}
