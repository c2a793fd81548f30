package graph

import (
	"context"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
)

// minSnapshot is the size that the log since the last snapshot must have before another one is worth its bytes.
const minSnapshot = 16 << 10

// A saver writes one run of a thread. It belongs to the run's goroutine, except pend, which tasks call at the same time.
type saver struct {
	store     Store
	ctx       context.Context // of the run, without its cancellation: what is finished is kept
	thread    string
	fence     int64
	seq       int64 // of the last entry
	graph     string
	stored    string      // fingerprint that the thread has on record
	logged    int         // bytes of the entries since the snapshot
	snapshot  int         // bytes of the snapshot
	pending   atomic.Bool // pending writes exist for the next entry
	options   threadOptions
	queue     *writeQueue // nil under Sync
	ahead     int         // writes that may wait in it; 0 = any number
	batch     [1]Entry
	clock     Clock
	at        time.Time // of atText
	atText    string    // see stamp
	entry     *writer
	state     *writer
	discarded bool   // the input that comes next gives up an unfinished run
	version   string // of the state, as rows have it
}

// commit appends an entry.
func (s *saver) commit(what string, e Entry) error {
	if s.queue != nil {
		if err := s.queue.add(queued{what: what, entry: e}, s.ahead); err != nil {
			return err
		}
	} else {
		s.batch[0] = e
		if err := s.store.Commit(s.ctx, s.thread, s.fence, s.batch[:]); err != nil {
			return s.failed(what, err)
		}
	}
	s.seq, s.stored = e.Seq, s.graph
	s.pending.Store(false)
	s.logged += len(e.Data)
	if e.Snapshot != nil {
		s.logged, s.snapshot = 0, len(e.Snapshot)
	}
	return nil
}

func (s *saver) failed(what string, err error) error {
	return &SaveError{Thread: s.thread, Seq: s.seq + 1, What: what, Err: err}
}

// begin starts an entry up to its writes.
func (s *saver) begin(kind string, run int64, step int) *writer {
	w := s.entry
	w.reset()
	w.head(kind, run, step)
	w.text(s.version)
	w.text(s.stamp())
	if s.graph != s.stored {
		w.text(`,"graph":"`)
		w.text(s.graph)
		w.text(`"`)
	}
	return w
}

// stamp is the field of the present time. It is formatted once a millisecond; whether that is over is asked of the
// system's monotonic clock, which takes half as long to read as the time of day.
func (s *saver) stamp() string {
	if s.clock == (systemClock{}) && s.atText != "" {
		if rest := time.Millisecond - time.Duration(s.at.Nanosecond())%time.Millisecond; time.Since(s.at) < rest {
			return s.atText
		}
	}
	now := s.clock.Now()
	if s.atText == "" || now.UnixMilli() != s.at.UnixMilli() {
		s.atText = `,"at":` + strconv.FormatInt(now.UnixMilli(), 10)
	}
	s.at = now
	return s.atText
}

// saveInput commits the input in, whose fold is next.
func (r *run[S, U]) saveInput(in *U, pos *Position, next *S) error {
	s := r.save
	if s == nil {
		return nil
	}
	w := s.begin(inputEntry, r.number, 0)
	if s.discarded {
		w.text(`,"discarded":true`)
	}
	w.text(`,"writes":[{"task":"` + startName + `","node":"` + startName + `","update":`)
	w.value(in)
	w.text(`}],"position":`)
	return r.finishEntry(inputEntry, 0, pos, next)
}

// saveStep commits the step that led to pos and next.
func (r *run[S, U]) saveStep(pos *Position, next *S) error {
	s := r.save
	w := s.begin(stepEntry, r.number, r.step+1)
	w.text(`,"writes":[`)
	for i := range r.results {
		if i > 0 {
			w.text(`,`)
		}
		w.text(`{`)
		r.write(w, i)
		w.text(`}`)
	}
	w.text(`],"position":`)
	return r.finishEntry(stepEntry, r.step+1, pos, next)
}

// finishEntry closes the entry, adds a snapshot when the log outweighs the last one, and commits.
func (r *run[S, U]) finishEntry(what string, step int, pos *Position, next *S) error {
	s := r.save
	w := s.entry
	w.position(pos, r.app.texts)
	w.text(`}`)
	e := Entry{Seq: s.seq + 1, Data: w.buf, Settles: s.pending.Load()}
	if s.logged+len(w.buf) > max(minSnapshot, s.snapshot) {
		e.Snapshot = r.encodeSnapshot(step, pos, next)
		if w.err == nil {
			w.err = s.state.err
		}
	}
	if w.err != nil {
		return s.failed(what, w.err)
	}
	return s.commit(what, e)
}

