package graph

import (
	"encoding/json"
	"fmt"
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
}

// restore folds a record into the state of its thread.
func (a *App[S, U]) restore(thread string, rec *Record) (*restored[S], error) {
	t := &restored[S]{exists: rec.Seq() > 0}
	if rec.SnapshotSeq > 0 {
		if err := t.readSnapshot(rec); err != nil {
			return nil, &RowError{thread, rec.SnapshotSeq, "snapshot", err}
		}
	}
	for i := range rec.Log {
		e := &rec.Log[i]
		err := fmt.Errorf("%w: entry %d is missing", ErrDamaged, t.seq+1)
		if e.Seq == t.seq+1 {
			err = replay[S, U](t, e)
		}
		if err != nil {
			return nil, &RowError{thread, e.Seq, "entry", err}
		}
	}
	for _, w := range rec.Pending {
		var p storedPending
		if err := decode(w.Data, &p); err != nil {
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
	if err := json.Unmarshal(s.State, &t.state); err != nil {
		return fmt.Errorf("%w: state: %w", ErrDamaged, err)
	}
	t.pos, t.run, t.step, t.graph = s.Position, s.Run, s.Step, s.Graph
	t.seq, t.snapshot = rec.SnapshotSeq, len(rec.Snapshot)
	return nil
}

// replay folds one entry.
func replay[S Reducer[S, U], U any](t *restored[S], e *Entry) error {
	var s storedEntry
	if err := decode(e.Data, &s); err != nil {
		return err
	}
	if s.Kind != inputEntry && s.Kind != stepEntry {
		return fmt.Errorf("%w: unknown kind %q", ErrDamaged, s.Kind)
	}
	for i := range s.Writes {
		var u U
		if err := json.Unmarshal(s.Writes[i].Update, &u); err != nil {
			return fmt.Errorf("%w: update of %s: %w", ErrDamaged, s.Writes[i].Task, err)
		}
		next, err := applyTo(t.state, u)
		if err != nil {
			return fmt.Errorf("%w: the update of %s does not apply any more: %w", ErrDamaged, s.Writes[i].Task, err)
		}
		t.state = next
	}
	if s.Graph != "" {
		t.graph = s.Graph
	}
	t.pos, t.run, t.step, t.seq = s.Position, s.Run, s.Step, e.Seq
	t.logged += len(e.Data)
	return nil
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
			if t.ID() != p.Task {
				continue
			}
			if err := r.app.plan.valid(t.at-1, &p.Outcome); err != nil {
				continue // the graph has changed, and the resume was allowed nevertheless
			}
			if err := json.Unmarshal(p.Update, &res.update); err != nil {
				return &RowError{r.save.thread, r.save.seq + 1, "pending write " + p.Task, fmt.Errorf("%w: %w", ErrDamaged, err)}
			}
			res.done, res.attempt, res.encoded = true, p.Attempt, p.Update
			r.outcomes[i] = p.Outcome
		}
	}
	r.dropConflicts()
	return nil
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
		next, err := applyTo(state, r.results[i].update)
		if err != nil {
			r.results[i] = result[U]{}
			continue
		}
		state = next
	}
}