func (r *run[S, U]) encodeSnapshot(step int, pos *Position, state *S) []byte {
	var last []string
	if step > 0 {
		last = nodesOf(r.pos.Next)
	}
	return r.encodeWhole(snapshotRow, step, pos, state, last)
}

// encodeWhole encodes a whole state and its place; the bytes are valid until the next call. An error is in save.state.err.
func (r *run[S, U]) encodeWhole(kind string, step int, pos *Position, state *S, last []string) []byte {
	s := r.save
	if s.state == nil {
		s.state = newWriter()
	}
	s.state.reset()
	r.app.writeWhole(s.state, &storedSnapshot{Kind: kind, Run: r.number, Step: step, Graph: s.graph, Position: *pos, Last: last}, state)
	return s.state.buf
}

// writeWhole writes a row that holds a whole state. Version and State of the row are set here.
func (a *App[S, U]) writeWhole(w *writer, row *storedSnapshot, state *S) {
	w.head(row.Kind, row.Run, row.Step)
	w.text(a.settings.versions.text())
	if row.At != 0 {
		w.text(`,"at":`)
		w.int(row.At)
	}
	w.text(`,"graph":"` + row.Graph + `"`)
	if row.From != 0 {
		w.text(`,"from":`)
		w.int(row.From)
	}
	if row.Was != "" {
		w.text(`,"was":"` + row.Was + `"`)
	}
	if row.Discarded {
		w.text(`,"discarded":true`)
	}
	w.text(`,"position":`)
	w.position(&row.Position, a.texts)
	if len(row.Last) > 0 {
		w.text(`,"last":`)
		w.value(row.Last)
	}
	w.text(`,"state":`)
	w.value(state)
	w.text(`}`)
}

// write writes the fields of one task's write: its update is encoded unless a pending write has done that.
func (r *run[S, U]) write(w *writer, i int) {
	t, res := &r.pos.Next[i], &r.results[i]
	text := &r.app.texts[t.at-1]
	if t.Send == 0 {
		w.text(text.write)
	} else {
		w.text(`"task":` + quote(t.ID()) + `,"node":` + text.name)
	}
	switch {
	case res.failed:
	case res.encoded != nil:
		w.buf = append(w.buf, res.encoded...)
	default:
		writeUpdates(w, &res.update, res.more)
	}
	switch o := &r.outcomes[i]; {
	case o.IsZero():
	case len(o.Goto) == 0 && len(o.Sends) == 0 && o.Failure == nil:
		w.text(text.outcomes[r.app.plan.nodes[t.at-1].branch(o.Route)])
	default:
		w.text(`,"outcome":`)
		w.value(o)
	}
	if !r.journals.active.Load() {
		return
	}
	if j := r.journals.lookup(t.ID()); j != nil {
		if answers := j.answers(); len(answers) > 0 {
			w.text(`,"answers":`)
			w.value(answers)
		}
	}
}

// pend saves the write of a finished task of a parallel step. It is safe for concurrent use.
func (r *run[S, U]) pend(i int) error {
	s, t, res := r.save, &r.pos.Next[i], &r.results[i]
	w := newWriter()
	if !res.failed {
		writeUpdates(w, &res.update, res.more)
		if w.err != nil {
			return s.failed("task "+t.ID(), w.err)
		}
		res.encoded = slices.Clone(w.buf)
		w.reset()
	}
	w.head(pendingRow, r.number, r.step+1)
	w.text(s.version)
	w.text(`,"attempt":` + strconv.Itoa(res.attempt) + `,`)
	r.write(w, i)
	w.text(`}`)
	if w.err != nil {
		return s.failed("task "+t.ID(), w.err)
	}
	return s.pend("task "+t.ID(), []PendingWrite{{Seq: s.seq + 1, Key: t.ID(), Data: w.buf}})
}

// pend saves pending writes. It is safe for concurrent use.
func (s *saver) pend(what string, rows []PendingWrite) error {
	s.pending.Store(true)
	if s.queue != nil {
		return s.queue.add(queued{what: what, rows: rows}, s.ahead)
	}
	if err := s.store.Pend(s.ctx, s.thread, s.fence, rows); err != nil {
		return s.failed(what, err)
	}
	return nil
}

// notes saves what tasks have noted.
func (s *saver) notes(rows []PendingWrite) error {
	for i := range rows {
		rows[i].Seq = s.seq + 1
	}
	return s.pend("note "+rows[0].Key, rows)
}
